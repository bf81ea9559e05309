"""What a Krepost position is worth: the terms of each side, and which moves look promising.

Compiled; the types are in `evaluation.pxd`. Hundredths: a prisoner is 100. Prisoners are few
and far between, so most of a game is decided by the small terms: how far the stones have
come on the way to the enemy's gate (walls counted), whether the own fortress is manned,
how near to the inside of the enemy's fortress an own stone is, and how hard it would
be to surround the own squads.
"""

from kibitz.engine import bits
from kibitz.engine.krepost import field, layout
from kibitz.engine.krepost.board import Geometry, words_of
from kibitz.engine.krepost.field import KrepostField

PRISONER_WORTH = 100
# A stone in hand counts for the enemy in the end, and does nothing until it is set.
HAND_WORTH = -30
TURN_WORTH = 8
# By the number of stones in the own fortress; more than the last do not matter.
GARRISON_WORTHS = [-130, 20, 50, 65, 70]
MOST_GARRISON = 4
# By the steps from the nearest stone to an empty square inside the enemy's fortress.
WAY_WORTHS = [0, 120, 75, 50, 32, 20, 10]
MOST_WAY = 6
# A surrounded squad can break out only when its side is to move.
CAUGHT_TO_MOVE = [45, 12]
CAUGHT_WAITING = [105, 20]
MOST_CAUGHT = 6
# A squad that has no way out but right beside an enemy: for each of its stones, and for
# few ways out, by their number, for it and for each of its stones up to a limit.
HEMMED_WORTH = 4
EXIT_WORTHS = [0, 24, 12, 5]
EXIT_STONE_WORTHS = [0, 10, 5, 2]
MOST_EXITS = 3
MOST_SQUAD = 6

PLACES = 6
PLACE_MOST = (1 << PLACES) - 1
PLANE_WORDS = PLACES * layout.WORDS

# What a move wins at once.
WIN_GAIN = 5000
SQUAD_GAIN = 60

# Squads with so many ways out are worth closing in on, or worth loosening.
FEW_EXITS = 2
CLOSING_HINT = 1200
LOOSENING_HINT = 600

TERM_NAMES = (
    "prisoners",
    "stones in hand",
    "places on the way",
    "garrison",
    "way into the fortress",
    "surrounded squads",
    "hemmed squads",
    "turn",
)
TERMS = len(TERM_NAMES)


def _place_worth(geometry: Geometry, side: int, square: int) -> int:
    """Worth of a stone's place: near the enemy's gate, or guarding the own one."""
    fortress = geometry.fortresses[side]
    file, rank = square % layout.STRIDE, square // layout.STRIDE
    way = geometry.ways[side][square]
    worth = max(30 - 3 * way, 18 - way, 0) if way else 50
    if (file, rank) in (fortress.gate, (fortress.gate_file, fortress.gate_rank)):
        worth += 7
    elif 0 < file < geometry.size - 1 and 0 < rank < geometry.size - 1:
        # Off the edge a stone has more to do and more ways out.
        worth += 2
    return min(worth, PLACE_MOST)


def planes_of(geometry: Geometry) -> list[int]:
    """Give the worth of places as sets, one a binary digit and side, in words.

    So the worths of all stones are summed by counting set bits.
    """
    planes = []
    for side in range(2):
        for digit in range(PLACES):
            planes += words_of(
                sum(
                    1 << square
                    for square in geometry.squares
                    if _place_worth(geometry, side, square) >> digit & 1
                )
            )
    return planes


def hints_of(geometry: Geometry) -> list[int]:
    """Give the promise of a stone on each square, at `192 * side + square`, from 0 to 400."""
    hints = [0] * (2 * layout.SQUARES)
    for side in range(2):
        for square in geometry.squares:
            nearness = max(12 - geometry.ways[side][square], 0)
            danger = max(3 - geometry.ways[side ^ 1][square], 0)
            hints[layout.SQUARES * side + square] = 20 * nearness + 50 * danger
    return hints


def value_of(position: KrepostField) -> int:
    """Value of the position for the side to move: the sum of `values`, which it computes."""
    us = position.side
    appraise(position, us)
    appraise(position, us ^ 1)
    value = 0
    for i in range(TERMS):
        value += position.values[TERMS * us + i] - position.values[TERMS * (us ^ 1) + i]
    return value


def appraise(position: KrepostField, side: int) -> None:
    """Compute the terms of one side."""
    field.survey(position)
    own = 3 * side
    enemy = 3 - own
    first = TERMS * side
    s0, s1, s2 = position.stones[own], position.stones[own + 1], position.stones[own + 2]
    x0, x1, x2 = position.stones[enemy], position.stones[enemy + 1], position.stones[enemy + 2]
    left = bits.popcount(x0) + bits.popcount(x1) + bits.popcount(x2) + position.hand[side ^ 1]
    position.values[first] = PRISONER_WORTH * (position.started - left)
    position.values[first + 1] = HAND_WORTH * position.hand[side]

    at = PLANE_WORDS * side
    value = 0
    for i in range(PLACES):
        value += (
            bits.popcount(s0 & position.planes[at])
            + bits.popcount(s1 & position.planes[at + 1])
            + bits.popcount(s2 & position.planes[at + 2])
        ) << i
        at += 3
    position.values[first + 2] = value
    position.values[first + 3] = GARRISON_WORTHS[min(stones_in_fort(position, side), MOST_GARRISON)]
    position.values[first + 4] = way_value(position, side)

    caught = (
        bits.popcount(position.caught[own])
        + bits.popcount(position.caught[own + 1])
        + bits.popcount(position.caught[own + 2])
    )
    value = 0
    if caught:
        more = min(caught, MOST_CAUGHT) - 1
        if position.side == side:
            value = CAUGHT_TO_MOVE[0] + CAUGHT_TO_MOVE[1] * more
        else:
            value = CAUGHT_WAITING[0] + CAUGHT_WAITING[1] * more
    position.values[first + 5] = -value
    position.values[first + 6] = -hemmed_value(position, side)
    position.values[first + 7] = TURN_WORTH if position.side == side else 0


def stones_in_fort(position: KrepostField, side: int) -> int:
    """Number of stones that a side has in its own fortress."""
    at = 3 * side
    return (
        bits.popcount(position.stones[at] & position.fort[at])
        + bits.popcount(position.stones[at + 1] & position.fort[at + 1])
        + bits.popcount(position.stones[at + 2] & position.fort[at + 2])
    )


def way_value(position: KrepostField, side: int) -> int:
    """Worth of the nearest stone's way to an empty square inside the enemy's fortress."""
    own = 3 * side
    enemy = 3 - own
    s0, s1, s2 = position.stones[own], position.stones[own + 1], position.stones[own + 2]
    f0 = position.fort[enemy] & position.empty[0]
    f1 = position.fort[enemy + 1] & position.empty[1]
    f2 = position.fort[enemy + 2] & position.empty[2]
    steps = 0
    while steps < MOST_WAY:
        steps += 1
        field.touch(position, f0, f1, f2)
        if (position.region[0] & s0) | (position.region[1] & s1) | (position.region[2] & s2):
            value = WAY_WORTHS[steps]
            defenders = stones_in_fort(position, side ^ 1)
            return 3 * value if defenders == 0 else value if defenders == 1 else value >> 1
        f0 |= position.region[0] & position.empty[0]
        f1 |= position.region[1] & position.empty[1]
        f2 |= position.region[2] & position.empty[2]
    return 0


def hemmed_value(position: KrepostField, side: int) -> int:
    """How much a side loses by squads that are nearly surrounded."""
    own = 3 * side
    enemy = 3 - own
    field.touch(
        position, position.stones[enemy], position.stones[enemy + 1], position.stones[enemy + 2]
    )
    m0 = position.free[0] & ~position.region[0]
    m1 = position.free[1] & ~position.region[1]
    m2 = position.free[2] & ~position.region[2]
    field.spread(
        position,
        m0 & position.edge[0],
        m1 & position.edge[1],
        m2 & position.edge[2],
        m0,
        m1,
        m2,
    )
    field.touch(position, position.region[0], position.region[1], position.region[2])
    m0 = position.stones[own] ^ position.caught[own]
    m1 = position.stones[own + 1] ^ position.caught[own + 1]
    m2 = position.stones[own + 2] ^ position.caught[own + 2]
    field.spread(
        position,
        position.region[0] & m0,
        position.region[1] & m1,
        position.region[2] & m2,
        m0,
        m1,
        m2,
    )
    m0 ^= position.region[0]
    m1 ^= position.region[1]
    m2 ^= position.region[2]
    value = 0
    while m0 | m1 | m2:
        take_squad(position, m0, m1, m2)
        m0 ^= position.region[0]
        m1 ^= position.region[1]
        m2 ^= position.region[2]
        stones = (
            bits.popcount(position.region[0])
            + bits.popcount(position.region[1])
            + bits.popcount(position.region[2])
        )
        value += HEMMED_WORTH * stones
        exits = find_exits(position)
        if exits <= MOST_EXITS:
            value += EXIT_WORTHS[exits] + EXIT_STONE_WORTHS[exits] * min(stones, MOST_SQUAD)
    return value


def take_squad(position: KrepostField, m0: int, m1: int, m2: int) -> None:
    """Put into `region` one of the squads that a set, not empty, consists of."""
    if m0:
        field.spread(position, m0 & -m0, 0, 0, m0, m1, m2)
    elif m1:
        field.spread(position, 0, m1 & -m1, 0, m0, m1, m2)
    else:
        field.spread(position, 0, 0, m2 & -m2, m0, m1, m2)


def find_exits(position: KrepostField) -> int:
    """Put the free squares beside the squad in `region` there instead; return their number."""
    field.touch(position, position.region[0], position.region[1], position.region[2])
    exits = 0
    for i in range(3):
        position.region[i] &= position.free[i]
        exits += bits.popcount(position.region[i])
    return exits


def hint_of(position: KrepostField, move: int) -> int:
    """How promising a move looks before anything was searched: where it goes to."""
    field.survey(position)
    if not position.threats_known:
        chart_threats(position)
    one = 1
    to = move & layout.SQUARE_MASK
    start = (move >> layout.FROM_SHIFT) & layout.SQUARE_MASK
    word = to >> 6
    bit = one << (to & 63)
    us = position.side
    hint = position.hints[layout.SQUARES * us + to]
    if not move & layout.SETTING:
        # A step forward is as promising as it goes far; one that goes back is not at all.
        hint = max(hint + 40 - position.hints[layout.SQUARES * us + start], 0)
    if position.closing[word] & bit:
        hint += CLOSING_HINT
    if position.loosening[word] & bit:
        hint += LOOSENING_HINT
    return hint


def chart_threats(position: KrepostField) -> None:
    """Find the free squares that are among the last ways out of a squad of either side."""
    position.threats_known = True
    for i in range(3):
        position.closing[i] = 0
        position.loosening[i] = 0
    for side in range(2):
        at = 3 * side
        r0 = position.stones[at] ^ position.caught[at]
        r1 = position.stones[at + 1] ^ position.caught[at + 1]
        r2 = position.stones[at + 2] ^ position.caught[at + 2]
        while r0 | r1 | r2:
            take_squad(position, r0, r1, r2)
            r0 ^= position.region[0]
            r1 ^= position.region[1]
            r2 ^= position.region[2]
            exits = find_exits(position)
            if exits <= FEW_EXITS:
                for i in range(3):
                    if side == position.side:
                        position.loosening[i] |= position.region[i]
                    else:
                        position.closing[i] |= position.region[i]
