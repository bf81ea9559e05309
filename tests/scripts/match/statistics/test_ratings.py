import itertools
import math
import random
import statistics

import pytest

from kibitz.scripts.match.statistics.counts import Tally
from kibitz.scripts.match.statistics.crosstable import Encounter
from kibitz.scripts.match.statistics.elo import (
    DEVIATIONS,
    ELO_SCALE,
    elo_difference,
    elo_from_score,
    score_from_elo,
)
from kibitz.scripts.match.statistics.matrix import inverse
from kibitz.scripts.match.statistics.ratings import Group, Rating, rate

FIELD = [
    Encounter("ash", "birch", Tally(12, 9, 4)),
    Encounter("ash", "cedar", Tally(7, 20, 3)),
    Encounter("cedar", "birch", Tally(5, 5, 6)),
    Encounter("elm", "cedar", Tally(2, 3, 9)),
    Encounter("birch", "elm", Tally(8, 1, 3)),
    Encounter("birch", "ash", Tally(1, 2, 2)),
]


def only(groups: tuple[Group, ...]) -> dict[str, Rating]:
    (group,) = groups
    return {rating.player: rating for rating in group.ratings}


def zermelo(field: list[Encounter]) -> dict[str, float]:
    """Ratings with mean 0 by Zermelo's iteration, which needs no derivatives."""
    names = sorted({name for each in field for name in (each.first, each.second)})
    strength = dict.fromkeys(names, 1.0)
    for _ in range(3000):
        scored, shared = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for each in field:
            part = each.tally.games / (strength[each.first] + strength[each.second])
            for name, tally in ((each.first, each.tally), (each.second, each.tally.flipped())):
                scored[name] += tally.score
                shared[name] += part
        strength = {name: scored[name] / shared[name] for name in names}
    ratings = {name: 400 * math.log10(strength[name]) for name in names}
    mean = statistics.fmean(ratings.values())
    return {name: rating - mean for name, rating in ratings.items()}


def log_posterior(field: list[Encounter], ratings: dict[str, float], deviation: float) -> float:
    games = sum(
        each.tally.score * math.log(score_from_elo(ratings[each.first] - ratings[each.second]))
        + each.tally.flipped().score
        * math.log(score_from_elo(ratings[each.second] - ratings[each.first]))
        for each in field
    )
    return games - sum((rating / deviation) ** 2 for rating in ratings.values()) / 2


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a small linear system by Cramer's rule with the definition of determinants."""

    def determinant(rows: list[list[float]]) -> float:
        total = 0.0
        for order in itertools.permutations(range(len(rows))):
            swaps = sum(a > b for a, b in itertools.combinations(order, 2))
            total += (-1) ** swaps * math.prod(rows[i][j] for i, j in enumerate(order))
        return total

    whole = determinant(matrix)
    return [
        determinant(
            [[*row[:k], value, *row[k + 1 :]] for row, value in zip(matrix, right, strict=True)]
        )
        / whole
        for k in range(len(matrix))
    ]


def test_ratings_against_zermelo() -> None:
    rated = only(rate(FIELD, prior_deviation=None))
    for name, rating in zermelo(FIELD).items():
        assert rated[name].rating == pytest.approx(rating, abs=1e-6)
    assert sum(each.rating for each in rated.values()) == pytest.approx(0, abs=1e-9)


def test_expected_scores_are_the_scores() -> None:
    # What defines the maximum without a prior.
    rated = only(rate(FIELD, prior_deviation=None))
    for name, each in rated.items():
        expected = 0.0
        for encounter in FIELD:
            for one, other in (
                (encounter.first, encounter.second),
                (encounter.second, encounter.first),
            ):
                if one == name:
                    lead = each.rating - rated[other].rating
                    expected += encounter.tally.games * score_from_elo(lead)
        assert each.tally.score == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("deviation", [30.0, 300.0])
def test_prior_against_small_steps(deviation: float) -> None:
    found = {
        name: each.rating for name, each in only(rate(FIELD, prior_deviation=deviation)).items()
    }
    best = log_posterior(FIELD, found, deviation)
    # The posterior is concave: no way leads up from its top.
    for name, step in itertools.product(found, (-1.0, -0.01, 0.01, 1.0)):
        assert log_posterior(FIELD, found | {name: found[name] + step}, deviation) < best
    assert sum(found.values()) == pytest.approx(0, abs=1e-9)
    wider = only(rate(FIELD, prior_deviation=None))
    assert all(abs(found[name]) < abs(wider[name].rating) for name in found)


def test_usual_prior_is_weak() -> None:
    free, weak = only(rate(FIELD, prior_deviation=None)), only(rate(FIELD))
    for name, each in free.items():
        assert weak[name].rating == pytest.approx(each.rating, abs=1.5)


def test_errors_against_numeric_derivatives() -> None:
    # The rating of the first player is held; the information of the others comes from
    # differences of the likelihood.
    rated = only(rate(FIELD, anchor="ash", prior_deviation=None))
    centre = {name: each.rating for name, each in rated.items()}
    free = [name for name in centre if name != "ash"]

    def at(one: str, other: str, by: float, also: float) -> float:
        moved = dict(centre)
        moved[one] += by
        moved[other] += also
        return log_posterior(FIELD, moved, math.inf)

    h = 1.0
    information = [
        [
            -(at(i, j, h, h) - at(i, j, h, -h) - at(i, j, -h, h) + at(i, j, -h, -h)) / (4 * h * h)
            for j in free
        ]
        for i in free
    ]
    undrawn = sum(
        each.tally.games
        * score_from_elo(centre[each.first] - centre[each.second])
        * score_from_elo(centre[each.second] - centre[each.first])
        for each in FIELD
    )
    dispersion = 1 - sum(each.tally.draws for each in FIELD) / (4 * undrawn)
    for k, name in enumerate(free):
        unit = [float(i == k) for i in range(len(free))]
        variance = dispersion * solve(information, unit)[k]
        assert rated[name].error == pytest.approx(DEVIATIONS * math.sqrt(variance), rel=1e-4)
    assert rated["ash"].error == 0


@pytest.mark.parametrize("tally", [Tally(20, 10, 5), Tally(3, 0, 30), Tally(400, 900, 380)])
def test_two_players_in_closed_form(tally: Tally) -> None:
    rated = only(rate([Encounter("a", "b", tally)], anchor="b", prior_deviation=None))
    share = tally.score / tally.games
    assert rated["a"].rating == pytest.approx(elo_from_score(share))
    # Delta method: the standard error of the score times the slope of the curve.
    deviation = math.sqrt((share * (1 - share) - tally.draws / tally.games / 4) / tally.games)
    assert rated["a"].error == pytest.approx(
        DEVIATIONS * ELO_SCALE * deviation / (share * (1 - share))
    )
    estimate = elo_difference(tally)
    assert estimate is not None
    if tally.games > 1000:
        assert rated["a"].error == pytest.approx(estimate.error, rel=1e-3)
    centred = only(rate([Encounter("a", "b", tally)], prior_deviation=None))
    assert centred["a"].rating == pytest.approx(rated["a"].rating / 2)
    assert centred["b"].rating == pytest.approx(-rated["a"].rating / 2)
    error = rated["a"].error
    assert error is not None
    assert centred["a"].error == pytest.approx(error / 2)
    assert centred["b"].error == pytest.approx(error / 2)


def test_winner_of_everything_is_finite() -> None:
    few = only(rate([Encounter("a", "b", Tally(wins=10))], anchor="b"))["a"]
    many = only(rate([Encounter("a", "b", Tally(wins=1000))], anchor="b"))["a"]
    huge = only(rate([Encounter("a", "b", Tally(wins=10**9))], anchor="b"))["a"]
    assert 400 < few.rating < many.rating < huge.rating < 10_000
    assert few.error is not None
    assert few.error > 400
    # In closed form: with both at r and -r, games * (1 - expected) = precision * r.
    r = few.rating / 2 / ELO_SCALE
    assert 10 / (1 + math.exp(2 * r)) == pytest.approx((ELO_SCALE / 1000) ** 2 * r)


@pytest.mark.parametrize(
    "field",
    [
        [Encounter("a", "b", Tally(wins=10))],
        [*FIELD, Encounter("ash", "last", Tally(wins=2)), Encounter("elm", "last", Tally(wins=1))],
        # Two halves, each well mixed, one of which won all games between them.
        [
            Encounter("a", "b", Tally(1, 0, 1)),
            Encounter("c", "d", Tally(0, 2, 0)),
            Encounter("a", "c", Tally(1, 0, 0)),
        ],
    ],
)
def test_no_maximum_without_prior(field: list[Encounter]) -> None:
    with pytest.raises(ValueError, match="without a prior"):
        rate(field, prior_deviation=None)
    assert all(math.isfinite(each.rating) for each in only(rate(field)).values())


def test_groups_are_apart() -> None:
    field = [
        Encounter("a", "b", Tally(3, 1, 1)),
        Encounter("x", "y", Tally(1, 1, 3)),
        Encounter("z", "y", Tally(2, 0, 2)),
        Encounter("a", "x", Tally()),
    ]
    groups = rate(field, players=["lone", "a"], anchor="a", anchor_rating=2000)
    assert [[each.player for each in group.ratings] for group in groups] == [
        ["y", "z", "x"],
        ["a", "b"],
        ["lone"],
    ]
    assert [group.anchor for group in groups] == [None, "a", None]
    large, small, lone = groups
    assert sum(each.rating for each in large.ratings) == pytest.approx(0, abs=1e-9)
    assert small.ratings[0].rating == pytest.approx(2000)
    assert small.ratings[0].error == 0
    assert small.ratings[1].rating < 2000
    assert lone.ratings[0] == Rating("lone", 0, None, Tally())
    assert large.ratings[0].tally == Tally(5, 1, 3)
    # A group is rated as if it were alone.
    assert large.ratings == rate(field[1:3])[0].ratings


def test_all_drawn_is_no_certainty() -> None:
    few, many = (only(rate([Encounter("a", "b", Tally(draws=games))]))["a"] for games in (10, 1000))
    assert few.rating == many.rating == 0
    assert few.error is not None
    assert many.error is not None
    assert few.error > 20
    assert 0 < many.error < 1


def test_draws_make_errors_smaller() -> None:
    decided = only(rate([Encounter("a", "b", Tally(50, 0, 50))]))["a"].error
    drawn = only(rate([Encounter("a", "b", Tally(25, 50, 25))]))["a"].error
    assert decided is not None
    assert drawn == pytest.approx(decided * math.sqrt(0.5), rel=1e-6)


def test_errors_cover() -> None:
    truth = {"a": 150.0, "b": 40.0, "c": -60.0, "d": -130.0}
    source = random.Random(5)
    inside = total = 0
    for _ in range(150):
        field = []
        for one, other in itertools.combinations(truth, 2):
            expected = score_from_elo(truth[one] - truth[other])
            draws = 0.8 * min(expected, 1 - expected)
            chances = (expected - draws / 2, draws, 1 - expected - draws / 2)
            field.append(
                Encounter(one, other, Tally.of(source.choices((1, 0.5, 0), chances, k=40)))
            )
        for name, each in only(rate(field)).items():
            assert each.error is not None
            inside += abs(each.rating - truth[name]) <= each.error
            total += 1
    assert 0.92 < inside / total < 0.98


def test_field_of_many_players_by_order_of_strength() -> None:
    names = [f"player{number:02}" for number in range(30)]
    source = random.Random(2)
    pairs = list(itertools.combinations(names, 2))
    field = [
        Encounter(one, other, Tally(wins=source.randrange(8, 12), losses=2)) for one, other in pairs
    ]
    source.shuffle(field)
    groups = rate(field)
    assert [each.player for each in groups[0].ratings] == names


def test_nobody_and_nonsense() -> None:
    assert rate([]) == ()
    with pytest.raises(ValueError, match="itself"):
        rate([Encounter("a", "a", Tally(1, 0, 0))])
    with pytest.raises(ValueError, match="'nobody'"):
        rate(FIELD, anchor="nobody")
    for deviation in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="positive"):
            rate(FIELD, prior_deviation=deviation)


def test_inverse() -> None:
    matrix = [[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]]
    inverted = inverse(matrix)
    for i in range(3):
        unit = [float(i == j) for j in range(3)]
        assert inverted[i] == pytest.approx(solve(matrix, unit))
    assert inverse([]) == []
    for singular in ([[1.0, 1.0], [1.0, 1.0]], [[-1.0]], [[math.nan]]):
        with pytest.raises(ValueError, match="positive definite"):
            inverse(singular)
