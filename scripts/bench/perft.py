"""Measures perft: leaves a second through the search's own do and undo.

Run `.venv/bin/python scripts/bench/perft.py [ROUNDS]`.

Prints, for fixed middle games, the best and the median of several rounds (20 unless
ROUNDS says otherwise). The best is what the code can do; the median shows how busy the
machine was.
"""

import statistics
import sys
import time
from typing import NamedTuple

from kibitz.engine.registry import find_game
from kibitz.search.perft import Perft


class Case(NamedTuple):
    """A position to count from."""

    game: str
    depth: int
    text: str


CASES = (
    Case("talisman", 6, "w2/b1wb/b1www/b1w1/bb1 b 5/2bwww1/1bbwwww/bb1b1 7/7 1"),
    Case("talisman", 6, "bbw/ww2/bbbbw/3w/w2 b 5/2b4/b2bb2/5 2/2 2"),
    Case("jarmo", 7, "bbbbb/5/5/5/wwwww w 0/0 -/- 0"),
    Case("jarmo", 6, "5/1wbW1/W2WB/1b1B1/W2B1 w 0/0 -/- 0"),
    Case("jasir", 7, "bbbbb/5/5/5/wwwww w 0/0 -/- 0"),
)


def measure(case: Case, rounds: int) -> tuple[int, list[float]]:
    """Count from a case; give the count and the millions of leaves a second of each round."""
    game = find_game(case.game)
    position = game.parse(case.text, game.settings({}))
    speeds = []
    leaves = 0
    for _ in range(rounds):
        counter = Perft(position)
        begun = time.perf_counter()
        leaves = counter.count(case.depth)
        speeds.append(leaves / (time.perf_counter() - begun) / 1e6)
    return leaves, speeds


def main() -> None:
    """Measure every case and print a line for each."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sys.stdout.write("game      depth      leaves  best M/s  median M/s  position\n")
    for case in CASES:
        leaves, speeds = measure(case, rounds)
        sys.stdout.write(
            f"{case.game:9} {case.depth:5} {leaves:11} {max(speeds):9.1f} "
            f"{statistics.median(speeds):11.1f}  {case.text}\n"
        )


if __name__ == "__main__":
    main()
