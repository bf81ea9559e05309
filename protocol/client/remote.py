"""A kibitz server that is asked in JSON lines: many analyses at once over one connection.

    async with Remote.open_server("tls://example.org:4242", token=token) as remote:
        result = await remote.analyse(Setup("jarmo"), Limit(depth=12))

Every call stands alone, so any number of them can be made at once from different tasks; the
server has them wait for their turn. A call that is cancelled is cancelled at the server too.

When the connection is lost, it is made again, if the server allows that: calls go on, and
each gets its answer once. Otherwise every call that waits raises `ConnectionLost`.
"""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio

from kibitz.protocol.client.analysis import Analysis, follow
from kibitz.protocol.client.correspondence import Pending
from kibitz.protocol.client.engine import PATIENCE, TIMEOUT
from kibitz.protocol.client.errors import EndedEarly, EngineError, EngineTimeout
from kibitz.protocol.client.link import Link, StreamLink
from kibitz.protocol.client.options import Option, Value
from kibitz.protocol.client.post import Post, Terms, open_post
from kibitz.protocol.client.process import start_process
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.setup import Setup
from kibitz.protocol.client.sockets import URLS, connect, read_url
from kibitz.protocol.client.translation import Replay, limit_of, options_of, side_of
from kibitz.protocol.client.values import Limit, Result, Verdict
from kibitz.protocol.json.message_types import GameDescription, Limits
from kibitz.protocol.json.messages import (
    AnalyzeRequest,
    CancelledAnswer,
    FinalAnswer,
    HelloAnswer,
    LegalAnswer,
    LegalRequest,
    PerftAnswer,
    PerftRequest,
    PingRequest,
    PlayAnswer,
    PlayRequest,
    PongAnswer,
    RenderAnswer,
    RenderRequest,
    Request,
    StatsAnswer,
    StatsRequest,
)

KEEPALIVE = 15.0

AnswerT = TypeVar("AnswerT", bound=FinalAnswer)


class Remote:
    """A server, or a program that speaks JSON lines on its standard streams."""

    def __init__(self, post: Post, hello: HelloAnswer, timeout: float) -> None:
        """Use a connection that was greeted; `open_server` makes one."""
        self.timeout = timeout
        """The seconds that whatever needs no search may take."""
        self._post = post
        self._correspondence = post.correspondence
        self._hello = hello
        self._options = options_of(hello)
        self._wanted: dict[str, str] = {}

    # Opening.

    @staticmethod
    @asynccontextmanager
    async def open_server(
        url: str,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
        name: str | None = None,
        resume: bool = True,
        keepalive: float = KEEPALIVE,
        grace: float | None = None,
        timeout: float = TIMEOUT,
    ) -> "AsyncIterator[Remote]":
        """Connect to a kibitz server, `tls://HOST:PORT` or `tcp://HOST:PORT`.

        With `tcp` everything is sent as it is, the token too. `ca` is a file of the
        certificates to trust, in place of the system's; `name` is for the server's log.
        With `resume` a lost connection is made again, if the server keeps what it had begun.
        That is tried for `grace` seconds, or as long as the server keeps it, if that is
        shorter or `grace` is None; calls wait meanwhile, and then raise `ConnectionLost`. A
        server that is silent for `keepalive` seconds is asked whether it is there, and taken
        for lost after as many more.

        Raises `CannotOpen` when there is no connection or no trust, `EngineRefused`
        (denied) for a wrong or missing token, `ConnectionLost`, `EngineTimeout`, and
        `ValueError` for times that make no sense.
        """
        address = read_url(url)

        has_worked = False

        def explain(received: bytes) -> str:
            # Where a session worked, an end without a word says nothing about TLS.
            return "" if has_worked and not received else URLS.why_plain_failed(received)

        async def open_link() -> Link:
            stream = await connect(address, timeout, ca)
            return StreamLink(stream, str(address), None if address.tls else explain)

        terms = Terms(token, name, resume, keepalive, timeout, grace=grace)
        async with open_post(open_link, terms) as post:
            remote = await Remote._greeted(post, timeout)
            has_worked = True
            yield remote

    @staticmethod
    @asynccontextmanager
    async def open_process(
        command: str | Sequence[str],
        *,
        timeout: float = TIMEOUT,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> "AsyncIterator[Remote]":
        """Start a program that speaks JSON lines, as kibitz does, and end it with the context.

        The arguments and exceptions are those of `Engine.open_process`.
        """
        link = await start_process(command, cwd, env)

        async def open_link() -> Link:
            return link

        terms = Terms(
            None, None, resume=False, keepalive=KEEPALIVE, timeout=timeout, patience=PATIENCE
        )
        try:
            async with open_post(open_link, terms) as post:
                yield await Remote._greeted(post, timeout)
        finally:
            with anyio.CancelScope(shield=True):
                await link.close(PATIENCE)

    @staticmethod
    async def _greeted(post: Post, timeout: float) -> "Remote":
        with anyio.move_on_after(timeout):
            await post.greeted.wait()
        if post.correspondence.lost is not None:
            raise post.correspondence.lost()
        if post.hello is None:
            raise EngineTimeout(f"the server did not answer within {timeout:g} seconds")
        return Remote(post, post.hello, timeout)

    # What it is.

    @property
    def name(self) -> str:
        """The name and version of the server's program."""
        return f"{self._hello.server} {self._hello.version}"

    @property
    def client_name(self) -> str:
        """The name that the server knows us by; empty without a token."""
        return self._hello.client or ""

    @property
    def games(self) -> Mapping[str, GameDescription]:
        """What can be played, by name."""
        return {game.name: game for game in self._hello.games}

    @property
    def options(self) -> Mapping[str, Option]:
        """The options of analyses besides those of the games, by name."""
        return self._options

    @property
    def limits(self) -> Limits:
        """What this client may have."""
        return self._hello.limits

    @property
    def can_resume(self) -> bool:
        """Whether a lost connection is made again."""
        return self._hello.resume is not None

    @property
    def reconnections(self) -> int:
        """How often a lost connection was made again."""
        return self._post.reconnections

    # Searches.

    async def analyse(
        self,
        setup: Setup,
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Sequence[str] | None = None,
        wdl: bool = False,
        priority: int = 0,
        timeout: float | None = None,
    ) -> Result:
        """Search a position, and wait for the result.

        `multipv` lines are reported. `root_moves` are the moves to look at, None for all.
        `wdl` asks for chances to win, draw and lose. Of several analyses that wait, those
        of a higher `priority` begin first. The limit counts from the begin of the search,
        before which it may wait for long; when `timeout` seconds are over, None for never,
        it is cancelled and `EngineTimeout` raised.

        Raises `EngineRefused` for a position or a move that is wrong, and for more than this
        client can have, `EndedEarly` when the server ends it, `ConnectionLost`, `Unsupported`
        for a limit with clocks and `ValueError` for one without any bound.
        """
        if limit.is_infinite:
            raise ValueError("a limit without a bound: use analysis, which can be stopped")
        search, pending = self._begin(setup, limit, multipv, root_moves, wdl, priority, 0.0)
        try:
            with anyio.move_on_after(timeout) as patience:
                await follow(search)
        finally:
            self._correspondence.forget(pending)
        if patience.cancelled_caught:
            raise EngineTimeout(f"the search did not end within {timeout:g} seconds")
        return search.result()

    async def play(
        self,
        setup: Setup,
        limit: Limit,
        *,
        root_moves: Sequence[str] | None = None,
        priority: int = 0,
        timeout: float | None = None,
    ) -> Result:
        """Choose a move for the side to move: an analysis of the best line alone.

        The arguments and exceptions are those of `analyse`.
        """
        return await self.analyse(
            setup, limit, root_moves=root_moves, priority=priority, timeout=timeout
        )

    def analysis(
        self,
        setup: Setup,
        limit: Limit | None = None,
        *,
        multipv: int = 1,
        root_moves: Sequence[str] | None = None,
        wdl: bool = False,
        priority: int = 0,
        every: float = 0.0,
    ) -> Analysis:
        """Search a position, and look on: a context manager, and an iterator of infos.

        Without a limit it goes on until it is stopped, which leaving the context does. Two
        infos of one line are at least `every` seconds apart. The other arguments are those
        of `analyse`, and so are the exceptions, which are raised where infos or the result
        are waited for.
        """
        requests: dict[RunningSearch, Pending] = {}

        async def begin() -> RunningSearch:
            search, pending = self._begin(
                setup, limit or Limit(), multipv, root_moves, wdl, priority, every
            )
            requests[search] = pending
            return search

        def stop(search: RunningSearch) -> None:
            self._correspondence.cancel(requests[search])

        return Analysis(begin, stop, RunningSearch.result, self.timeout)

    async def perft(self, setup: Setup, depth: int, *, timeout: float | None = None) -> int:
        """Count the sequences of `depth` turns."""
        answer = await self._ask(PerftRequest, PerftAnswer, timeout, depth=depth, **_fields(setup))
        return answer.total

    # Questions.

    async def legal_moves(self, setup: Setup) -> tuple[str, ...]:
        """List the tokens of all legal moves, sorted; none when the game is over."""
        return tuple((await self._legal(setup)).moves)

    async def result(self, setup: Setup) -> Verdict:
        """Say how the game stands."""
        answer = await self._legal(setup)
        return Verdict(
            result=answer.result,
            side=side_of(answer.side),
            reason=_reason(answer.reason),
            points=answer.points,
        )

    async def replay(self, setup: Setup) -> Replay:
        """Follow a game move by move.

        Raises `EngineRefused` (bad_move), whose `index` says which move is not legal.
        """
        answer = await self._ask(PlayRequest, PlayAnswer, self.timeout, **_fields(setup))
        return Replay(
            start=answer.start,
            positions=tuple(answer.positions),
            legal=answer.legal,
            result=answer.result,
            reason=_reason(answer.reason),
            points=answer.points,
            side=side_of(answer.side),
        )

    async def draw(self, setup: Setup) -> str:
        """Draw the board as people do, in lines of text."""
        answer = await self._ask(RenderRequest, RenderAnswer, self.timeout, **_fields(setup))
        return answer.drawing

    async def stats(self) -> StatsAnswer:
        """Tell what the server is doing: connections, searches, speed, memory."""
        return await self._ask(StatsRequest, StatsAnswer, self.timeout)

    async def ping(self) -> float:
        """Wait until the server answers, and give the seconds that took."""
        begun = anyio.current_time()
        await self._ask(PingRequest, PongAnswer, self.timeout)
        return anyio.current_time() - begun

    def configure(self, options: Mapping[str, Value]) -> None:
        """Set options of all analyses that are begun from now on.

        All are checked before any is set: raises `BadOption`, which names the option and
        what it can be.
        """
        checked = {(o := self._options.find(n)).name: o.read(v) for n, v in options.items()}
        self._wanted |= checked

    # Inside.

    def _begin(
        self,
        setup: Setup,
        limit: Limit,
        multipv: int,
        root_moves: Sequence[str] | None,
        wdl: bool,
        priority: int,
        every: float,
    ) -> tuple[RunningSearch, Pending]:
        search = RunningSearch(None)
        fields = _fields(setup)
        fields["options"] = self._wanted | fields["options"]
        pending = self._correspondence.ask(
            AnalyzeRequest,
            search,
            limit=limit_of(limit),
            multipv=multipv,
            searchmoves=None if root_moves is None else list(root_moves),
            wdl=wdl,
            priority=priority,
            every_ms=int(every * 1000),
            **fields,
        )
        return search, pending

    async def _legal(self, setup: Setup) -> LegalAnswer:
        return await self._ask(LegalRequest, LegalAnswer, self.timeout, **_fields(setup))

    async def _ask(
        self,
        kind: type[Request],
        wanted: type[AnswerT],
        timeout: float | None,
        **fields: Any,
    ) -> AnswerT:
        """Ask, and wait for the answer."""
        pending = self._correspondence.ask(kind, **fields)
        try:
            with anyio.move_on_after(timeout) as patience:
                await pending.done.wait()
        finally:
            self._correspondence.forget(pending)
        if patience.cancelled_caught:
            raise EngineTimeout(f"the server did not answer within {timeout:g} seconds")
        if pending.failure is not None:
            raise pending.failure()
        if isinstance(pending.answer, CancelledAnswer):
            raise EndedEarly("the server ended the request before it was done")
        if not isinstance(pending.answer, wanted):
            raise EngineError("the server does not answer as kibitz does")
        return pending.answer


def _fields(setup: Setup) -> dict[str, Any]:
    """Write a setup as the fields of a request."""
    if setup.game is None:
        raise ValueError("game: a request has to name one")
    return {
        "game": setup.game,
        "options": dict(setup.options),
        "position": setup.text,
        "deal": setup.deal,
        "moves": list(setup.moves),
    }


def _reason(word: str) -> str | None:
    return None if word == "none" else word
