"""The hot core of Jarmo and Jasir: moves, their effects, the ends of the game.

Compiled; the C types are in `rules.pxd`. Holes are bits as in `board`; how a move and
what is known of a side are packed is in `layout`. The games differ only in the targets
that a position gets from its board.
"""

from kibitz.engine import bits, codes, keys
from kibitz.engine.jarmo import board, evaluation, layout
from kibitz.engine.jarmo.layout import encode_move
from kibitz.engine.jarmo.record import LastMove, Record
from kibitz.engine.position import Position

_KEYS = keys.random_keys(seed=2, count=128 + 3)

KEY_MASK = keys.KEY_MASK
# Keys of archers at [64 * side + 32 * marked + hole].
ARCHER_KEYS = _KEYS[:128]
SIDE_KEY = _KEYS[128]
# Odd factors: a side's memory times its factor is a key of its own.
MEMORY_FACTORS = [_KEYS[129] | 1, _KEYS[130] | 1]
FIRST_ROWS = list(board.FIRST_ROWS)
# What a return to a hole adds to a move.
RETURN_CODES = [encode_move(0, 0, hole) for hole in range(layout.HOLES)]


def _memory(last: LastMove | None, rights: int) -> int:
    word = rights << layout.RIGHTS_SHIFT
    if last is not None:
        word |= last.start | (last.to << 5) | (last.times << layout.COUNT_SHIFT)
    return word


def _last_move(memory: int) -> LastMove | None:
    count = (memory >> layout.COUNT_SHIFT) & layout.COUNT_MASK
    return LastMove(memory & 31, (memory >> 5) & 31, count) if count else None


class JarmoPosition(Position):
    """A verified position of Jarmo or Jasir."""

    def __init__(self, record: Record, geometry: board.Geometry, quiet_limit: int) -> None:
        """Set up a position from a record that `verify` accepted for the board."""
        super().__init__(geometry.move_bound, layout.SAVED_WORDS)
        self.geometry = geometry
        # All at [32 * side + hole]; `worths` is that of an archer under way.
        self.targets = [0] * 64
        self.distances = [0] * 64
        self.worths = [0] * 64
        for side in range(2):
            for hole in range(layout.HOLES):
                self.targets[32 * side + hole] = geometry.targets[side][hole]
                distance = geometry.distances[side][hole]
                self.distances[32 * side + hole] = distance
                self.worths[32 * side + hole] = evaluation.PROGRESS_WORTH[distance]
        self.side = record.side
        self.force = [
            record.white | (record.white_marked << layout.MARK_SHIFT),
            record.black | (record.black_marked << layout.MARK_SHIFT),
        ]
        self.memory = [
            _memory(record.white_last, record.white_rights),
            _memory(record.black_last, record.black_rights),
        ]
        # What `survey` finds for the evaluation.
        self.reach = [0, 0]
        self.progress = [0, 0]
        self.remaining = [0, 0]
        self.stuck = [0, 0]
        self.quiet = record.quiet
        self.quiet_limit = quiet_limit
        self.key = self.fresh_key()
        self.stand_first()
        settle(self)

    def record(self) -> Record:
        """Give the position as a record."""
        return Record(
            white=self.force[0] & layout.ALL_HOLES,
            black=self.force[1] & layout.ALL_HOLES,
            white_marked=self.force[0] >> layout.MARK_SHIFT,
            black_marked=self.force[1] >> layout.MARK_SHIFT,
            side=self.side,
            white_rights=self.memory[0] >> layout.RIGHTS_SHIFT,
            black_rights=self.memory[1] >> layout.RIGHTS_SHIFT,
            white_last=_last_move(self.memory[0]),
            black_last=_last_move(self.memory[1]),
            quiet=self.quiet,
        )

    def copy(self) -> "JarmoPosition":
        """Make an independent position with the same standings."""
        other = JarmoPosition(self.record(), self.geometry, self.quiet_limit)
        other.adopt_history(self)
        return other

    def scores(self) -> tuple[int, int]:
        """Points of White and of Black."""
        return self.points_of(0), self.points_of(1)

    def fresh_key(self) -> int:
        """Compute the key from nothing."""
        key = SIDE_KEY if self.side else 0
        for side in range(2):
            for hole in range(layout.HOLES):
                if self.force[side] >> hole & 1:
                    marked = (self.force[side] >> (layout.MARK_SHIFT + hole)) & 1
                    key ^= ARCHER_KEYS[64 * side + 32 * marked + hole]
            key ^= (self.memory[side] * MEMORY_FACTORS[side]) & KEY_MASK
        return key

    def points_of(self, side: int) -> int:
        """Points of a side as they stand: 2 for an archer that has arrived, 1 for another."""
        own = self.force[side] & layout.ALL_HOLES
        return bits.popcount(own) + bits.popcount(own & FIRST_ROWS[side ^ 1])

    def generate(self, first: int) -> int:
        """Write all legal moves to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        return self.add_moves(first, layout.ALL_HOLES)

    def generate_noisy(self, first: int) -> int:
        """Write captures and arrivals to `moves[first:]`; return their number.

        A return alone is not among them: it only turns a right into its worth.
        """
        if self.status != codes.ONGOING:
            return 0
        us = self.side
        return self.add_moves(first, self.force[us ^ 1] | FIRST_ROWS[us ^ 1])

    def add_moves(self, first: int, wanted: int) -> int:
        """Write the legal moves whose archer goes to a hole in `wanted`; return their number.

        The moves with returns come first, since they are seldom worse than the one without.
        """
        us = self.side
        own = self.force[us] & layout.ALL_HOLES
        wanted &= layout.ALL_HOLES & ~own
        memory = self.memory[us]
        # From here to there would be the fourth move to and fro.
        here = layout.NOWHERE
        there = 0
        if (memory >> layout.COUNT_SHIFT) & layout.COUNT_MASK == layout.MOST_TO_AND_FRO:
            here = (memory >> 5) & 31
            there = 1 << (memory & 31)
        # Without a captured archer nothing can be returned.
        returning = bits.popcount(own) < layout.ARCHERS
        n = first
        movers = own & ~FIRST_ROWS[us ^ 1]
        while movers:
            start = bits.lowest(movers)
            movers &= movers - 1
            steps = self.targets[32 * us + start] & wanted
            if start == here:
                steps &= ~there
            while steps:
                to = bits.lowest(steps)
                steps &= steps - 1
                if returning:
                    n = self.add_returns(n, start, to)
                self.moves[n] = start + 32 * to
                n += 1
        return n - first

    def add_returns(self, n: int, start: int, to: int) -> int:
        """Write a legal step once for each return that can go with it to `moves[n:]`."""
        us = self.side
        force = self.force[us]
        enemy = self.force[us ^ 1]
        if self.memory[us] >> layout.RIGHTS_SHIFT == 0:
            # The step itself must gain the right; the captured archer is there.
            if not (FIRST_ROWS[us ^ 1] >> to) & 1:
                return n
            if not ((force >> (layout.MARK_SHIFT + start)) | (enemy >> to)) & 1:
                return n
        own = (force & ~(1 << start)) | (1 << to)
        empty = FIRST_ROWS[us] & ~(own | enemy)
        while empty:
            self.moves[n] = start + 32 * to + RETURN_CODES[bits.lowest(empty)]
            empty &= empty - 1
            n += 1
        return n

    def do(self, move: int) -> None:
        """Make a legal move."""
        us = self.side
        them = us ^ 1
        force = self.force[us]
        enemy = self.force[them]
        memory = self.memory[us]
        w = layout.SAVED_WORDS * self.ply
        self.saved[w] = force
        self.saved[w + 1] = enemy
        self.saved[w + 2] = self.quiet | (memory << 32)

        start = move & 31
        to = (move >> 5) & 31
        back = move >> layout.RETURN_SHIFT
        quiet = self.quiet + 1
        lifted = (force >> start) & layout.ARCHER_AND_MARK
        force ^= (lifted << start) | (lifted << to)
        marked = lifted >> layout.MARK_SHIFT
        key = self.key ^ SIDE_KEY ^ ARCHER_KEYS[64 * us + 32 * marked + start]
        caught = (enemy >> to) & layout.ARCHER_AND_MARK
        if caught:
            self.force[them] = enemy ^ (caught << to)
            key ^= ARCHER_KEYS[64 * them + 32 * (caught >> layout.MARK_SHIFT) + to]
            force |= layout.ARCHER_AND_MARK << to
            marked = 1
            quiet = 0
        key ^= ARCHER_KEYS[64 * us + 32 * marked + to]
        rights = memory >> layout.RIGHTS_SHIFT
        if (FIRST_ROWS[them] >> to) & 1:
            quiet = 0
            if marked and rights + bits.popcount(force & layout.ALL_HOLES) < layout.ARCHERS:
                rights += 1
        if back:
            hole = (back & layout.RETURN_MASK) - 1 + layout.SIZE * (move >> layout.RANK_SHIFT)
            force |= 1 << hole
            key ^= ARCHER_KEYS[64 * us + hole]
            rights -= 1
            quiet = 0
        count = 1
        reverse = to + 32 * start
        if memory & layout.STEP_MASK == reverse:
            count += (memory >> layout.COUNT_SHIFT) & layout.COUNT_MASK
        factor = MEMORY_FACTORS[us]
        fresh = (start + 32 * to) | (count << layout.COUNT_SHIFT)
        fresh |= rights << layout.RIGHTS_SHIFT
        key ^= ((memory * factor) ^ (fresh * factor)) & KEY_MASK

        self.force[us] = force
        self.memory[us] = fresh
        self.quiet = quiet
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
        us = self.side ^ 1
        self.side = us
        self.status = codes.ONGOING
        self.ending = 0
        self.key = self.keys[self.ply]
        w = layout.SAVED_WORDS * self.ply
        self.force[us] = self.saved[w]
        self.force[us ^ 1] = self.saved[w + 1]
        word = self.saved[w + 2]
        self.quiet = word & layout.LOW_HALF
        self.memory[us] = word >> 32

    def finish(self, status: int, ending: int) -> None:
        """Set how the game ended."""
        self.status = status
        self.ending = ending

    def leader(self) -> int:
        """The result when the higher score wins."""
        white = self.points_of(0)
        black = self.points_of(1)
        if white == black:
            return codes.DRAW
        return codes.P1_WIN if white > black else codes.P2_WIN

    def gain(self, move: int) -> int:
        """What the move wins at once, in evaluation units."""
        us = self.side
        start = move & 31
        to = (move >> 5) & 31
        worth = 0
        marked = (self.force[us] >> (layout.MARK_SHIFT + start)) & 1
        if (self.force[us ^ 1] >> to) & 1:
            marked = 1
            worth = evaluation.POINT_WORTH
            if (FIRST_ROWS[us] >> to) & 1:
                worth += evaluation.POINT_WORTH
        if (FIRST_ROWS[us ^ 1] >> to) & 1:
            worth += evaluation.POINT_WORTH
            lost = layout.ARCHERS - bits.popcount(self.force[us] & layout.ALL_HOLES)
            if marked and self.memory[us] >> layout.RIGHTS_SHIFT < lost:
                worth += evaluation.RIGHT_WORTH
        if worth and move >> layout.RETURN_SHIFT:
            worth += evaluation.POINT_WORTH - evaluation.RIGHT_WORTH
        return worth

    def evaluate(self) -> int:
        """Value for the side to move; the terms are in `evaluation`."""
        us = self.side
        self.survey(us)
        self.survey(us ^ 1)
        return self.side_value(us) - self.side_value(us ^ 1) + evaluation.TEMPO_WORTH

    def survey(self, side: int) -> None:
        """Look along the lines from a side's archers under way."""
        own = self.force[side] & layout.ALL_HOLES
        movers = own & ~FIRST_ROWS[side ^ 1]
        reach = 0
        progress = 0
        remaining = 0
        stuck = 0
        while movers:
            start = bits.lowest(movers)
            movers &= movers - 1
            steps = self.targets[32 * side + start]
            reach |= steps
            progress += self.worths[32 * side + start]
            remaining += self.distances[32 * side + start]
            if not steps & ~own:
                stuck += 1
        self.reach[side] = reach
        self.progress[side] = progress
        self.remaining[side] = remaining
        self.stuck[side] = stuck

    def marks_value_of(self, side: int) -> int:
        """Worth of a side's marks."""
        force = self.force[side]
        lost = layout.ARCHERS - bits.popcount(force & layout.ALL_HOLES)
        return evaluation.marks_value(
            (force >> layout.MARK_SHIFT) & ~FIRST_ROWS[side ^ 1],
            lost - (self.memory[side] >> layout.RIGHTS_SHIFT),
        )

    def danger_value_of(self, side: int) -> int:
        """Cost of a side's archers in danger; `survey` has looked at both sides."""
        own = self.force[side] & layout.ALL_HOLES
        return evaluation.danger_value(
            own & self.reach[side ^ 1], self.reach[side], FIRST_ROWS[side ^ 1]
        )

    def side_value(self, side: int) -> int:
        """Sum of the evaluation terms of one side; `survey` has looked at both sides."""
        points = self.points_of(side)
        return (
            evaluation.score_value(points)
            + self.progress[side]
            + evaluation.rights_value(self.memory[side] >> layout.RIGHTS_SHIFT)
            + self.marks_value_of(side)
            + self.danger_value_of(side)
            + evaluation.stuck_value(self.stuck[side])
            + evaluation.closing_value(points - self.points_of(side ^ 1), self.remaining[side])
        )

    def side_terms(self, side: int) -> list[tuple[str, int]]:
        """Give the terms that `side_value` sums, each by its name, and the turn."""
        self.survey(0)
        self.survey(1)
        points = self.points_of(side)
        lead = points - self.points_of(side ^ 1)
        return [
            ("score", evaluation.score_value(points)),
            ("progress", self.progress[side]),
            ("rights", evaluation.rights_value(self.memory[side] >> layout.RIGHTS_SHIFT)),
            ("marks", self.marks_value_of(side)),
            ("danger", self.danger_value_of(side)),
            ("stuck archers", evaluation.stuck_value(self.stuck[side])),
            ("end in reach", evaluation.closing_value(lead, self.remaining[side])),
            ("turn", evaluation.TEMPO_WORTH if side == self.side else 0),
        ]


def settle(position: JarmoPosition) -> None:
    """Set `status` and `ending`; the ends that points decide come before the draws."""
    white = position.force[0] & layout.ALL_HOLES
    black = position.force[1] & layout.ALL_HOLES
    # Also when there is no archer left.
    if not white & ~FIRST_ROWS[1]:
        position.finish(position.leader(), layout.ARRIVED if white else layout.CAPTURED)
    elif not black & ~FIRST_ROWS[0]:
        position.finish(position.leader(), layout.ARRIVED if black else layout.CAPTURED)
    elif not can_move(position):
        position.finish(position.leader(), layout.BLOCKED)
    elif (
        position.standings[position.key & codes.FILTER_MASK] >= 3
        and position.count_standings() >= 3
    ):
        position.finish(codes.DRAW, layout.REPETITION)
    elif position.quiet_limit and position.quiet >= position.quiet_limit:
        position.finish(codes.DRAW, layout.QUIET)


def can_move(position: JarmoPosition) -> bool:
    """Whether the side to move has a legal move, the end of the game left out."""
    us = position.side
    own = position.force[us] & layout.ALL_HOLES
    movers = own & ~FIRST_ROWS[us ^ 1]
    while movers:
        start = bits.lowest(movers)
        movers &= movers - 1
        steps = position.targets[32 * us + start] & ~own
        if steps:
            # One step may be the fourth move to and fro.
            memory = position.memory[us]
            if (memory >> layout.COUNT_SHIFT) & layout.COUNT_MASK != layout.MOST_TO_AND_FRO:
                return True
            banned = 1 << (memory & 31)
            if (memory >> 5) & 31 != start or steps != banned:
                return True
    return False
