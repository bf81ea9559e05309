"""A host for sessions that has neither threads nor a loop: tests say when jobs end and
when a session goes on.

With it every race has one outcome, and each order of events can be tried.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game
from kibitz.protocol.commands import Command
from kibitz.protocol.faults import Refusal
from kibitz.protocol.jobs import Job
from kibitz.protocol.quota import LOCAL, Quota
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
        begun: int | None,
    ) -> None:
        self.position = position.copy()
        self.table = table
        self.limit = limit
        self.report = report
        self.root_moves = root_moves
        self.begun = begun
        self.given = (multipv, threads, overhead, pondering)
        self.events: list[str] = []

    def stop(self) -> None:
        self.events.append("stop")

    def pause(self) -> None:
        self.events.append("pause")

    def resume(self) -> None:
        self.events.append("resume")

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


def long_game(moves: int) -> tuple[str, ...]:
    """Give so many moves of a random game of Talisman."""
    chance = random.Random(8)
    while True:
        play = Play(find_game("talisman"), {})
        while not play.is_over and len(play.tokens) < moves:
            play.push(chance.choice(play.legal_tokens()))
        if len(play.tokens) == moves:
            return tuple(play.tokens)


class ManualHost:
    """Keeps replies as lines, jobs until the test ends them, and turns until it gives them."""

    def __init__(self, make: Callable[..., Any] | None = None, quota: Quota = LOCAL) -> None:
        self.quota = quota
        self.refusal: Refusal | None = None
        self.no_memory: Exception | None = None
        self.turns: list[Session] = []
        self.threads: list[int] = []
        self.table_events: list[str] = []
        self.is_closed = False
        self.lines: list[str] = []
        self.jobs: list[Job] = []
        self.unprepared: dict[Job, Exception] = {}
        self.searches: list[ScriptedSearch] = []
        self._codec = UgiCodec()

        def make_search(*values: Any, **named: Any) -> ScriptedSearch:
            search = ScriptedSearch(*values, **named)
            self.searches.append(search)
            return search

        self.session = Session("0", self, {"alphabeta": make or make_search})

    def send(self, session: Session, reply: Reply, prefixed: bool) -> None:
        name = session.name if prefixed else None
        self.lines += self._codec.encode(reply, name).decode().splitlines()

    def start(self, session: Session, job: Job, threads: int) -> None:
        assert session is self.session
        if self.refusal is not None:
            raise self.refusal
        self.jobs.append(job)
        self.threads.append(threads)
        try:
            job.prepare()
        except Exception as error:  # noqa: BLE001 - told when the test ends the job
            self.unprepared[job] = error

    def stop(self, session: Session, job: Job) -> None:
        assert job in self.jobs
        job.stop()

    def later(self, session: Session) -> None:
        self.turns.append(session)

    def table(self, session: Session, megabytes: int) -> Table:
        if self.no_memory is not None:
            raise self.no_memory
        self.table_events.append(f"table {megabytes}")
        return Table(megabytes)

    def use_table(self, session: Session, in_use: bool) -> None:
        self.table_events.append("in use" if in_use else "not in use")

    def drop_table(self, session: Session) -> None:
        self.table_events.append("dropped")

    def closed(self, session: Session) -> None:
        self.is_closed = True

    def say(self, *lines: str, prefixed: bool = False) -> list[str]:
        """Receive lines, and give what was answered at once."""
        before = len(self.lines)
        for line in lines:
            command = self._codec.read(line)
            assert isinstance(command, Command)
            self.session.receive(command, prefixed)
        return self.lines[before:]

    def give_turn(self) -> list[str]:
        """Let the session go on once, and give what was answered."""
        before = len(self.lines)
        self.turns.pop(0).proceed()
        return self.lines[before:]

    def end_job(self) -> list[str]:
        """Run the oldest job to its end, and give what was answered."""
        before = len(self.lines)
        if self.jobs[0] in self.unprepared:
            return self.fail_job(self.unprepared[self.jobs[0]])
        job = self.jobs.pop(0)
        result = job.run(lambda report: self.session.reported(job, report))
        self.session.ended(job, result)
        return self.lines[before:]

    def fail_job(self, error: Exception) -> list[str]:
        before = len(self.lines)
        self.session.ended(self.jobs.pop(0), None, error)
        return self.lines[before:]
