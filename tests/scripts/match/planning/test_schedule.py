import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.scripts.match.planning.pairings import (
    Schedule,
    ScheduledGame,
    ScheduledPair,
    ScheduleError,
)
from kibitz.scripts.match.planning.schedule import Kind, ScheduleSettings, make_schedule
from kibitz.scripts.match.records.records import Result

NAMES = tuple("ABCDEFGHIJKL")
results = st.sampled_from([Result.WHITE_WINS, Result.BLACK_WINS, Result.DRAW, Result.NONE])


@st.composite
def fixed_settings(draw: st.DrawFn) -> ScheduleSettings:
    count = draw(st.integers(2, 9))
    return ScheduleSettings(
        players=NAMES[:count],
        kind=draw(st.sampled_from([Kind.ROUND_ROBIN, Kind.GAUNTLET])),
        games=draw(st.sampled_from([1, 2, 4])),
        rounds=draw(st.integers(1, 4)),
        seeds=draw(st.integers(1, count - 1)),
    )


def games_of(pairs: list[ScheduledPair]) -> list[ScheduledGame]:
    return [game for pair in pairs for game in pair.games]


def check_numbers(schedule: Schedule, pairs: list[ScheduledPair]) -> None:
    """Check that numbers count from 1 and that pairs are what they should be."""
    games = games_of(pairs)
    assert [pair.number for pair in pairs] == list(range(1, len(pairs) + 1))
    assert [game.number for game in games] == list(range(1, schedule.game_count + 1))
    assert [pair.round for pair in pairs] == sorted(pair.round for pair in pairs)
    for pair in pairs:
        sides = [(game.white, game.black) for game in pair.games]
        assert sides == [(pair.first, pair.second), (pair.second, pair.first)][: len(sides)]
        assert [game.leg for game in pair.games] == [1, 2][: len(sides)]
        assert all((game.pair, game.round) == (pair.number, pair.round) for game in pair.games)


def check_rounds(pairs: list[ScheduledPair]) -> None:
    """Check that nobody meets two opponents in a round."""
    met: dict[tuple[int, str], str] = {}
    for pair in pairs:
        assert met.setdefault((pair.round, pair.first), pair.second) == pair.second
        assert met.setdefault((pair.round, pair.second), pair.first) == pair.first


@given(fixed_settings())
def test_everybody_meets_everybody(settings: ScheduleSettings) -> None:
    schedule = make_schedule(settings)
    pairs = schedule.to_play({})
    check_numbers(schedule, pairs)
    check_rounds(pairs)
    met = Counter(frozenset((game.white, game.black)) for game in games_of(pairs))
    wanted = {frozenset(two) for two in combinations(settings.players, 2)}
    if settings.kind is Kind.GAUNTLET:
        seeds = set(settings.players[: settings.seeds])
        wanted = {two for two in wanted if len(two & seeds) == 1}
    assert set(met) == wanted
    assert set(met.values()) == {settings.games * settings.rounds}
    assert all(len(pair.games) == min(settings.games, 2) for pair in pairs)


@given(fixed_settings())
def test_sides_are_balanced(settings: ScheduleSettings) -> None:
    games = games_of(make_schedule(settings).to_play({}))
    whites = Counter(game.white for game in games)
    blacks = Counter(game.black for game in games)
    meetings = Counter((game.white, game.black) for game in games)
    for player in settings.players:
        odd = (whites[player] + blacks[player]) % 2
        assert abs(whites[player] - blacks[player]) == odd
    for one, other in combinations(settings.players, 2):
        assert abs(meetings[one, other] - meetings[other, one]) <= settings.games % 2


def test_round_robin_of_many_is_balanced_and_has_few_rounds() -> None:
    for count in range(2, 13):
        settings = ScheduleSettings(players=NAMES[:count], games=1)
        pairs = make_schedule(settings).to_play({})
        assert pairs[-1].round == count - 1 + count % 2
        check_rounds(pairs)


@given(fixed_settings(), st.integers(0, 999), results)
def test_resumed_after_any_games(settings: ScheduleSettings, seed: int, result: Result) -> None:
    chance = random.Random(seed)
    pairs = make_schedule(settings).to_play({})
    games = games_of(pairs)
    share = chance.random()
    done = {game.number for game in games if chance.random() < share}
    left = make_schedule(settings).to_play(dict.fromkeys(done, result))
    assert games_of(left) == [game for game in games if game.number not in done]
    whole = {pair.number: pair for pair in pairs}
    for pair in left:
        assert pair.games
        assert set(pair.games) <= set(whole[pair.number].games)
        assert (pair.first, pair.second) == (whole[pair.number].first, whole[pair.number].second)


def test_two_players() -> None:
    schedule = make_schedule(ScheduleSettings(players=("new", "old"), rounds=500))
    assert schedule.game_count == 1000
    pairs = schedule.to_play({})
    assert [pair.round for pair in pairs] == list(range(1, 501))
    games = games_of(pairs)
    assert games[1] == ScheduledGame(2, 1, 2, 1, white=games[0].black, black=games[0].white)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (ScheduleSettings(players=("a",)), "players: 1 are not enough"),
        (ScheduleSettings(players=("a", "b", "a")), "players: 'a' is there twice"),
        (ScheduleSettings(players=("a", "b"), games=0), "games: 0 is neither"),
        (ScheduleSettings(players=("a", "b"), games=3), "games: 3 is neither"),
        (ScheduleSettings(players=("a", "b"), rounds=0), "rounds: 0 is not"),
        (ScheduleSettings(players=("a", "b"), kind=Kind.GAUNTLET, seeds=0), "seeds: 0 is not"),
        (ScheduleSettings(players=("a", "b"), kind=Kind.GAUNTLET, seeds=2), "seeds: 2 is not"),
    ],
)
def test_settings_without_sense_are_named(settings: ScheduleSettings, said: str) -> None:
    with pytest.raises(ScheduleError, match=f"^{said}"):
        make_schedule(settings)
