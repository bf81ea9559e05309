"""One engine: a game, its options, a hash table, and at most one job; a state machine.

A session is driven from one thread: by `receive` with a command, and, from the host that
runs its jobs and gives it its turns, by `reported`, `ended` and `proceed`. It never waits
and knows no threads, no event loop and no bytes.

    state       what runs                  the answer is written
    IDLE        nothing
    SETTING_UP  a command with many moves  when the last of them was looked at
    SEARCHING   a search, perft or bench   when it ends
    ANALYSING   a search without end       when it has ended and `stop` came
    PONDERING   a search ahead of time     when it has ended and `stop` or `ponderhit` came
    STOPPING    a job that was stopped     when it ends, which is soon

    IDLE --a command with many moves--> SETTING_UP --the last piece of them--> IDLE
    IDLE --go--> SEARCHING, ANALYSING or PONDERING, by SETTING_UP if it names many moves
    PONDERING --ponderhit--> SEARCHING or, without limits, ANALYSING
    SEARCHING, ANALYSING, PONDERING --stop--> STOPPING
    SEARCHING, STOPPING --the job ends--> IDLE

A search that ends by itself while ANALYSING or PONDERING is held as `_held`; then `stop`
answers at once and leads straight to IDLE.

A command that needs the engine for itself stops the job and waits, and whatever comes
after it waits behind it, so that every answer is written in the order of the commands.
While SETTING_UP every command waits.
"""

from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol import commands, queries
from kibitz.protocol import options as names
from kibitz.protocol.commands import Command
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.host import Host
from kibitz.protocol.jobs import (
    BenchJob,
    Job,
    PerftJob,
    SearcherMaker,
    SearchJob,
    SearchSettings,
    finished_line,
    is_lack_of_memory,
)
from kibitz.protocol.pieces import Pieces, legal_among
from kibitz.protocol.replies import BestMove, Fault, ReadyOk, Reply, Response, fault_of
from kibitz.protocol.setting import Setting
from kibitz.search import bench
from kibitz.search.driver import Search, processors
from kibitz.search.table import Table

SEARCHERS: Mapping[str, SearcherMaker] = {"alphabeta": Search}


class State(Enum):
    """What a session is doing; the module's text has the transitions."""

    IDLE = "idle"
    SETTING_UP = "setting up"
    SEARCHING = "searching"
    ANALYSING = "analysing"
    PONDERING = "pondering"
    STOPPING = "stopping"


class Session:
    """An engine that carries out commands.

    A command may be `prefixed`, which means that its answer has to be.
    """

    def __init__(
        self,
        name: str,
        host: Host,
        searchers: Mapping[str, SearcherMaker] = SEARCHERS,
        game: str | None = None,
    ) -> None:
        """Begin with a game, by its name, or with the default one, under default options."""
        self.name = name
        self.state = State.IDLE
        self._host = host
        self._searchers = searchers
        self._setting = Setting(host.quota, game)
        self._table: Table | None = None
        self._table_in_use = False
        self._job: Job | None = None
        self._held: list[Reply] | None = None
        self._after_ponderhit = State.SEARCHING
        self._waiting: deque[tuple[Command, bool]] = deque()
        self._pieces: Pieces | None = None
        self._prefixed = False
        self._job_prefixed = False
        self._handlers: dict[type[Command], Callable[[Any], Pieces | None]] = {
            commands.IsReady: lambda command: self._send(ReadyOk()),
            commands.SetOption: self._set_option,
            commands.NewGame: lambda command: self._new_game(),
            commands.SetPosition: self._setting.set_position,
            commands.MakeMoves: lambda command: self._setting.make_moves(command.moves),
            commands.Go: self._go,
            commands.RefusedGo: self._refuse_go,
            commands.Perft: self._perft,
            commands.Bench: self._bench,
            commands.Stop: lambda command: self._stop(),
            commands.PonderHit: lambda command: self._ponderhit(),
            commands.Query: self._query,
            commands.Legal: lambda command: self._send(queries.legal_moves(self._setting.play)),
            commands.Display: lambda command: self._send(queries.show_board(self._setting.play)),
            commands.Evaluate: lambda command: self._send(
                queries.show_evaluation(self._setting.play)
            ),
            commands.CloseSession: lambda command: self._host.closed(self),
        }

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return self.state is State.IDLE and not self._waiting

    @property
    def is_waiting(self) -> bool:
        """Whether commands wait, for a stopped job to end or for a turn to set up more."""
        return bool(self._waiting)

    # The calls that drive a session.

    def receive(self, command: Command, prefixed: bool = False) -> None:
        """Carry out a command, now or as soon as what it waits for is done."""
        self._waiting.append((command, prefixed))
        if len(self._waiting) == 1:
            self._carry_out()

    def proceed(self) -> None:
        """Go on with the command that is carried out in pieces."""
        assert self.state is State.SETTING_UP
        self.state = State.IDLE
        self._carry_out()

    def reported(self, job: Job, report: Any) -> None:
        """Take a report of the job that runs."""
        assert job is self._job
        try:
            for reply in job.progress(report):
                self._answer(reply)
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            self._answer(fault_of(error))

    def ended(self, job: Job, result: Any, error: BaseException | None = None) -> None:
        """Take the end of the job that ran: its result, or the exception it raised."""
        assert job is self._job
        self._job = None
        if self._table_in_use:
            self._table_in_use = False
            self._host.use_table(self, False)
        replies = _last_replies(job, result, error)
        is_refused = is_lack_of_memory(error)
        if self.state in (State.ANALYSING, State.PONDERING) and not is_refused:
            self._held = replies
            return
        self.state = State.IDLE
        for reply in replies:
            self._answer(reply)
        self._carry_out()

    def lose_table(self) -> None:
        """Forget the hash table, which no search uses: its memory is wanted elsewhere."""
        self._table = None

    # Commands in turn.

    def _carry_out(self) -> None:
        """Carry out the commands that wait, up to one that has to wait longer."""
        while self._waiting:
            command, self._prefixed = self._waiting[0]
            if self._needs_rest(command):
                self._stop()
                if self.state is not State.IDLE:
                    return
            if not self._take_step(command):
                return
            self._waiting.popleft()

    def _take_step(self, command: Command) -> bool:
        """Carry out a command, or one piece of it; gives True when all is done."""
        try:
            if self._pieces is None:
                self._pieces = self._handlers[type(command)](command)
            if self._pieces is not None and _has_more(self._pieces):
                self.state = State.SETTING_UP
                self._host.later(self)
                return False
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            self._send(fault_of(error))
            if isinstance(command, commands.Go) and self.state is State.IDLE:
                self._send(BestMove())
        self._pieces = None
        return True

    def _needs_rest(self, command: Command) -> bool:
        """Tell whether no job may run when the command is carried out."""
        if isinstance(command, commands.SetOption):
            return self._setting.matters(command)
        return command.stops_search

    def _send(self, reply: Reply) -> None:
        """Answer the command that is carried out."""
        self._host.send(self, reply, self._prefixed)

    def _answer(self, reply: Reply) -> None:
        """Answer the command that began the job."""
        self._host.send(self, reply, self._job_prefixed)

    # Options, the game, questions.

    def _set_option(self, command: commands.SetOption) -> None:
        replies, outdated = self._setting.set_option(command)
        if outdated:
            self._drop_table()
        for reply in replies:
            self._send(reply)

    def _new_game(self) -> None:
        self._setting.new_game()
        # A new table is cheaper than an emptied one: its memory comes zeroed, when used.
        self._drop_table()

    def _drop_table(self) -> None:
        if self._table is not None:
            self._table = None
            self._host.drop_table(self)

    def _query(self, command: commands.Query) -> None:
        play, options = self._setting.play, self._setting.options
        answer = queries.answer_query(play, options, command.subject, command.argument)
        self._send(Response(answer))

    # Jobs.

    def _go(self, command: commands.Go) -> Pieces:
        play, options = self._setting.play, self._setting.options
        root_moves = None
        if command.search_moves is not None and not play.is_over:
            root_moves = yield from legal_among(play, command.search_moves)
            if not root_moves:
                raise Refusal(ErrorCode.BAD_LIMIT, "searchmoves: none of the moves is legal")
        going_on = State.ANALYSING if command.infinite else State.SEARCHING
        self._after_ponderhit = going_on
        state = State.PONDERING if command.ponder else going_on
        show_wdl = options.is_on(names.SHOW_WDL)
        if play.is_over:
            self._job_prefixed = self._prefixed
            self._held = [finished_line(play, show_wdl), BestMove()]
            self.state = state
            if state is State.SEARCHING:
                self._let_go()
            return
        settings = SearchSettings(
            limit=command.limit,
            root_moves=root_moves,
            multipv=options.number(names.MULTIPV),
            threads=min(options.number(names.THREADS), processors()),
            overhead=options.number(names.MOVE_OVERHEAD),
            pondering=command.ponder,
            show_wdl=show_wdl,
        )
        self._search(settings, state)

    def _search(self, settings: SearchSettings, state: State) -> None:
        make = self._searchers[self._setting.options.text(names.SEARCHER)]
        job = SearchJob(make, self._setting.play, self._take_table, settings)
        self._start(job, state, settings.threads)

    def _take_table(self) -> Table:
        """Give the hash table for a search that begins now; of the one before if there is one."""
        megabytes = self._setting.options.number(names.HASH)
        if self._table is None or self._table.megabytes < megabytes:
            self._table = self._host.table(self, megabytes)
        self._table_in_use = True
        self._host.use_table(self, True)
        return self._table

    def _refuse_go(self, command: commands.RefusedGo) -> None:
        self._send(Fault(command.code, command.text))
        self._send(BestMove())

    def _perft(self, command: commands.Perft) -> None:
        self._start(PerftJob(self._setting.play, command.depth), State.SEARCHING)

    def _bench(self, command: commands.Bench) -> None:
        entries = bench.sample_positions(find_game(name) for name in GAME_NAMES)
        depth = bench.DEPTH if command.depth is None else command.depth
        self._start(BenchJob(bench.Bench(entries, depth)), State.SEARCHING)

    def _start(self, job: Job, state: State, threads: int = 1) -> None:
        self._host.start(self, job, threads)
        self._job = job
        self._job_prefixed = self._prefixed
        self.state = state

    def _stop(self) -> None:
        """Stop the job, or let go of the answer that is held."""
        if self._held is not None:
            self._let_go()
        elif self._job is not None and self.state is not State.STOPPING:
            self.state = State.STOPPING
            self._host.stop(self, self._job)

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
            self._answer(reply)


def _has_more(pieces: Pieces) -> bool:
    """Do one piece of some work; tells whether more of it is left."""
    return any(True for _ in pieces)


def _last_replies(job: Job, result: Any, error: BaseException | None) -> list[Reply]:
    """Turn the end of a job into replies, whatever goes wrong on the way."""
    if error is not None:
        return job.failure(error)
    try:
        return job.answer(result)
    except Exception as bug:  # noqa: BLE001 - an answer is owed
        return job.failure(bug)
