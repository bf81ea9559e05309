"""Rules, texts and options that only Jarmo and Jasir have."""

import re

import pytest

from kibitz.engine.codes import RESULT_WORDS
from kibitz.engine.errors import MoveError, OptionError, PositionError
from kibitz.engine.game import Game
from kibitz.engine.jarmo import board
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game

JARMO = find_game("jarmo")
JASIR = find_game("jasir")


def place(text: str, game: Game = JARMO, **options: str) -> Position:
    return game.parse(text, game.settings(options))


def play(position: Position, *tokens: str, game: Game = JARMO) -> Position:
    for token in tokens:
        position.push(game.read_token(position, token))
    return position


def tokens(position: Position, game: Game = JARMO) -> set[str]:
    return {game.token(position, move) for move in position.legal_moves()}


def why_not(position: Position, token: str, game: Game = JARMO) -> str:
    move = game.read_token(position, token)
    assert move not in position.legal_moves()
    return game.why_illegal(position, move)


def ending(position: Position) -> tuple[str, str]:
    return RESULT_WORDS[position.status], JARMO.endings[position.ending]


# The board.


def test_house_has_a_way_forward_from_every_hole() -> None:
    house = board.geometry(board.HOUSE, backward=False)
    assert len(house.lines) == 34
    for side, distances in enumerate(house.distances):
        for hole, distance in enumerate(distances):
            rank = hole // 5
            assert distance == (rank if side else 4 - rank)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("House", "house"),
        ("b1b2  A1A2", "a1a2 b1b2"),
        ("a2a1 e5a1", "a1a2 a1e5"),
    ],
)
def test_board_option_has_a_canonical_text(value: str, canonical: str) -> None:
    assert JARMO.settings({"Board": value})["Board"] == canonical


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("", "0 lines"),
        ("a1a2", "1 lines"),
        ("a1a2 houses", "'houses'"),
        ("a1a2 a1f2", "'a1f2'"),
        ("a1a2 b1b", "'b1b'"),
        ("a1a2 c3c3", "c3c3 joins a hole to itself"),
        ("a1a2 b1b2 a2a1", "a2a1 is there twice"),
        (" ".join([board.HOUSE_LINES] * 3), "102 lines"),
    ],
)
def test_board_option_refuses(value: str, fault: str) -> None:
    with pytest.raises(OptionError, match=re.escape(fault)) as raised:
        JARMO.settings({"Board": value})
    assert str(raised.value).startswith("Board: ")


def test_other_lines_are_played_on() -> None:
    lines = "a1b1 a1e5 b1b2"
    position = place(JARMO.start_text({}), Board=lines)
    # a1 is joined to b1, which an own archer holds, and to e5 far away.
    assert tokens(position) == {"a1e5", "b1b2"}
    play(position, "a1e5")
    assert JARMO.text(position) == "bbbbW/5/5/5/1wwww b 0/0 a1e5:1/- 0"
    # Black's archers have no line, and White leads by 6 to 4.
    assert ending(position) == ("p1win", "blocked")


def test_full_board_of_lines_stays_within_the_move_bound() -> None:
    centre = [f"c3{hole}" for hole in board.HOLE_NAMES if hole != "c3"]
    near = [f"b2{hole}" for hole in board.HOLE_NAMES if hole not in ("b2", "c3")]
    position = place("2b2/5/2W2/1W3/4b w 3/0 -/- 0", Board=" ".join(centre + near))
    moves = position.legal_moves()
    assert len(moves) == len(set(moves)) == 222
    assert len(moves) <= position.move_bound


# Directions.


def test_jasir_never_goes_backward() -> None:
    text = "5/4b/5/1w3/5 w 0/0 -/- 0"
    assert tokens(place(text)) == {"b2a1", "b2b1", "b2c1", "b2c2", "b2c3"} - {"b2a1"}
    position = place(text, JASIR)
    assert tokens(position, JASIR) == {"b2c2", "b2c3"}
    assert why_not(position, "b2b1", JASIR) == "an archer never goes backward"


def test_archers_on_the_enemy_first_row_stay_but_can_be_captured() -> None:
    position = place("w3b/1b3/5/4w/5 w 0/0 -/- 0")
    reason = "an archer on the enemy's first row does not move again"
    assert why_not(position, "a5a4") == reason
    # That holds on boards with lines inside the first rows, too.
    inside = place("w3b/1b3/5/4w/5 w 0/0 -/- 0", Board="a5b5 a4a5 e2e3")
    assert tokens(inside) == {"e2e3"}
    black = place("w3b/b4/5/4w/5 b 0/0 -/- 0")
    play(black, "a4a5")
    assert JARMO.text(black) == "B3b/5/5/4w/5 w 0/0 -/a4a5:1 0"


# Rights and returns.


def test_marked_arrival_gains_a_right_that_can_be_used_at_once() -> None:
    text = "4b/3W1/5/1b3/2w1w w 0/0 -/- 7"
    position = place(text)
    assert {f"d4e5{back}" for back in ("", "+a1", "+b1", "+d1")} <= tokens(position)
    assert "d4e5+c1" not in tokens(position)
    assert why_not(position, "d4e5+c1") == "c1 is not empty after the move"
    assert why_not(position, "d4e5+a2").startswith("a2 is not on the own first row")
    assert why_not(position, "c1d2+c1") == "no line joins c1 and d2"
    assert why_not(position, "c1b2+a1") == "there is no right to a return"
    play(position, "d4e5+a1")
    assert JARMO.text(position) == "4W/5/5/1b3/w1w1w b 0/0 d4e5:1/- 0"


def test_a_side_may_wait_with_its_right() -> None:
    position = play(place("3b1/3W1/5/1b3/2w1w w 0/0 -/- 7"), "d4e5")
    assert JARMO.text(position) == "3bW/5/5/1b3/2w1w b 1/0 d4e5:1/- 0"
    play(position, "b2b1", "c1b2+c1")
    # The hole that the archer has just left is empty.
    assert JARMO.text(position) == "3bW/5/5/1w3/1bw1w b 0/0 c1b2:1/b2b1:1 0"


def test_capture_marks_and_its_arrival_counts() -> None:
    position = play(place("4b/3w1/5/1b3/2w1w w 0/0 -/- 7"), "d4e5")
    assert JARMO.text(position) == "4W/5/5/1b3/2w1w b 1/0 d4e5:1/- 0"


def test_unmarked_arrival_gains_nothing() -> None:
    position = play(place("3b1/3w1/5/1b3/2w1w w 0/0 -/- 7"), "d4e5")
    assert JARMO.text(position) == "3bw/5/5/1b3/2w1w b 0/0 d4e5:1/- 0"


def test_no_right_without_a_captured_archer_that_no_right_covers() -> None:
    whole = play(place("3b1/3W1/5/1b3/1wwww w 0/0 -/- 7"), "d4e5")
    assert JARMO.text(whole).split()[2] == "0/0"
    covered = play(place("3b1/3W1/5/1b3/2w1w w 2/0 -/- 7"), "d4e5")
    assert JARMO.text(covered).split()[2] == "2/0"


def test_return_keeps_the_game_going_after_the_last_arrival() -> None:
    text = "3b1/3W1/5/1b3/5 w 0/0 -/- 7"
    assert ending(play(place(text), "d4e5")) == ("draw", "arrived")
    assert ending(play(place(text), "d4e5+a1")) == ("none", "none")


# Shuttling.


def test_fourth_move_to_and_fro_is_illegal() -> None:
    position = place("5/3b1/5/1w3/5 w 0/0 -/- 0")
    play(position, "b2c2", "d4d3", "c2b2", "d3d4", "b2c2", "d4e3")
    assert JARMO.text(position) == "5/5/4b/2w2/5 w 0/0 b2c2:3/d4e3:1 6"
    assert "c2b2" not in tokens(position)
    assert why_not(position, "c2b2") == "no fourth move in a row to and fro between c2 and b2"
    play(position, "c2c3")
    assert JARMO.text(position).split()[3] == "c2c3:1/d4e3:1"


def test_fourth_move_is_illegal_also_as_a_capture_and_with_a_return() -> None:
    position = place("5/5/3b1/1bW2/5 w 1/0 b2c2:3/- 0")
    assert not any(token.startswith("c2b2") for token in tokens(position))
    assert why_not(position, "c2b2+a1").startswith("no fourth move")


def test_return_changes_nothing_in_the_count() -> None:
    position = place("5/3b1/5/2w2/5 w 1/0 b2c2:1/- 4")
    play(position, "c2b2+a1")
    assert JARMO.text(position) == "5/3b1/5/1w3/w4 b 0/0 c2b2:2/- 0"


def test_side_with_only_the_fourth_move_is_blocked() -> None:
    lines = "a2b2 d3d4"
    free = place("5/3b1/5/1w3/5 w 0/0 a2b2:2/- 9", Board=lines)
    assert ending(free) == ("none", "none")
    shut = place("5/3b1/5/1w3/5 w 0/0 a2b2:3/- 9", Board=lines)
    assert ending(shut) == ("draw", "blocked")
    assert shut.legal_moves() == []


# The end.


def test_ends_by_points() -> None:
    assert ending(place("5/3b1/5/5/5 b 0/0 -/- 0")) == ("p2win", "captured")
    assert ending(place("w1w2/3b1/5/5/5 b 0/0 -/- 0")) == ("p1win", "arrived")
    # The side that has arrived need not win.
    assert ending(place("w4/2b2/5/bb3/5 b 0/0 -/- 0")) == ("p2win", "arrived")


def test_third_standing_is_a_draw() -> None:
    position = place("5/3b1/5/1w3/5 w 0/0 -/- 0", QuietLimit="0")
    circle = ("b2c2", "d4d3", "c2c3", "d3e3", "c3b2", "e3d4")
    play(position, *circle, *circle, circle[0])
    # This board has stood three times, but the first time Black had not moved yet.
    assert ending(position) == ("none", "none")
    play(position, circle[1])
    assert ending(position) == ("draw", "repetition")
    position.pop()
    play(position, "d4e3")
    assert ending(position) == ("none", "none")


def test_quiet_limit_is_a_draw() -> None:
    position = play(place("5/3b1/5/1w3/5 w 0/0 -/- 59"), "b2c2")
    assert ending(position) == ("draw", "quiet")
    endless = play(place("5/3b1/5/1w3/5 w 0/0 -/- 59", QuietLimit="0"), "b2c2")
    assert ending(endless) == ("none", "none")
    # An end that points decide comes first.
    both = place("5/3b1/5/1w3/5 w 0/0 -/- 60", Board="a4a5 d3d4")
    assert ending(both) == ("draw", "blocked")


# Texts.


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("bbbbb/5/5/5/wwwww w 0/0 -/-", "text"),
        ("bbbbb/5/5/5/wwwwx w 0/0 -/- 0", "board"),
        ("bbbbb/5/5/5/4 w 0/0 -/- 0", "board"),
        ("bbbbb/5/5/5w/wwwww w 0/0 -/- 0", "board"),
        ("bbbbb/5/5/W4/wwwww w 0/0 -/- 0", "board"),
        ("5/5/5/5/5 w 0/0 -/- 0", "board"),
        ("bbbbb/5/5/5/wwwww x 0/0 -/- 0", "side"),
        ("bbbbb/5/5/5/wwwww w 0 -/- 0", "rights"),
        ("bbbbb/5/5/5/wwwww w -1/0 -/- 0", "rights"),
        ("bbbbb/5/5/5/wwww1 w 2/0 -/- 0", "rights"),
        ("bbbb1/5/5/5/wwwww w 0/2 -/- 0", "rights"),
        ("bbbbb/5/5/5/wwwww w 0/0 - 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1a2/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1f2:1/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1a2:0/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1a2:4/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1a1:1/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a1b1:1/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a5a4:1/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 -/a1a2:1 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 a4a5:2/- 0", "shuttle"),
        ("bbbbb/5/5/5/wwwww w 0/0 -/- x", "quiet"),
        ("bbbbb/5/5/5/wwwww w 0/0 -/- 61", "quiet"),
    ],
)
def test_text_refused(text: str, field: str) -> None:
    with pytest.raises(PositionError) as raised:
        place(text)
    assert raised.value.field == field


def test_jasir_refuses_last_moves_backward() -> None:
    text = "5/3b1/5/1w3/5 w 0/0 {}/- 9"
    place(text.format("c3b2:1"))
    for last in ("c3b2:1", "b2c3:2"):
        with pytest.raises(PositionError) as raised:
            place(text.format(last), JASIR)
        assert raised.value.field == "shuttle"
    place(text.format("c2b2:3"), JASIR)


def test_letter_case_matters_on_the_board_only() -> None:
    position = place("5/3B1/5/1w3/5 W 0/0 A2B2:1/- 9", Board="a2b2 d3d4")
    assert JARMO.text(position) == "5/3B1/5/1w3/5 w 0/0 a2b2:1/- 9"
    assert JARMO.read_token(position, "B2A2") in position.legal_moves()


@pytest.mark.parametrize("token", ["", "b2", "b2c", "b2b2", "b2c3+", "b2c3+f1", "b2c3a1", "b2c6"])
def test_token_refused(token: str) -> None:
    position = place(JARMO.start_text({}))
    with pytest.raises(MoveError):
        JARMO.read_token(position, token)


def test_reasons_of_illegal_moves() -> None:
    position = place(JARMO.start_text({}))
    assert why_not(position, "a2a3") == "there is no archer on a2"
    assert why_not(position, "a5a4") == "there is an enemy archer on a5"
    assert why_not(position, "a1b1") == "no line joins a1 and b1"
    assert why_not(position, "a1a2+b1") == "there is no captured archer to bring back"
    play(position, "a1a2", "a5a4")
    assert why_not(position, "b1a2") == "there is an own archer on a2"


def test_drawing_lists_lines_between_far_holes() -> None:
    position = place(JARMO.start_text({}), Board="a1b2 a1c3 b1a2")
    drawing = JARMO.draw(position)
    assert "further lines: a1c3" in drawing
    assert "   \\ /\n    X\n   / \\\n" in drawing
    assert max(map(len, drawing.splitlines())) <= 80
