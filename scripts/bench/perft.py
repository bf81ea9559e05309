"""Measures perft: leaves a second through the search's own do and undo.

Run `.venv/bin/python scripts/bench/perft.py [ROUNDS]`.

Prints, for fixed middle games, the best and the median of several rounds (20 unless
ROUNDS says otherwise). The best is what the code can do; the median shows how busy the
machine was.
"""

import argparse
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
    Case(
        "krepost",
        3,
        "b5b1b1bb/b3bbb1bbb1/b2b3b2bb/bb1b1bb1bb1b/1b2b1bb2b1/3wb3bb2/12/1www1w1w1w2/3w4w1ww/www2ww1ww2/www1wwwww1w1/w1w1w1w3w1"
        " w 16/14/48 a1:c3:b3n/j10:l12:k10s - 26",
    ),
    Case(
        "krepost",
        3,
        "1bbbbbbbbb1b/bbbb1bbb1bb1/bb1bbbbb3b/1b1b1bb2b1b/b3b2b1bw1/6wwb3/w1w1w1w2w2/ww1www4ww/1w5w1ww1/w7wwww/wwwwwwwwww1w/ww3w3w1w"
        " w 0/8/48 a1:c3:b3n/j10:l12:k10s - 0",
    ),
    Case(
        "krepost",
        3,
        "1bbbbb1bb1/bbb2b1bb1/b1bbbbbbbb/1b1b1b3b/1ww5b1/1b5w2/1w3ww1w1/2www1w2w/wwwwww1www/ww2wwwwww"
        " b 0/1/30 a1:c3:b3n/h8:j10:i8s - 1",
    ),
    Case(
        "krepost",
        3,
        "1bb1bbbb2/1b2b1bb1b/b1bbbb1b1b/4bbb3/3wbb4/2w3b3/1w1w3w2/wwww1w1www/w1ww2w1w1/ww1wwww1w1"
        " b 5/6/30 a1:c3:b3n/h8:j10:i8s - 141",
    ),
    Case(
        "krepost",
        3,
        "b2b1bbb/4bb2/3bb1wb/1bb2ww1/1b1w1ww1/w6w/ww2w1w1/ww1w1w2 b 0/0/16 a1:c2:b2n/f7:h8:g7s - 1",
    ),
    Case(
        "krepost",
        3,
        "3b4/w1b1bbbb/2b1b1b1/2wb3b/1w4ww/2w2w1w/3bw3/ww2w3 w 0/0/16 a1:c2:b2n/f7:h8:g7s - 2",
    ),
    Case(
        "trollchess",
        4,
        "10/2P5pr/2Mpn1msP1/p2rPP1PpS/3Rpp4/1PdpP4D/5P4/P1pD3R2/3p4p1/5dP1N1 w "
        "0db/327/37c/3c2/0ba/0cc/12a/181/25b/390 a2b2i3i4/h10/j10 0/0 - 0",
    ),
    Case(
        "trollchess",
        4,
        "5D3P/r1m1P2M2/10/1p8/10/8(DS)r/3pR4p/8p1/1psR2P3/1d7d w "
        "0ca/246/2cb/371/0f3/328/003/1a7/39d/332 e1a3b5e10/g3/i6 0/0 - 0",
    ),
    Case(
        "trollchess",
        5,
        "8p1/2p7/p4PP3/1p5(ds)(DS)1/10/6p3/10/9R/10/10 b "
        "2ba/1ff/308/236/2e0/15a/3b0/09c/094/2ad g3d4i7h10/b10/f2 7/a i7:2 0",
    ),
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", nargs="?", type=int, default=20)
    rounds = parser.parse_args().rounds
    sys.stdout.write("game        depth      leaves  best M/s  median M/s  position\n")
    for case in CASES:
        leaves, speeds = measure(case, rounds)
        sys.stdout.write(
            f"{case.game:11} {case.depth:5} {leaves:11} {max(speeds):9.1f} "
            f"{statistics.median(speeds):11.1f}  {case.text}\n"
        )


if __name__ == "__main__":
    main()
