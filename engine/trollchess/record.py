"""Troll chess position texts.

`<board> <side> <colours> <places> <visited> <resting> <quiet>`

A `Record` holds what a text says. `read_record` checks the fields one by one (errors name
the field), `verify` that the whole can be played; only a verified record reaches the core.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from kibitz.engine import text as fields
from kibitz.engine.errors import PositionError
from kibitz.engine.options import shorten, whole_number
from kibitz.engine.trollchess import board, contents, layout

FIELDS = ("board", "side", "colours", "places", "visited", "resting", "quiet")
SIDE_NAMES = ("White", "Black")
PIECE_NAMES = {
    "S": "Wanderer",
    "N": "Mercenary",
    "D": "Dragon",
    "R": "Knight",
    "M": "Mage",
    "P": "Robber",
}
MOST_PIECES = {"S": 1, "N": 1, "D": 2, "R": 2, "M": 1, "P": 10}
"""How many of a kind a side has in a deal; none is ever added."""

_LETTERS = "".join(contents.LETTERS)
_COLOUR_ROW = re.compile("[0-3][0-9a-f]{2}")
_SQUARE = re.compile("[a-j](?:10|[1-9])")
_RESTING = re.compile(r"([a-j](?:10|[1-9])):([0-9]+)")
_NOTHING = "-"


class Record(NamedTuple):
    """A position as plain data.

    `letters` has the letters on each square; `visited` is a set of castles for each side, a
    bit each in the order of the ground's castles; `resting` the squares of resting Dragons
    with the turns they must still rest, in the order of the squares' numbers.
    """

    letters: tuple[str, ...]
    side: int
    ground: board.Ground
    visited: tuple[int, int]
    resting: tuple[tuple[int, int], ...]
    quiet: int


def dealt_record(number: int) -> Record:
    """Give the record of a deal, from 0 to 2**64 - 1."""
    deal = board.deal(number)
    return Record(deal.letters, 0, deal.ground, (0, 0), (), 0)


def read_record(text: str) -> Record:
    """Read a position text; raises `PositionError` naming the field."""
    cells, side, colours, places, visited, resting, quiet = fields.split_fields(text, FIELDS)
    dark = _read_colours(colours)
    castles, goals = _read_places(places)
    return Record(
        letters=_read_board(cells),
        side=fields.read_side(side),
        ground=board.Ground(dark, castles, goals),
        visited=_read_visited(visited),
        resting=_read_resting(resting),
        quiet=fields.read_counter("quiet", quiet),
    )


def format_record(record: Record) -> str:
    """Write the canonical position text."""
    resting = ",".join(f"{board.SQUARE_NAMES[square]}:{turns}" for square, turns in record.resting)
    white, black = record.visited
    return (
        f"{_format_board(record.letters)} {'wb'[record.side]} {_format_ground(record.ground)} "
        f"{white:x}/{black:x} {resting or _NOTHING} {record.quiet}"
    )


def verify(record: Record, quiet_limit: int) -> None:
    """Check that a position can be played; raises `PositionError` naming the field."""
    _verify_pieces(record.letters)
    _verify_ground(record.ground)
    for square, _ in record.resting:
        if "D" not in record.letters[square].upper():
            name = board.SQUARE_NAMES[square]
            raise PositionError("resting", f"there is no Dragon on {name} that could rest")
    arrived = [
        record.visited[side] == layout.ALL_CASTLES
        and "Ss"[side] in record.letters[record.ground.goals[side]]
        for side in range(2)
    ]
    if all(arrived):
        raise PositionError("visited", "both Wanderers have been everywhere and are on their goals")
    fields.check_quiet(record.quiet, quiet_limit)


def describe(letter: str) -> str:
    """Name a piece by its letter, such as `White's Dragon`."""
    return f"{SIDE_NAMES[letter.islower()]}'s {PIECE_NAMES[letter.upper()]}"


def _verify_pieces(letters: tuple[str, ...]) -> None:
    counts = Counter("".join(letters))
    for letter, count in counts.items():
        most = MOST_PIECES[letter.upper()]
        if count > most:
            raise PositionError(
                "board", f"{describe(letter)} is there {count} times, which is more than {most}"
            )


def _verify_ground(ground: board.Ground) -> None:
    dark = ground.dark.bit_count()
    if dark != board.LIGHT_AND_DARK:
        raise PositionError("colours", f"{dark} squares are dark instead of {board.LIGHT_AND_DARK}")
    for side, goal in enumerate(ground.goals):
        name = board.SQUARE_NAMES[goal]
        if goal in ground.castles:
            raise PositionError("places", f"{SIDE_NAMES[side]}'s goal {name} is on a castle")
        if ground.dark >> goal & 1 != side:
            colour = ("light", "dark")[side]
            raise PositionError("places", f"{SIDE_NAMES[side]}'s goal {name} is not {colour}")
    dark_castles = sum(ground.dark >> castle & 1 for castle in ground.castles)
    if dark_castles != layout.CASTLES // 2:
        raise PositionError("places", f"{dark_castles} of the castles are dark instead of 2")


def _read_board(text: str) -> tuple[str, ...]:
    rows = text.split("/")
    if len(rows) != layout.SIZE:
        raise PositionError("board", f"{len(rows)} rows instead of {layout.SIZE}")
    cells: list[str] = []
    for row in reversed(rows):
        cells += _read_row(row)
    return tuple(cells)


def _read_row(row: str) -> list[str]:
    cells: list[str] = []
    for word in re.findall(r"\([^()]*\)|[0-9]+|.", row, re.DOTALL):
        if word[0] in "0123456789":
            run = whole_number(word, 2)
            if not run or word[0] == "0":
                raise PositionError("board", f"{shorten(word)} is not a run of empty squares")
            cells += [""] * run
        elif word in _LETTERS:
            cells.append(word)
        elif len(word) > 1:
            cells.append(_read_stack(word))
        else:
            raise PositionError("board", f"{shorten(word)} is not a number, a piece or a stack")
        if len(cells) > layout.SIZE:
            break
    if len(cells) != layout.SIZE:
        more = "more" if len(cells) > layout.SIZE else f"{len(cells)} squares"
        raise PositionError("board", f"{more} instead of {layout.SIZE} in the row {shorten(row)}")
    return cells


def _read_stack(word: str) -> str:
    letters = word[1:-1]
    if any(letter not in _LETTERS for letter in letters):
        raise PositionError("board", f"{shorten(word)} holds something that is not a piece")
    if len(letters) < 2:
        raise PositionError("board", f"{shorten(word)} is not a stack of two or more")
    if letters not in contents.NUMBER_OF:
        raise PositionError("board", f"{shorten(word)}: {_why_no_stack(letters)}")
    return letters


def _why_no_stack(letters: str) -> str:
    for letter in letters:
        if letter in "RMPrmp":
            return f"{describe(letter)} does not share its square"
        if letters.count(letter) > 1:
            return f"{describe(letter)} is there twice"
    if "D" in letters and "d" in letters:
        return "two Dragons do not share a square"
    for wanderer, mercenary in ("SN", "sn"):
        if mercenary in letters and wanderer not in letters:
            return f"{describe(mercenary)} shares a square only with its Wanderer"
    return f"the order of a stack is {contents.STACK_ORDER}"


def _format_board(letters: tuple[str, ...]) -> str:
    cells = [content if len(content) < 2 else f"({content})" for content in letters]
    return fields.format_rows(
        [cells[layout.SIZE * rank : layout.SIZE * (rank + 1)] for rank in range(9, -1, -1)]
    )


def _read_colours(text: str) -> int:
    rows = text.lower().split("/")
    if len(rows) != layout.SIZE:
        raise PositionError("colours", f"{len(rows)} rows instead of {layout.SIZE}")
    dark = 0
    for rank, row in enumerate(reversed(rows)):
        if not _COLOUR_ROW.fullmatch(row):
            raise PositionError("colours", f"{shorten(row)} is not from 000 to 3ff")
        bits = int(row, 16)
        for file in range(layout.SIZE):
            if bits >> (layout.SIZE - 1 - file) & 1:
                dark |= 1 << (layout.SIZE * rank + file)
    return dark


@lru_cache(maxsize=256)
def _format_ground(ground: board.Ground) -> str:
    rows = []
    for rank in range(layout.SIZE - 1, -1, -1):
        row = [str(ground.dark >> (layout.SIZE * rank + file) & 1) for file in range(layout.SIZE)]
        rows.append(f"{int(''.join(row), 2):03x}")
    castles = "".join(board.SQUARE_NAMES[castle] for castle in ground.castles)
    white_goal, black_goal = (board.SQUARE_NAMES[goal] for goal in ground.goals)
    return f"{'/'.join(rows)} {castles}/{white_goal}/{black_goal}"


def _read_places(text: str) -> tuple[tuple[int, ...], tuple[int, int]]:
    parts = text.lower().split("/")
    if len(parts) != 3:
        raise PositionError("places", f"{shorten(text)} is not castles/goal/goal")
    castles, white, black = map(_read_squares, parts)
    if len(castles) != layout.CASTLES:
        raise PositionError("places", f"{len(castles)} castles instead of {layout.CASTLES}")
    if list(castles) != sorted(set(castles)):
        raise PositionError("places", f"{shorten(parts[0])} is not in order from a1 to j10")
    if len(white) != 1 or len(black) != 1:
        raise PositionError("places", "a side has one goal")
    if white == black:
        raise PositionError("places", "both goals are on one square")
    return castles, (white[0], black[0])


def _read_squares(text: str) -> tuple[int, ...]:
    names = _SQUARE.findall(text)
    if "".join(names) != text:
        raise PositionError("places", f"{shorten(text)} is not a list of squares")
    return tuple(board.SQUARE_OF[name] for name in names)


def _read_visited(text: str) -> tuple[int, int]:
    white, black = fields.read_pair("visited", text)
    return _read_digit(white), _read_digit(black)


def _read_digit(text: str) -> int:
    if len(text) != 1 or text.lower() not in "0123456789abcdef":
        raise PositionError("visited", f"{shorten(text)} is not one hexadecimal digit")
    return int(text, 16)


def _read_resting(text: str) -> tuple[tuple[int, int], ...]:
    if text == _NOTHING:
        return ()
    resting: dict[int, int] = {}
    for entry in text.lower().split(","):
        match = _RESTING.fullmatch(entry)
        if match is None:
            raise PositionError("resting", f"{shorten(entry)} is not - or an entry such as e4:2")
        name, number = match.groups()
        square = board.SQUARE_OF[name]
        if square in resting:
            raise PositionError("resting", f"{name} is there twice")
        turns = fields.read_counter("resting", number, layout.MOST_REST)
        if turns == 0:
            raise PositionError("resting", f"the Dragon on {name} has no turn to rest")
        resting[square] = turns
    return tuple(sorted(resting.items()))
