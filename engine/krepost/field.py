"""What stands on a Krepost board and what is surrounded: the sets below rules and evaluation.

Compiled; the C types are in `field.pxd`. A set of squares is three words as in `layout`. All
that looks for ways works on whole sets: `spread` fills a region by shifting it in the four
directions at once, walls being squares missing from `east` and `north`, until it grows no
more. So what is surrounded is found once a node and without looking at single squares: the
empty squares with a free way to the edge are filled from the edge, and then the squads that
touch them are filled from their squares beside them; what is left of a colour is surrounded.
"""

from kibitz.engine.krepost import layout
from kibitz.engine.krepost.board import Geometry, words_of
from kibitz.engine.position import Position


class KrepostField(Position):
    """The stones of a position, its geometry, and what is known about its squads.

    `empty` and `free` (empty with a way to the edge) and `caught` (stones in surrounded
    squads, of both sides) hold for the present position when `surveyed`; `do` and `undo`
    make them unknown. `region` is where `spread` and `touch` leave what they find.
    """

    def __init__(
        self, move_bound: int, geometry: Geometry, stones: list[int], hand: list[int]
    ) -> None:
        """Set up the stones of both sides, on a board and in hand."""
        super().__init__(move_bound, layout.SAVED_WORDS)
        self.geometry = geometry
        self.stones = words_of(stones[0]) + words_of(stones[1])
        self.hand = hand
        self.inside = words_of(geometry.inside)
        self.edge = words_of(geometry.edge)
        self.east = words_of(geometry.east)
        self.north = words_of(geometry.north)
        self.zone = words_of(geometry.zones[0]) + words_of(geometry.zones[1])
        self.fort = words_of(geometry.forts[0]) + words_of(geometry.forts[1])
        self.region = [0, 0, 0]
        self.empty = [0, 0, 0]
        self.free = [0, 0, 0]
        self.caught = [0, 0, 0, 0, 0, 0]
        self.surveyed = False
        # Squares from which a stone could jump east, west, north, south, at [3 * i + word].
        self.jumps = [0] * 12
        self.jumpers = [0, 0, 0]
        # For `turns`: the set of enemy stones that may be taken now; the same as parts of moves;
        # the squares where one stone can go; the enemy stones that a move lets escape.
        self.due = [0, 0, 0]
        self.prisoners = [0] * 48
        self.targets = [0] * 40
        self.freed = [0, 0, 0]
        self.openers = [0, 0, 0]
        # For `evaluation`, which says what they are.
        self.started = 0
        self.values = [0] * 16
        self.planes = [0] * 36
        self.hints = [0] * 384
        self.threats_known = False
        self.closing = [0, 0, 0]
        self.loosening = [0, 0, 0]


def spread(field: KrepostField, s0: int, s1: int, s2: int, m0: int, m1: int, m2: int) -> None:
    """Put into `region` all squares of the mask `m` connected within it to seeds `s`, in it."""
    e0, e1, e2 = field.east[0], field.east[1], field.east[2]
    n0, n1, n2 = field.north[0], field.north[1], field.north[2]
    while True:
        o0, o1, o2 = s0, s1, s2
        s0 |= (((s0 & e0) << 1) | ((s0 >> 1) & e0)) & m0
        s1 |= (((s1 & e1) << 1) | ((s1 >> 1) & e1)) & m1
        s2 |= (((s2 & e2) << 1) | ((s2 >> 1) & e2)) & m2
        # Each word uses what the one before has just gained; that only saves rounds.
        s0 |= (((s0 & n0 & layout.LOWER_RANKS) << 16) | (((s0 >> 16) | (s1 << 48)) & n0)) & m0
        s1 |= (
            ((s1 & n1 & layout.LOWER_RANKS) << 16)
            | ((s0 & n0) >> 48)
            | (((s1 >> 16) | (s2 << 48)) & n1)
        ) & m1
        s2 |= (((s2 & n2 & layout.LOWER_RANKS) << 16) | ((s1 & n1) >> 48) | ((s2 >> 16) & n2)) & m2
        if not ((s0 ^ o0) | (s1 ^ o1) | (s2 ^ o2)):
            break
    field.region[0] = s0
    field.region[1] = s1
    field.region[2] = s2


def touch(field: KrepostField, s0: int, s1: int, s2: int) -> None:
    """Put into `region` all squares connected to one of `s`, and not `s` itself."""
    e0, e1, e2 = field.east[0], field.east[1], field.east[2]
    n0, n1, n2 = field.north[0], field.north[1], field.north[2]
    field.region[0] = (
        ((s0 & e0) << 1)
        | ((s0 >> 1) & e0)
        | ((s0 & n0 & layout.LOWER_RANKS) << 16)
        | (((s0 >> 16) | (s1 << 48)) & n0)
    )
    field.region[1] = (
        ((s1 & e1) << 1)
        | ((s1 >> 1) & e1)
        | ((s1 & n1 & layout.LOWER_RANKS) << 16)
        | ((s0 & n0) >> 48)
        | (((s1 >> 16) | (s2 << 48)) & n1)
    )
    field.region[2] = (
        ((s2 & e2) << 1)
        | ((s2 >> 1) & e2)
        | ((s2 & n2 & layout.LOWER_RANKS) << 16)
        | ((s1 & n1) >> 48)
        | ((s2 >> 16) & n2)
    )


def survey(field: KrepostField) -> None:
    """Find `empty`, `free` and `caught`, unless they are known."""
    if field.surveyed:
        return
    field.surveyed = True
    field.threats_known = False
    m0 = field.inside[0] & ~(field.stones[0] | field.stones[3])
    m1 = field.inside[1] & ~(field.stones[1] | field.stones[4])
    m2 = field.inside[2] & ~(field.stones[2] | field.stones[5])
    field.empty[0] = m0
    field.empty[1] = m1
    field.empty[2] = m2
    spread(field, field.edge[0] & m0, field.edge[1] & m1, field.edge[2] & m2, m0, m1, m2)
    m0, m1, m2 = field.region[0], field.region[1], field.region[2]
    field.free[0] = m0
    field.free[1] = m1
    field.free[2] = m2
    touch(field, m0, m1, m2)
    s0, s1, s2 = field.region[0], field.region[1], field.region[2]
    for i in range(2):
        at = 3 * i
        m0, m1, m2 = field.stones[at], field.stones[at + 1], field.stones[at + 2]
        if (m0 & ~s0) | (m1 & ~s1) | (m2 & ~s2):
            spread(field, s0 & m0, s1 & m1, s2 & m2, m0, m1, m2)
            field.caught[at] = m0 ^ field.region[0]
            field.caught[at + 1] = m1 ^ field.region[1]
            field.caught[at + 2] = m2 ^ field.region[2]
        else:
            field.caught[at] = 0
            field.caught[at + 1] = 0
            field.caught[at + 2] = 0


def escapes(field: KrepostField, square: int, without: int) -> bool:
    """Whether a square, once empty, has a way to the edge when another one is filled."""
    one = 1
    m0, m1, m2 = field.empty[0], field.empty[1], field.empty[2]
    s0, s1, s2 = 0, 0, 0
    bit = one << (square & 63)
    if square < 64:
        s0 = bit
    elif square < 128:
        s1 = bit
    else:
        s2 = bit
    if (s0 & field.edge[0]) | (s1 & field.edge[1]) | (s2 & field.edge[2]):
        return True
    bit = one << (without & 63)
    if without < 64:
        m0 &= ~bit
    elif without < 128:
        m1 &= ~bit
    else:
        m2 &= ~bit
    spread(field, s0, s1, s2, m0 | s0, m1 | s1, m2 | s2)
    return (
        (field.region[0] & field.edge[0])
        | (field.region[1] & field.edge[1])
        | (field.region[2] & field.edge[2])
    ) != 0


def chart_jumps(field: KrepostField, side: int) -> None:
    """Find `jumps` over the stones of a side, and which of its stones have any."""
    own0, own1, own2 = (
        field.stones[3 * side],
        field.stones[3 * side + 1],
        field.stones[3 * side + 2],
    )
    e0, e1, e2 = field.empty[0], field.empty[1], field.empty[2]
    east0, east1, east2 = field.east[0], field.east[1], field.east[2]
    north0, north1, north2 = field.north[0], field.north[1], field.north[2]
    # Along the ranks, eastward and then westward.
    field.jumps[0] = east0 & ((own0 & east0 & (e0 >> 1)) >> 1)
    field.jumps[1] = east1 & ((own1 & east1 & (e1 >> 1)) >> 1)
    field.jumps[2] = east2 & ((own2 & east2 & (e2 >> 1)) >> 1)
    field.jumps[3] = (own0 & ((e0 & east0) << 1) & east0) << 1
    field.jumps[4] = (own1 & ((e1 & east1) << 1) & east1) << 1
    field.jumps[5] = (own2 & ((e2 & east2) << 1) & east2) << 1
    # Along the files, northward and then southward; `over` is the own stones to jump over,
    # those with an empty square behind them.
    over0 = own0 & north0 & ((e0 >> 16) | (e1 << 48))
    over1 = own1 & north1 & ((e1 >> 16) | (e2 << 48))
    over2 = own2 & north2 & (e2 >> 16)
    field.jumps[6] = north0 & ((over0 >> 16) | (over1 << 48))
    field.jumps[7] = north1 & ((over1 >> 16) | (over2 << 48))
    field.jumps[8] = north2 & (over2 >> 16)
    over0 = own0 & ((e0 & north0 & layout.LOWER_RANKS) << 16) & north0
    over1 = own1 & (((e1 & north1 & layout.LOWER_RANKS) << 16) | ((e0 & north0) >> 48)) & north1
    over2 = own2 & (((e2 & north2 & layout.LOWER_RANKS) << 16) | ((e1 & north1) >> 48)) & north2
    field.jumps[9] = (over0 & layout.LOWER_RANKS) << 16
    field.jumps[10] = ((over1 & layout.LOWER_RANKS) << 16) | (over0 >> 48)
    field.jumps[11] = ((over2 & layout.LOWER_RANKS) << 16) | (over1 >> 48)
    for i in range(3):
        field.jumpers[i] = field.stones[3 * side + i] & (
            field.jumps[i] | field.jumps[3 + i] | field.jumps[6 + i] | field.jumps[9 + i]
        )
