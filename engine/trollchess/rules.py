"""The hot core of Troll chess: which moves there are, and what a position is worth.

Compiled; the C types are in `rules.pxd`. Leaps are sets of squares, slides are walked along
rays; what a group does where it arrives is in the tables of `contents`. Making moves and
the ends of the game are in `state`; the terms of the evaluation in `evaluation`.
"""

from kibitz.engine import bits, codes
from kibitz.engine.trollchess import board, contents, evaluation, layout
from kibitz.engine.trollchess.race import mercenary_turns, race_turns
from kibitz.engine.trollchess.record import Record
from kibitz.engine.trollchess.state import TrollchessState

ARRIVALS = contents.ARRIVALS
GROUPS = contents.GROUPS
SEATS = contents.SEATS
RIDERS = contents.RIDERS
LEAPS = board.leap_words()
DIAGONALS = board.diagonal_words()
RAYS = board.ray_squares()
MERCENARY_TURNS = mercenary_turns()
# The shape of the leaps of each kind of group in a stack.
KIND_SHAPES = [0, layout.SHAPE_S, layout.SHAPE_N, layout.SHAPE_N, layout.SHAPE_D]
WHOLE_WORD = (1 << 64) - 1


class TrollchessPosition(TrollchessState):
    """A verified position of Troll chess."""

    def __init__(self, record: Record, quiet_limit: int) -> None:
        """Set up a position from a record that `verify` accepted."""
        super().__init__(record, quiet_limit)
        self.race = race_turns(record.ground)
        # What `add_moves` looks for: squares where arrivals matter, and those that a
        # Wanderer aims at; all squares when it looks for every move.
        self.noisy = False
        self.wanted = [0, 0]
        self.aims = [0, 0]
        # For each set of visits, at [2 * (16 * side + visits) + word].
        self.aim_words = board.aim_words(record.ground)
        # What `survey` finds for the evaluation.
        self.worth = [0, 0]
        self.dragons_near = [0, 0]

    def copy(self) -> "TrollchessPosition":
        """Make an independent position with the same standings."""
        other = TrollchessPosition(self.record(), self.quiet_limit)
        other.adopt_history(self)
        return other

    def generate(self, first: int) -> int:
        """Write all legal moves to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        self.noisy = False
        self.wanted[0] = WHOLE_WORD
        self.wanted[1] = WHOLE_WORD
        self.aims[0] = 0
        self.aims[1] = 0
        count = add_moves(self, first) - first
        if count == 0:
            self.moves[first] = layout.PASS
            count = 1
        return count

    def generate_noisy(self, first: int) -> int:
        """Write captures, new visits and the win to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        us = self.side
        them = us ^ 1
        self.noisy = True
        self.wanted[0] = self.occupied[2 * them]
        self.wanted[1] = self.occupied[2 * them + 1]
        # A Wanderer aims at the castles it has not visited, then at its goal.
        visits = (self.visited >> (layout.CASTLES * us)) & layout.ALL_CASTLES
        self.aims[0] = self.aim_words[2 * (16 * us + visits)]
        self.aims[1] = self.aim_words[2 * (16 * us + visits) + 1]
        return add_moves(self, first) - first

    def gain(self, move: int) -> int:
        """What the move wins at once, in evaluation units."""
        if move == layout.PASS:
            return 0
        us = self.side
        start = move & layout.SQUARE_MASK
        to = (move >> layout.TO_SHIFT) & layout.SQUARE_MASK
        kind = (move >> layout.KIND_SHIFT) & layout.KIND_MASK
        there = self.cells[to]
        place = self.places[to]
        if there == layout.EMPTY and place == 0:
            return 0
        group = GROUPS[layout.STRIDE * (layout.KINDS * us + kind) + self.cells[start]]
        worth = 0
        if there and not move >> layout.MOUNT_SHIFT:
            verdict = ARRIVALS[layout.SIDE_STRIDE * us + layout.STRIDE * group + there]
            if verdict & layout.KILLS:
                worth = evaluation.KILL_GAIN
            if verdict & layout.SPENDS:
                worth = evaluation.MERCENARY_WORTH
            elif verdict & layout.TAKES:
                worth += evaluation.BLACK_WORTH[there] + evaluation.WHITE_WORTH[there]
        if place and (SEATS[group] >> (layout.SEAT_BITS * us)) & 1:
            visits = (self.visited >> (layout.CASTLES * us)) & layout.ALL_CASTLES
            if place < layout.WHITE_GOAL:
                if not (visits >> (place - 1)) & 1:
                    worth += evaluation.VISIT_GAIN
            elif visits == layout.ALL_CASTLES and place == layout.WHITE_GOAL + us:
                worth += evaluation.WIN_GAIN
        return worth

    def evaluate(self) -> int:
        """Value for the side to move; the terms are in `evaluation`."""
        us = self.side
        survey(self)
        return self.side_value(us) - self.side_value(us ^ 1) + evaluation.TEMPO_WORTH

    def race_value_of(self, side: int) -> int:
        """Worth of a side's race, nothing when its Wanderer is dead."""
        if self.where(side) == layout.NOWHERE:
            return 0
        return evaluation.race_value(turns_left(self, side))

    def alive_value_of(self, side: int) -> int:
        """Worth of a living Wanderer."""
        return 0 if self.where(side) == layout.NOWHERE else evaluation.ALIVE_WORTH

    def material_value_of(self, side: int) -> int:
        """Worth of a side's pieces; `survey` has counted them."""
        return evaluation.material_value(self.worth[side], self.where(side ^ 1) != layout.NOWHERE)

    def safety_value_of(self, side: int) -> int:
        """Worth of a Wanderer's guard, less the cost of its danger."""
        square = self.where(side)
        if square == layout.NOWHERE:
            return 0
        exposed = self.dark[square] != side and self.where(side ^ 1) != square
        attacked = exposed and is_attacked(self, square, side ^ 1)
        return evaluation.safety_value(self.where(2 + side) == square, exposed, attacked)

    def blocked_value_of(self, side: int) -> int:
        """Cost, as a negative number, of own pieces that keep a Wanderer from its aims."""
        if self.where(side) == layout.NOWHERE:
            return 0
        visits = (self.visited >> (layout.CASTLES * side)) & layout.ALL_CASTLES
        count = 0
        for half in range(2):
            squares = (
                self.aim_words[2 * (16 * side + visits) + half] & self.occupied[2 * side + half]
            )
            while squares:
                content = self.cells[bits.lowest(squares) + 64 * half]
                squares &= squares - 1
                if layout.KNIGHT <= content - layout.PIECES * side <= layout.ROBBER:
                    count += 1
        return -count * evaluation.BLOCKED_COST

    def dragons_value_of(self, side: int) -> int:
        """Worth of Dragons that can come for a side's Wanderer; `survey` has counted them."""
        return self.dragons_near[side] * evaluation.DRAGON_NEAR_WORTH

    def side_value(self, side: int) -> int:
        """Sum of the evaluation terms of one side; `survey` has looked at the board."""
        return (
            self.race_value_of(side)
            + self.alive_value_of(side)
            + self.material_value_of(side)
            + self.safety_value_of(side)
            + self.blocked_value_of(side)
            + self.dragons_value_of(side)
        )

    def side_terms(self, side: int) -> list[tuple[str, int]]:
        """Give the terms that `side_value` sums, each by its name, and the turn."""
        survey(self)
        return [
            ("race", self.race_value_of(side)),
            ("Wanderer alive", self.alive_value_of(side)),
            ("pieces", self.material_value_of(side)),
            ("safety", self.safety_value_of(side)),
            ("places blocked", self.blocked_value_of(side)),
            ("Dragons near", self.dragons_value_of(side)),
            ("turn", evaluation.TEMPO_WORTH if side == self.side else 0),
        ]


def add_moves(position: TrollchessPosition, n: int) -> int:
    """Write the moves that are looked for to `moves[n:]`; return where they end."""
    us = position.side
    for half in range(2):
        movers = position.occupied[2 * us + half]
        while movers:
            start = bits.lowest(movers) + 64 * half
            movers &= movers - 1
            content = position.cells[start]
            if content > layout.SINGLES:
                n = add_groups(position, n, start, content)
                continue
            piece = content - layout.PIECES * us
            if piece == layout.ROBBER:
                n = add_robber(position, n, start, content)
            elif piece == layout.KNIGHT:
                n = add_slides(position, n, start, content, layout.DIAGONALS)
            elif piece == layout.MAGE:
                n = add_slides(position, n, start, content, layout.DIRECTIONS)
            elif piece == layout.DRAGON:
                if not is_resting(position, start):
                    n = add_leaps(position, n, start, content, layout.SHAPE_D)
            else:
                n = add_leaps(position, n, start, content, piece - layout.WANDERER)
    return n


def add_groups(position: TrollchessPosition, n: int, start: int, content: int) -> int:
    """Write the moves of the groups of a stack to `moves[n:]`; return where they end."""
    row = layout.STRIDE * layout.KINDS * position.side + content
    for kind in range(layout.GROUP_S, layout.KINDS):
        group = GROUPS[row + layout.STRIDE * kind]
        if group and not (kind == layout.GROUP_D and is_resting(position, start)):
            n = add_leaps(
                position, n, start | (kind << layout.KIND_SHIFT), group, KIND_SHAPES[kind]
            )
    return n


def add_leaps(position: TrollchessPosition, n: int, move: int, group: int, shape: int) -> int:
    """Write the moves of a group that leaps; `move` has its square and its kind."""
    us = position.side
    row = layout.SIDE_STRIDE * us + layout.STRIDE * group
    here = 2 * (layout.SQUARES * shape + (move & layout.SQUARE_MASK))
    has_wanderer = (SEATS[group] >> (layout.SEAT_BITS * us)) & 1
    for half in range(2):
        aims = position.aims[half] if has_wanderer else 0
        targets = LEAPS[here + half] & (position.wanted[half] | aims)
        while targets:
            target = targets & -targets
            targets ^= target
            to = bits.lowest(target) + 64 * half
            verdict = ARRIVALS[row + position.cells[to]]
            if not is_possible(position, verdict, to):
                continue
            quiet = position.noisy and not target & aims
            if not quiet or verdict & layout.TAKES:
                position.moves[n] = move | (to << layout.TO_SHIFT)
                n += 1
            if verdict & layout.MOUNTS and not quiet:
                position.moves[n] = move | (to << layout.TO_SHIFT) | (1 << layout.MOUNT_SHIFT)
                n += 1
    return n


def add_slides(
    position: TrollchessPosition, n: int, start: int, content: int, directions: int
) -> int:
    """Write the moves of a Knight or a Mage, along the first rays of its square."""
    row = layout.SIDE_STRIDE * position.side + layout.STRIDE * content
    here = layout.RAY_LENGTH * layout.DIRECTIONS * start
    for direction in range(directions):
        i = here + layout.RAY_LENGTH * direction
        to = RAYS[i]
        while to >= 0:
            there = position.cells[to]
            if there:
                if is_possible(position, ARRIVALS[row + there], to):
                    position.moves[n] = start | (to << layout.TO_SHIFT)
                    n += 1
                break
            if not position.noisy:
                position.moves[n] = start | (to << layout.TO_SHIFT)
                n += 1
            i += 1
            to = RAYS[i]
    return n


def add_robber(position: TrollchessPosition, n: int, start: int, content: int) -> int:
    """Write the moves of a Robber: straight to an empty square, diagonally to capture."""
    us = position.side
    row = layout.SIDE_STRIDE * us + layout.STRIDE * content
    for half in range(2):
        targets = DIAGONALS[2 * start + half] & position.occupied[2 * (us ^ 1) + half]
        while targets:
            to = bits.lowest(targets) + 64 * half
            targets &= targets - 1
            if is_possible(position, ARRIVALS[row + position.cells[to]], to):
                position.moves[n] = start | (to << layout.TO_SHIFT)
                n += 1
    if not position.noisy:
        to = start + layout.SIZE
        if to < layout.SQUARES and position.cells[to] == layout.EMPTY:
            position.moves[n] = start | (to << layout.TO_SHIFT)
            n += 1
        to = start - layout.SIZE
        if to >= 0 and position.cells[to] == layout.EMPTY:
            position.moves[n] = start | (to << layout.TO_SHIFT)
            n += 1
    return n


def is_possible(position: TrollchessPosition, verdict: int, to: int) -> bool:
    """Whether an arrival is legal: a Wanderer dies only off its own colour."""
    if verdict == 0:
        return False
    return not verdict & layout.KILLS or position.dark[to] == position.side


def is_resting(position: TrollchessPosition, square: int) -> bool:
    """Whether the Dragon on a square rests."""
    word = position.resting
    while word:
        if word & layout.SQUARE_MASK == square:
            return True
        word >>= layout.REST_BITS
    return False


def survey(position: TrollchessPosition) -> None:
    """Count what both sides have, and the Dragons that can come for their Wanderers."""
    position.worth[0] = 0
    position.worth[1] = 0
    position.dragons_near[0] = 0
    position.dragons_near[1] = 0
    for half in range(2):
        squares = position.occupied[half] | position.occupied[2 + half]
        while squares:
            square = bits.lowest(squares) + 64 * half
            squares &= squares - 1
            content = position.cells[square]
            position.worth[0] += evaluation.WHITE_WORTH[content]
            position.worth[1] += evaluation.BLACK_WORTH[content]
            for side in range(2):
                if content == layout.DRAGON + layout.PIECES * side:
                    wanderer = position.where(side)
                    if wanderer == layout.NOWHERE:
                        continue
                    leaps = LEAPS[2 * (layout.SQUARES * layout.SHAPE_D + square) + (wanderer >> 6)]
                    if (leaps >> (wanderer & 63)) & 1:
                        position.dragons_near[side] += 1


def turns_left(position: TrollchessPosition, side: int) -> int:
    """Estimate the turns that a side's living Wanderer needs to win the race."""
    square = position.where(side)
    mercenary = position.where(2 + side)
    visits = (position.visited >> (layout.CASTLES * side)) & layout.ALL_CASTLES
    row = layout.SQUARES * (16 * side + visits)
    pair_row = row + layout.SQUARES * 32
    paired = mercenary == square
    if paired:
        turns = position.race[pair_row + square]
    else:
        turns = position.race[row + square]
        if mercenary != layout.NOWHERE:
            # The Mercenary can come first.
            together = position.race[pair_row + square]
            together += MERCENARY_TURNS[layout.SQUARES * square + mercenary]
            turns = min(turns, together)
    content = position.cells[square]
    if RIDERS[content]:
        turns = min(turns, turns_riding(position, side, square, content, paired))
    return turns


def turns_riding(
    position: TrollchessPosition, side: int, square: int, content: int, paired: int
) -> int:
    """Estimate the turns when the next one is a ride, after the Dragon's rest."""
    visits = (position.visited >> (layout.CASTLES * side)) & layout.ALL_CASTLES
    row = 16 * (2 * paired + side)
    arrivals = layout.SIDE_STRIDE * side + layout.STRIDE * content
    wait = 0
    word = position.resting
    while word:
        if word & layout.SQUARE_MASK == square:
            wait = (((word & layout.REST_MASK) >> layout.REST_SHIFT) + 1) >> 1
        word >>= layout.REST_BITS
    best = layout.NOWHERE
    for half in range(2):
        targets = LEAPS[2 * (layout.SQUARES * layout.SHAPE_D + square) + half]
        while targets:
            to = bits.lowest(targets) + 64 * half
            targets &= targets - 1
            if ARRIVALS[arrivals + position.cells[to]] == 0:
                continue
            after = visits
            if 0 < position.places[to] < layout.WHITE_GOAL:
                after |= 1 << (position.places[to] - 1)
            best = min(best, position.race[layout.SQUARES * (row + after) + to])
    return best + wait + 1


def is_attacked(position: TrollchessPosition, square: int, by: int) -> bool:
    """Whether a side's pieces reach a square on which the enemy Wanderer stands."""
    first = layout.PIECES * by
    for half in range(2):
        enemies = position.occupied[2 * by + half]
        leapers = LEAPS[2 * (layout.SQUARES * layout.SHAPE_N + square) + half] & enemies
        while leapers:
            content = position.cells[bits.lowest(leapers) + 64 * half]
            leapers &= leapers - 1
            if content == layout.MERCENARY + first:
                return True
            if GROUPS[layout.STRIDE * (layout.KINDS * by + layout.GROUP_N) + content]:
                return True
        leapers = LEAPS[2 * (layout.SQUARES * layout.SHAPE_D + square) + half] & enemies
        while leapers:
            start = bits.lowest(leapers) + 64 * half
            leapers &= leapers - 1
            if position.cells[start] == layout.DRAGON + first and not is_resting(position, start):
                return True
        leapers = DIAGONALS[2 * square + half] & enemies
        while leapers:
            content = position.cells[bits.lowest(leapers) + 64 * half]
            leapers &= leapers - 1
            if content == layout.ROBBER + first:
                return True
    for direction in range(layout.DIRECTIONS):
        i = layout.RAY_LENGTH * (layout.DIRECTIONS * square + direction)
        to = RAYS[i]
        while to >= 0:
            content = position.cells[to]
            if content:
                if content == layout.MAGE + first:
                    return True
                if direction < layout.DIAGONALS and content == layout.KNIGHT + first:
                    return True
                break
            i += 1
            to = RAYS[i]
    return False
