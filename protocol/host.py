"""What a session needs of its surroundings; `kibitz.protocol.hub.Hub` gives it."""

from typing import TYPE_CHECKING, Protocol

from kibitz.protocol.jobs import Job
from kibitz.protocol.quota import Quota
from kibitz.protocol.replies import Reply
from kibitz.search.table import Table

if TYPE_CHECKING:
    from kibitz.protocol.session import Session


class Host(Protocol):
    """What a session needs of its surroundings; no call calls the session back."""

    @property
    def quota(self) -> Quota:
        """What the client of the session may have."""

    def send(self, session: "Session", reply: Reply, prefixed: bool) -> None:
        """Pass a reply on to the client, marked with the session's name if it is prefixed."""

    def start(self, session: "Session", job: Job, threads: int) -> None:
        """Run a job in a worker thread, when its turn comes.

        Its reports go to `session.reported`, its end, just once, to `session.ended`.
        Raises `Refusal` when the client cannot have another job.
        """

    def stop(self, session: "Session", job: Job) -> None:
        """Stop a job that was started, whether it runs or still waits for its turn."""

    def later(self, session: "Session") -> None:
        """Call `session.proceed` soon, after others had their turn."""

    def table(self, session: "Session", megabytes: int) -> Table:
        """Give the session a new hash table in place of the one it has.

        Raises `MemoryError` or `OSError` when there is no room for it. A table that is not
        in use can be taken back at any time, by `session.lose_table`.
        """

    def use_table(self, session: "Session", in_use: bool) -> None:
        """Say whether a search uses the session's table from now on."""

    def drop_table(self, session: "Session") -> None:
        """Take back the session's table, if it has one; no search uses it."""

    def closed(self, session: "Session") -> None:
        """Forget the session: it has nothing more to say, and gets no more commands."""
