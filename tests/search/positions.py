"""Positions for tests of the search: each game's samples and positions met at random."""

import random
from collections.abc import Iterator

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.position import Position


def sample_positions(game: Game) -> Iterator[Position]:
    """Give a game's samples."""
    settings = game.settings({})
    for text in game.samples:
        yield game.parse(text, settings)


def positions_near_the_end(game: Game, games: int) -> Iterator[Position]:
    """Give positions from the last turns of games played at random, none of them finished."""
    settings = game.settings({"QuietLimit": "20"})
    chooser = random.Random(game.name)
    for _ in range(games):
        position = game.parse(game.start_text(settings), settings)
        while position.status == codes.ONGOING:
            position.push(chooser.choice(position.legal_moves()))
        for _ in range(3):
            position.pop()
            yield position.copy()
