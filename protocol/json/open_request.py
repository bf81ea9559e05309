"""One request of the JSON-lines dialect from when it was read to its final answer.

    QUEUED    its set-up is done in pieces
    AT_WORK   its job waits or runs
    ENDED     it has been answered

Keeps the newest state of each line of play, and says which of them are due to be sent.
"""

from enum import Enum

from kibitz.protocol.json.errands import Errand
from kibitz.protocol.json.messages import AnalyzeRequest, PerftRequest, PositionRequest
from kibitz.protocol.json.workshop import Work
from kibitz.search.info import Info


class Stage(Enum):
    """How far a request is; the module's text has more."""

    QUEUED = "queued"
    AT_WORK = "at work"
    ENDED = "ended"


class OpenRequest:
    """What there is to know of one request while it is open."""

    def __init__(self, request: PositionRequest, size: int, work: Work, asked: float) -> None:
        """`size` is that of its line, `work` what there is to do, `asked` when it came."""
        self.id = request.id
        self.size = size
        self.work = work
        self.asked = asked
        self.stage = Stage.QUEUED
        self.errand: Errand | None = None
        self.is_cancelled = False
        self.failure: BaseException | None = None
        """A bug that came up while the job ran; it is told when the job has ended."""
        self.needs_job = isinstance(request, (AnalyzeRequest, PerftRequest))
        self._every_ms = request.every_ms if isinstance(request, AnalyzeRequest) else 0
        self._seq = 0
        self._newest: dict[int, Info] = {}
        self._held: set[int] = set()
        self._sent_at: dict[int, int] = {}

    def next_seq(self) -> int:
        """Give the number of the next answer, and count on."""
        seq = self._seq
        self._seq += 1
        return seq

    def note(self, info: Info) -> bool:
        """Keep what is new about a line; tells whether it is due to be sent now."""
        line = info.multipv
        self._newest[line] = info
        sent_at = self._sent_at.get(line)
        if sent_at is not None and info.time - sent_at < self._every_ms:
            self._held.add(line)
            return False
        self._held.discard(line)
        self._sent_at[line] = info.time
        return True

    def held(self) -> list[Info]:
        """Give what is newer than what was sent, and take it for sent."""
        held = [self._newest[line] for line in sorted(self._held)]
        self._held.clear()
        return held

    def newest(self) -> list[Info]:
        """Give the newest of each line, and take it for sent."""
        self._held.clear()
        return [self._newest[line] for line in sorted(self._newest)]
