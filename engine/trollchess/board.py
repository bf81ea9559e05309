"""The Troll chess board: squares, ways of moving, deals, and the ground that a deal makes.

A square's number is `10 * rank + file`, both from 0, so `a1` is 0, `j1` 9 and `j10` 99. The
*ground* of a game is what its cards fix for good: the colours of the squares and where the
castles and goals are.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kibitz.engine.keys import SplitMix64
from kibitz.engine.trollchess import layout

FILES = "abcdefghij"
SQUARE_NAMES = tuple(file + str(rank) for rank in range(1, 11) for file in FILES)
SQUARE_OF = {name: square for square, name in enumerate(SQUARE_NAMES)}

Step = tuple[int, int]

DIAGONALS: tuple[Step, ...] = ((1, 1), (1, -1), (-1, 1), (-1, -1))
STRAIGHTS: tuple[Step, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))
AROUND = DIAGONALS + STRAIGHTS
TWO_AROUND = AROUND + tuple((2 * x, 2 * y) for x, y in AROUND)
DRAGON_LEAPS: tuple[Step, ...] = tuple(
    (x, y) for x in (-3, -2, 2, 3) for y in (-3, -2, 2, 3) if abs(x) != abs(y)
)
SHAPES = (AROUND, TWO_AROUND, DRAGON_LEAPS)
"""Leaps of Wanderer, Mercenary (alone or in a pair) and Dragon, by their shape's number."""

LIGHT_AND_DARK = 50
"""Squares of each colour."""


class Ground(NamedTuple):
    """What the cards fix for a game.

    `dark` is the set of dark squares, a bit each. `castles` are in the order of their numbers.
    """

    dark: int
    castles: tuple[int, ...]
    goals: tuple[int, int]


class Deal(NamedTuple):
    """A deal: its ground, and the letter on each square, `""` for none."""

    ground: Ground
    letters: tuple[str, ...]


_LIGHT, _DARK, _CASTLE, _GOAL = "light", "dark", "castle", "goal"
_PIECES = "SNDDRRM" + 10 * "P"
# Each card's colour (0 light, 1 dark) and what it shows, in the order before shuffling.
CARDS: tuple[tuple[int, str], ...] = (
    *((0, ""),) * 30,
    *((1, ""),) * 30,
    *((0, _CASTLE),) * 2,
    *((1, _CASTLE),) * 2,
    (0, _GOAL),
    (1, _GOAL),
    *((0, letter) for letter in _PIECES),
    *((1, letter) for letter in _PIECES.lower()),
)


def deal(number: int) -> Deal:
    """Shuffle the cards as the deal's number says, from 0 to 2**64 - 1, and lay them out."""
    cards = list(CARDS)
    generator = SplitMix64(number)
    for i in range(layout.SQUARES - 1, 0, -1):
        j = generator.draw() % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return Deal(
        ground=Ground(
            dark=sum(colour << square for square, (colour, _) in enumerate(cards)),
            castles=tuple(q for q, (_, shown) in enumerate(cards) if shown == _CASTLE),
            goals=(cards.index((0, _GOAL)), cards.index((1, _GOAL))),
        ),
        letters=tuple("" if shown in (_CASTLE, _GOAL) else shown for _, shown in cards),
    )


def beyond(square: int, step: Step, times: int = 1) -> int | None:
    """Give the square some steps away, if the board goes so far."""
    rank, file = divmod(square, layout.SIZE)
    file += times * step[0]
    rank += times * step[1]
    inside = 0 <= file < layout.SIZE and 0 <= rank < layout.SIZE
    return layout.SIZE * rank + file if inside else None


def ray(square: int, step: Step) -> Iterator[int]:
    """Give the squares in a direction, the nearest first."""
    to = beyond(square, step)
    while to is not None:
        yield to
        to = beyond(to, step)


def two_words(squares: int) -> tuple[int, int]:
    """Split a set of squares into its two 64-bit words."""
    return squares & ((1 << 64) - 1), squares >> 64


def leap_words() -> list[int]:
    """Give the sets of squares that leaps reach, at [2 * (100 * shape + square) + word]."""
    words: list[int] = []
    for steps in SHAPES:
        for square in range(layout.SQUARES):
            words += two_words(_set_of(square, steps))
    return words


def diagonal_words() -> list[int]:
    """Give the sets of squares one step diagonally away, at [2 * square + word]."""
    words: list[int] = []
    for square in range(layout.SQUARES):
        words += two_words(_set_of(square, DIAGONALS))
    return words


def _set_of(square: int, steps: tuple[Step, ...]) -> int:
    targets = (beyond(square, step) for step in steps)
    return sum(1 << to for to in targets if to is not None)


def ray_squares() -> list[int]:
    """Give rays at [RAY_LENGTH * (DIRECTIONS * square + direction)], each ended by NO_SQUARE.

    The diagonal directions come first.
    """
    squares: list[int] = []
    for square in range(layout.SQUARES):
        for step in AROUND:
            way = list(ray(square, step))
            squares += way + [layout.NO_SQUARE] * (layout.RAY_LENGTH - len(way))
    return squares


def aim_words(ground: Ground) -> list[int]:
    """Give what a Wanderer aims at: castles not visited, then the goal, as sets of squares.

    They are at [2 * (16 * side + visits) + word].
    """
    words: list[int] = []
    for goal in ground.goals:
        for visits in range(layout.ALL_CASTLES + 1):
            left = [c for i, c in enumerate(ground.castles) if not visits >> i & 1]
            words += two_words(sum(1 << square for square in left or [goal]))
    return words
