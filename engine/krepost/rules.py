"""The hot core of Krepost: moves, their effects, the ends of the game.

Compiled; the C types are in `rules.pxd`. Squares, sets and moves are packed as in `layout`;
what is surrounded is found in `field`. Making a move looks at a few words only: a turn's
captures depend on what was surrounded before it, which `generate` finds once for all moves
of a node.
"""

from kibitz.engine import bits, codes, keys
from kibitz.engine.krepost import evaluation, field, layout, turns
from kibitz.engine.krepost.board import Geometry, geometry_of, squares_of
from kibitz.engine.krepost.field import KrepostField
from kibitz.engine.krepost.record import Record

_KEYS = keys.random_keys(seed=3, count=2 * layout.SQUARES + 128 + 1)

KEY_MASK = keys.KEY_MASK
# Keys of stones at [192 * side + square] and of hands at [64 * side + stones].
STONE_KEYS = _KEYS[: 2 * layout.SQUARES]
HAND_KEYS = _KEYS[2 * layout.SQUARES : 2 * layout.SQUARES + 128]
SIDE_KEY = _KEYS[2 * layout.SQUARES + 128]


def _game_key(record: Record) -> int:
    """A key for what never changes in a game: board, fortresses, stones and the half stone."""
    words: list[int] = [record.size, record.started, 2 if record.half is None else record.half]
    for fortress in record.fortresses:
        words += fortress.text().encode()
    mixed = 0
    for word in words:
        mixed = keys.SplitMix64(mixed ^ word).draw()
    return mixed & KEY_MASK


def most_moves(record: Record, geometry: Geometry) -> int:
    """A bound of the legal moves of a position and all that follow it.

    A side with `n` stones left sets one on at most as many squares as its zone has, or
    moves at most `n` of them, each to at most `MOST_TARGETS` squares; and takes at most one
    of the other side's stones that are left, which only get fewer.
    """
    white = record.white_hand + record.white.bit_count()
    black = record.black_hand + record.black.bit_count()
    stones = max(white, black)
    return (stones * layout.MOST_TARGETS + geometry.zone_size) * max(stones, 1)


class KrepostPosition(KrepostField):
    """A verified Krepost position."""

    def __init__(self, record: Record, quiet_limit: int) -> None:
        """Set up a position from a record that `verify` accepted."""
        geometry = geometry_of(record.size, record.fortresses)
        super().__init__(
            most_moves(record, geometry),
            geometry,
            [record.white, record.black],
            [record.white_hand, record.black_hand],
        )
        self.started = record.started
        self.planes = evaluation.planes_of(geometry)
        self.hints = evaluation.hints_of(geometry)
        self.half = -1 if record.half is None else record.half
        self.side = record.side
        self.quiet = record.quiet
        self.quiet_limit = quiet_limit
        self.game_key = _game_key(record)
        self.key = self.fresh_key()
        self.stand_first()
        if record.winner is None:
            settle(self)
        else:
            self.status = codes.P2_WIN if record.winner else codes.P1_WIN
            self.ending = layout.ENTRY if record.quiet else layout.GARRISON

    def record(self) -> Record:
        """Give the position as a record."""
        winner = None
        if self.ending in (layout.ENTRY, layout.GARRISON):
            winner = 0 if self.status == codes.P1_WIN else 1
        geometry: Geometry = self.geometry
        words: list[int] = list(self.stones)
        return Record(
            size=geometry.size,
            white=squares_of(words[:3]),
            black=squares_of(words[3:]),
            side=self.side,
            white_hand=self.hand[0],
            black_hand=self.hand[1],
            started=self.started,
            fortresses=geometry.fortresses,
            half=None if self.half < 0 else self.half,
            quiet=self.quiet,
            winner=winner,
        )

    def copy(self) -> "KrepostPosition":
        """Make an independent position with the same standings."""
        other = KrepostPosition(self.record(), self.quiet_limit)
        other.adopt_history(self)
        return other

    def counts(self) -> tuple[float, float]:
        """Give the counts of White and of Black: prisoners, enemies in hand, the half stone."""
        return 0.5 * half_count(self, 0), 0.5 * half_count(self, 1)

    def fresh_key(self) -> int:
        """Compute the key from nothing."""
        one = 1
        key = self.game_key
        if self.side:
            key ^= SIDE_KEY
        for side in range(2):
            for square in range(layout.SQUARES):
                if self.stones[3 * side + (square >> 6)] & (one << (square & 63)):
                    key ^= STONE_KEYS[layout.SQUARES * side + square]
            key ^= HAND_KEYS[64 * side + self.hand[side]]
        return key

    def list_bound(self) -> int:
        """A bound of the legal moves that the position as it stands has."""
        us = self.side
        field.survey(self)
        own = (
            bits.popcount(self.stones[3 * us])
            + bits.popcount(self.stones[3 * us + 1])
            + bits.popcount(self.stones[3 * us + 2])
        )
        # Stones to set are at most as many as squares to set them on, and as a zone's.
        most = own * layout.MOST_TARGETS + (layout.MOST_STONES if self.hand[us] else 0)
        return most * max(turns_due(self), 1)

    def generate(self, first: int) -> int:
        """Write all legal moves to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        return turns.add_moves(self, first) - first

    def generate_noisy(self, first: int) -> int:
        """Write winning moves and choices of prisoners to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        return turns.add_noisy(self, first) - first

    def do(self, move: int) -> None:
        """Make a legal move."""
        one = 1
        us = self.side
        them = us ^ 1
        to = move & layout.SQUARE_MASK
        word = to >> 6
        bit = one << (to & 63)
        quiet = self.quiet
        self.saved[self.ply] = move | (us << layout.SIDE_SHIFT) | (quiet << layout.QUIET_SHIFT)
        key = self.key ^ STONE_KEYS[layout.SQUARES * us + to]
        self.stones[3 * us + word] |= bit
        if move & layout.SETTING:
            hand = self.hand[us]
            key ^= HAND_KEYS[64 * us + hand] ^ HAND_KEYS[64 * us + hand - 1]
            self.hand[us] = hand - 1
        else:
            square = (move >> layout.FROM_SHIFT) & layout.SQUARE_MASK
            key ^= STONE_KEYS[layout.SQUARES * us + square]
            self.stones[3 * us + (square >> 6)] ^= one << (square & 63)
        status = codes.ONGOING
        ending = 0
        square = (move >> layout.PRISONER_SHIFT) & layout.SQUARE_MASK
        if square:
            square -= 1
            word = square >> 6
            bit = one << (square & 63)
            key ^= STONE_KEYS[layout.SQUARES * them + square]
            self.stones[3 * them + word] ^= bit
            quiet = 0
            if bit & self.fort[3 * them + word] and turns.fort_is_empty(self, them):
                status = 1 + us
                ending = layout.GARRISON
            if not is_alone(self, them, square):
                self.side = them
                key ^= SIDE_KEY
        else:
            quiet += 1
            if bit & self.fort[3 * them + word] and turns.fort_is_empty(self, them):
                status = 1 + us
                ending = layout.ENTRY
            self.side = them
            key ^= SIDE_KEY
        self.quiet = quiet
        self.key = key
        self.ply += 1
        self.keys[self.ply] = key
        self.standings[key & codes.FILTER_MASK] += 1
        self.surveyed = False
        if status != codes.ONGOING:
            self.status = status
            self.ending = ending
        elif quiet >= self.quiet_limit or not can_move(self, self.side):
            settle(self)

    def undo(self) -> None:
        """Take back the last `do`."""
        one = 1
        self.standings[self.key & codes.FILTER_MASK] -= 1
        self.ply -= 1
        self.key = self.keys[self.ply]
        self.status = codes.ONGOING
        self.ending = 0
        self.surveyed = False
        saved = self.saved[self.ply]
        us = (saved >> layout.SIDE_SHIFT) & 1
        self.side = us
        self.quiet = saved >> layout.QUIET_SHIFT
        to = saved & layout.SQUARE_MASK
        self.stones[3 * us + (to >> 6)] ^= one << (to & 63)
        if saved & layout.SETTING:
            self.hand[us] += 1
        else:
            square = (saved >> layout.FROM_SHIFT) & layout.SQUARE_MASK
            self.stones[3 * us + (square >> 6)] ^= one << (square & 63)
        square = (saved >> layout.PRISONER_SHIFT) & layout.SQUARE_MASK
        if square:
            square -= 1
            self.stones[3 * (us ^ 1) + (square >> 6)] ^= one << (square & 63)

    def gain(self, move: int) -> int:
        """What the move wins at once, in evaluation units."""
        them = self.side ^ 1
        square = (move >> layout.PRISONER_SHIFT) & layout.SQUARE_MASK
        if square == 0:
            to = move & layout.SQUARE_MASK
            if turns.is_in_fort(self, them, to) and turns.fort_is_empty(self, them):
                return evaluation.WIN_GAIN
            return 0
        square -= 1
        if turns.is_in_fort(self, them, square) and evaluation.stones_in_fort(self, them) == 1:
            return evaluation.WIN_GAIN
        worth = evaluation.PRISONER_WORTH
        if is_alone(self, them, square):
            worth += evaluation.SQUAD_GAIN
        return worth

    def hint(self, move: int) -> int:
        """How promising a move looks, to order moves that gain the same."""
        return evaluation.hint_of(self, move)

    def evaluate(self) -> int:
        """Value for the side to move; the terms are in `evaluation`."""
        return evaluation.value_of(self)

    def side_terms(self, side: int) -> list[tuple[str, int]]:
        """Give the terms of one side that `evaluate` sums, each by its name."""
        evaluation.value_of(self)
        values: list[int] = list(self.values)
        first = len(evaluation.TERM_NAMES) * side
        return list(zip(evaluation.TERM_NAMES, values[first:], strict=False))

    def caught_stones(self) -> int:
        """Give the set of all stones, of both sides, whose squads are surrounded."""
        field.survey(self)
        words: list[int] = list(self.caught)
        return squares_of(words[:3]) | squares_of(words[3:])


def turns_due(position: KrepostPosition) -> int:
    """Number of enemy stones that may be taken now."""
    at = 3 * (position.side ^ 1)
    return (
        bits.popcount(position.caught[at])
        + bits.popcount(position.caught[at + 1])
        + bits.popcount(position.caught[at + 2])
    )


def settle(position: KrepostPosition) -> None:
    """Set `status` and `ending` where no fortress was won, in the order of the rule page."""
    if not can_move(position, position.side):
        position.status = codes.P2_WIN if position.side == 0 else codes.P1_WIN
        position.ending = layout.BLOCKED
    elif position.quiet >= position.quiet_limit:
        white = half_count(position, 0)
        black = half_count(position, 1)
        position.status = codes.DRAW
        if white != black:
            position.status = codes.P1_WIN if white > black else codes.P2_WIN
        position.ending = layout.QUIET


def half_count(position: KrepostPosition, side: int) -> int:
    """Twice a side's count: prisoners and enemies in hand are all that is not on the board."""
    at = 3 * (side ^ 1)
    count = 2 * (
        position.started
        - bits.popcount(position.stones[at])
        - bits.popcount(position.stones[at + 1])
        - bits.popcount(position.stones[at + 2])
    )
    return count + 1 if position.half == side else count


def is_alone(position: KrepostPosition, side: int, square: int) -> bool:
    """Whether no stone of a side is connected to a square."""
    one = 1
    at = 3 * side
    word = square >> 6
    bit = one << (square & 63)
    east = position.east[word]
    if (((bit & east) << 1) | ((bit >> 1) & east)) & position.stones[at + word]:
        return False
    if bit & position.north[word]:
        other = square + layout.STRIDE
        if (position.stones[at + (other >> 6)] >> (other & 63)) & 1:
            return False
    if square >= layout.STRIDE:
        other = square - layout.STRIDE
        word = other >> 6
        if ((position.stones[at + word] & position.north[word]) >> (other & 63)) & 1:
            return False
    return True


def can_move(position: KrepostPosition, side: int) -> bool:
    """Whether a side has a legal turn: a stone to set and a square for it, or a step.

    Where there is a jump, the stone jumped over could step.
    """
    at = 3 * side
    e0 = position.inside[0] & ~(position.stones[0] | position.stones[3])
    e1 = position.inside[1] & ~(position.stones[1] | position.stones[4])
    e2 = position.inside[2] & ~(position.stones[2] | position.stones[5])
    if position.hand[side] and (
        (e0 & position.zone[at]) | (e1 & position.zone[at + 1]) | (e2 & position.zone[at + 2])
    ):
        return True
    s0, s1, s2 = position.stones[at], position.stones[at + 1], position.stones[at + 2]
    # Nearly always a stone of the first words can step along its rank.
    east = position.east[0]
    if (((s0 & east) << 1) & e0) | ((s0 >> 1) & east & e0):
        return True
    east = position.east[1]
    if (((s1 & east) << 1) & e1) | ((s1 >> 1) & east & e1):
        return True
    east = position.east[2]
    if (((s2 & east) << 1) & e2) | ((s2 >> 1) & east & e2):
        return True
    north = position.north[0]
    if (s0 & north & ((e0 >> 16) | (e1 << 48))) | (e0 & north & ((s0 >> 16) | (s1 << 48))):
        return True
    north = position.north[1]
    if (s1 & north & ((e1 >> 16) | (e2 << 48))) | (e1 & north & ((s1 >> 16) | (s2 << 48))):
        return True
    north = position.north[2]
    return ((s2 & north & (e2 >> 16)) | (e2 & north & (s2 >> 16))) != 0
