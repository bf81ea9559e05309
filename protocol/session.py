"""One engine: a game, its options, a hash table, and at most one job; a state machine.

A session is driven from one thread, by three calls: `receive` with a command, and, from
the host that runs its jobs, `reported` and `ended`. It never waits and knows no threads,
no event loop and no bytes.

    state       what runs                  the answer is written
    IDLE        nothing
    SEARCHING   a search, perft or bench   when it ends
    ANALYSING   a search without end       when it has ended and `stop` came
    PONDERING   a search ahead of time     when it has ended and `stop` or `ponderhit` came
    STOPPING    a job that was stopped     when it ends, which is soon

    IDLE --go--> SEARCHING, ANALYSING or PONDERING
    PONDERING --ponderhit--> SEARCHING or, without limits, ANALYSING
    SEARCHING, ANALYSING, PONDERING --stop--> STOPPING
    SEARCHING, STOPPING --the job ends--> IDLE

A search that ends by itself while ANALYSING or PONDERING is held as `_held`; then `stop`
answers at once and leads straight to IDLE.

A command that needs the engine for itself stops the job and waits, and whatever comes
after it waits behind it, so that every answer is written in the order of the commands.
"""

from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Protocol

from kibitz.engine.errors import InputError, MoveError, OptionError
from kibitz.engine.game import Game
from kibitz.engine.options import Option
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol import commands, queries
from kibitz.protocol import options as names
from kibitz.protocol.commands import Command
from kibitz.protocol.faults import ErrorCode, Refusal, describe_bug
from kibitz.protocol.jobs import (
    BenchJob,
    Job,
    PerftJob,
    SearcherMaker,
    SearchJob,
    SearchSettings,
    finished_line,
)
from kibitz.protocol.options import Options
from kibitz.protocol.replies import BestMove, Fault, ReadyOk, Reply, Response, Variant
from kibitz.search import bench
from kibitz.search.driver import Search, processors
from kibitz.search.table import Table

SEARCHERS: Mapping[str, SearcherMaker] = {"alphabeta": Search}


class State(Enum):
    """What a session is doing; the module's text has the transitions."""

    IDLE = "idle"
    SEARCHING = "searching"
    ANALYSING = "analysing"
    PONDERING = "pondering"
    STOPPING = "stopping"


class Host(Protocol):
    """What a session needs of its surroundings."""

    def send(self, session: "Session", reply: Reply) -> None:
        """Pass a reply on to the client."""

    def start(self, session: "Session", job: Job) -> None:
        """Run a job in a worker thread.

        Its reports go to `session.reported`, its end, just once, to `session.ended`.
        Neither is called from within `start`.
        """


class Session:
    """An engine that carries out commands."""

    def __init__(
        self, name: str, host: Host, searchers: Mapping[str, SearcherMaker] = SEARCHERS
    ) -> None:
        """Begin with the default game, under default options."""
        self.name = name
        self.state = State.IDLE
        self._host = host
        self._searchers = searchers
        self._options = Options()
        self._game: Game = find_game(self._options.text(names.GAME))
        self._play = Play(self._game, self._options.values)
        self._table: Table | None = None
        self._job: Job | None = None
        self._held: list[Reply] | None = None
        self._after_ponderhit = State.SEARCHING
        self._waiting: deque[Command] = deque()
        self._handlers: dict[type[Command], Callable[[Any], None]] = {
            commands.IsReady: lambda command: self._send(ReadyOk()),
            commands.SetOption: self._set_option,
            commands.NewGame: lambda command: self._new_game(),
            commands.SetPosition: self._set_position,
            commands.MakeMoves: lambda command: self._make_moves(command.moves),
            commands.Go: self._go,
            commands.RefusedGo: self._refuse_go,
            commands.Perft: self._perft,
            commands.Bench: self._bench,
            commands.Stop: lambda command: self._stop(),
            commands.PonderHit: lambda command: self._ponderhit(),
            commands.Query: self._query,
            commands.Legal: lambda command: self._send(queries.legal_moves(self._play)),
            commands.Display: lambda command: self._send(queries.show_board(self._play)),
            commands.Evaluate: lambda command: self._send(queries.show_evaluation(self._play)),
        }

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return self.state is State.IDLE and not self._waiting

    @property
    def is_waiting(self) -> bool:
        """Whether commands wait for a job to end that was stopped."""
        return bool(self._waiting)

    # The three calls that drive a session.

    def receive(self, command: Command) -> None:
        """Carry out a command, now or as soon as what it waits for has ended."""
        self._waiting.append(command)
        if len(self._waiting) == 1:
            self._carry_out()

    def reported(self, job: Job, report: Any) -> None:
        """Take a report of the job that runs."""
        assert job is self._job
        try:
            for reply in job.progress(report):
                self._send(reply)
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            self._send(Fault(ErrorCode.INTERNAL, describe_bug(error)))

    def ended(self, job: Job, result: Any, error: BaseException | None = None) -> None:
        """Take the end of the job that ran: its result, or the exception it raised."""
        assert job is self._job
        self._job = None
        replies = _last_replies(job, result, error)
        if self.state in (State.ANALYSING, State.PONDERING):
            self._held = replies
            return
        self.state = State.IDLE
        for reply in replies:
            self._send(reply)
        self._carry_out()

    # Commands in turn.

    def _carry_out(self) -> None:
        """Carry out the commands that wait, up to one that has to wait longer."""
        while self._waiting:
            if self._needs_rest(self._waiting[0]):
                self._stop()
                if self.state is not State.IDLE:
                    return
            command = self._waiting[0]
            try:
                self._handlers[type(command)](command)
            except Refusal as refusal:
                self._send(Fault(refusal.code, refusal.text))
            except Exception as error:  # noqa: BLE001 - a bug must not end the process
                self._send(Fault(ErrorCode.INTERNAL, describe_bug(error)))
                if isinstance(command, commands.Go) and self.state is State.IDLE:
                    self._send(BestMove())
            self._waiting.popleft()

    def _needs_rest(self, command: Command) -> bool:
        """Tell whether no job may run when the command is carried out."""
        if isinstance(command, commands.SetOption):
            try:
                option, value = self._options.check(command.name, command.value)
            except OptionError:
                return False
            matters = names.matters_to_search(option, self._game)
            return matters and self._options.changes(option, value)
        return command.stops_search

    def _send(self, reply: Reply) -> None:
        self._host.send(self, reply)

    # Options and the game.

    def _set_option(self, command: commands.SetOption) -> None:
        try:
            option, value = self._options.check(command.name, command.value)
            if self._options.changes(option, value):
                self._change(option, value)
        except InputError as error:
            raise Refusal(ErrorCode.BAD_OPTION, str(error)) from None
        if option is names.GAME:
            self._send(self._variant())

    def _change(self, option: Option, value: str) -> None:
        before = self._options.text(option)
        self._options.set(option, value)
        if names.begins_game(option, self._game):
            try:
                game = find_game(self._options.text(names.GAME))
                self._play = Play(game, self._options.values)
            except InputError:
                self._options.set(option, before)
                raise
            self._game = game
            self._table = None
        elif option in (names.HASH, names.SEARCHER):
            self._table = None

    def _variant(self) -> Variant:
        """Describe the game's board by the first field of its position text."""
        start = self._game.start_text(self._play.settings)
        rows = start.split()[0].split("/")
        return Variant(self._game.name, max(map(_width, rows)), len(rows), start)

    def _new_game(self) -> None:
        self._play = Play(self._game, self._options.values)
        # A new table is cheaper than an emptied one: its memory comes zeroed, when used.
        self._table = None

    def _set_position(self, command: commands.SetPosition) -> None:
        if command.deal is not None and not self._game.is_dealt:
            raise Refusal(ErrorCode.BAD_POSITION, f"deal: {self._game.name} is not dealt")
        try:
            self._play = Play(self._game, self._options.values, command.text, command.deal)
        except InputError as error:
            raise Refusal(ErrorCode.BAD_POSITION, str(error)) from None
        self._make_moves(command.moves)

    def _make_moves(self, moves: tuple[str, ...]) -> None:
        try:
            self._play.push_all(moves)
        except MoveError as error:
            raise Refusal(ErrorCode.BAD_MOVE, str(error)) from None

    # Jobs.

    def _go(self, command: commands.Go) -> None:
        root_moves = None
        if command.search_moves is not None and not self._play.is_over:
            root_moves = self._root_moves(command.search_moves)
            if not root_moves:
                text = "searchmoves: none of the moves is legal"
                self._refuse_go(commands.RefusedGo(ErrorCode.BAD_LIMIT, text))
                return
        going_on = State.ANALYSING if command.infinite else State.SEARCHING
        self._after_ponderhit = going_on
        state = State.PONDERING if command.ponder else going_on
        show_wdl = self._options.is_on(names.SHOW_WDL)
        if self._play.is_over:
            self._held = [finished_line(self._play, show_wdl), BestMove()]
            self.state = state
            if state is State.SEARCHING:
                self._let_go()
            return
        settings = SearchSettings(
            limit=command.limit,
            root_moves=root_moves,
            multipv=self._options.number(names.MULTIPV),
            threads=min(self._options.number(names.THREADS), processors()),
            overhead=self._options.number(names.MOVE_OVERHEAD),
            pondering=command.ponder,
            show_wdl=show_wdl,
        )
        try:
            if self._table is None:
                self._table = Table(self._options.number(names.HASH))
            make = self._searchers[self._options.text(names.SEARCHER)]
            job = SearchJob(make, self._play, self._table, settings)
        except (MemoryError, OSError):
            text = "there is no memory for the search; set Hash to less"
            self._refuse_go(commands.RefusedGo(ErrorCode.OVER_LIMIT, text))
            return
        self._start(job, state)

    def _root_moves(self, tokens: tuple[str, ...]) -> tuple[int, ...]:
        """Give those of the moves that are legal, each once."""
        moves: dict[int, None] = {}
        for token in tokens:
            try:
                moves[self._play.read_legal(token)] = None
            except MoveError:
                continue
        return tuple(moves)

    def _refuse_go(self, command: commands.RefusedGo) -> None:
        self._send(Fault(command.code, command.text))
        self._send(BestMove())

    def _perft(self, command: commands.Perft) -> None:
        self._start(PerftJob(self._play, command.depth), State.SEARCHING)

    def _bench(self, command: commands.Bench) -> None:
        entries = bench.sample_positions(find_game(name) for name in GAME_NAMES)
        depth = bench.DEPTH if command.depth is None else command.depth
        self._start(BenchJob(bench.Bench(entries, depth)), State.SEARCHING)

    def _start(self, job: Job, state: State) -> None:
        self._job = job
        self.state = state
        self._host.start(self, job)

    def _stop(self) -> None:
        """Stop the job, or let go of the answer that is held."""
        if self._held is not None:
            self._let_go()
        elif self._job is not None and self.state is not State.STOPPING:
            self.state = State.STOPPING
            self._job.stop()

    def _ponderhit(self) -> None:
        """Let the search that ponders go on; one that is over and has limits is answered."""
        if self.state is not State.PONDERING:
            return
        self.state = self._after_ponderhit
        if isinstance(self._job, SearchJob):
            self._job.ponderhit()
        elif self.state is State.SEARCHING:
            self._let_go()

    def _let_go(self) -> None:
        """Write the answer that is held."""
        held = self._held or []
        self._held = None
        self.state = State.IDLE
        for reply in held:
            self._send(reply)

    # Questions.

    def _query(self, command: commands.Query) -> None:
        answer = queries.answer_query(self._play, self._options, command.subject, command.argument)
        self._send(Response(answer))


def _last_replies(job: Job, result: Any, error: BaseException | None) -> list[Reply]:
    """Turn the end of a job into replies, whatever goes wrong on the way."""
    if error is not None:
        return job.failure(error)
    try:
        return job.answer(result)
    except Exception as bug:  # noqa: BLE001 - an answer is owed
        return job.failure(bug)


def _width(row: str) -> int:
    """Count the cells of a row of a position text: a letter is one, a number is many."""
    cells = 0
    run = ""
    for letter in row + " ":
        if letter.isdigit():
            run += letter
            continue
        cells += int(run or 0) + 1
        run = ""
    return cells - 1
