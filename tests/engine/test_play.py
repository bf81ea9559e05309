"""`Play`: moves by their tokens, the end of a game, forfeits."""

import pytest

from kibitz.engine.errors import MoveError, OptionError, PositionError
from kibitz.engine.play import FORFEIT, Play
from kibitz.engine.registry import find_game

pytestmark = pytest.mark.core

TALISMAN = find_game("talisman")
SET = "wbw/b2w/w3b/b2b/wbw w 5/7/7/5 0/0 0"
BEFORE_THE_END = "1ww/w2w/w2w1/wbbb/1bw w wwwww/w1bb3/w1www2/1wb1b 9/7 6"


def test_begins_at_the_start() -> None:
    play = Play(TALISMAN, {})
    assert play.text == play.start == "3/4/5/4/3 w 5/7/7/5 0/0 0"
    assert play.tokens == []
    assert not play.is_over
    assert play.result == "none"
    assert play.reason == "none"
    assert play.points == (0, 0)
    assert play.legal_tokens() == list("abcdghlmpqrs")
    assert len(play.legal_moves()) == 12


def test_begins_at_a_text_and_keeps_it_canonical() -> None:
    play = Play(TALISMAN, {}, "  WBW/B2W/w3b/b2b/wbw   W 5/7/7/5 0/0 0 ")
    assert play.start == play.text == SET
    play.push("ae")
    assert play.start == SET


def test_refuses_texts_and_option_values() -> None:
    with pytest.raises(PositionError, match="text: "):
        Play(TALISMAN, {}, "")
    with pytest.raises(OptionError, match="QuietLimit"):
        Play(TALISMAN, {"QuietLimit": "-2"})
    assert Play(TALISMAN, {"Unknown": "x"}).settings == {"QuietLimit": "-1"}


def test_tokens_are_kept_in_canonical_form() -> None:
    play = Play(TALISMAN, {})
    play.push_all(["A", "b"])
    assert play.tokens == ["a", "b"]
    assert play.text == "wb1/4/5/4/3 w 5/7/7/5 0/0 0"


@pytest.mark.parametrize("token", ["", "z", "aa", "abc", "a ", "1", "\0", "\u00e4", "e"])
def test_a_move_that_is_not_legal_changes_nothing(token: str) -> None:
    play = Play(TALISMAN, {})
    play.push("a")
    text, legal = play.text, play.legal_tokens()
    with pytest.raises(MoveError):
        play.push(token)
    assert (play.text, play.legal_tokens(), play.tokens) == (text, legal, ["a"])
    assert play.forfeited_by is None
    assert not play.is_over


@pytest.mark.parametrize(
    ("moves", "side", "result"),
    [(["a", "b", "a"], 0, "p2win"), (["a", "a"], 1, "p1win"), (["nonsense"], 0, "p2win")],
)
def test_an_illegal_move_in_a_list_forfeits(moves: list[str], side: int, result: str) -> None:
    play = Play(TALISMAN, {})
    with pytest.raises(MoveError, match=moves[-1]):
        play.push_all(moves)
    assert play.tokens == moves[:-1]
    assert play.position.side == side
    assert play.forfeited_by == side
    assert play.is_over
    assert (play.result, play.reason) == (result, FORFEIT)
    assert play.legal_moves() == []
    assert play.legal_tokens() == []
    with pytest.raises(MoveError, match="the game is over"):
        play.push("c")
    with pytest.raises(MoveError, match="the game is over"):
        play.push_all(["c"])
    assert (play.result, play.forfeited_by) == (result, side)


def test_moves_after_the_illegal_one_are_not_made() -> None:
    play = Play(TALISMAN, {})
    with pytest.raises(MoveError):
        play.push_all(["a", "a", "b", "c"])
    assert play.tokens == ["a"]


def test_a_move_after_the_end_raises_and_the_result_stays() -> None:
    play = Play(TALISMAN, {}, BEFORE_THE_END)
    with pytest.raises(MoveError, match="the game is over"):
        play.push_all(["sl", "dh"])
    assert play.tokens == ["sl"]
    assert play.is_over
    assert (play.result, play.reason) == ("p1win", "lead")
    assert play.forfeited_by is None
    assert play.points == (75, 27)


def test_push_all_of_nothing() -> None:
    play = Play(TALISMAN, {})
    play.push_all([])
    assert play.tokens == []
    assert not play.is_over


def test_long_tokens_are_shortened_in_errors() -> None:
    play = Play(TALISMAN, {})
    with pytest.raises(MoveError) as caught:
        play.push_all(["x" * 10_000])
    assert len(str(caught.value)) < 200


def test_errors_have_no_characters_that_cannot_be_printed() -> None:
    play = Play(find_game("talisman"), {})
    with pytest.raises(MoveError) as caught:
        play.push_all(["\x1b[2J\u2028"])
    assert str(caught.value) == "?[2J?: '?[2J?' is not one or two points from a to s"


def test_line_gives_tokens_and_leaves_the_game_alone() -> None:
    play = Play(TALISMAN, {}, SET)
    first = play.read_legal("ae")
    copy = play.position.copy()
    copy.push(first)
    second = copy.legal_moves()[0]
    token = play.game.token(copy, second)
    assert play.line([first, second]) == ["ae", token]
    assert play.line([]) == []
    assert play.text == SET


def test_repetitions_count_from_the_start_of_the_play() -> None:
    play = Play(TALISMAN, {}, "wbw/b2w/w3b/b2b/wbw w 5/7/7/5 0/0 0")
    there_and_back = ["ae", "bf", "ea", "fb"]
    play.push_all(there_and_back)
    assert not play.is_over
    play.push_all(there_and_back)
    assert (play.result, play.reason) == ("draw", "repetition")
    assert not Play(TALISMAN, {}, play.text).is_over


def test_a_deal_is_only_for_games_that_are_dealt() -> None:
    assert Play(TALISMAN, {}).deal is None
    dealt = find_game("trollchess")
    assert dealt.is_dealt
    assert not TALISMAN.is_dealt
    assert Play(dealt, {"Deal": "7"}).deal == 7
    named = Play(dealt, {"Deal": "7"}, deal=8)
    assert named.deal == 8
    assert named.settings["Deal"] == "7"
    assert named.start == dealt.start_text({"Deal": "8"})
    assert Play(dealt, {}, named.start).deal is None
    for number in (-1, 2**64):
        with pytest.raises(OptionError, match="Deal: "):
            Play(dealt, {}, deal=number)


def test_games_do_not_share_anything() -> None:
    one, other = Play(TALISMAN, {}), Play(TALISMAN, {"QuietLimit": "5"})
    one.push("a")
    assert other.tokens == []
    assert other.text == other.start
    assert other.position.quiet_limit == 5
    assert one.position.quiet_limit == 60
