"""The state of a Troll chess position: what moves change, and the ends of the game.

Compiled; the C types are in `state.pxd`. What a square holds is a content, and what becomes
of it when a group leaves or arrives is looked up in the tables of `contents`; moves and
words are packed as in `layout`. Which moves there are, and their worth, is in `rules`.
"""

from functools import lru_cache

from kibitz.engine import bits, codes, keys
from kibitz.engine.position import Position
from kibitz.engine.trollchess import board, contents, layout
from kibitz.engine.trollchess.record import Record

_COUNT = layout.SQUARES * layout.CONTENTS
_RESTS = layout.SQUARES * (layout.MOST_REST + 1)
_KEYS = keys.random_keys(seed=4, count=_COUNT + _RESTS + 256 + 1 + 4 * layout.SQUARES)

SIDE_KEY = _KEYS[_COUNT + _RESTS + 256]
# At [CONTENTS * square + content]; an empty square has no key.
CONTENT_KEYS = [key if i % layout.CONTENTS else 0 for i, key in enumerate(_KEYS[:_COUNT])]
# At [(MOST_REST + 1) * square + turns].
REST_KEYS = _KEYS[_COUNT : _COUNT + _RESTS]
# At both sides' visits.
VISIT_KEYS = _KEYS[_COUNT + _RESTS : _COUNT + _RESTS + 256]
_GROUND_KEYS = _KEYS[_COUNT + _RESTS + 257 :]

ARRIVALS = contents.ARRIVALS
JOINED = contents.JOINED
GROUPS = contents.GROUPS
LEFT = contents.LEFT
OWNERS = contents.OWNERS
SEATS = contents.SEATS
RIDERS = contents.RIDERS
ONE = 1
BOTH_DEAD = layout.NOWHERE | (layout.NOWHERE << layout.SEAT_BITS)
BOTH_WANDERERS = 1 | (1 << layout.SEAT_BITS)
LOW_HALF = 0xFFFFFFFF


@lru_cache(maxsize=256)
def ground_key(ground: board.Ground) -> int:
    """Give the part of the key that stands for the ground."""
    key = 0
    for square in range(layout.SQUARES):
        if ground.dark >> square & 1:
            key ^= _GROUND_KEYS[square]
    for castle in ground.castles:
        key ^= _GROUND_KEYS[layout.SQUARES + castle]
    for side, goal in enumerate(ground.goals):
        key ^= _GROUND_KEYS[layout.SQUARES * (2 + side) + goal]
    return key


class TrollchessState(Position):
    """A verified position that can make moves; `rules` adds the finding of them."""

    def __init__(self, record: Record, quiet_limit: int) -> None:
        """Set up a position from a record that `verify` accepted."""
        super().__init__(layout.MOVE_BOUND, layout.SAVED_WORDS)
        ground = record.ground
        self.ground = ground
        self.ground_key = ground_key(ground)
        self.dark = [ground.dark >> square & 1 for square in range(layout.SQUARES)]
        self.places = [0 for _ in range(layout.SQUARES)]
        for number, castle in enumerate(ground.castles, start=1):
            self.places[castle] = number
        for side, goal in enumerate(ground.goals):
            self.places[goal] = layout.WHITE_GOAL + side
        self.cells = [layout.EMPTY for _ in range(layout.SQUARES)]
        # Squares with a side's pieces, at [2 * side + word].
        self.occupied = [0] * 4
        self.seats = layout.NOWHERE * 0x01010101
        for square in range(layout.SQUARES):
            put(self, square, contents.NUMBER_OF[record.letters[square]])
            seats = SEATS[self.cells[square]]
            self.seats = (self.seats & ~(layout.SEAT_MASK * seats)) | (square * seats)
        self.visited = record.visited[0] | (record.visited[1] << layout.CASTLES)
        self.resting = 0
        for square, turns in record.resting:
            rest(self, square, turns)
        self.side = record.side
        self.quiet = record.quiet
        self.quiet_limit = quiet_limit
        self.key = self.fresh_key()
        self.stand_first()
        for side in range(2):
            if self.where(side) == ground.goals[side]:
                reach_goal(self, side)
        settle(self)

    def record(self) -> Record:
        """Give the position as a record."""
        resting = [
            (self.resting >> shift & layout.SQUARE_MASK, self.resting >> shift + 8 & 15)
            for shift in range(0, 64, layout.REST_BITS)
            if self.resting >> shift & layout.REST_MASK
        ]
        return Record(
            letters=tuple(contents.CONTENTS[self.cells[q]] for q in range(layout.SQUARES)),
            side=self.side,
            ground=self.ground,
            visited=(self.visited & layout.ALL_CASTLES, self.visited >> layout.CASTLES),
            resting=tuple(sorted(resting)),
            quiet=self.quiet,
        )

    def visits(self) -> tuple[int, int]:
        """Count the castles that White's and Black's Wanderer have visited."""
        return (
            bits.popcount(self.visited & layout.ALL_CASTLES),
            bits.popcount(self.visited >> layout.CASTLES),
        )

    def fresh_key(self) -> int:
        """Compute the key from nothing."""
        key = self.ground_key ^ VISIT_KEYS[self.visited]
        if self.side:
            key ^= SIDE_KEY
        for square in range(layout.SQUARES):
            key ^= CONTENT_KEYS[layout.CONTENTS * square + self.cells[square]]
        word = self.resting
        while word:
            key ^= rest_key(word & layout.REST_MASK)
            word >>= layout.REST_BITS
        return key

    def where(self, number: int) -> int:
        """Square of a Wanderer (its side) or a Mercenary (2 and its side), or NOWHERE."""
        return (self.seats >> (layout.SEAT_BITS * number)) & layout.SEAT_MASK

    def do(self, move: int) -> None:
        """Make a legal move."""
        us = self.side
        them = us ^ 1
        place = layout.SAVED_WORDS * self.ply
        word = self.quiet
        self.saved[place + 1] = self.seats | (word << layout.QUIET_SHIFT)
        self.saved[place + 2] = self.resting
        word = self.visited
        word <<= layout.SAVED_VISITS_SHIFT
        key = self.key ^ SIDE_KEY
        if self.resting:
            key ^= pass_time(self)
        self.quiet += 1
        if move == layout.PASS:
            self.saved[place] = word | layout.PASS
        else:
            start = move & layout.SQUARE_MASK
            to = (move >> layout.TO_SHIFT) & layout.SQUARE_MASK
            kind = (move >> layout.KIND_SHIFT) & layout.KIND_MASK
            content = self.cells[start]
            there = self.cells[to]
            word |= (move & codes.HISTORY_MASK) | (content << layout.SAVED_FROM_SHIFT)
            self.saved[place] = word | (there << layout.SAVED_TO_SHIFT)
            if kind == layout.ALONE:
                group = content
                left = layout.EMPTY
            else:
                group = GROUPS[layout.STRIDE * (layout.KINDS * us + kind) + content]
                left = LEFT[layout.STRIDE * group + content]
            seats = SEATS[group]
            if move >> layout.MOUNT_SHIFT:
                after = JOINED[layout.STRIDE * group + there]
            else:
                verdict = ARRIVALS[layout.SIDE_STRIDE * us + layout.STRIDE * group + there]
                after = verdict & layout.CONTENT_MASK
                if verdict & layout.TAKES:
                    self.quiet = 0
                    if verdict & layout.SPENDS:
                        # The attacker may be a Mercenary with a seat of its own.
                        self.seats |= layout.SEAT_MASK * (
                            seats | (ONE << (layout.MERCENARY_SEATS + layout.SEAT_BITS * them))
                        )
                        seats = 0
                    else:
                        self.seats |= layout.SEAT_MASK * SEATS[there]
                        if self.resting:
                            key ^= wake(self, to)
            square = layout.CONTENTS * start
            key ^= CONTENT_KEYS[square + content] ^ CONTENT_KEYS[square + left]
            square = layout.CONTENTS * to
            key ^= CONTENT_KEYS[square + there] ^ CONTENT_KEYS[square + after]
            put(self, start, left)
            put(self, to, after)
            if seats:
                self.seats = (self.seats & ~(layout.SEAT_MASK * seats)) | (seats * to)
                if RIDERS[group] > 1:
                    key ^= rest(self, to, 2 * (RIDERS[group] - 1))
                if self.places[to] and seats & BOTH_WANDERERS:
                    key ^= visit(self, seats, to)
        self.side = them
        self.key = key
        self.ply += 1
        self.keys[self.ply] = key
        self.standings[key & codes.FILTER_MASK] += 1
        settle(self)

    def undo(self) -> None:
        """Take back the last `do`."""
        self.standings[self.key & codes.FILTER_MASK] -= 1
        self.ply -= 1
        self.side ^= 1
        self.status = codes.ONGOING
        self.ending = 0
        self.key = self.keys[self.ply]
        place = layout.SAVED_WORDS * self.ply
        word = self.saved[place]
        start = word & layout.SQUARE_MASK
        if start != layout.NOWHERE:
            put(self, start, (word >> layout.SAVED_FROM_SHIFT) & layout.CONTENT_MASK)
            put(
                self,
                (word >> layout.TO_SHIFT) & layout.SQUARE_MASK,
                (word >> layout.SAVED_TO_SHIFT) & layout.CONTENT_MASK,
            )
        self.visited = word >> layout.SAVED_VISITS_SHIFT
        word = self.saved[place + 1]
        self.seats = word & LOW_HALF
        self.quiet = word >> layout.QUIET_SHIFT
        self.resting = self.saved[place + 2]


def put(position: TrollchessState, square: int, content: int) -> None:
    """Change what a square holds, and so perhaps whose pieces are there."""
    owners = OWNERS[content] ^ OWNERS[position.cells[square]]
    position.cells[square] = content
    bit = ONE << (square & 63)
    if owners & 1:
        position.occupied[square >> 6] ^= bit
    if owners & 2:
        position.occupied[2 + (square >> 6)] ^= bit


def rest_key(entry: int) -> int:
    """Give the key of a resting Dragon's entry."""
    square = entry & layout.SQUARE_MASK
    return REST_KEYS[(layout.MOST_REST + 1) * square + (entry >> layout.REST_SHIFT)]


def rest(position: TrollchessState, square: int, turns: int) -> int:
    """Let the Dragon on a square rest; return the change of the key."""
    entry = square | (turns << layout.REST_SHIFT)
    word = entry
    shift = 0
    while position.resting >> shift:
        shift += layout.REST_BITS
    position.resting |= word << shift
    return rest_key(entry)


def wake(position: TrollchessState, square: int) -> int:
    """Forget the rest of a Dragon that dies, if it rests; return the change of the key."""
    word = position.resting
    kept = 0
    shift = 0
    change = 0
    while word:
        entry = word & layout.REST_MASK
        word >>= layout.REST_BITS
        if entry & layout.SQUARE_MASK == square:
            change = rest_key(entry)
        else:
            kept |= entry << shift
            shift += layout.REST_BITS
    position.resting = kept
    return change


def pass_time(position: TrollchessState) -> int:
    """Take a turn off every rest; return the change of the key."""
    word = position.resting
    kept = 0
    shift = 0
    change = 0
    while word:
        entry = word & layout.REST_MASK
        word >>= layout.REST_BITS
        change ^= rest_key(entry)
        entry -= 1 << layout.REST_SHIFT
        if entry >> layout.REST_SHIFT:
            change ^= rest_key(entry)
            kept |= entry << shift
            shift += layout.REST_BITS
    position.resting = kept
    return change


def visit(position: TrollchessState, seats: int, to: int) -> int:
    """Let Wanderers, given by their seats, arrive at a place; return the change of the key."""
    place = position.places[to]
    if place >= layout.WHITE_GOAL:
        side = place - layout.WHITE_GOAL
        if (seats >> (layout.SEAT_BITS * side)) & 1:
            reach_goal(position, side)
        return 0
    visited = position.visited
    if seats & 1:
        visited |= 1 << (place - 1)
    if (seats >> layout.SEAT_BITS) & 1:
        visited |= 1 << (place - 1 + layout.CASTLES)
    if visited == position.visited:
        return 0
    change = VISIT_KEYS[position.visited] ^ VISIT_KEYS[visited]
    position.visited = visited
    position.quiet = 0
    return change


def reach_goal(position: TrollchessState, side: int) -> None:
    """End the game if the side's Wanderer, now on its goal, has visited all castles."""
    if (position.visited >> (layout.CASTLES * side)) & layout.ALL_CASTLES == layout.ALL_CASTLES:
        position.status = codes.P2_WIN if side else codes.P1_WIN
        position.ending = layout.ARRIVED


def settle(position: TrollchessState) -> None:
    """Set `status` and `ending`, unless a Wanderer has just won."""
    if position.status != codes.ONGOING:
        return
    if position.seats & BOTH_DEAD == BOTH_DEAD:
        position.status = codes.DRAW
        position.ending = layout.DEAD
    elif (
        position.standings[position.key & codes.FILTER_MASK] >= 3
        and position.count_standings() >= 3
    ):
        position.status = codes.DRAW
        position.ending = layout.REPETITION
    elif position.quiet_limit and position.quiet >= position.quiet_limit:
        position.status = codes.DRAW
        position.ending = layout.QUIET
