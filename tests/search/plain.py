"""The search that `AlphaBeta` has to agree with: every move, no window, no table, no order.

Quiescence is the same by definition (stand pat, the best noisy moves, a bound of plies), so the two
differ only in what is clever.
"""

from kibitz.engine import codes
from kibitz.engine.position import Position
from kibitz.search.values import WIN

QUIESCENCE = 8
WIDEST = 4
MOST_POSITIONS = 100_000


class TooLarge(Exception):  # noqa: N818 - it is no error
    """The tree is too large for a search without a window."""


class Effort:
    """How many more positions a plain search may look at."""

    def __init__(self, positions: int = MOST_POSITIONS) -> None:
        self.left = positions

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLarge


def plain_value(position: Position, depth: int, ply: int = 0, effort: Effort | None = None) -> int:
    """Value of a position for its side to move, searched to a depth.

    Raises `TooLarge` when that takes more than the effort allowed; without one, it takes what
    it takes.
    """
    if position.status != codes.ONGOING:
        return final_value(position, ply)
    if depth == 0:
        return plain_quiescence(position, ply, QUIESCENCE, effort)
    moves = position.legal_moves()
    return max(child_value(position, move, depth, ply, effort) for move in moves)


def end_value(position: Position, depth: int, ply: int = 0) -> int:
    """Value of the ends of the game within a depth for the side to move; 0 for none."""
    if position.status != codes.ONGOING:
        return final_value(position, ply)
    if depth == 0:
        return 0
    return max(end_of_move(position, move, depth, ply) for move in position.legal_moves())


def end_of_move(position: Position, move: int, depth: int, ply: int = 0) -> int:
    """The `end_value` of a move for the side that makes it."""
    side = position.side
    position.push(move)
    value = end_value(position, depth - 1, ply + 1)
    if position.side != side:
        value = -value
    position.pop()
    return value


def child_value(
    position: Position, move: int, depth: int, ply: int, effort: Effort | None = None
) -> int:
    """Value of a move for the side that makes it."""
    side = position.side
    position.push(move)
    try:
        value = plain_value(position, depth - 1, ply + 1, effort)
        return value if position.side == side else -value
    finally:
        position.pop()


def final_value(position: Position, ply: int) -> int:
    """Value of a finished game for the side to move."""
    if position.status == codes.DRAW:
        return 0
    winner = 0 if position.status == codes.P1_WIN else 1
    return WIN - ply if position.side == winner else ply - WIN


def plain_quiescence(position: Position, ply: int, depth: int, effort: Effort | None) -> int:
    """Value once the noisy moves are played out, at most `depth` of them."""
    if effort is not None:
        effort.spend()
    if position.status != codes.ONGOING:
        return final_value(position, ply)
    best = position.value()
    if depth == 0:
        return best
    noisy = sorted(position.noisy_moves(), key=position.gain_of, reverse=True)
    for move in noisy[: max(WIDEST >> (QUIESCENCE - depth), 1)]:
        side = position.side
        position.push(move)
        try:
            value = plain_quiescence(position, ply + 1, depth - 1, effort)
            best = max(best, value if position.side == side else -value)
        finally:
            position.pop()
    return best
