"""The JSON lines of a match: what is in each kind, as docs/match-output.md describes it.

Lines are ASCII: all other characters, and those that a terminal obeys, are escaped as JSON
escapes them, so whatever engines say, a line is a line for every reader.
"""

import math
import re
from datetime import datetime
from typing import Any

import msgspec

from kibitz.scripts.match.records.records import GameRecord, Outcome
from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.elo import Estimate
from kibitz.scripts.match.statistics.report import Report
from kibitz.scripts.match.statistics.sprt import Sprt, SprtState
from kibitz.scripts.match.statistics.standings import Meeting, Row

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


class EstimateNumbers(msgspec.Struct, frozen=True):
    """A value with the ends of its interval of 95 %, and half the width of that."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None


class ReportNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """A `Report` as JSON can hold it: what is infinite is None, as is what is not known."""

    tally: Tally
    pairs: Pentanomial | None
    score: float | None
    elo: EstimateNumbers | None
    normalized: EstimateNumbers | None
    superiority: float | None
    draws: float | None
    even: float | None
    ratio: float | None
    sprt: Sprt | None
    state: SprtState | None
    points: tuple[float, float] | None


class StandingsLine(Line, frozen=True, kw_only=True, tag="standings"):
    """A pair, or an unpaired game, is finished. `report` is that of a match of two players."""

    finished: int
    games: int
    rows: tuple[Row, ...]
    report: ReportNumbers | None


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
    report: ReportNumbers | None


AnyLine = (
    MatchBeganLine
    | GameBeganLine
    | GameEndedLine
    | EngineFailedLine
    | StandingsLine
    | MatchEndedLine
    | ReportLine
)


def encode_line(line: AnyLine) -> str:
    """Write a line, without its end, in ASCII.

    Half of a surrogate pair, which JSON cannot hold, becomes U+FFFD.
    """
    try:
        data = msgspec.json.encode(line)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_mended(msgspec.to_builtins(line)))
    return _NOT_PLAIN.sub(_escaped, data.decode())


def report_numbers(report: Report) -> ReportNumbers:
    """Write a report without infinite numbers."""
    numbers = msgspec.structs.asdict(report)
    for name in ("elo", "normalized"):
        numbers[name] = _estimate(numbers[name])
    return ReportNumbers(**numbers | {"ratio": _finite(report.ratio)})


def _estimate(estimate: Estimate | None) -> EstimateNumbers | None:
    if estimate is None:
        return None
    numbers = (estimate.value, estimate.low, estimate.high, estimate.error)
    return EstimateNumbers(*map(_finite, numbers))


def _finite(number: float | None) -> float | None:
    return None if number is None or math.isinf(number) else number


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
