"""Position texts and move tokens survive being read and written."""

import pytest

from kibitz.engine.game import Game
from kibitz.engine.position import Position
from tests.contract import data
from tests.contract.walks import (
    COMPILED,
    all_lines,
    fair_share,
    random_turns,
    start_of,
    without_quiet,
)

GAMES = 20 if COMPILED else 4


def check_text(game: Game, position: Position, options: data.Options) -> None:
    text = game.text(position)
    assert text.isascii()
    assert text.isprintable()
    again = game.parse(text, game.settings(options))
    assert game.text(again) == text
    assert again.key == position.key
    assert again.side == position.side
    assert again.quiet == position.quiet
    assert again.quiet_limit == position.quiet_limit
    assert game.points(again) == game.points(position)
    assert game.terms(again) == game.terms(position)
    if game.endings[position.ending] != "repetition":
        assert (again.status, again.ending) == (position.status, position.ending)
        assert sorted(again.legal_moves()) == sorted(position.legal_moves())


def check_tokens(game: Game, position: Position) -> None:
    moves = position.legal_moves()
    tokens = [game.token(position, move) for move in moves]
    assert len(set(moves)) == len(moves)
    assert len(set(tokens)) == len(tokens)
    for move, token in zip(moves, tokens, strict=True):
        assert token.isascii()
        assert token.isprintable()
        assert token
        assert " " not in token
        assert game.read_token(position, token) == move
        if token.islower():
            assert game.read_token(position, token.upper()) == move


def test_known_texts_are_canonical(game: Game) -> None:
    settings = game.settings({})
    texts = data.known_texts(game.name) + game.samples
    for text in texts:
        position = game.parse(text, settings)
        assert game.text(position) == text
        check_text(game, position, {})
        check_tokens(game, position)
        assert game.text(game.parse(f"  {text.replace(' ', '   ')} ", settings)) == text


@pytest.mark.core
def test_random_games(game: Game) -> None:
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES)):
            position = start_of(game, game.settings(options))
            check_text(game, position, options)
            check_tokens(game, position)
            for _ in random_turns(position, seed, homing=0.3 * (seed % 2), most=150):
                check_text(game, position, options)
                check_tokens(game, position)


@pytest.mark.core
def test_below_the_samples(game: Game) -> None:
    settings = game.settings({})
    for text in game.samples:
        position = game.parse(text, settings)
        for _ in all_lines(position, 2 if COMPILED else 1):
            check_text(game, position, {})
            check_tokens(game, position)


def test_keys_stand_for_texts_without_the_quiet_counter(game: Game) -> None:
    text_of_key: dict[int, str] = {}
    key_of_text: dict[str, int] = {}
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES)):
            position = start_of(game, game.settings(options))
            for _ in random_turns(position, seed, homing=0.5, most=300):
                text, key = without_quiet(game.text(position)), position.key
                assert text_of_key.setdefault(key, text) == text
                assert key_of_text.setdefault(text, key) == key
    assert len(text_of_key) == len(key_of_text)
    assert len(text_of_key) > 20
