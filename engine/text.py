"""Pieces of position texts that several games share: fields, rows of cells, counters.

Every function that reads raises `PositionError` with the name of the field.
"""

from collections.abc import Sequence

from kibitz.engine.errors import PositionError
from kibitz.engine.options import shorten, whole_number

MOST_COUNTER = 1_000_000_000
"""The largest counter that a position text may hold: far past any game, and safe in 32 bits."""

MOST_TEXT = 4096
"""The longest position text, in characters, that is looked at."""


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """Split a position text at its blanks into as many fields as there are names."""
    if len(text) > MOST_TEXT:
        raise PositionError("text", f"{len(text)} characters are more than {MOST_TEXT}")
    fields = text.split()
    if len(fields) != len(names):
        wanted = " ".join(f"<{name}>" for name in names)
        raise PositionError("text", f"{len(fields)} fields instead of {len(names)}: {wanted}")
    return fields


def read_rows(field: str, text: str, widths: Sequence[int], letters: str) -> list[list[str]]:
    """Read rows of cells separated by `/`.

    A cell is one of `letters` or empty (`""`); a decimal number is a run of empty cells.
    Row `i` must have `widths[i]` cells.
    """
    rows = text.split("/")
    if len(rows) != len(widths):
        raise PositionError(field, f"{len(rows)} rows instead of {len(widths)}")
    return [
        _read_row(field, index + 1, row, width, letters)
        for index, (row, width) in enumerate(zip(rows, widths, strict=True))
    ]


def _read_row(field: str, number: int, row: str, width: int, letters: str) -> list[str]:
    cells: list[str] = []
    place = 0
    while place < len(row):
        end = place
        while end < len(row) and row[end] in "0123456789":
            end += 1
        if end > place:
            run = whole_number(row[place:end], 3)
            if not run or row[place] == "0":
                raise PositionError(field, f"row {number}: {shorten(row[place:end])} is not a run")
            cells.extend([""] * run)
            place = end
        elif row[place] in letters:
            cells.append(row[place])
            place += 1
        else:
            raise PositionError(
                field, f"row {number}: {shorten(row[place])} is not a number or one of {letters}"
            )
        if len(cells) > width:
            break
    if len(cells) != width:
        more = "more" if len(cells) > width else f"{len(cells)} cells"
        raise PositionError(field, f"row {number}: {more} instead of {width}")
    return cells


def format_rows(rows: Sequence[Sequence[str]]) -> str:
    """Write rows of cells as `read_rows` reads them."""
    return "/".join(_format_row(row) for row in rows)


def _format_row(row: Sequence[str]) -> str:
    parts: list[str] = []
    empty = 0
    for cell in row:
        if cell:
            if empty:
                parts.append(str(empty))
            parts.append(cell)
            empty = 0
        else:
            empty += 1
    if empty:
        parts.append(str(empty))
    return "".join(parts)


def read_side(text: str) -> int:
    """Read the side to move: `w` is 0, `b` is 1."""
    if text.lower() not in ("w", "b"):
        raise PositionError("side", f"{shorten(text)} is not w or b")
    return "wb".index(text.lower())


def read_counter(field: str, text: str, most: int = MOST_COUNTER) -> int:
    """Read a counter from 0 to `most`."""
    number = whole_number(text)
    if number is None or number < 0 or text.startswith("-"):
        raise PositionError(field, f"{shorten(text)} is not a whole number from 0")
    if number > most:
        raise PositionError(field, f"{number} is more than {most}")
    return number


def read_pair(field: str, text: str) -> tuple[str, str]:
    """Split a field that holds White's value, `/` and Black's value."""
    parts = text.split("/")
    if len(parts) != 2:
        raise PositionError(field, f"{shorten(text)} is not two values with / between them")
    return parts[0], parts[1]


def check_quiet(quiet: int, limit: int) -> None:
    """Refuse a counter of quiet turns that the limit (0 for none) does not let games reach."""
    if limit and quiet > limit:
        raise PositionError("quiet", f"{quiet} is more than the quiet limit of {limit}")
