"""The registry of games, and the numbers and words that all share."""

import pytest

from kibitz.engine import bits, codes
from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.registry import GAME_NAMES, find_game

pytestmark = pytest.mark.core


def test_names() -> None:
    assert {"talisman", "jarmo", "jasir"} <= set(GAME_NAMES)
    assert len(set(GAME_NAMES)) == len(GAME_NAMES)
    assert all(name == name.lower() for name in GAME_NAMES)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_find_game_in_any_letter_case(name: str) -> None:
    game = find_game(name)
    assert isinstance(game, Game)
    assert game.name == name
    assert find_game(name.upper()).name == find_game(name.title()).name == name


@pytest.mark.parametrize("name", ["", "chess", "talisman ", "tali\0sman", "x" * 10_000])
def test_games_that_do_not_exist(name: str) -> None:
    with pytest.raises(OptionError, match=r"there is no game .*; the games are talisman") as caught:
        find_game(name)
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def test_result_words() -> None:
    assert codes.RESULT_WORDS[codes.ONGOING] == "none"
    assert codes.RESULT_WORDS[codes.P1_WIN] == "p1win"
    assert codes.RESULT_WORDS[codes.P2_WIN] == "p2win"
    assert codes.RESULT_WORDS[codes.DRAW] == "draw"
    assert len(codes.RESULT_WORDS) == 4


def test_masks_fit_their_sizes() -> None:
    assert codes.HISTORY_SIZE == 2**codes.HISTORY_BITS == codes.HISTORY_MASK + 1
    assert codes.FILTER_SIZE == codes.FILTER_MASK + 1
    assert codes.FILTER_SIZE & codes.FILTER_MASK == 0


def test_bits() -> None:
    assert [bits.popcount(number) for number in (0, 1, 6, 2**64 - 1)] == [0, 1, 2, 64]
    assert [bits.lowest(number) for number in (1, 6, 8, 2**63)] == [0, 1, 3, 63]
