import contextlib
from pathlib import Path

import pytest

from kibitz.protocol import commands, reference
from kibitz.protocol.faults import MEANINGS, ErrorCode, Refusal, describe_bug
from kibitz.protocol.replies import Progress
from kibitz.protocol.table import BY_NAME, QUERIES, TABLE, Entry, help_lines

ROOT = Path(__file__).parent.parent.parent


def test_names_are_unique() -> None:
    names = [name for entry in TABLE for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names)) == len(BY_NAME)


def test_every_command_is_in_the_table() -> None:
    made = {command for entry in TABLE for command in entry.makes}
    assert made == set(commands.Command.__subclasses__())


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_commands_are_read_as_the_table_says(entry: Entry) -> None:
    for rest in ("", "1", "name Hash value 1", "startpos", "x"):
        with contextlib.suppress(Refusal):
            assert type(entry.read(rest)) in entry.makes


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_help_of_each_command(entry: Entry) -> None:
    lines = help_lines(entry.name)
    assert lines[0] == entry.syntax
    assert all(len(line) <= 80 and "`" not in line for line in lines)
    assert f"{entry.name} " in "\n".join(help_lines(None))


def test_help_of_nothing() -> None:
    with pytest.raises(Refusal):
        help_lines("nothing")


def test_the_page_is_up_to_date() -> None:
    """If this fails: `python -m kibitz.protocol.reference`, in the root folder."""
    page = (ROOT / reference.PAGE).read_text(encoding="utf-8")
    assert reference.update(page) == page


def test_the_page_says_everything() -> None:
    page = (ROOT / reference.PAGE).read_text(encoding="utf-8")
    for entry in TABLE:
        assert f"### `{entry.syntax}`" in page
    for word in [*QUERIES, *ErrorCode, "lowerbound", "upperbound"]:
        assert f"`{word}`" in page
    for field in set(Progress.__struct_fields__) - {"bound", "last"}:
        assert f"| `{field}" in page


def test_a_page_without_a_place_for_a_part() -> None:
    with pytest.raises(ValueError, match="no place for the commands"):
        reference.update("# The protocol\n")


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(ErrorCode)


def test_a_bug_is_described_in_one_line() -> None:
    with pytest.raises(KeyError) as caught:
        dict[str, int]()["x"]
    assert describe_bug(caught.value).startswith("KeyError: 'x' (test_table.py:")
    assert describe_bug(KeyError("x")) == "KeyError: 'x'"
