import math
import random

import pytest

from kibitz.scripts.match.statistics.constrained import fit_mean, fit_ratio
from tests.scripts.match.statistics.brute_force import (
    best_of_three_with_ratio,
    best_with_mean,
    best_with_ratio,
    likelihood,
)

FIVE = (0.0, 0.25, 0.5, 0.75, 1.0)
THREE = (0.0, 0.5, 1.0)


def shares(*weights: float) -> tuple[float, ...]:
    return tuple(weight / sum(weights) for weight in weights)


def moments(chances: tuple[float, ...], scores: tuple[float, ...]) -> tuple[float, float]:
    mean = math.fsum(p * a for p, a in zip(chances, scores, strict=True))
    variance = math.fsum(p * (a - mean) ** 2 for p, a in zip(chances, scores, strict=True))
    return mean, math.sqrt(variance)


@pytest.mark.parametrize("weights", [(3, 10, 22, 14, 5), (1, 1, 1, 1, 30), (0.01, 8, 2, 5, 0.01)])
@pytest.mark.parametrize("mean", [0.3, 0.5, 0.52, 0.9])
def test_mean_against_brute_force(weights: tuple[float, ...], mean: float) -> None:
    seen = shares(*weights)
    found = fit_mean(seen, FIVE, mean)
    assert math.fsum(found) == pytest.approx(1)
    assert moments(found, FIVE)[0] == pytest.approx(mean)
    assert likelihood(seen, found) == pytest.approx(best_with_mean(seen, mean), abs=1e-7)


def test_mean_of_two_cells_is_the_only_distribution() -> None:
    assert fit_mean((0.2, 0.8), (0, 1), 0.3) == pytest.approx((0.7, 0.3))


def test_what_was_seen_is_most_likely_of_all() -> None:
    seen = shares(3, 10, 22, 14, 5)
    mean, deviation = moments(seen, FIVE)
    assert fit_mean(seen, FIVE, mean) == pytest.approx(seen)
    assert fit_ratio(seen, FIVE, (mean - 0.5) / deviation) == pytest.approx(seen)


@pytest.mark.parametrize("mean", [-0.1, 0, 1, 1.5])
def test_no_mean_outside_the_scores(mean: float) -> None:
    with pytest.raises(ValueError, match="no distribution"):
        fit_mean(shares(1, 2, 3), THREE, mean)


@pytest.mark.parametrize("weights", [(3, 10, 22, 14, 5), (5, 9, 9, 9, 22), (8, 20, 9, 3, 1)])
@pytest.mark.parametrize("ratio", [-0.2, 0.05, 0.3])
def test_ratio_against_brute_force(weights: tuple[float, ...], ratio: float) -> None:
    seen = shares(*weights)
    found = fit_ratio(seen, FIVE, ratio)
    mean, deviation = moments(found, FIVE)
    assert (mean - 0.5) / deviation == pytest.approx(ratio)
    best = best_with_ratio(seen, ratio, 0.17, 0.4)
    assert likelihood(seen, found) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize(
    "weights", [(10, 30, 20), (1, 98, 1), (1e-3, 50, 1e-3), (1e-3, 1e-3, 50), (60, 2, 1)]
)
@pytest.mark.parametrize("ratio", [-2.0, -0.1, 0.01, 0.3, 1.0, 6.0])
def test_ratio_of_three_cells_against_brute_force(weights: tuple[float, ...], ratio: float) -> None:
    seen = shares(*weights)
    found = fit_ratio(seen, THREE, ratio)
    best = best_of_three_with_ratio(seen, ratio)
    assert likelihood(seen, found) == pytest.approx(best, abs=1e-7)


def test_ratio_is_met_and_is_no_worse_than_its_neighbours() -> None:
    source = random.Random(11)
    for _ in range(300):
        size = source.choice((3, 5))
        scores = FIVE if size == 5 else THREE
        seen = shares(*(source.choice((1e-3, 1, 5, 40)) * source.random() for _ in range(size)))
        ratio = source.choice((-1, 1)) * 10 ** source.uniform(-5, 1)
        found = fit_ratio(seen, scores, ratio)
        mean, deviation = moments(found, scores)
        assert math.fsum(found) == pytest.approx(1, abs=1e-7)
        assert mean - 0.5 == pytest.approx(ratio * deviation, abs=1e-7)
        # Mixtures with other distributions, brought back to the ratio by a last one.
        height = likelihood(seen, found)
        for _ in range(5):
            other = shares(*(source.random() for _ in range(size)))
            near = _met([0.97 * p + 0.03 * q for p, q in zip(found, other, strict=True)], ratio)
            if near is not None:
                assert likelihood(seen, near) <= height + 1e-9


def _met(chances: list[float], ratio: float) -> tuple[float, ...] | None:
    """Tilt chances by exp(slope * score) until they have the ratio."""
    scores = FIVE if len(chances) == 5 else THREE
    low, high = -200.0, 200.0
    for _ in range(200):
        slope = (low + high) / 2
        tilted = shares(
            *(p * math.exp(slope * (a - 0.5)) for p, a in zip(chances, scores, strict=True))
        )
        mean, deviation = moments(tilted, scores)
        if abs(mean - 0.5 - ratio * deviation) < 1e-13:
            return tilted
        if mean - 0.5 > ratio * deviation:
            high = slope
        else:
            low = slope
    return None
