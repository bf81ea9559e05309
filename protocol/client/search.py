"""A search that an engine runs for us: what it told so far, and how it ended. Sans-IO."""

from collections import deque
from time import monotonic

import anyio
import msgspec

from kibitz.protocol.client.errors import EngineRefused
from kibitz.protocol.client.lines import Decided, Failed
from kibitz.protocol.client.link import Failure
from kibitz.protocol.client.values import Info, Result, Side

MOST_UNREAD = 256
"""Infos that wait for a reader; of more the oldest are dropped."""
MOST_NOTES = 50


class RunningSearch:
    """What comes from `go` to `bestmove`."""

    def __init__(self, side: Side | None, *, is_confirmed: bool = True) -> None:
        self._is_confirmed = is_confirmed
        self.is_stopping = False
        self.is_over = False
        """Whether it was answered, or never will be."""
        self.changed = anyio.Event()
        """Set at the next news, and then replaced."""
        self.unread: deque[Info] = deque(maxlen=MOST_UNREAD)
        self._side = side
        self._begun = monotonic()
        self._elapsed: float | None = None
        self._lines: dict[int, Info] = {}
        self._notes: deque[str] = deque(maxlen=MOST_NOTES)
        self._failed: Failed | None = None
        self._failure: Failure | None = None
        self._decided: Decided | None = None

    @property
    def lines(self) -> tuple[Info, ...]:
        """What is known of each line of play, the best first."""
        return tuple(self._lines[number] for number in sorted(self._lines))

    @property
    def is_answered(self) -> bool:
        """Whether there is a result."""
        return self._decided is not None or self._failure is not None

    def told(self, info: Info) -> None:
        """Take an info."""
        if self._side is not None:
            info = msgspec.structs.replace(info, side=self._side)
        if info.string is not None:
            self._notes.append(info.string)
        if info.score is not None or info.depth is not None or info.nodes is not None:
            self._lines[info.multipv] = _overlay(self._lines.get(info.multipv), info)
        self.unread.append(info)
        self._wake()

    def failed(self, error: Failed) -> None:
        """Take an error; it matters if no move comes, or if the position was not confirmed."""
        # The first one: what comes later may follow from it.
        self._failed = self._failed or error
        self._notes.append(f"error {error.code}: {error.text}")

    def begin_again(self) -> None:
        """Measure the time from now on: the search was in the enemy's time until now."""
        self._begun = monotonic()
        if self._elapsed is not None:
            self._elapsed = 0.0

    def decided(self, answer: Decided) -> None:
        """Take the answer."""
        self._decided = answer
        self._elapsed = monotonic() - self._begun
        self.end()

    def note(self, text: str) -> None:
        """Keep something that was said besides."""
        self._notes.append(text)

    def fail(self, failure: Failure) -> None:
        """Take an exception in the place of an answer."""
        self._failure = failure
        self.end()

    def end(self) -> None:
        """There will be no more."""
        self.is_over = True
        self._wake()

    def result(self) -> Result:
        """Give the result; raises `EngineRefused` if there was an error instead of a move."""
        if self._failure is not None:
            raise self._failure()
        assert self._decided is not None
        if self._failed is not None and (self._decided.move is None or not self._is_confirmed):
            raise EngineRefused(self._failed.code, self._failed.text)
        return Result(
            move=self._decided.move,
            expected=self._decided.expected or self._expected(self._decided.move),
            lines=self.lines,
            notes=tuple(self._notes),
            elapsed=self._elapsed,
        )

    def _expected(self, move: str | None) -> str | None:
        """Give the answer to a move by the best line: UGI has no other word for it."""
        best = self._lines.get(1)
        return best.pv[1] if best is not None and len(best.pv) > 1 and best.pv[0] == move else None

    def _wake(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


def _overlay(before: Info | None, info: Info) -> Info:
    """Put what an info says over what was known of its line."""
    if before is None:
        return info
    said = {
        field: value
        for field in info.__struct_fields__
        if (value := getattr(info, field)) not in (None, (), "")
    }
    if info.score is not None:
        # The two say something about the score.
        said |= {"bound": info.bound, "wdl": info.wdl}
    return msgspec.structs.replace(before, **said)
