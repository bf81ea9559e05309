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

from kibitz.engine.options import printable
from kibitz.protocol.server.address import Address, Listed
from kibitz.protocol.server.origins import Origins, SettingsError
from kibitz.protocol.server.settings import Tls

BACKLOG = 1024

_NOT_THE_KEY = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")
"""What the library says of a key that is another one's; the last if it is of another kind."""


class Place(NamedTuple):
    """An address as the system has it, that a socket can be bound to."""

    setting: str
    """Which setting it comes from."""
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


def places_of(addresses: Sequence[Listed]) -> list[Place]:
    """Find what the addresses stand for; a name may stand for several.

    Raises `SettingsError`, also for addresses that turn out to be the same.
    """
    places: dict[Any, Place] = {}
    for setting, address in addresses:
        try:
            found = socket.getaddrinfo(
                address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
        except UnicodeError as error:
            text = f"{setting}: cannot listen on {printable(str(address))}: that is no host's name"
            raise SettingsError(text) from error
        except OSError as error:
            text = f"{setting}: cannot listen on {printable(str(address))}: {error.strerror}"
            raise SettingsError(text) from error
        # The system may give one place several times.
        new: dict[Any, Place] = {
            (each[0], each[4]): Place(setting, each[0], each[4]) for each in found
        }
        for key, place in new.items():
            if key in places:
                raise SettingsError(f"{setting}: {_same(address, place, places[key])}")
        places |= new
    return list(places.values())


def _same(address: Address, place: Place, other: Place) -> str:
    where = Address(place.host, int(place.address[1]))
    text = str(address) if str(address) == str(where) else f"{address} is {where}, which"
    return f"{text} is there twice, the first time as {other.setting}"


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
        text = f"{place.setting}: cannot listen on {where}: {reason}"
        raise SettingsError(text) from error
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


def server_context(tls: Tls, origins: Origins) -> ssl.SSLContext:
    """Load the certificate and its key; raises `SettingsError`, which names the setting."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    certificate, key = origins.name("tls.certificate"), origins.name("tls.key")
    for setting, path in ((certificate, tls.certificate), (key, tls.key)):
        _check_readable(setting, path)
    certificate_file, key_file = printable(tls.certificate), printable(tls.key)
    try:
        # By itself, because a failure to load both does not say which of them is wrong.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(tls.certificate)
    except OSError as error:
        text = f"{certificate}: {certificate_file} is not a certificate in PEM form"
        raise SettingsError(text) from error
    try:
        # A key with a password would make the library ask for it, and wait.
        context.load_cert_chain(tls.certificate, tls.key, password=_no_password)
    except _HasPassword as error:
        text = f"{key}: {key_file} has a password, and must not have one"
        raise SettingsError(text) from error
    except OSError as error:
        reason = getattr(error, "reason", None) or ""
        if reason in _NOT_THE_KEY:
            text = f"{key}: {key_file} is not the key of {certificate_file}"
        elif reason.startswith("EE_") or reason.endswith("_TOO_WEAK"):
            words = reason.lower().replace("_", " ")
            text = f"{certificate}: {certificate_file} is too weak ({words})"
        else:
            text = f"{key}: {key_file} is not a private key in PEM form"
        raise SettingsError(text) from error
    return context


def _check_readable(setting: str, path: str) -> None:
    try:
        with open(path, "rb") as file:
            file.read(1)
    except ValueError as error:
        raise SettingsError(f"{setting}: {printable(path)} is no name of a file") from error
    except OSError as error:
        text = f"{setting}: cannot read {printable(path)}: {error.strerror}"
        raise SettingsError(text) from error


class _HasPassword(Exception):  # noqa: N818 - it is caught where it is raised
    """The library asked for the password of a key."""


def _no_password() -> str:
    raise _HasPassword


def raise_file_limit() -> int:
    """Let this process have as many open files as the system allows; gives their number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return soft
    return hard
