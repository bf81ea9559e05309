"""A bridge: standard input and output on one side, a kibitz server on the other.

A board program or match runner starts it in the place of an engine, and need not know that
the engine is elsewhere. Bytes pass both ways as they are, and no faster than the slower side
takes them. Three lines are the bridge's own: `auth TOKEN` at the start, whose answer it
keeps; `quit` at the end of the input, since TLS cannot end one direction alone; and one
error to both sides when the server is lost.
"""

import os
import select

import anyio
import msgspec
from anyio.abc import ByteStream
from anyio.lowlevel import checkpoint

from kibitz.protocol.client.errors import CannotOpen
from kibitz.protocol.client.lines import Admitted, Failed, read_line
from kibitz.protocol.client.sockets import Address, connect

READ_SIZE = 64 * 1024
PIECE = select.PIPE_BUF
"""The most bytes written at once: a pipe that polls as writable has room for as many."""

HANDSHAKE = 15.0
"""The seconds that a server may take for the connection, and again for the token."""
LAST_SILENCE = 30.0
"""The seconds that a server may be silent after `quit`."""
_MOST_ANSWER = 64 * 1024

_LOST = (OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


class Ends(msgspec.Struct, frozen=True):
    """The descriptors of a bridge's near side: input, output, errors."""

    source: int = 0
    sink: int = 1
    errors: int = 2


def run_bridge(
    address: Address, token: str | None, ca: str | None = None, ends: Ends | None = None
) -> int:
    """Run a bridge to its end; gives the exit status, 0 when both sides wanted the end."""
    return anyio.run(_run, address, token, ca, ends or Ends())


async def _run(address: Address, token: str | None, ca: str | None, ends: Ends) -> int:
    try:
        stream = await connect(address, HANDSHAKE, ca)
        bridge = Bridge(stream, ends, str(address))
        try:
            if token is not None:
                await bridge.identify(token)
            await bridge.pass_on()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.aclose_forcefully(stream)
    except CannotOpen as error:
        await _tell(ends, str(error))
        return 1
    return 0


async def _tell(ends: Ends, text: str) -> None:
    """Say what is wrong: people read standard error, and programs standard output."""
    line = " ".join(text.split())
    await _write(ends.errors, f"kibitz: {line}\n".encode())
    await _write(ends.sink, f"info string error internal: {line}\n".encode())


class Bridge:
    """Both directions, over a connection that is open."""

    def __init__(self, stream: ByteStream, ends: Ends, name: str) -> None:
        """Use a connection; `name` says in errors where it leads."""
        self._stream = stream
        self._ends = ends
        self._name = name
        self._early = b""
        # The beginning of the line that is being sent, to see whether it is `quit`.
        self._line = bytearray()
        self._is_leaving = False
        self._ends_line = True
        self._receiving = anyio.CancelScope()

    async def identify(self, token: str) -> None:
        """Tell the server our token; raises `CannotOpen` if it is refused."""
        answer = b""
        try:
            with anyio.fail_after(HANDSHAKE):
                await self._stream.send(f"auth {token}\n".encode())
                while b"\n" not in answer:
                    if len(answer) > _MOST_ANSWER:
                        raise CannotOpen(f"{self._name}: it does not answer like a kibitz server")
                    answer += await self._stream.receive(READ_SIZE)
        except TimeoutError:
            raise CannotOpen(f"{self._name}: no answer within {HANDSHAKE:g} seconds") from None
        except _LOST:
            raise CannotOpen(f"{self._name}: it closed the connection at once") from None
        line, _, self._early = answer.partition(b"\n")
        event = read_line(line.decode(errors="replace"))
        if isinstance(event, Failed):
            raise CannotOpen(f"{self._name}: {event.code}: {event.text}")
        if not isinstance(event, Admitted):
            raise CannotOpen(f"{self._name}: it does not answer like a kibitz server")

    async def pass_on(self) -> None:
        """Pass bytes until the server ends; raises `CannotOpen` if nobody wanted that."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._pass_there)
            trouble = await self._pass_here()
            group.cancel_scope.cancel()
        if trouble is None:
            return
        if not self._ends_line:
            await _write(self._ends.sink, b"\n")
        raise CannotOpen(trouble)

    async def _pass_here(self) -> str | None:
        """Pass answers on to the output; gives what is wrong at the end, if something is."""
        data = self._early
        while True:
            if data and not await _write(self._ends.sink, data):
                return None  # nobody reads the answers any more
            self._ends_line = data.endswith(b"\n") or (self._ends_line and not data)
            with self._receiving:
                if self._is_leaving:
                    self._hurry()
                try:
                    data = await self._stream.receive(READ_SIZE)
                except _LOST:
                    if self._is_leaving:
                        return None
                    return f"the connection to {self._name} is lost"
            if self._receiving.cancelled_caught:
                return f"{self._name} did not end within {LAST_SILENCE:g} seconds after quit"
            self._receiving = anyio.CancelScope()

    def _hurry(self) -> None:
        """Wait for the server no longer than it takes to say that it hangs."""
        self._receiving.deadline = anyio.current_time() + LAST_SILENCE

    async def _pass_there(self) -> None:
        """Pass input on to the server; at its end, `quit`."""
        while data := await _read(self._ends.source):
            self._watch(data)
            if not await self._send(data):
                return
        await self._leave()

    async def _leave(self) -> None:
        """Say `quit`, on a line of its own."""
        ending = b"\nquit\n" if self._line else b"quit\n"
        self._is_leaving = True
        if await self._send(ending):
            self._hurry()

    def _watch(self, data: bytes) -> None:
        """See whether the input says `quit`, after which the server may go."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            if self._line.strip() == b"quit":
                self._is_leaving = True
            self._line.clear()
        self._line += rest
        # Only whether it is empty, and whether it is that word, matters.
        if len(self._line) > 2 * READ_SIZE:
            del self._line[READ_SIZE:]

    async def _send(self, data: bytes) -> bool:
        """Send to the server; False if it is lost, which whoever receives will see."""
        try:
            await self._stream.send(data)
        except _LOST:
            return False
        return True


async def _read(descriptor: int) -> bytes:
    """Read some bytes; none at the end of input."""
    while True:
        try:
            await anyio.wait_readable(descriptor)
        except PermissionError:
            # A file on a disk cannot be waited for, and never has to be.
            await checkpoint()
        except (OSError, ValueError):
            return b""  # it was closed before we were started
        try:
            return os.read(descriptor, READ_SIZE)
        except BlockingIOError:
            continue
        except OSError:
            return b""  # a terminal that has gone


async def _write(descriptor: int, data: bytes) -> bool:
    """Write all bytes; gives False when nobody reads them.

    The descriptor stays in blocking mode, which other processes share: so it is written to
    only when there is room, and never more than there is room for.
    """
    view = memoryview(data)
    while view:
        try:
            await anyio.wait_writable(descriptor)
        except PermissionError:
            await checkpoint()  # a file on a disk
        except (OSError, ValueError):
            return False
        try:
            view = view[os.write(descriptor, view[:PIECE]) :]
        except BlockingIOError:
            continue
        except OSError:
            return False
    return True
