"""One search from its limits to its outcome: iterations, windows, threads, reports.

Plain Python round `AlphaBeta`, which searches each depth without the GIL. With several
threads, helpers search the same position on their own and share only the table ("lazy
SMP"); they are started and joined inside `run`.
"""

import os
import threading
from collections.abc import Callable, Sequence

from kibitz.engine.position import Position
from kibitz.search import clock
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.gate import Gate
from kibitz.search.info import Info, Outcome, score_of
from kibitz.search.limits import Budget, Limit, plan_time
from kibitz.search.table import Table
from kibitz.search.values import INFINITY, WIN, WIN_BOUND

MOST_DEPTH = 100
# Reports of iterations that end within so many milliseconds of each other are sent together.
REPORT_GAP = 10
# Half the first window round the last iteration's value, in hundredths.
FIRST_WINDOW = 40
WIDEST_WINDOW = 1000
MILLISECOND = 1_000_000

Report = Callable[[list[Info]], None]


def processors() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Search:
    """A search of one position. Made by any thread, run in a worker thread.

    `run` blocks and holds the GIL only between iterations. `stop`, `ponderhit`, `pause` and
    `resume` may be called from other threads at any time, before `run` too. `report` is
    called in the thread of `run` with the newest infos, oldest first; an iteration has one
    for each line, best first.
    """

    def __init__(
        self,
        position: Position,
        table: Table,
        limit: Limit,
        *,
        report: Report,
        root_moves: Sequence[int] | None = None,
        multipv: int = 1,
        threads: int = 1,
        overhead: int = 0,
        pondering: bool = False,
        begun: int | None = None,
    ) -> None:
        """Prepare a search; `root_moves` are legal ones to choose from, None for all.

        `overhead` is in milliseconds. When `pondering`, no time counts until `ponderhit`.
        Times count from `begun`, of the clock of `kibitz.search.clock`, or else from now.
        """
        legal = position.legal_moves()
        moves = legal if root_moves is None else [move for move in legal if move in root_moves]
        moves.sort(key=lambda move: (position.gain_of(move), position.hint_of(move)), reverse=True)
        self._table = table
        self._limit = limit
        self._report = report
        self._budget: Budget = plan_time(limit, position.side, overhead)
        self._lines = min(max(multipv, 1), max(len(moves), 1))
        self._gate = Gate()
        self._searchers = [
            AlphaBeta(position.copy(), table, self._gate) for _ in range(max(threads, 1))
        ]
        for searcher in self._searchers:
            searcher.begin(moves)
        self._main = self._searchers[0]
        self._choice = len(legal)
        self._begun = clock.now() if begun is None else begun
        self._timed_from = self._begun
        self._pondering = pondering
        self._lock = threading.Lock()
        self._unsent: list[Info] = []
        self._last_sent = self._begun
        self._best_lines: list[tuple[int, ...]] = []

    def stop(self) -> None:
        """Make `run` return soon."""
        for searcher in self._searchers:
            searcher.stop_wanted = True
        self._gate.take_away()

    def pause(self) -> None:
        """Make all threads wait soon, using no processor time, until `resume`.

        Times are those of the clock on the wall: they go on, and a paused search ends when
        its time is up, or when it is stopped.
        """
        self._gate.close()
        for searcher in self._searchers:
            searcher.pause_wanted = True

    def resume(self) -> None:
        """Let a paused search go on."""
        self._gate.open()

    def ponderhit(self) -> None:
        """The expected move was made: the times of the limit count from now on."""
        with self._lock:
            if self._pondering:
                self._pondering = False
                self._timed_from = clock.now()
                self._set_deadline()

    def run(self) -> Outcome:
        """Search until a limit is reached or `stop` is called; give what was found."""
        if not self._main.root_count:
            return self._outcome()
        with self._lock:
            if not self._pondering:
                self._set_deadline()
        self._gate.wait()
        self._set_node_limits()
        self._table.begin_search()
        helpers = [
            threading.Thread(target=self._help, args=(searcher, 1 + number % 2))
            for number, searcher in enumerate(self._searchers[1:])
        ]
        for helper in helpers:
            helper.start()
        try:
            self._iterate()
        finally:
            self.stop()
            for helper in helpers:
                helper.join()
        self._send()
        return self._outcome()

    def _set_deadline(self) -> None:
        if self._budget.hard is not None:
            self._main.deadline = self._timed_from + int(self._budget.hard * MILLISECOND)
            self._gate.set_deadline(self._main.deadline)

    def _set_node_limits(self) -> None:
        """Share the limit of nodes among the threads; with one thread it is exact."""
        if self._limit.nodes is not None:
            share = -(-self._limit.nodes // len(self._searchers))
            for searcher in self._searchers:
                searcher.node_limit = max(share, 1)

    def _help(self, searcher: AlphaBeta, depth: int) -> None:
        """Fill the table beside the main searcher until told to stop."""
        while depth <= MOST_DEPTH and not searcher.stopped:
            searcher.search_root(depth, -INFINITY, INFINITY, 0)
            if searcher.best_root >= 0:
                searcher.raise_root(searcher.best_root, 0)
            searcher.heed()
            depth += 1

    def _iterate(self) -> None:
        """Deepen the main search iteration by iteration."""
        main = self._main
        deepest = min(self._limit.depth or MOST_DEPTH, MOST_DEPTH)
        values = [0] * self._lines
        settled = 0
        for depth in range(1, deepest + 1):
            previous = main.order()[0]
            before = values[0]
            main.seldepth = 0
            for line in range(self._lines):
                if not self._deepen(depth, line, values):
                    return
            settled = settled + 1 if main.order()[0] == previous else 0
            if all(self._is_decided(value, depth) for value in values):
                return
            if not self._has_time(settled, before - values[0]):
                return
            main.heed()
            if main.stopped:
                return

    def _deepen(self, depth: int, line: int, values: list[int]) -> bool:
        """Search one line of play to a depth, widening the window until the value is inside.

        Gives False when the search was stopped; what it found by then is kept.
        """
        main = self._main
        window = FIRST_WINDOW
        alpha, beta = -INFINITY, INFINITY
        if depth > 3 and abs(values[line]) < WIN_BOUND:
            alpha, beta = values[line] - window, values[line] + window
        while True:
            value = main.search_root(depth, alpha, beta, line)
            if main.best_root >= 0 and not (main.stopped and value <= alpha):
                bound = "upper" if value <= alpha else ""
                if value >= beta or main.stopped:
                    # There may be something better that was not looked at.
                    bound = "lower"
                main.raise_root(main.best_root, line)
                self._note(depth, line, value, bound)
            if main.stopped:
                return False
            if alpha < value < beta:
                values[line] = value
                return True
            window *= 4
            if value <= alpha:
                alpha = -INFINITY if window > WIDEST_WINDOW else max(value - window, -INFINITY)
            else:
                beta = INFINITY if window > WIDEST_WINDOW else min(value + window, INFINITY)

    def _is_decided(self, value: int, depth: int) -> bool:
        """Whether deeper iterations can tell nothing more that was asked for."""
        if abs(value) < WIN_BOUND:
            return False
        turns = WIN - abs(value)
        wanted = self._limit.mate
        return depth >= turns or (wanted is not None and value > 0 and turns <= wanted)

    def _has_time(self, settled: int, drop: int) -> bool:
        """Whether to begin another iteration, by the plan of the clock."""
        soft = self._budget.soft
        if soft is None:
            return True
        with self._lock:
            if self._pondering:
                return True
            spent = (clock.now() - self._timed_from) / MILLISECOND
        if self._choice == 1:
            return False
        doubt = 1.4 if settled == 0 else 0.7 if settled >= 4 else 1.0
        if drop > 50:
            doubt *= 1.5
        return spent < 0.6 * soft * doubt

    def _note(self, depth: int, line: int, value: int, bound: str) -> None:
        """Keep what was found for a line and report it, with others if they come fast."""
        pv = self._main.principal_variation()
        self._best_lines[line:] = [pv]
        nodes, nps, elapsed = self._totals()
        self._unsent.append(
            Info(
                depth=depth,
                seldepth=max(self._main.seldepth, depth),
                multipv=line + 1,
                score=score_of(value),
                bound=bound,
                nodes=nodes,
                nps=nps,
                hashfull=self._table.fullness(),
                time=elapsed,
                pv=pv,
            )
        )
        if clock.now() - self._last_sent >= REPORT_GAP * MILLISECOND:
            self._send()

    def _send(self) -> None:
        if self._unsent:
            unsent, self._unsent = self._unsent, []
            self._report(unsent)
            self._last_sent = clock.now()

    def _totals(self) -> tuple[int, int, int]:
        """Nodes of all threads, nodes a second, and milliseconds since the search was made."""
        nodes = sum(searcher.nodes for searcher in self._searchers)
        elapsed = max(clock.now() - self._begun, 1)
        return nodes, nodes * 1_000_000_000 // elapsed, elapsed // MILLISECOND

    def _outcome(self) -> Outcome:
        nodes, nps, elapsed = self._totals()
        best: int | None = None
        expected: int | None = None
        if self._main.root_count:
            best = self._main.order()[0]
            line = self._best_lines[0] if self._best_lines else ()
            if len(line) > 1 and line[0] == best:
                expected = line[1]
        return Outcome(best=best, expected=expected, nodes=nodes, nps=nps, time=elapsed)
