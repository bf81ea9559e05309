import io
import json
from datetime import datetime, timedelta
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.statistics.standings import Standings
from kibitz.scripts.match.views.json_lines import (
    AnyLine,
    EngineFailedLine,
    GameBeganLine,
    GameEndedLine,
    MatchBeganLine,
    MatchEndedLine,
    ReportLine,
    StandingsLine,
    encode_line,
    report_numbers,
)
from kibitz.scripts.match.views.json_view import JsonView
from tests.scripts.match.views.event_streams import HOSTILE, Match, example, hostile, matches
from tests.scripts.match.whole_matches import START, pair


def shown(match: Match) -> list[str]:
    stream = io.StringIO()
    moments = (START + timedelta(seconds=second) for second in range(1_000_000))
    with JsonView(match.settings, stream, now=lambda: next(moments)) as view:
        for event in match.events:
            view(event)
    assert not stream.closed
    assert stream.getvalue().endswith("\n")
    return stream.getvalue().splitlines()


def decoded(lines: list[str]) -> list[Any]:
    return [msgspec.json.decode(line, type=AnyLine) for line in lines]


def test_an_example() -> None:
    lines = decoded(shown(example()))
    assert [type(line) for line in lines] == [
        MatchBeganLine,
        GameBeganLine,
        GameBeganLine,
        EngineFailedLine,
        GameEndedLine,
        GameEndedLine,
        StandingsLine,
        GameBeganLine,
        GameEndedLine,
        MatchEndedLine,
        ReportLine,
    ]
    assert [line.time for line in lines[:3]] == [START + timedelta(seconds=n) for n in range(3)]
    standings, report = lines[6], lines[10]
    assert standings.time == lines[5].time
    assert (standings.finished, standings.games) == (2, 4)
    assert standings.report.pairs.counts == (0, 0, 0, 0, 1)
    assert (report.finished, report.rows[0].name) == (3, "slow")
    assert report.report.sprt.elo1 == 5


def number_of_kinds(match: Match, kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in match.events)


def plain(value: Any) -> Any:
    """Give a value as it comes back from JSON."""
    return json.loads(msgspec.json.encode(value))


@given(matches())
def test_any_match(match: Match) -> None:
    lines = shown(match)
    found = [json.loads(line) for line in lines]
    assert [json.loads(encode_line(line)) for line in decoded(lines)] == found
    told = {
        MatchBegan: "match_began",
        GameBegan: "game_began",
        GameEnded: "game_ended",
        EngineFailed: "engine_failed",
        MatchEnded: "match_ended",
    }
    more = ("standings", "report")
    assert [line["event"] for line in found if line["event"] not in more] == [
        told[type(event)] for event in match.events
    ]
    times = [datetime.fromisoformat(line["time"]) for line in found]
    assert times == sorted(times)
    standings = None
    place = 0
    for event in match.events:
        line = found[place]
        place += 1
        has_news = False
        match event:
            case MatchBegan():
                standings = Standings.of(match.settings, event.players)
                standings.add_all(event.records)
                has_news = bool(event.records)
                assert line["finished"] == len(event.records)
                assert line["name"] == event.event
            case GameEnded():
                assert standings is not None
                has_news = standings.add(event.record)
                assert line["record"] == plain(event.record)
            case GameBegan() | EngineFailed() | MatchEnded():
                fields = plain(event)
                del fields["type"]
                assert fields.items() <= line.items()
        if has_news:
            assert standings is not None
            assert found[place]["event"] == "standings"
            assert found[place]["rows"] == plain(standings.rows())
            assert found[place]["finished"] == standings.games
            place += 1
    if isinstance(match.events[-1], MatchEnded):
        assert standings is not None
        last = found[place]
        place += 1
        assert last["event"] == "report"
        assert last["rows"] == plain(standings.rows())
        assert last["meetings"] == plain(standings.meetings())
        is_tested = len(standings.players) == 2 or match.settings.sprt is not None
        assert last["report"] == (plain(report_numbers(standings.report())) if is_tested else None)
    assert place == len(found)


def test_infinite_numbers_are_null() -> None:
    began = MatchBegan(event="e", game="g", players=("slow", "fast"), games=4)
    games = [GameEnded(record=record) for record in pair(1, "slow", "fast", "WW")]
    *_, last = shown(Match(example().settings, [began, *games]))
    elo = json.loads(last)["report"]["elo"]
    assert elo == dict.fromkeys(("value", "low", "high", "error"))
    assert json.loads(last)["report"]["ratio"] is None
    assert decoded([last])[0].report.score == 1


def test_hostile_text_stays_in_its_line() -> None:
    match = hostile()
    text = "\n".join(shown(match))
    assert all(" " <= letter <= "~" for letter in text.replace("\n", ""))
    lines = [json.loads(line) for line in text.split("\n")]
    assert lines[0]["name"] == HOSTILE[0]
    assert lines[0]["players"] == list(HOSTILE[:3])
    assert {"\ufffd"} <= {line["reason"] for line in lines if line["event"] == "engine_failed"}


@given(st.text(st.characters()), st.text(st.characters()))
def test_lines_are_ascii_and_come_back(player: str, reason: str) -> None:
    line = EngineFailedLine(time=START, player=player, reason=reason, outcome=None)
    text = encode_line(line)
    assert text.isascii()
    assert text.isprintable()
    found = msgspec.json.decode(text, type=AnyLine)
    mended = [
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for text in (player, reason)
    ]
    assert isinstance(found, EngineFailedLine)
    assert [len(found.player), len(found.reason)] == [len(player), len(reason)]
    if mended == [player, reason]:
        assert found == line
