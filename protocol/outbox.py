"""What is still to be written to a file descriptor, without ever blocking for long.

Standard output is left in blocking mode, since its other end and other processes share
that mode. So a write is tried only when the system says that there is room, and is never
longer than what a pipe with room takes at once.
"""

import os
import select

PIECE = select.PIPE_BUF
"""The most bytes written at once: a pipe that polls as writable has room for as many."""

_CHUNK = 64 * 1024


class Outbox:
    """Bytes on their way to a file descriptor, in order."""

    def __init__(self, descriptor: int) -> None:
        """Write to an open descriptor of any kind: pipe, terminal, socket or file."""
        self.descriptor = descriptor
        self.is_broken = False
        self._waiting = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    @property
    def size(self) -> int:
        """The bytes that have not been written yet."""
        return len(self._waiting)

    def put(self, data: bytes) -> None:
        """Add bytes; they are dropped when nobody can read them any more."""
        if not self.is_broken:
            self._waiting += data

    def flush(self) -> None:
        """Write as much as there is room for now."""
        written = 0
        while written < len(self._waiting) and self._poll.poll(0):
            try:
                written += os.write(self.descriptor, self._waiting[written : written + PIECE])
            except BlockingIOError:
                break
            except OSError:
                # The reader has gone, or the disk is full: there is nobody to tell.
                self.is_broken = True
                self._waiting.clear()
                return
            if written >= _CHUNK:
                del self._waiting[:written]
                written = 0
        del self._waiting[:written]
