import math
import random

import msgspec
import pytest

from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.elo import NORMALIZED_SCALE, Counts, score_from_elo
from kibitz.scripts.match.statistics.sprt import Decision, Model, Sprt, log_likelihood_ratio
from tests.scripts.match.statistics.brute_force import best_with_mean, best_with_ratio

LOGISTIC, NORMALIZED = Model.LOGISTIC, Model.NORMALIZED


# From the tests of fastchess (app/tests/sprt_test.cpp), as printed there.
@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "llr"),
    [
        (Tally(36433, 68692, 36027), 0, 2, NORMALIZED, 0.92),
        (Tally(10871, 20431, 10650), -1.75, 0.25, NORMALIZED, 2.30),
        (Tally(21404, 40708, 21184), 0.5, 2.5, LOGISTIC, -1.57),
        (Tally(57433, 106593, 57030), 0, 2, LOGISTIC, -2.59),
        (Pentanomial((365, 16618, 36229, 16974, 390)), 0, 2, NORMALIZED, 2.25),
        (Pentanomial((127, 4883, 10712, 5150, 104)), -1.75, 0.25, NORMALIZED, 3.01),
        (Pentanomial((223, 9863, 21279, 10037, 246)), 0.5, 2.5, LOGISTIC, -3.07),
        (Pentanomial((871, 26175, 55983, 26678, 821)), 0, 2, LOGISTIC, -4.98),
        # Matches that are far from close: fastchess pull request 882 and a user's match.
        (Pentanomial((77, 1, 0, 0, 0)), -1000, -500, NORMALIZED, -2.95),
        (Pentanomial((72, 10, 0, 0, 0)), -1000, -500, NORMALIZED, -2.97),
        (Pentanomial((0, 0, 2, 0, 37)), 0, 20, NORMALIZED, 2.96),
        # Tests of Stockfish on Fishtest (release notes of February 2024).
        (Pentanomial((2, 2413, 7977, 2676, 0)), 0, 2, NORMALIZED, 2.94),
        (Pentanomial((4, 4944, 16265, 5264, 7)), 0.5, 2.5, NORMALIZED, 2.95),
        # Issue 543 of cutechess.
        (Tally(880, 1863, 759), 0, 5, LOGISTIC, 2.95),
    ],
)
def test_published_ratios(
    counts: Counts, elo0: float, elo1: float, model: Model, llr: float
) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1, model) == pytest.approx(llr, abs=0.0051)


def test_published_ratio_with_all_digits() -> None:
    # Fishtest issue 1737 shows what Fishtest computes: LLR 2.9420974720708513.
    counts = Pentanomial((93, 18711, 58877, 18739, 100))
    assert log_likelihood_ratio(counts, -1.75, 0.25, NORMALIZED) == pytest.approx(
        2.9420974720708513, rel=1e-10
    )


def test_a_match_that_another_program_could_not_decide() -> None:
    # fastchess issue 879: its iteration did not converge here and gave no number.
    counts = Pentanomial((144, 3, 1, 0, 0))
    assert log_likelihood_ratio(counts, -1500, -500, NORMALIZED) < -2.95


@pytest.mark.parametrize("counts", [(3, 10, 22, 14, 5), (20, 15, 12, 4, 2), (4, 2, 31, 9, 3)])
def test_logistic_against_brute_force(counts: tuple[int, int, int, int, int]) -> None:
    pairs = Pentanomial(counts)
    weights = pairs.sample().regularized().weights
    expected = best_with_mean(weights, score_from_elo(30)) - best_with_mean(
        weights, score_from_elo(-10)
    )
    assert log_likelihood_ratio(pairs, -10, 30, LOGISTIC) == pytest.approx(expected, abs=1e-5)


def test_normalized_against_brute_force() -> None:
    pairs = Pentanomial((3, 10, 22, 14, 5))
    expected = math.fsum(
        sign * best_with_ratio(pairs.counts, elo / NORMALIZED_SCALE * math.sqrt(2), 0.17, 0.4)
        for sign, elo in ((1, 60), (-1, -20))
    )
    assert log_likelihood_ratio(pairs, -20, 60, NORMALIZED) == pytest.approx(expected, abs=1e-5)


def test_close_matches_have_the_ratio_of_normal_distributions() -> None:
    # For many games and small differences the score is normal with a known variance.
    counts = Pentanomial((30, 5872, 17820, 6261, 17))
    moments = counts.sample().moments()
    assert moments is not None
    s0, s1 = score_from_elo(0), score_from_elo(3)
    normal = (s1 - s0) * (2 * moments.mean - s0 - s1) / (2 * moments.standard_error**2)
    assert log_likelihood_ratio(counts, 0, 3, LOGISTIC) == pytest.approx(normal, rel=0.01)


@pytest.mark.parametrize("model", [LOGISTIC, NORMALIZED])
@pytest.mark.parametrize("counts", [Tally(9, 20, 4), Pentanomial((0, 4, 9, 6, 3))])
def test_the_ratio_is_symmetric(model: Model, counts: Counts) -> None:
    forward = log_likelihood_ratio(counts, -5, 25, model)
    assert log_likelihood_ratio(counts, 25, -5, model) == pytest.approx(-forward)
    assert log_likelihood_ratio(counts.flipped(), 5, -25, model) == pytest.approx(forward)


@pytest.mark.parametrize("model", [LOGISTIC, NORMALIZED])
def test_what_may_be_all_of_a_match(model: Model) -> None:
    assert log_likelihood_ratio(Pentanomial(), 0, 5, model) == 0
    assert log_likelihood_ratio(Tally(), 0, 5, model) == 0
    for cell in range(5):
        for pairs in (1, 2, 500):
            counts = [0, 0, 0, 0, 0]
            counts[cell] = pairs
            lost, behind, even, ahead, won = counts
            llr = log_likelihood_ratio(Pentanomial((lost, behind, even, ahead, won)), 0, 5, model)
            assert math.isfinite(llr)
            assert (llr > 0) == (cell > 2)
    # With H0 in the middle, draws alone never speak for H1.
    assert log_likelihood_ratio(Tally(draws=100), 0, 5, model) < 0


def test_bounds_are_walds() -> None:
    sprt = Sprt(elo0=0, elo1=5)
    assert sprt.model is NORMALIZED
    assert (sprt.lower, sprt.upper) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    # As OpenBench prints the bounds of alpha 0.05 and beta 0.10.
    sprt = Sprt(elo0=0, elo1=5, alpha=0.05, beta=0.10)
    assert (sprt.lower, sprt.upper) == pytest.approx((-2.25, 2.89), abs=0.005)


def test_decisions() -> None:
    sprt = Sprt(elo0=0, elo1=20)
    assert sprt.state(Pentanomial()).decision is Decision.CONTINUE
    won = sprt.state(Pentanomial((0, 0, 2, 0, 37)))
    assert won.decision is Decision.H1
    assert won.progress == pytest.approx(1.006, abs=0.001)
    lost = sprt.state(Pentanomial((37, 0, 2, 0, 0)))
    assert lost.decision is Decision.H0
    assert lost.progress < -1
    open_still = sprt.state(Pentanomial((3, 10, 22, 14, 5)))
    assert open_still.decision is Decision.CONTINUE
    assert 0 < open_still.progress < 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"elo0": 5.0}, "elo0=5.0 is not below elo1=5"),
        ({"elo0": 6.0}, "elo0=6.0 is not below elo1=5"),
        ({"elo0": math.nan}, "elo0=nan"),
        ({"elo0": -math.inf}, "elo0=-inf"),
        ({"elo1": 2001.0}, "elo1=2001.0"),
        ({"alpha": 0.0}, "alpha=0.0"),
        ({"beta": 0.5}, "beta=0.5"),
        ({"beta": math.nan}, "beta=nan"),
    ],
)
def test_tests_that_cannot_be(wrong: dict[str, float], said: str) -> None:
    fields = {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05} | wrong
    with pytest.raises(ValueError, match=said):
        msgspec.convert(fields, Sprt)
    with pytest.raises(ValueError, match=said):
        Sprt(elo0=fields["elo0"], elo1=fields["elo1"], alpha=fields["alpha"], beta=fields["beta"])


def _tilted(chances: tuple[float, ...], model: Model, elo: float) -> list[float]:
    """Shift chances until their Elo difference, in the sense of the model, is `elo`."""
    low, high = -20.0, 20.0
    while True:
        slope = (low + high) / 2
        raw = [p * math.exp(slope * half / 4) for half, p in enumerate(chances)]
        tilted = [p / sum(raw) for p in raw]
        mean = sum(p * half / 4 for half, p in enumerate(tilted))
        deviation = math.sqrt(2 * sum(p * (half / 4 - mean) ** 2 for half, p in enumerate(tilted)))
        goal = score_from_elo(elo)
        if model is NORMALIZED:
            goal = 0.5 + elo / NORMALIZED_SCALE * deviation
        if high - low < 1e-12:
            return tilted
        low, high = (low, slope) if mean > goal else (slope, high)


# Matches that are played for each error rate.
MATCHES = 250


@pytest.mark.parametrize("model", [LOGISTIC, NORMALIZED])
@pytest.mark.parametrize("truth", [Decision.H0, Decision.H1])
def test_error_rates(model: Model, truth: Decision) -> None:
    """Errors are no more frequent than asked for, and not much rarer."""
    sprt = Sprt(elo0=0, elo1=70, alpha=0.1, beta=0.1, model=model)
    elo = sprt.elo0 if truth is Decision.H0 else sprt.elo1
    chances = _tilted((0.1, 0.2, 0.35, 0.2, 0.15), model, elo)
    source = random.Random(f"{model} {truth}")
    wrong = 0
    for _ in range(MATCHES):
        counts = [0, 0, 0, 0, 0]
        decision = Decision.CONTINUE
        while decision is Decision.CONTINUE:
            # A look after every second pair only: quicker, and nearly the same test.
            for result in source.choices(range(5), chances, k=2):
                counts[result] += 1
            lost, behind, even, ahead, won = counts
            decision = sprt.state(Pentanomial((lost, behind, even, ahead, won))).decision
        wrong += decision is not truth
    # The standard deviation of the share is 0.019.
    assert 0.03 < wrong / MATCHES < 0.14
