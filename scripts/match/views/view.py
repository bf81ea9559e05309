"""What all views have in common: they are told the events of a match, and remember the match."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self, TextIO

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.statistics.standings import Standings

MOST_KEPT = 5
"""How many of the last finished games, and of the last failures, are remembered."""


class View(ABC):
    """A view is called with each event, and closed in any case; with `with` it closes itself.

    Events come from one thread, and `MatchBegan` before all others but failures.
    """

    @abstractmethod
    def __call__(self, event: Event) -> None:
        """Show an event."""

    @abstractmethod
    def close(self) -> None:
        """Leave everything as it was found; closing again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Watched:
    """A match as events have told it so far.

    `running` are the games that are being played, in the order in which they began; `last` the
    newest finished games, `failures` the newest failures, of `failure_count` in all.
    `before` is the number of games that counted when the match began.
    """

    def __init__(self, settings: MatchSettings) -> None:
        self._settings = settings
        self.began: MatchBegan | None = None
        self.ended: MatchEnded | None = None
        self.standings: Standings | None = None
        self.running: dict[int, GameBegan] = {}
        self.last: list[GameRecord] = []
        self.failures: list[EngineFailed] = []
        self.failure_count = 0
        self.before = 0

    @property
    def done(self) -> int:
        """The number of finished games."""
        return 0 if self.standings is None else self.standings.games

    @property
    def games(self) -> int:
        """The number of games of the whole match; 0 before it began."""
        return 0 if self.began is None else self.began.games

    def take(self, event: Event) -> bool:
        """Take an event in; says whether it is a game that finished its pair."""
        match event:
            case MatchBegan():
                self.began = event
                self.standings = Standings.of(self._settings, event.players)
                self.standings.add_all(event.records)
                self.before = self.standings.games
            case GameBegan():
                self.running[event.number] = event
            case GameEnded():
                self.running.pop(event.record.number, None)
                self.last = [*self.last, event.record][-MOST_KEPT:]
                return self.standings is not None and self.standings.add(event.record)
            case EngineFailed():
                self.failure_count += 1
                self.failures = [*self.failures, event][-MOST_KEPT:]
            case MatchEnded():
                self.ended = event
        return False


class LineWriter:
    """Writes whole lines to a text stream, at once.

    Characters that the stream's encoding has not are written as Python's escapes.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = stream.encoding or "utf-8"

    def write(self, *lines: str) -> None:
        """Write lines."""
        text = "".join(f"{line}\n" for line in lines)
        self._stream.write(text.encode(self._encoding, "backslashreplace").decode(self._encoding))
        self._stream.flush()
