"""Perft: counting move sequences, through the same do and undo as the search.

Compiled; the types are in `perft.pxd`. Every leaf is made and taken back, with its key,
status and standings kept; nothing is counted in bulk.
"""

import cython

from kibitz.engine.position import Position


class Perft:
    """Counts the sequences of exactly `depth` turns from a position.

    The count runs without the GIL and can be stopped from another thread.
    """

    def __init__(self, position: Position) -> None:
        """Prepare a count on a private copy of the position."""
        self.position = position.copy()
        self.stopped = False

    def stop(self) -> None:
        """Make a running count return soon; its number is then too small."""
        self.stopped = True

    def count(self, depth: int) -> int:
        """Count the sequences of `depth` turns; 1 for depth 0."""
        if depth <= 0:
            return 1
        self.position.reserve(depth + 1, depth + 1)
        with cython.nogil:
            total = self.leaves(depth, 0)
        return total

    def divide(self, move: int, depth: int) -> int:
        """Count the sequences of `depth` turns that begin with a legal move."""
        self.position.push(move)
        try:
            return self.count(depth - 1)
        finally:
            self.position.pop()

    def leaves(self, depth: int, first: int) -> int:
        """Count below a node whose move list begins at `moves[first]`."""
        end = first + self.position.generate(first)
        total = 0
        if depth == 1:
            for i in range(first, end):
                self.position.do(self.position.moves[i])
                total += 1
                self.position.undo()
            return total
        for i in range(first, end):
            if self.stopped:
                break
            self.position.do(self.position.moves[i])
            total += self.leaves(depth - 1, end)
            self.position.undo()
        return total
