"""Tables of plain text that know how wide characters are on a terminal, and can be made narrow.

Columns are as wide as what is in them, with two blanks between. When a table has to be narrower
than that, the least important columns are left out, and what is still too long is cut.
"""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len, set_cell_size

GAP = "  "


class Column(msgspec.Struct, frozen=True):
    """A column: its title, and its cells from the top.

    Those with the lowest `weight` are left out first, all of them together. Text stands left,
    numbers right.
    """

    title: str
    cells: tuple[str, ...]
    weight: int = 0
    is_left: bool = False

    @property
    def width(self) -> int:
        """The width in characters of a terminal."""
        return max(map(cell_len, (self.title, *self.cells)))

    def lines(self) -> list[str]:
        """Give the title and the cells, all of the same width."""
        width = self.width
        return [self._padded(text, width) for text in (self.title, *self.cells)]

    def _padded(self, text: str, width: int) -> str:
        blanks = " " * (width - cell_len(text))
        return text + blanks if self.is_left else blanks + text


def table_lines(columns: Sequence[Column], width: int | None = None) -> list[str]:
    """Write a table: the line of titles first. Nothing is longer than `width`, if that is given."""
    chosen = list(columns)
    if width is not None:
        for weight in sorted({column.weight for column in columns})[:-1]:
            if _width(chosen) > width:
                chosen = [column for column in chosen if column.weight > weight]
    lines = [GAP.join(cells).rstrip() for cells in zip(*map(Column.lines, chosen), strict=True)]
    return lines if width is None else [cut(line, width) for line in lines]


def cut(line: str, width: int) -> str:
    """Shorten a line that is wider than a terminal of so many characters."""
    if cell_len(line) <= width:
        return line
    return set_cell_size(line, width - 1) + "…" if width > 0 else ""


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)
