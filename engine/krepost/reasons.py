"""Why a Krepost move is not legal, in terms of the rules. Plain Python, over single squares."""

from kibitz.engine.krepost import board
from kibitz.engine.krepost.board import square_name
from kibitz.engine.krepost.layout import STRIDE, decode_move
from kibitz.engine.krepost.record import Record


def why_illegal(record: Record, caught: int, move: int) -> str:
    """Say which rule an illegal move breaks; `caught` are all stones in surrounded squads."""
    start, to, prisoner = decode_move(move)
    geometry = board.geometry_of(record.size, record.fortresses)
    for square in (start, to, start if prisoner is None else prisoner):
        if not geometry.inside >> square & 1:
            return f"the board has no square {square_name(square)}"
    own, enemy = (record.white, record.black)[:: 1 if record.side == 0 else -1]
    why = _why_not_set(record, own | enemy, to) if start == to else None
    if start != to:
        why = _why_not_moved(record, own, enemy, start, to)
    return why or _why_not_taken(enemy, caught & enemy, prisoner)


def _why_not_set(record: Record, occupied: int, to: int) -> str | None:
    lowest, highest = board.zone_ranks(record.size, record.side)
    if not (record.white_hand, record.black_hand)[record.side]:
        return "there is no stone left in hand"
    if occupied >> to & 1:
        return f"{square_name(to)} is not empty"
    if not lowest <= to // STRIDE <= highest:
        return f"{square_name(to)} is outside the own zone, ranks {lowest + 1} to {highest + 1}"
    return None


def _why_not_moved(record: Record, own: int, enemy: int, start: int, to: int) -> str | None:
    if not own >> start & 1:
        holds = "an enemy stone" if enemy >> start & 1 else "no stone"
        return f"there is {holds} on {square_name(start)}"
    if (own | enemy) >> to & 1:
        return f"{square_name(to)} is not empty"
    geometry = board.geometry_of(record.size, record.fortresses)
    if to in geometry.neighbours(start):
        return None
    if to in _jumped_to(geometry, own & ~(1 << start), own | enemy, start):
        return None
    if abs(to - start) in (1, STRIDE):
        return f"there is a wall between {square_name(start)} and {square_name(to)}"
    return f"no step and no chain of jumps over own stones leads to {square_name(to)}"


def _jumped_to(geometry: board.Geometry, own: int, occupied: int, start: int) -> set[int]:
    """Give the squares that chains of jumps lead to."""
    found: set[int] = set()
    waiting = [start]
    for square in waiting:
        for over in geometry.neighbours(square):
            to = 2 * over - square
            if not own >> over & 1 or to not in geometry.neighbours(over):
                continue
            if not occupied >> to & 1 and to not in found:
                found.add(to)
                waiting.append(to)
    return found


def _why_not_taken(enemy: int, caught: int, prisoner: int | None) -> str:
    """Say what is wrong with the prisoner of a turn whose first half is right."""
    if prisoner is None:
        return "a capture is due, and the turn names no prisoner"
    name = square_name(prisoner)
    if not enemy >> prisoner & 1:
        return f"there is no enemy stone on {name} to be taken"
    if not caught:
        return "no capture is due: no enemy squad was surrounded before this turn"
    if not caught >> prisoner & 1:
        return f"the squad of {name} was not surrounded before this turn"
    return f"after this move {name} cannot be taken: its squad gets out, or the game is won already"
