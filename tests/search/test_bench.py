import pytest

from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.sources import is_compiled
from kibitz.search.bench import Bench, sample_positions

# The signature of the search and the evaluations: `kibitz bench 5` prints it. A change that
# is meant to alter what they do alters the number; any other change must not.
DEPTH = 5
NODES = 46_208

COMPILED = pytest.mark.skipif(not is_compiled(), reason="takes minutes when not compiled")


def bench() -> Bench:
    return Bench(sample_positions(find_game(name) for name in GAME_NAMES), DEPTH)


@COMPILED
def test_the_signature() -> None:
    assert sum(done.nodes for done in bench().run()) == NODES


@COMPILED
def test_the_same_positions_give_the_same_nodes() -> None:
    runs = [[(done.name, done.nodes) for done in bench().run()] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(runs[0]) == len(bench())


def test_every_game_has_positions_that_are_not_over() -> None:
    for name in GAME_NAMES:
        entries = sample_positions([find_game(name)])
        assert entries
        assert all(entry.position.legal_moves() for entry in entries)


def test_stopping() -> None:
    stopped = bench()
    stopped.stop()
    assert list(stopped.run()) == []
    stopped = bench()
    results = stopped.run()
    next(results)
    stopped.stop()
    assert list(results) == []
