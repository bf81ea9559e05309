"""Counts of results, and what follows from them alone: means, variances, higher moments.

A `Tally` counts games, a `Pentanomial` counts pairs of games from one opening with sides
swapped; the games of a pair depend on each other, so a pair is one observation. Either
gives a `Sample`, on which Elo and tests are computed without asking where it came from.
Nothing here knows about Elo.

Scores are those of the first player, 0 to 1 a game.
"""

import math
from collections.abc import Iterable

import msgspec

# What an empty cell counts as where a likelihood is maximized, as on Fishtest.
EMPTY_CELL = 1e-3


class Moments(msgspec.Struct, frozen=True):
    """Moments of the score of a trial: a game, or the mean of the two games of a pair.

    `variance` is that of one trial, with the number of trials as its divisor (not one less),
    as testing programs have it. `skewness` and `excess` (kurtosis less 3) are None when the
    variance is 0.
    """

    trials: float
    games_per_trial: int
    mean: float
    variance: float
    skewness: float | None
    excess: float | None

    @property
    def variance_per_game(self) -> float:
        """Variance that a game would have if the games of a trial were independent."""
        return self.variance * self.games_per_trial

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean of all trials."""
        return math.sqrt(self.variance / self.trials)


class Sample(msgspec.Struct, frozen=True):
    """How often each score was seen: `weights[i]` trials scored `i / (len(weights) - 1)`."""

    weights: tuple[float, ...]
    games_per_trial: int

    @property
    def trials(self) -> float:
        """Sum of the weights."""
        return math.fsum(self.weights)

    @property
    def scores(self) -> tuple[float, ...]:
        """Score of each cell, from 0 to 1."""
        last = len(self.weights) - 1
        return tuple(cell / last for cell in range(last + 1))

    def regularized(self) -> "Sample":
        """Give every empty cell the weight `EMPTY_CELL`.

        A cell that was never seen would have the probability 0, and then there may be no
        distribution with the mean that a hypothesis asks for; with a small weight there
        always is one, and a likelihood ratio stays finite. Counts without empty cells are
        not changed. Fishtest does the same.
        """
        weights = tuple(weight or EMPTY_CELL for weight in self.weights)
        return Sample(weights, self.games_per_trial)

    def moments(self) -> Moments | None:
        """Moments of the score, None without trials."""
        trials = self.trials
        if not trials:
            return None
        cells = list(zip(self.weights, self.scores, strict=True))
        mean = math.fsum(weight * score for weight, score in cells) / trials
        second, third, fourth = (
            math.fsum(weight * (score - mean) ** power for weight, score in cells) / trials
            for power in (2, 3, 4)
        )
        skewness = third / second**1.5 if second else None
        excess = fourth / second**2 - 3 if second else None
        return Moments(trials, self.games_per_trial, mean, second, skewness, excess)


class Tally(msgspec.Struct, frozen=True):
    """Games won, drawn and lost by the first player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        _check_counts((self.wins, self.draws, self.losses))

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @classmethod
    def of(cls, scores: Iterable[float]) -> "Tally":
        """Count scores of games; ValueError for one that is not 0, 1/2 or 1."""
        counts = [0, 0, 0]
        for score in scores:
            if score not in (0, 0.5, 1):
                raise ValueError(f"score {score!r}: a game scores 0, 1/2 or 1")
            counts[int(2 * score)] += 1
        return cls(counts[2], counts[1], counts[0])

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Sum of the scores."""
        return self.wins + self.draws / 2

    def flipped(self) -> "Tally":
        """Give the same games for the second player."""
        return Tally(self.losses, self.draws, self.wins)

    def sample(self) -> Sample:
        """Give the games as trials of one game."""
        return Sample((self.losses, self.draws, self.wins), 1)


class Pentanomial(msgspec.Struct, frozen=True):
    """Pairs by the sum of their two games' scores: 0, 1/2, 1, 3/2 and 2.

    Testers write them LL, LD, DD or WL, WD, WW. The middle count holds pairs of two draws
    and pairs with a win each alike.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        _check_counts(self.counts)

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        lost, behind, even, ahead, won = map(sum, zip(self.counts, other.counts, strict=True))
        return Pentanomial((lost, behind, even, ahead, won))

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> "Pentanomial":
        """Count pairs of games' scores; ValueError for a score that is not 0, 1/2 or 1."""
        counts = [0, 0, 0, 0, 0]
        for pair in pairs:
            counts[round(2 * Tally.of(pair).score)] += 1
        lost, behind, even, ahead, won = counts
        return cls((lost, behind, even, ahead, won))

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """Number of games."""
        return 2 * self.pairs

    @property
    def score(self) -> float:
        """Sum of the scores of all games."""
        return sum(half * count for half, count in enumerate(self.counts)) / 2

    def flipped(self) -> "Pentanomial":
        """Give the same pairs for the second player."""
        lost, behind, even, ahead, won = self.counts
        return Pentanomial((won, ahead, even, behind, lost))

    def tally(self, drawn_pairs: int) -> Tally:
        """Give the games; `drawn_pairs` of the even pairs were two draws each."""
        lost, behind, even, ahead, won = self.counts
        if not 0 <= drawn_pairs <= even:
            raise ValueError(f"{drawn_pairs} pairs of two draws among {even} even pairs")
        split = even - drawn_pairs
        return Tally(
            wins=2 * won + ahead + split,
            draws=ahead + behind + 2 * drawn_pairs,
            losses=2 * lost + behind + split,
        )

    def sample(self) -> Sample:
        """Give the pairs as trials of two games."""
        return Sample(self.counts, 2)


class Points(msgspec.Struct, frozen=True):
    """Points of games that have them, summed: the first player's and the second's."""

    games: int = 0
    own: float = 0.0
    other: float = 0.0

    def __add__(self, other: "Points") -> "Points":
        return Points(self.games + other.games, self.own + other.own, self.other + other.other)

    def means(self) -> tuple[float, float] | None:
        """Points for and against a game, None without games."""
        if not self.games:
            return None
        return self.own / self.games, self.other / self.games

    def score(self) -> float:
        """Who has more: 1, 1/2 or 0 for the first player.

        A pair whose points are summed and compared so is one trial with three outcomes.
        """
        return 1.0 if self.own > self.other else 0.0 if self.own < self.other else 0.5


def _check_counts(counts: tuple[int, ...]) -> None:
    if min(counts) < 0:
        raise ValueError(f"counts {counts}: one is negative")
