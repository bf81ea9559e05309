"""The event loop behind the client on standard input and output.

Tasks and their owners: an outer group owns the task that writes what could not be written
at once, the task that makes the calls that are due later, and the task that waits for
signals; an inner group owns one task for each running job. The body of the inner group
reads commands. When reading ends (end of input, `quit`, a signal, a reader that has gone)
all searches are stopped, the body waits until nothing runs and nothing is due, and the
outer one until that is written.

Nothing is read while much is unwritten, or while commands wait for what was said before
them, so that memory is bounded.
"""

import math
import os
import signal
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import TaskGroup, TaskStatus
from anyio.lowlevel import checkpoint

from kibitz.engine.version import VERSION
from kibitz.protocol.dialects import Heard
from kibitz.protocol.faults import describe_bug
from kibitz.protocol.jobs import Job
from kibitz.protocol.service import JobOwner
from kibitz.protocol.stdio import READ_SIZE, StdioClient

if TYPE_CHECKING:
    from kibitz.protocol.logs import Logger


def serve(client: StdioClient, source: int, heard: Heard, log: "Logger | None" = None) -> None:
    """Serve a client: first what was read already, then the descriptor.

    Returns when the client has gone, or has been told everything.
    """
    anyio.run(_serve, client, source, heard, log)


async def _serve(client: StdioClient, source: int, heard: Heard, log: "Logger | None") -> None:
    await StdioLoop(client, source, log).serve(heard)


class StdioLoop:
    """Serves one client from one descriptor."""

    def __init__(self, client: StdioClient, source: int, log: "Logger | None" = None) -> None:
        """Read from the descriptor `source`, which may be of any kind; made in the loop."""
        self._client = client
        self._service = client.service
        self._source = source
        self._log = log
        self._changed = anyio.Event()
        self._reading = anyio.CancelScope()
        self._interrupted = False
        self._jobs: TaskGroup | None = None
        # Each running job has a thread, however many there are.
        self._threads = anyio.CapacityLimiter(math.inf)
        client.notify = self._notify
        self._service.notify = self._notify
        self._service.run = self._run

    async def serve(self, heard: Heard) -> None:
        """Serve the client to the end."""
        async with anyio.create_task_group() as helpers:
            helpers.start_soon(self._write)
            # A signal that comes after the first answer must find its handler.
            await helpers.start(self._heed_signals)
            self._tell("started", version=VERSION)
            async with anyio.create_task_group() as self._jobs:
                helpers.start_soon(self._make_calls)
                try:
                    with self._reading:
                        await self._read(heard)
                finally:
                    self._tell("stopping", interrupted=self._interrupted)
                    self._client.close()
                # A call that is due may start a job, and the end of a job may make one due.
                while self._service.is_busy:
                    await self._change()
            # After a signal nobody should have to wait for a reader that is stuck.
            while self._client.unwritten and not self._interrupted:
                await self._change()
            helpers.cancel_scope.cancel()
        self._tell("stopped", unwritten=self._client.unwritten)

    # Waking up the tasks: there is one event, and whoever waits looks for what it needs.

    def _notify(self) -> None:
        if self._client.outbox.is_broken:
            self._reading.cancel()
        self._changed.set()
        self._changed = anyio.Event()

    async def _change(self) -> None:
        await self._changed.wait()

    # Reading.

    async def _read(self, heard: Heard) -> None:
        data = b"\n"
        while True:
            for conversation, item in heard:
                conversation.receive(item)
                if self._client.is_closing:
                    return
                await self._room()
            if not data:
                return
            data = await self._receive()
            dialects = self._client.dialects
            heard = dialects.feed(data) if data else dialects.finish()

    async def _room(self) -> None:
        """Let others have their turn, and wait until more can be read."""
        await checkpoint()
        while self._client.is_crowded:
            await self._change()

    async def _receive(self) -> bytes:
        """Read some bytes; none at the end of input."""
        while True:
            try:
                await anyio.wait_readable(self._source)
            except PermissionError:
                # A file on a disk cannot be waited for, and never has to be.
                await checkpoint()
            try:
                return os.read(self._source, READ_SIZE)
            except BlockingIOError:
                continue
            except OSError:
                return b""  # a terminal that has gone

    # Writing, as far as it could not be done at once.

    async def _write(self) -> None:
        while True:
            if self._client.unwritten:
                await anyio.wait_writable(self._client.outbox.descriptor)
                self._client.flush()
                self._notify()
            else:
                await self._change()

    # Signals.

    async def _heed_signals(self, *, task_status: TaskStatus[None]) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                self._interrupted = True
                self._reading.cancel()
                self._notify()

    # The log.

    def _tell(self, event: str, **values: Any) -> None:
        if self._log is not None:
            self._log.info(event, **values)

    # Jobs, and calls that are due later.

    async def _make_calls(self) -> None:
        calls = self._service.calls
        while True:
            if calls:
                calls.popleft()()
                self._notify()
                await checkpoint()
            else:
                await self._change()

    def _run(self, owner: JobOwner, job: Job) -> None:
        assert self._jobs is not None
        self._jobs.start_soon(self._work, owner, job)

    async def _work(self, owner: JobOwner, job: Job) -> None:
        """Run a job in a worker thread, and tell its owner of the end."""
        result: Any = None
        failed: Exception | None = None
        report = partial(self._report, owner, job)
        if self._log is not None:
            self._log.debug("job_started", job=type(job).__name__)
        try:
            job.prepare()
            result = await to_thread.run_sync(job.run, report, limiter=self._threads)
        except Exception as error:  # noqa: BLE001 - the owner has to be told
            failed = error
        if self._log is not None:
            wrong = "" if failed is None else describe_bug(failed)
            self._log.debug("job_ended", job=type(job).__name__, error=wrong)
        self._service.ended(job, result)
        owner.ended(job, result, failed)
        self._notify()

    def _report(self, owner: JobOwner, job: Job, report: Any) -> None:
        """Bring a report from the worker thread into the loop's."""
        from_thread.run_sync(self._reported, owner, job, report)

    def _reported(self, owner: JobOwner, job: Job, report: Any) -> None:
        self._service.reported(job, report)
        owner.reported(job, report)
