"""The Krepost boards: squares, zones, fortresses and their walls. Plain Python.

A `Geometry` is a board with its two fortresses, as sets of squares (numbers whose bit
`16 * rank + file` is a square, see `layout`). Walls are folded into two sets: `east` holds the
squares that are connected to the one on their right, `north` those connected to the one
above.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from kibitz.engine.krepost.layout import STRIDE, WORD_SQUARES, WORDS

SIZES = (12, 10, 8)
ZONE_RANKS = {12: 4, 10: 3, 8: 2}
"""The ranks of each side's zone: its half less the two ranks next to the neutral line."""

DEFAULT_FORTRESSES = {
    12: "a1:c3:b3n/j10:l12:k10s",
    10: "a1:c3:b3n/h8:j10:i8s",
    8: "a1:c2:b2n/f7:h8:g7s",
}

LEAST_SIDE = 2
FAR = 99
"""A distance longer than any way."""

_SQUARE = r"([a-l])([1-9]|1[0-2])"
_FORTRESS = re.compile(rf"{_SQUARE}:{_SQUARE}:{_SQUARE}([nesw])")
_SQUARE_NAME = re.compile(_SQUARE)
_STEPS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}


def square_name(square: int) -> str:
    """Give a square's name, such as `b12`."""
    return f"{'abcdefghijkl'[square % STRIDE]}{square // STRIDE + 1}"


def read_square(name: str) -> int | None:
    """Give the square of a name in small letters; None for one that the largest board lacks."""
    hit = _SQUARE_NAME.fullmatch(name)
    if hit is None:
        return None
    file, rank = _place(hit[1], hit[2])
    return STRIDE * rank + file


def _place(file: str, rank: str) -> tuple[int, int]:
    return ord(file) - ord("a"), int(rank) - 1


class Fortress(NamedTuple):
    """A rectangle of squares, walled in but for one side of one square; all counted from 0."""

    left: int
    bottom: int
    right: int
    top: int
    gate_file: int
    gate_rank: int
    gate_side: str

    @property
    def shape(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left + 1, self.top - self.bottom + 1

    @property
    def gate(self) -> tuple[int, int]:
        """File and rank of the square just outside the gate."""
        step = _STEPS[self.gate_side]
        return self.gate_file + step[0], self.gate_rank + step[1]

    def holds(self, file: int, rank: int) -> bool:
        """Whether a square is inside."""
        return self.left <= file <= self.right and self.bottom <= rank <= self.top

    def text(self) -> str:
        """Write the fortress as position texts do."""
        corners = (self.left, self.bottom), (self.right, self.top), (self.gate_file, self.gate_rank)
        return ":".join(square_name(STRIDE * rank + file) for file, rank in corners) + (
            self.gate_side
        )


def read_fortresses(text: str) -> tuple[Fortress, Fortress] | None:
    """Read White's and Black's fortress; None when the text is not written as it should be."""
    parts = text.lower().split("/")
    hits = [_FORTRESS.fullmatch(part) for part in parts]
    if len(hits) != 2 or hits[0] is None or hits[1] is None:
        return None
    return _fortress(hits[0]), _fortress(hits[1])


def _fortress(hit: "re.Match[str]") -> Fortress:
    groups = hit.groups()
    return Fortress(
        *_place(groups[0], groups[1]),
        *_place(groups[2], groups[3]),
        *_place(groups[4], groups[5]),
        groups[6],
    )


def fault_of(fortresses: tuple[Fortress, Fortress], size: int) -> str | None:
    """Say what is wrong with two fortresses on a board; None when they can be played with."""
    for side, fortress in enumerate(fortresses):
        owner = ("White", "Black")[side]
        width, height = fortress.shape
        if width < LEAST_SIDE or height < LEAST_SIDE:
            return f"{owner}'s is not a rectangle of at least {LEAST_SIDE} by {LEAST_SIDE} squares"
        lowest, highest = zone_ranks(size, side)
        if fortress.right >= size or fortress.bottom < lowest or fortress.top > highest:
            return f"{owner}'s is not inside the zone, ranks {lowest + 1} to {highest + 1}"
        if not fortress.holds(fortress.gate_file, fortress.gate_rank):
            return f"the gate of {owner}'s is not a square inside"
        file, rank = fortress.gate
        if fortress.holds(file, rank):
            return f"the gate of {owner}'s does not lie on the outline"
        if not (0 <= file < size and 0 <= rank < size):
            return f"the gate of {owner}'s opens over the board's edge"
    if fortresses[0].shape != fortresses[1].shape:
        return "the two are not of the same width and height"
    return None


def zone_ranks(size: int, side: int) -> tuple[int, int]:
    """Give the lowest and the highest rank of a side's zone, counted from 0."""
    depth = ZONE_RANKS[size]
    return (0, depth - 1) if side == 0 else (size - depth, size - 1)


def words_of(squares: int) -> list[int]:
    """Cut a set of squares into its words."""
    mask = (1 << WORD_SQUARES) - 1
    return [squares >> WORD_SQUARES * word & mask for word in range(WORDS)]


def squares_of(words: Sequence[int]) -> int:
    """Put the words of a set together."""
    return sum(word << WORD_SQUARES * place for place, word in enumerate(words))


class Geometry:
    """A board and two fortresses that `fault_of` finds nothing wrong with."""

    def __init__(self, size: int, fortresses: tuple[Fortress, Fortress]) -> None:
        """Compute all sets of squares and distances."""
        self.size = size
        self.fortresses = fortresses
        self.squares = [STRIDE * rank + file for rank in range(size) for file in range(size)]
        self.inside = self._set(lambda file, rank: True)
        last = size - 1
        self.edge = self._set(lambda file, rank: file in (0, last) or rank in (0, last))
        self.east = self._set(lambda file, rank: self._are_connected(file, rank, 1, 0))
        self.north = self._set(lambda file, rank: self._are_connected(file, rank, 0, 1))
        self.zones = [self._zone(side) for side in range(2)]
        self.forts = [self._set(fortress.holds) for fortress in fortresses]
        # For each side, the steps from a square to the inside of the enemy's fortress.
        self.ways = [self._distances(self.forts[1]), self._distances(self.forts[0])]

    @property
    def zone_size(self) -> int:
        """The squares of a zone, which are as many as a side's stones at most."""
        return self.size * ZONE_RANKS[self.size]

    def neighbours(self, square: int) -> list[int]:
        """List the squares connected to a square."""
        found = []
        if self.east >> square & 1:
            found.append(square + 1)
        if square and self.east >> (square - 1) & 1:
            found.append(square - 1)
        if self.north >> square & 1:
            found.append(square + STRIDE)
        if square >= STRIDE and self.north >> (square - STRIDE) & 1:
            found.append(square - STRIDE)
        return found

    def _set(self, belongs: Callable[[int, int], bool]) -> int:
        return sum(
            1 << square for square in self.squares if belongs(square % STRIDE, square // STRIDE)
        )

    def _zone(self, side: int) -> int:
        lowest, highest = zone_ranks(self.size, side)
        return self._set(lambda file, rank: lowest <= rank <= highest)

    def _are_connected(self, file: int, rank: int, right: int, up: int) -> bool:
        """Whether the square and the one to its right or above it have no wall between them."""
        other = file + right, rank + up
        if max(other) >= self.size:
            return False
        for fortress in self.fortresses:
            ends = fortress.holds(file, rank), fortress.holds(*other)
            if ends[0] != ends[1]:
                within, without = ((file, rank), other) if ends[0] else (other, (file, rank))
                gate = (fortress.gate_file, fortress.gate_rank), fortress.gate
                if (within, without) != gate:
                    return False
        return True

    def _distances(self, targets: int) -> dict[int, int]:
        """Give the steps from each square to the nearest of the targets, by way of the gates."""
        distances = {square: 0 for square in self.squares if targets >> square & 1}
        waiting = list(distances)
        for square in waiting:
            for other in self.neighbours(square):
                if other not in distances:
                    distances[other] = distances[square] + 1
                    waiting.append(other)
        return {square: distances.get(square, FAR) for square in self.squares}


@lru_cache(maxsize=64)
def geometry_of(size: int, fortresses: tuple[Fortress, Fortress]) -> Geometry:
    """Give the geometry of a board, computing it when it is new."""
    return Geometry(size, fortresses)
