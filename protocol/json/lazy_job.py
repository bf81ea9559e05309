"""A job that is made when its turn has come.

Of a thousand analyses that wait, each costs what it takes to remember it: the search, its
buffers and its table are made in `prepare`, and its times count from then.
"""

from collections.abc import Callable
from typing import Any

from kibitz.protocol.jobs import Job, Report
from kibitz.protocol.replies import Reply


class LazyJob(Job):
    """Stands for a job that `make` makes. If it was stopped before, none is made.

    `run` then gives None. Reports and results are those of the job that was made.
    """

    def __init__(self, make: Callable[[], Job]) -> None:
        self._make = make
        self._job: Job | None = None
        self._is_stopped = False
        self._is_paused = False

    def prepare(self) -> None:
        """Make the job, unless it is not wanted any more."""
        if self._is_stopped:
            return
        job = self._make()
        job.prepare()
        self._job = job
        # Whatever was said meanwhile by another thread found no job to be told.
        if self._is_stopped:
            job.stop()
        if self._is_paused:
            job.pause()

    def run(self, report: Report) -> Any:
        """Run the job; gives None if there is none."""
        return None if self._job is None else self._job.run(report)

    def stop(self) -> None:
        """Stop the job, or see to it that none is made."""
        self._is_stopped = True
        if self._job is not None:
            self._job.stop()

    def pause(self) -> None:
        """Let the job rest, also one that is still to be made."""
        self._is_paused = True
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        """Let the job go on."""
        self._is_paused = False
        if self._job is not None:
            self._job.resume()

    def progress(self, report: Any) -> list[Reply]:
        """Turn a report of the job into replies."""
        return [] if self._job is None else self._job.progress(report)

    def answer(self, result: Any) -> list[Reply]:
        """Turn the job's result into replies; none if there was no job."""
        return [] if self._job is None or result is None else self._job.answer(result)

    def failure(self, error: BaseException) -> list[Reply]:
        """Give the last replies after an exception."""
        return super().failure(error) if self._job is None else self._job.failure(error)
