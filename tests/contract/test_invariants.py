"""What holds at every position of every game, to its end."""

from collections import Counter

import pytest

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.search.values import WIN_BOUND
from tests.contract import data
from tests.contract.walks import COMPILED, all_lines, fair_share, random_turns, start_of

GAMES = 40 if COMPILED else 8
MOST_TURNS = 1200 if COMPILED else 150
MOST_LINES = 10_000 if COMPILED else 500


def check_invariants(game: Game, position: Position) -> None:
    moves = position.legal_moves()
    noisy = position.noisy_moves()
    assert len(moves) <= position.move_bound
    assert all(0 < move < 2**31 for move in moves)
    assert set(noisy) <= set(moves)
    assert len(set(noisy)) == len(noisy)
    assert position.side in (0, 1)
    assert position.quiet >= 0
    assert 0 <= position.key < 2**62
    for move in moves:
        gain = position.gain_of(move)
        assert isinstance(gain, int)
        assert 0 <= gain < WIN_BOUND
    points = game.points(position)
    assert len(points) == 2
    assert all(number >= 0 and 2 * number == int(2 * number) for number in points)
    if position.status == codes.ONGOING:
        assert position.ending == 0
        assert moves
        value = position.value()
        assert abs(value) < WIN_BOUND
        terms = game.terms(position)
        white_value = sum(term.white - term.black for term in terms)
        assert white_value == (value if position.side == 0 else -value)
        assert len({term.name for term in terms}) == len(terms)
    else:
        assert position.status in (codes.P1_WIN, codes.P2_WIN, codes.DRAW)
        assert 0 < position.ending < len(game.endings)
        assert not moves
        assert not noisy
    check_drawing(game, position)


def check_drawing(game: Game, position: Position) -> None:
    drawing = game.draw(position)
    lines = drawing.split("\n")
    assert len(lines) >= 3
    for line in lines:
        assert line.isascii()
        assert not line or line.isprintable()
        assert len(line) <= 80


@pytest.mark.core
def test_random_games_to_their_end(game: Game) -> None:
    for options in data.known_options(game.name):
        finished = 0
        for seed in range(fair_share(game, GAMES)):
            position = start_of(game, game.settings(options))
            check_invariants(game, position)
            for _ in random_turns(position, seed, homing=0.5 * (seed % 2), most=MOST_TURNS):
                check_invariants(game, position)
            finished += position.status != codes.ONGOING
        # Now and then two random players keep each other alive for thousands of turns.
        assert finished >= fair_share(game, GAMES) * 3 // 4 or not COMPILED


def test_known_positions(game: Game) -> None:
    settings = game.settings({})
    for text in data.known_texts(game.name) + game.samples:
        position = game.parse(text, settings)
        check_invariants(game, position)
        for _ in random_turns(position, seed=1, most=20):
            check_invariants(game, position)


def test_every_ending_is_reached(game: Game) -> None:
    reached: Counter[str] = Counter()
    for options in data.known_options(game.name):
        for seed in range(fair_share(game, GAMES)):
            position = start_of(game, game.settings(options))
            for _ in random_turns(position, seed, homing=0.8 * (seed % 2), most=600):
                pass
            reached[game.endings[position.ending]] += 1
    for line in data.perft_lines_of(game.name):
        position = game.parse(line.text, game.settings(line.options))
        depth = sum(count <= MOST_LINES for count in line.counts) if line.options else 1
        for _ in all_lines(position, depth):
            reached[game.endings[position.ending]] += 1
    vectors = data.vectors_of(game.name)
    for ending in vectors.endings:
        play = Play(game, {}, ending.position)
        play.push(ending.move)
        reached[play.reason] += 1
    for corner in vectors.corners:
        play = Play(game, {}, corner.position)
        play.push_all(corner.moves)
        reached[play.reason] += 1
    assert set(reached) | {"none"} == set(game.endings)
