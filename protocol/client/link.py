"""What lies under a client: bytes to and from a program or a server.

`Link` is the interface; `kibitz.protocol.client.process` and `sockets` have the two kinds.
`own_tasks` is the task group that the client's background tasks belong to.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream, TaskGroup

from kibitz.protocol.client.errors import ConnectionLost, EngineError

READ_SIZE = 64 * 1024
_FIRST = 2
"""The bytes that are kept of what came first."""

Failure = Callable[[], EngineError]
"""Makes the exception for one waiting call: each needs its own, with its own traceback."""


class Link(ABC):
    """Bytes to and from whatever answers."""

    @abstractmethod
    async def watch(self) -> None:
        """Do what has to be done beside reading and writing, if there is anything."""

    @abstractmethod
    async def receive(self) -> bytes:
        """Read some bytes; none at the end or when the other side is lost."""

    @abstractmethod
    async def send(self, data: bytes) -> bool:
        """Write bytes; gives False when the other side is lost."""

    @abstractmethod
    async def end_input(self) -> None:
        """Tell the other side, where that is possible, that nothing more will be written."""

    @abstractmethod
    async def failure(self) -> Failure:
        """Find out how it ended, after the end was read."""

    @abstractmethod
    async def close(self, patience: float) -> None:
        """End it for sure: in peace, if the other side goes by itself in so many seconds."""


class StreamLink(Link):
    """A stream of bytes, such as a connection to a server."""

    def __init__(
        self, stream: ByteStream, name: str, explain: Callable[[bytes], str] | None = None
    ) -> None:
        """Own an open stream; `name` says in errors what it leads to.

        `explain` is given the first bytes that came before the end, and says what the end
        may mean; nothing if it is empty.
        """
        self._stream = stream
        self._name = name
        self._reason = "it was closed by the other side"
        self._explain = explain
        self._first = b""

    async def watch(self) -> None:
        """Do nothing."""

    async def receive(self) -> bytes:
        """Read some bytes; none at the end."""
        try:
            data = await self._stream.receive(READ_SIZE)
        except anyio.EndOfStream:
            return b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            self._reason = str(error.__cause__ or error) or "it broke"
            return b""
        if len(self._first) < _FIRST:
            self._first += data[:_FIRST]
        return data

    async def send(self, data: bytes) -> bool:
        """Write bytes."""
        try:
            await self._stream.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return False
        return True

    async def end_input(self) -> None:
        """Do nothing: TLS cannot end one direction alone."""

    async def failure(self) -> Failure:
        """Say that the connection is lost."""
        text = f"the connection to {self._name} is lost: {self._reason}"
        if self._explain is not None and (meaning := self._explain(self._first)):
            text += f"; {meaning}"
        return lambda: ConnectionLost(text)

    async def close(self, patience: float) -> None:
        """Close at once: whoever receives knows by now whether the other side goes by itself.

        That may still go on, and is ended by this; there must not be a second who receives.
        """
        await anyio.aclose_forcefully(self._stream)


@asynccontextmanager
async def own_tasks() -> AsyncIterator[TaskGroup]:
    """Give a task group whose tasks are cancelled when the body ends.

    An exception of the body comes out as it is, not in a group: the tasks are our own
    business, and whoever writes `except EngineError` need not know of them.
    """
    kept: Exception | None = None
    async with anyio.create_task_group() as group:
        try:
            yield group
        except Exception as error:  # noqa: BLE001 - raised again below
            kept = error
        group.cancel_scope.cancel()
    if kept is not None:
        raise kept
