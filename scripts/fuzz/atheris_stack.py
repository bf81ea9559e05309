"""Looks for bytes that make the stack of a connection fail, guided by what code they reach.

Run `.venv/bin/python scripts/fuzz/atheris_stack.py SECONDS`; it needs the extra `fuzz`.

Begins with the lines of tests/dialogues and the examples of docs/protocol.md, and prints
how many inputs were tried. What made it fail is written into the current folder.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import atheris

from kibitz.scripts.fuzz.conversations import conversations

HEADS = (
    b"\0\0\0\0",
    b"\x02\x15\x03\x01",
    b"\x09\x00\x01\x02",
    b"\x06\xff\x00\x03",
    b"\x10\x55\x00\x02",
)
MOST_INPUT = 4096
MOST_SECONDS = 20
TRIED = re.compile(r"stat::number_of_executed_units: *(\d+)")


def write_corpus(folder: Path) -> None:
    """Write the inputs to begin with: whole conversations and single lines."""
    inputs = conversations()
    inputs += sorted({line for said in inputs for line in said.splitlines(keepends=True)})
    for number, said in enumerate(inputs):
        (folder / f"{number:04}").write_bytes(HEADS[number % len(HEADS)] + said)


def fuzz(arguments: list[str]) -> None:
    """Try inputs; does not return."""
    with atheris.instrument_imports(include=["kibitz.protocol", "kibitz.engine"]):
        from kibitz.scripts.fuzz.stack import run
    atheris.Setup([sys.argv[0], *arguments], run)
    atheris.Fuzz()


def main() -> int:
    """Have another process try inputs, which ends where atheris wants, and count them."""
    if sys.argv[1:2] == ["--try"]:
        fuzz(sys.argv[2:])
    parser = argparse.ArgumentParser(description="Fuzz the stack of a connection.")
    parser.add_argument("seconds", type=int)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder))
        command = [
            sys.executable, __file__, "--try", folder, f"-max_total_time={seconds}",
            f"-max_len={MOST_INPUT}", f"-timeout={MOST_SECONDS}", "-print_final_stats=1",
        ]  # fmt: skip
        done = subprocess.run(  # noqa: S603 - it is this program
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    found = TRIED.search(done.stdout)
    if done.returncode or found is None:
        sys.stdout.write(done.stdout)
    tried = "unknown" if found is None else found[1]
    sys.stdout.write(f"inputs tried: {tried}\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
