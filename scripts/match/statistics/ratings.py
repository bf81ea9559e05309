"""Ratings of many players from the games between them, by maximum likelihood.

The model is Bradley and Terry's with draws as half a win: the expected score between two
players is the logistic curve of their rating difference, so ratings differ by what `elo.py`
calls Elo. A weak normal prior keeps the rating of a player that won everything finite.
Only games compare players: each group of players connected by games is fitted and
reported apart. Formulas and sources: docs/statistics.md.

Errors take all games for independent, also the two of a pair.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec

from kibitz.scripts.match.statistics.counts import Tally
from kibitz.scripts.match.statistics.crosstable import Crosstable, Encounter
from kibitz.scripts.match.statistics.elo import DEVIATIONS, ELO_SCALE
from kibitz.scripts.match.statistics.matrix import Matrix, inverse

# Standard deviation of the prior of a rating, in Elo: a few dozen games hardly feel it.
PRIOR_DEVIATION = 1000.0

_ITERATIONS = 500
# A step of so many natural log odds ends the fit.
_CLOSE_ENOUGH = 1e-11


class Rating(msgspec.Struct, frozen=True):
    """A player's rating in Elo, with its error of 95 % relative to what its group hangs on.

    `error` is 0 for the anchor itself and None for a player without games. `tally` holds
    all games of the player.
    """

    player: str
    rating: float
    error: float | None
    tally: Tally


class Group(msgspec.Struct, frozen=True):
    """Players connected by games, the best one first.

    `anchor` is the player whose rating was given, None when the mean of the ratings is 0.
    Ratings of different groups cannot be compared.
    """

    ratings: tuple[Rating, ...]
    anchor: str | None = None


def rate(
    encounters: Iterable[Encounter],
    *,
    players: Iterable[str] = (),
    anchor: str | None = None,
    anchor_rating: float = 0.0,
    prior_deviation: float | None = PRIOR_DEVIATION,
) -> tuple[Group, ...]:
    """Rate everybody who is in an encounter or in `players`; the largest group comes first.

    The group of `anchor` is shifted to give it `anchor_rating`, the others have the mean 0.
    `prior_deviation` is in Elo, None for no prior. ValueError for a game of a player against
    itself, for an unknown anchor, for a deviation that is not positive and, without prior,
    when the likelihood has no maximum because a part of a group won or lost everything
    against the rest.
    """
    if prior_deviation is not None and not prior_deviation > 0:
        raise ValueError(f"a prior deviation of {prior_deviation}: it must be positive")
    table = Crosstable(encounters, players)
    if anchor is not None and anchor not in table.names:
        raise ValueError(f"the anchor {anchor!r} is not among the players")
    precision = 0.0 if prior_deviation is None else (ELO_SCALE / prior_deviation) ** 2
    groups = []
    for members in table.groups():
        faulty = table.one_sided(members)
        if not precision and faulty:
            names = ", ".join(table.names[member] for member in faulty)
            raise ValueError(f"no largest likelihood without a prior because of: {names}")
        groups.append(_rate_group(table, members, precision, anchor, anchor_rating))
    return tuple(sorted(groups, key=lambda group: -len(group.ratings)))


def _rate_group(
    table: Crosstable,
    members: Sequence[int],
    precision: float,
    anchor: str | None,
    anchor_rating: float,
) -> Group:
    fit = _Fit(table, members, precision)
    fit.run()
    names = [table.names[member] for member in members]
    base = names.index(anchor) if anchor is not None and anchor in names else None
    shift = 0.0 if base is None else anchor_rating - ELO_SCALE * fit.strengths[base]
    ratings = [
        Rating(name, ELO_SCALE * strength + shift, error, table.total(member))
        for member, name, strength, error in zip(
            members, names, fit.strengths, fit.errors(base), strict=True
        )
    ]
    ratings.sort(key=lambda rating: (-rating.rating, rating.player))
    return Group(tuple(ratings), None if base is None else anchor)


class _Fit:
    """Strengths of a group, in natural log odds with the mean 0, by Newton's method.

    The logarithm of the posterior is concave, and steps are halved until it does not fall,
    so that every start leads to the maximum.
    """

    def __init__(self, table: Crosstable, members: Sequence[int], precision: float) -> None:
        places = {member: place for place, member in enumerate(members)}
        self._precision = precision
        self._results = [
            (places[member], places[enemy], tally)
            for member in members
            for enemy, tally in table.row(member).items()
            if member < enemy
        ]
        self.strengths = [0.0] * len(members)

    def run(self) -> None:
        """Find the most likely strengths."""
        height = self._height(self.strengths)
        for _ in range(_ITERATIONS):
            covariance = inverse(self._information())
            gradient = self._gradient()
            step = [
                math.fsum(a * b for a, b in zip(row, gradient, strict=True)) for row in covariance
            ]
            size = max(map(abs, step))
            while size > _CLOSE_ENOUGH:
                moved = [at + by for at, by in zip(self.strengths, step, strict=True)]
                reached = self._height(moved)
                if reached >= height:
                    break
                step = [by / 2 for by in step]
                size /= 2
            else:
                return
            self.strengths, height = moved, reached

    def errors(self, base: int | None) -> list[float | None]:
        """Errors of 95 % in Elo, of differences from a member or from the mean.

        From the inverse of the Fisher information, times the dispersion: the model takes
        the score of a game for a win or a loss, and draws make it vary less.
        """
        if not self._results:
            return [None for _ in self.strengths]
        covariance = inverse(self._information())
        size = len(covariance)
        if base is None:
            means = [math.fsum(row) / size for row in covariance]
            mean = math.fsum(means) / size
            variances = [covariance[i][i] - 2 * means[i] + mean for i in range(size)]
        else:
            variances = [
                covariance[i][i] - 2 * covariance[i][base] + covariance[base][base]
                for i in range(size)
            ]
        scale = DEVIATIONS * ELO_SCALE * math.sqrt(self._dispersion())
        return [scale * math.sqrt(max(variance, 0.0)) for variance in variances]

    def _height(self, strengths: Sequence[float]) -> float:
        """Logarithm of the posterior density, up to a constant."""
        likelihood = math.fsum(
            tally.score * _log_chance(strengths[i] - strengths[j])
            + (tally.games - tally.score) * _log_chance(strengths[j] - strengths[i])
            for i, j, tally in self._results
        )
        return likelihood - self._precision / 2 * math.fsum(s * s for s in strengths)

    def _gradient(self) -> list[float]:
        gradient = [-self._precision * strength for strength in self.strengths]
        for i, j, tally in self._results:
            surplus = tally.score - tally.games * _chance(self.strengths[i] - self.strengths[j])
            gradient[i] += surplus
            gradient[j] -= surplus
        return gradient

    def _information(self) -> Matrix:
        """Fisher information with the prior's precision.

        Games tell nothing about the sum of all strengths. A constant added everywhere fixes
        it and changes nothing else.
        """
        size = len(self.strengths)
        information = [[1.0] * size for _ in range(size)]
        for i in range(size):
            information[i][i] += self._precision
        for i, j, tally in self._results:
            weight = self._weight(i, j, tally)
            information[i][i] += weight
            information[j][j] += weight
            information[i][j] -= weight
            information[j][i] -= weight
        return information

    def _weight(self, i: int, j: int, tally: Tally) -> float:
        """Variance of the score of these games if none could be drawn."""
        lead = self.strengths[i] - self.strengths[j]
        return tally.games * _chance(lead) * _chance(-lead)

    def _dispersion(self) -> float:
        """Variance of scores in parts of what it would be without draws.

        A draw takes 1/4 from the variance of a game's score, on average. The least value is
        that of a single decided game, for all games drawn do not make ratings exact.
        """
        undrawn = math.fsum(self._weight(*result) for result in self._results)
        games = sum(tally.games for _, _, tally in self._results)
        draws = sum(tally.draws for _, _, tally in self._results)
        return max(1 - draws / (4 * undrawn), 1 / games)


def _chance(lead: float) -> float:
    """Expected score at a difference of strengths, exact for small ones too."""
    if lead < 0:
        odds = math.exp(lead)
        return odds / (1 + odds)
    return 1 / (1 + math.exp(-lead))


def _log_chance(lead: float) -> float:
    return lead - math.log1p(math.exp(lead)) if lead < 0 else -math.log1p(math.exp(-lead))
