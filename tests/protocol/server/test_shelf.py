import gc
import resource
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kibitz.protocol.server.shelf import Shelf
from kibitz.search.table import Table


class Holder:
    def __init__(self, shelf: Shelf) -> None:
        self.table: Table | None = None
        self.losses = 0
        self._shelf = shelf

    def lose_table(self) -> None:
        self.table = None
        self.losses += 1
        # Whoever has lost its table may say so; that is nothing.
        self._shelf.drop_table(self)

    def take(self, megabytes: int) -> None:
        self.table = self._shelf.table(self, megabytes)

    def use(self, in_use: bool) -> None:
        self._shelf.use_table(self, in_use)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(10)


@pytest.fixture
def holders(shelf: Shelf) -> list[Holder]:
    return [Holder(shelf) for _ in range(5)]


def having(holders: list[Holder]) -> list[int]:
    """Give the numbers of those who have a table."""
    return [number for number, holder in enumerate(holders) if holder.table is not None]


def test_tables_within_the_budget(shelf: Shelf, holders: list[Holder]) -> None:
    for holder in holders:
        holder.take(2)
        assert holder.table is not None
        assert holder.table.megabytes == 2
    assert shelf.size == 10
    assert len(shelf) == 5
    assert having(holders) == [0, 1, 2, 3, 4]


def test_the_least_recently_used_are_lost_first(shelf: Shelf, holders: list[Holder]) -> None:
    for holder in holders[:4]:
        holder.take(2)
    holders[0].use(True)
    holders[0].use(False)
    holders[4].take(5)
    assert having(holders) == [0, 3, 4]
    assert shelf.size == 9
    assert [holder.losses for holder in holders] == [0, 1, 1, 0, 0]


def test_tables_in_use_are_not_lost(shelf: Shelf, holders: list[Holder]) -> None:
    for holder in holders[:3]:
        holder.take(3)
    holders[0].use(True)
    holders[1].use(True)
    with pytest.raises(MemoryError, match="5 MiB"):
        holders[3].take(5)
    assert having(holders) == [0, 1, 2]
    holders[3].take(4)
    assert having(holders) == [0, 1, 3]
    holders[0].use(False)
    holders[4].take(3)
    assert having(holders) == [0, 1, 4]


def test_a_table_of_more_than_the_budget(shelf: Shelf, holders: list[Holder]) -> None:
    holders[0].take(1)
    with pytest.raises(MemoryError):
        holders[0].take(11)
    assert having(holders) == [0]
    holders[0].take(10)
    assert shelf.size == 10


def test_a_new_table_takes_the_place_of_the_old(shelf: Shelf, holders: list[Holder]) -> None:
    holders[0].take(4)
    holders[1].take(4)
    holders[0].take(6)
    assert having(holders) == [0, 1]
    assert shelf.size == 10


def test_dropping(shelf: Shelf, holders: list[Holder]) -> None:
    holders[0].take(4)
    shelf.drop_table(holders[0])
    shelf.drop_table(holders[1])
    assert shelf.size == len(shelf) == 0
    assert holders[0].losses == 0


def test_saying_what_is_so_already(shelf: Shelf, holders: list[Holder]) -> None:
    holders[0].use(True)
    holders[0].use(False)
    assert len(shelf) == 0
    holders[0].take(4)
    for in_use in (False, True, True, False, False):
        holders[0].use(in_use)
    assert shelf.size == 4


def test_a_system_without_room(holders: list[Holder]) -> None:
    def make(megabytes: int) -> Table:
        if megabytes > 2:
            raise OSError("no")
        return Table(megabytes)

    shelf = Shelf(10, make)
    holder = Holder(shelf)
    holder.take(2)
    with pytest.raises(OSError, match="no"):
        holder.take(3)
    assert shelf.size == len(shelf) == 0
    assert holder.table is None


def test_the_memory_of_a_lost_table_is_free() -> None:
    """By what the kernel says of the process's address space, where it says it."""
    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("this system does not tell")

    def mapped() -> int:
        return int(status.read_text().split()[0]) * resource.getpagesize() >> 20

    shelf = Shelf(512)
    holders = [Holder(shelf) for _ in range(4)]
    gc.collect()
    gc.disable()
    try:
        before = mapped()
        for holder in holders * 3:
            holder.take(256)
        assert mapped() - before == pytest.approx(512, abs=64)
    finally:
        gc.enable()


class Shelves(RuleBasedStateMachine):
    """Any sequence of calls, beside a model that keeps the order as a list."""

    def __init__(self) -> None:
        super().__init__()
        self.shelf = Shelf(16, lambda megabytes: Table(1))
        self.holders = [Holder(self.shelf) for _ in range(8)]
        self.sizes: dict[Holder, int] = {}
        self.used: set[Holder] = set()
        self.order: list[Holder] = []

    numbers = st.integers(0, 7)

    @rule(number=numbers, megabytes=st.integers(1, 17))
    def take(self, number: int, megabytes: int) -> None:
        holder = self.holders[number]
        if holder in self.used:
            return
        room = 16 - sum(self.sizes[other] for other in self.used)
        if megabytes > room:
            with pytest.raises(MemoryError):
                holder.take(megabytes)
            return
        holder.take(megabytes)
        self._forget(holder)
        while sum(self.sizes.values()) + megabytes > 16:
            self._forget(next(other for other in self.order if other not in self.used))
        self.sizes[holder] = megabytes
        self.order.append(holder)

    @rule(number=numbers, in_use=st.booleans())
    def use(self, number: int, in_use: bool) -> None:
        holder = self.holders[number]
        holder.use(in_use)
        if holder in self.sizes and in_use != (holder in self.used):
            self.used ^= {holder}
            self.order.remove(holder)
            self.order.append(holder)

    @rule(number=numbers)
    def drop(self, number: int) -> None:
        holder = self.holders[number]
        if holder not in self.used:
            self.shelf.drop_table(holder)
            holder.table = None
            self._forget(holder)

    def _forget(self, holder: Holder) -> None:
        if holder in self.sizes:
            del self.sizes[holder]
            self.order.remove(holder)

    @invariant()
    def holders_have_what_is_counted(self) -> None:
        assert {holder for holder in self.holders if holder.table is not None} == set(self.sizes)
        assert self.shelf.size == sum(self.sizes.values()) <= self.shelf.megabytes
        assert len(self.shelf) == len(self.sizes)


TestShelves = Shelves.TestCase
TestShelves.settings = settings(max_examples=100, stateful_step_count=40)
