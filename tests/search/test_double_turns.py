"""A side that moves twice in a row, in a small game of its own.

Subclasses written in Python can stand for a game only when the core is not compiled.

Two sides take 1, 2 or 3 from a heap. Whoever takes 2 has another turn. The side that has
to move when the heap is empty loses.
"""

from functools import cache

import pytest

from kibitz.engine import codes, keys
from kibitz.engine.position import Position
from kibitz.engine.sources import is_compiled
from kibitz.search.driver import Search
from kibitz.search.info import Info
from kibitz.search.limits import Limit
from kibitz.search.perft import Perft
from kibitz.search.table import Table

pytestmark = [
    pytest.mark.core,
    pytest.mark.skipif(is_compiled(), reason="the core calls no Python subclass when compiled"),
]

KEYS = keys.random_keys(seed=99, count=64)


class Heap(Position):
    def __init__(self, heap: int, side: int = 0) -> None:
        super().__init__(move_bound=3, saved_words=2)
        self.heap = heap
        self.side = side
        self.settle()
        self.stand_first()

    def settle(self) -> None:
        self.key = KEYS[2 * self.heap + self.side]
        self.status = codes.ONGOING
        if self.heap == 0:
            self.status = codes.P2_WIN if self.side == 0 else codes.P1_WIN

    def generate(self, first: int) -> int:
        for taken in range(1, min(3, self.heap) + 1):
            self.moves[first + taken - 1] = taken
        return min(3, self.heap)

    def do(self, move: int) -> None:
        self.saved[2 * self.ply] = self.heap
        self.saved[2 * self.ply + 1] = self.side
        self.heap -= move
        if move != 2:
            self.side ^= 1
        self.ply += 1
        self.settle()
        self.keys[self.ply] = self.key
        self.standings[self.key & codes.FILTER_MASK] += 1

    def undo(self) -> None:
        self.standings[self.key & codes.FILTER_MASK] -= 1
        self.ply -= 1
        self.heap = self.saved[2 * self.ply]
        self.side = self.saved[2 * self.ply + 1]
        self.settle()

    def copy(self) -> "Heap":
        return Heap(self.heap, self.side)


@cache
def mover_wins(heap: int) -> bool:
    return any(
        mover_wins(heap - taken) if taken == 2 else not mover_wins(heap - taken)
        for taken in range(1, min(3, heap) + 1)
    )


@cache
def sequences(heap: int, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(sequences(heap - taken, depth - 1) for taken in range(1, min(3, heap) + 1))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("heap", range(1, 13))
def test_the_search_finds_who_wins(heap: int, side: int) -> None:
    infos: list[Info] = []
    outcome = Search(Heap(heap, side), Table(1), Limit(depth=heap), report=infos.extend).run()
    mate = infos[-1].score.mate
    assert mate is not None
    assert (mate > 0) == mover_wins(heap)
    if mate > 0:
        assert outcome.best is not None
        assert mover_wins(heap - 2) if outcome.best == 2 else not mover_wins(heap - outcome.best)


def test_perft_counts_turns_not_sides() -> None:
    for depth in range(1, 6):
        assert Perft(Heap(9)).count(depth) == sequences(9, depth)
