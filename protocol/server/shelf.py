"""All hash tables of a server, under one budget that does not grow with its clients.

A table is kept between the searches of whoever holds it, because the next search finds it
useful; but when there is no room for another one, those that no search uses are taken from
their holders, the one first whose last use is longest ago.

The shelf only counts. The holders have the tables, and the memory of one is free when its
holder, and the search that used it, have let go of it.
"""

from collections import OrderedDict
from collections.abc import Callable

from kibitz.protocol.service import TableHolder
from kibitz.search.table import Table


class Shelf:
    """Tables of at most `megabytes` MiB together. Holders are compared by identity."""

    def __init__(self, megabytes: int, make: Callable[[int], Table] = Table) -> None:
        """Begin empty; `make` makes a table of so many MiB."""
        self.megabytes = megabytes
        self._make = make
        self._in_use: dict[TableHolder, int] = {}
        # The one whose last use is longest ago is first.
        self._resting: OrderedDict[TableHolder, int] = OrderedDict()
        self._size_in_use = 0
        self._size_resting = 0

    def __len__(self) -> int:
        return len(self._in_use) + len(self._resting)

    @property
    def size(self) -> int:
        """MiB of all tables together."""
        return self._size_in_use + self._size_resting

    @property
    def room(self) -> int:
        """MiB that searches do not use now."""
        return self.megabytes - self._size_in_use

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Make a table for a holder, in place of the one it has, which no search may use.

        Raises `MemoryError` when those in use leave no room, and then nothing has changed,
        or `OSError` when the system has none.
        """
        assert holder not in self._in_use
        if megabytes > self.room:
            raise MemoryError(
                f"there is no room now for a hash table of {megabytes} MiB beside those in use"
            )
        if holder in self._resting:
            self._take_from(holder)
        while self.size + megabytes > self.megabytes:
            self._take_from(next(iter(self._resting)))
        table = self._make(megabytes)
        self._resting[holder] = megabytes
        self._size_resting += megabytes
        return table

    def _take_from(self, holder: TableHolder) -> None:
        self.drop_table(holder)
        holder.lose_table()

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """Say whether a search uses the holder's table now; nothing if it has none."""
        if in_use and holder in self._resting:
            size = self._resting.pop(holder)
            self._size_resting -= size
            self._in_use[holder] = size
            self._size_in_use += size
        elif not in_use and holder in self._in_use:
            size = self._in_use.pop(holder)
            self._size_in_use -= size
            self._resting[holder] = size
            self._size_resting += size

    def drop_table(self, holder: TableHolder) -> None:
        """Forget the holder's table, if it has one; no search may use it."""
        assert holder not in self._in_use
        self._size_resting -= self._resting.pop(holder, 0)
