"""Most likely distributions under a constraint, for generalized likelihood ratios.

Given how often each score was seen, find the probabilities that make it most likely among
those with a given mean, or with a given ratio of mean to standard deviation. The first is
a concave problem with one root to find. The second is not concave; it is reduced to the
first for each value of the deviation, and all values that fit are compared.

Shares are positive and sum to 1: regularize counts first.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

# Roots are looked for between deviations that differ by this factor.
_SCAN_FACTOR = 1.25
_ITERATIONS = 200
# Steps of a search smaller than this share of its place end it.
_PRECISION = 1e-13
# As good as none, for a multiplier.
_ROUNDING = 1e-15

Probabilities = tuple[float, ...]


def fit_mean(shares: Sequence[float], values: Sequence[float], mean: float) -> Probabilities:
    """Give the most likely probabilities of `values` among those with this mean.

    Lagrange multipliers give `share / (1 + multiplier * (value - mean))`, and the multiplier
    is the root of a decreasing function: empirical likelihood (Owen 1988; Van den Bergh's
    notes use it as well). ValueError when the mean is not between the extreme values.
    """
    offsets = [value - mean for value in values]
    if not min(offsets) < 0 < max(offsets):
        raise ValueError(f"no distribution on {list(values)} has the mean {mean}")
    return _centre(shares, offsets)


def fit_ratio(shares: Sequence[float], scores: Sequence[float], ratio: float) -> Probabilities:
    """Give the most likely probabilities with `(mean - 1/2) / deviation` equal to `ratio`.

    `scores` are equally spaced from 0 to 1. With s the deviation and m = 1/2 + ratio * s,
    a stationary point of the likelihood is also the most likely distribution for which the
    value `a - 1/2 - ratio / 2 * (s + (a - m)^2 / s)` of score a has the mean 0 (the
    gradient of the constraint, made linear as in Van den Bergh's "Comments on Normalized
    Elo"). That is found for every s, and the s that agrees with the deviation found
    is a root of a function of one variable. There may be several; the most likely one is
    given.
    """
    if ratio == 0:
        return fit_mean(shares, scores, 0.5)
    if ratio < 0:
        return fit_ratio(shares[::-1], scores, -ratio)[::-1]

    def fit(deviation: float) -> Probabilities:
        mean = 0.5 + ratio * deviation
        return _centre(
            shares,
            [a - 0.5 - ratio / 2 * (deviation + (a - mean) ** 2 / deviation) for a in scores],
        )

    def excess(deviation: float) -> float:
        return _mean(fit(deviation), scores) - 0.5 - ratio * deviation

    found = [
        fit(_root(excess, bracket))
        for segment in _segments(scores, ratio)
        for bracket in _changes(excess, *segment)
    ]
    return max(found, key=lambda probabilities: _log_likelihood(shares, probabilities))


def _centre(shares: Sequence[float], offsets: Sequence[float]) -> Probabilities:
    """Give the most likely probabilities that make the mean of the offsets 0.

    Newton's method inside a bracket: no probability is above 1, which bounds the multiplier
    away from the poles.
    """
    cells = list(zip(shares, offsets, strict=True))
    low = max((share - 1) / offset for share, offset in cells if offset > 0)
    high = min((share - 1) / offset for share, offset in cells if offset < 0)
    multiplier = 0.0
    for _ in range(_ITERATIONS):
        value = slope = 0.0
        for share, offset in cells:
            part = offset / (1 + multiplier * offset)
            value += share * part
            slope += share * part * part
        if value > 0:
            low = multiplier
        else:
            high = multiplier
        step = value / slope
        multiplier += step
        if not low <= multiplier <= high:
            multiplier = (low + high) / 2
        elif abs(step) <= _PRECISION * abs(multiplier) + _ROUNDING:
            break
    return tuple(share / (1 + multiplier * offset) for share, offset in cells)


def _segments(scores: Sequence[float], ratio: float) -> list[tuple[float, float]]:
    """Ranges of the deviation in which the linear constraint can be met.

    Some score above 1/2 must have a positive value (the values of the others are negative):
    a quadratic inequality for each. No distribution on 0 to 1 with this ratio has a
    deviation above `0.5 / sqrt(1 + ratio^2)`.
    """
    slant = math.hypot(1, ratio)
    least = (slant**2 - slant) / ratio
    most = (slant**2 + slant) / ratio
    leads = sorted(score - 0.5 for score in scores if score > 0.5)
    segments: list[tuple[float, float]] = []
    for lead in leads:
        low, high = lead / most, min(lead / least, 0.5 / slant)
        if segments and low < segments[-1][1]:
            segments[-1] = (segments[-1][0], high)
        else:
            segments.append((low, high))
    return segments


class _Bracket(NamedTuple):
    """A range in which a function changes its sign once or more, downward or upward."""

    low: float
    high: float
    falling: bool


def _changes(function: Callable[[float], float], low: float, high: float) -> list[_Bracket]:
    """Brackets of the roots in a range; at its ends the function is taken for + and -.

    It is not called at the ends, where it need not be defined.
    """
    steps = max(8, math.ceil(math.log(high / low) / math.log(_SCAN_FACTOR)))
    places = [low * (high / low) ** (step / steps) for step in range(steps + 1)]
    positive = [True, *(function(place) > 0 for place in places[1:-1]), False]
    return [
        _Bracket(places[step], places[step + 1], positive[step])
        for step in range(steps)
        if positive[step] != positive[step + 1]
    ]


def _root(function: Callable[[float], float], bracket: _Bracket) -> float:
    """Find a root by false position with the Illinois rule, by halves where that is slow.

    It ends when two places in a row agree.
    """
    low, high, falling = bracket
    low_value = high_value = 0.0  # 0 while not known
    last = math.inf
    moved_low = False
    for turn in range(_ITERATIONS):
        place = (low + high) / 2
        # Long runs of false positions that do not end would be slower than halves.
        if low_value and high_value and turn % 12 != 11:
            place = high - high_value * (high - low) / (high_value - low_value)
        value = function(place)
        if value == 0 or abs(place - last) <= _PRECISION * place:
            return place
        last = place
        moves_low = (value > 0) == falling
        if moves_low:
            low, low_value = place, value
            high_value /= 2 if moved_low else 1
        else:
            high, high_value = place, value
            low_value /= 1 if moved_low else 2
        moved_low = moves_low
    return last


def _mean(probabilities: Sequence[float], scores: Sequence[float]) -> float:
    return math.fsum(p * score for p, score in zip(probabilities, scores, strict=True))


def _log_likelihood(shares: Sequence[float], probabilities: Sequence[float]) -> float:
    return math.fsum(s * math.log(p) for s, p in zip(shares, probabilities, strict=True))
