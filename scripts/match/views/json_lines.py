"""A match as JSON lines: what is in each kind of line; docs/match-output.md describes them.

Lines are ASCII: all other characters, and those that a terminal obeys, are escaped as JSON
escapes them, so whatever engines say, a line is a line for every reader.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.records import GameRecord, Outcome
from kibitz.scripts.match.report import Report
from kibitz.scripts.match.settings import MatchSettings
from kibitz.scripts.match.standings import Meeting, Row, Standings
from kibitz.scripts.match.views.view import LineWriter, View, Watched

_NOT_PLAIN = re.compile(r"[^ -~]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """What each line has: the kind of event, and when it was told, in UTC."""

    time: datetime


class MatchBeganLine(Line, frozen=True, kw_only=True, tag="match_began"):
    """The first line of a match. `finished` games of a resumed one count already."""

    name: str
    game: str
    players: tuple[str, ...]
    games: int
    finished: int


class GameBeganLine(Line, frozen=True, kw_only=True, tag="game_began"):
    """A game is being played."""

    number: int
    pair: int
    round: int
    white: str
    black: str


class GameEndedLine(Line, frozen=True, kw_only=True, tag="game_ended"):
    """A game counts."""

    record: GameRecord


class EngineFailedLine(Line, frozen=True, kw_only=True, tag="engine_failed"):
    """An engine misbehaved or, when `outcome` is null, could not be started."""

    player: str
    reason: str
    outcome: Outcome | None


class StandingsLine(Line, frozen=True, kw_only=True, tag="standings"):
    """A pair, or an unpaired game, is finished. `report` is that of a match of two players."""

    finished: int
    games: int
    rows: tuple[Row, ...]
    report: Report | None


class MatchEndedLine(Line, frozen=True, kw_only=True, tag="match_ended"):
    """The match is over or stopped."""

    reason: str
    is_complete: bool


class ReportLine(Line, frozen=True, kw_only=True, tag="report"):
    """The last line: everything that the match came to."""

    finished: int
    games: int
    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    report: Report | None


AnyLine = (
    MatchBeganLine
    | GameBeganLine
    | GameEndedLine
    | EngineFailedLine
    | StandingsLine
    | MatchEndedLine
    | ReportLine
)


def utc_now() -> datetime:
    """Give the time on the clock, in UTC."""
    return datetime.now(UTC)


def encode_line(line: AnyLine) -> str:
    """Write a line, without its end, in ASCII.

    Infinite numbers become null. Half of a surrogate pair, which JSON cannot hold, becomes
    U+FFFD.
    """
    try:
        data = msgspec.json.encode(line)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_mended(msgspec.to_builtins(line)))
    return _NOT_PLAIN.sub(_escaped, data.decode())


class JsonView(View):
    """One JSON object a line for each event, with standings after each pair."""

    def __init__(
        self, settings: MatchSettings, stream: TextIO, now: Callable[[], datetime] = utc_now
    ) -> None:
        """Write to a stream, which stays open."""
        self._watched = Watched(settings)
        self._writer = LineWriter(stream)
        self._now = now

    def __call__(self, event: Event) -> None:
        """Write the line of an event, and the lines that follow from it."""
        has_news = self._watched.take(event)
        time = self._now()
        lines = [self._line(event, time)]
        standings = self._watched.standings
        if standings is not None:
            if isinstance(event, MatchEnded):
                lines.append(self._report(standings, time))
            elif has_news or (isinstance(event, MatchBegan) and standings.games):
                lines.append(self._standings(standings, time))
        self._writer.write(*map(encode_line, lines))

    def close(self) -> None:
        """Do nothing: each line is written at once."""

    def _line(self, event: Event, time: datetime) -> AnyLine:
        match event:
            case MatchBegan():
                return MatchBeganLine(
                    time=time,
                    name=event.event,
                    game=event.game,
                    players=event.players,
                    games=event.games,
                    finished=self._watched.before,
                )
            case GameBegan():
                return GameBeganLine(time=time, **msgspec.structs.asdict(event))
            case GameEnded():
                return GameEndedLine(time=time, record=event.record)
            case EngineFailed():
                return EngineFailedLine(time=time, **msgspec.structs.asdict(event))
            case MatchEnded():
                return MatchEndedLine(time=time, **msgspec.structs.asdict(event))

    def _standings(self, standings: Standings, time: datetime) -> StandingsLine:
        return StandingsLine(
            time=time,
            finished=standings.games,
            games=self._watched.games,
            rows=standings.rows(),
            report=_report_of(standings),
        )

    def _report(self, standings: Standings, time: datetime) -> ReportLine:
        return ReportLine(
            time=time,
            finished=standings.games,
            games=self._watched.games,
            rows=standings.rows(),
            meetings=standings.meetings(),
            report=_report_of(standings),
        )


def _report_of(standings: Standings) -> Report | None:
    """Give the report of a match of two, or of the two that are tested."""
    has_one = len(standings.players) == 2 or standings.sprt is not None
    return standings.report() if has_one else None


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _mended(value: Any) -> Any:
    """Take halves of surrogate pairs out of the texts of plain data."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value
