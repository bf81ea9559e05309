"""The event loop behind a text client on standard input and output.

Tasks and their owners: an outer group owns the task that writes what could not be written
at once and the task that waits for signals; an inner group owns one task for each running
job. The body of the inner group reads commands. When reading ends (end of input, `quit`,
a signal, a reader that has gone) all searches are stopped, the inner group waits until
they have been answered, and the outer one until that is written.

Nothing is read while much is unwritten, or while commands wait for a stopped search to
end, so that memory is bounded.
"""

import os
import signal
from collections.abc import Iterable
from functools import partial
from typing import Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import TaskGroup, TaskStatus
from anyio.lowlevel import checkpoint

from kibitz.protocol.commands import Command
from kibitz.protocol.jobs import Job
from kibitz.protocol.replies import Fault
from kibitz.protocol.session import Session
from kibitz.protocol.stdio import READ_SIZE, TextClient


def serve(client: TextClient, source: int, read: Iterable[Command | Fault]) -> None:
    """Serve a client: first the commands that were read already, then the descriptor's.

    Returns when the client has gone, or has been told everything.
    """
    anyio.run(_serve, client, source, read)


async def _serve(client: TextClient, source: int, read: Iterable[Command | Fault]) -> None:
    await StdioLoop(client, source).serve(read)


class StdioLoop:
    """Serves one client from one descriptor."""

    def __init__(self, client: TextClient, source: int) -> None:
        """Read from the descriptor `source`, which may be of any kind; made in the loop."""
        self._client = client
        self._source = source
        self._changed = anyio.Event()
        self._reading = anyio.CancelScope()
        self._interrupted = False
        self._jobs: TaskGroup | None = None
        client.start_job = self._start_job
        client.notify = self._notify

    async def serve(self, read: Iterable[Command | Fault]) -> None:
        """Serve the client to the end."""
        async with anyio.create_task_group() as helpers:
            helpers.start_soon(self._write)
            # A signal that comes after the first answer must find its handler.
            await helpers.start(self._heed_signals)
            async with anyio.create_task_group() as self._jobs:
                try:
                    with self._reading:
                        await self._read(read)
                finally:
                    self._client.hub.close()
            # After a signal nobody should have to wait for a reader that is stuck.
            while self._client.outbox.size and not self._interrupted:
                await self._change()
            helpers.cancel_scope.cancel()

    # Waking up the tasks: there is one event, and whoever waits looks for what it needs.

    def _notify(self) -> None:
        if self._client.outbox.is_broken:
            self._reading.cancel()
        self._changed.set()
        self._changed = anyio.Event()

    async def _change(self) -> None:
        await self._changed.wait()

    # Reading.

    async def _read(self, items: Iterable[Command | Fault]) -> None:
        hub = self._client.hub
        data = b"\n"
        while True:
            for item in items:
                hub.receive(item)
                if hub.is_closing:
                    return
                await self._room()
            if not data:
                return
            data = await self._receive()
            items = self._client.codec.feed(data) if data else self._client.codec.finish()

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
        outbox = self._client.outbox
        while True:
            if outbox.size:
                await anyio.wait_writable(outbox.descriptor)
                outbox.flush()
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

    # Jobs.

    def _start_job(self, session: Session, job: Job) -> None:
        assert self._jobs is not None
        self._jobs.start_soon(self._work, session, job)

    async def _work(self, session: Session, job: Job) -> None:
        """Run a job in a worker thread, and tell its session of the end."""
        result: Any = None
        failed: Exception | None = None
        try:
            result = await to_thread.run_sync(job.run, partial(self._report, session, job))
        except Exception as error:  # noqa: BLE001 - the session has to be told
            failed = error
        session.ended(job, result, failed)
        self._notify()

    @staticmethod
    def _report(session: Session, job: Job, report: Any) -> None:
        """Bring a report from the worker thread into the loop's."""
        from_thread.run_sync(session.reported, job, report)
