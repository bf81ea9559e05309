"""Alpha-beta on any game: principal variation search with a transposition table.

Compiled; the types are in `alphabeta.pxd`. This is one thread's searcher: it searches the
root moves to one depth and knows nothing of iterations, clocks' plans or reports, which are
`driver`'s. The whole search of a depth runs without the GIL.

Games differ from chess in three ways that show here. A side may move twice in a row, so a
child's value is negated only when the side changed. A game may end by points, repetition
or quiet turns, so the end is whatever `Position.status` says, and a value from the table
is not believed close to the root or to the limit of quiet turns, where the way a position
came about matters. And a side may be obliged to move to its harm, so there is no null move.
"""

from array import array
from collections.abc import Sequence

import cython

from kibitz.engine import codes
from kibitz.engine.position import Position
from kibitz.search import clock, table, values
from kibitz.search.gate import Gate

MOST_PLIES = 120
# Moves that the lists of one line of play may hold. Only games whose positions could have
# tens of thousands of moves come near; a node without room for one more list is a leaf.
MOST_ROOM = 1 << 20
MOST_QUIESCENCE = 8
# Noisy moves tried at the first ply of quiescence; half as many at each further one, at
# least one. Where many things can be taken one after the other, it would not end otherwise.
WIDEST_QUIESCENCE = 4
VALUE_MASK = (1 << 16) - 1

# Nodes between looks at the stop flag and the clock; uncompiled nodes are slow.
POLL_NODES = 1024 if cython.compiled else 16
# The first iteration heeds the flag only after so many nodes, so that there is a move to play.
FIRST_NODES = 16_384

# Order of moves: the table's, those that gain (then by the game's hints), killers, then by
# history and hints.
TABLE_RANK = 1 << 30
GAIN_RANK = 1 << 24
KILLER_RANK = 1 << 23

HINT_SHIFT = 5

REDUCTION_DEPTH = 3
REDUCTION_INDEX = 4
# From this place in a list on, even moves that gain are searched less deep at first: where
# there are hundreds of them, they are ways to gain the same.
LONG_LIST = 80


class AlphaBeta:
    """Searches a private position; `begin` sets the root moves, `root` searches them."""

    def __init__(self, position: Position, shared: table.Table, gate: Gate) -> None:
        """Search `position`, which must belong to this searcher alone, with a shared table.

        While it is paused, that is when `pause_wanted` was set, it waits at the gate.
        """
        self.position = position
        lists = max(min(MOST_PLIES + 2, MOST_ROOM // self.position.move_bound), 2)
        self.position.reserve(MOST_PLIES + 2, lists)
        self.room = len(self.position.moves) - self.position.move_bound
        self.shared = shared
        self.gate = gate
        self.nodes = 0
        self.seldepth = 0
        self.stop_wanted = False
        self.pause_wanted = False
        self.stopped = False
        self.heeding = False
        self.node_limit = 0
        self.deadline = 0
        self.next_poll = POLL_NODES
        self.roots = array("i", [0])
        self.root_count = 0
        self.best_root = -1
        self.scores = array("i", bytes(4 * len(self.position.moves)))
        self.killers = array("i", bytes(4 * 2 * (MOST_PLIES + 2)))
        self.history = array("i", bytes(4 * 2 * codes.HISTORY_SIZE))
        self.line = array("i", bytes(4 * (MOST_PLIES + 2) * (MOST_PLIES + 2)))
        self.line_length = array("i", bytes(4 * (MOST_PLIES + 2)))

    def begin(self, moves: Sequence[int]) -> None:
        """Set the root moves, the most promising first."""
        self.roots = array("i", moves)
        self.root_count = len(moves)

    def order(self) -> list[int]:
        """Give the root moves in their present order."""
        return [self.roots[i] for i in range(self.root_count)]

    def raise_root(self, index: int, place: int) -> None:
        """Move the root move at `index` up to `place`, shifting those between down."""
        move = self.roots[index]
        for i in range(index, place, -1):
            self.roots[i] = self.roots[i - 1]
        self.roots[place] = move

    def principal_variation(self) -> tuple[int, ...]:
        """Give the best line of the last `root`, from the root."""
        return tuple(self.line[i] for i in range(self.line_length[0]))

    def search_root(self, depth: int, alpha: int, beta: int, first: int) -> int:
        """Search root moves `first` and on to a depth; gives the best value.

        `best_root` is then the index of the best move, -1 when the search was stopped
        before one was finished; a value at or beyond the window is a bound.
        """
        with cython.nogil:
            value = self.root(depth, alpha, beta, first)
        return value

    def root(self, depth: int, alpha: int, beta: int, first: int) -> int:
        """Search the root moves; see `search_root`."""
        best = -values.INFINITY
        self.best_root = -1
        self.line_length[0] = 0
        self.heeding = depth > 1
        for i in range(first, self.root_count):
            move = self.roots[i]
            if i == first:
                value = self.after(move, depth - 1, alpha, beta, 0, 0)
            else:
                value = self.after(move, depth - 1, alpha, alpha + 1, 0, 0)
                if alpha < value < beta:
                    value = self.after(move, depth - 1, alpha, beta, 0, 0)
            if self.stopped:
                break
            best = max(best, value)
            if value > alpha or i == first:
                self.best_root = i
                self.extend_line(0, move)
            alpha = max(alpha, value)
            if value >= beta:
                break
        return best

    def after(self, move: int, depth: int, alpha: int, beta: int, ply: int, first: int) -> int:
        """Value of a move for the side that makes it; the child's list goes to `moves[first:]`."""
        us = self.position.side
        self.position.do(move)
        if self.position.side != us:
            value = -self.node(depth, -beta, -alpha, ply + 1, first)
        else:
            value = self.node(depth, alpha, beta, ply + 1, first)
        self.position.undo()
        return value

    def node(self, depth: int, alpha: int, beta: int, ply: int, first: int) -> int:
        """Value of the position for its side to move, by a search of `depth` more turns."""
        if depth <= 0:
            return self.quiescence(alpha, beta, ply, first, MOST_QUIESCENCE)
        self.line_length[ply] = 0
        if self.enter():
            return 0
        if self.position.status != codes.ONGOING:
            return self.final_value(ply)
        if ply >= MOST_PLIES or first > self.room:
            return self.position.evaluate()

        # Nothing found below can beat a win already found nearer to the root.
        alpha = max(alpha, ply - values.WIN)
        beta = min(beta, values.WIN - ply - 1)
        if alpha >= beta:
            return alpha

        in_window = beta - alpha > 1
        key = self.position.key
        trusting = (
            self.position.quiet_limit == 0
            or self.position.quiet + depth < self.position.quiet_limit
        )
        known = self.shared.probe(key)
        table_move = 0
        if known:
            table_move = known & table.MOVE_MASK
            if not in_window and ply > 1 and trusting and self.cuts(known, depth, alpha, beta, ply):
                return self.known_value(known, ply)

        end = first + self.position.generate(first)
        self.rank(first, end, table_move, ply)
        us = self.position.side
        best = -values.INFINITY
        best_move = 0
        floor = alpha
        for i in range(first, end):
            self.pick(i, end)
            move = self.position.moves[i]
            quiet = self.scores[i] < KILLER_RANK or i - first >= LONG_LIST
            if i == first:
                value = self.after(move, depth - 1, alpha, beta, ply, end)
            else:
                less = 0
                if quiet and depth >= REDUCTION_DEPTH and i - first >= REDUCTION_INDEX:
                    less = 1 if i - first < 3 * REDUCTION_INDEX else 2
                value = self.after(move, depth - 1 - less, alpha, alpha + 1, ply, end)
                if less and value > alpha:
                    value = self.after(move, depth - 1, alpha, alpha + 1, ply, end)
                if alpha < value < beta:
                    value = self.after(move, depth - 1, alpha, beta, ply, end)
            if self.stopped:
                return 0
            if value > best:
                best = value
                best_move = move
                if value > alpha:
                    alpha = value
                    self.extend_line(ply, move)
                    if value >= beta:
                        if self.scores[i] < GAIN_RANK:
                            self.learn(us, move, depth, ply, first, i)
                        break
        if trusting:
            bound = table.EXACT
            if best >= beta:
                bound = table.LOWER
            elif best <= floor:
                bound = table.UPPER
                best_move = 0
            self.shared.store(key, best_move, self.stored_value(best, ply), depth, bound)
        return best

    def quiescence(self, alpha: int, beta: int, ply: int, first: int, depth: int) -> int:
        """Value for the side to move once moves that change the balance are played out."""
        self.line_length[ply] = 0
        if self.enter():
            return 0
        self.seldepth = max(self.seldepth, ply)
        if self.position.status != codes.ONGOING:
            return self.final_value(ply)
        best = self.position.evaluate()
        if best >= beta or depth == 0 or ply >= MOST_PLIES or first > self.room:
            return best
        alpha = max(alpha, best)
        end = first + self.position.generate_noisy(first)
        for i in range(first, end):
            self.scores[i] = self.position.gain(self.position.moves[i])
        us = self.position.side
        widest = max(WIDEST_QUIESCENCE >> (MOST_QUIESCENCE - depth), 1)
        for i in range(first, min(end, first + widest)):
            self.pick(i, end)
            move = self.position.moves[i]
            self.position.do(move)
            if self.position.side != us:
                value = -self.quiescence(-beta, -alpha, ply + 1, end, depth - 1)
            else:
                value = self.quiescence(alpha, beta, ply + 1, end, depth - 1)
            self.position.undo()
            if self.stopped:
                return 0
            if value > best:
                best = value
                if value > alpha:
                    alpha = value
                    self.extend_line(ply, move)
                    if value >= beta:
                        break
        return best

    def final_value(self, ply: int) -> int:
        """Value of a finished game for the side to move: sooner wins are better."""
        if self.position.status == codes.DRAW:
            return 0
        winner = 0 if self.position.status == codes.P1_WIN else 1
        return values.WIN - ply if winner == self.position.side else ply - values.WIN

    def enter(self) -> bool:
        """Count a node, unless the search was stopped; tell whether it was."""
        if self.stopped:
            return True
        self.nodes += 1
        if self.nodes >= self.next_poll:
            self.poll()
        return self.stopped

    def poll(self) -> None:
        """Look at the flags, the clock and the limit of nodes."""
        self.next_poll = self.nodes + POLL_NODES
        if self.pause_wanted:
            self.hold()
        if self.heeding or self.nodes >= FIRST_NODES:
            if self.stop_wanted:
                self.stopped = True
            if self.node_limit:
                if self.nodes >= self.node_limit:
                    self.stopped = True
                self.next_poll = min(self.next_poll, self.node_limit)
            if self.deadline and clock.now() >= self.deadline:
                self.stopped = True

    def hold(self) -> None:
        """Wait at the gate. The flag goes first: one that is set meanwhile must be seen."""
        self.pause_wanted = False
        self.gate.wait()

    def heed(self) -> None:
        """Make the next node look at the flags; called between iterations."""
        self.heeding = True
        self.poll()

    def cuts(self, known: int, depth: int, alpha: int, beta: int, ply: int) -> bool:
        """Whether a table entry is deep and sharp enough to stand for a search of the node."""
        known_depth = (known >> table.DEPTH_SHIFT) & 255
        if known_depth < depth:
            return False
        bound = (known >> table.BOUND_SHIFT) & 3
        value = self.known_value(known, ply)
        if bound == table.EXACT:
            return True
        return value >= beta if bound == table.LOWER else value <= alpha

    def known_value(self, known: int, ply: int) -> int:
        """The value of a table entry; wins are stored by their distance from the node."""
        value = ((known >> table.VALUE_SHIFT) & VALUE_MASK) - table.VALUE_OFFSET
        if value >= values.WIN_BOUND:
            return value - ply
        if value <= -values.WIN_BOUND:
            return value + ply
        return value

    def stored_value(self, value: int, ply: int) -> int:
        """What `known_value` turns back into a value at the same ply."""
        if value >= values.WIN_BOUND:
            return value + ply
        if value <= -values.WIN_BOUND:
            return value - ply
        return value

    def rank(self, first: int, end: int, table_move: int, ply: int) -> None:
        """Give every move of a list its rank in `scores`."""
        side = self.position.side * codes.HISTORY_SIZE
        for i in range(first, end):
            move = self.position.moves[i]
            if move == table_move:
                self.scores[i] = TABLE_RANK
                continue
            gain = self.position.gain(move)
            if gain > 0:
                hint = self.position.hint(move)
                self.scores[i] = GAIN_RANK + (gain << 1 + HINT_SHIFT) + (hint >> HINT_SHIFT)
            elif move == self.killers[2 * ply]:
                self.scores[i] = KILLER_RANK + 1
            elif move == self.killers[2 * ply + 1]:
                self.scores[i] = KILLER_RANK
            else:
                slot = side + (move & codes.HISTORY_MASK)
                self.scores[i] = self.history[slot] + self.position.hint(move)

    def pick(self, place: int, end: int) -> None:
        """Bring the best ranked of the moves from `place` on to `place`."""
        best = place
        for i in range(place + 1, end):
            if self.scores[i] > self.scores[best]:
                best = i
        if best != place:
            score = self.scores[best]
            move = self.position.moves[best]
            # Shifting instead of swapping keeps equals in the order they were generated.
            for i in range(best, place, -1):
                self.scores[i] = self.scores[i - 1]
                self.position.moves[i] = self.position.moves[i - 1]
            self.scores[place] = score
            self.position.moves[place] = move

    def learn(self, side: int, move: int, depth: int, ply: int, first: int, cut: int) -> None:
        """Remember a quiet move that refuted, and that the ones tried before it did not."""
        if self.killers[2 * ply] != move:
            self.killers[2 * ply + 1] = self.killers[2 * ply]
            self.killers[2 * ply] = move
        bonus = min(depth * depth, 400)
        base = side * codes.HISTORY_SIZE
        self.teach(base + (move & codes.HISTORY_MASK), bonus)
        for i in range(first, cut):
            if self.scores[i] < GAIN_RANK:
                self.teach(base + (self.position.moves[i] & codes.HISTORY_MASK), -bonus)

    def teach(self, slot: int, bonus: int) -> None:
        """Move a history counter towards its end of the scale, the less the nearer it is."""
        size = bonus if bonus > 0 else -bonus
        self.history[slot] += 32 * bonus - (self.history[slot] * size >> 9)

    def extend_line(self, ply: int, move: int) -> None:
        """Make the principal variation at `ply` the move and the variation below it."""
        width = MOST_PLIES + 2
        length = self.line_length[ply + 1]
        self.line[ply * width] = move
        for i in range(length):
            self.line[ply * width + 1 + i] = self.line[(ply + 1) * width + i]
        self.line_length[ply] = length + 1
