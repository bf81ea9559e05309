"""How many turns a Wanderer needs to the castles it has not visited and then to its goal.

Worked out once for a ground, on an empty board, for a Wanderer on its own feet and for one
that goes with its Mercenary. What stands in the way, and Dragons to ride on, are looked at
by the core.
"""

from array import array
from functools import lru_cache

from kibitz.engine.trollchess import board, layout


def _steps_on_foot(across: int, up: int) -> int:
    return max(across, up)


def _steps_as_pair(across: int, up: int) -> int:
    """Count moves of one or two squares in one of eight directions, on a board without edges.

    A diagonal and a straight part together give the way; each is walked in twos.
    """
    longer, shorter = max(across, up), min(across, up)
    return (shorter + 1) // 2 + (longer - shorter + 1) // 2


def mercenary_turns() -> list[int]:
    """Give the turns of a Mercenary between two squares, at [100 * square + square]."""
    return [
        _steps_as_pair(
            abs(one % layout.SIZE - other % layout.SIZE),
            abs(one // layout.SIZE - other // layout.SIZE),
        )
        for one in range(layout.SQUARES)
        for other in range(layout.SQUARES)
    ]


@lru_cache(maxsize=256)
def race_turns(ground: board.Ground) -> "array[int]":
    """Give the turns at [((2 * paired + side) * 16 + visited) * 100 + square]."""
    turns = array("i", bytes(4 * 2 * 2 * 16 * layout.SQUARES))
    for paired, metric in enumerate((_steps_on_foot, _steps_as_pair)):
        between = [metric(across, up) for across in range(layout.SIZE) for up in range(layout.SIZE)]
        ways = {
            place: [
                between[
                    layout.SIZE * abs(place % layout.SIZE - square % layout.SIZE)
                    + abs(place // layout.SIZE - square // layout.SIZE)
                ]
                for square in range(layout.SQUARES)
            ]
            for place in (*ground.castles, *ground.goals)
        }
        for side, goal in enumerate(ground.goals):
            first = (2 * paired + side) * 16
            whole = first + layout.ALL_CASTLES
            _write(turns, whole, ways[goal])
            for visited in reversed(range(layout.ALL_CASTLES)):
                choices = []
                for bit, castle in enumerate(ground.castles):
                    if not visited >> bit & 1:
                        rest = turns[(first + (visited | 1 << bit)) * layout.SQUARES + castle]
                        choices.append([way + rest for way in ways[castle]])
                _write(
                    turns, first + visited, [min(column) for column in zip(*choices, strict=True)]
                )
    return turns


def _write(turns: "array[int]", row: int, numbers: list[int]) -> None:
    turns[row * layout.SQUARES : (row + 1) * layout.SQUARES] = array("i", numbers)
