"""Where the threads of a search wait while it is paused.

Any thread closes and opens a gate; those that search wait at it. Whoever closes one then
sets a flag that the searching threads look at anyway, and a thread that finds its flag
set clears it and comes here; in this order no closing is missed, and a search that
nobody pauses does not pay for it. A thread that waits uses no processor time.
"""

import threading

from kibitz.search import clock

NANOSECONDS = 1_000_000_000


class Gate:
    """Open at first. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_closed = False
        self._is_gone = False
        self._deadline = 0

    def close(self) -> None:
        """Make those who come wait, unless the gate has been taken away."""
        with self._changed:
            self._is_closed = True

    def open(self) -> None:
        """Let those who wait go on, and whoever comes later."""
        with self._changed:
            self._is_closed = False
            self._changed.notify_all()

    def take_away(self) -> None:
        """Open for good."""
        with self._changed:
            self._is_gone = True
            self._changed.notify_all()

    def set_deadline(self, deadline: int) -> None:
        """Let nobody wait beyond a time of `clock.now`; 0 for as long as it takes."""
        with self._changed:
            self._deadline = deadline
            self._changed.notify_all()

    def wait(self) -> None:
        """Return at once while the gate is open, otherwise as soon as it is or time is up."""
        with self._changed:
            while self._is_closed and not self._is_gone:
                left: float | None = None
                if self._deadline:
                    left = (self._deadline - clock.now()) / NANOSECONDS
                    if left <= 0:
                        return
                    left = min(left, threading.TIMEOUT_MAX)
                self._changed.wait(left)
