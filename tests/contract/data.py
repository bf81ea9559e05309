"""The files that a game brings: vectors, perft numbers, its rule page."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from kibitz.engine.game import Game

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
PERFT = ROOT / "tests" / "perft"
RULES = ROOT / "docs" / "rules"

Options = dict[str, str]


class KnownPosition(msgspec.Struct, forbid_unknown_fields=True):
    """A position and what is true of it; `perft` has the counts of depths 1, 2, 3 ..."""

    position: str
    result: str
    points: tuple[float, float]
    moves: list[str]
    perft: list[int]


class KnownGame(msgspec.Struct, forbid_unknown_fields=True):
    """A whole game and the text after each of its moves."""

    options: Options
    start: str
    moves: list[str]
    positions: list[str]
    result: str
    points: tuple[float, float]


class KnownEnding(msgspec.Struct, forbid_unknown_fields=True):
    """A move that ends a game."""

    position: str
    move: str
    after: str
    result: str
    points: tuple[float, float]


class KnownCorner(msgspec.Struct, forbid_unknown_fields=True):
    """Moves into a corner of the rules, such as a limit or a repetition."""

    position: str
    moves: list[str]
    after: str
    result: str
    points: tuple[float, float]


class Vectors(msgspec.Struct, forbid_unknown_fields=True):
    """All that `tests/data/GAME.json` holds."""

    game: str
    positions: list[KnownPosition]
    games: list[KnownGame]
    endings: list[KnownEnding]
    corners: list[KnownCorner]


class PerftLine(NamedTuple):
    """A line of a perft file; `counts` are those of depths 1, 2, 3 ..."""

    options: Options
    text: str
    counts: tuple[int, ...]


@cache
def vectors_of(name: str) -> Vectors:
    """Read the vectors of a game; fails when there are none."""
    return msgspec.json.decode((DATA / f"{name}.json").read_bytes(), type=Vectors)


@cache
def perft_lines_of(name: str) -> tuple[PerftLine, ...]:
    """Read `tests/perft/GAME.txt`.

    A line is a position text, a bar, and counts. `#` begins a comment. A line
    `options NAME=VALUE, NAME=VALUE` holds for the lines below it, up to the next one.
    """
    options: Options = {}
    found = []
    for line in (PERFT / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].strip()
        if words.startswith("options"):
            parts = [part.strip() for part in words.removeprefix("options").split(",")]
            options = dict(part.split("=", 1) for part in parts if part)
        elif words:
            text, bar, counts = words.partition("|")
            assert bar, f"{name}.txt: no | in {line!r}"
            found.append(PerftLine(options, text.strip(), tuple(map(int, counts.split()))))
    return tuple(found)


@cache
def known_options(name: str) -> tuple[Options, ...]:
    """Give all sets of options that the files of a game use, the defaults first."""
    found: list[Options] = [{}]
    for options in (
        *(line.options for line in perft_lines_of(name)),
        *(known.options for known in vectors_of(name).games),
    ):
        if options not in found:
            found.append(options)
    return tuple(found)


@cache
def known_texts(name: str) -> tuple[str, ...]:
    """Give the position texts of a game that hold under default options."""
    vectors = vectors_of(name)
    texts = [known.position for known in vectors.positions]
    texts += [known.after for known in vectors.endings]
    texts += [known.position for known in vectors.corners]
    texts += [line.text for line in perft_lines_of(name) if not line.options]
    return tuple(dict.fromkeys(texts))


def rule_page_of(game: Game) -> Path:
    """Find the page whose heading names the game; fails when there is none."""
    for page in sorted(RULES.glob("*.md")):
        heading = page.read_text(encoding="utf-8").partition("\n")[0]
        if heading.startswith("# ") and re.search(rf"\b{game.title}\b", heading):
            return page
    raise AssertionError(f"no page in docs/rules has {game.title} in its heading")


def documented_fields(game: Game) -> frozenset[str]:
    """Give the names of the fields of a position text, as the rule page gives them."""
    page = rule_page_of(game).read_text(encoding="utf-8")
    template = re.search(r"^`(<\w+>(?: <\w+>)+)`", page, re.MULTILINE)
    assert template, f"{rule_page_of(game)} shows no position text as `<field> <field> ...`"
    return frozenset(re.findall(r"\w+", template[1]))
