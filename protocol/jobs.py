"""What an engine does in a worker thread: a search, a perft or a bench, one at a time.

A job's life: the event loop's thread makes it and hands it to a host, which, when its
turn comes, calls `prepare` in the same thread and then `run` in a worker thread. `run`
reports through the function that it is given. The host brings reports and the result back
to the loop's thread, where the session turns them into replies with `progress` and
`answer`, or `failure` after an exception. `stop` may come from any thread at any time,
before `run` too, and makes `run` return soon. So may `pause` and `resume`, by which
whoever runs several jobs lets them take turns; a paused job can be stopped like any other.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.protocol.faults import ErrorCode, describe_bug
from kibitz.protocol.replies import BenchResult, BestMove, Fault, MoveCount, Progress, Reply, Total
from kibitz.search import clock
from kibitz.search.bench import Bench, Finished
from kibitz.search.info import Info, Outcome, Score, chances
from kibitz.search.limits import Limit
from kibitz.search.perft import Perft
from kibitz.search.table import Table

Report = Callable[[Any], None]

NO_MEMORY = "there is no memory for the search; set Hash to less"


class Job(ABC):
    """Something that runs in a worker thread and can be paused and stopped."""

    def prepare(self) -> None:  # noqa: B027 - most jobs have nothing to do
        """Make what `run` needs, just before it, in the loop's thread; may raise."""

    @abstractmethod
    def run(self, report: Report) -> Any:
        """Do the work, in a worker thread; what it reports and returns is its own affair."""

    @abstractmethod
    def stop(self) -> None:
        """Make `run` return soon."""

    @abstractmethod
    def pause(self) -> None:
        """Make `run` wait soon, using no processor time, until `resume` or `stop`."""

    @abstractmethod
    def resume(self) -> None:
        """Let `run` go on."""

    @abstractmethod
    def progress(self, report: Any) -> list[Reply]:
        """Turn a report into replies."""

    @abstractmethod
    def answer(self, result: Any) -> list[Reply]:
        """Turn the result of `run` into the last replies."""

    def failure(self, error: BaseException) -> list[Reply]:
        """Give the last replies when `run`, or one of the others, raised an exception."""
        return [Fault(ErrorCode.INTERNAL, describe_bug(error))]


class Searcher(Protocol):
    """What a session needs of a search."""

    def run(self) -> Outcome:
        """Search, in a worker thread."""

    def stop(self) -> None:
        """Make `run` return soon."""

    def pause(self) -> None:
        """Make `run` wait soon, until `resume` or `stop`."""

    def resume(self) -> None:
        """Let `run` go on."""

    def ponderhit(self) -> None:
        """Let the limits count from now on."""


class SearcherMaker(Protocol):
    """How a search is made; the class `kibitz.search.driver.Search` is one."""

    def __call__(
        self,
        position: Position,
        table: Table,
        limit: Limit,
        *,
        report: Callable[[list[Info]], None],
        root_moves: Sequence[int] | None,
        multipv: int,
        threads: int,
        overhead: int,
        pondering: bool,
        begun: int | None,
    ) -> Searcher:
        """Make a search of a position."""


class SearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How to search: the limit, the moves to look at (None for all), and values of options."""

    limit: Limit
    root_moves: tuple[int, ...] | None = None
    multipv: int = 1
    threads: int = 1
    overhead: int = 0
    pondering: bool = False
    show_wdl: bool = False


class _Relay:
    """Passes a search's infos on to the report that `run` was given.

    A search that knew its job would make a circle of the two, and a table that nobody wants
    any more would keep its memory until the collector of circles came by.
    """

    def __init__(self) -> None:
        self.report: Report | None = None

    def pass_on(self, infos: list[Info]) -> None:
        if self.report is not None:
            self.report(infos)


class SearchJob(Job):
    """A search. `play` must stand still until the search has been answered.

    Its clock runs from the beginning; the search itself, its buffers and its table are made
    when its turn has come.
    """

    def __init__(
        self,
        make: SearcherMaker,
        play: Play,
        take_table: Callable[[], Table],
        settings: SearchSettings,
    ) -> None:
        """Remember what to search; `take_table` is called by `prepare` and may raise."""
        self._make = make
        self._play = play
        self._take_table = take_table
        self._settings = settings
        self._begun = clock.now()
        self._pondering = settings.pondering
        self._best_line: Info | None = None
        self._relay = _Relay()
        self._search: Searcher | None = None
        self._is_stopped = False
        self._is_paused = False

    def prepare(self) -> None:
        """Make the search; one that was stopped already needs hardly any table."""
        settings = self._settings
        search = self._make(
            self._play.position,
            Table(1) if self._is_stopped else self._take_table(),
            settings.limit,
            report=self._relay.pass_on,
            root_moves=settings.root_moves,
            multipv=settings.multipv,
            threads=settings.threads,
            overhead=settings.overhead,
            pondering=self._pondering,
            begun=self._begun,
        )
        if self._is_stopped:
            search.stop()
        if self._is_paused:
            search.pause()
        self._search = search

    def run(self, report: Report) -> Outcome:
        """Search, after `prepare`."""
        assert self._search is not None
        self._relay.report = report
        try:
            return self._search.run()
        finally:
            self._relay.report = None

    def stop(self) -> None:
        """Stop the search."""
        self._is_stopped = True
        if self._search is not None:
            self._search.stop()

    def pause(self) -> None:
        """Make the search wait."""
        self._is_paused = True
        if self._search is not None:
            self._search.pause()

    def resume(self) -> None:
        """Let the search go on."""
        self._is_paused = False
        if self._search is not None:
            self._search.resume()

    def ponderhit(self) -> None:
        """Let the limits of the search count from now on."""
        if self._search is not None:
            self._search.ponderhit()
        elif self._pondering:
            self._pondering = False
            self._begun = clock.now()

    def progress(self, report: list[Info]) -> list[Reply]:
        """Turn infos into lines of progress, and keep the best line."""
        for info in report:
            if info.multipv == 1:
                self._best_line = info
        return [self._line(info) for info in report]

    def answer(self, result: Outcome) -> list[Reply]:
        """Give the best line once more, with the totals, and the best move."""
        if result.best is None:
            return [finished_line(self._play, self._settings.show_wdl), BestMove()]
        moves = [result.best] if result.expected is None else [result.best, result.expected]
        tokens = tuple(self._play.line(moves))
        info = self._best_line
        if info is None:
            # Stopped before the first report: the position's own value has to do.
            last = self._valued(Progress(score=Score(cp=self._play.position.value())))
        else:
            last = self._line(info)
        last = msgspec.structs.replace(
            last,
            nodes=result.nodes,
            nps=result.nps,
            time=result.time,
            pv=last.pv if last.pv[:1] == tokens[:1] else tokens,
            last=True,
        )
        return [last, BestMove(*tokens)]

    def _line(self, info: Info) -> Progress:
        return self._valued(
            Progress(
                depth=info.depth,
                seldepth=info.seldepth,
                multipv=info.multipv,
                score=info.score,
                bound=info.bound,
                nodes=info.nodes,
                nps=info.nps,
                hashfull=info.hashfull,
                time=info.time,
                pv=tuple(self._play.line(info.pv)),
            )
        )

    def _valued(self, line: Progress) -> Progress:
        """Add the chances, when they are wanted."""
        return (
            msgspec.structs.replace(line, wdl=chances(line.score))
            if self._settings.show_wdl
            else line
        )

    def failure(self, error: BaseException) -> list[Reply]:
        """Say what happened, and answer with some legal move: programs wait for one.

        A search that there was no memory for is refused, and its answer is no move.
        """
        if is_lack_of_memory(error):
            return [Fault(ErrorCode.OVER_LIMIT, NO_MEMORY), BestMove()]
        return [*super().failure(error), BestMove(next(iter(self._play.legal_tokens()), None))]


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Tell whether a job could not begin because there was no memory for it."""
    return isinstance(error, (MemoryError, OSError))


def finished_line(play: Play, show_wdl: bool) -> Progress:
    """Give the score of a game that is over, as a search of depth 0."""
    winner = {"p1win": 0, "p2win": 1}.get(play.result)
    if winner is None:
        score, wdl = Score(cp=0), (0, 1000, 0)
    else:
        won = winner == play.position.side
        score, wdl = Score(mate=0), (1000, 0, 0) if won else (0, 0, 1000)
    return Progress(score=score, wdl=wdl if show_wdl else None, last=True)


class PerftJob(Job):
    """A perft, reported by first moves."""

    def __init__(self, play: Play, depth: int) -> None:
        """Prepare a count of the sequences of `depth` turns."""
        self._perft = Perft(play.position)
        self._depth = depth
        moves = [(play.game.token(play.position, move), move) for move in play.legal_moves()]
        self._moves = sorted(moves)
        self._stopped = False

    def run(self, report: Report) -> Total:
        """Count."""
        if self._depth == 0:
            return Total(1, 0)
        begun = time.perf_counter()
        total = 0
        for token, move in self._moves:
            count = self._perft.divide(move, self._depth)
            if self._stopped:
                return Total(total, 0, stopped=True)
            total += count
            report(MoveCount(token, count))
        return Total(total, int(total / max(time.perf_counter() - begun, 1e-6)))

    def stop(self) -> None:
        """Stop the count."""
        self._stopped = True
        self._perft.stop()

    def pause(self) -> None:
        """Make the count wait."""
        self._perft.pause()

    def resume(self) -> None:
        """Let the count go on."""
        self._perft.resume()

    def progress(self, report: MoveCount) -> list[Reply]:
        """Pass on the count of a move."""
        return [report]

    def answer(self, result: Total) -> list[Reply]:
        """Pass on the total."""
        return [result]


class BenchJob(Job):
    """A bench, reported by positions."""

    def __init__(self, bench: Bench) -> None:
        """Prepare to run a bench."""
        self._bench = bench

    def run(self, report: Report) -> Total:
        """Search all positions."""
        nodes = 0
        seconds = 0.0
        for number, done in enumerate(self._bench.run(), 1):
            report(_bench_result(number, len(self._bench), done))
            nodes += done.nodes
            seconds += done.seconds
        return Total(nodes, int(nodes / max(seconds, 1e-6)), stopped=self._bench.stopped)

    def stop(self) -> None:
        """Stop the search that runs, and begin no other."""
        self._bench.stop()

    def pause(self) -> None:
        """Make the bench wait."""
        self._bench.pause()

    def resume(self) -> None:
        """Let the bench go on."""
        self._bench.resume()

    def progress(self, report: BenchResult) -> list[Reply]:
        """Pass on the result of a position."""
        return [report]

    def answer(self, result: Total) -> list[Reply]:
        """Pass on the total."""
        return [result]


def _bench_result(number: int, of: int, done: Finished) -> BenchResult:
    return BenchResult(number, of, done.name, done.nodes, round(done.seconds * 1000))
