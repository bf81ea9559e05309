"""Becomes the program of an engine: on its processors, and not for longer than the runner lives.

Started by its path, with the number of the runner's process, the processors (`0,2`, or `-` for
all) and the words of the command. It uses nothing of kibitz and little of Python, because it
stands before every start of an engine.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_NOT_STARTED = 127


def main(arguments: list[str]) -> int:
    """Become the program; gives an exit status only when that fails."""
    runner, processors, *command = arguments
    if sys.platform == "linux":
        # An engine that hangs would outlive a runner that was killed, and keep its processor.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(runner):
            return _NOT_STARTED
    try:
        if processors != "-":
            os.sched_setaffinity(0, map(int, processors.split(",")))
        os.execvp(command[0], command)  # noqa: S606 - the command is the user's own
    except OSError as error:
        sys.stderr.write(f"{command[0]}: cannot be started: {error.strerror}\n")
        return _NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
