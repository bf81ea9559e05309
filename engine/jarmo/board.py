"""The Jarmo board: holes as bit numbers, and the lines that join them.

A hole's bit is `5 * rank + file`, both from 0, so `a1` is bit 0, `e1` 4 and `e5` 24. The
lines are data: the built-in ones are called `house`, and the option `Board` takes others.
`geometry` turns lines into what both games need from them: where each side's archers may
go from each hole, and how far they have to the enemy's first row. Jasir differs from
Jarmo only here, by its moves having no way back.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kibitz.engine.errors import OptionError
from kibitz.engine.jarmo.layout import ARCHERS, HOLES, SIZE
from kibitz.engine.options import Option, shorten

HOLE_NAMES = tuple(file + rank for rank in "12345" for file in "abcde")
BIT_OF = {name: bit for bit, name in enumerate(HOLE_NAMES)}

FIRST_ROWS = (0b11111, 0b11111 << (HOLES - SIZE))
"""The first rows of White and Black; each is the other side's goal."""

HOUSE = "house"
HOUSE_LINES = (
    "a1a2 b1a2 b1b2 c1b2 d1c2 e1d2 e1e2 a2a3 a2b3 b2c2 b2c3 c2c3 d2c3 e2d3 e2e3 a3a4 b3a4 "
    "b3b4 c3b4 c3c4 c3d4 d3d4 d3e3 e3d4 e3e4 a4a5 a4b4 a4b5 b4b5 b4c5 c4d4 c4d5 d4e5 e4e5"
)
LEAST_LINES = 2
MOST_LINES = 100

UNREACHABLE = HOLES
"""The distance of holes without a way to the goal; true distances are smaller."""

Line = tuple[int, int]


class Geometry(NamedTuple):
    """What the lines of a board mean for both sides; holes are bits.

    `targets[side][hole]` is the set of holes that an archer of the side may move to, none
    from the enemy's first row (D2). `distances[side][hole]` counts the moves from there to
    the enemy's first row. `move_bound` is the most legal moves of any position.
    """

    lines: tuple[Line, ...]
    backward: bool
    targets: tuple[tuple[int, ...], ...]
    distances: tuple[tuple[int, ...], ...]
    move_bound: int


def check_board(text: str) -> str:
    """Give the canonical text of a value of `Board`; raises `OptionError`."""
    if text.strip().lower() == HOUSE:
        return HOUSE
    return format_lines(read_lines(text))


BOARD = Option(
    name="Board",
    kind="string",
    default=HOUSE,
    about="the lines of the board: house, or a list such as a1a2 b1b2 (2 to 100 lines)",
    check=check_board,
)


def read_lines(text: str) -> tuple[Line, ...]:
    """Read a list of lines, sorted, each from its lower bit; raises `OptionError`."""
    words = text.lower().split()
    if not LEAST_LINES <= len(words) <= MOST_LINES:
        raise OptionError(f"Board: {len(words)} lines are not from {LEAST_LINES} to {MOST_LINES}")
    lines: set[Line] = set()
    for word in words:
        line = _read_line(word)
        if line in lines:
            raise OptionError(f"Board: the line {word} is there twice")
        lines.add(line)
    return tuple(sorted(lines))


def _read_line(word: str) -> Line:
    first, second = BIT_OF.get(word[:2]), BIT_OF.get(word[2:])
    if first is None or second is None:
        raise OptionError(f"Board: {shorten(word)} is not house or a line such as a1a2")
    if first == second:
        raise OptionError(f"Board: the line {word} joins a hole to itself")
    return min(first, second), max(first, second)


def format_lines(lines: Iterable[Line]) -> str:
    """Write lines as `read_lines` reads them."""
    return " ".join(HOLE_NAMES[first] + HOLE_NAMES[second] for first, second in lines)


@lru_cache(maxsize=64)
def geometry(board: str, backward: bool) -> Geometry:
    """Work out a board from a canonical value of `Board`; `backward` is true for Jarmo."""
    lines = read_lines(HOUSE_LINES if board == HOUSE else board)
    targets = tuple(_targets(lines, side, backward) for side in range(2))
    return Geometry(
        lines=lines,
        backward=backward,
        targets=targets,
        distances=tuple(_distances(targets[side], side) for side in range(2)),
        move_bound=max(_move_bound(targets[side]) for side in range(2)),
    )


def goes_backward(side: int, start: int, to: int) -> bool:
    """Whether a move goes to a rank nearer to the side's own first row."""
    start_rank, to_rank = start // SIZE, to // SIZE
    return to_rank < start_rank if side == 0 else to_rank > start_rank


def _targets(lines: tuple[Line, ...], side: int, backward: bool) -> tuple[int, ...]:
    goal = FIRST_ROWS[side ^ 1]
    targets = [0] * HOLES
    for first, second in lines:
        for start, to in ((first, second), (second, first)):
            if not goal >> start & 1 and (backward or not goes_backward(side, start, to)):
                targets[start] |= 1 << to
    return tuple(targets)


def _distances(targets: tuple[int, ...], side: int) -> tuple[int, ...]:
    distances = [UNREACHABLE] * HOLES
    reached = FIRST_ROWS[side ^ 1]
    new = reached
    distance = 0
    while new:
        for hole in range(HOLES):
            if new >> hole & 1:
                distances[hole] = distance
        distance += 1
        new = sum(1 << hole for hole in range(HOLES) if targets[hole] & reached) & ~reached
        reached |= new
    return tuple(distances)


def _move_bound(targets: tuple[int, ...]) -> int:
    """Bound the moves of a side.

    With all archers on the board there is no return, so each step of an archer is one
    move; with one or more captured each step can go with a return to at most five holes.
    """
    steps = sorted((holes.bit_count() for holes in targets), reverse=True)
    return max(1, sum(steps[:ARCHERS]), sum(steps[: ARCHERS - 1]) * (1 + SIZE))
