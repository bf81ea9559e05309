"""Perft: counting move sequences, through the same do and undo as the search.

Compiled; the types are in `perft.pxd`. Every leaf is made and taken back, with its key,
status and standings kept; nothing is counted in bulk.
"""

import cython

from kibitz.engine.position import Position
from kibitz.search.gate import Gate


class Perft:
    """Counts the sequences of exactly `depth` turns from a position.

    The count runs without the GIL and can be paused and stopped from other threads.
    """

    def __init__(self, position: Position) -> None:
        """Prepare a count on a private copy of the position."""
        self.position = position.copy()
        self.gate = Gate()
        self.stopped = False
        # The one flag that the count looks at: there is something to heed.
        self.called = False

    def stop(self) -> None:
        """Make a running count return soon; its number is then too small."""
        self.stopped = True
        self.called = True
        self.gate.take_away()

    def pause(self) -> None:
        """Make the count wait, now or as soon as it begins, until `resume` or `stop`."""
        self.gate.close()
        self.called = True

    def resume(self) -> None:
        """Let a paused count go on."""
        self.gate.open()

    def count(self, depth: int) -> int:
        """Count the sequences of `depth` turns; 1 for depth 0."""
        if self.called:
            self.heed()
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
            if self.called and self.heed():
                break
            self.position.do(self.position.moves[i])
            total += self.leaves(depth - 1, end)
            self.position.undo()
        return total

    def heed(self) -> bool:
        """Wait while paused, and tell whether the count was stopped.

        The flag is cleared before: one that is set meanwhile must be seen.
        """
        self.called = False
        self.gate.wait()
        if self.stopped:
            self.called = True
        return self.stopped
