"""Positions for tests of the search: each game's samples and positions met at random."""

import random
from collections.abc import Iterator

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.position import Position
from kibitz.search.values import WIN


def sample_positions(game: Game) -> Iterator[Position]:
    """Give a game's samples."""
    settings = game.settings({})
    for text in game.samples:
        yield game.parse(text, settings)


def positions_near_the_end(game: Game, games: int) -> Iterator[Position]:
    """Give positions from the last turns of games, none of them finished.

    One game in two is played at random. In the others the players mostly make the move that
    the evaluation likes best, since there are games that nobody wins by chance.
    """
    settings = game.settings({"QuietLimit": "20"})
    chooser = random.Random(game.name)
    for number in range(games):
        position = game.parse(game.start_text(settings), settings)
        while position.status == codes.ONGOING:
            moves = position.legal_moves()
            sensible = number % 2 == 1 and chooser.random() < 0.8
            position.push(best_at_once(position) if sensible else chooser.choice(moves))
        for _ in range(3):
            position.pop()
            yield position.copy()


def best_at_once(position: Position) -> int:
    """Give the move after which the evaluation is best for the side that makes it."""
    side = position.side
    values = {}
    for move in position.legal_moves():
        position.push(move)
        if position.status == codes.ONGOING:
            values[move] = position.value() * (1 if position.side == side else -1)
        else:
            wins = position.status == (codes.P1_WIN if side == 0 else codes.P2_WIN)
            values[move] = WIN if wins else 0 if position.status == codes.DRAW else -WIN
        position.pop()
    return max(values, key=lambda move: (values[move], move))
