"""The search that `AlphaBeta` has to agree with: every move, no window, no table, no order.

Quiescence is the same by definition (stand pat, noisy moves, a bound of plies), so the two
differ only in what is clever.
"""

from kibitz.engine import codes
from kibitz.engine.position import Position
from kibitz.search.values import WIN

QUIESCENCE = 8


def plain_value(position: Position, depth: int, ply: int = 0) -> int:
    """Value of a position for its side to move, searched to a depth."""
    if position.status != codes.ONGOING:
        return final_value(position, ply)
    if depth == 0:
        return plain_quiescence(position, ply, QUIESCENCE)
    return max(child_value(position, move, depth, ply) for move in position.legal_moves())


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


def child_value(position: Position, move: int, depth: int, ply: int) -> int:
    """Value of a move for the side that makes it."""
    side = position.side
    position.push(move)
    value = plain_value(position, depth - 1, ply + 1)
    if position.side != side:
        value = -value
    position.pop()
    return value


def final_value(position: Position, ply: int) -> int:
    """Value of a finished game for the side to move."""
    if position.status == codes.DRAW:
        return 0
    winner = 0 if position.status == codes.P1_WIN else 1
    return WIN - ply if position.side == winner else ply - WIN


def plain_quiescence(position: Position, ply: int, depth: int) -> int:
    """Value once the noisy moves are played out, at most `depth` of them."""
    if position.status != codes.ONGOING:
        return final_value(position, ply)
    best = position.value()
    if depth == 0:
        return best
    for move in position.noisy_moves():
        side = position.side
        position.push(move)
        value = plain_quiescence(position, ply + 1, depth - 1)
        best = max(best, value if position.side == side else -value)
        position.pop()
    return best
