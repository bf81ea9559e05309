import math
import random
import statistics

import pytest

from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.elo import (
    DEVIATIONS,
    ELO_SCALE,
    NORMALIZED_SCALE,
    Counts,
    draw_rate,
    elo_difference,
    elo_from_score,
    even_rate,
    likelihood_of_superiority,
    normalized_elo,
    pairs_ratio,
    score_from_elo,
)


@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101)]
)
def test_elo_of_scores(elo: float, score: float) -> None:
    assert score_from_elo(elo) == pytest.approx(score, rel=1e-14)
    assert elo_from_score(score) == pytest.approx(elo, rel=1e-13)


def test_elo_and_score_are_inverse() -> None:
    for tenth in range(-20_000, 20_001, 37):
        elo = tenth / 10
        assert elo_from_score(score_from_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_elo_at_the_ends() -> None:
    assert elo_from_score(1) == elo_from_score(1.2) == math.inf
    assert elo_from_score(0) == elo_from_score(-0.1) == -math.inf
    assert score_from_elo(1e6) == 1
    assert score_from_elo(-1e6) == 0


# Numbers from the tests of fastchess (app/tests/elo_test.cpp), from the progress page of
# Reckless and from the regression tests of Stockfish (their wikis), as printed there.
@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        (Tally(136, 111, 96), 40.70, 30.43),
        (Pentanomial((34, 54, 63, 64, 75)), 55.58, 27.65),
        (Pentanomial((332, 433, 498, 333, 334)), -8.64, 10.33),
        (Pentanomial((59, 1751, 4800, 3267, 169)), 30.09, 2.56),
        (Pentanomial((5, 782, 2540, 1655, 19)), 31.38, 3.35),
        (Pentanomial((53, 2034, 4976, 2881, 114)), 16.75, 2.52),
        # From an issue of cutechess (number 543), with one digit.
        (Tally(880, 1863, 759), 12.0, 7.9),
    ],
)
def test_published_elo(counts: Counts, elo: float, error: float) -> None:
    estimate = elo_difference(counts)
    assert estimate is not None
    last_digit = 0.1 if elo == 12.0 else 0.01
    assert estimate.value == pytest.approx(elo, abs=last_digit)
    assert estimate.error == pytest.approx(error, abs=last_digit)


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        (Pentanomial((18, 1850, 25507, 2580, 45)), 16.29, 2.8),
        (Pentanomial((30, 5872, 17820, 6261, 17)), 4.64, 2.8),
        (Pentanomial((96, 6835, 16121, 6851, 97)), 0.21, 2.8),
        (Pentanomial((332, 433, 498, 333, 334)), -9.17, 10.96),
        (Pentanomial((379, 10170, 21828, 10640, 343)), 3.05, 2.31),
        (Pentanomial((59, 1751, 4800, 3267, 169)), 56.71, 4.80),
        (Pentanomial((5, 782, 2540, 1655, 19)), 64.29, 6.81),
        (Pentanomial((34, 54, 63, 64, 75)), 57.94, 28.28),
        (Tally(76, 123, 89), -20.76, 40.13),
        (Tally(136, 111, 96), 49.77, 36.77),
        (Tally(34, 0, 356), -508.44, 34.48),
    ],
)
def test_published_normalized_elo(counts: Counts, elo: float, error: float) -> None:
    estimate = normalized_elo(counts)
    assert estimate is not None
    assert estimate.value == pytest.approx(elo, abs=0.006)
    # Their errors leave the higher moments out: close only when the match was.
    plain = DEVIATIONS * NORMALIZED_SCALE / math.sqrt(counts.games)
    assert plain == pytest.approx(error, abs=0.051 if error == 2.8 else 0.006)
    assert estimate.error is not None
    if abs(elo) < 20:
        assert estimate.error == pytest.approx(error, rel=0.02)
    elif abs(elo) < 100:
        assert estimate.error == pytest.approx(error, rel=0.05)


def test_normalized_elo_without_draws_in_closed_form() -> None:
    # Wins with probability p: t = (p - 1/2) / sqrt(pq), whose derivative is 1 / (4 (pq)^1.5),
    # so its standard error over n games is 1 / (4 pq sqrt(n)).
    estimate = normalized_elo(Tally(34, 0, 356))
    assert estimate is not None
    p = 34 / 390
    error = DEVIATIONS * NORMALIZED_SCALE / (4 * p * (1 - p) * math.sqrt(390))
    assert estimate.error == pytest.approx(error, rel=1e-12)


def test_normalized_elo_error_covers() -> None:
    chances = (0.02, 0.08, 0.3, 0.35, 0.25)
    mean = sum(chance * half / 4 for half, chance in enumerate(chances))
    variance = sum(chance * (half / 4 - mean) ** 2 for half, chance in enumerate(chances))
    truth = NORMALIZED_SCALE * (mean - 0.5) / math.sqrt(2 * variance)
    source = random.Random(7)
    found, errors = [], []
    for _ in range(2000):
        drawn = source.choices(range(5), chances, k=150)
        estimate = normalized_elo(
            Pentanomial.of([(min(half, 2) / 2, max(half - 2, 0) / 2) for half in drawn])
        )
        assert estimate is not None
        assert estimate.error is not None
        found.append(estimate.value)
        errors.append(estimate.error)
    assert statistics.pstdev(found) * DEVIATIONS == pytest.approx(
        statistics.fmean(errors), rel=0.06
    )
    covered = sum(abs(value - truth) <= error for value, error in zip(found, errors, strict=True))
    assert 0.93 < covered / len(found) < 0.97


def test_normalized_elo_is_elo_for_close_matches_without_draws() -> None:
    # The scale is chosen so that the two agree there.
    elo, normalized = elo_difference(Tally(5010, 0, 4990)), normalized_elo(Tally(5010, 0, 4990))
    assert elo is not None
    assert normalized is not None
    assert normalized.value == pytest.approx(elo.value, rel=1e-4)


# LOS from the tests of fastchess, in percent.
@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        (Tally(76, 123, 89), 15.53),
        (Tally(136, 111, 96), 99.60),
        (Pentanomial((34, 54, 63, 64, 75)), 100.00),
        (Pentanomial((332, 433, 498, 333, 334)), 5.05),
    ],
)
def test_published_likelihood_of_superiority(counts: Counts, percent: float) -> None:
    found = likelihood_of_superiority(counts)
    assert found is not None
    assert 100 * found == pytest.approx(percent, abs=0.006)


def test_interval_is_that_of_the_score() -> None:
    estimate = elo_difference(Tally(60, 0, 40))
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    reach = DEVIATIONS * math.sqrt(0.6 * 0.4 / 100)
    assert score_from_elo(estimate.low) == pytest.approx(0.6 - reach)
    assert score_from_elo(estimate.high) == pytest.approx(0.6 + reach)
    assert estimate.low < estimate.value < estimate.high
    # For small errors the slope of the curve is enough.
    many = elo_difference(Tally(60_000_000, 0, 40_000_000))
    assert many is not None
    slope = ELO_SCALE / (0.6 * 0.4)
    assert many.error == pytest.approx(slope * reach / 1000, rel=1e-4)


@pytest.mark.parametrize("counts", [Tally(60, 20, 40), Pentanomial((3, 10, 22, 14, 5))])
def test_sides_are_treated_alike(counts: Counts) -> None:
    for measure in (elo_difference, normalized_elo):
        ours, theirs = measure(counts), measure(counts.flipped())
        assert ours is not None
        assert theirs is not None
        assert theirs.value == pytest.approx(-ours.value)
        assert theirs.error == pytest.approx(ours.error)
    one, other = likelihood_of_superiority(counts), likelihood_of_superiority(counts.flipped())
    assert one is not None
    assert other is not None
    assert one + other == pytest.approx(1)


@pytest.mark.parametrize("counts", [Tally(), Pentanomial()])
def test_no_games(counts: Counts) -> None:
    assert elo_difference(counts) is None
    assert normalized_elo(counts) is None
    assert likelihood_of_superiority(counts) is None
    assert draw_rate(Tally()) is None
    assert even_rate(Pentanomial()) is None
    assert pairs_ratio(Pentanomial()) is None


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        (Tally(wins=5), math.inf),
        (Tally(losses=5), -math.inf),
        (Tally(draws=5), 0),
        (Pentanomial((0, 0, 0, 0, 5)), math.inf),
        (Pentanomial((0, 0, 5, 0, 0)), 0),
    ],
)
def test_all_alike_has_no_error(counts: Counts, value: float) -> None:
    for measure in (elo_difference, normalized_elo):
        estimate = measure(counts)
        assert estimate is not None
        assert (estimate.value, estimate.low, estimate.high) == (value, None, None)
        assert estimate.error is None


def test_an_interval_may_reach_infinity() -> None:
    estimate = elo_difference(Tally(wins=9, losses=1))
    assert estimate is not None
    assert estimate.low is not None
    assert math.isfinite(estimate.low)
    assert estimate.high == math.inf
    assert estimate.error == math.inf


def test_superiority_when_all_is_alike() -> None:
    assert likelihood_of_superiority(Tally(draws=9)) == 0.5
    single = likelihood_of_superiority(Pentanomial((0, 0, 0, 0, 1)))
    several = likelihood_of_superiority(Pentanomial((0, 0, 0, 0, 9)))
    assert single == pytest.approx(0.8413, abs=1e-4)
    assert several == pytest.approx(0.99865, abs=1e-5)


def test_rates() -> None:
    assert draw_rate(Tally(2, 3, 5)) == 0.3
    assert even_rate(Pentanomial((1, 2, 4, 2, 1))) == 0.4
    # Pairs ratios as Fishtest printed them for these counts.
    assert pairs_ratio(Pentanomial((18, 1850, 25507, 2580, 45))) == pytest.approx(1.41, abs=0.006)
    assert pairs_ratio(Pentanomial((30, 5872, 17820, 6261, 17))) == pytest.approx(1.06, abs=0.006)
    assert pairs_ratio(Pentanomial((0, 0, 3, 1, 0))) == math.inf
    assert pairs_ratio(Pentanomial((0, 0, 3, 0, 0))) is None
