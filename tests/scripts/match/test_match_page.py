"""What docs/match.md shows is what is read, and nothing is left out of it."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kibitz.scripts.match.settings.argument_table import ALIASES, ENGINE_WORDS, NAMES
from kibitz.scripts.match.settings.faults import Faults
from kibitz.scripts.match.settings.match_arguments import read_match_arguments
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    CountSettings,
    DrawSettings,
    EngineSettings,
    MatchSettings,
    OpeningSettings,
    ResignSettings,
    SprtSettings,
)
from kibitz.scripts.match.settings.settings_file import parse_toml, read_settings_file
from kibitz.scripts.match.settings.time_control import read_duration, read_time_control
from kibitz.scripts.match_command import read_plan
from tests.scripts.match.settings.test_settings_file import PATHS

PAGE = (Path(__file__).parents[3] / "docs" / "match.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
WHOLE = re.sub(r"^# (?=\[|\w+ = )", "", EXAMPLE, flags=re.MULTILINE)
LINES = re.findall(
    r"^kibitz match (-game.*?)\n(?:kibitz|```)", PAGE.replace("\\\n", " "), re.MULTILINE
)


def test_the_example_has_the_defaults() -> None:
    settings = read_settings_file(EXAMPLE)
    first, second = settings.engines
    assert settings == MatchSettings(game="jarmo", engines=(first, second))
    assert first == EngineSettings(name="new", cmd="./new --fast", tc="10+0.1")
    assert second == EngineSettings(name="host.example:4880", url=second.url, st="500ms")


def test_what_is_commented_out_is_right_too_and_has_the_defaults() -> None:
    without_st = re.sub(r"^st = \"10ms\".*\n", "", WHOLE, flags=re.MULTILINE)
    settings = read_settings_file(without_st)
    assert settings.sprt == SprtSettings(elo0=0, elo1=5)
    assert settings.adjudication == AdjudicationSettings(
        resign=ResignSettings(), draw=DrawSettings(), count=CountSettings(), maxmoves=200
    )
    assert settings.openings == OpeningSettings(file="book.txt")


@pytest.mark.parametrize("path", PATHS)
def test_every_key_is_in_the_example(path: str) -> None:
    faults = Faults()
    table = parse_toml(WHOLE, faults)
    assert not faults
    assert path in set(paths_of(table)) or path.startswith("each.")


def paths_of(table: dict[str, object], prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        yield f"{prefix}{key}"
        if key == "engines":
            assert isinstance(value, list)
            for engine in value:
                yield from paths_of(engine, "engines[2].")
        elif isinstance(value, dict):
            yield from paths_of(value, f"{prefix}{key}.")


def test_every_argument_and_key_is_in_the_tables() -> None:
    (table,) = re.findall(r"\| argument \| setting \|\n\| --- \| --- \|\n((?:\|.*\n)+)", PAGE)
    shown = {
        name
        for row in table.splitlines()
        for name in re.findall(r"`-{1,2}(\w+)", row.partition(" | ")[0])
    }
    assert shown == {*NAMES, "seed", "ratinginterval"}
    assert shown - set(NAMES) <= set(ALIASES)
    fields = {field.name for field in msgspec.structs.fields(EngineSettings)}
    for word in ENGINE_WORDS:
        assert word in fields or f"`{word}=" in PAGE


@pytest.mark.parametrize("line", LINES)
def test_the_lines_of_the_quick_start_are_read(line: str) -> None:
    settings = read_match_arguments(shlex.split(line))
    assert settings.game == "jarmo"
    assert len(settings.engines) == 2


def test_there_are_lines_of_a_quick_start() -> None:
    assert len(LINES) == 2


def test_clocks() -> None:
    (table,) = re.findall(r"\| text \| meaning \|\n\| --- \| --- \|\n((?:\|.*\n)+)", PAGE)
    count = 0
    for row in table.splitlines():
        texts, _, meaning = row.strip("| ").partition(" | ")
        for text in re.findall("`(.*?)`", texts):
            count += 1
            (read_duration if "`st`" in meaning else read_time_control)(text)
    assert count == 11


def test_the_error_that_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((line, shown),) = re.findall(r"^\$ kibitz match (.*)\nkibitz: (.*)\n", PAGE, re.MULTILINE)
    text = (
        'game = "jarmo"\nrounds = 0\n[[engines]]\ncmd = "sh"\nst = 1\n'
        '[[engines]]\ncmd = "sh"\nst = 1\ndepht = 3\n'
    )
    (tmp_path / "match.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="rounds") as caught:
        read_plan(shlex.split(line))
    assert str(caught.value) == shown
