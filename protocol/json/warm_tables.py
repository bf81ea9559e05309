"""The hash tables of one client's analyses, kept for its next one of the same kind.

What a search found helps the next one, if it is of the same game under the same options.
A holder keeps one table. There are no more idle holders than searches that the client may
run at once, and the one that was used last is the last to go. The service may take the
table of an idle holder whenever it wants the memory.
"""

from collections.abc import Hashable

from kibitz.protocol.service import Service
from kibitz.search.table import Table

MOST_HOLDERS = 8
"""The most tables that one client keeps, however many searches it may run."""


class WarmTable:
    """Keeps one table between searches; `key` says for which they are of use."""

    def __init__(self, key: Hashable) -> None:
        self.key = key
        self.table: Table | None = None

    def lose_table(self) -> None:
        """Forget the table."""
        self.table = None


class WarmTables:
    """The holders of one client."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._idle: list[WarmTable] = []
        self._used = 0
        self._is_closed = False

    def take(self, key: Hashable, megabytes: int) -> tuple[WarmTable, Table]:
        """Give a table for a search and its holder, which has to be given back.

        `key` has to be another one for another size. Raises `MemoryError` or `OSError`
        when there is no room.
        """
        holder = self._find(key)
        try:
            if holder.table is None:
                holder.table = self._service.table(holder, megabytes)
            self._service.use_table(holder, True)
        except (MemoryError, OSError):
            self._drop(holder)
            raise
        self._used += 1
        return holder, holder.table

    def give_back(self, holder: WarmTable) -> None:
        """Take back the holder of a table whose search has ended."""
        self._used -= 1
        self._service.use_table(holder, False)
        if self._is_closed:
            self._drop(holder)
        else:
            self._idle.append(holder)
            self._thin_out()

    def close(self) -> None:
        """Free all tables, those in use when they are given back."""
        self._is_closed = True
        while self._idle:
            self._drop(self._idle.pop())

    def _find(self, key: Hashable) -> WarmTable:
        """Give a holder: one of the key that was used last, or a new one in an old one's place."""
        for holder in reversed(self._idle):
            if holder.key == key:
                self._idle.remove(holder)
                return holder
        self._thin_out(room_for=1)
        return WarmTable(key)

    def _thin_out(self, room_for: int = 0) -> None:
        """Free the tables that were used longest ago, as far as there are too many."""
        most = max(min(self._service.quota.searches, MOST_HOLDERS) - self._used - room_for, 0)
        while len(self._idle) > most:
            self._drop(self._idle.pop(0))

    def _drop(self, holder: WarmTable) -> None:
        holder.table = None
        self._service.drop_table(holder)
