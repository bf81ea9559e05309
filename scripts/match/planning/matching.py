"""Whether everybody in a group can be paired: maximum matching in a general graph.

The blossom algorithm of J. Edmonds, "Paths, trees, and flowers" (1965), in the form that
grows a breadth-first tree of alternating paths from each free vertex and contracts odd
cycles to their base. Cubic in the number of vertices, which are players: a few dozen.
"""

from collections import deque
from collections.abc import Sequence

_NOBODY = -1


def can_pair_all(allowed: Sequence[Sequence[bool]]) -> bool:
    """Whether there are pairs of allowed partners in which everybody is once.

    `allowed` is symmetric: `allowed[a][b]` says whether `a` and `b` may be a pair.
    """
    count = len(allowed)
    if count % 2:
        return False
    return _NOBODY not in maximum_matching(allowed)


def maximum_matching(allowed: Sequence[Sequence[bool]]) -> list[int]:
    """Give everybody's partner, -1 for none, such that as many as possible have one."""
    count = len(allowed)
    partners = [_NOBODY] * count
    # Most find a partner at once.
    for one in range(count):
        if partners[one] == _NOBODY:
            for other in range(count):
                if allowed[one][other] and other != one and partners[other] == _NOBODY:
                    partners[one], partners[other] = other, one
                    break
    for root in range(count):
        if partners[root] == _NOBODY:
            _Tree(allowed, partners, root).grow()
    return partners


class _Tree:
    """Alternating paths from a vertex without a partner; `grow` looks for one to another."""

    def __init__(self, allowed: Sequence[Sequence[bool]], partners: list[int], root: int) -> None:
        self._count = len(allowed)
        self._allowed = allowed
        self._partners = partners
        self._root = root
        self._before = [_NOBODY] * self._count
        """The vertex before one that is an odd number of steps from the root."""
        self._base = list(range(self._count))
        self._even = [False] * self._count
        """Whether a vertex is an even number of steps from the root, by some path."""
        self._waiting = deque([root])

    def grow(self) -> None:
        """Give the root a partner if that is possible with one pair more than before."""
        self._even[self._root] = True
        while self._waiting:
            one = self._waiting.popleft()
            for other in range(self._count):
                if not self._allowed[one][other] or other == one:
                    continue
                if self._base[one] == self._base[other] or self._partners[one] == other:
                    continue
                partner = self._partners[other]
                if other == self._root or (partner != _NOBODY and self._before[partner] >= 0):
                    self._contract(one, other)
                elif self._before[other] == _NOBODY:
                    self._before[other] = one
                    if partner == _NOBODY:
                        self._augment(other)
                        return
                    self._even[partner] = True
                    self._waiting.append(partner)

    def _augment(self, last: int) -> None:
        """Swap the pairs along the path from the root to a vertex without a partner."""
        while last != _NOBODY:
            before = self._before[last]
            following = self._partners[before]
            self._partners[last], self._partners[before] = before, last
            last = following

    def _contract(self, one: int, other: int) -> None:
        """Make the odd cycle that an edge between two even vertices closes a single vertex."""
        base = self._common_base(one, other)
        in_cycle = [False] * self._count
        self._mark(one, base, other, in_cycle)
        self._mark(other, base, one, in_cycle)
        for vertex in range(self._count):
            if in_cycle[self._base[vertex]]:
                self._base[vertex] = base
                if not self._even[vertex]:
                    self._even[vertex] = True
                    self._waiting.append(vertex)

    def _common_base(self, one: int, other: int) -> int:
        passed = set()
        while True:
            one = self._base[one]
            passed.add(one)
            if one == self._root or self._partners[one] == _NOBODY:
                break
            one = self._before[self._partners[one]]
        while True:
            other = self._base[other]
            if other in passed:
                return other
            other = self._before[self._partners[other]]

    def _mark(self, vertex: int, base: int, child: int, in_cycle: list[bool]) -> None:
        """Mark the bases on the way from a vertex to the base, and how to walk it back."""
        while self._base[vertex] != base:
            partner = self._partners[vertex]
            in_cycle[self._base[vertex]] = True
            in_cycle[self._base[partner]] = True
            self._before[vertex] = child
            child = partner
            vertex = self._before[partner]
