import contextlib
import itertools

import pytest

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.position import Position
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.gate import Gate
from kibitz.search.table import Table
from kibitz.search.values import INFINITY, WIN, WIN_BOUND
from tests.search.plain import Effort, TooLarge, child_value, end_of_move, end_value, plain_value
from tests.search.positions import positions_near_the_end, sample_positions

# Games in which a loss that can still be avoided does not come up by chance; their own tests
# have composed ones.
UNLIKELY = {"trollchess"}


def searched(position: Position, depth: int) -> tuple[int, int]:
    """Search to a depth by way of all lower ones; give the value and the best move."""
    searcher = AlphaBeta(position.copy(), Table(1), Gate())
    searcher.begin(position.legal_moves())
    value = 0
    for iteration in range(1, depth + 1):
        value = searcher.search_root(iteration, -INFINITY, INFINITY, 0)
        searcher.raise_root(searcher.best_root, 0)
    return value, searcher.order()[0]


@pytest.mark.parametrize(("depth", "most"), [(1, 12), (2, 3)])
def test_agrees_with_the_plain_search(game: Game, depth: int, most: int) -> None:
    samples = list(sample_positions(game))
    near = itertools.islice(positions_near_the_end(game, 4), most)
    compared = 0
    for position in itertools.chain(samples[:most], samples[most:][-most:], near):
        value, best = searched(position, depth)
        try:
            assert value == plain_value(position, depth, 0, Effort()), game.text(position)
        except TooLarge:
            # A middle game with captures everywhere.
            continue
        assert child_value(position, best, depth, 0) == value, game.text(position)
        compared += 1
    assert compared >= most // 2


@pytest.mark.core
def test_agrees_with_the_plain_search_at_the_root(game: Game) -> None:
    for position in itertools.islice(positions_near_the_end(game, 1), 2):
        assert searched(position, 1)[0] == plain_value(position, 1), game.text(position)


def test_never_misses_an_end_that_two_turns_show(game: Game) -> None:
    """Every end within a move and its answer is seen, at any depth from 2 on."""
    decided = 0
    for position in positions_near_the_end(game, 25):
        truth = end_value(position, 2)
        if abs(truth) < WIN_BOUND:
            continue
        decided += 1
        for depth in (2, 3, 4):
            value, best = searched(position, depth)
            if truth > 0:
                assert value == truth, (game.text(position), depth)
                assert end_of_move(position, best, 2) == truth, (game.text(position), depth)
            else:
                assert value <= -WIN_BOUND, (game.text(position), depth)
    assert decided > 0


def test_a_loss_in_sight_is_avoided(game: Game) -> None:
    """A move that loses to the next turn is not chosen while another does not."""
    avoided = 0
    for position in positions_near_the_end(game, 25):
        moves = position.legal_moves()
        losing = {move for move in moves if end_of_move(position, move, 2) < 0}
        if not losing or len(losing) == len(moves):
            continue
        avoided += 1
        for depth in (2, 3, 4):
            assert searched(position, depth)[1] not in losing, (game.text(position), depth)
    assert avoided > 0 or game.name in UNLIKELY


def test_principal_variation_is_legal_and_ends_with_the_game(game: Game) -> None:
    for position in positions_near_the_end(game, 4):
        searcher = AlphaBeta(position.copy(), Table(1), Gate())
        searcher.begin(position.legal_moves())
        for depth in range(1, 5):
            value = searcher.search_root(depth, -INFINITY, INFINITY, 0)
            line = searcher.principal_variation()
            assert line
            walker = position.copy()
            for move in line:
                walker.push(move)  # raises when illegal or past the end
            if abs(value) >= WIN_BOUND:
                assert walker.status != codes.ONGOING
                assert len(line) == WIN - abs(value)


def test_a_table_full_of_other_searches_does_no_harm(game: Game) -> None:
    shared = Table(1)
    for position in itertools.chain(sample_positions(game), positions_near_the_end(game, 4)):
        shared.begin_search()
        searcher = AlphaBeta(position.copy(), shared, Gate())
        searcher.begin(position.legal_moves())
        value = searcher.search_root(1, -INFINITY, INFINITY, 0)
        with contextlib.suppress(TooLarge):
            assert value == plain_value(position, 1, 0, Effort()), game.text(position)
        ends = end_value(position, 2)
        value = searcher.search_root(2, -INFINITY, INFINITY, 0)
        if abs(ends) >= WIN_BOUND:
            assert value == ends, game.text(position)
