"""How moves and squares are packed into numbers, for the hot core and its callers.

Not compiled: the core reads the constants from `layout.pxd`, where the C compiler knows
their values; a test holds the two files to the same ones.

A move is `from + 128 * to`, and above the history slot the kind of group that moves and
whether it mounts. What stands on a square is one small number, its *content*: 0 for
nothing, 1 to 6 White's pieces, 7 to 12 Black's, and above them the stacks (`contents`
lists them). A set of squares is two 64-bit words.
"""

SIZE = 10
SQUARES = 100
# The square of a piece that is dead, and both squares of a pass.
NOWHERE = 127

# Contents: White's single pieces; Black's are PIECES higher, stacks higher still.
EMPTY = 0
WANDERER = 1
MERCENARY = 2
DRAGON = 3
KNIGHT = 4
MAGE = 5
ROBBER = 6
PIECES = 6
SINGLES = 12
CONTENTS = 35

# Kinds of groups: what leaves a square. ALONE is the only piece of its square; the others
# leave a stack, and are named by their letters there.
ALONE = 0
GROUP_S = 1
GROUP_N = 2
GROUP_SN = 3
GROUP_D = 4
KINDS = 5

TO_SHIFT = 7
SQUARE_MASK = 127
KIND_SHIFT = 14
KIND_MASK = 7
MOUNT_SHIFT = 17
PASS = 16383

# Tables are indexed by contents in steps of 64.
STRIDE = 64
CONTENT_MASK = 63
SIDE_STRIDE = 4096

# What an arrival does besides leaving a content, which is in the low bits.
TAKES = 64
SPENDS = 128
KILLS = 256
MOUNTS = 512

# The seats of Wanderers (White's, Black's) and Mercenaries, a byte each in one word.
SEAT_BITS = 8
SEAT_MASK = 127
MERCENARY_SEATS = 16

# A resting Dragon in a word of up to four: its square, and how many turns it must rest.
REST_BITS = 16
REST_SHIFT = 8
REST_MASK = 0xFFFF
MOST_REST = 8

# Shapes of leaps, and directions of slides.
SHAPE_S = 0
SHAPE_N = 1
SHAPE_D = 2
SHAPES = 3
DIRECTIONS = 8
DIAGONALS = 4
RAY_LENGTH = 10
NO_SQUARE = -1

# Places: castles are 1 to 4, then the goals.
CASTLES = 4
WHITE_GOAL = 5
ALL_CASTLES = 15

# No position has more moves: Wanderer and Mercenary 8 + 16 + 16 with 24 ways to mount, three
# Dragons 24, Knights and Mage 34 + 36, Robbers 60.
MOVE_BOUND = 256

# Words that `do` saves for `undo`, and how the first of them is packed.
SAVED_WORDS = 3
SAVED_FROM_SHIFT = 14
SAVED_TO_SHIFT = 20
SAVED_VISITS_SHIFT = 26
QUIET_SHIFT = 32

# How a game ended, as indices into `Trollchess.endings`.
ARRIVED = 1
DEAD = 2
QUIET = 3
REPETITION = 4


def encode_move(start: int, to: int, kind: int = ALONE, mounts: bool = False) -> int:
    """Give the move of a kind of group from a square to another, legal or not."""
    return start | (to << TO_SHIFT) | (kind << KIND_SHIFT) | (int(mounts) << MOUNT_SHIFT)


def decode_move(move: int) -> tuple[int, int, int, bool]:
    """Give the squares from and to, the kind of group and whether it mounts."""
    return (
        move & SQUARE_MASK,
        (move >> TO_SHIFT) & SQUARE_MASK,
        (move >> KIND_SHIFT) & KIND_MASK,
        bool(move >> MOUNT_SHIFT),
    )
