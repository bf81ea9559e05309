"""Sequential probability ratio test between two Elo differences, from counts of results.

The test is the generalized one: under each hypothesis the most likely distribution of
results is taken, and the logarithm of the ratio of the two likelihoods (LLR) is compared
with Wald's bounds after each pair. Draw rate and the dependence within pairs need not be
known beforehand. No correction is made for the last step's overshoot of a bound, so true
error rates are close to those asked for, usually a little below.

Sources: Van den Bergh, "A Practical Introduction to the GSPRT" and "Comments on Normalized
Elo", the mathematics of Fishtest. Formulas: docs/statistics.md.
"""

import math
from enum import StrEnum

import msgspec

from kibitz.scripts.match.statistics.constrained import fit_mean, fit_ratio
from kibitz.scripts.match.statistics.counts import Sample
from kibitz.scripts.match.statistics.elo import NORMALIZED_SCALE, Counts, score_from_elo

# Hypotheses further from 0 than this are mistakes and strain the arithmetic.
LARGEST_ELO = 2000.0


class Model(StrEnum):
    """What the hypotheses are differences of."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Decision(StrEnum):
    """What a test says: go on, or which hypothesis it accepts."""

    CONTINUE = "continue"
    H0 = "H0"
    H1 = "H1"


class SprtState(msgspec.Struct, frozen=True):
    """Where a test stands: the LLR between its bounds."""

    llr: float
    lower: float
    upper: float
    decision: Decision

    @property
    def progress(self) -> float:
        """Share of the way to the bound on the LLR's side, signed: 1 and -1 are decisions."""
        return self.llr / (self.upper if self.llr > 0 else -self.lower)


class Sprt(msgspec.Struct, frozen=True, kw_only=True):
    """A test of H0, the difference is `elo0`, against H1, it is `elo1`.

    `alpha` is the accepted probability of H1 when H0 is true, `beta` that of H0 when H1 is
    true. ValueError says which of them cannot be.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.NORMALIZED

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= LARGEST_ELO:
                raise ValueError(f"{name}={elo}: not within {LARGEST_ELO:g} of 0")
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0={self.elo0} is not below elo1={self.elo1}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name}={rate}: not between 0 and 0.5")

    @property
    def lower(self) -> float:
        """LLR at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """LLR at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def state(self, counts: Counts) -> SprtState:
        """Where the test stands after these results."""
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1, self.model)
        decision = Decision.CONTINUE
        if llr >= self.upper:
            decision = Decision.H1
        elif llr <= self.lower:
            decision = Decision.H0
        return SprtState(llr, self.lower, self.upper, decision)


def log_likelihood_ratio(counts: Counts, elo0: float, elo1: float, model: Model) -> float:
    """Natural logarithm of how much likelier the results are at `elo1` than at `elo0`.

    Each likelihood is the largest that any distribution of results with that Elo
    difference gives. 0 without games. ValueError when a logistic Elo is so large that its
    score is 0 or 1.
    """
    if not counts.games:
        return 0.0
    sample = counts.sample().regularized()
    likely0, likely1 = (_fit(sample, elo, model) for elo in (elo0, elo1))
    return math.fsum(
        weight * math.log(p1 / p0)
        for weight, p0, p1 in zip(sample.weights, likely0, likely1, strict=True)
    )


def _fit(sample: Sample, elo: float, model: Model) -> tuple[float, ...]:
    """Give the most likely distribution of a trial's score at an Elo difference."""
    trials = sample.trials
    shares = tuple(weight / trials for weight in sample.weights)
    if model is Model.LOGISTIC:
        return fit_mean(shares, sample.scores, score_from_elo(elo))
    ratio = elo / NORMALIZED_SCALE * math.sqrt(sample.games_per_trial)
    return fit_ratio(shares, sample.scores, ratio)
