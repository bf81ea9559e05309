"""Measures what a match costs beside the engines' own thinking.

Run `python scripts/bench/match.py [ROUNDS] [--game NAME] [--time MS] [--concurrency N]`. It plays
kibitz against itself, a journal included, and prints, for a move, the time that is not
the engines' thinking: setting the position up, asking, judging, recording. A game's whole time
less all its engines' time from `go` to `bestmove` is divided by its moves; the first game of
each worker, in which engines start, is left out. Best on a quiet machine.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import anyio

from kibitz.engine.registry import GAME_NAMES
from kibitz.scripts.match.events import Event, GameEnded
from kibitz.scripts.match.play.runner import run_match
from kibitz.scripts.match.records.journal import Journal
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    EngineSettings,
    MatchSettings,
    RunSettings,
)

LONGEST = 100
"""Moves of each side, after which a game is a draw."""


def overhead(record: GameRecord) -> float:
    """Give the milliseconds of a move that are nobody's thinking."""
    whole = (record.ended - record.started).total_seconds() * 1000
    return (whole - sum(move.time or 0 for move in record.moves)) / len(record.moves)


def play(settings: MatchSettings) -> list[GameRecord]:
    """Play a match, and give its games in the order in which they ended."""
    records = []

    def watch(event: Event) -> None:
        if isinstance(event, GameEnded):
            records.append(event.record)

    with (
        tempfile.TemporaryDirectory() as folder,
        Journal.create(Path(folder) / "match", settings, settings.seed) as journal,
    ):
        anyio.run(run_match, settings, journal, watch)
    return records


def main() -> None:
    """Play and measure."""
    parser = argparse.ArgumentParser(description="what a match costs beside thinking")
    parser.add_argument("rounds", nargs="?", type=int, default=10, help="pairs of games")
    parser.add_argument("--game", choices=GAME_NAMES, default="jarmo")
    parser.add_argument("--time", type=int, default=10, help="milliseconds of a move")
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    cmd = f"{sys.executable} -m kibitz.scripts.main"
    settings = MatchSettings(
        game=given.game,
        rounds=given.rounds,
        engines=tuple(
            EngineSettings(name=name, cmd=cmd, st=f"{given.time}ms", margin=1000)
            for name in ("one", "other")
        ),
        adjudication=AdjudicationSettings(maxmoves=LONGEST),
        run=RunSettings(concurrency=given.concurrency, recover=True),
    )
    records = play(settings)
    costs = [overhead(record) for record in records[given.concurrency :]]
    moves = sum(len(record.moves) for record in records)
    late = [move.time - given.time for r in records for move in r.moves if move.time is not None]
    sys.stdout.write(
        f"{given.game}: {len(records)} games, {moves} moves at {given.time} ms, "
        f"{given.concurrency} at once\n"
        f"beside thinking, of a move: median {statistics.median(costs):.2f} ms, "
        f"mean {statistics.mean(costs):.2f}, worst game {max(costs):.2f}\n"
        f"answers after the time of a move: 99 % within {sorted(late)[len(late) * 99 // 100]} ms, "
        f"worst {max(late)} ms\n"
    )


if __name__ == "__main__":
    main()
