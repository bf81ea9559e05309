import io

from hypothesis import given

from kibitz.scripts.match.events import EngineFailed, GameBegan, GameEnded, MatchBegan, MatchEnded
from kibitz.scripts.match.records.records import Result
from kibitz.scripts.match.statistics.standings import Standings
from kibitz.scripts.match.views.plain import PlainView
from kibitz.scripts.match.views.standings_text import final_lines
from tests.scripts.match.views.event_streams import Match, example, hostile, matches
from tests.scripts.match.whole_matches import game, pair


def shown(match: Match) -> list[str]:
    stream = io.StringIO()
    with PlainView(match.settings, stream) as view:
        for event in match.events:
            view(event)
    assert not stream.closed
    text = stream.getvalue()
    assert text.endswith("\n")
    return text.split("\n")[:-1]


def test_an_example() -> None:
    lines = shown(example())
    assert lines[:7] == [
        "Started match: 20 ms against 60 ms (jarmo)",
        "Started game 1 of 4 (slow vs fast)",
        "Started game 2 of 4 (fast vs slow)",
        "Warning: fast: time: used 95 ms of 20 ms",
        "Finished game 2 (fast vs slow): 0-1 {White used 95 ms of 20 ms}",
        "Finished game 1 (slow vs fast): 1-0 {no stones left}",
        "Score of slow vs fast: 2 - 0 - 0 [1.000] 2",
    ]
    assert lines[-2:] == [
        "Faults of fast: illegal pvs 1, time losses 1",
        "Stopped match: stopped by the user",
    ]


@given(matches())
def test_any_match(match: Match) -> None:
    lines = shown(match)
    assert all(line.isprintable() for line in lines)
    kinds = {
        "Started game ": GameBegan,
        "Finished game ": GameEnded,
        "Warning: ": EngineFailed,
        "Started match: ": MatchBegan,
        "Finished match: ": MatchEnded,
        "Stopped match: ": MatchEnded,
    }
    told = [kind for line in lines for start, kind in kinds.items() if line.startswith(start)]
    assert told == [type(event) for event in match.events]
    if isinstance(match.events[-1], MatchEnded):
        assert lines[-1 - len(final(match)) : -1] == final(match)


def final(match: Match) -> list[str]:
    for event in match.events:
        if isinstance(event, MatchBegan):
            standings = Standings.of(match.settings, event.players)
            standings.add_all(event.records)
        elif isinstance(event, GameEnded):
            standings.add(event.record)
    return final_lines(standings)


def test_standings_come_after_every_so_many_games() -> None:
    settings = example().settings
    records = [record for number in range(1, 5) for record in pair(number, "slow", "fast", "WD")]
    start = MatchBegan(
        event="e", game="g", players=("slow", "fast"), games=8, records=(records[0],)
    )
    lines = shown(Match(settings, [start, *(GameEnded(record=one) for one in records[1:])]))
    assert lines[1] == "Finished before: 1 of 8 games"
    places = [number for number, line in enumerate(lines) if line.startswith("Score of")]
    assert [lines[place - 1].partition(" (")[0] for place in places] == [
        f"Finished game {number}" for number in (2, 4, 6)
    ]
    assert all(lines[place + 1].startswith("Elo: ") for place in places)


def test_standings_of_a_tournament_are_a_table() -> None:
    settings = example().settings
    start = MatchBegan(event="e", game="g", players=("a", "b", "c"), games=6)
    games = [GameEnded(record=record) for record in pair(1, "b", "c", "WW")]
    lines = shown(Match(settings, [start, *games]))
    assert [line.split()[:2] for line in lines[-4:]] == [
        ["#", "name"],
        ["1", "b"],
        ["2", "c"],
        ["3", "a"],
    ]


def test_hostile_text_stays_on_its_line() -> None:
    lines = shown(hostile())
    assert all(line.isprintable() for line in lines)
    assert sum(line.startswith("Finished match:") for line in lines) == 1
    assert r"\u(1b)[2J\u(1b)]0;title\u(7)" in lines[0]
    assert max(map(len, lines)) < 1000


def test_what_the_encoding_has_not_is_escaped() -> None:
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, encoding="ascii")
    record = game(1, "slow", "fast", Result.DRAW, reason="über 将")
    with PlainView(example().settings, stream) as view:
        view(example().events[0])
        view(GameEnded(record=record))
    assert rb"{\xfcber \u5c06}" in data.getvalue()
