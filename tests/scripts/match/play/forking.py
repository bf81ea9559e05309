"""Runs `kibitz match` in processes that need not load it first, for tests that start it often.

Run as a program: each line of input is the arguments of a match, a JSON list. A process is forked
that runs it, its number is written, and when it has ended a line with its exit status, which is
negative for a signal.
"""

import json
import os
import sys


def main() -> None:
    import anyio  # noqa: F401

    from kibitz.scripts.main import main as run

    for line in sys.stdin:
        child = os.fork()
        if not child:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            os._exit(run(["match", *json.loads(line)]))
        tell(child)
        tell(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
