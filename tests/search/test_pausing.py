"""Pausing a search, a perft and a bench; on both cores."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kibitz.engine.game import Game
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game
from kibitz.engine.sources import is_compiled
from kibitz.search.bench import Bench, Entry
from kibitz.search.driver import Search
from kibitz.search.info import Info, Outcome
from kibitz.search.limits import Limit
from kibitz.search.perft import Perft
from kibitz.search.table import Table
from tests.search.positions import sample_positions
from tests.search.watched import Watch

pytestmark = pytest.mark.core

HOUR = 3_600_000


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    watch = Watch(monkeypatch)
    yield watch
    watch.end()


class Worker:
    """Runs something in a thread."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._results: list[Any] = []
        self._thread = threading.Thread(target=lambda: self._results.append(call()), daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def result(self) -> Any:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self._results[0]


@pytest.fixture
def position() -> Position:
    return list(sample_positions(find_game("talisman")))[1]


def test_a_pause_before_the_run_holds_it(position: Position, watch: Watch) -> None:
    infos: list[Info] = []
    search = Search(position, Table(1), Limit(depth=2), report=infos.extend)
    search.pause()
    worker = Worker(search.run)
    watch.await_threads(1)
    assert worker.is_running
    assert not infos
    search.resume()
    assert worker.result().best in position.legal_moves()
    assert infos[-1].depth == 2


def test_pauses_change_nothing_of_what_is_searched(game: Game, watch: Watch) -> None:
    limit = Limit(depth=3 if is_compiled() else 2)
    for position in sample_positions(game):
        plain = Search(position, Table(1), limit, report=lambda _: None).run()
        paused = run_with_pauses(position, limit, watch)
        assert (paused.best, paused.nodes) == (plain.best, plain.nodes)


def run_with_pauses(position: Position, limit: Limit, watch: Watch) -> Outcome:
    """Search, paused at every report, and so held at the first look at the flag after it."""
    search = Search(position, Table(1), limit, report=lambda _: search.pause())
    worker = Worker(search.run)
    while worker.is_running:
        if watch.has_arrival(0.01):
            search.resume()
    outcome: Outcome = worker.result()
    return outcome


@pytest.mark.parametrize("threads", [1, 3])
def test_all_threads_of_a_search_wait(position: Position, watch: Watch, threads: int) -> None:
    reported = threading.Event()
    search = Search(position, Table(1), Limit(), report=lambda _: reported.set(), threads=threads)
    worker = Worker(search.run)
    for _ in range(3):
        assert reported.wait(30)
        search.pause()
        watch.await_threads(threads)
        reported.clear()
        # All threads stand still, so nothing is counted between two looks.
        assert search._totals()[0] == search._totals()[0]
        assert not reported.is_set()
        search.resume()
    search.stop()
    assert worker.result().best in position.legal_moves()


def test_stop_ends_a_paused_search(position: Position, watch: Watch) -> None:
    reported = threading.Event()
    search = Search(position, Table(1), Limit(), report=lambda _: reported.set(), threads=2)
    worker = Worker(search.run)
    assert reported.wait(30)
    search.pause()
    watch.await_threads(2)
    search.stop()
    assert worker.result().best in position.legal_moves()
    # Over is over.
    search.pause()
    search.resume()


def test_stop_while_paused_before_the_run_still_gives_a_move(position: Position) -> None:
    search = Search(position, Table(1), Limit(), report=lambda _: None)
    search.pause()
    search.stop()
    assert search.run().best in position.legal_moves()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_paused_search_ends_when_its_time_is_up(position: Position, threads: int) -> None:
    search = Search(position, Table(1), Limit(movetime=20), report=lambda _: None, threads=threads)
    search.pause()
    outcome = Worker(search.run).result()
    assert outcome.best in position.legal_moves()
    assert outcome.time >= 20


def test_the_time_of_a_paused_search_may_begin_late(position: Position, watch: Watch) -> None:
    search = Search(position, Table(1), Limit(movetime=1), report=lambda _: None, pondering=True)
    search.pause()
    worker = Worker(search.run)
    watch.await_threads(1)
    assert worker.is_running
    search.ponderhit()
    assert worker.result().best in position.legal_moves()


def test_resuming_what_is_not_paused(position: Position) -> None:
    search = Search(position, Table(1), Limit(depth=2, movetime=HOUR), report=lambda _: None)
    search.resume()
    search.pause()
    search.resume()
    search.resume()
    assert search.run().best in position.legal_moves()


def test_a_search_without_a_move_is_not_held(position: Position) -> None:
    search = Search(position, Table(1), Limit(), report=lambda _: None, root_moves=[])
    search.pause()
    assert search.run().best is None


def test_a_perft_waits_and_goes_on(position: Position, watch: Watch) -> None:
    wanted = Perft(position).count(3)
    perft = Perft(position)
    perft.pause()
    worker = Worker(lambda: perft.count(3))
    watch.await_threads(1)
    assert worker.is_running
    perft.resume()
    assert worker.result() == wanted


def test_a_perft_paused_in_the_middle(position: Position, watch: Watch) -> None:
    """It would take days; so it is in the middle of it whenever the test comes to pause it."""
    perft = Perft(position)
    worker = Worker(lambda: perft.count(20))
    for _ in range(3):
        perft.pause()
        watch.await_threads(1)
        assert worker.is_running
        perft.resume()
    perft.stop()
    assert worker.result() < Perft(position).count(1) ** 20


def test_stop_ends_a_paused_perft(position: Position, watch: Watch) -> None:
    perft = Perft(position)
    perft.pause()
    worker = Worker(lambda: perft.count(20))
    watch.await_threads(1)
    perft.stop()
    assert worker.result() == 0
    perft.pause()
    assert perft.count(20) == 0


def test_resuming_does_not_undo_a_stop(position: Position) -> None:
    perft = Perft(position)
    perft.stop()
    perft.resume()
    assert perft.count(20) == 0


def test_a_bench_waits_between_and_in_its_searches(position: Position, watch: Watch) -> None:
    bench = Bench([Entry("a", position), Entry("b", position)], depth=2)
    bench.pause()
    results = bench.run()
    worker = Worker(lambda: next(results))
    watch.await_threads(1)
    bench.resume()
    assert worker.result().name == "a"
    bench.pause()
    worker = Worker(lambda: next(results))
    watch.await_threads(1)
    assert worker.is_running
    bench.resume()
    assert worker.result().name == "b"
    assert list(results) == []


def test_stop_ends_a_paused_bench(position: Position, watch: Watch) -> None:
    bench = Bench([Entry("a", position)], depth=50)
    bench.pause()
    worker = Worker(lambda: list(bench.run()))
    watch.await_threads(1)
    bench.stop()
    assert worker.result() == []
