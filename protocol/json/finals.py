"""The final answers that a client may not have received yet, for one that can resume.

They are numbered from 1 and kept until the client says that it has them.
"""

from collections import deque

MOST_FINALS = 256
"""With so many answers unacknowledged, new requests are refused."""

MOST_BYTES = 4 << 20
"""The same for the bytes of those answers."""


class Finals:
    """Answers by their numbers."""

    def __init__(self) -> None:
        self.last = 0
        """The number of the newest answer."""
        self.sent = 0
        """The number of the newest one that a connection was given."""
        self._kept: deque[tuple[int, bytes]] = deque()
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether no new requests should be taken."""
        return len(self._kept) >= MOST_FINALS or self._size >= MOST_BYTES

    def keep(self, data: bytes) -> None:
        """Keep an answer as number `last + 1`."""
        self.last += 1
        self._kept.append((self.last, data))
        self._size += len(data)

    def acknowledge(self, number: int) -> None:
        """Forget the answers up to a number, which the client has received."""
        while self._kept and self._kept[0][0] <= number:
            self._size -= len(self._kept.popleft()[1])

    def unacknowledged(self) -> list[bytes]:
        """Give all that are kept, in order."""
        return [data for _, data in self._kept]
