"""The Talisman board: points, lines and triangles as bit numbers.

A point's bit is `6 * row + column`, rows from the top. The columns are slanted so that
the three line directions are the same bit steps everywhere:

          A   B   C              0  1  2
        D   E   F   G            6  7  8  9
      H   I   J   K   L         12 13 14 15 16
        M   N   O   P              19 20 21 22
          Q   R   S                   26 27 28

One step along a row is 1, down to the left 6, down to the right 7. Bits that are no
points (5, 11 ... among them) stand round the board like a rim, so that masking with
`ALL_POINTS` after each step stops lines at the edge.

An elementary triangle is named by its *anchor*, its first point in letter order. The
ones that point up (ADE) have the corners `a`, `a + 6`, `a + 7`, the ones that point down
(ABE) `a`, `a + 1`, `a + 7`. Sets of triangles are 64-bit words: the anchors of the ups in
the low half, of the downs in the high half.
"""

ROWS = ("abc", "defg", "hijkl", "mnop", "qrs")
STEPS = (1, 6, 7)
POINT_BITS = 29
DOWN_SHIFT = 32

_FIRST_BITS = (0, 6, 12, 19, 26)

BIT_OF = {
    name: first + place
    for row, first in zip(ROWS, _FIRST_BITS, strict=True)
    for place, name in enumerate(row)
}
NAME_OF = {bit: name for name, bit in BIT_OF.items()}

ALL_POINTS = sum(1 << bit for bit in BIT_OF.values())
EDGE_POINTS = sum(1 << BIT_OF[name] for name in "abcdghlmpqrs")

BANDS = (
    "ade abe bef bcf cfg",
    "dhi dei eij efj fjk fgk gkl",
    "him imn ijn jno jko kop klp",
    "mnq nqr nor ors ops",
)
"""The bands of the `triangles` field, left to right; each triangle by its corners."""


def _triangle_bit(corners: str) -> int:
    first, second, third = (BIT_OF[name] for name in corners)
    if (second - first, third - first) == (6, 7):
        return first
    if (second - first, third - first) == (1, 7):
        return first + DOWN_SHIFT
    raise AssertionError(f"{corners} is no elementary triangle")


TRIANGLE_BITS = tuple(tuple(_triangle_bit(t) for t in band.split()) for band in BANDS)
"""For each band, the bit of each of its triangles in a triangle word."""

ALL_TRIANGLES = sum(1 << bit for band in TRIANGLE_BITS for bit in band)


def _runs_between() -> tuple[int | None, ...]:
    table: list[int | None] = [None] * 1024
    for start in BIT_OF.values():
        for step in STEPS:
            for sign in (1, -1):
                run, bit = 0, start + sign * step
                while bit in NAME_OF:
                    table[start + 32 * bit] = run
                    run |= 1 << bit
                    bit += sign * step
    return tuple(table)


RUNS_BETWEEN = _runs_between()
"""For each `from + 32 * to`, the points strictly between the two on their line; None off a line."""
