"""Small numbers that the compiled core and everybody else share.

Compiled modules read them from `codes.pxd`, where they are C constants; a test holds
the two files to the same values.
"""

# Results of a position, `Position.status`; they index RESULT_WORDS.
ONGOING = 0
P1_WIN = 1
P2_WIN = 2
DRAW = 3

RESULT_WORDS = ("none", "p1win", "p2win", "draw")

# The low bits of a move are its slot in tables that learn from moves.
HISTORY_BITS = 14
HISTORY_SIZE = 1 << HISTORY_BITS
HISTORY_MASK = HISTORY_SIZE - 1

# Standings are counted by the low bits of their keys, to find most that are new at once.
FILTER_SIZE = 2048
FILTER_MASK = FILTER_SIZE - 1
