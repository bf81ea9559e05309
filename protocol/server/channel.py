"""The bytes of one TCP connection, with or without TLS.

Works on a socket that never blocks; whoever receives is one task, whoever sends another.
Every method raises `OSError` when the connection is lost, whatever is wrong with it.
"""

import contextlib
import socket
import ssl
from typing import Final

import anyio
from anyio.lowlevel import checkpoint

READ_SIZE: Final = 16 * 1024
"""The most bytes that are received at once."""

LINGER_SECONDS: Final = 2.0
"""How long a client may take to end its own side after we have ended ours."""

DEAD_SECONDS: Final = 45
"""After so long without any sign of the other machine the connection is lost."""


class Channel:
    """A connected socket, which it owns."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        set_options(connected)
        self._socket = connected
        self._sending = anyio.Lock()

    async def secure(self, context: ssl.SSLContext) -> None:
        """Put TLS on the connection, as the server."""
        wrapped = context.wrap_socket(self._socket, server_side=True, do_handshake_on_connect=False)
        self._socket = wrapped
        while True:
            try:
                wrapped.do_handshake()
            except ssl.SSLWantReadError:
                await anyio.wait_readable(wrapped)
            except ssl.SSLWantWriteError:
                await anyio.wait_writable(wrapped)
            except ValueError as error:
                # A client that has gone before its handshake is told in this way.
                raise OSError(str(error)) from error
            else:
                return

    async def receive(self) -> bytes:
        """Wait for some bytes; none when the other end sends no more."""
        while True:
            try:
                return self._socket.recv(READ_SIZE)
            except (BlockingIOError, ssl.SSLWantReadError):
                await anyio.wait_readable(self._socket)
            except ssl.SSLWantWriteError:
                await self._writable()

    async def send(self, data: bytes) -> None:
        """Hand all bytes to the system; it takes them no faster than the other end does."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                await self._writable()

    def send_now(self, data: bytes) -> int:
        """Hand over as many bytes as the system takes at once; gives their number."""
        try:
            return self._socket.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError):
            return 0

    async def _writable(self) -> None:
        async with self._sending:
            await anyio.wait_writable(self._socket)

    async def finish(self) -> None:
        """Say that nothing more comes, and wait a little until the other end does so too.

        A socket that is closed while the system still has bytes from the client would make it
        forget the last answers.
        """
        if isinstance(self._socket, ssl.SSLSocket):
            with contextlib.suppress(OSError, ValueError):
                self._socket.unwrap()
        with contextlib.suppress(OSError), anyio.move_on_after(LINGER_SECONDS):
            socket.socket.shutdown(self._socket, socket.SHUT_WR)
            while True:
                # Whoever sends without end must not keep the loop for itself.
                await checkpoint()
                try:
                    if not socket.socket.recv(self._socket, READ_SIZE):
                        return
                except BlockingIOError:
                    await anyio.wait_readable(self._socket)

    def close(self) -> None:
        """Let the connection go; nobody may be waiting for it."""
        self._socket.close()


def set_options(connected: socket.socket) -> None:
    """Send small answers at once, and notice a machine that has gone."""
    options = [
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPIDLE", None), DEAD_SECONDS // 3),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPINTVL", None), DEAD_SECONDS // 9),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPCNT", None), 6),
        (socket.IPPROTO_TCP, getattr(socket, "TCP_USER_TIMEOUT", None), DEAD_SECONDS * 1000),
    ]
    for level, option, value in options:
        if option is not None:
            with contextlib.suppress(OSError):
                connected.setsockopt(level, option, value)
