import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.scripts.match.planning.pairings import Schedule, ScheduledPair, without_finished
from kibitz.scripts.match.planning.schedule import Kind, ScheduleSettings, make_schedule
from kibitz.scripts.match.planning.swiss import Standing, Swiss
from kibitz.scripts.match.records.records import Result
from tests.scripts.match.planning.test_schedule import check_numbers, check_rounds, games_of

NAMES = tuple("ABCDEFGHIJKL")
RESULTS = (Result.WHITE_WINS, Result.BLACK_WINS, Result.DRAW, Result.NONE)


def make(count: int, rounds: int, games: int = 2, seed: int = 0) -> Swiss:
    schedule = make_schedule(
        ScheduleSettings(
            players=NAMES[:count], kind=Kind.SWISS, rounds=rounds, games=games, seed=seed
        )
    )
    assert isinstance(schedule, Swiss)
    return schedule


def play(schedule: Schedule, seed: int) -> Iterator[tuple[list[ScheduledPair], dict[int, Result]]]:
    """Play all rounds at random; give the pairs of each, and all results after it."""
    chance = random.Random(seed)
    results: dict[int, Result] = {}
    while pairs := schedule.to_play(results):
        for game in games_of(pairs):
            results[game.number] = chance.choice(RESULTS)
        yield pairs, results


def fewest_meetings(players: list[str], met: Counter[frozenset[str]]) -> int:
    """Give the fewest earlier meetings of any pair of a whole pairing, by trying all."""
    if not players:
        return 0
    one, *others = players
    return min(
        max(
            met[frozenset((one, other))],
            fewest_meetings([player for player in others if player != other], met),
        )
        for other in others
    )


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize("seed", range(6))
def test_nobody_meets_an_opponent_again_while_that_can_be_avoided(count: int, seed: int) -> None:
    schedule = make(count, 12, games=1, seed=seed)
    met: Counter[frozenset[str]] = Counter()
    repeated = 0
    for pairs, _ in play(schedule, seed):
        players = list(NAMES[:count])
        groups = [players]
        if count % 2:
            groups = [[other for other in players if other != player] for player in players]
        pairing = [frozenset((pair.first, pair.second)) for pair in pairs]
        fewest = min(fewest_meetings(group, met) for group in groups)
        assert max(met[two] for two in pairing) == fewest
        repeated += fewest
        met.update(pairing)
    assert repeated


@given(st.integers(2, 12), st.integers(1, 8), st.sampled_from([1, 2, 4]), st.integers(0, 99))
def test_rounds_are_whole(count: int, rounds: int, games: int, seed: int) -> None:
    schedule = make(count, rounds, games, seed)
    all_pairs: list[ScheduledPair] = []
    results: dict[int, Result] = {}
    for pairs, results in play(schedule, seed):  # noqa: B007 - the last ones
        assert {pair.round for pair in pairs} == {len(all_pairs) // len(pairs) + 1}
        in_round = {pair.first for pair in pairs} | {pair.second for pair in pairs}
        assert len(in_round) == count - count % 2
        all_pairs += pairs
    check_numbers(schedule, all_pairs)
    check_rounds(all_pairs)
    assert all_pairs[-1].round == rounds
    assert len(results) == schedule.game_count
    byes = schedule.byes(results)
    assert len(byes) == rounds
    if count % 2:
        counts = Counter(byes)
        assert None not in counts
        # Until everybody has had one, nobody gets a second, unless opponents would meet again.
        if rounds <= count // 2:
            assert max(counts.values()) == 1
    else:
        assert set(byes) == {None}


@given(st.integers(2, 9), st.integers(1, 6), st.sampled_from([1, 2]), st.integers(0, 99))
def test_standings_count_everything(count: int, rounds: int, games: int, seed: int) -> None:
    schedule = make(count, rounds, games, seed)
    scores: Counter[str] = Counter()
    whites: Counter[str] = Counter()
    for pairs, results in play(schedule, seed):
        for game in games_of(pairs):
            white, black = results[game.number].scores
            scores[game.white] += white  # type: ignore[assignment]
            scores[game.black] += black  # type: ignore[assignment]
            whites[game.white] += 1
            whites[game.black] -= 1
        bye = schedule.byes(results)[pairs[0].round - 1]
        if bye is not None:
            scores[bye] += games
        standings = schedule.standings(results)
        assert [one.score for one in standings] == sorted(
            (scores[name] for name in NAMES[:count]), reverse=True
        )
        for one in standings:
            assert (one.score, one.whites) == (scores[one.player], whites[one.player])
            assert len(one.opponents) + one.byes == pairs[0].round
            # Single games: nobody waits long for the other side.
            assert abs(one.whites) <= (2 if games == 1 else 0)


@given(st.integers(2, 8), st.sampled_from([1, 2]), st.integers(0, 99))
def test_resumed_after_any_games(count: int, games: int, seed: int) -> None:
    schedule = make(count, 4, games, seed)
    chance = random.Random(seed)
    before: dict[int, Result] = {}
    for pairs, results in play(schedule, seed):
        played = [game.number for game in games_of(pairs)]
        some = {number for number in played if chance.random() < 0.5}
        partly = before | {number: results[number] for number in some}
        # Another object, as after a crash, with the results in another order.
        partly = dict(sorted(partly.items(), reverse=True))
        again = make(count, 4, games, seed)
        if len(some) < len(played):
            assert again.to_play(partly) == without_finished(pairs, some)
            assert again.standings(partly) == schedule.standings(before)
        before = dict(results)
    assert make(count, 4, games, seed).to_play(before) == []


def test_equal_scores_meet_and_the_upper_half_meets_the_lower() -> None:
    schedule = make(8, 3, games=1)
    first = schedule.to_play({})
    ranked = [one.player for one in schedule.standings({})]
    assert [{pair.first, pair.second} for pair in first] == [
        {ranked[place], ranked[place + 4]} for place in range(4)
    ]
    # The better ranked has White at every other table.
    assert [pair.first == ranked[place] for place, pair in enumerate(first)] == [
        True,
        False,
        True,
        False,
    ]
    results = {}
    for pair in first:
        (game,) = pair.games
        white_is_better = game.white in ranked[:4]
        results[game.number] = Result.WHITE_WINS if white_is_better else Result.BLACK_WINS
    second = schedule.to_play(results)
    for pair in second:
        assert (pair.first in ranked[:4]) == (pair.second in ranked[:4])
        # Everybody gets the other side.
        assert pair.first in {earlier.second for earlier in first}


def test_the_seed_draws_the_lots() -> None:
    orders = {
        tuple(one.player for one in make(8, 1, seed=seed).standings({})) for seed in range(20)
    }
    assert len(orders) > 15


def test_standings_can_come_in_any_order() -> None:
    schedule = make(6, 3, games=1)
    standings = [
        Standing("A", 1.0, ("B",), 1),
        Standing("B", 0.0, ("A",), -1),
        Standing("C", 1.0, ("D",), -1),
        Standing("D", 0.0, ("C",), 1),
        Standing("E", 0.5, ("F",), 1),
        Standing("F", 0.5, ("E",), -1),
    ]
    rounds = [schedule.next_round(2, order) for order in (standings, standings[::-1])]
    assert rounds[0] == rounds[1]
    # E and F have met; everybody gets the other side.
    sides = {(pair.first, pair.second) for pair in rounds[0].pairs}
    assert sides == {("C", "A"), ("F", "D"), ("B", "E")}
    assert [pair.number for pair in rounds[0].pairs] == [4, 5, 6]


def test_a_second_bye_is_the_last_resort() -> None:
    schedule = make(5, 5)
    standings = [Standing(name, 2.0) for name in "ABCD"] + [Standing("E", 0.0, byes=1)]
    assert schedule.next_round(2, standings).bye not in ("E", None)
    # A has met everybody: unless A rests once more, somebody is met again.
    standings = [
        Standing("A", 2.0, tuple("BCDE"), byes=1),
        *(Standing(name, 2.0, tuple("A")) for name in "BCDE"),
    ]
    assert schedule.next_round(3, standings).bye == "A"


def test_when_some_must_meet_again_the_others_do_not() -> None:
    schedule = make(6, 6)
    # Only within these two groups somebody has not met yet, and each has an odd number.
    groups = ("ACE", "BDF")
    for scores in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        standings = [
            Standing(name, score + place / 10, tuple(groups[1 - number]))
            for number, score in enumerate(scores)
            for place, name in enumerate(groups[number])
        ]
        pairs = schedule.next_round(4, standings).pairs
        again = [pair for pair in pairs if (pair.first in "ACE") != (pair.second in "ACE")]
        assert len(again) == 1
