"""The vectors: positions, games, endings and corners that other implementations agreed on."""

import pytest

from kibitz.engine.game import Game
from kibitz.engine.play import Play
from tests.contract.data import vectors_of


@pytest.mark.core
def test_positions(game: Game) -> None:
    for known in vectors_of(game.name).positions:
        play = Play(game, {}, known.position)
        assert play.text == known.position
        assert play.legal_tokens() == known.moves, known.position
        assert play.result == known.result, known.position
        assert play.points == known.points, known.position
        assert play.is_over == (known.result != "none")


@pytest.mark.core
def test_games(game: Game) -> None:
    for known in vectors_of(game.name).games:
        play = Play(game, known.options, known.start)
        for token, text in zip(known.moves, known.positions, strict=True):
            assert play.result == "none"
            play.push(token)
            assert play.text == text
        assert play.tokens == known.moves
        assert play.result == known.result
        assert play.points == known.points


@pytest.mark.core
def test_endings(game: Game) -> None:
    for known in vectors_of(game.name).endings:
        play = Play(game, {}, known.position)
        assert play.result == "none"
        play.push(known.move)
        assert (play.text, play.result, play.points) == (known.after, known.result, known.points)
        assert play.reason != "none"
        loaded = Play(game, {}, known.after)
        assert (loaded.result, loaded.reason) == (known.result, play.reason)
        assert loaded.legal_tokens() == []


@pytest.mark.core
def test_corners(game: Game) -> None:
    for known in vectors_of(game.name).corners:
        play = Play(game, {}, known.position)
        for token in known.moves:
            assert play.result == "none", known.position
            play.push(token)
        assert (play.text, play.result, play.points) == (known.after, known.result, known.points)
