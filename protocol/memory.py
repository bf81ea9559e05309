"""How much memory this process has, as the system tells it."""

import os
import resource


def resident_bytes() -> int:
    """Give the memory that this process has now, or where that is not told, its most."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
