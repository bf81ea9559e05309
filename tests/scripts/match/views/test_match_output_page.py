"""The examples in docs/match-output.md are what the views print."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from kibitz.scripts.match.statistics.standings import Standings
from kibitz.scripts.match.views.json_lines import AnyLine
from kibitz.scripts.match.views.standings_text import final_lines
from tests.scripts.match.views import test_json_lines as json_lines
from tests.scripts.match.views import test_plain as plain_lines
from tests.scripts.match.views.event_streams import example
from tests.scripts.match.whole_matches import pair

PAGE = (Path(__file__).parents[4] / "docs" / "match-output.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
LINES = dict(re.findall(r"^### (\w+)\n.*?^```json\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))


def tournament() -> Standings:
    standings = Standings(["160 ms", "40 ms", "random"])
    standings.add_all(pair(1, "160 ms", "40 ms", "WD"))
    standings.add_all(pair(2, "40 ms", "random", "WW"))
    standings.add_all(pair(3, "160 ms", "random", "WD"))
    return standings


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def test_plain_lines() -> None:
    assert TEXTS[0].splitlines() == plain_lines.shown(example())


def test_tables() -> None:
    assert TEXTS[1].splitlines() == final_lines(tournament())


def test_every_kind_of_line_has_an_example() -> None:
    assert list(LINES) == [kind.__struct_config__.tag for kind in get_args(AnyLine)]


@pytest.mark.parametrize("kind", LINES)
def test_json_lines(kind: str) -> None:
    shown = json.loads(LINES[kind])
    printed = [rounded(json.loads(line)) for line in json_lines.shown(example())]
    assert shown in printed
    assert shown["event"] == kind
    msgspec.json.decode(LINES[kind], type=AnyLine)


def test_every_field_is_explained_or_plain() -> None:
    """What the standings have is in their table, but for what says itself."""
    table = PAGE.partition("### standings")[2].partition("```")[0]
    standings = json.loads(LINES["standings"])
    names = {*standings["rows"][0], *standings["report"]}
    clear = {"rank", "name", "rating", "error", "without_result", "score", "elo"}
    assert {name for name in names - clear if not re.search(rf"\b{name}\b", table)} == set()
