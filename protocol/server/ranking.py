"""Things in the order of a number that changes often, the least first.

A heap in which a thing that moves leaves its old entry behind; old entries are passed over,
and swept out when they are more than the others. So each change takes a time that grows
with the logarithm of how many things there are, and looking at the first few takes none
that grows with the rest.
"""

import heapq
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)
Rank = tuple[float, int]
_Entry = tuple[Rank, int, Thing]

FEW = 32
"""So many old entries are no burden."""


class Ranking(Generic[Thing]):
    """Hashable things, each with a rank, which is two numbers."""

    def __init__(self) -> None:
        self._heap: list[_Entry[Thing]] = []
        self._present: dict[Thing, _Entry[Thing]] = {}
        self._made = 0

    def __len__(self) -> int:
        return len(self._present)

    def put(self, thing: Thing, rank: Rank) -> None:
        """Add a thing, or give it another rank."""
        # The count makes entries differ before things are compared, which they cannot be.
        self._made += 1
        entry = (rank, self._made, thing)
        self._present[thing] = entry
        heapq.heappush(self._heap, entry)
        self._sweep()

    def discard(self, thing: Thing) -> None:
        """Take a thing out, if it is there."""
        if self._present.pop(thing, None) is not None:
            self._sweep()

    def first(self) -> Thing | None:
        """Give the thing of the least rank, None if there is nothing."""
        return next(self.in_order(), None)

    def in_order(self) -> Iterator[Thing]:
        """Give the things, the least rank first; nothing may be changed meanwhile."""
        heap = self._heap
        # Places of the heap whose parents were given; whatever comes next is among them.
        border = [(heap[0], 0)] if heap else []
        while border:
            entry, place = heapq.heappop(border)
            for child in range(2 * place + 1, min(2 * place + 3, len(heap))):
                heapq.heappush(border, (heap[child], child))
            if self._present.get(entry[2]) is entry:
                yield entry[2]

    def _sweep(self) -> None:
        """Remove old entries: those at the top, and all when they are many."""
        heap, present = self._heap, self._present
        while heap and present.get(heap[0][2]) is not heap[0]:
            heapq.heappop(heap)
        if len(heap) > 2 * len(present) + FEW:
            self._heap = list(present.values())
            heapq.heapify(self._heap)
