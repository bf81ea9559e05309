"""How moves and points are packed into numbers, for the hot core and its callers.

Not compiled: the core reads the constants from `layout.pxd`, where the C compiler knows
their values; a test holds the two files to the same ones.

A move is `from + 32 * to` in bits of points, plus `CAPTURE`; setting a piece is
`from == to`, plus `SETTING`.
"""

from kibitz.engine.talisman import board

POINT_PAIR = 0x3FF
CAPTURE = 0x400
SETTING = 0x800

ALL_POINTS = board.ALL_POINTS
EDGE_POINTS = board.EDGE_POINTS
ALL_TRIANGLES = board.ALL_TRIANGLES
DOWN_SHIFT = board.DOWN_SHIFT
LOW_HALF = 0xFFFFFFFF

PIECES = 12
POINT_SCORE = 1
TRIANGLE_SCORE = 5
BIG_SCORE = 20

# Twelve pieces with six directions each; a direction holds one quiet move or one capture.
MOST_MOVES = 72
# Words that `do` saves for `undo`.
SAVED_WORDS = 4

# How a game ended, as indices into `Talisman.endings`.
BLOCKED = 1
LEAD = 2
QUIET = 3
REPETITION = 4
