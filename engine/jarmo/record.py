"""Jarmo and Jasir position texts: `<board> <side> <rights> <shuttle> <quiet>`.

A `Record` holds what a text says. `read_record` checks the fields one by one (errors name
the field), `verify` that the whole can be played on a board's lines; only a verified
record reaches the hot core. The text does not hold the lines.
"""

import re
from typing import NamedTuple

from kibitz.engine import text as fields
from kibitz.engine.errors import PositionError
from kibitz.engine.jarmo import board, layout
from kibitz.engine.options import shorten

START = "bbbbb/5/5/5/wwwww w 0/0 -/- 0"
FIELDS = ("board", "side", "rights", "shuttle", "quiet")
SIDE_NAMES = ("White", "Black")

_WIDTHS = (layout.SIZE,) * layout.SIZE
_LAST_MOVE = re.compile(r"([a-e][1-5])([a-e][1-5]):([0-9]+)")
_FRESH = "-"


class LastMove(NamedTuple):
    """A side's last move, and of how many moves to and fro in a row it is the last."""

    start: int
    to: int
    times: int


class Record(NamedTuple):
    """A position as plain numbers; sets of holes as in `board`.

    `white` and `black` are all archers, the marked ones among them are there once more.
    """

    white: int
    black: int
    white_marked: int
    black_marked: int
    side: int
    white_rights: int
    black_rights: int
    white_last: LastMove | None
    black_last: LastMove | None
    quiet: int


def read_record(text: str) -> Record:
    """Read a position text; raises `PositionError` naming the field."""
    holes, side, rights, shuttle, quiet = fields.split_fields(text, FIELDS)
    rows = fields.read_rows("board", holes, _WIDTHS, "wbWB")
    white_rights, black_rights = fields.read_pair("rights", rights)
    white_last, black_last = fields.read_pair("shuttle", shuttle)
    return Record(
        white=_holes_of(rows, "wW"),
        black=_holes_of(rows, "bB"),
        white_marked=_holes_of(rows, "W"),
        black_marked=_holes_of(rows, "B"),
        side=fields.read_side(side),
        white_rights=fields.read_counter("rights", white_rights),
        black_rights=fields.read_counter("rights", black_rights),
        white_last=_read_last(white_last),
        black_last=_read_last(black_last),
        quiet=fields.read_counter("quiet", quiet),
    )


def format_record(record: Record) -> str:
    """Write the canonical position text."""
    rows = [
        [letter_at(record, layout.SIZE * rank + file) for file in range(layout.SIZE)]
        for rank in reversed(range(layout.SIZE))
    ]
    return (
        f"{fields.format_rows(rows)} {'wb'[record.side]} "
        f"{record.white_rights}/{record.black_rights} "
        f"{format_last(record.white_last)}/{format_last(record.black_last)} {record.quiet}"
    )


def format_last(last: LastMove | None) -> str:
    """Write one half of the `shuttle` field."""
    if last is None:
        return _FRESH
    return f"{board.HOLE_NAMES[last.start]}{board.HOLE_NAMES[last.to]}:{last.times}"


def letter_at(record: Record, hole: int) -> str:
    """Give the letter of the archer on a hole, nothing for an empty one."""
    if record.white >> hole & 1:
        return "W" if record.white_marked >> hole & 1 else "w"
    if record.black >> hole & 1:
        return "B" if record.black_marked >> hole & 1 else "b"
    return ""


def verify(record: Record, geometry: board.Geometry, quiet_limit: int) -> None:
    """Check that a position can be played; raises `PositionError` naming the field.

    A side may have no archer left, since its game is then over, but not both.
    """
    if not record.white | record.black:
        raise PositionError("board", "there is no archer")
    sides = (
        (record.white, record.white_rights, record.white_last),
        (record.black, record.black_rights, record.black_last),
    )
    for side, (archers, rights, last) in enumerate(sides):
        name = SIDE_NAMES[side]
        captured = layout.ARCHERS - archers.bit_count()
        if captured < 0:
            raise PositionError("board", f"{name} has more than {layout.ARCHERS} archers")
        if rights > captured:
            raise PositionError(
                "rights", f"{name} has {rights}, which is more than its {captured} captured archers"
            )
        if last is not None:
            _verify_last(side, last, geometry)
    fields.check_quiet(record.quiet, quiet_limit)


def _verify_last(side: int, last: LastMove, geometry: board.Geometry) -> None:
    targets = geometry.targets[side]
    start, to = board.HOLE_NAMES[last.start], board.HOLE_NAMES[last.to]
    if not targets[last.start] >> last.to & 1:
        raise PositionError("shuttle", f"{SIDE_NAMES[side]} cannot have moved {start}{to}")
    if last.times > 1 and not targets[last.to] >> last.start & 1:
        raise PositionError(
            "shuttle",
            f"{SIDE_NAMES[side]} cannot have moved {to}{start} before {start}{to}, "
            f"so its count is 1 and not {last.times}",
        )


def _read_last(text: str) -> LastMove | None:
    if text == _FRESH:
        return None
    match = _LAST_MOVE.fullmatch(text.lower())
    if match is None:
        raise PositionError("shuttle", f"{shorten(text)} is not - or a move such as a1a2:1")
    start, to, count = match.groups()
    number = fields.read_counter("shuttle", count, layout.MOST_TO_AND_FRO)
    if number == 0:
        raise PositionError("shuttle", f"{shorten(text)} counts no move, the least is 1")
    return LastMove(board.BIT_OF[start], board.BIT_OF[to], number)


def _holes_of(rows: list[list[str]], letters: str) -> int:
    return sum(
        1 << (layout.SIZE * rank + file)
        for rank, row in enumerate(reversed(rows))
        for file, cell in enumerate(row)
        if cell and cell in letters
    )
