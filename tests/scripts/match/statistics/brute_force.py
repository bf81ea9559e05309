"""Slow maximizers of likelihoods that share nothing with the code under test.

They walk along directions that keep the constraints and search each with golden sections.
Scores are 0, 1/4, 1/2, 3/4, 1 (or 0, 1/2, 1).
"""

import math
from collections.abc import Callable, Sequence

_GOLDEN = (math.sqrt(5) - 1) / 2


def golden(function: Callable[[float], float], low: float, high: float, turns: int) -> float:
    """Place of the maximum of a function with one peak."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(turns):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
    return (low + high) / 2


def likelihood(weights: Sequence[float], chances: Sequence[float]) -> float:
    """Logarithm of the likelihood."""
    return sum(
        w * math.log(p) if p > 0 else -1e18 * w for w, p in zip(weights, chances, strict=True)
    )


def climb(
    weights: Sequence[float],
    chances: Sequence[float],
    directions: Sequence[Sequence[float]],
    rounds: int,
) -> float:
    """Greatest likelihood to be reached from `chances` along `directions`."""
    at = list(chances)
    for _ in range(rounds):
        for direction in directions:
            at = _peak(weights, at, direction)
    return likelihood(weights, at)


def _peak(
    weights: Sequence[float], chances: Sequence[float], direction: Sequence[float]
) -> list[float]:
    low = max(-p / d for p, d in zip(chances, direction, strict=True) if d > 0)
    high = min(-p / d for p, d in zip(chances, direction, strict=True) if d < 0)

    def moved(by: float) -> list[float]:
        return [p + by * d for p, d in zip(chances, direction, strict=True)]

    return moved(golden(lambda by: likelihood(weights, moved(by)), low, high, 45))


def best_with_mean(weights: Sequence[float], mean: float) -> float:
    """Greatest likelihood of five cells with a mean: second differences keep it."""
    binomial = [math.comb(4, k) * mean**k * (1 - mean) ** (4 - k) for k in range(5)]
    directions = [(1, -2, 1, 0, 0), (0, 1, -2, 1, 0), (0, 0, 1, -2, 1), (1, -1, 0, -1, 1)]
    return climb(weights, binomial, directions, 60)


def best_with_ratio(weights: Sequence[float], ratio: float, low: float, high: float) -> float:
    """Greatest likelihood with a ratio of mean less 1/2 to deviation.

    The deviation is searched between `low` and `high`; with it, mean and second moment are
    given, and third differences keep both.
    """

    def profile(deviation: float) -> float:
        mean = 0.5 + ratio * deviation
        return climb(weights, _start(mean, deviation), [(1, -3, 3, -1, 0), (0, 1, -3, 3, -1)], 30)

    return profile(golden(profile, low, high, 22))


def best_of_three_with_ratio(weights: Sequence[float], ratio: float) -> float:
    """The same for three cells, where the deviation leaves nothing to choose."""

    def at(deviation: float) -> float:
        lead = ratio * deviation
        decided = 4 * (deviation**2 + lead**2)
        chances = ((decided - 2 * lead) / 2, 1 - decided, (decided + 2 * lead) / 2)
        return likelihood(weights, chances) if min(chances) > 0 else -1e18

    steps = 4000
    best = max(range(1, steps), key=lambda step: at(step / steps / 2))
    return at(golden(at, (best - 1) / steps / 2, (best + 1) / steps / 2, 60))


def _start(mean: float, deviation: float) -> list[float]:
    """Positive chances with these moments: a little of all cells, the rest on 0, 1/2, 1."""
    share = 0.02
    lead = (mean - 0.5) / (1 - share)
    spread = (deviation**2 + (mean - 0.5) ** 2 - share / 8) / (1 - share)
    low, high = 2 * spread - lead, 2 * spread + lead
    chances = [share / 5] * 5
    for cell, chance in ((0, low), (2, 1 - low - high), (4, high)):
        chances[cell] += (1 - share) * chance
    assert min(chances) > 0
    return chances
