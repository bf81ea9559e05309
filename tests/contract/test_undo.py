"""Doing and undoing moves leaves no trace; kept keys equal recomputed ones; copies are apart."""

import random
from itertools import islice

import pytest

from kibitz.engine.game import Game
from tests.contract import data
from tests.contract.walks import (
    COMPILED,
    all_lines,
    fair_share,
    random_turns,
    start_of,
    thinned,
    view,
)

GAMES = 12 if COMPILED else 4
MOST_VIEWS = 12_000


@pytest.mark.core
def test_key_at_every_perft_node(game: Game) -> None:
    settings = game.settings({})
    for text in game.samples:
        position = game.parse(text, settings)
        for _ in all_lines(position, 3 if COMPILED else 2):
            assert position.key == position.recomputed_key()


def test_key_at_every_perft_node_of_known_positions(game: Game) -> None:
    for line in data.perft_lines_of(game.name):
        position = game.parse(line.text, game.settings(line.options))
        for _ in all_lines(position, 2 if COMPILED else 1):
            assert position.key == position.recomputed_key()


@pytest.mark.core
def test_undo_restores_everything_below_the_samples(game: Game) -> None:
    settings = game.settings({})
    for text in game.samples:
        position = game.parse(text, settings)
        for _ in islice(all_lines(position, 2 if COMPILED else 1), 3000 if COMPILED else 30):
            before = view(game, position)
            for move in thinned(before.moves, 60 if COMPILED else 20):
                position.push(move)
                assert position.ply == before.ply + 1
                position.pop()
            assert view(game, position) == before


def test_undo_restores_everything_below_known_positions(game: Game) -> None:
    for line in data.perft_lines_of(game.name):
        position = game.parse(line.text, game.settings(line.options))
        turns = len(position.legal_moves()) + 1
        lines = max(MOST_VIEWS // turns**2, 2)
        for _ in islice(all_lines(position, 1), lines):
            before = view(game, position)
            for move in thinned(before.moves, max(MOST_VIEWS // (2 * turns), 5)):
                position.push(move)
                position.pop()
                assert view(game, position) == before


@pytest.mark.core
def test_whole_games_taken_back(game: Game) -> None:
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES)):
            position = start_of(game, game.settings(options))
            views = [view(game, position)]
            moves = []
            for move in random_turns(position, seed, homing=0.4 * (seed % 2), most=250):
                moves.append(move)
                views.append(view(game, position))
            for expected in reversed(views[:-1]):
                position.pop()
                assert view(game, position) == expected
            with pytest.raises(IndexError):
                position.pop()
            for move, expected in zip(moves, views[1:], strict=True):
                position.push(move)
                assert view(game, position) == expected


@pytest.mark.core
def test_forth_and_back_at_random(game: Game) -> None:
    chance = random.Random(5)
    position = start_of(game, game.settings({}))
    views = [view(game, position)]
    for _ in range(600 if COMPILED else 120):
        moves = views[-1].moves
        if moves and chance.random() < 0.6:
            position.push(chance.choice(moves))
            views.append(view(game, position))
        elif len(views) > 1:
            views.pop()
            position.pop()
            assert view(game, position) == views[-1]


@pytest.mark.core
def test_copy_is_equal_and_independent(game: Game) -> None:
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES // 2)):
            position = start_of(game, game.settings(options))
            for _ in random_turns(position, seed, homing=0.6, most=120):
                before = view(game, position)
                copy = position.copy()
                assert view(game, copy) == before
                assert copy.floor == copy.ply
                with pytest.raises(IndexError):
                    copy.pop()
                for _ in random_turns(copy, seed, most=3):
                    pass
                assert view(game, position) == before


@pytest.mark.core
def test_copy_keeps_the_standings(game: Game) -> None:
    """A game and its copies, made at every turn, see the same repetitions."""
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES // 2)):
            position = start_of(game, game.settings(options))
            copies = [position.copy()]
            for move in random_turns(position, seed, homing=0.7, most=120):
                expected = view(game, position)
                for copy in copies[-8:]:
                    copy.push(move)
                    assert view(game, copy) == expected
                copies.append(position.copy())


@pytest.mark.core
def test_moves_that_are_not_legal_are_not_pushed(game: Game) -> None:
    position = start_of(game, game.settings({}))
    before = view(game, position)
    for move in (-1, 0, 2**31 - 1, max(before.moves) + 1):
        if move not in before.moves:
            with pytest.raises(ValueError, match="not legal"):
                position.push(move)
    assert view(game, position) == before
