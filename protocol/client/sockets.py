"""Connections to a kibitz server: addresses, TLS, and settings of the sockets.

Also used by `kibitz.protocol.bridge`.
"""

import contextlib
import ipaddress
import os
import socket
import ssl

import anyio
import msgspec
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.tls import TLSStream

from kibitz.protocol.client.errors import CannotOpen

# A silent server is given up after about half a minute: 15 seconds of silence, then five
# questions, three seconds apart.
_SETTINGS = (
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 15),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 3),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 5),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 30_000),
)


class Address(msgspec.Struct, frozen=True):
    """Where a server is, and whether TLS is spoken there."""

    host: str
    port: int
    tls: bool

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine, for sure."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Ways(msgspec.Struct, frozen=True):
    """What a user writes to have TLS spoken, or not; errors name the one that may be meant."""

    tls: str = "tls://"
    plain: str = "tcp://"

    def why_plain_failed(self, received: bytes) -> str:
        """Say what an end without TLS means, by the first bytes that came; empty if nothing."""
        if received[:2] in _TLS_RECORDS:
            return f"it seems to speak TLS, which needs {self.tls}"
        return "" if received else f"a server with TLS needs {self.tls}"


URLS = Ways()
# How an alert or a handshake of any version of TLS begins.
_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")


def read_url(url: str) -> Address:
    """Read `tcp://HOST:PORT` or `tls://HOST:PORT`; raises `ValueError`."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme not in ("tcp", "tls"):
        raise ValueError(f"{url[:80]!r} is not tcp://HOST:PORT or tls://HOST:PORT")
    host, port = read_host_port(rest)
    return Address(host, port, scheme == "tls")


def read_host_port(text: str) -> tuple[str, int]:
    """Read `HOST:PORT`, an IPv6 address in brackets; raises `ValueError`."""
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        host = ""
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else 0
    if not host or not host.isprintable() or " " in host or not 0 < number < 65_536:
        raise ValueError(f"{text[:80]!r} is not HOST:PORT")
    return host, number


async def connect(
    address: Address,
    timeout: float,
    ca: str | os.PathLike[str] | None = None,
    ways: Ways = URLS,
) -> ByteStream:
    """Connect to a server within so many seconds.

    `ca` is a file of certificates to trust, in the place of the system's. Raises
    `CannotOpen`, whose text is one line.
    """
    context = trust(ca) if address.tls else None
    plain: SocketStream | None = None
    try:
        with anyio.fail_after(timeout):
            plain = await anyio.connect_tcp(address.host, address.port)
            _set_up(plain.extra(SocketAttribute.raw_socket))  # noqa: S610 - not what it thinks
            return plain if context is None else await _secure(plain, address.host, context)
    except TimeoutError as error:
        text = f"no answer within {timeout:g} seconds"
        raise CannotOpen(f"{address}: {text}{_hint(plain, error, ways)}") from error
    except (OSError, ValueError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
        raise CannotOpen(f"{address}: {_reason(error)}{_hint(plain, error, ways)}") from error


async def _secure(plain: SocketStream, host: str, context: ssl.SSLContext) -> ByteStream:
    """Put TLS on a connection, which is closed if that fails."""
    try:
        # Every line of the dialects says whether it is whole, so an end without a
        # farewell is no danger.
        return await TLSStream.wrap(
            plain, hostname=host, ssl_context=context, standard_compatible=False
        )
    except BaseException:
        await anyio.aclose_forcefully(plain)
        raise


def _hint(plain: SocketStream | None, error: BaseException, ways: Ways) -> str:
    """Say, if there was a connection and TLS failed in it, that it may not be spoken there."""
    if plain is None or _is_about_trust(error):
        return ""
    return f"; a server without TLS needs {ways.plain}"


def _is_about_trust(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def trust(ca: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """Give what says whom to trust: a file of certificates, or the system's for None.

    Raises `CannotOpen` for a file that cannot be used.
    """
    if ca is not None and not os.fspath(ca):
        raise CannotOpen("'': cannot be used: it names no file")
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        reason = "it holds no certificate"
        if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
            reason = error.strerror or str(error)
        raise CannotOpen(f"{os.fspath(ca or '')}: cannot be used: {reason}") from error


def _set_up(raw: socket.socket) -> None:
    """Have what is written sent at once, and a dead server noticed."""
    for level, name, value in _SETTINGS:
        # Not every system has every setting.
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                raw.setsockopt(level, getattr(socket, name), value)


def _reason(error: BaseException) -> str:
    """Say in one line why a connection could not be made."""
    while True:
        inner = error.__cause__ or error.__context__
        if isinstance(error, BaseExceptionGroup):
            inner = error.exceptions[0]
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"its certificate is not to be trusted: {error.verify_message}"
        if isinstance(error, ssl.SSLError):
            return f"it does not speak TLS as we do: {error.reason or 'no common way'}"
        if isinstance(error, socket.gaierror):
            return f"there is no such host: {error.strerror}"
        if isinstance(error, UnicodeError):
            return "there is no such host: it is no name"
        if isinstance(error, OSError) and error.errno:
            return os.strerror(error.errno)
        if inner is None:
            return str(error) or "the connection ended at once"
        error = inner
