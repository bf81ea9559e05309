"""The Krepost board in plain text: stones between the walls of the fortresses.

  9  .   b   . | b   b   .
               +---+   +---
  8  .   .   .   .   .   .

A wall is drawn where two squares share a side and are not connected, and the neutral line
right across; a gate is where a fortress's outline is open.
"""

from functools import lru_cache

from kibitz.engine.krepost.board import Geometry, geometry_of
from kibitz.engine.krepost.layout import STRIDE
from kibitz.engine.krepost.record import Record

LEGEND = "w b: stones, | --- +: walls of the fortresses, ===: the neutral line"


def draw(record: Record) -> str:
    """Draw squares, walls, the neutral line, coordinates, hands and prisoners."""
    geometry = geometry_of(record.size, record.fortresses)
    cells = [
        "w" if record.white >> square & 1 else "b" if record.black >> square & 1 else "."
        for rank in reversed(range(record.size))
        for square in range(STRIDE * rank, STRIDE * rank + record.size)
    ]
    return "\n".join([_frame(geometry) % tuple(cells), "", *_sides(record), LEGEND])


@lru_cache(maxsize=64)
def _frame(geometry: Geometry) -> str:
    """Draw everything that never changes, with `%s` for what stands on the squares."""
    lines = []
    for rank in reversed(range(geometry.size)):
        lines.append(_rank(geometry, rank))
        if rank:
            lines.append(_below(geometry, rank))
    lines.append("     " + "   ".join("abcdefghijkl"[: geometry.size]))
    return "\n".join(lines)


def _rank(geometry: Geometry, rank: int) -> str:
    line = f"{rank + 1:3}  "
    for file in range(geometry.size):
        line += "%s"
        if file < geometry.size - 1:
            line += "   " if geometry.east >> (STRIDE * rank + file) & 1 else " | "
    return line


def _below(geometry: Geometry, rank: int) -> str:
    """Draw the line between a rank and the one below it."""
    if 2 * rank == geometry.size:
        return "    " + "=" * (4 * geometry.size - 1)
    line = "    "
    for file in range(geometry.size):
        square = STRIDE * (rank - 1) + file
        line += "   " if geometry.north >> square & 1 else "---"
        if file < geometry.size - 1:
            line += "+" if _meets_wall(geometry, square) else " "
    return line.rstrip()


def _meets_wall(geometry: Geometry, square: int) -> bool:
    """Whether a wall begins, ends or turns at the upper right corner of a square."""
    return not (
        geometry.east >> square & 1
        and geometry.east >> (square + STRIDE) & 1
        and geometry.north >> square & 1
        and geometry.north >> (square + 1) & 1
    )


def _sides(record: Record) -> list[str]:
    """Tell each side's stones in hand, its prisoners and who has the half stone."""
    lines = []
    for side, (name, hand, enemies) in enumerate(
        (
            ("White", record.white_hand, record.black_hand + record.black.bit_count()),
            ("Black", record.black_hand, record.white_hand + record.white.bit_count()),
        )
    ):
        half = ", the half stone" if record.half == side else ""
        lines.append(f"{name}: {hand} in hand, {record.started - enemies} prisoners{half}")
    return lines
