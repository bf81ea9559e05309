"""Jobs that are made when their turn comes."""

from typing import Any

import pytest

from kibitz.protocol.jobs import Job, Report
from kibitz.protocol.json.lazy_job import LazyJob
from kibitz.protocol.replies import BestMove, Reply


class Inner(Job):
    """Keeps what is done to it."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def prepare(self) -> None:
        self.events.append("prepare")

    def run(self, report: Report) -> Any:
        report("report")
        self.events.append("run")
        return "result"

    def stop(self) -> None:
        self.events.append("stop")

    def pause(self) -> None:
        self.events.append("pause")

    def resume(self) -> None:
        self.events.append("resume")

    def progress(self, report: Any) -> list[Reply]:
        return [BestMove(report)]

    def answer(self, result: Any) -> list[Reply]:
        return [BestMove(result)]


class Made:
    """Makes one job, and says whether it has."""

    def __init__(self) -> None:
        self.inner: Inner | None = None
        self.job = LazyJob(self.make)

    def make(self) -> Inner:
        assert self.inner is None
        self.inner = Inner()
        return self.inner


def test_a_job_is_made_when_it_is_prepared() -> None:
    made = Made()
    assert made.inner is None
    made.job.prepare()
    assert made.inner is not None
    reports: list[Any] = []
    assert made.job.run(reports.append) == "result"
    for call in (made.job.pause, made.job.resume, made.job.stop):
        call()
    assert made.inner.events == ["prepare", "run", "pause", "resume", "stop"]
    assert made.job.progress(reports[0]) == [BestMove("report")]
    assert made.job.answer("result") == [BestMove("result")]
    assert len(made.job.failure(KeyError())) == 1


def test_a_job_that_was_stopped_before_is_not_made() -> None:
    made = Made()
    made.job.stop()
    made.job.prepare()
    assert made.inner is None
    assert made.job.run(lambda report: None) is None
    assert made.job.answer(None) == []
    assert made.job.progress(None) == []
    assert len(made.job.failure(KeyError())) == 1


@pytest.mark.parametrize("resumed", [False, True])
def test_a_pause_before_the_job_is_made(resumed: bool) -> None:
    made = Made()
    made.job.pause()
    if resumed:
        made.job.resume()
    made.job.prepare()
    assert made.inner is not None
    assert made.inner.events == ["prepare"] + ["pause"] * (not resumed)
    assert isinstance(made.job, Job)


def test_a_job_stopped_while_it_is_made() -> None:
    made = Made()

    def make() -> Inner:
        made.job.stop()
        return made.make()

    made.job = LazyJob(make)
    made.job.prepare()
    assert made.inner is not None
    assert made.inner.events == ["prepare", "stop"]
