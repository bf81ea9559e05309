"""What a conversation with a client stands on, and what carries its bytes stands on.

A `Conversation` is one client's side of a dialect: `kibitz.protocol.hub.Hub` for UGI and
UCI, `kibitz.protocol.json.desk.Desk` for JSON lines. It turns lines into commands, carries
them out, and leaves the answers in its mailbox; it has no socket, no thread and no clock.
A `Service` gives one conversation its share of the machine. Everything here is called
from the event loop's thread, and nothing waits.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kibitz.protocol.framing import Trouble
from kibitz.protocol.jobs import Job
from kibitz.protocol.mailbox import Mailbox
from kibitz.protocol.quota import Quota
from kibitz.search.table import Table

if TYPE_CHECKING:
    from kibitz.protocol.json.desk import Desk


class JobOwner(Protocol):
    """Whoever has a job run."""

    def reported(self, job: Job, report: Any) -> None:
        """Take a report of the job."""

    def ended(self, job: Job, result: Any, error: BaseException | None = None) -> None:
        """Take the end of the job, just once: its result, or the exception it raised."""


class TableHolder(Protocol):
    """Whoever keeps a hash table between its searches."""

    def lose_table(self) -> None:
        """Forget the table: its memory is wanted elsewhere, and no search uses it."""


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What the whole program is doing now.

    `running` and `waiting` are searches, `nps` those of the running ones together, `nodes`
    all that were ever searched, `memory` bytes, `uptime` seconds.
    """

    connections: int
    sessions: int
    running: int
    waiting: int
    nodes: int
    nps: int
    memory: int
    uptime: float


class Service(Protocol):
    """One client's share of the machine."""

    @property
    def quota(self) -> Quota:
        """What the client may have."""

    @property
    def is_admitted(self) -> bool:
        """Whether the client may do anything but say who it is."""

    def admit(self, token: str) -> str:
        """Let the client in by its token, and give its name.

        Raises `Refusal` (denied) for a wrong one, after which the connection may end.
        """

    @property
    def asked(self) -> float:
        """When the request arrived that is carried out now, on a clock of the service."""

    def open_session(self) -> None:
        """Count one more session; raises `Refusal` (over_limit) beyond the quota."""

    def close_session(self) -> None:
        """Count one less."""

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        """Have a job run in a worker thread when its turn comes, which may be at once.

        `job.prepare` is called just before, in this thread. Nothing is told to the owner
        from within this call. Of the client's jobs those begin first that were asked for first,
        over all its connections; `asked` is what the property was then, if that was not now.
        Raises `Refusal` (over_limit) beyond the quota; then nothing
        was begun.
        """

    def stop(self, job: Job) -> None:
        """Stop a job that was given to `start`; its owner is told the end soon."""

    def later(self, call: Callable[[], None]) -> None:
        """Make a call soon, after other clients had a turn; calls keep their order."""

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Give a holder a new, empty table in place of the one it has.

        Raises `MemoryError` or `OSError` when there is no room for it. While a job runs
        that uses the table, `use_table` has to say so.
        """

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """Say whether a search uses the holder's table now, so that it cannot be lost."""

    def drop_table(self, holder: TableHolder) -> None:
        """Take back the holder's table, if it has one; no search uses it."""

    def stats(self) -> Stats:
        """Tell what the whole program is doing."""

    # Coming back after a lost connection: only JSON lines can.

    @property
    def grace_seconds(self) -> float:
        """The seconds that a desk is kept for after its connection was lost."""

    def offer_resume(self, desk: "Desk") -> str:
        """Keep a desk when its connection is lost, and give the token to come back with.

        Raises `Refusal` (denied) where nobody can come back.
        """

    def resume(self, token: str, desk: "Desk", check: Callable[["Desk"], None]) -> "Desk":
        """Let the connection of a desk go on with the kept desk of a token, and give that.

        The asking desk is dropped, and whatever connection the kept one still has is cut
        off from it. Raises `Refusal` (no_session) when there is none. Before anything is
        done `check` is called with the kept desk, and may raise, too.
        """


class Conversation(Protocol):
    """One client's side of a dialect."""

    mailbox: Mailbox

    @property
    def is_waiting(self) -> bool:
        """Whether commands wait, so that no more should be read for now."""

    @property
    def is_closing(self) -> bool:
        """Whether the client has said that it wants to end."""

    def read(self, line: str | Trouble) -> Any:
        """Make something for `receive` of a line; None if there is nothing in it."""

    def receive(self, item: Any) -> None:
        """Carry out what `read` gave."""

    def close(self) -> None:
        """Stop all that runs; its answers are still written."""
