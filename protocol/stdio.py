"""The text dialects on standard input and output: the client, and the quick start.

Loading an event loop takes longer than everything else at the start. A handshake needs
none: `run` answers it first, and loads the loop (`stdio_loop`) while the client reads.
"""

import os
import select
import signal
import sys
from collections import deque
from collections.abc import Callable
from types import FrameType

from kibitz.protocol import commands
from kibitz.protocol.hub import Hub
from kibitz.protocol.jobs import Job
from kibitz.protocol.outbox import Outbox
from kibitz.protocol.replies import Progress, Reply
from kibitz.protocol.session import Session
from kibitz.protocol.ugi import UgiCodec

READ_SIZE = 64 * 1024

MOST_UNWRITTEN = 256 * 1024
"""With so many bytes unwritten nothing more is read, and progress is not written."""


class TextClient:
    """One client: its dialect, its engines, and what is still to be written to it.

    `start_job` runs a job; it has to be set before a command comes that needs it. `notify`
    is called when something is left to be written, or cannot be written any more.
    """

    def __init__(self, sink: int) -> None:
        """Write to the descriptor `sink`."""
        self.codec = UgiCodec()
        self.hub = Hub(self)
        self.outbox = Outbox(sink)
        self.start_job: Callable[[Session, Job], None] | None = None
        self.notify: Callable[[], None] = lambda: None

    @property
    def is_crowded(self) -> bool:
        """Whether reading more would need memory without bound."""
        return self.outbox.size >= MOST_UNWRITTEN or self.hub.is_waiting

    def send(self, reply: Reply) -> None:
        """Write a reply, now if there is room for it."""
        droppable = isinstance(reply, Progress) and not reply.last
        if droppable and self.outbox.size >= MOST_UNWRITTEN:
            return
        self.outbox.put(self.codec.encode(reply))
        self.outbox.flush()
        if self.outbox.size or self.outbox.is_broken:
            self.notify()

    def start(self, session: Session, job: Job) -> None:
        """Have a job run in a worker thread."""
        assert self.start_job is not None
        self.start_job(session, job)


def run() -> int:
    """Serve one client on standard input and output; gives the exit status."""
    if sys.stdin is None or sys.stdout is None:
        return 0  # one was closed before we were started: there is no client
    _leave_at_signals()
    status = _run(sys.stdin.fileno(), sys.stdout.fileno())
    _leave_at_signals()
    return status


def _leave_at_signals() -> None:
    """Make SIGINT and SIGTERM end the program while no event loop heeds them.

    Nothing runs then that would have to be stopped, and all answers are written. An
    exception would not do: it could come from the middle of an import.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0)


def _first_bytes(source: int) -> bytes:
    """Wait for input, also from a descriptor that does not wait itself; none at its end."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    while True:
        poll.poll()
        try:
            return os.read(source, READ_SIZE)
        except BlockingIOError:
            continue
        except OSError:
            return b""  # nothing that can be read


def _run(source: int, sink: int) -> int:
    client = TextClient(sink)
    data = _first_bytes(source)
    # Without any input the program has ended before it began.
    if not data:
        return 0
    read = deque(client.codec.feed(data))
    while read and isinstance(read[0], commands.Handshake):
        client.hub.receive(read.popleft())

    from kibitz.protocol.stdio_loop import serve

    serve(client, source, read)
    return 0
