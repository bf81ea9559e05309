"""The clients that have tokens: from the settings file and the environment to accounts.

Tokens become digests here and are not kept.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from kibitz.protocol.quota import Quota
from kibitz.protocol.server.accounts import Account, Accounts, digest_of, read_tokens
from kibitz.protocol.server.origins import TOKENS_VARIABLE, Faults
from kibitz.protocol.server.reading import read_values
from kibitz.protocol.server.wanted import LEAST_TOKEN, shown

Token = Annotated[
    str,
    msgspec.Meta(
        min_length=LEAST_TOKEN,
        max_length=256,
        pattern=r"^[!-~]*\Z",
        description=f"{LEAST_TOKEN} to 256 printable ASCII characters without blanks",
    ),
]
Digest = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[0-9a-f]{64}\Z", description="64 hexadecimal digits, the letters small"
    ),
]
Name = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[!-~]*\Z",
        description="1 to 64 printable ASCII characters without blanks",
    ),
]


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A client that has a token; its quota is the default one but for what is given."""

    name: Name
    token: Token | None = None
    token_sha256: Digest | None = None
    quota: Quota | None = None


Listing = Sequence[tuple[str, Mapping[str, Any]]]
"""The paths of clients, and their values as `read_values` gives them."""


def listing_of_file(clients: Sequence[Mapping[str, Any] | None] | None) -> Listing:
    """Give those of the `clients` of a file that are tables."""
    return [
        (f"clients[{number}]", client)
        for number, client in enumerate(clients or (), 1)
        if client is not None
    ]


def listing_of_environment(environment: Mapping[str, str], faults: Faults) -> Listing:
    """Read the clients of the environment."""
    text = environment.get(TOKENS_VARIABLE, "")
    found = []
    for number, pair in enumerate(read_tokens(text) if text else (), 1):
        path = f"{TOKENS_VARIABLE}[{number}]"
        if pair is None:
            faults.add(path, "this entry is not NAME=TOKEN")
        else:
            given = dict(zip(("name", "token"), pair, strict=True))
            found.append((path, read_values(given, Client, path, faults)))
    return found


def check_clients(listing: Listing, faults: Faults) -> None:
    """Find clients that have no token, or two, or what another one has."""
    names: dict[str, str] = {}
    tokens: dict[bytes, tuple[str, str]] = {}
    for path, client in listing:
        name = client.get("name")
        if name is not None and (first := names.setdefault(name, path)) != path:
            faults.add(f"{path}.name", f"{shown(name)} is the name of {first} too")
        keys = [key for key in ("token", "token_sha256") if key in client]
        if not keys:
            faults.add(path, "has no token; it needs token or token_sha256")
        if len(keys) > 1:
            faults.add(path, "has both token and token_sha256; it needs one of them")
        for key in keys:
            if client[key] is not None:
                owner, place = tokens.setdefault(_digest(client, key), (path, f"{path}.{key}"))
                if owner != path:
                    faults.add(f"{path}.{key}", f"is for the same token as {place}")


def accounts_of(listing: Listing, default: Quota) -> Accounts:
    """Make the accounts of clients with whom nothing is wrong."""
    found = []
    for _, client in listing:
        (key,) = (key for key in ("token", "token_sha256") if key in client)
        quota = msgspec.structs.replace(default, **client.get("quota", {}))
        found.append((_digest(client, key), Account(client["name"], quota)))
    return Accounts(found)


def _digest(client: Mapping[str, Any], key: str) -> bytes:
    return digest_of(client[key]) if key == "token" else bytes.fromhex(client[key])
