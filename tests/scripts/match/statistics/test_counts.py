import math
import statistics

import pytest

from kibitz.scripts.match.statistics.counts import EMPTY_CELL, Pentanomial, Points, Sample, Tally


def test_tally_counts_scores() -> None:
    tally = Tally.of([1, 0.5, 1, 0, 0.5, 1])
    assert tally == Tally(wins=3, draws=2, losses=1)
    assert tally.games == 6
    assert tally.score == 4
    assert tally.flipped() == Tally(wins=1, draws=2, losses=3)
    assert tally + Tally(wins=1) == Tally(wins=4, draws=2, losses=1)


@pytest.mark.parametrize("score", [0.25, 2, -1, math.nan])
def test_no_other_scores(score: float) -> None:
    with pytest.raises(ValueError, match="score"):
        Tally.of([1, score])
    with pytest.raises(ValueError, match="score"):
        Pentanomial.of([(1, score)])


def test_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        Tally(wins=-1)
    with pytest.raises(ValueError, match="negative"):
        Pentanomial((0, 0, -1, 0, 0))


def test_pentanomial_counts_pairs() -> None:
    pairs = [(0, 0), (0, 0.5), (0.5, 0), (0.5, 0.5), (1, 0), (0, 1), (1, 0.5), (1, 1), (1, 1)]
    counted = Pentanomial.of(pairs)
    assert counted == Pentanomial((1, 2, 3, 1, 2))
    assert counted.pairs == 9
    assert counted.games == 18
    assert counted.score == sum(map(sum, pairs))
    assert counted.flipped() == Pentanomial((2, 1, 3, 2, 1))
    assert counted + counted == Pentanomial((2, 4, 6, 2, 4))
    assert counted.tally(drawn_pairs=1) == Tally.of(score for pair in pairs for score in pair)


@pytest.mark.parametrize("drawn", [-1, 4])
def test_drawn_pairs_are_even_pairs(drawn: int) -> None:
    with pytest.raises(ValueError, match="3 even pairs"):
        Pentanomial((1, 2, 3, 1, 2)).tally(drawn)


def test_moments_of_a_sample() -> None:
    pairs = Pentanomial((3, 10, 22, 14, 5))
    scores = [half / 4 for half, count in enumerate(pairs.counts) for _ in range(count)]
    moments = pairs.sample().moments()
    assert moments is not None
    mean, deviation = statistics.fmean(scores), statistics.pstdev(scores)
    assert moments.trials == 54
    assert moments.mean == pytest.approx(mean)
    assert moments.variance == pytest.approx(deviation**2)
    assert moments.variance_per_game == pytest.approx(2 * deviation**2)
    assert moments.standard_error == pytest.approx(deviation / math.sqrt(54))
    standard = [(score - mean) / deviation for score in scores]
    assert moments.skewness == pytest.approx(statistics.fmean(z**3 for z in standard))
    assert moments.excess == pytest.approx(statistics.fmean(z**4 for z in standard) - 3)


def test_games_of_independent_pairs_have_the_variance_of_games() -> None:
    # Of 16 pairs of independent games that are won, drawn and lost 1:2:1.
    pairs = Pentanomial((1, 4, 6, 4, 1)).sample().moments()
    games = Tally(1, 2, 1).sample().moments()
    assert pairs is not None
    assert games is not None
    assert pairs.variance_per_game == games.variance_per_game == 0.125


def test_moments_where_there_is_little() -> None:
    assert Tally().sample().moments() is None
    for sample in (Tally(wins=3).sample(), Pentanomial((0, 0, 0, 7, 0)).sample()):
        moments = sample.moments()
        assert moments is not None
        assert moments.variance == 0
        assert moments.skewness is None
        assert moments.excess is None


def test_only_empty_cells_are_regularized() -> None:
    assert Tally(3, 0, 2).sample().regularized() == Sample((2, EMPTY_CELL, 3), 1)
    full = Pentanomial((1, 2, 3, 4, 5)).sample()
    assert full.regularized() == full


def test_points() -> None:
    points = Points(2, 30, 21) + Points(1, 6, 15)
    assert points == Points(3, 36, 36)
    assert points.means() == (12, 12)
    assert Points().means() is None
    assert [Points(1, own, 5).score() for own in (4, 5, 6)] == [0, 0.5, 1]
