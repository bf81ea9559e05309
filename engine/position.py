"""The interface between games and searchers: a position that can do and undo moves.

`Position` is the base of every game's hot core. A searcher holds a `Position` and calls
its virtual methods without the GIL; it never knows which game it plays. The module is
compiled (types in `position.pxd`) and also runs as plain Python.

What every game keeps, after each `do` and `undo`:

- `side`: 0 (White, p1) or 1 (Black, p2) to move. A side may move twice in a row, so a
  caller compares `side` before and after `do` and never counts moves.
- `key`: 62 bits that stand for the position text without its counter of quiet turns.
- `status`: `ONGOING` or the result; `ending` indexes the game's list of reasons.
  A finished position generates no moves, and none is ever done in it.
- `quiet`, `quiet_limit`: the counter of quiet turns and its limit (0 for none).
- `ply` turns since the first text, and `keys[0] .. keys[ply]`, every standing so far.

A move is a positive int below 2**31, whose low `HISTORY_BITS` bits are its slot in
history tables (moves alike share a slot). Bounds are the caller's duty: moves are done
only when generated, and `reserve` is called before anything that could outgrow the
buffers, since compiled code does not check.
"""

from array import array
from collections.abc import Iterable

from kibitz.engine import codes

# Plies that can be done on a position before `reserve` must be called again.
SPARE_PLIES = 4

# Moves that a new position has room for; most lists are shorter, whatever the bound is.
FIRST_ROOM = 256


def _grown(words: Iterable[int], length: int) -> "array[int]":
    """Copy 64-bit words into a longer array that ends in zeros."""
    grown = array("Q", words)
    grown.frombytes(bytes(8 * (length - len(grown))))
    return grown


class Position:
    """Base of all positions; the hot methods are virtual and run without the GIL."""

    def __init__(self, move_bound: int, saved_words: int) -> None:
        """Make the buffers of an empty position.

        `move_bound` is the most legal moves that any position of the game (as its
        options are) can have; `saved_words` the words that `do` saves for `undo`.
        """
        self.side = 0
        self.status = codes.ONGOING
        self.ending = 0
        self.key = 0
        self.quiet = 0
        self.quiet_limit = 0
        self.ply = 0
        self.floor = 0
        self.move_bound = move_bound
        self.saved_words = saved_words
        self.moves = array("i", bytes(4 * min(move_bound, FIRST_ROOM)))
        self.keys = array("Q", bytes(8 * (SPARE_PLIES + 1)))
        self.saved = array("Q", bytes(8 * saved_words * SPARE_PLIES))
        self.standings = array("H", bytes(2 * codes.FILTER_SIZE))

    # The hot interface: virtual, without the GIL, overridden by each game.

    def generate(self, first: int) -> int:
        """Write all legal moves to `moves[first:]`; return how many there are."""
        return 0

    def generate_noisy(self, first: int) -> int:
        """Like `generate`, but only moves that change the balance at once."""
        return 0

    def gain(self, move: int) -> int:
        """What a legal move wins at once, in evaluation units; 0 for a quiet move."""
        return 0

    def hint(self, move: int) -> int:
        """Guess, from 0 to 2000, how good a legal move is among those that gain the same."""
        return 0

    def list_bound(self) -> int:
        """Bound the legal moves of the position as it stands; `move_bound` holds for all."""
        return self.move_bound

    def do(self, move: int) -> None:
        """Make a legal move."""

    def undo(self) -> None:
        """Take back the last `do`."""

    def evaluate(self) -> int:
        """Value of an ongoing position for the side to move, in hundredths of a unit."""
        return 0

    def fresh_key(self) -> int:
        """Compute the key from nothing; tests compare it with the kept one."""
        return 0

    # What all games share.

    def stand_first(self) -> None:
        """Make the position as it is now the first standing of its game."""
        self.ply = 0
        self.floor = 0
        for slot in range(codes.FILTER_SIZE):
            self.standings[slot] = 0
        self.keys[0] = self.key
        self.standings[self.key & codes.FILTER_MASK] = 1

    def count_standings(self) -> int:
        """Count how often the position has stood in its game, now included."""
        count = 0
        for i in range(self.ply + 1):
            if self.keys[i] == self.key:
                count += 1
        return count

    def reserve(self, plies: int, lists: int) -> None:
        """Make room for `plies` more turns and for `lists` move lists at once."""
        turns = self.ply + plies
        if len(self.keys) <= turns:
            # Growing by half keeps long games linear.
            turns += turns // 2
            self.keys = _grown(self.keys[: self.ply + 1], turns + 1)
            used = self.saved_words * self.ply
            self.saved = _grown(self.saved[:used], self.saved_words * turns)
        self.make_room(lists * self.move_bound)

    def make_room(self, moves: int) -> None:
        """Make room for so many moves in `moves`, whose content may be lost."""
        if len(self.moves) < moves:
            self.moves = array("i", bytes(4 * moves))

    def adopt_history(self, other: "Position") -> None:
        """Take over the standings of `other`, which holds the same position."""
        self.ply = other.ply
        self.floor = other.ply
        self.keys = _grown(other.keys[: other.ply + 1], other.ply + 1 + SPARE_PLIES)
        self.saved = array("Q", bytes(8 * self.saved_words * (other.ply + SPARE_PLIES)))
        for slot in range(codes.FILTER_SIZE):
            self.standings[slot] = 0
        for i in range(other.ply + 1):
            self.standings[self.keys[i] & codes.FILTER_MASK] += 1
        self.status = other.status
        self.ending = other.ending

    def legal_moves(self) -> list[int]:
        """List the legal moves; none when the game is over."""
        self.make_room(self.list_bound())
        count = self.generate(0)
        return [self.moves[i] for i in range(count)]

    def noisy_moves(self) -> list[int]:
        """List the moves that quiescence search looks at."""
        self.make_room(self.list_bound())
        count = self.generate_noisy(0)
        return [self.moves[i] for i in range(count)]

    def push(self, move: int) -> None:
        """Make a move after checking that it is legal.

        Raises `ValueError` when it is not.
        """
        self.make_room(self.list_bound())
        count = self.generate(0)
        for i in range(count):
            if self.moves[i] == move:
                self.reserve(SPARE_PLIES, 0)
                self.do(move)
                return
        raise ValueError(f"move {move} is not legal here")

    def pop(self) -> None:
        """Take back the last `push`; raises `IndexError` when there is none."""
        if self.ply <= self.floor:
            raise IndexError("there is no move to take back")
        self.undo()

    def value(self) -> int:
        """Give `evaluate()` to callers that are not compiled."""
        return self.evaluate()

    def gain_of(self, move: int) -> int:
        """Give `gain(move)` to callers that are not compiled."""
        return self.gain(move)

    def hint_of(self, move: int) -> int:
        """Give `hint(move)` to callers that are not compiled."""
        return self.hint(move)

    def recomputed_key(self) -> int:
        """Give `fresh_key()` to callers that are not compiled."""
        return self.fresh_key()

    def side_terms(self, side: int) -> list[tuple[str, int]]:
        """Give the terms of one side that `evaluate` sums, each by its name."""
        raise NotImplementedError

    def copy(self) -> "Position":
        """Make an independent position with the same standings, at the end of its own history."""
        raise NotImplementedError
