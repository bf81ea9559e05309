"""The scripted dialogues, each against the real program; those of `every_game` for each."""

import re
from pathlib import Path

import pytest

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.table import BY_NAME, QUERIES
from tests.protocol.dialogue import FOLDER, hold

ROOT = Path(__file__).parent.parent.parent
PAGES = (ROOT / "docs" / "protocol.md", ROOT / "README.md")
SINGLE = sorted(FOLDER.glob("*.txt"))
EVERY_GAME = sorted(FOLDER.glob("every_game/*.txt"))

# The code that only servers say, and the one that only bugs cause.
NEVER_ON_STDIO = {ErrorCode.DENIED, ErrorCode.INTERNAL}
# There is always memory for a search of a test; test_session.py takes it away.
NOT_IN_DIALOGUES = {ErrorCode.OVER_LIMIT}


def read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def sent_lines() -> list[str]:
    lines = [line for path in [*SINGLE, *EVERY_GAME] for line in read(path)]
    return [line[2:] for line in lines if line.startswith("> ")]


@pytest.mark.parametrize("path", SINGLE, ids=lambda path: path.stem)
def test_dialogue(path: Path) -> None:
    hold(read(path), {})


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize("path", EVERY_GAME, ids=lambda path: path.stem)
def test_dialogue_of_every_game(path: Path, name: str) -> None:
    hold(read(path), {"game": name})


def test_every_command_is_in_a_dialogue() -> None:
    said = {words[0] for line in sent_lines() if (words := line.split())}
    assert set(BY_NAME) <= said


def test_every_query_is_in_a_dialogue() -> None:
    asked = {line.split()[1] for line in sent_lines() if line.startswith("query ")}
    assert {query.split()[0] for query in QUERIES} <= asked


def test_every_error_code_is_in_a_dialogue() -> None:
    text = "\n".join(line for path in [*SINGLE, *EVERY_GAME] for line in read(path))
    said = {code for code in ErrorCode if f"info string error {code}: " in text}
    assert said == set(ErrorCode) - NEVER_ON_STDIO - NOT_IN_DIALOGUES


def loosened(line: str) -> list[str]:
    """What a test can expect of a line of the page: nothing that depends on speed or taste."""
    if not line.startswith("<"):
        return [line]
    if line.startswith("< info depth") or re.search(r" [+-]\d+\.\d\d$", line):
        # The rows of an evaluation end in a difference.
        return ["<.. for the side to move, ..."] if line.startswith("< for") else []
    if line.startswith("< bestmove") and line != "< bestmove (none)":
        line = "< bestmove $move ponder $answer" if "ponder" in line else "< bestmove $move"
    line = re.sub(r"^< (|@\S+ )(Nodes/second: |key |id name kibitz ).*", r"< \1\2...", line)
    line = "<.. " + line[2:] if re.match("<  +White +Black", line) else line
    return ["<* info depth ...", line]


def examples(page: Path) -> list[list[str]]:
    blocks = page.read_text(encoding="utf-8").split("```")[1::2]
    found = [block.strip("\n").splitlines() for block in blocks if block.startswith("\n> ")]
    return [[loose for line in block for loose in loosened(line)] for block in found]


@pytest.mark.parametrize(
    "lines", [lines for page in PAGES for lines in examples(page)], ids=lambda lines: lines[0]
)
def test_examples_of_the_pages(lines: list[str]) -> None:
    hold(lines, {})


def test_the_pages_have_examples() -> None:
    protocol, readme = PAGES
    assert len(examples(protocol)) >= 4
    assert len(examples(readme)) >= 1
