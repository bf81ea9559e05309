"""The test engines as programs: their commands, and a way to talk to one in one go."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.protocol.dialogue import HANGS_AFTER

ENGINES = Path(__file__).parent / "engines"
KIBITZ = (sys.executable, "-m", "kibitz.scripts.main")


def stones(*arguments: str) -> tuple[str, ...]:
    """The engine of a game that kibitz does not know."""
    return (sys.executable, str(ENGINES / "stones.py"), *arguments)


def random_mover(*arguments: str) -> tuple[str, ...]:
    """The engine that plays at random."""
    return (sys.executable, str(ENGINES / "random_mover.py"), *arguments)


def faulty(*arguments: str) -> tuple[str, ...]:
    """The engine with faults to order; a first word without dashes is a fault."""
    if arguments and not arguments[0].startswith("--"):
        arguments = ("--fault", *arguments)
    return (sys.executable, str(ENGINES / "faulty.py"), *arguments)


def noting(folder: Path, command: Sequence[str]) -> tuple[str, ...]:
    """Give a command that notes the number of its process in `pids`, and then is the engine."""
    script = 'echo $$ >> "$1"; shift; exec "$@"'
    return ("sh", "-c", script, "sh", str(folder / "pids"), *command)


def answers(command: tuple[str, ...], *lines: str, status: int = 0) -> list[str]:
    """Start an engine, write lines, end its input; gives what it answered."""
    done = subprocess.run(
        command,
        input="".join(line + "\n" for line in lines).encode(),
        capture_output=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout.decode(errors="replace").splitlines()


def words(lines: list[str], word: str) -> list[str]:
    """Give what stands behind a first word, for all lines that have it."""
    return [line.partition(" ")[2] for line in lines if line.partition(" ")[0] == word]
