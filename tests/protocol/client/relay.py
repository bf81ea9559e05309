"""A little server for the tests: it asks for a token, and pipes to a real program.

It stands in for `kibitz serve`, so that the client's tests need no server. It can cut its
connections, fall silent, and answer wrongly, to order.
"""

import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import trustme
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.tls import TLSListener

from kibitz.protocol.bridge_talk import PING
from tests.protocol.client.programs import KIBITZ

TOKEN = "token-of-the-test"
NAME = "tester"
_LOST = (
    OSError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)


class Relay:
    """What runs."""

    def __init__(self, token: str | None, command: tuple[str, ...], greeting: bytes | None) -> None:
        self.port = 0
        self.served = 0
        """How many connections have ended."""
        self.pings = 0
        """How often it was asked whether it is there."""
        self.tokens = 0
        """How many tokens were shown to it."""
        self._token = token
        self._command = command
        self._greeting = greeting
        self._streams: set[ByteStream] = set()
        self._closed = anyio.Event()

    async def cut(self) -> None:
        """Cut all connections."""
        for stream in list(self._streams):
            await anyio.aclose_forcefully(stream)

    async def serve(self, stream: ByteStream) -> None:
        """Serve one client."""
        self._streams.add(stream)
        try:
            async with stream:
                await self._serve(stream)
        except _LOST:
            pass
        finally:
            self._streams.discard(stream)
            self.served += 1

    async def _serve(self, stream: ByteStream) -> None:
        early = b""
        if self._greeting is not None:
            await stream.receive()
            await stream.send(self._greeting)
            return
        if self._token is not None:
            buffered = BufferedByteReceiveStream(stream)
            line = await buffered.receive_until(b"\n", 1000)
            if line.startswith(b"@"):
                name = line.split()[0]
                await stream.send(name + b" info string error denied: say auth TOKEN first\n")
                line = await buffered.receive_until(b"\n", 1000)
            self.tokens += line.startswith(b"auth ")
            if line != f"auth {self._token}".encode():
                await stream.send(b"info string error denied: wrong token\n")
                return
            await stream.send(f"authok {NAME}\n".encode())
            early = buffered.buffer
        async with (
            await anyio.open_process(self._command, stderr=subprocess.DEVNULL) as process,
            anyio.create_task_group() as group,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                group.start_soon(self._pass_input, stream, early, process.stdin)
                async for data in process.stdout:
                    await stream.send(data)
            except _LOST:
                pass  # the client went, or was cut off
            finally:
                if process.returncode is None:
                    process.kill()
                group.cancel_scope.cancel()

    async def _pass_input(self, stream: ByteStream, early: bytes, stdin: Any) -> None:
        try:
            if early:
                await stdin.send(early)
            async for data in stream:
                self.pings += data.count(PING)
                await stdin.send(data)
            await stdin.aclose()
        except _LOST:
            return


@asynccontextmanager
async def relay(
    *,
    token: str | None = TOKEN,
    tls: ssl.SSLContext | None = None,
    command: tuple[str, ...] = KIBITZ,
    greeting: bytes | None = None,
) -> AsyncIterator[Relay]:
    """Run a relay on a free port of this machine.

    With `greeting` it answers the first bytes with that, and closes.
    """
    server = Relay(token, command, greeting)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    server.port = listener.extra(SocketAttribute.local_port)
    serving: Any = listener
    if tls is not None:
        serving = TLSListener(listener, tls, standard_compatible=False)
    async with listener, anyio.create_task_group() as group:
        group.start_soon(serving.serve, server.serve)
        try:
            yield server
        finally:
            group.cancel_scope.cancel()


def certificates(folder: Path, *names: str) -> tuple[ssl.SSLContext, Path]:
    """Make a certificate for names, and the file of who signed it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    file = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    return context, file


def bridge(*arguments: str) -> tuple[str, ...]:
    """The command of a bridge."""
    return (sys.executable, "-m", "kibitz.scripts.main", "connect", *arguments)
