"""How moves and sides are packed into numbers, for the hot core and its callers.

Not compiled: the core reads the constants from `layout.pxd`, where the C compiler knows
their values; a test holds the two files to the same ones.

A move is `from + 32 * to` and, with a return, the file of its hole (counted from 1) and,
above the history slot, the rank, which is the same for all legal returns of a side.

Two words hold what the rules know of a side:

- its *force*: the set of its archers, and 32 bits higher the set of the marked ones, so
  that an archer and its mark move, or are captured, in one operation;
- its *memory*: the last move as in a move (0 for none), how many moves to and fro it ends
  and the unused rights.
"""

SIZE = 5
HOLES = 25
ALL_HOLES = 0x1FFFFFF
ARCHERS = 5
# Fits the five bits of a hole, and is none.
NOWHERE = 31

MARK_SHIFT = 32
# An archer and its mark on bit 0.
ARCHER_AND_MARK = 0x100000001
LOW_HALF = 0xFFFFFFFF

STEP_MASK = 0x3FF
COUNT_SHIFT = 10
COUNT_MASK = 3
RIGHTS_SHIFT = 12
# After so many moves to and fro the next one back is illegal.
MOST_TO_AND_FRO = 3

RETURN_SHIFT = 10
RETURN_MASK = 7
RANK_SHIFT = 14

# Words that `do` saves for `undo`.
SAVED_WORDS = 3

# How a game ended, as indices into `Jarmo.endings`.
ARRIVED = 1
CAPTURED = 2
BLOCKED = 3
QUIET = 4
REPETITION = 5


def encode_move(start: int, to: int, back: int | None = None) -> int:
    """Give the move between two holes, legal or not, with a return to `back` if that is given."""
    move = start + 32 * to
    if back is not None:
        move += ((back % SIZE + 1) << RETURN_SHIFT) + ((back // SIZE) << RANK_SHIFT)
    return move


def decode_move(move: int) -> tuple[int, int, int | None]:
    """Give the holes that a move comes from, goes to and, if it does, returns an archer to."""
    file = (move >> RETURN_SHIFT) & RETURN_MASK
    back = file - 1 + SIZE * (move >> RANK_SHIFT) if file else None
    return move & 31, (move >> 5) & 31, back
