"""The connection under a `Remote`: made, watched, and made again when it is lost.

A server that is silent for the time of a keepalive is asked whether it is there; one that is
silent for as long again is taken for lost. If the server keeps what a lost connection had
begun, a new connection is made and goes on with it, for as long as it is kept.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import anyio
import msgspec

from kibitz.protocol.client.correspondence import Correspondence, Pending
from kibitz.protocol.client.errors import (
    CannotOpen,
    ConnectionLost,
    EngineError,
    EngineRefused,
    EngineTimeout,
)
from kibitz.protocol.client.link import Failure, Link, own_tasks
from kibitz.protocol.client.silence import check_keepalive, silent_for
from kibitz.protocol.framing import LineSplitter, Trouble
from kibitz.protocol.json.messages import HelloAnswer, HelloRequest, ResumeRequest

MOST_LINE = 16 * 1024 * 1024
"""Longer lines of a server are skipped: the longest has all positions of a long game."""
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
_UNANSWERED = "the server was reached again, but did not answer in time"
# The kernel takes connections for a server that hangs, so it may not be there again.
"""The seconds between attempts to come back: they grow from the one to the other."""
_LAST_WRITE = 0.5


class Terms(msgspec.Struct, frozen=True):
    """How to be connected."""

    token: str | None
    name: str | None
    resume: bool
    keepalive: float
    timeout: float
    patience: float = 0.0
    grace: float | None = None
    """The longest to look for a lost server, in seconds; None for as long as it may help."""

    def __post_init__(self) -> None:
        """Refuse times that make no sense."""
        check_keepalive(self.keepalive)
        if self.grace is not None and not self.grace >= 0:
            raise ValueError(f"grace: {self.grace} is not a number of seconds")


class Post:
    """Carries a correspondence."""

    def __init__(self, open_link: Callable[[], Awaitable[Link]], terms: Terms) -> None:
        """Open each connection by `open_link`; `open_post` runs it."""
        self.correspondence = Correspondence(self._put)
        self.hello: HelloAnswer | None = None
        """How the server introduced itself."""
        self.reconnections = 0
        """How often a lost connection was made again."""
        self._open_link = open_link
        self._terms = terms
        self._unsent = bytearray()
        self._wake = anyio.Event()
        self._writing = anyio.Lock()
        self._link: Link | None = None
        self._is_closing = False
        self.greeted = anyio.Event()
        """Set when the server has introduced itself, or never will."""

    async def run(self, link: Link) -> None:
        """Talk over a link, and over others when it is lost, until there is an end."""
        failure = await self._talk(link, self._introduce)
        lost_at = anyio.current_time()
        pause = 0.0
        while not self._is_closing and self._can_come_back:
            until = lost_at + self._grace
            with anyio.move_on_at(until) as patience:
                new = await self._come_back(pause)
            if patience.cancelled_caught:
                break
            reconnections = self.reconnections
            failure = await self._talk(new, partial(self._resume, until))
            if self.reconnections > reconnections:
                lost_at = anyio.current_time()
                pause = 0.0
            else:
                # It was there, but did not go on with us.
                pause = _longer(pause)
        self.correspondence.end(failure)
        self.greeted.set()

    @property
    def _grace(self) -> float:
        """The seconds that a lost server is looked for."""
        assert self.hello is not None
        kept = self.hello.grace_seconds or 0.0
        return kept if self._terms.grace is None else min(kept, self._terms.grace)

    @property
    def _can_come_back(self) -> bool:
        if self.hello is None or self.hello.resume is None:
            return False
        return self.correspondence.lost is None

    async def close(self) -> None:
        """Write what is not written yet, and let the connection end."""
        self._is_closing = True
        self.correspondence.cancel_all()
        self.correspondence.end(lambda: EngineError("the connection is closed"))
        link = self._link
        if link is not None:
            with anyio.move_on_after(_LAST_WRITE):
                await self._flush(link)
                await link.end_input()

    # One connection.

    async def _talk(self, link: Link, greet: Callable[[], Awaitable[None]]) -> Failure:
        """Talk over one link until it is lost; gives how that came."""
        self._link = link
        self._unsent.clear()
        failures: list[Failure] = []
        try:
            async with own_tasks() as group:

                async def give_up_when(wait: Callable[[], Awaitable[Failure | None]]) -> None:
                    failure = await wait()
                    if failure is not None:
                        failures.append(failure)
                        group.cancel_scope.cancel()

                group.start_soon(link.watch)
                group.start_soon(self._write, link)
                group.start_soon(give_up_when, self._watch_silence)
                group.start_soon(give_up_when, partial(self._greet, greet))
                await self._read(link)
                failures.append(await link.failure())
        finally:
            self._link = None
            self.correspondence.disconnected()
            with anyio.CancelScope(shield=True):
                await link.close(self._terms.patience)
        return failures[0]

    async def _greet(self, greet: Callable[[], Awaitable[None]]) -> Failure | None:
        """Introduce ourselves; if the server does not want us, all is over.

        One that is silent then is lost, if it is a server that was found again; it may be
        found once more. At the first time whoever opens waits himself.
        """
        lost: Failure
        try:
            await greet()
        except EngineTimeout:
            return None if self.hello is None else lambda: ConnectionLost(_UNANSWERED)
        except EngineRefused as refusal:
            code, text = refusal.code, refusal.text
            lost = lambda: EngineRefused(code, text)  # noqa: E731 - it has a type
        except EngineError as error:
            message = str(error)
            lost = lambda: ConnectionLost(message)  # noqa: E731 - it has a type
        else:
            return None
        self.correspondence.end(lost)
        return lost

    async def _introduce(self) -> None:
        answer = await self._say_hello(resume=self._terms.resume)
        self.hello = answer
        self.correspondence.most_line = answer.limits.line
        self.correspondence.connected(answer.unacknowledged_most)
        self.greeted.set()

    async def _resume(self, until: float) -> None:
        """Go on with what was begun, before a point in time: after it nothing is kept."""
        with anyio.move_on_at(until) as patience:
            await self._go_on()
        if patience.cancelled_caught:
            raise EngineTimeout(_UNANSWERED)

    async def _go_on(self) -> None:
        assert self.hello is not None
        await self._say_hello(resume=False)
        pending = self.correspondence.ask(
            ResumeRequest,
            at_once=True,
            token=self.hello.resume,
            final=self.correspondence.last_final,
        )
        try:
            await self._answer(pending)
        except EngineRefused as refusal:
            raise EngineError(f"the server does not go on with us: {refusal}") from None
        self.reconnections += 1

    async def _say_hello(self, resume: bool) -> HelloAnswer:
        pending = self.correspondence.ask(
            HelloRequest,
            at_once=True,
            token=self._terms.token,
            name=self._terms.name,
            resume=resume,
        )
        await self._answer(pending)
        if not isinstance(pending.answer, HelloAnswer):
            raise EngineError("the server does not answer as kibitz does")
        return pending.answer

    async def _answer(self, pending: Pending) -> None:
        try:
            with anyio.move_on_after(self._terms.timeout):
                await pending.done.wait()
        finally:
            self.correspondence.forget(pending)
        if pending.failure is not None:
            raise pending.failure()
        if not pending.done.is_set():
            raise EngineTimeout("the server did not answer")

    async def _read(self, link: Link) -> None:
        splitter = LineSplitter(MOST_LINE)
        while data := await link.receive():
            for line in splitter.feed(data):
                if not isinstance(line, Trouble):
                    self.correspondence.receive(line)

    async def _watch_silence(self) -> Failure:
        """Wait until the server has been silent for too long."""
        was_asked = False
        while True:
            heard = self.correspondence.heard
            await anyio.sleep(self._terms.keepalive)
            if heard != self.correspondence.heard:
                was_asked = False
            elif was_asked:
                text = silent_for("the server", 2 * self._terms.keepalive)
                return lambda: ConnectionLost(text)
            else:
                self.correspondence.ping()
                was_asked = True

    def _put(self, data: bytes) -> None:
        self._unsent += data
        self._wake.set()

    async def _write(self, link: Link) -> None:
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await self._flush(link)

    async def _flush(self, link: Link) -> None:
        async with self._writing:
            data = bytes(self._unsent)
            self._unsent.clear()
            # Whether that arrived is seen by the reader.
            await link.send(data)

    # Coming back.

    async def _come_back(self, pause: float) -> Link:
        """Make a new connection, however often that fails."""
        while True:
            await anyio.sleep(pause)
            try:
                return await self._open_link()
            except CannotOpen:
                pause = _longer(pause)


def _longer(pause: float) -> float:
    """Give the pause after a pause that was too short."""
    return min(max(2 * pause, FIRST_PAUSE), LONGEST_PAUSE)


@asynccontextmanager
async def open_post(open_link: Callable[[], Awaitable[Link]], terms: Terms) -> AsyncIterator[Post]:
    """Connect to a server, and stay so."""
    post = Post(open_link, terms)
    link = await open_link()
    async with own_tasks() as group:
        group.start_soon(post.run, link)
        try:
            yield post
        finally:
            with anyio.CancelScope(shield=True):
                await post.close()
