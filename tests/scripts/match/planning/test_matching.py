import random
from itertools import combinations

from kibitz.scripts.match.planning.matching import can_pair_all, maximum_matching


def most_pairs(edges: list[tuple[int, int]]) -> int:
    """Count the pairs of the largest matching by trying all."""
    if not edges:
        return 0
    (one, other), *rest = edges
    without = [edge for edge in rest if one not in edge and other not in edge]
    return max(1 + most_pairs(without), most_pairs(rest))


def table_of(count: int, edges: list[tuple[int, int]]) -> list[list[bool]]:
    table = [[False] * count for _ in range(count)]
    for one, other in edges:
        table[one][other] = table[other][one] = True
    return table


def check(count: int, edges: list[tuple[int, int]]) -> int:
    partners = maximum_matching(table_of(count, edges))
    pairs = [(one, other) for one, other in enumerate(partners) if one < other]
    assert all(partners[other] == one for one, other in pairs)
    assert set(pairs) <= set(edges)
    assert len(pairs) * 2 == sum(partner >= 0 for partner in partners)
    assert can_pair_all(table_of(count, edges)) == (2 * len(pairs) == count)
    return len(pairs)


def test_random_graphs() -> None:
    chance = random.Random(1)
    for _ in range(1500):
        count = chance.randrange(9)
        density = chance.random()
        edges = [edge for edge in combinations(range(count), 2) if chance.random() < density]
        chance.shuffle(edges)
        edges = [(min(edge), max(edge)) for edge in edges]
        assert check(count, edges) == most_pairs(edges)


def test_large_random_graphs_of_pairs_and_odd_cycles() -> None:
    chance = random.Random(2)
    for _ in range(60):
        # A graph with a perfect matching, hidden by relabelling and few other edges.
        count = 40
        labels = list(range(count))
        chance.shuffle(labels)
        edges = {(labels[i], labels[i + 1]) for i in range(0, count, 2)}
        edges |= {tuple(chance.sample(labels, 2)) for _ in range(40)}  # type: ignore[misc]
        assert check(count, [(min(edge), max(edge)) for edge in edges]) == count // 2


def test_cycles_that_have_to_be_contracted() -> None:
    # Two triangles joined by a path: greedy pairs on the path leave both with a free corner.
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (5, 7), (6, 7)]
    assert check(8, edges) == 4
    # Odd components around one vertex: only one of them can use it.
    edges = [(0, 1), (0, 2), (0, 3)]
    assert check(4, edges) == 1
    assert not can_pair_all([[False]])
    assert can_pair_all([])
