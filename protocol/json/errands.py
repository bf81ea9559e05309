"""What a desk sends to a worker thread: an analysis or a perft, as one request wants it.

An errand has a job, reads its reports, and turns its end into the request's final answer.
The job itself is made when its turn comes. Everything here is called in the loop's thread.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

from kibitz.engine.play import Play
from kibitz.protocol.jobs import Job, PerftJob, SearcherMaker, SearchJob, SearchSettings
from kibitz.protocol.json.lazy_job import LazyJob
from kibitz.protocol.json.message_types import PLAYERS, Score
from kibitz.protocol.json.messages import (
    CancelledAnswer,
    DoneAnswer,
    FinalAnswer,
    InfoAnswer,
    PerftAnswer,
)
from kibitz.protocol.json.warm_tables import WarmTable, WarmTables
from kibitz.protocol.replies import MoveCount, Total
from kibitz.search import info as search_info
from kibitz.search.info import Info, Outcome, chances
from kibitz.search.table import Table

Clamped = dict[str, int]


class Errand(ABC):
    """A job, and what its request is told of it."""

    def __init__(self, request_id: str, priority: int, clamped: Clamped) -> None:
        """`clamped` are the values that had to be less than was asked for."""
        self.job: Job = LazyJob(self._make_job)
        self.priority = priority
        self.threads = 1
        self._id = request_id
        self._clamped = clamped or None

    @abstractmethod
    def _make_job(self) -> Job:
        """Make the job that the worker thread runs."""

    @abstractmethod
    def read(self, report: Any) -> Sequence[Info]:
        """Take a report of the job; gives what there is to tell of a search."""

    @abstractmethod
    def answer(self, result: Any) -> FinalAnswer:
        """Answer the request by the result of the job; without one it was cancelled."""

    @abstractmethod
    def cancelled(self, result: Any) -> CancelledAnswer:
        """Say that the request was cancelled, and what was found by then."""

    def release(self) -> None:
        """Give back what the job took."""
        return


class AnalysisErrand(Errand):
    """The search of a position, whose `play` belongs to the errand alone."""

    def __init__(
        self,
        request_id: str,
        play: Play,
        make: SearcherMaker,
        settings: SearchSettings,
        tables: WarmTables,
        megabytes: int,
        searcher: str,
        *,
        priority: int,
        clamped: Clamped,
    ) -> None:
        super().__init__(request_id, priority, clamped)
        self.threads = settings.threads
        self._play = play
        self._make = make
        self._settings = settings
        self._tables = tables
        self._megabytes = megabytes
        self._key: Hashable = (
            play.game.name,
            tuple(sorted(play.settings.items())),
            megabytes,
            searcher,
        )
        self._holder: WarmTable | None = None
        self._best_line: Info | None = None

    def _make_job(self) -> Job:
        return SearchJob(self._make, self._play, self._take_table, self._settings)

    def _take_table(self) -> Table:
        self._holder, table = self._tables.take(self._key, self._megabytes)
        return table

    def release(self) -> None:
        """Give back the table."""
        if self._holder is not None:
            self._tables.give_back(self._holder)
            self._holder = None

    def read(self, report: list[Info]) -> list[Info]:
        """Keep the best line of what a search reports."""
        for line in report:
            if line.multipv == 1:
                self._best_line = line
        return report

    def info(self, line: Info, seq: int) -> InfoAnswer:
        """Tell of one line of play."""
        return InfoAnswer(
            id=self._id,
            seq=seq,
            depth=line.depth,
            seldepth=line.seldepth,
            multipv=line.multipv,
            score=score_of(line.score, line.bound),
            wdl=self._chances(line.score),
            nodes=line.nodes,
            nps=line.nps,
            hashfull=line.hashfull,
            elapsed_ms=line.time,
            pv=self._play.line(line.pv),
            side=PLAYERS[self._play.position.side],
        )

    def answer(self, result: Outcome | None) -> FinalAnswer:
        """Say what the search found."""
        if result is None:
            return self.cancelled(None)
        return DoneAnswer(id=self._id, seq=0, clamped=self._clamped, **self._found(result))

    def cancelled(self, result: Outcome | None) -> CancelledAnswer:
        """Say what the search had found."""
        found = {} if result is None else self._found(result)
        return CancelledAnswer(id=self._id, seq=0, clamped=self._clamped, **found)

    def _found(self, result: Outcome) -> dict[str, Any]:
        """Give the fields that `done` and `cancelled` share."""
        moves = [move for move in (result.best, result.expected) if move is not None]
        tokens = self._play.line(moves)
        line = self._best_line
        # Stopped before the first report: the position's own value has to do.
        score = search_info.Score(cp=self._play.position.value()) if line is None else line.score
        pv = [] if line is None else self._play.line(line.pv)
        return {
            "best": tokens[0] if tokens else None,
            "expected": tokens[1] if len(tokens) > 1 else None,
            "depth": 0 if line is None else line.depth,
            "score": score_of(score, "" if line is None else line.bound),
            "wdl": self._chances(score),
            "nodes": result.nodes,
            "nps": result.nps,
            "elapsed_ms": result.time,
            "pv": pv if pv[:1] == tokens[:1] else tokens,
            "side": PLAYERS[self._play.position.side],
        }

    def _chances(self, score: search_info.Score) -> tuple[int, int, int] | None:
        return chances(score) if self._settings.show_wdl else None


def score_of(score: search_info.Score, bound: str = "") -> Score:
    """Write a score as it is on the wire."""
    return Score(
        cp=score.cp,
        mate_turns=score.mate,
        bound="lower" if bound == "lower" else "upper" if bound == "upper" else None,
        of="mover",
    )


class PerftErrand(Errand):
    """The count of a position's move sequences."""

    def __init__(
        self, request_id: str, play: Play, depth: int, *, priority: int, clamped: Clamped
    ) -> None:
        super().__init__(request_id, priority, clamped)
        self._play = play
        self._depth = depth
        self._counts: dict[str, int] = {}

    def _make_job(self) -> Job:
        return PerftJob(self._play, self._depth)

    def read(self, report: MoveCount) -> list[Info]:
        """Keep the count of a first move."""
        self._counts[report.move] = report.count
        return []

    def answer(self, result: Total | None) -> FinalAnswer:
        """Give the counts; if the time for them was over, those that there are."""
        if result is None or result.stopped:
            return self.cancelled(result)
        return PerftAnswer(
            id=self._id,
            seq=0,
            counts=self._counts,
            total=result.nodes,
            nps=result.nps,
            clamped=self._clamped,
        )

    def cancelled(self, result: Total | None) -> CancelledAnswer:
        """Give the counts that there are."""
        return CancelledAnswer(
            id=self._id, seq=0, counts=self._counts or None, clamped=self._clamped
        )
