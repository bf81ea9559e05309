"""Measures how deep a search comes in a fixed time.

Run `.venv/bin/python scripts/bench/depth.py [MILLISECONDS] [GAME...]`.

Prints, for the start and middle games, the depth reached in the time (1000 unless
MILLISECONDS says otherwise), the value and the nodes a second, with one thread and a
fresh table of 64 MiB.
"""

import argparse
import sys
from typing import NamedTuple

from kibitz.engine.registry import find_game
from kibitz.search.driver import Search
from kibitz.search.info import Info, Outcome
from kibitz.search.limits import Limit
from kibitz.search.table import Table

TABLE_MIB = 64
TIME = 1000


class Case(NamedTuple):
    """A position to search; the text None stands for the start under the options."""

    game: str
    text: str | None
    options: dict[str, str]


KREPOST_MIDDLES = (
    "bb1bb1b3bb/3b1bbbbbb1/b5b1bb1b/1b1bb1bb2b1/3b3b1b1b/1b2b1b1b1b1/6w4w/w4ww1w1w1/wwww1w1www2/w3wwww1ww1/w1ww1w1w1www/1wwwwwwwwwww"
    " w 4/13/48 a1:c3:b3n/j10:l12:k10s - 13",
    "b5b1b1bb/b3bbb1bbb1/b2b3b2bb/bb1b1bb1bb1b/1b2b1bb2b1/3wb3bb2/12/1www1w1w1w2/3w4w1ww/www2ww1ww2/www1wwwww1w1/w1w1w1w3w1"
    " w 16/14/48 a1:c3:b3n/j10:l12:k10s - 26",
    "bbbb1bbbbbb1/bb1bb1bb1bbb/bb1b3b1bbb/bbb4b1b2/wb5b1bb1/1w8b1/2b8b/1wbw2ww2ww/1ww1ww1w1ww1/2www1wwwwww/www2ww1w1w1/wwww1ww1w1w1"
    " w 4/4/48 a1:c3:b3n/j10:l12:k10s - 0",
    "1bbbbb1bb1/bbb2b1bb1/b1bbbbbbbb/1b1b1b3b/1ww5b1/1b5w2/1w3ww1w1/2www1w2w/wwwwww1www/ww2wwwwww"
    " b 0/1/30 a1:c3:b3n/h8:j10:i8s - 1",
    "bbbbbb1bbb/1bb1bb2bb/1b4bbbb/bb2bb4/b2bb1w3/w6w2/1w2ww1ww1/w1ww2www1/wwww1wwwww/ww2w1w2w"
    " w 2/0/30 a1:c3:b3n/h8:j10:i8s - 0",
    "1bb1bbbb2/1b2b1bb1b/b1bbbb1b1b/4bbb3/3wbb4/2w3b3/1w1w3w2/wwww1w1www/w1ww2w1w1/ww1wwww1w1"
    " b 5/6/30 a1:c3:b3n/h8:j10:i8s - 141",
    "b2b1bbb/4bb2/3bb1wb/1bb2ww1/1b1w1ww1/w6w/ww2w1w1/ww1w1w2 b 0/0/16 a1:c2:b2n/f7:h8:g7s - 1",
    "wb2bb1b/b1b1b1b1/6wb/b4w2/wbb4b/6ww/3ww2b/w1wwww2 w 0/0/16 a1:c2:b2n/f7:h8:g7s - 36",
    "3b1bb1/1b2b1b1/1bb1bwbb/bb2w1w1/3bww2/1wwb3b/w1ww1w2/1ww1w3 b 0/0/16 a1:c2:b2n/f7:h8:g7s - 34",
)
CASES = (
    *(Case("krepost", None, {"BoardSize": size}) for size in ("12", "10", "8")),
    *(Case("krepost", text, {}) for text in KREPOST_MIDDLES),
)


def search(case: Case, milliseconds: int) -> tuple[Info, Outcome, int]:
    """Search a case; give the last report with a value, the outcome and the number of moves."""
    game = find_game(case.game)
    settings = game.settings(case.options)
    position = game.parse(case.text or game.start_text(settings), settings)
    infos: list[Info] = []
    limit = Limit(movetime=milliseconds)
    outcome = Search(position, Table(TABLE_MIB), limit, report=infos.extend).run()
    exact = [info for info in infos if not info.bound]
    return exact[-1], outcome, len(position.legal_moves())


def main() -> None:
    """Search every case and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("milliseconds", nargs="?", type=int, default=TIME)
    parser.add_argument("games", nargs="*")
    given = parser.parse_args()
    sys.stdout.write("game     moves  depth  seldepth   value    kN/s  position\n")
    for case in CASES:
        if given.games and case.game not in given.games:
            continue
        info, outcome, moves = search(case, given.milliseconds)
        value = f"mate {info.score.mate}" if info.score.mate is not None else str(info.score.cp)
        name = case.text or " ".join(["start", *case.options.values()])
        sys.stdout.write(
            f"{case.game:8} {moves:5} {info.depth:6} {info.seldepth:9} {value:>7} "
            f"{outcome.nps // 1000:7}  {name}\n"
        )


if __name__ == "__main__":
    main()
