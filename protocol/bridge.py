"""A bridge: standard input and output on one side, a kibitz server on the other.

A board program or match runner starts it in the place of an engine, and need not know that
the engine is elsewhere. Lines of UGI and UCI pass both ways as they are, and no faster than
the slower side takes them. The bridge says a few of its own (`bridge_talk` puts them in, and
keeps their answers): who it is, `quit` at the end of the input, since TLS cannot end one
direction alone, and, when the server has been silent for a while, the question whether it
lives. When the server is lost, one error tells it to both sides.

A token is never sent without TLS before the other side has answered as a server does that
speaks without TLS, too.

SIGINT and SIGTERM do what they do to an engine: searches are stopped and answered, then the
bridge ends.
"""

import os
import select
import signal

import anyio
import msgspec
from anyio.abc import ByteStream, TaskGroup, TaskStatus
from anyio.lowlevel import checkpoint

from kibitz.engine.options import printable
from kibitz.protocol.bridge_talk import PING, PONG, NotText, Talk
from kibitz.protocol.client.errors import CannotOpen
from kibitz.protocol.client.lines import Admitted, Event, Failed, read_line
from kibitz.protocol.client.silence import KEEPALIVE, silent_for
from kibitz.protocol.client.sockets import Address, Ways, connect
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.signals import leave_at_signals

READ_SIZE = 64 * 1024
PIECE = select.PIPE_BUF
"""The most bytes written at once: a pipe that polls as writable has room for as many."""

PATIENCE = KEEPALIVE
"""The seconds that a server may be silent, if nothing else is said."""
HANDSHAKE = 15.0
"""The most seconds that a server may take for the connection, and again for its answer."""
LAST_WRITE = 2.0
"""The seconds that the program may take for its last answers after a signal."""
_MOST_ANSWER = 64 * 1024

WAYS = Ways("--tls", "--plain")
ASKS_WHO = "it asks for a token, which KIBITZ_TOKEN or a file named by --token-file can give"
NOT_TEXT = (
    "UGI and UCI pass through `kibitz connect`, JSON lines do not: programs that speak them "
    "connect to the server themselves"
)

_LOST = (OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)


class Ends(msgspec.Struct, frozen=True):
    """The descriptors of a bridge's near side: input, output, errors."""

    source: int = 0
    sink: int = 1
    errors: int = 2


class Trouble(Exception):  # noqa: N818 - it is not the bridge's error
    """Why a bridge ends that was still wanted.

    A server that cannot be reached or is lost has the code `no_session`: of all that went
    wrong, the program has to know that the engine it talked to is not there.
    """

    def __init__(self, text: str, code: str = ErrorCode.NO_SESSION) -> None:
        super().__init__(text)
        self.code = code


def run_bridge(
    address: Address,
    token: str | None,
    ca: str | None = None,
    patience: float = PATIENCE,
    ends: Ends | None = None,
) -> int:
    """Run a bridge to its end; gives the exit status, 0 when both sides wanted the end.

    `patience` is the seconds that the server may be silent.
    """
    leave_at_signals()
    status = anyio.run(_run, address, token, ca, patience, ends or Ends())
    leave_at_signals()
    return status


async def _run(
    address: Address, token: str | None, ca: str | None, patience: float, ends: Ends
) -> int:
    bridge = Bridge(address, patience, ends)
    status = 0
    async with anyio.create_task_group() as tasks:
        await tasks.start(bridge.heed_signals, tasks.cancel_scope)
        try:
            await bridge.run(token, ca)
        except Trouble as trouble:
            status = 1
            with anyio.move_on_after(patience):
                await _tell(ends, trouble)
        tasks.cancel_scope.cancel()
    return status


async def _tell(ends: Ends, trouble: Trouble) -> None:
    """Say what is wrong: people read standard error, and programs standard output."""
    line = printable(" ".join(str(trouble).split()))
    await _write(ends.errors, f"kibitz: {line}\n".encode())
    await _write(ends.sink, f"info string error {trouble.code}: {line}\n".encode())


class Bridge:
    """Both directions."""

    def __init__(self, address: Address, patience: float, ends: Ends) -> None:
        """Lead to an address; made in the event loop."""
        self._address = address
        self._patience = patience
        self._ends = ends
        self._talk = Talk()
        self._stream: ByteStream
        self._early = b""
        self._has_answered = False
        self._ends_line = True
        self._trouble: Trouble | None = None
        self._tasks: TaskGroup | None = None
        self._sending = anyio.Lock()
        self._heard_at = 0.0
        """Since when the server is silent, and we listen."""
        self._is_interrupted = False
        self._reading = anyio.CancelScope()
        self._receiving = anyio.CancelScope()
        self._giving = anyio.CancelScope()

    async def run(self, token: str | None, ca: str | None) -> None:
        """Connect, and pass everything on to the end; raises `Trouble` if nobody wanted it."""
        try:
            self._stream = await connect(self._address, self._handshake, ca, WAYS)
        except CannotOpen as error:
            raise Trouble(str(error)) from error
        try:
            await self._introduce(token)
            await self._pass_on()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.aclose_forcefully(self._stream)
        if self._trouble is not None:
            if not self._ends_line:
                await self._give(b"\n")
            raise self._trouble

    async def heed_signals(
        self, whole: anyio.CancelScope, *, task_status: TaskStatus[None]
    ) -> None:
        """End in good order at a signal: at once while nothing was passed on."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                if self._tasks is None:
                    whole.cancel()
                self._is_interrupted = True
                self._reading.cancel()
                self._giving.deadline = anyio.current_time() + LAST_WRITE

    # Who we are.

    @property
    def _handshake(self) -> float:
        return min(HANDSHAKE, self._patience)

    async def _introduce(self, token: str | None) -> None:
        """Find out whether the server lets us in, by a token if it wants one."""
        if token is None or not self._address.tls:
            event = await self._ask(PING, PONG)
            if not (isinstance(event, Failed) and event.code == ErrorCode.DENIED):
                return
            if token is None:
                raise Trouble(f"{self._address}: {ASKS_WHO}", event.code)
        event = await self._ask(f"auth {token}\n".encode(), b"")
        if isinstance(event, Failed):
            raise Trouble(f"{self._address}: {event.code}: {event.text}", event.code)
        if not isinstance(event, Admitted):
            raise self._no_server()

    async def _ask(self, question: bytes, prefix: bytes) -> Event | None:
        """Send the first line, or the next, and read the answer, which has a prefix."""
        answer = self._early
        try:
            with anyio.fail_after(self._handshake):
                await self._stream.send(question)
                while b"\n" not in answer:
                    if len(answer) > _MOST_ANSWER:
                        raise self._no_server()
                    answer += await self._stream.receive(READ_SIZE)
                    if self._why(answer):
                        raise Trouble(f"{self._address}: {self._why(answer)}")
        except TimeoutError:
            text = f"no answer within {self._handshake:g} seconds"
            raise Trouble(f"{self._address}: {text}") from None
        except _LOST:
            text = "it closed the connection at once"
            if meaning := self._why(answer):
                text += f"; {meaning}"
            raise Trouble(f"{self._address}: {text}") from None
        line, _, self._early = answer.partition(b"\n")
        if not line.startswith(prefix):
            raise self._no_server()
        self._has_answered = True
        return read_line(line.removeprefix(prefix).decode(errors="replace"))

    def _why(self, received: bytes) -> str:
        """Say what the first bytes mean, when they are not those of a server without TLS."""
        if self._address.tls or self._has_answered:
            return ""
        return WAYS.why_plain_failed(received)

    def _no_server(self) -> Trouble:
        return Trouble(f"{self._address}: it does not answer like a kibitz server")

    # Passing on.

    async def _pass_on(self) -> None:
        """Pass lines until there is an end."""
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._pass_there)
            await self._pass_here()
            self._tasks.cancel_scope.cancel()

    async def _pass_here(self) -> None:
        """Pass answers on to the output, until there are no more."""
        data = self._talk.hear(self._early)
        while True:
            if data and not await self._give(data):
                return  # nobody reads the answers any more
            received = await self._receive()
            if received is None:
                self._trouble = self._silence()
            elif not received:
                await self._give(self._talk.rest())
                if not self._talk.is_leaving or self._talk.is_owed:
                    self._trouble = Trouble(f"the connection to {self._address} is lost")
            if not received:
                return
            data = self._talk.hear(received)

    async def _give(self, data: bytes) -> bool:
        """Write to the output; False when nobody reads it, or not in time after a signal."""
        with anyio.CancelScope() as self._giving:
            if self._is_interrupted:
                self._giving.deadline = anyio.current_time() + LAST_WRITE
            if not await _write(self._ends.sink, data):
                return False
            if data:
                self._ends_line = data.endswith(b"\n")
            return True
        return False

    async def _receive(self) -> bytes | None:
        """Receive some bytes; none at the end, None from a server that is silent too long.

        After half of the time the server is asked whether it is there, unless it was said
        that we leave: it is to end then.
        """
        self._heard_at = anyio.current_time()
        was_asked = False
        while True:
            is_last = was_asked or self._talk.is_leaving
            wait = self._patience if is_last else self._patience / 2
            with anyio.CancelScope(deadline=self._heard_at + wait) as self._receiving:
                try:
                    return await self._stream.receive(READ_SIZE)
                except _LOST:
                    return b""
            if anyio.current_time() < self._heard_at + wait:
                continue  # we leave now, and the time begins anew
            if is_last:
                return None
            was_asked = True
            assert self._tasks is not None
            # What is being sent may be stuck, and so would the question be.
            self._tasks.start_soon(self._ping)

    def _silence(self) -> Trouble:
        if self._talk.is_leaving:
            text = f"did not end within {self._patience:g} seconds after quit"
            return Trouble(f"{self._address} {text}")
        return Trouble(silent_for(str(self._address), self._patience))

    async def _ping(self) -> None:
        async with self._sending:
            await self._send(self._talk.ping())

    async def _pass_there(self) -> None:
        """Pass input on to the server; at its end, or at a signal, `quit`."""
        while not self._talk.is_leaving:
            data = b""
            with anyio.CancelScope() as self._reading:
                if self._is_interrupted:
                    self._reading.cancel()
                data = await _read(self._ends.source)
            async with self._sending:
                try:
                    said = self._talk.say(data) if data else self._leave()
                except NotText:
                    self._end(Trouble(NOT_TEXT, ErrorCode.BAD_COMMAND))
                    return
                if not await self._send(said):
                    return
        self._heard_at = anyio.current_time()
        self._receiving.deadline = self._heard_at + self._patience

    def _leave(self) -> bytes:
        return self._talk.leave(interrupted=self._is_interrupted)

    def _end(self, trouble: Trouble) -> None:
        """End with an error of the near side."""
        self._trouble = trouble
        assert self._tasks is not None
        self._tasks.cancel_scope.cancel()

    async def _send(self, data: bytes) -> bool:
        """Send to the server; False if it is lost, which whoever receives will see."""
        try:
            if data:
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
