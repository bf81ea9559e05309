r"""The Talisman board in plain text, as it is drawn on paper.

  a---W---c         W and B are pieces, small letters empty points;
 /.\./w\./.\        w and b own the triangle that they stand in.
d---W---W---g
"""

from kibitz.engine.talisman import board
from kibitz.engine.talisman.record import Record

LEGEND = "W B: pieces, a to s: empty points; w b: owners of triangles, . unowned"


def draw(record: Record) -> str:
    """Draw points, lines and owners of triangles."""
    lines: list[str] = []
    for number, row in enumerate(board.ROWS):
        pieces = (
            _owner(1 << board.BIT_OF[name], record.white, record.black, "WB" + name) for name in row
        )
        lines.append(" " * _indent(number) + "---".join(pieces))
        if number < len(board.BANDS):
            lines.append(_band(record, number))
    return "\n".join(lines) + "\n\n" + LEGEND


def _indent(row: int) -> int:
    return 2 * abs(2 - row)


def _band(record: Record, number: int) -> str:
    """Draw the triangles below a row, each owner in the middle of its triangle."""
    line = " " * (1 + min(_indent(number), _indent(number + 1)))
    for bit in board.TRIANGLE_BITS[number]:
        line += "/" if bit < board.DOWN_SHIFT else "\\"
        line += _owner(1 << bit, record.white_triangles, record.black_triangles, "wb.")
    return line + ("\\" if line[-2] == "/" else "/")


def _owner(bit: int, white: int, black: int, letters: str) -> str:
    return letters[0] if bit & white else letters[1] if bit & black else letters[2]
