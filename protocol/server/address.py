"""Addresses as people write them: HOST:PORT, or [HOST]:PORT for IPv6."""

from typing import NamedTuple

from kibitz.engine.options import shorten

MOST_PORT = 65535


class Address(NamedTuple):
    """A host by name or number, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Listed(NamedTuple):
    """An address that is to be listened on, and the setting that it comes from."""

    setting: str
    address: Address


def read_address(text: str) -> Address:
    """Read HOST:PORT or [HOST]:PORT; raises `ValueError`, whose text says what is wrong."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    if not colon or not host or (":" in host and not bracketed):
        raise ValueError(f"{shorten(text)} is not HOST:PORT, or [HOST]:PORT for IPv6")
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= MOST_PORT):
        raise ValueError(f"{shorten(text)} has no port from 0 to {MOST_PORT}")
    return Address(host, int(port))
