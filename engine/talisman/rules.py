"""The hot core of Talisman: moves, their effects, the ends of the game.

Compiled; the C types are in `rules.pxd`. Points and triangles are bits as in `board`,
moves are packed as in `layout`.
"""

from kibitz.engine import bits, codes, keys
from kibitz.engine.position import Position
from kibitz.engine.talisman import board, evaluation, layout
from kibitz.engine.talisman.record import Record

_KEYS = keys.random_keys(seed=1, count=64 + 128 + 3)

KEY_MASK = keys.KEY_MASK
# Keys of pieces at [32 * side + bit] and of owned triangles at [64 * side + bit].
PIECE_KEYS = _KEYS[:64]
TRIANGLE_KEYS = _KEYS[64:192]
SIDE_KEY = _KEYS[192]
# Odd factors: a count of taken pieces times its factor is a key of its own.
TAKEN_FACTORS = [_KEYS[193] | 1, _KEYS[194] | 1]
RUNS = [run or 0 for run in board.RUNS_BETWEEN]


def _turning_keys() -> list[int]:
    """For each `from + 32 * to`, the change of key when the run between turns over."""
    table = []
    for run in board.RUNS_BETWEEN:
        key = 0
        for bit in range(board.POINT_BITS):
            if run is not None and run >> bit & 1:
                key ^= _KEYS[bit] ^ _KEYS[32 + bit]
        table.append(key)
    return table


TURNING_KEYS = _turning_keys()


def step_along(direction: int) -> int:
    """Give `board.STEPS[direction]`, 1, 6 or 7, so that the compiler sees constants."""
    return 1 if direction == 0 else 5 + direction


def corners_of_ups(pieces: int) -> int:
    """Anchors of the elementary triangles pointing up with all corners in `pieces`."""
    return pieces & (pieces >> 6) & (pieces >> 7)


def triangles_in(pieces: int) -> int:
    """The elementary triangles with all three corners in `pieces`."""
    return corners_of_ups(pieces) | ((pieces & (pieces >> 1) & (pieces >> 7)) << layout.DOWN_SHIFT)


def big_triangles_in(triangles: int) -> int:
    """Number of big triangles whose four elementary triangles are all in `triangles`."""
    ups = triangles & layout.LOW_HALF
    downs = triangles >> layout.DOWN_SHIFT
    return bits.popcount(corners_of_ups(ups) & (downs >> 6)) + bits.popcount(
        downs & (downs >> 1) & (downs >> 7) & (ups >> 1)
    )


def triangles_worth(owned: int) -> int:
    """Points for triangles that one side owns, the big ones they make up included."""
    return bits.popcount(owned) * layout.TRIANGLE_SCORE + big_triangles_in(owned) * layout.BIG_SCORE


def can_step(own: int, empty: int) -> bool:
    """Whether some piece of `own` stands next to an empty point."""
    beside = (empty << 1) | (empty >> 1) | (empty << 6) | (empty >> 6) | (empty << 7) | (empty >> 7)
    return (beside & own) != 0


def can_capture(own: int, enemy: int, empty: int) -> bool:
    """Whether some piece of `own` can jump a run of enemy pieces."""
    for i in range(3):
        step = step_along(i)
        run = (own << step) & enemy
        while run:
            if (run << step) & empty:
                return True
            run = (run << step) & enemy
        run = (own >> step) & enemy
        while run:
            if (run >> step) & empty:
                return True
            run = (run >> step) & enemy
    return False


class TalismanPosition(Position):
    """A verified Talisman position."""

    def __init__(self, record: Record, quiet_limit: int) -> None:
        """Set up a position from a record that `verify` accepted."""
        super().__init__(layout.MOST_MOVES, layout.SAVED_WORDS)
        self.side = record.side
        self.pieces = [record.white, record.black]
        self.triangles = [record.white_triangles, record.black_triangles]
        self.taken = [record.white_taken, record.black_taken]
        self.awarded = [
            triangles_worth(record.white_triangles),
            triangles_worth(record.black_triangles),
        ]
        self.quiet = record.quiet
        self.quiet_limit = quiet_limit
        self.key = self.fresh_key()
        self.stand_first()
        self.settle()

    def record(self) -> Record:
        """Give the position as a record."""
        return Record(
            white=self.pieces[0],
            black=self.pieces[1],
            side=self.side,
            white_triangles=self.triangles[0],
            black_triangles=self.triangles[1],
            white_taken=self.taken[0],
            black_taken=self.taken[1],
            quiet=self.quiet,
        )

    def copy(self) -> "TalismanPosition":
        """Make an independent position with the same standings."""
        other = TalismanPosition(self.record(), self.quiet_limit)
        other.adopt_history(self)
        return other

    def scores(self) -> tuple[int, int]:
        """Points of White and of Black."""
        return self.taken[0] + self.awarded[0], self.taken[1] + self.awarded[1]

    def fresh_key(self) -> int:
        """Compute the key from nothing."""
        key = SIDE_KEY if self.side else 0
        for side in range(2):
            for bit in range(32):
                if self.pieces[side] >> bit & 1:
                    key ^= PIECE_KEYS[32 * side + bit]
            for bit in range(64):
                if self.triangles[side] >> bit & 1:
                    key ^= TRIANGLE_KEYS[64 * side + bit]
            key ^= (self.taken[side] * TAKEN_FACTORS[side]) & KEY_MASK
        return key

    def generate(self, first: int) -> int:
        """Write all legal moves to `moves[first:]`; return their number."""
        if self.status != codes.ONGOING:
            return 0
        own = self.pieces[self.side]
        enemy = self.pieces[self.side ^ 1]
        empty = layout.ALL_POINTS & ~(own | enemy)
        n = first
        if bits.popcount(own | enemy) < layout.PIECES:
            empty &= layout.EDGE_POINTS
            while empty:
                to = bits.lowest(empty)
                empty &= empty - 1
                self.moves[n] = to + 32 * to + layout.SETTING
                n += 1
            return n - first
        for i in range(3):
            step = step_along(i)
            hits = (own << step) & empty
            while hits:
                to = bits.lowest(hits)
                hits &= hits - 1
                self.moves[n] = to - step + 32 * to
                n += 1
            hits = (own >> step) & empty
            while hits:
                to = bits.lowest(hits)
                hits &= hits - 1
                self.moves[n] = to + step + 32 * to
                n += 1
            n = self.add_captures(n, step, empty)
        return n - first

    def generate_noisy(self, first: int) -> int:
        """Write the moves that win points to `moves[first:]`; return their number."""
        count = self.generate(first)
        n = first
        for i in range(first, first + count):
            if self.gain(self.moves[i]):
                self.moves[n] = self.moves[i]
                n += 1
        return n - first

    def add_captures(self, n: int, step: int, empty: int) -> int:
        """Write the captures along one line direction, both ways, to `moves[n:]`."""
        own = self.pieces[self.side]
        enemy = self.pieces[self.side ^ 1]
        run = (own << step) & enemy
        leap = 2 * step
        while run:
            hits = (run << step) & empty
            while hits:
                to = bits.lowest(hits)
                hits &= hits - 1
                self.moves[n] = to - leap + 32 * to + layout.CAPTURE
                n += 1
            run = (run << step) & enemy
            leap += step
        run = (own >> step) & enemy
        leap = 2 * step
        while run:
            hits = (run >> step) & empty
            while hits:
                to = bits.lowest(hits)
                hits &= hits - 1
                self.moves[n] = to + leap + 32 * to + layout.CAPTURE
                n += 1
            run = (run >> step) & enemy
            leap += step
        return n

    def do(self, move: int) -> None:
        """Make a legal move."""
        us = self.side
        them = us ^ 1
        start = move & 31
        to = (move >> 5) & 31
        own = self.pieces[us]
        enemy = self.pieces[them]
        quiet = self.quiet
        w = layout.SAVED_WORDS * self.ply
        self.saved[w] = own | (enemy << 32)
        self.saved[w + 1] = self.triangles[us]
        self.saved[w + 2] = self.taken[us]
        self.saved[w + 3] = quiet | (self.awarded[us] << 32)

        key = self.key ^ SIDE_KEY ^ PIECE_KEYS[32 * us + to]
        if move & layout.SETTING:
            own |= 1 << to
        else:
            own ^= (1 << start) | (1 << to)
            key ^= PIECE_KEYS[32 * us + start]
            quiet += 1
            if move & layout.CAPTURE:
                run = RUNS[move & layout.POINT_PAIR]
                own |= run
                enemy ^= run
                self.pieces[them] = enemy
                key ^= TURNING_KEYS[move & layout.POINT_PAIR]
                key ^= (self.taken[us] * TAKEN_FACTORS[us]) & KEY_MASK
                self.taken[us] += bits.popcount(run) * layout.POINT_SCORE
                key ^= (self.taken[us] * TAKEN_FACTORS[us]) & KEY_MASK
                quiet = 0
            gained = triangles_in(own) & ~(self.triangles[0] | self.triangles[1])
            if gained:
                self.triangles[us] |= gained
                self.awarded[us] = triangles_worth(self.triangles[us])
                quiet = 0
                while gained:
                    key ^= TRIANGLE_KEYS[64 * us + bits.lowest(gained)]
                    gained &= gained - 1
            self.quiet = quiet
        self.pieces[us] = own
        self.side = them
        self.key = key
        self.ply += 1
        self.keys[self.ply] = key
        slot = key & codes.FILTER_MASK
        standings = self.standings[slot] + 1
        self.standings[slot] = standings
        # Few moves can end the game; the others are told apart by what is at hand here.
        if (
            quiet == 0
            or standings >= 3
            or quiet >= self.quiet_limit
            or not can_step(enemy, layout.ALL_POINTS & ~(own | enemy))
        ):
            self.settle()

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
        word = self.saved[w]
        self.pieces[us] = word & layout.LOW_HALF
        self.pieces[us ^ 1] = word >> 32
        self.triangles[us] = self.saved[w + 1]
        self.taken[us] = self.saved[w + 2]
        word = self.saved[w + 3]
        self.quiet = word & layout.LOW_HALF
        self.awarded[us] = word >> 32

    def settle(self) -> None:
        """Set `status` and `ending`, testing the ends in the order of the rule page.

        A turn that scores nothing does not make a lead safe, but a position text may.
        """
        own = self.pieces[self.side]
        enemy = self.pieces[self.side ^ 1]
        if bits.popcount(own | enemy) < layout.PIECES:
            return
        empty = layout.ALL_POINTS & ~(own | enemy)
        if not can_step(own, empty) and not can_capture(own, enemy, empty):
            self.finish(codes.P2_WIN if self.side == 0 else codes.P1_WIN, layout.BLOCKED)
        elif (self.quiet == 0 or self.ply == 0) and self.lead_is_safe():
            self.finish(self.leader(), layout.LEAD)
        elif self.standings[self.key & codes.FILTER_MASK] >= 3 and self.count_standings() >= 3:
            self.finish(self.leader(), layout.REPETITION)
        elif self.quiet_limit and self.quiet >= self.quiet_limit:
            self.finish(self.leader(), layout.QUIET)

    def finish(self, status: int, ending: int) -> None:
        """Set how the game ended."""
        self.status = status
        self.ending = ending

    def leader(self) -> int:
        """The result when the higher score wins."""
        white = self.taken[0] + self.awarded[0]
        black = self.taken[1] + self.awarded[1]
        if white == black:
            return codes.DRAW
        return codes.P1_WIN if white > black else codes.P2_WIN

    def lead_is_safe(self) -> bool:
        """Whether the side behind cannot draw level even by taking everything left (D1)."""
        lead = self.taken[0] + self.awarded[0] - self.taken[1] - self.awarded[1]
        leader = 0 if lead > 0 else 1
        other = leader ^ 1
        unowned = layout.ALL_TRIANGLES & ~(self.triangles[0] | self.triangles[1])
        lead = lead if lead > 0 else -lead
        lead -= layout.POINT_SCORE * bits.popcount(self.pieces[leader])
        lead -= layout.TRIANGLE_SCORE * bits.popcount(unowned)
        if lead <= 0:
            return False
        owned = self.triangles[other]
        bigs = big_triangles_in(unowned | owned) - big_triangles_in(owned)
        return lead > layout.BIG_SCORE * bigs

    def gain(self, move: int) -> int:
        """What the move wins at once, in evaluation units."""
        start = move & 31
        to = (move >> 5) & 31
        if move & layout.SETTING:
            return 0
        us = self.side
        worth = 0
        own = self.pieces[us] ^ ((1 << start) | (1 << to))
        if move & layout.CAPTURE:
            run = RUNS[move & layout.POINT_PAIR]
            own |= run
            worth = bits.popcount(run) * (evaluation.POINT_WORTH + 2 * evaluation.PIECE_WORTH)
        owned = self.triangles[us]
        gained = triangles_in(own) & ~(owned | self.triangles[us ^ 1])
        if gained:
            points = triangles_worth(owned | gained) - triangles_worth(owned)
            worth += points * evaluation.POINT_WORTH
        return worth

    def encode(self, start: int, to: int) -> int:
        """Give the move from one point's bit to another's, legal or not."""
        move = start + 32 * to
        if start == to:
            return move + layout.SETTING
        return move | layout.CAPTURE if RUNS[move] else move

    def evaluate(self) -> int:
        """Value for the side to move; the terms are in `evaluation`."""
        us = self.side
        return self.side_value(us) - self.side_value(us ^ 1) + evaluation.TEMPO_WORTH

    def side_value(self, side: int) -> int:
        """Sum of the evaluation terms of one side."""
        own = self.pieces[side]
        enemy = self.pieces[side ^ 1]
        unowned = layout.ALL_TRIANGLES & ~(self.triangles[0] | self.triangles[1])
        return (
            evaluation.score_value(self.taken[side] + self.awarded[side])
            + evaluation.pieces_value(own)
            + evaluation.triangle_chances(own, enemy, unowned)
            + evaluation.big_chances(self.triangles[side], unowned)
            + evaluation.freedom_value(own, enemy)
        )

    def side_terms(self, side: int) -> list[tuple[str, int]]:
        """Give the terms that `side_value` sums, each by its name, and the turn."""
        own = self.pieces[side]
        enemy = self.pieces[side ^ 1]
        unowned = layout.ALL_TRIANGLES & ~(self.triangles[0] | self.triangles[1])
        return [
            ("score", evaluation.score_value(self.taken[side] + self.awarded[side])),
            ("pieces", evaluation.pieces_value(own)),
            ("triangles in reach", evaluation.triangle_chances(own, enemy, unowned)),
            ("big triangles in reach", evaluation.big_chances(self.triangles[side], unowned)),
            ("freedom", evaluation.freedom_value(own, enemy)),
            ("turn", evaluation.TEMPO_WORTH if side == self.side else 0),
        ]
