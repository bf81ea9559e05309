"""Perft: the counts of the files, through the do and undo that searches use."""

import pytest

from kibitz.engine.game import Game
from kibitz.search.perft import Perft
from tests.contract.data import perft_lines_of
from tests.contract.walks import COMPILED, view

MOST_LEAVES = 10_000_000 if COMPILED else 3000


@pytest.mark.core
def test_counts(game: Game) -> None:
    for line in perft_lines_of(game.name):
        position = game.parse(line.text, game.settings(line.options))
        before = view(game, position)
        perft = Perft(position)
        for depth, count in enumerate(line.counts, start=1):
            if count <= MOST_LEAVES:
                assert perft.count(depth) == count, f"{line.text} at depth {depth}"
        assert view(game, position) == before


@pytest.mark.core
def test_divide_adds_up(game: Game) -> None:
    for text in game.samples:
        position = game.parse(text, game.settings({}))
        perft = Perft(position)
        total = sum(perft.divide(move, 2) for move in position.legal_moves())
        assert total == perft.count(2)
        assert perft.count(0) == 1
