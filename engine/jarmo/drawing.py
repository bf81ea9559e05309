r"""The Jarmo board in plain text: holes, archers and the lines between neighbours.

2 o   w   o     w and b are archers, W and B marked ones, o are empty holes;
|\ /|   |     lines that do not go to a neighbour are listed below the board.
| X |   |
|/ \|   |
1 o   W   B
a   b   c
"""

from textwrap import wrap

from kibitz.engine.jarmo import board, layout
from kibitz.engine.jarmo.record import SIDE_NAMES, LastMove, Record, format_last, letter_at

LEGEND = "w b: archers, W B: marked archers, o: empty holes"
EMPTY_HOLE = "o"
STEP = 4
"""Characters from one file to the next, and text lines from one rank to the next."""

_WIDTH = 80


def draw(record: Record, geometry: board.Geometry) -> str:
    """Draw the holes, the archers and the lines, and say what the text holds besides."""
    size = STEP * (layout.SIZE - 1) + 1
    canvas = [[" "] * size for _ in range(size)]
    far: list[board.Line] = []
    for first, second in geometry.lines:
        if not _draw_line(canvas, first, second):
            far.append((first, second))
    for hole in range(layout.HOLES):
        row, column = _place(hole)
        canvas[row][column] = letter_at(record, hole) or EMPTY_HOLE
    lines = [
        f"{'' if row % STEP else layout.SIZE - row // STEP!s:>1} {''.join(cells)}".rstrip()
        for row, cells in enumerate(canvas)
    ]
    lines.append("  " + (" " * (STEP - 1)).join("abcde"))
    if far:
        lines += ["", *wrap("further lines: " + board.format_lines(far), _WIDTH)]
    lines += [
        "",
        _side_line(0, record.white, record.white_rights, record.white_last),
        _side_line(1, record.black, record.black_rights, record.black_last),
        "",
        LEGEND,
    ]
    return "\n".join(lines)


def _place(hole: int) -> tuple[int, int]:
    """Row and column of a hole on the canvas."""
    rank, file = divmod(hole, layout.SIZE)
    return STEP * (layout.SIZE - 1 - rank), STEP * file


def _draw_line(canvas: list[list[str]], first: int, second: int) -> bool:
    """Draw a line between neighbours; tell whether it is one."""
    row, column = _place(first)
    end_row, end_column = _place(second)
    down, right = end_row - row, end_column - column
    if max(abs(down), abs(right)) != STEP:
        return False
    if down == 0:
        stroke = "-"
    elif right == 0:
        stroke = "|"
    else:
        stroke = "\\" if down * right > 0 else "/"
    for i in range(1, STEP):
        y, x = row + i * down // STEP, column + i * right // STEP
        canvas[y][x] = stroke if canvas[y][x] == " " else "X"
    return True


def _side_line(side: int, archers: int, rights: int, last: LastMove | None) -> str:
    return (
        f"{SIDE_NAMES[side]}: {layout.ARCHERS - archers.bit_count()} captured, "
        f"rights to a return {rights}, last move {format_last(last)}"
    )
