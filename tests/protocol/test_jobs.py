"""What jobs do besides answering, which the tests of sessions cover."""

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.protocol.jobs import BenchJob, Job, PerftJob, SearchJob, SearchSettings
from kibitz.protocol.replies import Total
from kibitz.search import clock
from kibitz.search.bench import Bench, sample_positions
from kibitz.search.driver import Search
from kibitz.search.limits import Limit
from kibitz.search.table import Table
from tests.protocol.host import ScriptedSearch
from tests.search.watched import Watch


@pytest.fixture
def play() -> Play:
    return Play(find_game("talisman"), {})


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


def search(play: Play) -> Job:
    job = SearchJob(Search, play, lambda: Table(1), SearchSettings(limit=Limit(depth=2)))
    job.prepare()
    return job


def ignore(job: Job, report: Any) -> None:
    """Stand for a report function that knows its job."""


def perft(play: Play) -> Job:
    return PerftJob(play, 2)


def bench(play: Play) -> Job:
    return BenchJob(Bench(sample_positions([play.game])[:1], 2))


@pytest.mark.parametrize("make", [search, perft, bench])
def test_jobs_are_paused_and_resumed(make: Callable[[Play], Job], play: Play, watch: Watch) -> None:
    plain = make(play)
    plain.prepare()
    wanted = plain.answer(plain.run(lambda report: None))
    job = make(play)
    job.pause()
    job.resume()
    assert len(job.answer(job.run(lambda report: None))) == len(wanted)
    # Only a closed gate would have been slept at.
    assert not watch.has_arrival(0)
    job = make(play)
    job.pause()
    job.stop()
    assert job.answer(job.run(lambda report: None))


def test_what_is_done_to_a_job_is_done_to_its_search(play: Play) -> None:
    made: list[ScriptedSearch] = []

    def make(*values: object, **named: object) -> ScriptedSearch:
        made.append(ScriptedSearch(*values, **named))  # type: ignore[arg-type]
        return made[-1]

    job = SearchJob(make, play, lambda: Table(1), SearchSettings(limit=Limit()))
    job.prepare()
    job.pause()
    job.resume()
    job.ponderhit()
    job.stop()
    assert made[0].events == ["pause", "resume", "ponderhit", "stop"]


def test_what_is_said_before_the_search_is_made_is_not_lost(play: Play) -> None:
    made: list[ScriptedSearch] = []
    tables: list[Table] = []

    def make(*values: Any, **named: Any) -> ScriptedSearch:
        made.append(ScriptedSearch(*values, **named))
        return made[-1]

    def take() -> Table:
        tables.append(Table(1))
        return tables[-1]

    settings = SearchSettings(limit=Limit(), pondering=True)
    job = SearchJob(make, play, take, settings)
    begun = clock.now()
    job.pause()
    job.ponderhit()
    job.prepare()
    assert made[0].events == ["pause"]
    assert made[0].given[-1] is False
    assert made[0].begun is not None
    assert made[0].begun >= begun
    job = SearchJob(make, play, take, settings)
    job.stop()
    job.prepare()
    assert made[1].events == ["stop"]
    assert len(tables) == 1


def test_a_stopped_perft_says_so(play: Play) -> None:
    job = PerftJob(play, 3)
    job.stop()
    assert job.run(lambda report: None) == Total(0, 0, stopped=True)


def test_a_job_that_is_over_does_not_hold_its_table(play: Play) -> None:
    """The memory of a table has to be free at once, not when circles are collected."""
    table = Table(1)
    before = sys.getrefcount(table)
    gc.collect()
    gc.disable()
    try:
        settings = SearchSettings(limit=Limit(depth=2), threads=2)
        job = SearchJob(Search, play, [table].pop, settings)
        job.prepare()
        job.run(partial(ignore, job))
        del job
        assert sys.getrefcount(table) == before
    finally:
        gc.enable()
