"""Standard input and output: the one client there, and the quick start.

Loading an event loop takes longer than everything else at the start. A handshake needs
none: `run` answers it first, and loads the loop (`stdio_loop`) while the client reads.
"""

import os
import select
import sys
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

from kibitz.protocol import commands
from kibitz.protocol.dialects import Dialects, Heard
from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.hub import Hub
from kibitz.protocol.local import LocalService
from kibitz.protocol.outbox import Outbox
from kibitz.protocol.service import Conversation
from kibitz.protocol.signals import leave_at_signals

if TYPE_CHECKING:
    from kibitz.protocol.logs import Logger

READ_SIZE = 64 * 1024

MOST_UNWRITTEN = 256 * 1024
"""With so many bytes unwritten nothing more is read."""


class StdioClient:
    """One client: its dialect, its engines, and what is still to be written to it.

    What it has to read waits in its conversation's mailbox, where newer progress takes the
    place of older, and goes to the outbox in pieces, each when the one before is written.
    `notify` is called when something is left to be written, or cannot be written any more.
    """

    def __init__(self, sink: int) -> None:
        """Write to the descriptor `sink`."""
        self.service = LocalService()
        self.dialects = Dialects(MOST_LINE, self._make_text, self._make_json)
        self.outbox = Outbox(sink)
        self.notify: Callable[[], None] = lambda: None

    @property
    def conversation(self) -> Conversation | None:
        """The conversation with the client, None before its first word."""
        return self.dialects.conversation

    @property
    def unwritten(self) -> int:
        """The bytes that have not been written yet."""
        waiting = 0 if self.conversation is None else self.conversation.mailbox.size
        return self.outbox.size + waiting

    @property
    def is_crowded(self) -> bool:
        """Whether reading more would need memory without bound."""
        waiting = self.conversation is not None and self.conversation.is_waiting
        return waiting or self.unwritten >= MOST_UNWRITTEN

    @property
    def is_closing(self) -> bool:
        """Whether the client has said that it wants to end."""
        return self.conversation is not None and self.conversation.is_closing

    def close(self) -> None:
        """Stop all that runs, and have it answered."""
        if self.conversation is not None:
            self.conversation.close()

    def flush(self) -> None:
        """Write as much as there is room for now."""
        self.outbox.flush()
        if self.conversation is not None:
            mailbox = self.conversation.mailbox
            while mailbox.size and not self.outbox.size:
                # Nothing stays in an outbox that is broken, and nobody misses it.
                self.outbox.put(mailbox.take(READ_SIZE))
                self.outbox.flush()
        if self.unwritten or self.outbox.is_broken:
            self.notify()

    def _make_text(self) -> Conversation:
        return self._listening(Hub(self.service))

    def _make_json(self) -> Conversation:
        # Loaded late: a handshake needs none.
        from kibitz.protocol.json.desk import Desk

        return self._listening(Desk(self.service))

    def _listening(self, conversation: Conversation) -> Conversation:
        conversation.mailbox.notify = self.flush
        return conversation


def run(log: "Logger | None" = None) -> int:
    """Serve one client on standard input and output; gives the exit status.

    Nothing is logged without a logger, and none is loaded.
    """
    if sys.stdin is None or sys.stdout is None:
        return 0  # one was closed before we were started: there is no client
    leave_at_signals()
    status = _run(sys.stdin.fileno(), sys.stdout.fileno(), log)
    leave_at_signals()
    return status


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


def _run(source: int, sink: int, log: "Logger | None") -> int:
    client = StdioClient(sink)
    data = _first_bytes(source)
    # Without any input the program has ended before it began.
    if not data:
        return 0
    heard = _answer_handshakes(client.dialects.feed(data))

    from kibitz.protocol.stdio_loop import serve

    serve(client, source, heard, log)
    return 0


def _answer_handshakes(heard: Heard) -> Heard:
    """Answer the handshakes that come first, and give what comes then."""
    for conversation, item in heard:
        if not isinstance(item, commands.Handshake):
            return chain([(conversation, item)], heard)
        conversation.receive(item)
    return iter(())
