"""Measures how quickly the program answers: at its start, and while it searches.

Run `python scripts/bench/latency.py [ROUNDS]`; with `--program kibitz` (or another path)
it measures that program instead of the one beside this Python. Prints the median and the
worst of each in milliseconds. Best on a quiet machine.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path


class Program:
    """A running engine."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it."""
        self._process = subprocess.Popen(  # noqa: S603 - the command is the caller's own
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout

    def send(self, line: str) -> None:
        """Send a line."""
        self._input.write(line + "\n")
        self._input.flush()

    def wait_for(self, start: str) -> None:
        """Read lines up to one that begins with `start`."""
        for line in self._output:
            if line.startswith(start):
                return
        raise EOFError(f"the program ended without {start}")

    def ask(self, line: str, start: str) -> float:
        """Give the milliseconds from sending a line to reading its answer."""
        begun = time.perf_counter()
        self.send(line)
        self.wait_for(start)
        return (time.perf_counter() - begun) * 1000

    def quit(self) -> None:
        """End it."""
        self.send("quit")
        self._process.communicate()


def starts(command: Sequence[str], handshake: str, rounds: int) -> list[float]:
    """Measure from the start of the process to the end of the handshake."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        program = Program(command)
        program.send(handshake)
        program.wait_for(handshake + "ok")
        times.append((time.perf_counter() - begun) * 1000)
        program.quit()
    return times


def ready_after_start(command: Sequence[str], rounds: int) -> list[float]:
    """Measure from the start of the process to `readyok`, handshake and event loop included."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        program = Program(command)
        program.send("ugi")
        program.send("isready")
        program.wait_for("readyok")
        times.append((time.perf_counter() - begun) * 1000)
        program.quit()
    return times


def ends(command: Sequence[str], rounds: int) -> list[float]:
    """Measure from the end of input, in the middle of a search, to the end of the process."""
    times = []
    for _ in range(rounds):
        program = Program(command)
        program.send("go infinite")
        program.wait_for("info")
        begun = time.perf_counter()
        program._process.communicate()
        times.append((time.perf_counter() - begun) * 1000)
    return times


def during_search(command: Sequence[str], rounds: int) -> tuple[list[float], list[float]]:
    """Measure `isready` during a search, and `stop` to `bestmove`."""
    program = Program(command)
    ready, stop = [], []
    for _ in range(rounds):
        program.send("go infinite")
        program.wait_for("info")
        # Uneven pauses, so that the question comes at any moment of the search.
        for pause in (0.013, 0.029, 0.007):
            time.sleep(pause)
            ready.append(program.ask("isready", "readyok"))
        stop.append(program.ask("stop", "bestmove"))
    program.quit()
    return ready, stop


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", nargs="?", type=int, default=20)
    parser.add_argument("--program", type=Path, help="the program to measure")
    given = parser.parse_args()
    command = (
        [str(given.program)] if given.program else [sys.executable, "-m", "kibitz.scripts.main"]
    )
    ready, stop = during_search(command, given.rounds)
    rows = {
        "start to ugiok": starts(command, "ugi", given.rounds),
        "start to uciok": starts(command, "uci", given.rounds),
        "start to first readyok": ready_after_start(command, given.rounds),
        "isready during a search": ready,
        "stop to bestmove": stop,
        "end of input in a search to exit": ends(command, given.rounds),
    }
    sys.stdout.write(f"{'milliseconds':34} {'median':>8} {'worst':>8}\n")
    for name, times in rows.items():
        sys.stdout.write(f"{name:34} {statistics.median(times):8.2f} {max(times):8.2f}\n")


if __name__ == "__main__":
    main()
