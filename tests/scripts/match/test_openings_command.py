"""The command `kibitz openings`, with the real program."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from kibitz.engine.game import Game
from kibitz.scripts.match.planning.openings import read_book
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program

PAGE = (Path(__file__).parents[3] / "docs" / "records.md").read_text(encoding="utf-8")
(SHOWN,) = re.findall(r"^```\n\$ kibitz (openings .*?)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, timeout=HANGS_AFTER, check=False
    )


def test_a_book_is_a_book(game: Game) -> None:
    arguments = ["openings", game.name, "--plies", "3", "--count", "4", "--depth", "1"]
    done = run(*arguments, "--balance", "200", "--option", "quietlimit=50")
    assert (done.returncode, done.stderr) == (0, "")
    first, *lines = done.stdout.splitlines()
    assert first == (
        f"# kibitz openings {game.name} --plies 3 --count 4 --balance 200 --depth 1 --seed 1 "
        "--option QuietLimit=50"
    )
    assert all(re.search(r" # [+-][0-2]\.\d\d$", line) for line in lines)
    assert len(read_book(done.stdout, game, {"QuietLimit": "50"})) == 4
    # The first line says how to make the same book again.
    assert run(*first.split()[2:]).stdout == done.stdout


def test_the_example_of_the_page() -> None:
    assert run(*SHOWN[0].split()).stdout == SHOWN[1]


def test_too_few_openings_are_said() -> None:
    done = run("openings", "jarmo", "--plies", "0", "--count", "2", "--nodes", "100")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].startswith("startpos # ")
    assert done.stderr == "kibitz: there are only 1 such openings, as far as was looked\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "GAME"),
        (["chess"], "'chess'"),
        (["jarmo", "--plies", "x"], "'x'"),
        (["jarmo", "--count", "0"], "'0'"),
        (["jarmo", "--depth", "3", "--nodes", "3"], "not allowed with"),
        (["jarmo", "--option", "Hash=1"], "'Hash=1'"),
        (["jarmo", "--option", "QuietLimit=x"], "QuietLimit: 'x'"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], said: str) -> None:
    done = run("openings", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert said in line


def test_interrupted() -> None:
    with Program(("openings", "jarmo", "--depth", "60", "--plies", "2")) as program:
        assert program.process.stdout is not None
        # The search of the first opening goes on when the first line is there.
        assert program.process.stdout.readline().startswith(b"# kibitz openings jarmo")
        wait_until_busy(program.process.pid)
        program.process.send_signal(signal.SIGINT)
        assert program.finish() == 130


def wait_until_busy(pid: int) -> None:
    """Wait until a process has a second thread, the one that works."""
    while True:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            threads = re.search(r"Threads:\s+(\d+)", status.read())
        if threads is not None and int(threads[1]) > 1:
            return
