"""Bytes in any pieces become lines: sans-IO, with a cap on the length of a line.

The cap is checked while a line grows, so that a client who never ends one costs no more
memory than the cap; the rest of such a line is skipped wherever its pieces end.
"""

from collections.abc import Iterator
from enum import Enum

MOST_LINE = 64 * 1024
"""The bytes that a line may have, its end not counted."""


class Trouble(Enum):
    """What can stand in the place of a line."""

    TOO_LONG = "too long"
    NOT_UTF8 = "not UTF-8"


class LineSplitter:
    r"""Splits a stream of bytes at each `\n`; a `\r` before it belongs to the line's end."""

    def __init__(self, most: int = MOST_LINE) -> None:
        self.most = most
        self._partial = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[str | Trouble]:
        """Take bytes, and give the lines that end in them.

        A line that is too long gives its one `Trouble` as soon as that is known. All
        of `data` is taken only when the iterator has been used up.
        """
        start = 0
        while start < len(data):
            end = data.find(b"\n", start)
            if end == start and not self._partial and not self._skipping:
                # Empty lines are passed on at little cost: they may come by the million.
                yield ""
                start += 1
                continue
            piece_end = len(data) if end < 0 else end
            if not self._skipping:
                self._partial += data[start:piece_end]
                # A last `\r` may still turn out to belong to the end of the line.
                if len(self._partial) > self.most + self._partial.endswith(b"\r"):
                    self._partial.clear()
                    self._skipping = True
                    yield Trouble.TOO_LONG
            if end < 0:
                return
            if self._skipping:
                self._skipping = False
            else:
                yield self._take()
            start = end + 1

    def finish(self) -> Iterator[str | Trouble]:
        """Take the end of the stream, and give the last line if nothing ended it."""
        if self._partial:
            yield self._take()
        self._skipping = False

    def _take(self) -> str | Trouble:
        line = bytes(self._partial).removesuffix(b"\r")
        self._partial.clear()
        if len(line) > self.most:
            return Trouble.TOO_LONG
        try:
            return line.decode()
        except UnicodeDecodeError:
            return Trouble.NOT_UTF8
