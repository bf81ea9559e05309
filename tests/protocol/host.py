"""A host for sessions that has neither threads nor a loop: tests say when jobs end.

With it every race has one outcome, and each order of events can be tried.
"""

from collections.abc import Callable, Sequence
from typing import Any

from kibitz.engine.position import Position
from kibitz.protocol.jobs import Job
from kibitz.protocol.replies import Reply
from kibitz.protocol.session import Session
from kibitz.protocol.ugi import UgiCodec
from kibitz.search.info import Info, Outcome, Score
from kibitz.search.limits import Limit
from kibitz.search.table import Table


class ScriptedSearch:
    """A search that finds the first legal move, and keeps what was done to it."""

    def __init__(
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
    ) -> None:
        self.position = position.copy()
        self.table = table
        self.limit = limit
        self.report = report
        self.root_moves = root_moves
        self.given = (multipv, threads, overhead, pondering)
        self.events: list[str] = []

    def stop(self) -> None:
        self.events.append("stop")

    def ponderhit(self) -> None:
        self.events.append("ponderhit")

    def run(self) -> Outcome:
        self.events.append("run")
        best = self.position.legal_moves()[0]
        self.report([info(1, best), info(2, best)])
        return Outcome(best, None, nodes=9, nps=90, time=100)


def info(depth: int, *pv: int) -> Info:
    return Info(
        depth=depth, seldepth=depth, multipv=1, score=Score(cp=depth), bound="", nodes=depth,
        nps=1, hashfull=0, time=1, pv=pv,
    )  # fmt: skip


class ManualHost:
    """Keeps replies as lines, and jobs until the test ends them."""

    def __init__(self, make: Callable[..., Any] | None = None) -> None:
        self.lines: list[str] = []
        self.jobs: list[Job] = []
        self.searches: list[ScriptedSearch] = []
        self._codec = UgiCodec()

        def make_search(*values: Any, **named: Any) -> ScriptedSearch:
            search = ScriptedSearch(*values, **named)
            self.searches.append(search)
            return search

        self.session = Session("0", self, {"alphabeta": make or make_search})

    def send(self, session: Session, reply: Reply) -> None:
        assert session is self.session
        self.lines += self._codec.encode(reply).decode().splitlines()

    def start(self, session: Session, job: Job) -> None:
        assert session is self.session
        self.jobs.append(job)

    def say(self, *lines: str) -> list[str]:
        """Receive lines, and give what was answered at once."""
        before = len(self.lines)
        for line in lines:
            for command in self._codec.feed(line.encode() + b"\n"):
                self.session.receive(command)  # type: ignore[arg-type]
        return self.lines[before:]

    def end_job(self) -> list[str]:
        """Run the oldest job to its end, and give what was answered."""
        before = len(self.lines)
        job = self.jobs.pop(0)
        result = job.run(lambda report: self.session.reported(job, report))
        self.session.ended(job, result)
        return self.lines[before:]

    def fail_job(self, error: Exception) -> list[str]:
        before = len(self.lines)
        self.session.ended(self.jobs.pop(0), None, error)
        return self.lines[before:]
