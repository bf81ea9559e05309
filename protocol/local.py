"""The service of the one client on standard input and output: the machine is its own.

Every job starts at once, and there is no bound but the machine's. Knows no event loop:
whoever has one sets `run`, makes the calls in `calls`, and tells what jobs do.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.jobs import Job
from kibitz.protocol.memory import resident_bytes
from kibitz.protocol.quota import LOCAL, Quota
from kibitz.protocol.replies import Total
from kibitz.protocol.service import JobOwner, Stats, TableHolder
from kibitz.search.info import Info, Outcome
from kibitz.search.table import Table

NAME = "local"


class LocalService:
    """A service without quotas, turns and tokens.

    `run` runs a job in a worker thread; it has to be set before one is started. `notify` is
    called when there is a new call to make.
    """

    def __init__(self) -> None:
        self.run: Callable[[JobOwner, Job], None] | None = None
        self.notify: Callable[[], None] = lambda: None
        self.calls: deque[Callable[[], None]] = deque()
        self._speeds: dict[Job, int] = {}
        self._sessions = 0
        self._nodes = 0
        self._begun = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or a call is still to be made."""
        return bool(self._speeds or self.calls)

    # What the event loop tells.

    def reported(self, job: Job, report: Any) -> None:
        """Note how fast a search is."""
        if isinstance(report, list) and report and isinstance(report[-1], Info):
            self._speeds[job] = report[-1].nps

    def ended(self, job: Job, result: Any) -> None:
        """Note that a job no longer runs, and how many nodes it searched."""
        del self._speeds[job]
        if isinstance(result, Outcome | Total):
            self._nodes += result.nodes

    # What a conversation asks.

    @property
    def quota(self) -> Quota:
        """No bounds but those of the options."""
        return LOCAL

    @property
    def asked(self) -> float:
        """Every job begins at once, in no need of an order."""
        return 0.0

    @property
    def is_admitted(self) -> bool:
        """Whoever has started the program may use it."""
        return True

    def admit(self, token: str) -> str:
        """Accept any token."""
        return NAME

    def open_session(self) -> None:
        """Count one more session."""
        self._sessions += 1

    def close_session(self) -> None:
        """Count one less."""
        self._sessions -= 1

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        """Run a job at once."""
        assert self.run is not None
        self._speeds[job] = 0
        self.run(owner, job)

    def stop(self, job: Job) -> None:
        """Stop a job."""
        job.stop()

    def later(self, call: Callable[[], None]) -> None:
        """Have a call made soon."""
        self.calls.append(call)
        self.notify()

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Make a table; it is its holder's, and is gone when the holder forgets it."""
        return Table(megabytes)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """No table is ever taken away from its holder."""

    def drop_table(self, holder: TableHolder) -> None:
        """The holder has forgotten the table, which is all."""

    def stats(self) -> Stats:
        """Tell what the program is doing."""
        return Stats(
            connections=1,
            sessions=self._sessions,
            running=len(self._speeds),
            waiting=0,
            nodes=self._nodes,
            nps=sum(self._speeds.values()),
            memory=resident_bytes(),
            uptime=time.monotonic() - self._begun,
        )

    # There is no connection that could be lost alone, and so none to come back.

    @property
    def grace_seconds(self) -> float:
        """Nothing is kept."""
        return 0.0

    def offer_resume(self, desk: object) -> NoReturn:
        """Refuse to keep a desk."""
        raise Refusal(ErrorCode.DENIED, "standard input and output cannot be resumed")

    def resume(self, token: str, desk: object, check: object) -> NoReturn:
        """Refuse: no desk was kept."""
        raise Refusal(ErrorCode.NO_SESSION, "standard input and output cannot be resumed")
