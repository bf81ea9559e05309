"""What a Talisman position is worth: the terms, each for one side.

Compiled; the types are in `evaluation.pxd`. Hundredths: an elementary triangle, the
smallest thing worth planning for, is 50, so one point of the score is 10.
"""

from kibitz.engine import bits
from kibitz.engine.talisman import layout

POINT_WORTH = 10
# Pieces change sides, so a capture swings this twice; more pieces also make more threats.
PIECE_WORTH = 9
TEMPO_WORTH = 8
# An unowned triangle with two own corners, by what stands on the third.
OPEN_CHANCE = 14
CONTESTED_CHANCE = 5
# A big triangle that the enemy owns no part of, by the parts already owned.
BIG_CHANCES = [0, 6, 24, 80, 0]
FREEDOM_WORTH = 3


def score_value(points: int) -> int:
    """Worth of the points scored so far."""
    return points * POINT_WORTH


def pieces_value(own: int) -> int:
    """Worth of the pieces on the board."""
    return bits.popcount(own) * PIECE_WORTH


def two_corners(own: int, third: int) -> int:
    """Triangles with two corners in `own` and the other one in `third`."""
    a, b, c = own, own >> 6, own >> 7
    x, y, z = third, third >> 6, third >> 7
    ups = (a & b & z) | (a & y & c) | (x & b & c)
    b, y = own >> 1, third >> 1
    downs = (a & b & z) | (a & y & c) | (x & b & c)
    return ups | (downs << layout.DOWN_SHIFT)


def triangle_chances(own: int, enemy: int, unowned: int) -> int:
    """Worth of unowned triangles of which two corners are taken."""
    empty = layout.ALL_POINTS & ~(own | enemy)
    return OPEN_CHANCE * bits.popcount(
        two_corners(own, empty) & unowned
    ) + CONTESTED_CHANCE * bits.popcount(two_corners(own, enemy) & unowned)


def big_chances(owned: int, unowned: int) -> int:
    """Worth of big triangles that the enemy owns no part of, short of complete ones."""
    value = 0
    free = owned | unowned
    ups, downs = free & layout.LOW_HALF, free >> layout.DOWN_SHIFT
    big = ups & (ups >> 6) & (ups >> 7) & (downs >> 6)
    while big:
        bit = bits.lowest(big)
        big &= big - 1
        parts = ((owned >> bit) & 1) + ((owned >> (bit + 6)) & 1) + ((owned >> (bit + 7)) & 1)
        value += BIG_CHANCES[parts + ((owned >> (bit + 38)) & 1)]
    big = downs & (downs >> 1) & (downs >> 7) & (ups >> 1)
    while big:
        bit = bits.lowest(big)
        big &= big - 1
        parts = (
            ((owned >> (bit + 32)) & 1) + ((owned >> (bit + 33)) & 1) + ((owned >> (bit + 39)) & 1)
        )
        value += BIG_CHANCES[parts + ((owned >> (bit + 1)) & 1)]
    return value


def freedom_value(own: int, enemy: int) -> int:
    """Worth of the empty points that own pieces can step to."""
    empty = layout.ALL_POINTS & ~(own | enemy)
    beside = (own << 1) | (own >> 1) | (own << 6) | (own >> 6) | (own << 7) | (own >> 7)
    return FREEDOM_WORTH * bits.popcount(beside & empty)
