"""One client's share of a server: what its conversation asks for goes through here.

A share outlives the connection if the client asked for `resume`: then it is parked with the
conversation, its searches go on, and another connection can take both over.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.jobs import Job
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.quota import Quota
from kibitz.protocol.server.accounts import Account
from kibitz.protocol.server.common import Common
from kibitz.protocol.server.machine import Run
from kibitz.protocol.server.pump import Lane
from kibitz.protocol.service import JobOwner, Stats, TableHolder
from kibitz.search.table import Table

MOST_FAILURES = 3
"""So many wrong tokens end a connection."""


class Line(Protocol):
    """What a share needs of the connection that it belongs to."""

    def admitted(self, account: Account) -> None:
        """The client has shown who it is."""

    def refused(self, reason: str) -> None:
        """Tell the client what was answered, and end."""

    def adopt(self, share: "Share", desk: Desk) -> None:
        """Go on with a conversation that another connection has lost."""

    def lose(self, reason: str) -> None:
        """End at once; the share goes on with another connection."""

    def notice(self) -> None:
        """Look again whether there is something to do."""

    def broken(self, error: Exception) -> None:
        """A bug of ours: end at once."""


class Share:
    """The `kibitz.protocol.service.Service` of one client of a server."""

    def __init__(self, common: Common, account: Account, line: Line) -> None:
        """Begin as the client `account`, who has to show a token if there are any."""
        self.account = account
        self.is_admitted = common.accounts.is_empty
        self.line: Line | None = line
        self.asked = common.alarms.clock()
        self.desk: Desk | None = None
        """The conversation, if it can be resumed."""
        self._common = common
        self._failures = 0
        self._sessions = 0
        self._runs: dict[Job, tuple[Run, JobOwner]] = {}
        self._holders: set[TableHolder] = set()
        self._calls: deque[Callable[[], None]] = deque()
        self._lane = Lane(account.turns, self._step)
        self._is_abandoned = False

    @property
    def quota(self) -> Quota:
        """What the client may have."""
        return self.account.quota

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs that the client is still to be told about."""
        return not self._runs and not self._calls

    # Who the client is.

    def admit(self, token: str) -> str:
        """Let the client in by its token, and give its name."""
        accounts = self._common.accounts
        if accounts.is_empty:
            return self.account.name
        found = accounts.find(token)
        if found is None or (self.is_admitted and found is not self.account):
            self._failures += 1
            if self._failures >= MOST_FAILURES and self.line is not None:
                self.line.refused("wrong tokens")
            whose = f"{self.account.name}, who this is" if self.is_admitted else "any client"
            raise Refusal(ErrorCode.DENIED, f"that is not the token of {whose}")
        if self.is_admitted:
            return found.name
        if found.connections >= found.quota.connections:
            raise Refusal(
                ErrorCode.OVER_LIMIT,
                f"{found.name} has {found.connections} connections, the most that it can have",
            )
        self.account = found
        self.is_admitted = True
        self._lane.group = found.turns
        assert self.line is not None
        self.line.admitted(found)
        return found.name

    def open_session(self) -> None:
        """Count one more session."""
        if self.account.sessions >= self.quota.sessions:
            raise Refusal(
                ErrorCode.OVER_LIMIT,
                f"{self.quota.sessions} sessions are the most that this client can have",
            )
        self._count_sessions(1)

    def close_session(self) -> None:
        """Count one less."""
        self._count_sessions(-1)

    def _count_sessions(self, more: int) -> None:
        self._sessions += more
        self.account.sessions += more
        self._common.sessions += more

    # Jobs.

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        """Have a job run in a worker thread when its turn comes.

        None begins before the slice of the pump is over: until then requests that came before
        this one may be set up, and begin before it.
        """
        quota = self.quota
        most = quota.searches + (quota.waiting if quota.over == "wait" else 0)
        if self.account.searches >= most:
            raise Refusal(
                ErrorCode.OVER_LIMIT,
                f"{most} searches at once are the most that this client can have",
            )
        run = Run(self, self.account, job)
        self._runs[job] = (run, owner)
        machine = self._common.machine
        asked = self.asked if asked is None else asked
        machine.start(run, threads=threads, priority=priority, asked=asked)
        self._common.pump.afterwards(machine.share_out)

    def stop(self, job: Job) -> None:
        """Stop a job that was given to `start`."""
        if job in self._runs:
            self._common.machine.stop(self._runs[job][0])

    def run_reported(self, run: Run, report: Any) -> None:
        """Pass on what a job reported."""
        if not self._is_abandoned:
            self._guarded(lambda: self._runs[run.job][1].reported(run.job, report))

    def run_ended(self, run: Run, result: Any, error: Exception | None) -> None:
        """Pass on the end of a job."""
        _, owner = self._runs.pop(run.job)
        if self._is_abandoned:
            self._release()
            return
        self._guarded(lambda: owner.ended(run.job, result, error))
        self._notice()

    # Long work in pieces.

    def later(self, call: Callable[[], None]) -> None:
        """Make a call soon, after other clients had a turn."""
        self._calls.append(call)
        self._common.pump.wake(self._lane)

    def _step(self) -> bool:
        if self._calls:
            self._guarded(self._calls.popleft())
            self._notice()
        return bool(self._calls)

    def _guarded(self, call: Callable[[], None]) -> None:
        """Call what belongs to the client; a bug there must not end the server."""
        try:
            call()
        except Exception as error:  # noqa: BLE001 - it is written to the log
            self._common.report_bug(error)
            if self.line is not None:
                self.line.broken(error)

    def _notice(self) -> None:
        if self.line is not None:
            self.line.notice()

    # Tables.

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Give a holder a new table, of at most half the room that those in use leave.

        So there is room for one more search, however many are begun.
        """
        self._holders.add(holder)
        shelf = self._common.machine.shelf
        megabytes = min(megabytes, self.quota.hash)
        while megabytes > max(shelf.room // 2, 1):
            megabytes //= 2
        return shelf.table(holder, megabytes)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """Say whether a search uses the holder's table now."""
        self._common.machine.shelf.use_table(holder, in_use)

    def drop_table(self, holder: TableHolder) -> None:
        """Take back the holder's table."""
        self._holders.discard(holder)
        self._common.machine.shelf.drop_table(holder)

    # The whole server, and coming back to it.

    def stats(self) -> Stats:
        """Tell what the whole server is doing."""
        return self._common.stats()

    @property
    def grace_seconds(self) -> float:
        """The seconds that a conversation is kept for."""
        return self._common.settings.grace_seconds

    def offer_resume(self, desk: Desk) -> str:
        """Keep the conversation when the connection is lost; gives the token to come back."""
        token = self._common.parking.offer(self)
        self.desk = desk
        return token

    def resume(self, token: str, desk: Desk, check: Callable[[Desk], None]) -> Desk:
        """Go on with a conversation whose connection was lost, or is now."""
        found = self._common.parking.find(token)
        if found is None or found is self or not self._may_take(found):
            raise Refusal(ErrorCode.NO_SESSION, "there is no such conversation any more")
        assert found.desk is not None
        check(found.desk)
        if found.line is not None:
            found.line.lose("taken over")
            found.leave()
        self._common.parking.unpark(found)
        assert self.line is not None
        found.line = self.line
        found.line.adopt(found, found.desk)
        self.abandon()
        return found.desk

    def _may_take(self, other: "Share") -> bool:
        """Whether a conversation is this client's, so far as clients are known."""
        return other.account is self.account or self._common.accounts.is_empty

    def leave(self) -> None:
        """The connection is lost: wait for another one, or give all back."""
        self.line = None
        if self.desk is not None and self.desk.is_resumable:
            self.desk.detach()
            self._common.parking.park(self)
        else:
            self.abandon()

    def abandon(self) -> None:
        """Give all back: nobody is to be told anything any more."""
        if self._is_abandoned:
            return
        self._is_abandoned = True
        self.line = None
        self._common.parking.forget(self)
        self._calls.clear()
        self._count_sessions(-self._sessions)
        for run, _ in list(self._runs.values()):
            if not self._common.machine.drop(run):
                del self._runs[run.job]
        self._release()

    def _release(self) -> None:
        """Give the tables back when no search uses them any more."""
        if not self._runs:
            for holder in self._holders:
                self._common.machine.shelf.use_table(holder, False)
                self._common.machine.shelf.drop_table(holder)
            self._holders.clear()
