"""The table's own arithmetic; its methods can be called only when it is not compiled."""

import random

import pytest

from kibitz.engine.sources import is_compiled
from kibitz.search import table
from kibitz.search.table import Table

pytestmark = [
    pytest.mark.core,
    pytest.mark.skipif(is_compiled(), reason="hot methods are seen only uncompiled"),
]


def move_of(data: int) -> int:
    return data & table.MOVE_MASK


def value_of(data: int) -> int:
    return ((data >> table.VALUE_SHIFT) & 0xFFFF) - table.VALUE_OFFSET


def depth_of(data: int) -> int:
    return (data >> table.DEPTH_SHIFT) & 255


def test_gives_back_what_was_stored() -> None:
    shared = Table(1)
    chooser = random.Random(1)
    for _ in range(2_000):
        key = chooser.getrandbits(62)
        move, depth = chooser.getrandbits(31) or 1, chooser.randrange(256)
        value = chooser.randrange(-32_000, 32_001)
        bound = chooser.choice((table.UPPER, table.LOWER, table.EXACT))
        shared.store(key, move, value, depth, bound)
        data = shared.probe(key)
        assert (move_of(data), value_of(data), depth_of(data)) == (move, value, depth)
        assert (data >> table.BOUND_SHIFT) & 3 == bound
        assert data < 1 << 62


def test_an_unknown_key_is_not_found() -> None:
    shared = Table(1)
    assert shared.probe(0) == 0
    assert shared.probe((1 << 62) - 1) == 0
    shared.store(5 << 40, 7, 1, 1, table.EXACT)
    assert shared.probe((5 << 40) + 1) == 0


def test_a_missing_move_keeps_the_known_one() -> None:
    shared = Table(1)
    shared.store(99, 7, 1, 3, table.EXACT)
    shared.store(99, 0, -4, 4, table.UPPER)
    assert move_of(shared.probe(99)) == 7
    assert value_of(shared.probe(99)) == -4


def test_the_shallow_entry_of_a_cluster_makes_room() -> None:
    shared = Table(1)
    shared.store(1, 1, 0, 9, table.EXACT)
    shared.store(2, 2, 0, 2, table.EXACT)
    shared.store(3, 3, 0, 1, table.EXACT)
    assert move_of(shared.probe(1)) == 1
    assert shared.probe(2) == 0
    assert move_of(shared.probe(3)) == 3


def test_entries_of_earlier_searches_make_room_first() -> None:
    shared = Table(1)
    shared.store(1, 1, 0, 9, table.EXACT)
    for _ in range(3):
        shared.begin_search()
    shared.store(2, 2, 0, 2, table.EXACT)
    shared.store(3, 3, 0, 1, table.EXACT)
    assert shared.probe(1) == 0
    assert move_of(shared.probe(2)) == 2


def test_every_key_has_its_cluster_inside() -> None:
    for megabytes in (1, 3):
        shared = Table(megabytes)
        for key in (0, 1, (1 << 30) - 1, 1 << 30, (1 << 61) + 12345, (1 << 62) - 1):
            place = shared.cluster_of(key)
            assert 0 <= place <= len(shared.words) - table.CLUSTER_WORDS
            assert place % table.CLUSTER_WORDS == 0


def test_fullness_counts_this_search_only() -> None:
    shared = Table(1)
    for cluster in range(100):
        shared.store(cluster << 47 | cluster, 1, 0, 1, table.EXACT)
    full = shared.fullness()
    assert full > 0
    shared.begin_search()
    assert shared.fullness() == 0
    shared.clear()
    assert shared.probe(0) == 0
