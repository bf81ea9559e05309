"""One connection to an engine, by lines: it reads, writes, and tells everyone of the end.

A `Wire` has two tasks. One reads bytes and gives each line to the dialogue of its session;
the other writes what was sent, so that sending never waits and a cancelled call has either
sent a whole line or nothing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from kibitz.protocol.client.dialogue import Dialogue
from kibitz.protocol.client.lines import split_session
from kibitz.protocol.client.link import Failure, Link, own_tasks
from kibitz.protocol.framing import LineSplitter, Trouble

MOST_LINE = 1024 * 1024
"""Longer lines of an engine are skipped."""
_LAST_WRITE = 0.5
"""The seconds that `quit` may take to be written."""


class Wire:
    """Lines to and from an engine."""

    def __init__(self, link: Link) -> None:
        """Use an open link; `open_wire` runs it."""
        self.dialogues: dict[str, Dialogue] = {}
        self.lost: Failure | None = None
        """Makes the exception that says how the connection ended, once it has."""
        self._link = link
        self._unsent = bytearray()
        self._wake = anyio.Event()
        self._writing = anyio.Lock()
        self._ended = anyio.Event()
        self.silent_since = 0.0
        """Since when nothing came, or since something is waited for, if that is later."""
        self.news = anyio.Event()
        """Set when something comes, and then replaced."""

    @property
    def is_owed(self) -> bool:
        """Whether anything is waited for, in any session."""
        return any(dialogue.is_owed for dialogue in self.dialogues.values())

    def add(self, session: str) -> Dialogue:
        """Begin the dialogue of a session, which has the name that is given."""
        prefix = f"@{session} " if session else ""
        dialogue = Dialogue(lambda line: self.send(prefix + line))
        dialogue.lost = self.lost
        self.dialogues[session] = dialogue
        return dialogue

    def send(self, line: str) -> None:
        """Send a line soon."""
        if not self.is_owed:
            # Until now there was nothing that could have been answered.
            self.silent_since = anyio.current_time()
        self._unsent += line.encode() + b"\n"
        self._wake.set()

    async def quit(self, patience: float) -> None:
        """Say `quit`, and end the link for sure when that does not."""
        deadline = anyio.current_time() + patience
        if self.lost is None:
            self._unsent += b"quit\n"
            with anyio.move_on_after(_LAST_WRITE):
                await self._flush()
                await self._link.end_input()
            # The reader goes on meanwhile: an engine that has much to say must get rid of it.
            with anyio.move_on_at(deadline):
                await self._ended.wait()
        await self._link.close(max(deadline - anyio.current_time(), 0.0))
        await self._end()

    async def lose(self, failure: Failure) -> None:
        """Take the other side for lost: whoever waits is told, and nothing is said any more."""
        if self.lost is None:
            self.lost = failure
            await self._end()
            await self._link.close(0.0)

    async def read(self) -> None:
        """Read lines until there are no more."""
        splitter = LineSplitter(MOST_LINE)
        try:
            while data := await self._link.receive():
                self._heard()
                for line in splitter.feed(data):
                    if not isinstance(line, Trouble):
                        self._receive(line)
            await self._end()
        finally:
            self._ended.set()

    async def write(self) -> None:
        """Write what is sent."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await self._flush()

    async def _flush(self) -> None:
        async with self._writing:
            data = bytes(self._unsent)
            self._unsent.clear()
            # Whether that arrived is seen by the reader.
            await self._link.send(data)

    def _heard(self) -> None:
        self.silent_since = anyio.current_time()
        self.news.set()
        self.news = anyio.Event()

    def _receive(self, line: str) -> None:
        session, rest = split_session(line)
        dialogue = self.dialogues.get(session)
        if dialogue is not None:
            dialogue.receive(rest)

    async def _end(self) -> None:
        if self.lost is None:
            self.lost = await self._link.failure()
        for dialogue in list(self.dialogues.values()):
            dialogue.end(self.lost)


@asynccontextmanager
async def open_wire(link: Link, patience: float) -> AsyncIterator[Wire]:
    """Run a wire over a link, and end both for sure, in little more than `patience`."""
    wire = Wire(link)
    async with own_tasks() as group:
        group.start_soon(link.watch)
        group.start_soon(wire.read)
        group.start_soon(wire.write)
        try:
            yield wire
        finally:
            with anyio.CancelScope(shield=True):
                await wire.quit(patience)
