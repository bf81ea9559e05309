"""What the stack stands on when it is fuzzed: jobs and calls that are done when it is said."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.jobs import Job, SearcherMaker, SearchJob
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.quota import Quota
from kibitz.protocol.service import JobOwner, Stats, TableHolder
from kibitz.search.driver import Search
from kibitz.search.limits import Limit
from kibitz.search.table import Table

TOKEN = "let-me-in"  # noqa: S105 - it guards nothing
RESUME = "come back "

HEAD = 4
"""The bytes that are settings."""

MOST_STEPS = 200_000
"""So many steps in a row that lead to no end are a fault."""

MOST_NODES = 300
"""The nodes of a search that is not stopped."""

SHORT_LINE = 300


def _short_search(position: Any, table: Table, limit: Limit, **others: Any) -> Search:
    """Make a search that ends by itself, soon, and not by a clock."""
    nodes = min(limit.nodes or MOST_NODES, MOST_NODES)
    short = Limit(depth=limit.depth, nodes=nodes, mate=limit.mate)
    return Search(position, table, short, **others)


SEARCHERS: Mapping[str, SearcherMaker] = {"alphabeta": _short_search}


class Line(Protocol):
    """What a service needs of the connection that it belongs to."""

    def adopt(self, desk: Desk) -> None:
        """Go on with a desk that was kept."""


class Settings:
    """What the first bytes choose; those that are missing are zero."""

    def __init__(self, head: bytes) -> None:
        flags, quota, size, eagerness = head.ljust(HEAD, b"\0")
        self.asks_for_token = bool(flags & 1)
        self.stops_late = bool(flags & 2)
        """Whether jobs are stopped when they are prepared already."""
        self.most_line = SHORT_LINE if flags & 4 else MOST_LINE
        self.reads_late = bool(flags & 8)
        """Whether the client reads only when it must, or at the end of its connection."""
        self.searches_on = bool(flags & 16)
        """Whether searches that nobody stops come to an end of their own."""
        self.quota = Quota(
            sessions=1 + quota % 4,
            searches=1 + quota // 4 % 4,
            waiting=quota // 16 % 4,
            hash=1 + quota // 64,
            priority=quota % 3,
        )
        self.piece_size = size or MOST_LINE
        self.eagerness = eagerness % 4
        """The steps that are done after each item."""


class Machine:
    """What all connections share: what is still to be done, and what is kept."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.jobs: deque[tuple[JobOwner, Job]] = deque()
        self.calls: deque[Callable[[], None]] = deque()
        self.tables: dict[TableHolder, bool] = {}
        self.sessions = 0
        self.kept: dict[str, Desk] = {}
        self.services: dict[Desk, ManualService] = {}
        """Those of the desks that are kept, or were."""
        self.offered = 0

    def step(self) -> bool:
        """Make a call that is due, or run a job; gives False if there is nothing to do."""
        if self.calls:
            self.calls.popleft()()
        elif self.jobs:
            self._run_job(*self.jobs[0])
        else:
            return False
        return True

    def _run_job(self, owner: JobOwner, job: Job) -> None:
        result: Any = None
        failed: Exception | None = None
        try:
            if not (self.settings.stops_late or self.settings.searches_on):
                job.stop()
            job.prepare()
            if not (self.settings.searches_on and _is_search(job)):
                job.stop()
            result = job.run(lambda report: owner.reported(job, report))
        except Exception as error:  # noqa: BLE001 - told to the owner, as services do
            failed = error
        self.jobs.popleft()
        owner.ended(job, result, failed)

    def step_while(self, is_needed: Callable[[], bool]) -> None:
        """Do what there is to do as long as that is needed."""
        for _ in range(MOST_STEPS):
            if not is_needed():
                return
            assert self.step(), "it waits for nothing"
        raise AssertionError("there is no end of it")

    def finish(self) -> None:
        """Do all that there is to do."""
        self.step_while(lambda: bool(self.jobs or self.calls))


def _is_search(job: Job) -> bool:
    """Tell whether a prepared job is a search: those were made to end by themselves."""
    return isinstance(getattr(job, "_job", job), SearchJob)


class ManualService:
    """One connection's share of the machine."""

    def __init__(self, machine: Machine, line: Line) -> None:
        self.quota = machine.settings.quota
        self.is_admitted = not machine.settings.asks_for_token
        self.asked = 0.0
        self.grace_seconds = 60.0
        self._machine = machine
        self._line = line
        self._holders: set[TableHolder] = set()

    def admit(self, token: str) -> str:
        """Let the client in."""
        if token != TOKEN:
            raise Refusal(ErrorCode.DENIED, "the token is wrong")
        self.is_admitted = True
        return "tester"

    def open_session(self) -> None:
        """Count one more session."""
        if self._machine.sessions >= self.quota.sessions:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many sessions")
        self._machine.sessions += 1

    def close_session(self) -> None:
        """Count one less."""
        self._machine.sessions -= 1
        assert self._machine.sessions >= 0

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        """Keep a job until its turn comes."""
        assert threads <= self.quota.threads
        assert priority <= self.quota.priority
        if len(self._machine.jobs) >= self.quota.searches + self.quota.waiting:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many searches")
        self._machine.jobs.append((owner, job))

    def stop(self, job: Job) -> None:
        """Stop a job."""
        assert any(job is started for _, started in self._machine.jobs)
        job.stop()

    def later(self, call: Callable[[], None]) -> None:
        """Keep a call until its turn comes."""
        self._machine.calls.append(call)

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Give a table, a small one whatever was asked for."""
        assert megabytes <= self.quota.hash
        assert not self._machine.tables.get(holder, False)
        self._machine.tables[holder] = False
        self._holders.add(holder)
        return Table(1)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """Note whether a table is in use."""
        assert self._machine.tables[holder] != in_use
        self._machine.tables[holder] = in_use

    def drop_table(self, holder: TableHolder) -> None:
        """Take a table back."""
        self._holders.discard(holder)
        assert not self._machine.tables.pop(holder, False)

    def stats(self) -> Stats:
        """Tell how much is going on."""
        return Stats(
            connections=1, sessions=self._machine.sessions, running=len(self._machine.jobs),
            waiting=0, nodes=0, nps=0, memory=0, uptime=0.0,
        )  # fmt: skip

    def offer_resume(self, desk: Desk) -> str:
        """Keep a desk if its connection is lost."""
        token = f"{RESUME}{self._machine.offered}"
        self._machine.offered += 1
        self._machine.kept[token] = desk
        self._machine.services[desk] = self
        return token

    def resume(self, token: str, desk: Desk, check: Callable[[Desk], None]) -> Desk:
        """Go on with a desk that was kept, in place of the one that asks."""
        kept = self._machine.kept
        found = kept.get(token)
        if found is None or found is desk:
            raise Refusal(ErrorCode.NO_SESSION, "there is nothing to resume")
        check(found)
        for name in [name for name, other in kept.items() if other is desk]:
            del kept[name]
        for holder in list(self._holders):
            self.drop_table(holder)
        self._machine.services[found]._line = self._line
        self._line.adopt(found)
        return found
