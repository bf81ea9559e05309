"""A match that is killed again and again: no game that counted is lost, and none counts twice.

It is killed at random moments of its life, a hundred times altogether: while it starts, plays,
writes, and while it mends what it was killed at. After each kill the folder is read, and at
the end the games are just those of the schedule.
"""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kibitz.scripts.match.planning.schedule import ScheduleSettings, make_schedule
from kibitz.scripts.match.records.game_file import read_games
from kibitz.scripts.match.records.journal import GAMES, JOURNAL, read_journal
from kibitz.scripts.match.records.records import GameRecord
from tests.scripts.match.matches import HANGS_AFTER, command, processes_of

PLAYERS = ("one", "two", "three")
ROUNDS = 3
KILLS = 10
LONGEST_LIFE = 0.5
"""The seconds from a start to a kill, at most."""


class Forking:
    """A program that runs matches, which can be killed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "forking.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def run(self, words: list[str], seconds: float | None = None) -> int:
        """Run a match to its end, or kill it after so many seconds; gives its exit status."""
        match = self.begin(words)
        if seconds is not None and not self.says_something(seconds):
            os.kill(match, signal.SIGKILL)
        return self.end()

    def begin(self, words: list[str]) -> int:
        """Begin a match; gives the number of its process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        return int(self._line())

    def end(self) -> int:
        """Wait for the end of a match; gives its exit status."""
        return int(self._line())

    def _line(self) -> bytes:
        assert self.says_something(HANGS_AFTER)
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def says_something(self, seconds: float) -> bool:
        """Wait so long for a line."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def close(self) -> None:
        """End it; nobody ever saw a traceback."""
        _, said = self._process.communicate(timeout=HANGS_AFTER)
        assert said == b""


@pytest.fixture
def forking() -> Iterator[Forking]:
    with closing(Forking()) as program:
        yield program


def arguments(folder: Path) -> list[str]:
    """Begin the match, or go on with it."""
    if (folder / JOURNAL).exists():
        return ["-resume", str(folder), "--json"]
    words = ["-game", "other:stones", "-rounds", str(ROUNDS), "-concurrency", "2", "--json"]
    for seed, name in enumerate(PLAYERS):
        cmd = command("stones", "--strength", "0", "--seed", str(seed))
        words += ["-engine", f"cmd={cmd}", f"name={name}", "depth=1", f"timeout={HANGS_AFTER}"]
    return [*words, "-out", str(folder)]


def counted(folder: Path) -> tuple[GameRecord, ...]:
    """The games that count; none when the match was killed before it began."""
    return read_journal(folder)[1] if (folder / JOURNAL).exists() else ()


@pytest.mark.parametrize("seed", range(10))
def test_killed_at_random_moments(seed: int, tmp_path: Path, forking: Forking) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "results"
    known: tuple[GameRecord, ...] = ()
    for _ in range(KILLS):
        status = forking.run(arguments(folder), chance.uniform(0, LONGEST_LIFE))
        assert status in (0, -signal.SIGKILL)
        found = counted(folder)
        assert found[: len(known)] == known
        known = found
    assert forking.run(arguments(folder)) == 0
    records = counted(folder)
    assert records[: len(known)] == known
    assert tuple(read_games((folder / GAMES).read_text(encoding="utf-8"))) == records
    schedule = make_schedule(ScheduleSettings(players=PLAYERS, rounds=ROUNDS))
    expected = [game for pair in schedule.to_play({}) for game in pair.games]
    games = sorted(records, key=lambda record: record.number)
    assert [(g.number, g.pair, g.leg, g.round, g.white, g.black) for g in expected] == [
        (g.number, g.pair, g.leg, g.round, g.white.name, g.black.name) for g in games
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends processes with their parent")
def test_engines_end_with_a_runner_that_is_killed(tmp_path: Path, forking: Forking) -> None:
    """Also those that heed neither the end of their input nor a signal that can be heeded."""
    words = ["-game", "jarmo", "-rounds", "1000", "--json"]
    for name in ("one", "other"):
        cmd = command("faulty", "--game", "jarmo", "--fault", "never-quits")
        words += ["-engine", f"cmd={cmd}", f"name={name}", "depth=1", f"dir={tmp_path}"]
    started = False
    seconds = 1.0
    while not started:
        match = forking.begin(words)
        forking.says_something(seconds)
        started = bool(processes_of(tmp_path))
        os.kill(match, signal.SIGKILL)
        assert forking.end() == -signal.SIGKILL
        seconds *= 2
        deadline = time.monotonic() + HANGS_AFTER
        while processes_of(tmp_path):
            assert time.monotonic() < deadline
