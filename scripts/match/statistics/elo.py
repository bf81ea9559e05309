"""Differences of strength from counts: Elo, normalized Elo, likelihood of superiority.

Everything is from the first player's side and takes a `Tally` or a `Pentanomial`. With
pairs at hand the pentanomial is the one to use: a tally takes games for independent, which
games from one opening are not, and so gives errors that are usually too large.

Intervals are of 95 % and come from the normal distribution (central limit theorem). They
say little for few trials or scores near 0 or 1. Formulas and sources: docs/statistics.md.
"""

import math
from statistics import NormalDist

import msgspec

from kibitz.scripts.match.statistics.counts import Moments, Pentanomial, Tally

# Elo points in one unit of natural log odds.
ELO_SCALE = 400 / math.log(10)
# Normalized Elo points in one standard deviation of a game's score.
NORMALIZED_SCALE = 800 / math.log(10)
# Standard deviations on either side that hold 95 % of a normal distribution.
DEVIATIONS = NormalDist().inv_cdf(0.975)

Counts = Tally | Pentanomial


class Estimate(msgspec.Struct, frozen=True):
    """A value with the ends of its interval of 95 %.

    `value` is infinite when all games were won or lost; an end is infinite when the
    interval of the score reaches 0 or 1. The ends are None when all trials ended alike:
    there is no variance to estimate an error from. (JSON has no infinities: there they
    become null.)
    """

    value: float
    low: float | None
    high: float | None

    @property
    def error(self) -> float | None:
        """Half the width of the interval: infinite or None as its ends are."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


def elo_from_score(score: float) -> float:
    """Elo difference that makes a mean score; infinite at 0 and 1 and beyond."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return ELO_SCALE * (math.log(score) - math.log1p(-score))


def score_from_elo(elo: float) -> float:
    """Mean score that an Elo difference makes: the logistic curve."""
    if elo < 0:
        return 1 - score_from_elo(-elo)
    return 1 / (1 + math.exp(-elo / ELO_SCALE))


def elo_difference(counts: Counts) -> Estimate | None:
    """Elo difference of the mean score; None without games.

    The interval is that of the score, carried over to Elo, so it is not symmetric.
    """
    moments = counts.sample().moments()
    if moments is None:
        return None
    value = elo_from_score(moments.mean)
    if not moments.variance:
        return Estimate(value, None, None)
    reach = DEVIATIONS * moments.standard_error
    return Estimate(
        value, elo_from_score(moments.mean - reach), elo_from_score(moments.mean + reach)
    )


def normalized_elo(counts: Counts) -> Estimate | None:
    """Normalized Elo: the score less 1/2 in standard deviations of a game, scaled.

    Van den Bergh's definition. It tells how many games it takes to see the difference,
    whatever the draw rate or the openings. None without games.

    The error is by the delta method with the third and fourth moments, for the deviation
    is estimated from the same games. For close matches it comes to the well-known
    `1.96 * 347.4 / sqrt(games)`, which is much too small for a match that is not close.
    """
    moments = counts.sample().moments()
    if moments is None:
        return None
    lead = moments.mean - 0.5
    if moments.skewness is None or moments.excess is None:
        return Estimate(math.copysign(math.inf, lead) if lead else 0.0, None, None)
    ratio = lead / math.sqrt(moments.variance)
    spread = 1 - ratio * moments.skewness + ratio**2 * (moments.excess + 2) / 4
    scale = NORMALIZED_SCALE / math.sqrt(moments.games_per_trial)
    # Only rounding could make the spread negative: it is the mean of a square.
    reach = DEVIATIONS * scale * math.sqrt(max(spread, 0.0) / moments.trials)
    value = scale * ratio
    return Estimate(value, value - reach, value + reach)


def likelihood_of_superiority(counts: Counts) -> float | None:
    """Probability that the first player is the stronger one, 0 to 1; None without games.

    The mean score against its standard error, with a flat prior. When all trials ended
    alike, the error is that of results which are as likely to be turned round, so that
    winning a single pair does not make a certainty.
    """
    moments = counts.sample().moments()
    if moments is None:
        return None
    return NormalDist().cdf(_deviations_from_even(moments))


def draw_rate(tally: Tally) -> float | None:
    """Share of the games that were drawn, 0 to 1; None without games."""
    return tally.draws / tally.games if tally.games else None


def even_rate(pentanomial: Pentanomial) -> float | None:
    """Share of the pairs that ended even, 0 to 1; None without pairs.

    Some programs print this one as the draw rate.
    """
    return pentanomial.counts[2] / pentanomial.pairs if pentanomial.pairs else None


def pairs_ratio(pentanomial: Pentanomial) -> float | None:
    """Pairs won for each pair lost; infinite when none was lost, None when none was won either."""
    lost, behind, _, ahead, won = pentanomial.counts
    if lost + behind:
        return (won + ahead) / (lost + behind)
    return math.inf if won + ahead else None


def _deviations_from_even(moments: Moments) -> float:
    lead = moments.mean - 0.5
    variance = moments.variance or lead**2
    return lead / math.sqrt(variance / moments.trials) if lead else 0.0
