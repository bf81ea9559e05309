"""A running engine, talked to by lines as they are: each with the moment it came.

Nothing here knows what a line means. All waiting has an end, and what it was for is said by
`CheckFailed`; so is the end of the engine, with its exit status and last words.
"""

from collections import deque
from typing import Self

import anyio
import msgspec
from anyio.abc import TaskGroup

from kibitz.protocol.client.errors import EngineTerminated
from kibitz.protocol.client.link import Link
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.framing import LineSplitter, Trouble
from kibitz.scripts.match.check.outcomes import CheckFailed, shown

MOST_LINE = 64 * 1024
"""The bytes that a line of an engine may have."""
MOST_UNREAD = 16 * 1024 * 1024
"""The characters that an engine may write while nobody reads."""
DENIED = f"info string error {ErrorCode.DENIED}:"
_LAST_WRITE = 0.5
"""The seconds that `quit` may take to be written."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long is waited for what, in seconds.

    `start` is for the greeting and all before the first check; `answer` for whatever is
    answered at once, and for a search that is short by itself;
    `margin` is how much later than its limit, or than `stop`, a move may come; `quit` is for
    the end of the process. An engine that must say nothing is listened to for `silence`.
    """

    start: float = 10.0
    answer: float = 10.0
    margin: float = 1.0
    quit: float = 2.0
    silence: float = 0.3


class Heard(msgspec.Struct, frozen=True):
    """One line of the engine and when it came, on the clock of the event loop.

    `trouble` says why it is no text; `text` is empty then.
    """

    text: str
    at: float
    trouble: str = ""

    @property
    def word(self) -> str:
        """The first word, empty when there is none."""
        return self.text.split(maxsplit=1)[0] if self.text.strip() else ""


class Talk:
    """One engine, from its start to its end."""

    def __init__(self, link: Link, patience: Patience) -> None:
        """Own an open link; `start` has it read."""
        self.patience = patience
        self.link = link
        self.is_over = False
        """Whether the engine has closed its output."""
        self._lines: deque[Heard] = deque()
        self._unread = 0
        self._changed = anyio.Event()
        self._scope = anyio.CancelScope()

    # Writing.

    async def send(self, *lines: str) -> None:
        """Write lines."""
        await self.send_bytes("".join(line + "\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are; an engine that has ended is noticed by who reads."""
        with anyio.move_on_after(self.patience.answer) as scope:
            await self.link.send(data)
        if scope.cancelled_caught:
            raise CheckFailed(f"it did not read its input for {self.patience.answer:g} s")

    # Reading.

    async def next_line(self, seconds: float, awaited: str) -> Heard:
        """Give the next line, which must come within so many seconds from now.

        `awaited` says in a failure what did not come.
        """
        return await self.line_until(anyio.current_time() + seconds, seconds, awaited)

    async def line_until(self, deadline: float, seconds: float, awaited: str) -> Heard:
        """Give the next line that came until a moment, which is `seconds` after the question."""
        while not self._lines:
            if self.is_over:
                raise CheckFailed(f"{await self.end()} (before {awaited})")
            if anyio.current_time() >= deadline:
                raise CheckFailed(f"no {awaited} within {seconds:g} s")
            with anyio.move_on_at(deadline):
                await self._changed.wait()
        if self._unread > MOST_UNREAD:
            raise CheckFailed(f"it wrote more than {MOST_UNREAD} characters before {awaited}")
        heard = self._take()
        if heard.at > deadline:
            raise CheckFailed(f"no {awaited} within {seconds:g} s")
        return heard

    async def lines_to(self, last: str, seconds: float, after: str) -> list[Heard]:
        """Give all lines up to, and with, the first that begins with the word `last`."""
        awaited = f"{last} after '{after}'"
        deadline = anyio.current_time() + seconds
        lines: list[Heard] = []
        while not lines or lines[-1].word != last:
            lines.append(await self.line_until(deadline, seconds, awaited))
            if lines[-1].text.startswith(DENIED):
                # Who is not admitted is answered nothing else.
                raise CheckFailed(f"the server answers: {shown(lines[-1].text)}")
        return lines

    async def sync(self, after: str, seconds: float | None = None) -> list[Heard]:
        """Ask `isready`; gives the lines before `readyok`: the answer to what was sent before."""
        await self.send("isready")
        longest = self.patience.answer if seconds is None else seconds
        return (await self.lines_to("readyok", longest, f"{after}', 'isready"))[:-1]

    async def listen(self) -> list[Heard]:
        """Give what comes within the time that the engine should be silent for."""
        deadline = anyio.current_time() + self.patience.silence
        lines: list[Heard] = []
        while not self.is_over and anyio.current_time() < deadline:
            with anyio.move_on_at(deadline):
                await self._changed.wait()
            while self._lines:
                lines.append(self._take())
        return lines

    # The end.

    async def end(self) -> str:
        """Say in words how the engine ended, after it has closed its output."""
        failure = await self.link.failure()
        return str(failure())

    async def exit_status(self) -> int | None:
        """Give the exit status after the end; None for one that lives on, and for a server."""
        failure = await self.link.failure()
        error = failure()
        return error.status if isinstance(error, EngineTerminated) else None

    async def wait_for_end(self, seconds: float) -> bool:
        """Wait until the engine closes its output, whatever it says; tells whether it did."""
        with anyio.move_on_after(seconds):
            while not self.is_over:
                self._lines.clear()
                self._unread = 0
                await self._changed.wait()
        return self.is_over

    async def close(self, patience: float) -> None:
        """End the engine for sure: in peace, if it goes by itself in so many seconds."""
        with anyio.CancelScope(shield=True):
            deadline = anyio.current_time() + patience
            if not self.is_over:
                with anyio.move_on_after(min(_LAST_WRITE, patience)):
                    await self.link.send(b"quit\n")
                    await self.link.end_input()
                await self.wait_for_end(patience)
            left = deadline - anyio.current_time()
            await self.link.close(max(left, 0.0) if self.is_over else 0.0)
            self._scope.cancel()

    # Inside.

    def start(self, group: TaskGroup) -> Self:
        """Read what comes, in a task of the group."""
        group.start_soon(self._run)
        return self

    async def _run(self) -> None:
        with self._scope:
            async with anyio.create_task_group() as group:
                group.start_soon(self.link.watch)
                group.start_soon(self._read)

    async def _read(self) -> None:
        splitter = LineSplitter(MOST_LINE)
        while data := await self.link.receive():
            for line in splitter.feed(data):
                self._hear(line)
            self._wake()
        for line in splitter.finish():
            self._hear(line)
        self.is_over = True
        self._wake()

    def _hear(self, line: str | Trouble) -> None:
        if self._unread > MOST_UNREAD:
            return
        now = anyio.current_time()
        heard = Heard("", now, line.value) if isinstance(line, Trouble) else Heard(line, now)
        self._lines.append(heard)
        # Empty lines need room too.
        self._unread += len(heard.text) + 1

    def _take(self) -> Heard:
        heard = self._lines.popleft()
        self._unread -= len(heard.text) + 1
        return heard

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
