"""How squares, moves and what `undo` needs are packed into numbers.

Not compiled: the core reads the constants from `layout.pxd`, where the C compiler knows
their values; a test holds the two files to the same ones.

A square is `16 * rank + file`, counted from 0. A set of squares is three 64-bit words of
four ranks each, so one step along a rank is a shift by 1, one step up or down a shift by 16
with a carry between words; the files that no board has stay empty. Words of two sides
stand one after the other, at `3 * side + word`.

A move is `to + 256 * from`, so that the low bits that learn from it are nearly the whole of
both squares, and, above, 1 + the prisoner's square, 0 for none. Setting a stone has
`from == to` and `SETTING`.
"""

WORDS = 3
STRIDE = 16
SQUARES = 192
WORD_SQUARES = 64

SQUARE_MASK = 255
FROM_SHIFT = 8
PRISONER_SHIFT = 16
SETTING = 1 << 24
# Times a square: the square as the one that a move comes from and goes to; times a step,
# both moved on by it.
FROM_UNIT = 256
BOTH_UNITS = 257

# All but the highest rank of a word, which a step up carries into the next one.
LOWER_RANKS = (1 << 48) - 1

# The most stones of a side, and squares that a stone can reach in one turn: four steps,
# and jumps to the squares of its own files' and ranks' parity.
MOST_STONES = 48
MOST_TARGETS = 39
# The most prisoners that `generate_noisy` offers, besides the last of a garrison.
MOST_NOISY = 6

# What `do` saves: the move, the side that made it and the counter of quiet turns.
SAVED_WORDS = 1
SIDE_SHIFT = 30
QUIET_SHIFT = 32

# How a game ended, as indices into `Krepost.endings`.
ENTRY = 1
GARRISON = 2
BLOCKED = 3
QUIET = 4


def encode_move(start: int, to: int, prisoner: int | None = None) -> int:
    """Give the move between two squares, legal or not; the same square twice is a stone set."""
    move = to + (start << FROM_SHIFT)
    if start == to:
        move += SETTING
    if prisoner is not None:
        move += (prisoner + 1) << PRISONER_SHIFT
    return move


def decode_move(move: int) -> tuple[int, int, int | None]:
    """Give the squares that a move comes from, goes to and, if it does, takes a prisoner from."""
    taken = (move >> PRISONER_SHIFT) & SQUARE_MASK
    return (
        (move >> FROM_SHIFT) & SQUARE_MASK,
        move & SQUARE_MASK,
        taken - 1 if taken else None,
    )
