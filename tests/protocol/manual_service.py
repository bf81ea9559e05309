"""A service that has neither threads nor a loop: tests say when jobs end and calls are made."""

from collections.abc import Callable
from typing import NoReturn

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.jobs import Job
from kibitz.protocol.quota import LOCAL, Quota
from kibitz.protocol.service import JobOwner, Stats, TableHolder
from kibitz.search.table import Table

TOKEN = "let-me-in"


class ManualService:
    """Keeps jobs and calls until the test ends and makes them."""

    def __init__(self, quota: Quota = LOCAL, *, is_admitted: bool = True) -> None:
        self.quota = quota
        self.is_admitted = is_admitted
        self.asked = 0.0
        self.sessions = 0
        self.jobs: list[tuple[JobOwner, Job]] = []
        self.calls: list[Callable[[], None]] = []
        self.tables: dict[TableHolder, int] = {}
        self.in_use: set[TableHolder] = set()
        self.threads: list[int] = []

    def admit(self, token: str) -> str:
        if token != TOKEN:
            raise Refusal(ErrorCode.DENIED, "the token is wrong")
        self.is_admitted = True
        return "tester"

    def open_session(self) -> None:
        if self.sessions == self.quota.sessions:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many sessions")
        self.sessions += 1

    def close_session(self) -> None:
        self.sessions -= 1

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        if len(self.jobs) == self.quota.searches:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many searches")
        self.jobs.append((owner, job))
        self.threads.append(threads)

    def stop(self, job: Job) -> None:
        assert any(job is started for _, started in self.jobs)
        job.stop()

    def later(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        self.tables[holder] = megabytes
        return Table(megabytes)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        assert holder in self.tables
        assert in_use != (holder in self.in_use)
        (self.in_use.add if in_use else self.in_use.discard)(holder)

    def drop_table(self, holder: TableHolder) -> None:
        assert holder not in self.in_use
        self.tables.pop(holder, None)

    def stats(self) -> Stats:
        raise NotImplementedError

    @property
    def grace_seconds(self) -> float:
        raise NotImplementedError

    def offer_resume(self, desk: object) -> NoReturn:
        raise NotImplementedError

    def resume(self, token: str, desk: object, check: object) -> NoReturn:
        raise NotImplementedError

    # What the test does.

    def end_job(self) -> None:
        """Run the oldest job to its end."""
        owner, job = self.jobs.pop(0)
        job.prepare()
        owner.ended(job, job.run(lambda report: owner.reported(job, report)))

    def make_calls(self) -> int:
        """Make all calls that are due, also those that come of them; gives their number."""
        made = 0
        while self.calls:
            self.calls.pop(0)()
            made += 1
        return made
