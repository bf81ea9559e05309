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
from tests.scripts.match.engine_programs import ENGINES
from tests.scripts.match.matches import HANGS_AFTER, command, processes_of

PLAYERS = ("one", "two", "three")
ROUNDS = 10
GAMES_IN_ALL = len(PLAYERS) * (len(PLAYERS) - 1) * ROUNDS
KILLS = 10
LONGEST_START = 0.3
LONGEST_REST = 0.02
"""The seconds from a start, or from the first game that counts since then, to a kill, at most."""


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

    def run(self, words: list[str]) -> int:
        """Run a match to its end; gives its exit status."""
        self.begin(words)
        return self.end()

    def begin(self, words: list[str]) -> int:
        """Begin a match; gives the number of its process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        return int(self._line())

    def end(self) -> int:
        """Wait for the end of a match; gives its exit status."""
        return int(self._line())

    def wait_for_more(self, folder: Path) -> None:
        """Wait until a match has written to its journal."""
        before = size_of(folder)
        deadline = time.monotonic() + HANGS_AFTER
        while size_of(folder) <= before:
            assert time.monotonic() < deadline
            assert not self.says_something(0.001), "the match has ended"

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
    words += ["-maxmoves", "4"]
    for seed, name in enumerate(PLAYERS):
        # Without what Python loads for others: it is started a thousand times.
        cmd = f"{sys.executable} -S -E {ENGINES / 'stones.py'} --strength 0 --seed {seed}"
        words += ["-engine", f"cmd={cmd}", f"name={name}", "depth=1", f"timeout={HANGS_AFTER}"]
    return [*words, "-out", str(folder)]


def size_of(folder: Path) -> int:
    """The bytes of the journal, 0 when there is none."""
    journal = folder / JOURNAL
    return journal.stat().st_size if journal.exists() else 0


def counted(folder: Path) -> tuple[GameRecord, ...]:
    """The games that count; none when the match was killed before it began."""
    return read_journal(folder)[1] if (folder / JOURNAL).exists() else ()


@pytest.mark.parametrize("seed", range(10))
def test_killed_at_random_moments(seed: int, tmp_path: Path, forking: Forking) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "results"
    known: tuple[GameRecord, ...] = ()
    for _ in range(KILLS):
        match = forking.begin(arguments(folder))
        if chance.random() < 0.7:
            # A moment at which games are played and written; else it may be as it starts.
            forking.wait_for_more(folder)
            forking.says_something(chance.uniform(0, LONGEST_REST))
        else:
            forking.says_something(chance.uniform(0, LONGEST_START))
        os.kill(match, signal.SIGKILL)
        assert forking.end() == -signal.SIGKILL
        found = counted(folder)
        assert found[: len(known)] == known
        known = found
    assert known
    assert len(known) < GAMES_IN_ALL
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
