from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.scripts.match.records.records import FORFEITS, GameRecord, Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import (
    EngineSettings,
    MatchSettings,
    PairsBy,
    SprtSettings,
)
from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.crosstable import Encounter
from kibitz.scripts.match.statistics.ratings import rate
from kibitz.scripts.match.statistics.report import make_report
from kibitz.scripts.match.statistics.sprt import Decision, Model, Sprt
from kibitz.scripts.match.statistics.standings import FAULTS, Standings
from tests.scripts.match.whole_matches import WholeMatch, game, pair, whole_matches

SPRT = Sprt(elo0=0, elo1=30)
HALVES = {Result.WHITE_WINS: 2, Result.DRAW: 1, Result.BLACK_WINS: 0}
pairs_by = st.sampled_from(PairsBy)


def standings_of(match: WholeMatch, decide: PairsBy = PairsBy.RESULTS) -> Standings:
    standings = Standings(match.players, legs=match.legs, sprt=SPRT, decide=decide)
    standings.add_all(match.records)
    return standings


def games_of(match: WholeMatch, name: str, enemy: str | None = None) -> list[GameRecord]:
    """Give the games of a player, or those against one other."""
    return [
        record
        for record in match.records
        if name in (record.white.name, record.black.name)
        and enemy in (None, record.white.name, record.black.name)
    ]


def halves(record: GameRecord, name: str) -> int:
    score = HALVES[record.result]
    return score if record.white.name == name else 2 - score


def lead(record: GameRecord, name: str) -> Fraction:
    assert record.points is not None
    white, black = map(Fraction, record.points)
    return white - black if record.white.name == name else black - white


def tally_of(records: list[GameRecord], name: str) -> Tally:
    found = Counter(halves(record, name) for record in records if record.result in HALVES)
    return Tally(found[2], found[1], found[0])


def pair_results(
    match: WholeMatch, decide: PairsBy, name: str, enemy: str | None = None
) -> Counter[int]:
    """Count results of pairs, 0 to 4, by looking at all games for each pair."""
    found: Counter[int] = Counter()
    games = games_of(match, name, enemy)
    for number in {record.pair for record in games}:
        both = [record for record in games if record.pair == number]
        if len(both) < 2 or any(record.result is Result.NONE for record in both):
            continue
        result = sum(halves(record, name) for record in both)
        if decide is PairsBy.POINTS:
            ahead = Fraction(result - 2)
            if all(r.points is not None and r.outcome not in FORFEITS for r in both):
                ahead = sum((lead(record, name) for record in both), Fraction())
            result = 2 if not ahead else 4 if ahead > 0 else 0
        found[result] += 1
    return found


def five(found: Counter[int]) -> Pentanomial:
    return Pentanomial((found[0], found[1], found[2], found[3], found[4]))


@settings(max_examples=40)
@given(whole_matches(), pairs_by)
def test_order_does_not_matter(match: WholeMatch, decide: PairsBy) -> None:
    if match.legs == 1:
        decide = PairsBy.RESULTS
    one, other = (
        standings_of(match, decide),
        Standings(match.players, legs=match.legs, sprt=SPRT, decide=decide),
    )
    for record in [*reversed(match.records), *match.records]:
        other.add(record)
        other.rows()
        other.report()
    assert one.rows() == other.rows()
    assert one.meetings() == other.meetings()
    assert one.report() == other.report()
    assert one.games == other.games == len(match.records)


@settings(max_examples=40)
@given(whole_matches(), pairs_by)
def test_rows_are_what_games_come_to(match: WholeMatch, decide: PairsBy) -> None:
    if match.legs == 1:
        decide = PairsBy.RESULTS
    rows = standings_of(match, decide).rows()
    assert sorted(row.name for row in rows) == sorted(match.players)
    for row in rows:
        games = games_of(match, row.name)
        assert row.tally == tally_of(games, row.name)
        assert row.without_result == sum(record.result is Result.NONE for record in games)
        if decide is PairsBy.RESULTS:
            assert row.counted == row.tally
        else:
            results = pair_results(match, decide, row.name)
            assert row.counted == Tally(results[4], results[2], results[0])
        assert row.share == (row.counted.score / row.counted.games if row.counted.games else None)
        assert row.points == point_sums(games, row.name)
        assert row.faults == faults(games, row.name)
        assert (row.rating is None) == (row.group == 0) == (row.counted.games == 0)


def point_sums(games: list[GameRecord], name: str) -> tuple[float, float] | None:
    found = [
        (record.points if record.white.name == name else record.points[::-1])
        for record in games
        if record.points is not None and record.result is not Result.NONE
    ]
    if not found:
        return None
    own, other = (float(sum(map(Fraction, side))) for side in zip(*found, strict=True))
    return own, other


def faults(games: list[GameRecord], name: str) -> dict[Outcome, int]:
    found = dict.fromkeys(FAULTS, 0)
    for record in games:
        side = Side.WHITE if record.white.name == name else Side.BLACK
        found[Outcome.ILLEGAL_PV] += record.player(side).illegal_pvs
        is_guilty = record.guilty is side
        if record.outcome is Outcome.DISAGREEMENT:
            is_guilty = record.guilty is not side.other
        if record.outcome in found and is_guilty:
            found[record.outcome] += 1
    return found


@settings(max_examples=40)
@given(whole_matches(), pairs_by)
def test_ranks_go_down_with_what_they_are_made_of(match: WholeMatch, decide: PairsBy) -> None:
    if match.legs == 1:
        decide = PairsBy.RESULTS
    rows = standings_of(match, decide).rows()
    shares = [-1.0 if row.share is None else row.share for row in rows]
    assert shares == sorted(shares, reverse=True)
    for place, row in enumerate(rows):
        assert row.rank == 1 + sum(better.rank < row.rank for better in rows)
        if place and rows[place - 1].rank == row.rank:
            assert shares[place - 1] == shares[place]
            order = [match.players.index(rows[at].name) for at in (place - 1, place)]
            assert order == sorted(order)


@settings(max_examples=40)
@given(whole_matches(), pairs_by)
def test_meetings_and_the_report_are_what_games_come_to(match: WholeMatch, decide: PairsBy) -> None:
    if match.legs == 1:
        decide = PairsBy.RESULTS
    standings = standings_of(match, decide)
    meetings = standings.meetings()
    met = {frozenset((record.white.name, record.black.name)) for record in match.records}
    assert len(meetings) == len(met)
    for meeting in meetings:
        first, second = meeting.first, meeting.second
        assert match.players.index(first) < match.players.index(second)
        games = games_of(match, first, second)
        assert meeting.tally == tally_of(games, first)
        assert meeting.points == point_sums(games, first)
        pairs = five(pair_results(match, decide, first, second))
        assert meeting.pairs == (pairs if match.legs == 2 else None)
    first, second = match.players[:2]
    tally = tally_of(games_of(match, first, second), first)
    pairs = five(pair_results(match, decide, first, second))
    plain = make_report(tally, pairs if match.legs == 2 else None, sprt=SPRT)
    report = standings.report()
    assert (report.tally, report.pairs, report.elo) == (plain.tally, plain.pairs, plain.elo)
    assert standings.sprt_state() == report.state == plain.state


@settings(max_examples=40)
@given(whole_matches())
def test_ratings_are_those_of_all_encounters(match: WholeMatch) -> None:
    standings = standings_of(match)
    groups = rate(
        [Encounter(one.first, one.second, one.tally) for one in standings.meetings()],
        players=match.players,
    )
    expected = {
        rating.player: (rating.rating, rating.error)
        for group in groups
        for rating in group.ratings
        if rating.error is not None
    }
    rows = standings.rows()
    assert {row.name: (row.rating, row.error) for row in rows if row.group} == expected
    for group in groups:
        numbers = {row.group for row in rows if row.name in {r.player for r in group.ratings}}
        assert len(numbers) == 1


@settings(max_examples=40)
@given(whole_matches())
def test_each_pair_is_finished_once(match: WholeMatch) -> None:
    standings = Standings(match.players, legs=match.legs)
    finished = Counter[int]()
    for record in match.records * 2:
        finished[record.pair] += standings.add(record)
    played = Counter(record.pair for record in match.records)
    assert finished == {number: games == match.legs for number, games in played.items()}
    for number, games in played.items():
        known = standings.pair_result(number) is not None
        all_have = all(r.result is not Result.NONE for r in match.records if r.pair == number)
        assert known == (games == match.legs and all_have)


def test_unpaired_games() -> None:
    standings = Standings(["a", "b"], legs=1, sprt=SPRT)
    assert standings.add(game(1, "b", "a", Result.WHITE_WINS, pair=1, leg=1))
    assert standings.add(game(2, "a", "b", Result.DRAW, pair=2, leg=1))
    assert [standings.pair_result(number) for number in (1, 2, 3)] == [0, 1, None]
    assert standings.report().pairs is None
    assert standings.sprt_state() == SPRT.state(Tally(0, 1, 1))


def test_a_pair_can_be_decided_by_points() -> None:
    standings = Standings(["a", "b"], decide=PairsBy.POINTS)
    # A win by one point and a loss by three; the other way round; the same for both.
    for number, (one, other) in enumerate([((4, 3), (5, 2)), ((2, 4), (0, 3)), ((4, 3), (2, 1))]):
        standings.add(game(2 * number + 1, "a", "b", result_of(one), points=one))
        standings.add(game(2 * number + 2, "b", "a", result_of(other), points=other))
    report = standings.report()
    assert report.tally == Tally(wins=3, losses=3)
    assert report.pairs == Pentanomial((1, 0, 1, 0, 1))
    assert standings.rows()[0].counted == Tally(1, 1, 1)


def result_of(points: tuple[int, int]) -> Result:
    return Result.WHITE_WINS if points[0] > points[1] else Result.BLACK_WINS


@pytest.mark.parametrize(
    ("outcome", "points", "expected"),
    [
        (Outcome.RULES, (9.0, 0.0), 4),
        (Outcome.RULES, None, 0),
        (Outcome.TIME, (9.0, 0.0), 0),
    ],
)
def test_points_of_a_forfeit_decide_nothing(
    outcome: Outcome, points: tuple[float, float] | None, expected: int
) -> None:
    """Who runs out of time with many points has not earned them."""
    standings = Standings(["a", "b"], decide=PairsBy.POINTS)
    lost = game(1, "a", "b", Result.BLACK_WINS, outcome=outcome, points=points, guilty=Side.WHITE)
    standings.add(lost)
    standings.add(game(2, "b", "a", Result.DRAW, points=(3, 3)))
    assert standings.pair_result(1) == expected


def test_the_test_of_a_match_comes_to_its_end() -> None:
    settings = MatchSettings(
        game="jarmo",
        engines=(EngineSettings(), EngineSettings()),
        sprt=SprtSettings(elo0=0, elo1=100, model=Model.LOGISTIC),
    )
    standings = Standings.of(settings, ["a", "b"])
    decisions = []
    for number in range(1, 31):
        standings.add_all(pair(number, "a", "b", "WD" if number % 3 else "WL"))
        state = standings.sprt_state()
        assert state is not None
        decisions.append(state.decision)
    assert decisions[0] is Decision.CONTINUE
    assert decisions[-1] is Decision.H1
    assert Standings.of(settings, ["b", "a"]).sprt == standings.sprt
    unpaired = Standings.of(MatchSettings(game="x", engines=(), games=1), ["a", "b"])
    assert (unpaired.legs, unpaired.sprt_state()) == (1, None)


FIRST = game(1, "a", "b", Result.DRAW)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (game(2, "b", "x", Result.DRAW), "no player is named 'x'"),
        (game(2, "b", "b", Result.DRAW), "'b' plays against itself"),
        (game(2, "a", "b", Result.DRAW), "no pair with the other"),
        (game(2, "c", "a", Result.DRAW), "no pair with the other"),
        (game(3, "b", "a", Result.DRAW, pair=1, leg=1), "no pair with the other"),
        (game(3, "b", "a", Result.DRAW, pair=1, leg=3), "pair 1 has no such game"),
        (game(7, "b", "a", Result.DRAW, pair=3, leg=2), "pair 3 has no such game"),
    ],
)
def test_games_of_other_matches_are_refused(record: GameRecord, message: str) -> None:
    standings = Standings(["a", "b", "c"])
    standings.add_all([FIRST, *pair(3, "a", "b", "WW")])
    before = standings.rows(), standings.meetings(), standings.games
    with pytest.raises(ValueError, match=message):
        standings.add(record)
    assert (standings.rows(), standings.meetings(), standings.games) == before
    assert standings.add(game(2, "b", "a", Result.DRAW))


@pytest.mark.parametrize(
    ("players", "legs", "decide"),
    [
        (["a"], 2, PairsBy.RESULTS),
        (["a", "a"], 2, PairsBy.RESULTS),
        (["a", "b"], 3, PairsBy.RESULTS),
        (["a", "b"], 1, PairsBy.POINTS),
    ],
)
def test_what_cannot_be_together(players: list[str], legs: int, decide: PairsBy) -> None:
    with pytest.raises(ValueError, match=r"players|legs|decide"):
        Standings(players, legs=legs, decide=decide)
