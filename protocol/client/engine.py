"""An engine that is asked in UGI or UCI, on any machine.

    async with Engine.open_process("scripts/kibitz") as engine:
        result = await engine.play(Setup("jarmo"), Limit(depth=8))

An engine does one thing at a time. `analyse`, `play` and whatever sets a position wait for
their turn; an open `analysis` gives way: the next call stops it. `ping`, `query` and the
opening of other sessions can be called at any time.

Every call may be cancelled: a search that was begun is stopped then, and what it still
answers belongs to nobody. Calls have time limits of their own besides: `timeout` seconds for
whatever needs no search, and as much on top of a search's own time.
"""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream

from kibitz.protocol.client import wording
from kibitz.protocol.client.analysis import Analysis, follow
from kibitz.protocol.client.dialogue import Batch, Dialogue
from kibitz.protocol.client.errors import EngineError, EngineRefused, EngineTimeout, Unsupported
from kibitz.protocol.client.handshake import greet, identify
from kibitz.protocol.client.link import Link, StreamLink, own_tasks
from kibitz.protocol.client.options import Option, OptionList, Value
from kibitz.protocol.client.pondering import Pondering
from kibitz.protocol.client.process import start_process
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.settings import Settings
from kibitz.protocol.client.setup import Setup, one_line, one_word
from kibitz.protocol.client.silence import KEEPALIVE, check_keepalive, watch_silence
from kibitz.protocol.client.sockets import URLS, connect, read_url
from kibitz.protocol.client.values import Limit, Result, Side, Verdict
from kibitz.protocol.client.wire import Wire, open_wire

TIMEOUT = 10.0
PATIENCE = 2.0
"""The seconds that an engine may take to end after `quit`."""


class Engine:
    """One engine: a process, a server's, or one of several sessions of either."""

    def __init__(self, wire: Wire, dialogue: Dialogue, timeout: float) -> None:
        """Use a connection that was greeted; `open_process` and `open_server` make one."""
        self.timeout = timeout
        """The seconds that whatever needs no search may take."""
        self._wire = wire
        self._dialogue = dialogue
        self._settings = Settings(dialogue.options)
        self._turn = anyio.Lock()

    # Opening.

    @staticmethod
    @asynccontextmanager
    async def open_process(
        command: str | Sequence[str],
        *,
        dialect: str | None = None,
        timeout: float = TIMEOUT,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> "AsyncIterator[Engine]":
        """Start a program that speaks UGI or UCI, and end it with the context.

        A command that is one text is the program's path, without arguments. `dialect` is
        `ugi` or `uci`; None tries UGI first. `env` is added to our environment.

        Raises `CannotOpen` when there is no such program, `EngineTerminated` when it ends
        at once, `EngineTimeout` when it does not answer.
        """
        link = await start_process(command, cwd, env)
        async with Engine._open(link, dialect, None, timeout) as engine:
            yield engine

    @staticmethod
    @asynccontextmanager
    async def open_server(
        url: str,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
        keepalive: float = KEEPALIVE,
        timeout: float = TIMEOUT,
    ) -> "AsyncIterator[Engine]":
        """Connect to a kibitz server, `tls://HOST:PORT` or `tcp://HOST:PORT`.

        With `tcp` everything is sent as it is, the token too. `ca` is a file of the
        certificates to trust, in place of the system's. A server that is silent for
        `keepalive` seconds while something is waited for is asked whether it is there; when
        nothing comes within `timeout` seconds more, every call that waits raises
        `ConnectionLost`.

        Raises `CannotOpen` when there is no connection or no trust, `EngineRefused`
        (denied) for a wrong or missing token, `ConnectionLost`, `EngineTimeout`, and
        `ValueError` for a `keepalive` that makes no sense.
        """
        address = read_url(url)
        check_keepalive(keepalive)
        link = StreamLink(
            await connect(address, timeout, ca),
            str(address),
            None if address.tls else URLS.why_plain_failed,
        )
        async with Engine._open(link, "ugi", token, timeout) as engine, own_tasks() as group:
            group.start_soon(
                watch_silence, engine._wire, str(address), keepalive, lambda: engine.timeout
            )
            yield engine

    @staticmethod
    @asynccontextmanager
    async def open_stream(
        stream: ByteStream,
        *,
        dialect: str | None = None,
        token: str | None = None,
        timeout: float = TIMEOUT,
    ) -> "AsyncIterator[Engine]":
        """Talk over any stream of bytes, which is closed with the context."""
        link = StreamLink(stream, "the engine")
        async with Engine._open(link, dialect, token, timeout) as engine:
            yield engine

    @staticmethod
    @asynccontextmanager
    async def _open(
        link: Link, dialect: str | None, token: str | None, timeout: float
    ) -> "AsyncIterator[Engine]":
        async with open_wire(link, PATIENCE) as wire:
            dialogue = wire.add("")
            try:
                if token is not None:
                    await identify(dialogue, token, timeout)
                await greet(dialogue, dialect, timeout)
            except EngineTimeout:
                # Who does not answer would not heed `quit` either.
                await wire.quit(0.0)
                raise
            yield Engine(wire, dialogue, timeout)

    @asynccontextmanager
    async def session(self, name: str, game: str | None = None) -> "AsyncIterator[Engine]":
        """Open another engine over the same connection, with a position of its own.

        `name` is one word; its searches run beside those of other sessions. Only kibitz has
        sessions: raises `Unsupported` elsewhere, and `EngineRefused` when the name is taken
        or the server gives no more of them.
        """
        one_word("name", name)
        order = f"session open {name}"
        if game is not None:
            order += f" game {one_word('game', game)}"
        if name in self._wire.dialogues:
            raise ValueError(f"name: there is a session {name} already")
        dialogue = self._wire.add(name)
        dialogue.copy_identity(self._dialogue)
        try:
            batch = await self._ask(order)
            if not any(said.verb == "opened" for said in batch.sessions):
                raise Unsupported(f"{self.name or 'the engine'} has no sessions")
            engine = Engine(self._wire, dialogue, self.timeout)
            if game is not None:
                engine._settings.assume_game(game)
            try:
                yield engine
            finally:
                if self._dialogue.lost is None:
                    # Its answer, and what its searches still say, is nobody's.
                    self._dialogue.ask(f"session close {name}", wants_answers=False)
        finally:
            del self._wire.dialogues[name]
            dialogue.end(lambda: EngineError(f"the session {name} is closed"))

    # What it is.

    @property
    def name(self) -> str:
        """The name of the engine, as it says it."""
        return self._dialogue.name

    @property
    def author(self) -> str:
        """Who made the engine."""
        return self._dialogue.author

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that the engine lists, by name."""
        return self._dialogue.options

    @property
    def dialect(self) -> str:
        """What is spoken: `ugi` or `uci`."""
        return "uci" if self._dialogue.uci else "ugi"

    @property
    def client_name(self) -> str:
        """The name that a server knows us by; empty without a token."""
        return self._dialogue.client_name

    # Searches.

    async def analyse(
        self,
        setup: Setup,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Sequence[str] | None = None,
        side: Side | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Search a position, and wait for the result.

        `multipv` lines are reported, None for as many as were configured. `root_moves` are
        the moves to look at, None for all. `side` is whose turn it is, for those who know: then
        nothing is asked before the search, and an error about the position comes at its
        end. When `timeout` seconds are over the search is stopped and `EngineTimeout` raised;
        None allows the limit's own time, if it has one, and `self.timeout` more.

        Raises `EngineRefused` for a position or a move that is wrong, and `ValueError` for
        a limit without any bound.
        """
        if limit.is_infinite:
            raise ValueError("a limit without a bound: use analysis, which can be stopped")
        async with self._turn:
            search = await self._begin(setup, limit, multipv, root_moves, side)
            if timeout is None and limit.longest is not None:
                timeout = limit.longest + self.timeout
            try:
                with anyio.move_on_after(timeout):
                    while not search.is_over:
                        await search.changed.wait()
            finally:
                self._abandon(search)
            if not search.is_over:
                raise EngineTimeout(f"the search did not end within {timeout:g} seconds")
            return self._result(search)

    async def play(
        self,
        setup: Setup,
        limit: Limit,
        *,
        root_moves: Sequence[str] | None = None,
        side: Side | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Choose a move for the side to move: an analysis of the best line alone.

        The arguments and exceptions are those of `analyse`.
        """
        return await self.analyse(
            setup, limit, multipv=1, root_moves=root_moves, side=side, timeout=timeout
        )

    def analysis(
        self,
        setup: Setup,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Sequence[str] | None = None,
        side: Side | None = None,
    ) -> Analysis:
        """Search a position, and look on: a context manager, and an iterator of infos.

        Without a limit it goes on until it is stopped, which leaving the context does. The
        arguments and exceptions are those of `analyse`; the search begins, and they are
        raised, when the context is entered.
        """

        async def begin() -> RunningSearch:
            async with self._turn:
                return await self._begin(setup, limit or Limit(), multipv, root_moves, side)

        return Analysis(begin, self._abandon, self._result, self.timeout)

    async def ponder(
        self,
        setup: Setup,
        limit: Limit,
        *,
        root_moves: Sequence[str] | None = None,
        side: Side | None = None,
    ) -> Pondering:
        """Search in the enemy's time, from the position after the move that is expected of him.

        When he makes it, `Pondering.hit` turns this into a search of ours under the limit;
        otherwise the next call stops it. Arguments and exceptions are those of `analyse`.
        """
        async with self._turn:
            search = await self._begin(setup, limit, 1, root_moves, side, ponder=True)
            return Pondering(self._dialogue, search)

    # Questions about a position.

    async def legal_moves(self, setup: Setup) -> tuple[str, ...]:
        """List the tokens of all legal moves, sorted; none when the game is over.

        Raises `Unsupported` when the engine cannot, as most that know only UCI.
        """
        (moves,) = await self._query(setup, "legalmoves")
        return tuple(moves.split())

    async def result(self, setup: Setup) -> Verdict:
        """Say how the game stands; raises `Unsupported` when the engine cannot."""
        try:
            answers = await self._query(setup, "result", "p1turn", "reason", "score")
        except Unsupported:
            # Most engines pass over the last two, which are kibitz's own.
            answers = [*await self._query(setup, "result", "p1turn"), "unknown", "unknown"]
        result, first_moves, reason, score = answers
        return Verdict(
            result=result,
            side=Side.WHITE if first_moves == "true" else Side.BLACK,
            reason=None if reason in ("unknown", "none") else reason,
            points=_points(score),
        )

    async def queries(self, setup: Setup, *subjects: str) -> list[str]:
        """Ask several questions of UGI about a position at once; `unknown` is an answer here.

        Raises `Unsupported` when the engine does not answer all of them.
        """
        return await self._query(setup, *(one_line("subject", subject) for subject in subjects))

    async def query(self, subject: str, setup: Setup | None = None) -> str:
        """Ask one question of UGI, such as `fen`, `islegal a1a2` or `startpos`.

        Without a setup it is about the position as it is, and disturbs no search. Raises
        `Unsupported` when the engine does not answer.
        """
        one_line("subject", subject)
        if setup is None:
            (answer,) = self._answers(await self._ask(f"query {subject}"), (subject,))
        else:
            (answer,) = await self._query(setup, subject)
        if answer == "unknown":
            raise Unsupported(f"{self.name or 'the engine'} does not know query {subject}")
        return answer

    # The engine itself.

    async def configure(self, options: Mapping[str, Value]) -> None:
        """Set options, from now on and for every game.

        All are checked before any is set: raises `BadOption`, which names the option and
        what it can be, and `EngineRefused` if the engine disagrees. Options that belong to
        one game, such as its board, can be part of a `Setup` instead.
        """
        checked = [(option := self._options.find(n), option.read(v)) for n, v in options.items()]
        async with self._turn:
            await self._rest()
            await self._order(self._settings.configure(checked))

    async def new_game(self) -> None:
        """Have the engine forget what it knows of the game before."""
        async with self._turn:
            await self._rest()
            await self._ask("ucinewgame" if self._dialogue.uci else "uginewgame")

    async def ping(self) -> float:
        """Wait until the engine answers, and give the seconds that took; can be in a search."""
        begun = anyio.current_time()
        await self._ask(wants_answers=False)
        return anyio.current_time() - begun

    async def quit(self) -> None:
        """End the whole connection, and the process if there is one: with `quit`, or by force.

        Leaving the context does the same. Afterwards every call raises `EngineTerminated`
        or `ConnectionLost`.
        """
        await self._wire.quit(PATIENCE)

    async def close(self) -> None:
        """End the whole connection, and the process if there is one, without patience."""
        await self._wire.quit(0.0)

    # Inside.

    @property
    def _options(self) -> OptionList:
        return self._dialogue.options

    async def _ask(self, *questions: str, wants_answers: bool = True) -> Batch:
        """Ask, wait for the answers, and raise what they say is wrong."""
        batch = self._dialogue.ask(*questions, wants_answers=wants_answers)
        with anyio.move_on_after(self.timeout):
            await batch.done.wait()
        if batch.failed:
            raise EngineRefused(batch.failed[0].code, batch.failed[0].text)
        if not batch.is_complete:
            if self._dialogue.lost is not None:
                raise self._dialogue.lost()
            raise EngineTimeout(f"the engine did not answer within {self.timeout:g} seconds")
        return batch

    async def _order(self, orders: Sequence[str]) -> Batch | None:
        """Give orders that change options; if one is refused, none is taken as done."""
        if not orders:
            return None
        try:
            return await self._ask(*orders)
        except BaseException:
            self._settings.doubt()
            raise

    async def _set_up(self, setup: Setup, multipv: int | None, questions: Sequence[str]) -> Batch:
        """Set a position, and ask about it; the turn is ours."""
        if setup.deal is not None and not self._options.has("Deal"):
            raise Unsupported(f"{self.name or 'the engine'} knows no deals")
        orders = self._settings.prepare(setup, multipv)
        try:
            await self._rest()
            return await self._ask(
                *orders,
                *wording.position(setup, self._dialogue.uci),
                *(f"query {question}" for question in questions),
            )
        except BaseException:
            if orders:
                self._settings.doubt()
            raise

    async def _query(self, setup: Setup, *questions: str) -> list[str]:
        async with self._turn:
            return self._answers(await self._set_up(setup, None, questions), questions)

    def _answers(self, batch: Batch, questions: Sequence[str]) -> list[str]:
        if len(batch.responses) != len(questions):
            raise Unsupported(f"{self.name or 'the engine'} does not answer queries")
        return batch.responses

    async def _begin(
        self,
        setup: Setup,
        limit: Limit,
        multipv: int | None,
        root_moves: Sequence[str] | None,
        side: Side | None,
        *,
        ponder: bool = False,
    ) -> RunningSearch:
        """Begin a search; the turn is ours."""
        uci = self._dialogue.uci
        order = wording.go(limit, root_moves, uci, ponder)
        is_ready = setup.deal is None and self._settings.is_prepared(setup, multipv)
        if side is not None and is_ready:
            await self._rest()
            for line in wording.position(setup, uci):
                self._dialogue.say(line)
            return self._dialogue.go(order, side, is_confirmed=False)
        batch = await self._set_up(setup, multipv, () if uci or side is not None else ("p1turn",))
        if batch.responses and batch.responses[0] in ("true", "false"):
            side = Side.WHITE if batch.responses[0] == "true" else Side.BLACK
        return self._dialogue.go(order, side)

    async def _rest(self) -> None:
        """Stop a search that still runs, and wait for its answer."""
        search = self._dialogue.search
        if search is None:
            return
        self._dialogue.stop()
        with anyio.move_on_after(self.timeout):
            await follow(search)
        if not search.is_over:
            raise EngineTimeout(f"stop was not answered within {self.timeout:g} seconds")
        if self._dialogue.lost is not None:
            raise self._dialogue.lost()

    def _abandon(self, search: RunningSearch) -> None:
        """Stop a search, if it still runs; its answer is waited for by who comes next."""
        if self._dialogue.search is search and self._dialogue.lost is None:
            self._dialogue.stop()

    def _result(self, search: RunningSearch) -> Result:
        if not search.is_answered:
            assert self._dialogue.lost is not None
            raise self._dialogue.lost()
        return search.result()


def _points(text: str) -> tuple[float, float] | None:
    words = text.split()
    try:
        first, second = map(float, words)
    except ValueError:
        return None
    return first, second
