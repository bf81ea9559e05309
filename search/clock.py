"""The monotonic clock, for a search that runs without the GIL.

This is the Python twin; `clock.pxd` gives compiled callers the system's clock of the same name.
"""

import time


def now() -> int:
    """Nanoseconds on the clock of `time.monotonic_ns`."""
    return time.monotonic_ns()
