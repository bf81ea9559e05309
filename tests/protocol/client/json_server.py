"""A little server of JSON lines for the tests, with the real desk and real searches.

It stands in for `kibitz serve`, so that the client's tests need no server. It cuts
connections to order: now, or after so many bytes in either direction.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import ByteStream, SocketAttribute, TaskGroup

from kibitz.protocol.framing import LineSplitter
from kibitz.protocol.jobs import Job
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.quota import LOCAL, Quota
from kibitz.protocol.service import JobOwner
from tests.protocol.json.json_host import TOKEN, ManualService

_LOST = (OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


class LoopService(ManualService):
    """A service whose jobs run in worker threads of the event loop."""

    def __init__(self, server: "JsonServer") -> None:
        super().__init__(server.quota, is_admitted=not server.wants_token)
        self.kept = server.kept
        self.grace_seconds = server.grace_seconds
        self._server = server
        self.connection: Connection | None = None

    def later(self, call: Callable[[], None]) -> None:
        self._server.tasks.start_soon(self._call, call)

    async def _call(self, call: Callable[[], None]) -> None:
        call()

    def start(
        self,
        owner: JobOwner,
        job: Job,
        *,
        threads: int = 1,
        priority: int = 0,
        asked: float | None = None,
    ) -> None:
        super().start(owner, job, threads=threads, priority=priority, asked=asked)
        self._server.tasks.start_soon(self._work, owner, job)

    def stop(self, job: Job) -> None:
        super().stop(job)
        self._server.stopped += 1

    async def _work(self, owner: JobOwner, job: Job) -> None:
        job.prepare()

        def report(item: Any) -> None:
            from_thread.run_sync(owner.reported, job, item)

        try:
            with anyio.CancelScope(shield=True):
                result = await to_thread.run_sync(job.run, report, limiter=self._server.threads)
        finally:
            self.jobs = [started for started in self.jobs if started.job is not job]
        owner.ended(job, result)

    def resume(self, token: str, desk: Desk, check: Callable[[Desk], None]) -> Desk:
        kept = super().resume(token, desk, check)
        self._server.move(kept, desk)
        return kept


class Connection:
    """One client."""

    def __init__(self, stream: ByteStream, desk: Desk) -> None:
        self.stream = stream
        self.desk = desk
        self.changed = anyio.Event()

    def notify(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


class JsonServer:
    """What runs."""

    def __init__(self, tasks: TaskGroup, wants_token: bool, quota: Quota, grace: float) -> None:
        self.tasks = tasks
        self.wants_token = wants_token
        self.quota = quota
        self.grace_seconds = grace
        self.port = 0
        self.kept: dict[str, Desk] = {}
        self.connections: list[Connection] = []
        self.accepted = 0
        self.stopped = 0
        """How many jobs were stopped."""
        self.refuses = False
        """Whether new connections are closed at once."""
        self.is_deaf = False
        """Whether nothing is answered."""
        self.cut_after: Callable[[], int] | None = None
        """Gives the bytes that a new connection may send and receive."""
        self.threads = anyio.CapacityLimiter(4)

    async def cut(self) -> None:
        """Cut all connections."""
        for connection in list(self.connections):
            await anyio.aclose_forcefully(connection.stream)

    def move(self, kept: Desk, asking: Desk) -> None:
        """Let the connection of a desk go on with another desk."""
        (connection,) = [c for c in self.connections if c.desk is asking]
        for other in self.connections:
            if other.desk is kept:
                other.desk = asking
                self.tasks.start_soon(anyio.aclose_forcefully, other.stream)
        connection.desk = kept
        kept.mailbox.notify = connection.notify
        connection.notify()

    async def serve(self, stream: ByteStream) -> None:
        """Serve one client."""
        self.accepted += 1
        if self.refuses:
            await anyio.aclose_forcefully(stream)
            return
        budget = None if self.cut_after is None else self.cut_after()
        connection = Connection(stream, Desk(LoopService(self)))
        connection.desk.mailbox.notify = connection.notify
        self.connections.append(connection)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._write, connection, budget, group.cancel_scope)
                await self._read(connection, budget)
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.aclose_forcefully(stream)
            self.connections.remove(connection)
            desk = connection.desk
            if desk.is_resumable and desk in self.kept.values():
                desk.detach()
            else:
                desk.close()

    async def _read(self, connection: Connection, budget: int | None) -> None:
        splitter = LineSplitter()
        try:
            async for data in connection.stream:
                if budget is not None:
                    data = data[:budget]
                    budget -= len(data)
                if self.is_deaf:
                    continue
                for line in splitter.feed(data):
                    item = connection.desk.read(line)
                    if item is not None:
                        connection.desk.receive(item)
                if budget == 0:
                    return
        except _LOST:
            return

    async def _write(
        self, connection: Connection, budget: int | None, scope: anyio.CancelScope
    ) -> None:
        try:
            while True:
                changed = connection.changed
                data = connection.desk.mailbox.take(64 * 1024)
                if not data:
                    await changed.wait()
                    continue
                if budget is not None:
                    data = data[:budget]
                    budget -= len(data)
                await connection.stream.send(data)
                if budget == 0:
                    break
        except _LOST:
            pass
        scope.cancel()


@asynccontextmanager
async def json_server(
    *, wants_token: bool = True, quota: Quota = LOCAL, grace: float = 60.0
) -> AsyncIterator[JsonServer]:
    """Run a server on a free port of this machine."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as group:
        server = JsonServer(group, wants_token, quota, grace)
        server.port = listener.extra(SocketAttribute.local_port)
        group.start_soon(listener.serve, server.serve)
        try:
            yield server
        finally:
            for desk in [*server.kept.values(), *(c.desk for c in server.connections)]:
                desk.close()
            group.cancel_scope.cancel()


__all__ = ["TOKEN", "JsonServer", "json_server"]
