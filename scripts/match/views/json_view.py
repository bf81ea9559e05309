"""A match as JSON lines, for programs."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.statistics.standings import Standings
from kibitz.scripts.match.views.json_lines import (
    AnyLine,
    EngineFailedLine,
    GameBeganLine,
    GameEndedLine,
    MatchBeganLine,
    MatchEndedLine,
    ReportLine,
    ReportNumbers,
    StandingsLine,
    encode_line,
    report_numbers,
)
from kibitz.scripts.match.views.view import LineWriter, View, Watched


def utc_now() -> datetime:
    """Give the time on the clock, in UTC."""
    return datetime.now(UTC)


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


def _report_of(standings: Standings) -> ReportNumbers | None:
    """Give the report of a match of two, or of the two that are tested."""
    has_one = len(standings.players) == 2 or standings.sprt is not None
    return report_numbers(standings.report()) if has_one else None
