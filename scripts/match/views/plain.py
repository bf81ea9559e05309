"""A match as plain lines, in the words of testing programs: for files, pipes and logs."""

from typing import TextIO

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.views.standings_text import final_lines, match_lines, rating_lines
from kibitz.scripts.match.views.view import LineWriter, View, Watched
from kibitz.scripts.match.views.visible import visible
from kibitz.scripts.match.views.wording import (
    began_line,
    ended_line,
    failure_line,
    match_ended_line,
)


class PlainView(View):
    """Lines as things happen, standings after every so many games, and a report at the end."""

    def __init__(self, settings: MatchSettings, stream: TextIO) -> None:
        """Write to a stream, which stays open."""
        self._watched = Watched(settings)
        self._every = settings.run.report_every
        self._writer = LineWriter(stream)

    def __call__(self, event: Event) -> None:
        """Write what there is to say about an event."""
        self._watched.take(event)
        match event:
            case MatchBegan():
                self._writer.write(*self._began(event))
            case GameBegan():
                self._writer.write(began_line(event, self._watched.games))
            case GameEnded():
                self._writer.write(ended_line(event.record), *self._periodic())
            case EngineFailed():
                self._writer.write(failure_line(event))
            case MatchEnded():
                standings = self._watched.standings
                lines = [] if standings is None else final_lines(standings)
                self._writer.write(*lines, match_ended_line(event))

    def close(self) -> None:
        """Do nothing: each line is written at once."""

    def _began(self, event: MatchBegan) -> list[str]:
        lines = [f"Started match: {visible(event.event)} ({visible(event.game)})"]
        if self._watched.before:
            lines.append(f"Finished before: {self._watched.before} of {event.games} games")
        return lines

    def _periodic(self) -> list[str]:
        standings = self._watched.standings
        # After the last game the report comes anyway.
        if standings is None or standings.games in (0, self._watched.games):
            return []
        if standings.games % self._every:
            return []
        if len(standings.players) == 2:
            return match_lines(standings)
        return rating_lines(standings)
