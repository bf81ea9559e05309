"""The whole machine that the clients of a server share: cores, worker threads, hash tables.

The scheduler says whose search runs, this makes it run: `kibitz.protocol.server.scheduler` has no
threads and no clock. Each search that was begun has a thread of its own, which the system
runs after the event loop's: a loop that is quick costs the searches little, and one that is
slow costs everybody.
"""

import contextlib
import math
import os
import sys
import threading
from functools import partial
from typing import Any, Protocol

import anyio
from anyio import from_thread, to_thread
from anyio.abc import TaskGroup

from kibitz.protocol.faults import describe_bug
from kibitz.protocol.jobs import Job
from kibitz.protocol.logs import Logger
from kibitz.protocol.memory import resident_bytes
from kibitz.protocol.replies import Total
from kibitz.protocol.server.accounts import Account
from kibitz.protocol.server.alarms import Alarm, Alarms
from kibitz.protocol.server.scheduler import Scheduler, Ticket
from kibitz.protocol.server.settings import Searches
from kibitz.protocol.server.shelf import Shelf
from kibitz.protocol.service import Stats
from kibitz.search.info import Info, Outcome

NICENESS = 4
"""How much less urgent than the event loop a search is, in the system's own measure.

Not much more: a thread that is hardly ever run could hold up the loop whenever it has the
interpreter's lock.
"""

_HURRIED = 8
"""So many searches that are about to end run besides those that the scheduler began."""


class RunOwner(Protocol):
    """Whoever wants to know of a run."""

    def run_reported(self, run: "Run", report: Any) -> None:
        """Take what the job reported."""

    def run_ended(self, run: "Run", result: Any, error: Exception | None) -> None:
        """Take the result of the job, or what it raised."""


class Run:
    """A job on its way through the machine."""

    def __init__(self, owner: RunOwner, account: Account, job: Job) -> None:
        self.owner = owner
        self.account = account
        self.job = job
        self.has_begun = False
        self.ticket: Ticket | None = None
        self.limit: Alarm | None = None
        self.nodes = 0
        self.nps = 0


class Machine:
    """Runs the jobs of all clients; made in the event loop."""

    def __init__(
        self, searches: Searches, shelf: Shelf, alarms: Alarms, log: Logger, tasks: TaskGroup
    ) -> None:
        """Run jobs in tasks of a group, which has to outlive all clients."""
        self.shelf = shelf
        self._scheduler = Scheduler(searches.all_cores, searches.slice_seconds, searches.most_begun)
        self._alarms = alarms
        self._log = log
        self._tasks = tasks
        self._room = anyio.Semaphore(searches.most_begun + _HURRIED)
        self._threads = anyio.CapacityLimiter(math.inf)
        self._tick: Alarm | None = None
        self._runs: set[Run] = set()
        self._nodes = 0
        self._begun = alarms.clock()

    # Jobs.

    def start(self, run: Run, *, threads: int, priority: int, asked: float) -> None:
        """Have a job run when its turn comes, which is not before `share_out`.

        `asked` is the time on the clock at which the client asked for it.
        """
        quota = run.account.quota
        run.ticket = Ticket(
            run.account.name,
            searches=quota.searches,
            priority=min(priority, quota.priority),
            threads=min(threads, quota.threads),
            start=partial(self._begin, run),
            pause=run.job.pause,
            resume=run.job.resume,
            asked=asked,
        )
        run.account.searches += 1
        self._runs.add(run)
        self._scheduler.enter(run.ticket, self._alarms.clock())

    def stop(self, run: Run) -> None:
        """Make a job end soon; one that has not begun runs, to find that it is stopped."""
        run.job.stop()
        if run in self._runs and run.ticket is not None:
            self._scheduler.hurry(run.ticket, self._alarms.clock())
            self._arm()

    def drop(self, run: Run) -> bool:
        """Make a job end soon that nobody waits for; gives False if it had not even begun."""
        if run.has_begun:
            self.stop(run)
        else:
            self._forget(run)
        return run.has_begun

    def _begin(self, run: Run) -> None:
        """Heed the scheduler."""
        run.has_begun = True
        self._log.debug("job_started", client=run.account.name, job=type(run.job).__name__)
        self._tasks.start_soon(self._work, run)

    async def _work(self, run: Run) -> None:
        """Run a job in a worker thread, and tell its owner of the end."""
        result: Any = None
        failed: Exception | None = None
        async with self._room:
            try:
                run.job.prepare()
                run.limit = self._limit(run)
                result = await to_thread.run_sync(self._in_thread, run, limiter=self._threads)
            except Exception as error:  # noqa: BLE001 - the owner has to be told
                failed = error
        if isinstance(result, Outcome | Total):
            run.nodes = result.nodes
        self._forget(run)
        self._log.debug(
            "job_ended",
            client=run.account.name,
            job=type(run.job).__name__,
            nodes=run.nodes,
            error="" if failed is None else describe_bug(failed),
        )
        run.owner.run_ended(run, result, failed)

    def _limit(self, run: Run) -> Alarm | None:
        longest = run.account.quota.longest
        return None if math.isinf(longest) else self._alarms.after(longest, partial(self.stop, run))

    def _in_thread(self, run: Run) -> Any:
        """Run a job; this is the worker thread."""
        if sys.platform == "linux":
            # Not allowed where it already is less urgent than that, which is as good.
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        return run.job.run(partial(from_thread.run_sync, partial(self._reported, run)))

    @staticmethod
    def _reported(run: Run, report: Any) -> None:
        if isinstance(report, list) and report and isinstance(report[-1], Info):
            run.nodes, run.nps = report[-1].nodes, report[-1].nps
        run.owner.run_reported(run, report)

    def _forget(self, run: Run) -> None:
        """Give back all that a run had."""
        if run not in self._runs:
            return
        self._runs.remove(run)
        self._nodes += run.nodes
        run.account.searches -= 1
        if run.limit is not None:
            run.limit.cancel()
        assert run.ticket is not None
        self._scheduler.remove(run.ticket, self._alarms.clock())
        # The ticket knows the run: their circle would keep the job's table for a while.
        run.ticket = None
        self._arm()

    # The scheduler's clock.

    def _arm(self) -> None:
        """Wake up when the scheduler wants to look again."""
        due = self._scheduler.next_tick(self._alarms.clock())
        if self._tick is not None:
            self._tick.cancel()
        self._tick = None if due is None else self._alarms.after(due, self.share_out)

    def share_out(self) -> None:
        """Let those begin, or go on, whose turn it is now."""
        self._scheduler.tick(self._alarms.clock())
        self._arm()

    # What there is to tell.

    def stats(self, connections: int, sessions: int) -> Stats:
        """Tell what the server is doing."""
        return Stats(
            connections=connections,
            sessions=sessions,
            running=self._scheduler.running,
            waiting=self._scheduler.waiting + self._scheduler.paused,
            nodes=self._nodes + sum(run.nodes for run in self._runs),
            nps=sum(run.nps for run in self._runs),
            memory=resident_bytes(),
            uptime=self._alarms.clock() - self._begun,
        )
