"""Talisman position texts: `<points> <side> <triangles> <taken> <quiet>`.

A `Record` holds what a text says. `read_record` checks the fields one by one (errors name
the field), `verify` that the whole is a position some game could hold; only a verified
record reaches the hot core.
"""

from typing import NamedTuple

from kibitz.engine import text as fields
from kibitz.engine.errors import PositionError
from kibitz.engine.talisman import board
from kibitz.engine.talisman.layout import PIECES

START = "3/4/5/4/3 w 5/7/7/5 0/0 0"
FIELDS = ("points", "side", "triangles", "taken", "quiet")

_POINT_WIDTHS = tuple(len(row) for row in board.ROWS)
_BAND_WIDTHS = tuple(len(band) for band in board.TRIANGLE_BITS)


class Record(NamedTuple):
    """A position as plain numbers; sets of points and triangles as in `board`."""

    white: int
    black: int
    side: int
    white_triangles: int
    black_triangles: int
    white_taken: int
    black_taken: int
    quiet: int


def read_record(text: str) -> Record:
    """Read a position text; raises `PositionError` naming the field."""
    points, side, triangles, taken, quiet = fields.split_fields(text, FIELDS)
    cells = fields.read_rows("points", points.lower(), _POINT_WIDTHS, "wb")
    owners = fields.read_rows("triangles", triangles.lower(), _BAND_WIDTHS, "wb")
    white_taken, black_taken = fields.read_pair("taken", taken)
    return Record(
        white=_points_of(cells, "w"),
        black=_points_of(cells, "b"),
        side=fields.read_side(side),
        white_triangles=_triangles_of(owners, "w"),
        black_triangles=_triangles_of(owners, "b"),
        white_taken=fields.read_counter("taken", white_taken),
        black_taken=fields.read_counter("taken", black_taken),
        quiet=fields.read_counter("quiet", quiet),
    )


def format_record(record: Record) -> str:
    """Write the canonical position text."""
    points = [
        [_owner(1 << board.BIT_OF[name], record.white, record.black) for name in row]
        for row in board.ROWS
    ]
    triangles = [
        [_owner(1 << bit, record.white_triangles, record.black_triangles) for bit in band]
        for band in board.TRIANGLE_BITS
    ]
    return (
        f"{fields.format_rows(points)} {'wb'[record.side]} {fields.format_rows(triangles)} "
        f"{record.white_taken}/{record.black_taken} {record.quiet}"
    )


def verify(record: Record, quiet_limit: int) -> None:
    """Check that a position can be played; raises `PositionError` naming the field."""
    pieces = (record.white | record.black).bit_count()
    if pieces > PIECES:
        raise PositionError("points", f"{pieces} pieces are more than {PIECES}")
    if pieces < PIECES:
        _verify_setting(record)
    for name, owned_by in (("white", record.white), ("black", record.black)):
        unowned = board.ALL_TRIANGLES & ~(record.white_triangles | record.black_triangles)
        if full_triangles(owned_by) & unowned:
            raise PositionError("triangles", f"an unowned one has three {name} corners")
    fields.check_quiet(record.quiet, quiet_limit)


def _verify_setting(record: Record) -> None:
    """Check a position of the setting phase, which has fewer than twelve pieces."""
    whites, blacks = record.white.bit_count(), record.black.bit_count()
    if (record.white | record.black) & ~board.EDGE_POINTS:
        raise PositionError(
            "points", f"{whites + blacks} pieces, so still setting, but one is off the edge"
        )
    if whites - blacks not in (0, 1):
        raise PositionError("points", f"{whites} white and {blacks} black pieces while setting")
    if record.side != whites - blacks:
        mover = "black" if record.side == 0 else "white"
        raise PositionError("side", f"with {whites} white and {blacks} black pieces {mover} sets")
    if record.white_triangles or record.black_triangles:
        raise PositionError("triangles", "one is owned while pieces are still being set")
    if record.white_taken or record.black_taken:
        raise PositionError("taken", "not 0/0 while pieces are still being set")
    if record.quiet:
        raise PositionError("quiet", "not 0 while pieces are still being set")


def full_triangles(pieces: int) -> int:
    """The set of elementary triangles whose three corners are in `pieces`."""
    ups = pieces & (pieces >> 6) & (pieces >> 7)
    downs = pieces & (pieces >> 1) & (pieces >> 7)
    return (ups | (downs << board.DOWN_SHIFT)) & board.ALL_TRIANGLES


def _points_of(cells: list[list[str]], letter: str) -> int:
    return sum(
        1 << board.BIT_OF[name]
        for row, names in zip(cells, board.ROWS, strict=True)
        for cell, name in zip(row, names, strict=True)
        if cell == letter
    )


def _triangles_of(owners: list[list[str]], letter: str) -> int:
    return sum(
        1 << bit
        for row, bits in zip(owners, board.TRIANGLE_BITS, strict=True)
        for owner, bit in zip(row, bits, strict=True)
        if owner == letter
    )


def _owner(bit: int, white: int, black: int) -> str:
    return "w" if bit & white else "b" if bit & black else ""
