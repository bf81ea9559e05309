"""The command `kibitz connect`: a server's engine in the place of a local one.

Board programs start engines often and wait for them, so the games are not loaded for it.
"""

import argparse
import math
import os
from collections.abc import Sequence

from kibitz.scripts.parsing import WRONG, OneLineParser, WrongUse, complain

TOKEN_VARIABLE = "KIBITZ_TOKEN"  # noqa: S105 - the name of it
_MOST_TOKEN = 4096


def add_to(adder: "argparse._SubParsersAction[OneLineParser]") -> None:
    """Add the command to those of `kibitz`."""
    add_arguments(adder.add_parser("connect", help="use a server's engine as if it were local"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = (
        "Speaks UGI and UCI on standard input and output, and passes it on to a kibitz server. "
        "The server may ask for a token, which is taken from a file or from the environment "
        f"({TOKEN_VARIABLE}), never from the arguments, which other users can see. "
        "JSON lines do not pass through it."
    )
    parser.add_argument("address", metavar="HOST:PORT", help="where the server is")
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--tls", action="store_true", help="encrypt, also on this machine; elsewhere it is usual"
    )
    way.add_argument(
        "--plain", action="store_true", help="do not encrypt; on this machine it is usual"
    )
    parser.add_argument(
        "--ca", metavar="FILE", help="certificates to trust, instead of the system's"
    )
    parser.add_argument("--token-file", metavar="FILE", help="a file whose first line is the token")
    parser.add_argument(
        "--patience",
        metavar="SECONDS",
        default="30",
        help="how long the server may be silent before it counts as lost; 30 when left out",
    )
    parser.set_defaults(handler=connect)


def run(arguments: Sequence[str]) -> int:
    """Carry out `kibitz connect` with the arguments after that; gives the exit status."""
    parser = OneLineParser(prog="kibitz connect", allow_abbrev=False)
    add_arguments(parser)
    try:
        return connect(parser.parse_args(arguments))
    except WrongUse as error:
        complain(error)
        return WRONG


def connect(given: argparse.Namespace) -> int:
    """Connect, and pass everything on; raises `WrongUse`."""
    from kibitz.protocol.bridge import run_bridge
    from kibitz.protocol.client.errors import CannotOpen
    from kibitz.protocol.client.sockets import Address, read_host_port, trust

    try:
        host, port = read_host_port(given.address)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    address = Address(host, port, tls=True)
    if given.plain or (address.is_loopback and not given.tls and given.ca is None):
        if given.ca is not None:
            raise WrongUse("--ca means nothing with --plain")
        address = Address(host, port, tls=False)
    patience = _seconds("--patience", given.patience)
    token = read_token(given.token_file)
    if given.ca is not None:
        try:
            trust(given.ca)
        except CannotOpen as error:
            raise WrongUse(f"--ca: {error}") from error
    return run_bridge(address, token, given.ca, patience)


def _seconds(option: str, text: str) -> float:
    """Read a time that is more than nothing."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not (math.isfinite(seconds) and seconds > 0):
        raise WrongUse(f"{option}: {text[:40]!r} is not a number of seconds")
    return seconds


def read_token(path: str | None) -> str | None:
    """Find a token, if there is one, in a file or the environment; raises `WrongUse`."""
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        source = TOKEN_VARIABLE
    else:
        try:
            with open(path, encoding="utf-8") as file:
                token = file.readline(_MOST_TOKEN).strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a text"
            raise WrongUse(f"--token-file: {path}: cannot be read: {reason}") from None
        source = f"--token-file: {path}"
        if not token:
            raise WrongUse(f"{source}: its first line is empty")
    if not token:
        return None
    if len(token.split()) != 1 or not token.isprintable():
        # What is wrong is not shown: it may be most of a token.
        raise WrongUse(f"{source}: the token is not one word")
    return token
