"""Services for desks in tests: one where the test says what happens when, one with threads."""

import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.jobs import Job
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.quota import LOCAL, Quota
from kibitz.protocol.service import JobOwner, Stats, TableHolder
from kibitz.search.table import Table
from tests.protocol.host import ScriptedSearch

HANGS_AFTER = 20.0
TOKEN = "open sesame"
RESUME = "come back"

Answer = dict[str, Any]


class Started:
    """A job that was given to a service."""

    def __init__(
        self, owner: JobOwner, job: Job, threads: int, priority: int, asked: float | None
    ) -> None:
        self.owner = owner
        self.job = job
        self.threads = threads
        self.priority = priority
        self.asked = asked
        self.is_prepared = False


class ManualService:
    """A service that does nothing by itself; `jobs` are those that have not ended."""

    def __init__(self, quota: Quota = LOCAL, *, is_admitted: bool = True) -> None:
        self.quota = quota
        self.is_admitted = is_admitted
        self.grace_seconds = 60.0
        self.asked = 0.0
        self.pieces: deque[Callable[[], None]] = deque()
        self.jobs: list[Started] = []
        self.tables: dict[TableHolder, bool] = {}
        self.memory = 10**9
        self.kept: dict[str, Desk] = {}
        self.resumed: list[tuple[Desk, Desk]] = []

    def admit(self, token: str) -> str:
        if token != TOKEN:
            raise Refusal(ErrorCode.DENIED, "that is no token")
        self.is_admitted = True
        return "tester"

    def open_session(self) -> None:
        raise AssertionError("JSON has no sessions")

    def close_session(self) -> None:
        raise AssertionError("JSON has no sessions")

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        if len(self.jobs) >= self.quota.searches + self.quota.waiting:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many searches")
        self.jobs.append(Started(owner, job, threads, priority, asked))

    def stop(self, job: Job) -> None:
        job.stop()
        assert any(started.job is job for started in self.jobs)

    def later(self, call: Callable[[], None]) -> None:
        self.pieces.append(call)

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        if megabytes > self.memory:
            raise MemoryError
        assert not self.tables.get(holder, False)
        self.tables[holder] = False
        return Table(1)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        assert self.tables[holder] != in_use
        self.tables[holder] = in_use

    def drop_table(self, holder: TableHolder) -> None:
        assert not self.tables.pop(holder, False)

    def stats(self) -> Stats:
        return Stats(
            connections=1, sessions=0, running=len(self.jobs), waiting=0, nodes=5, nps=6,
            memory=7, uptime=8.5,
        )  # fmt: skip

    def offer_resume(self, desk: Desk) -> str:
        token = f"{RESUME} {len(self.kept)}"
        self.kept[token] = desk
        return token

    def resume(self, token: str, desk: Desk, check: Callable[[Desk], None]) -> Desk:
        kept = self.kept.get(token)
        if kept is None:
            raise Refusal(ErrorCode.NO_SESSION, "there is nothing to resume")
        check(kept)
        self.resumed.append((desk, kept))
        return kept

    # What tests let happen.

    def do_piece(self) -> bool:
        if not self.pieces:
            return False
        self.pieces.popleft()()
        return True

    def do_pieces(self) -> int:
        done = 0
        while self.do_piece():
            done += 1
        return done

    def prepare(self, started: Started) -> None:
        """Prepare a job, just once."""
        if not started.is_prepared:
            started.is_prepared = True
            started.job.prepare()

    def run_job(self, number: int = 0) -> None:
        """Run a job from its beginning to its end."""
        started = self.jobs[number]
        result: Any = None
        failed: Exception | None = None
        try:
            self.prepare(started)
            result = started.job.run(lambda report: started.owner.reported(started.job, report))
        except Exception as error:  # noqa: BLE001 - told to the owner, as services do
            failed = error
        self.jobs.remove(started)
        started.owner.ended(started.job, result, failed)


class JsonHost:
    """A desk with a manual service, talked to in dictionaries."""

    def __init__(
        self,
        quota: Quota = LOCAL,
        *,
        is_admitted: bool = True,
        make: Callable[..., Any] = ScriptedSearch,
    ) -> None:
        self.service = ManualService(quota, is_admitted=is_admitted)
        self.searches: list[Any] = []

        def make_search(*values: Any, **named: Any) -> Any:
            search = make(*values, **named)
            self.searches.append(search)
            return search

        self.searchers = {"alphabeta": make_search}
        self.desk = self.new_desk()

    def new_desk(self) -> Desk:
        return Desk(self.service, self.searchers)

    def send(self, *requests: Answer | str) -> None:
        """Have the desk receive requests, or lines as they are."""
        for request in requests:
            line = request if isinstance(request, str) else msgspec.json.encode(request).decode()
            item = self.desk.read(line)
            if item is not None:
                self.desk.receive(item)

    def take(self) -> list[Answer]:
        """Give what the desk has answered."""
        return read_answers(self.desk.mailbox.take(10**9))

    def ask(self, *requests: Answer | str) -> list[Answer]:
        """Send requests, let pieces of work be done, and give the answers."""
        self.send(*requests)
        self.service.do_pieces()
        return self.take()

    def finish(self) -> list[Answer]:
        """Let all work be done, and give the answers."""
        self.service.do_pieces()
        while self.service.jobs:
            self.service.run_job()
            self.service.do_pieces()
        return self.take()


def read_answers(data: bytes) -> list[Answer]:
    assert not data or data.endswith(b"\n")
    return [msgspec.json.decode(line) for line in data.splitlines()]


class ThreadedService(ManualService):
    """A service whose jobs run in threads of their own; the test's thread is the loop's."""

    def __init__(self, quota: Quota = LOCAL) -> None:
        super().__init__(quota)
        self.events: queue.Queue[Callable[[], None]] = queue.Queue()
        self.threads: list[threading.Thread] = []

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        super().start(owner, job, threads=threads, priority=priority, asked=asked)
        started = self.jobs[-1]
        job.prepare()
        thread = threading.Thread(target=self._work, args=(started,))
        self.threads.append(thread)
        thread.start()

    def _work(self, started: Started) -> None:
        owner, job = started.owner, started.job
        result = job.run(lambda report: self.events.put(lambda: owner.reported(job, report)))

        def end() -> None:
            self.jobs.remove(started)
            owner.ended(job, result)

        self.events.put(end)

    def wait(self) -> None:
        """Let the next thing happen."""
        if not self.do_piece():
            self.events.get(timeout=HANGS_AFTER)()

    def join(self) -> None:
        """End all jobs."""
        for started in self.jobs:
            started.job.stop()
        for thread in self.threads:
            thread.join(HANGS_AFTER)
