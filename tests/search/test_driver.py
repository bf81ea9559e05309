import threading

import pytest

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.position import Position
from kibitz.search.driver import Search
from kibitz.search.info import Info, Outcome
from kibitz.search.limits import Limit
from kibitz.search.table import Table
from tests.search.positions import sample_positions


def run(position: Position, limit: Limit, **options: object) -> tuple[Outcome, list[Info]]:
    """Search with a fresh table; give the outcome and all that was reported."""
    infos: list[Info] = []
    search = Search(position, Table(1), limit, report=infos.extend, **options)  # type: ignore[arg-type]
    return search.run(), infos


@pytest.mark.core
def test_reports_every_depth_and_ends_at_the_limit(game: Game) -> None:
    for position in sample_positions(game):
        outcome, infos = run(position, Limit(depth=3))
        exact = [info.depth for info in infos if not info.bound]
        assert exact == [1, 2, 3]
        assert infos[-1].pv[0] == outcome.best
        assert outcome.best in position.legal_moves()
        assert infos[-1].nodes <= outcome.nodes
        assert all(info.seldepth >= info.depth for info in infos)


def test_node_limit_is_exact(game: Game) -> None:
    for position in sample_positions(game):
        for nodes in (1_000, 5_000, 20_001):
            outcome, infos = run(position, Limit(nodes=nodes))
            assert outcome.nodes == nodes or infos[-1].depth == 1
            assert outcome.best in position.legal_moves()


def test_the_same_search_visits_the_same_nodes(game: Game) -> None:
    """A whole game played twice with the same limits is the same game, node for node."""

    def play() -> list[tuple[int | None, int]]:
        settings = game.settings({})
        position = game.parse(game.start_text(settings), settings)
        table = Table(1)
        record: list[tuple[int | None, int]] = []
        while position.status == codes.ONGOING and position.ply < 60:
            outcome = Search(position, table, Limit(nodes=500), report=lambda _: None).run()
            assert outcome.best is not None
            record.append((outcome.best, outcome.nodes))
            position.push(outcome.best)
        return record

    assert play() == play()


@pytest.mark.core
def test_without_a_legal_move_there_is_no_best_one(game: Game) -> None:
    for position in sample_positions(game):
        outcome, infos = run(position, Limit(depth=3), root_moves=[])
        assert outcome.best is None
        assert not infos


def test_root_moves_are_the_only_ones_searched(game: Game) -> None:
    for position in sample_positions(game):
        wanted = position.legal_moves()[-2:]
        outcome, infos = run(position, Limit(depth=3), root_moves=wanted)
        assert outcome.best in wanted
        assert all(info.pv[0] in wanted for info in infos)


def test_lines_are_distinct_and_best_first(game: Game) -> None:
    for position in sample_positions(game):
        _, infos = run(position, Limit(depth=4), multipv=3)
        final = {info.multipv: info for info in infos if info.depth == 4 and not info.bound}
        count = min(3, len(position.legal_moves()))
        assert sorted(final) == list(range(1, count + 1))
        assert len({info.pv[0] for info in final.values()}) == count


def test_more_lines_than_moves_are_fewer_lines(game: Game) -> None:
    position = next(sample_positions(game))
    moves = position.legal_moves()[:2]
    _, infos = run(position, Limit(depth=2), root_moves=moves, multipv=50)
    assert max(info.multipv for info in infos) == 2


def test_stop_before_the_search_begins_still_gives_a_move(game: Game) -> None:
    position = next(sample_positions(game))
    infos: list[Info] = []
    search = Search(position, Table(1), Limit(), report=infos.extend)
    search.stop()
    outcome = search.run()
    assert outcome.best in position.legal_moves()
    assert infos


def test_stop_ends_an_endless_search(game: Game) -> None:
    position = list(sample_positions(game))[1]
    reported = threading.Event()
    search = Search(position, Table(1), Limit(), report=lambda _: reported.set(), threads=2)
    outcomes: list[Outcome] = []
    runner = threading.Thread(target=lambda: outcomes.append(search.run()))
    runner.start()
    assert reported.wait(30)
    search.stop()
    runner.join(30)
    assert not runner.is_alive()
    assert outcomes[0].best in position.legal_moves()


def test_a_ponder_search_heeds_its_clock_only_after_the_hit(game: Game) -> None:
    position = list(sample_positions(game))[1]
    reported = threading.Event()
    search = Search(
        position,
        Table(1),
        Limit(movetime=1),
        report=lambda infos: reported.set() if infos[-1].depth >= 4 else None,
        pondering=True,
    )
    outcomes: list[Outcome] = []
    runner = threading.Thread(target=lambda: outcomes.append(search.run()))
    runner.start()
    # A search of one millisecond would not come this far.
    assert reported.wait(30)
    search.ponderhit()
    runner.join(30)
    assert not runner.is_alive()
    assert outcomes[0].best in position.legal_moves()


def test_threads_share_the_work(game: Game) -> None:
    for position in sample_positions(game):
        outcome, infos = run(position, Limit(depth=4), threads=3)
        assert outcome.best in position.legal_moves()
        assert infos[-1].depth == 4
