"""Pieces of position texts: fields, rows, counters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine import text as fields
from kibitz.engine.errors import PositionError

pytestmark = pytest.mark.core

ROWS = st.lists(st.lists(st.sampled_from(["", "w", "b", "S"]), min_size=1, max_size=30), min_size=1)


def test_split_fields() -> None:
    assert fields.split_fields(" a \t b\n", ("one", "two")) == ["a", "b"]
    with pytest.raises(PositionError, match="1 fields instead of 2: <one> <two>") as caught:
        fields.split_fields("a", ("one", "two"))
    assert caught.value.field == "text"
    with pytest.raises(PositionError, match="3 fields instead of 2"):
        fields.split_fields("a b c", ("one", "two"))


def test_split_fields_looks_at_no_more_than_it_must() -> None:
    longest = "x" * fields.MOST_TEXT
    assert fields.split_fields(longest, ("one",)) == [longest]
    with pytest.raises(PositionError, match="characters"):
        fields.split_fields(longest + "x", ("one",))


@given(ROWS)
def test_rows_round_trip(rows: list[list[str]]) -> None:
    text = fields.format_rows(rows)
    widths = [len(row) for row in rows]
    assert fields.read_rows("board", text, widths, "wbS") == rows
    assert text.count("/") == len(rows) - 1


def test_rows_with_long_runs() -> None:
    assert fields.read_rows("board", "10/w10b", [10, 12], "wb") == [
        [""] * 10,
        ["w", *[""] * 10, "b"],
    ]
    assert fields.read_rows("board", "1w", [2], "wb") == [["", "w"]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "w",
        "wwww",
        "0www",
        "03",
        "4",
        "2w1",
        "www/3",
        "-3",
        "x2",
        "1 2",
        "W2",
        "\u0663",
        "999999999",
    ],
)
def test_rows_that_are_wrong(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        fields.read_rows("board", text, [3], "wb")
    assert caught.value.field == "board"
    assert str(caught.value).startswith("board: ")


def test_split_runs_are_read_and_written_as_one() -> None:
    rows = fields.read_rows("board", "1w2", [4], "w")
    assert fields.format_rows(rows) == "1w2"


def test_side() -> None:
    assert [fields.read_side(text) for text in "wbWB"] == [0, 1, 0, 1]
    for text in ("", "x", "white", "wb", "\uff57"):
        with pytest.raises(PositionError) as caught:
            fields.read_side(text)
        assert caught.value.field == "side"


def test_counter() -> None:
    assert fields.read_counter("quiet", "0") == 0
    assert fields.read_counter("quiet", "17") == 17
    assert fields.read_counter("quiet", "1000000000") == fields.MOST_COUNTER
    assert fields.read_counter("rights", "5", most=5) == 5
    assert fields.read_counter("quiet", "007") == 7


@pytest.mark.parametrize(
    "text", ["", "-", "-1", "-0", "+1", "1.0", "1e3", "1_0", " 1", "\u0661", "\u00b2", "9" * 30]
)
def test_counters_that_are_wrong(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        fields.read_counter("quiet", text)
    assert caught.value.field == "quiet"


def test_counters_that_are_too_large() -> None:
    with pytest.raises(PositionError, match="6 is more than 5"):
        fields.read_counter("rights", "6", most=5)
    with pytest.raises(PositionError, match="is more than 1000000000"):
        fields.read_counter("quiet", "1000000001")


def test_pair() -> None:
    assert fields.read_pair("taken", "3/4") == ("3", "4")
    assert fields.read_pair("taken", "/") == ("", "")
    for text in ("", "3", "1/2/3"):
        with pytest.raises(PositionError) as caught:
            fields.read_pair("taken", text)
        assert caught.value.field == "taken"


def test_quiet_within_its_limit() -> None:
    fields.check_quiet(60, 60)
    fields.check_quiet(1_000_000_000, 0)
    with pytest.raises(PositionError, match="61 is more than the quiet limit of 60"):
        fields.check_quiet(61, 60)


@given(st.text(max_size=50))
def test_only_the_documented_error(text: str) -> None:
    for read in (
        lambda: fields.read_rows("f", text, [3, 3], "wb"),
        lambda: fields.read_side(text),
        lambda: fields.read_counter("f", text),
        lambda: fields.read_pair("f", text),
        lambda: fields.split_fields(text, ("a", "b")),
    ):
        try:
            words = repr(read())
        except PositionError as error:
            words = str(error)
        assert words.isprintable()
