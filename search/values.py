"""Values of the search: whole numbers, hundredths of a unit, from the side to move.

Not compiled: compiled modules read the constants from `values.pxd`; a test holds the two
files to the same ones.
"""

# A position won in n turns has the value WIN - n; evaluations stay below WIN_BOUND.
WIN = 31_000
WIN_BOUND = 30_000
# Beyond every value: the window that leaves nothing out.
INFINITY = 31_001
