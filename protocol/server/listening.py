"""Addresses to listen on, their sockets, and the certificate; all before a server runs.

Here is decided what may be listened on at all: an address that other machines can reach
needs TLS and tokens, unless somebody has said in so many words that it does not.
"""

import errno
import ipaddress
import resource
import socket
import ssl
from collections.abc import Sequence
from typing import Any, NamedTuple

from kibitz.protocol.server.settings import SettingsError, Tls

BACKLOG = 1024


class Address(NamedTuple):
    """A host by name or number, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Place(NamedTuple):
    """An address as the system has it, that a socket can be bound to."""

    family: int
    address: tuple[Any, ...]

    @property
    def host(self) -> str:
        """The host's number."""
        return str(self.address[0])

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.host.partition("%")[0]).is_loopback


def read_address(text: str) -> Address:
    """Read HOST:PORT or [HOST]:PORT; raises `SettingsError`."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    if not colon or not host or (":" in host and not bracketed):
        raise SettingsError(f"{text!r} is not HOST:PORT, or [HOST]:PORT for IPv6")
    if not (port.isascii() and port.isdecimal() and int(port) < 65536):
        raise SettingsError(f"{text!r} has no port from 0 to 65535")
    return Address(host, int(port))


def places_of(addresses: Sequence[Address]) -> list[Place]:
    """Find what the addresses stand for; a name may stand for several."""
    places: dict[Place, None] = {}
    for address in addresses:
        try:
            found = socket.getaddrinfo(
                address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
        except OSError as error:
            raise SettingsError(f"cannot listen on {address}: {error.strerror}") from error
        for family, _, _, _, place in found:
            places[Place(family, place)] = None
    return list(places)


def objections(places: Sequence[Place], *, tls: bool, tokens: bool) -> list[str]:
    """Say what is dangerous about listening there."""
    public = [place.host for place in places if not place.is_loopback]
    found = []
    if public and not tls:
        found.append(
            f"other machines can reach {', '.join(public)}, and without TLS anybody on the way "
            "can read and change all that is sent, tokens too"
        )
    if public and not tokens:
        found.append(
            f"other machines can reach {', '.join(public)}, and without tokens anybody can use "
            "this machine"
        )
    return found


def open_sockets(places: Sequence[Place]) -> list[socket.socket]:
    """Listen on all places; raises `SettingsError`, and then listens on none."""
    opened: list[socket.socket] = []
    try:
        for place in places:
            opened.append(_listen(place))
    except OSError as error:
        for each in opened:
            each.close()
        reason = "it is in use" if error.errno == errno.EADDRINUSE else error.strerror
        where = Address(place.host, int(place.address[1]))
        raise SettingsError(f"cannot listen on {where}: {reason}") from error
    return opened


def _listen(place: Place) -> socket.socket:
    made = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if place.family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.setblocking(False)
        made.bind(place.address)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def server_context(tls: Tls) -> ssl.SSLContext:
    """Load the certificate and its key; raises `SettingsError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    for path in (tls.certificate, tls.key):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise SettingsError(f"cannot read {path}: {error.strerror}") from error
    try:
        # A key with a password would make the library ask for it, and wait.
        context.load_cert_chain(tls.certificate, tls.key, password=_no_password)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{tls.certificate} and {tls.key} are no certificate and its key, both PEM and "
            f"without a password: {getattr(error, 'reason', None) or error}"
        ) from error
    return context


def _no_password() -> str:
    raise ValueError("the key has a password")


def raise_file_limit() -> int:
    """Let this process have as many open files as the system allows; gives their number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return soft
    return hard
