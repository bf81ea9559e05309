"""Random games side by side with the reference implementation."""

import random

import pytest

from kibitz.engine.game import Game
from kibitz.engine.play import Play
from tests.contract import data
from tests.contract.walks import COMPILED, fair_share
from tests.reference.interface import Reference, reference_of

GAMES = 16 if COMPILED else 4


def check_same(play: Play, reference: Reference) -> None:
    assert play.text == reference.text()
    assert play.legal_tokens() == reference.legal(), play.text
    assert play.result == reference.result(), play.text
    assert play.points == reference.points(), play.text


def play_both(game: Game, options: data.Options, text: str, seed: int, most: int) -> None:
    """Play a random game; one seed in two likes to go back to where it was."""
    chance = random.Random(seed)
    play = Play(game, options, text)
    reference = reference_of(game.name)(text, options)
    check_same(play, reference)
    stood = {play.position.key}
    for _ in range(most):
        if play.is_over:
            break
        token = chance.choice(reference.legal())
        if seed % 2:
            token = _homing(play, stood) or token
        play.push(token)
        stood.add(play.position.key)
        reference = reference.after(token)
        check_same(play, reference)


def _homing(play: Play, stood: set[int]) -> str | None:
    position = play.position
    for move in position.legal_moves():
        position.push(move)
        known = position.key in stood
        position.pop()
        if known:
            return play.game.token(position, move)
    return None


@pytest.mark.core
def test_games_from_the_start(game: Game) -> None:
    for options in (*data.known_options(game.name), {"QuietLimit": "7"}, {"QuietLimit": "0"}):
        start = game.start_text(game.settings(options))
        for seed in range(fair_share(game, GAMES)):
            play_both(game, options, start, seed, most=120 if COMPILED else 60)


def test_games_from_known_positions(game: Game) -> None:
    for number, text in enumerate(data.known_texts(game.name)):
        play_both(game, {}, text, seed=number, most=max(fair_share(game, 20), 6))


def test_games_from_perft_positions_with_options(game: Game) -> None:
    for number, line in enumerate(data.perft_lines_of(game.name)):
        if line.options:
            play_both(game, line.options, line.text, seed=2 * number, most=40)
            play_both(game, line.options, line.text, seed=2 * number + 1, most=40)
