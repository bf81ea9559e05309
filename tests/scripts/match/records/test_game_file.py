import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.scripts.match.records.game_file import (
    GameFileError,
    read_game,
    read_games,
    write_game,
    write_games,
)
from kibitz.scripts.match.records.records import GameRecord, MoveRecord, Outcome, Result, Side
from kibitz.search.info import Score
from tests.scripts.match.plain import plain_record
from tests.scripts.match.strategies import records, texts

PAGE = (Path(__file__).parents[4] / "docs" / "records.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```game\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@given(records())
def test_written_and_read(record: GameRecord) -> None:
    text = write_game(record)
    assert all(line.isprintable() for line in text.split("\n"))
    assert read_game(text) == record


@given(st.lists(records(), max_size=3))
def test_games_one_after_another(games: list[GameRecord]) -> None:
    assert read_games(write_games(games)) == games


@given(st.integers(0, 2**40), st.integers(0, 2**40), texts)
def test_any_damage_is_an_error_or_a_record(where: int, length: int, put: str) -> None:
    text = write_game(plain_record(1))
    start = where % len(text)
    text = text[:start] + put + text[start + length % 5 :]
    games = None
    try:
        games = read_games(text)
    except GameFileError as raised:
        error = raised
    if games is None:
        assert 1 <= error.line <= text.count("\n") + 1
        assert str(error) == f"line {error.line}: {error.reason}"
    else:
        assert read_games(write_games(games)) == games


def test_a_game_that_ends_early_is_an_error() -> None:
    text = write_game(plain_record(1))
    for end in range(1, len(text)):
        with pytest.raises(GameFileError):
            read_games(text[:end])


def test_the_example_of_the_page() -> None:
    assert len(EXAMPLES) == 1
    record = read_game(EXAMPLES[0])
    assert write_game(record) == EXAMPLES[0]
    assert record.game == "krepost"
    assert record.outcome is Outcome.TIME
    assert record.guilty is Side.BLACK
    assert record.result is Result.WHITE_WINS
    assert record.opening_moves == ("@f2", "@g7")
    assert record.moves[2].score == Score(cp=12)
    assert record.moves[-1].score == Score(mate=-4)


def test_the_page_names_every_tag_and_outcome() -> None:
    record = read_game(EXAMPLES[0])
    record = msgspec.structs.replace(record, deal=5)
    for name in re.findall(r"^\[(\w+) ", write_game(record), re.MULTILINE):
        assert f"`{name}`" in PAGE
    for outcome in Outcome:
        assert f"`{outcome}`" in PAGE


def moves_of(*moves: tuple[Side, str]) -> str:
    record = msgspec.structs.replace(
        plain_record(1), moves=tuple(MoveRecord(side, token) for side, token in moves)
    )
    text = write_game(record)
    assert read_game(text) == record
    return text.split("\n\n")[1].rpartition("\n{")[0]


def test_rows_of_moves() -> None:
    white, black = Side.WHITE, Side.BLACK
    assert moves_of() == ""
    assert moves_of((white, "a"), (black, "b"), (white, "c")) == "1. a b\n2. c"
    assert moves_of((black, "a"), (white, "b"), (black, "c")) == "1... a\n2. b c"
    assert moves_of((white, "a"), (white, "b"), (black, "c")) == "1. a\n2. b c"
    assert moves_of((white, "a"), (black, "b"), (black, "c")) == "1. a b\n2... c"
    assert moves_of((white, "2..."), (black, "{")) == r'1. "2..." "\{"'


def test_comments() -> None:
    moves = (
        MoveRecord(Side.WHITE, "a", Score(cp=-5), 8, 19652, 24),
        MoveRecord(Side.BLACK, "b", Score(mate=3), time=0),
        MoveRecord(Side.WHITE, "c", nodes=7, book=True),
        MoveRecord(Side.BLACK, "d", Score(cp=0), book=False),
    )
    text = write_game(msgspec.structs.replace(plain_record(1), moves=moves))
    assert "1. a {-0.05/8 19652 24ms} b {#3/- - 0ms}\n" in text
    assert "2. c {book -/- 7 -} d {+0.00/- - -}\n" in text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[Event "test"]', "Event test", r"line 1: 'Event test' is neither a tag"),
        ('[Event "test"]', '[Evnt "test"]', "line 1: there is no tag Evnt"),
        ('[Event "test"]', '[Event "test" "x"]', "line 1: .* one value, not two"),
        ('[Event "test"]', r'[Event "\x"]', r"line 1: '\\x' is not an escape"),
        ('[Event "test"]', r'[Event "\u(d800)"]', "line 1: .* is not an escape"),
        ('[Event "test"]', '[Option "x"]', "line 1: an option has a name and a value"),
        ('[Game "jarmo"]', '[Event "test"]', "line 2: the tag Event is there twice"),
        ('[Game "jarmo"]\n', "", "the tag Game is missing"),
        ('[Number "1"]', '[Number "x"]', "line 3: Number: 'x' is not a whole number"),
        ('[Number "1"]', '[Number "0"]', "line 1: number: 0 is not from 1"),
        ('[Started "2030-', '[Started "30-', "line 15: Started: .* is not a time"),
        ('[Started "2030-', '[Started "0000-', "line 15: Started: year 0 is out of range"),
        ('[Result "1/2-1/2"]', '[Result "2-0"]', "line 17: Result: '2-0'"),
        ('[Outcome "rules"]', '[Outcome "luck"]', "line 18: Outcome: 'luck'"),
        ('[Outcome "rules"]', '[Outcome "time"]', "line 1: guilty: "),
        ('[Outcome "rules"]', '[Outcome "rules"]\n[WhitePoints "1"]', "points of one side"),
        ("1. ", "2. ", "line 21: the moves have the number 2 instead of 1"),
        ("1. ", "1... ", "line 21: only one move"),
        ("1. ", "1 ", "line 21: .* is neither moves such as"),
        ("{+0.00/5 ", "{0.00/5 ", "line 21: .* is not a comment"),
        ("{+0.00/5 ", "{+0.00/" + "9" * 30 + " ", "line 21: .* is not a whole number"),
        ("} 1/2-1/2\n", "} 1-0\n", "line 22: the result is not that of the tag Result"),
        ("} 1/2-1/2\n", "}\n", "line 22: .* is not {REASON} and the result"),
        ("{game 1", "{game 2", "line 22: the reason is not that of the tag"),
        ("} 1/2-1/2\n", "} 1/2-1/2", "line 22: the result is not followed by"),
        ("} 1/2-1/2\n", "} 1/2-1/2\n[", "line 22: the result is not followed by"),
    ],
)
def test_errors_name_line_and_reason(old: str, new: str, said: str) -> None:
    text = write_game(plain_record(1))
    assert text.count(old) == 1
    with pytest.raises(GameFileError, match=said):
        read_game(text.replace(old, new))


def test_one_game_is_one_game() -> None:
    with pytest.raises(GameFileError, match="0 games"):
        read_game("\n\n")
    with pytest.raises(GameFileError, match="2 games"):
        read_game(write_games([plain_record(1), plain_record(2)]))
    assert read_games("") == []
