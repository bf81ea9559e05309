"""The settings of a server: one TOML file, decoded into frozen structs.

Options of the command line stand in the place of what the file says, and the environment
may have tokens, too. Everything that can be told to be wrong without the system's help is
named in one error, each with where it came from.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from kibitz.engine.options import printable
from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.quota import Quota
from kibitz.protocol.server.accounts import Accounts
from kibitz.protocol.server.address import Address, Listed, read_address
from kibitz.protocol.server.clients import (
    Client,
    accounts_of,
    check_clients,
    listing_of_environment,
    listing_of_file,
)
from kibitz.protocol.server.origins import Faults, Origins, SettingsError
from kibitz.protocol.server.reading import read_values
from kibitz.protocol.server.scheduler import LEAST_BEGUN_PER_CORE
from kibitz.protocol.server.wanted import LEAST_TOKEN
from kibitz.search.driver import processors

BEGUN_PER_CORE = 16

TLS_FILES = frozenset({"tls.certificate", "tls.key"})

_WORD_LIKE_TOKEN = re.compile(rf"\S{{{LEAST_TOKEN},}}")

MOST_TOML_ERROR = 200
"""The characters of a syntax error that are told."""

LogLevel = Literal["debug", "info", "warning", "error"]

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
SecondsOrNone = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """The files of the certificate (with its chain) and of its private key, both PEM."""

    certificate: str
    key: str


class Connections(msgspec.Struct, frozen=True, kw_only=True):
    """What a connection may do.

    `most` at once, `most_strangers` of them without having shown a token yet, for which they
    have `handshake_seconds`. A client that takes nothing for `stuck_seconds` while there is
    something for it is disconnected. A line may have `longest_line` bytes.
    """

    most: Count = 2000
    most_strangers: Count = 200
    handshake_seconds: Seconds = 10.0
    stuck_seconds: Seconds = 60.0
    longest_line: Annotated[int, msgspec.Meta(ge=1024, le=16 << 20)] = MOST_LINE


class Searches(msgspec.Struct, frozen=True, kw_only=True):
    """How the machine is shared.

    `cores` search at once; when others wait, each search goes on for `slice_seconds` at a
    time. A search that was begun keeps its memory while it waits for its next turn, so only
    `begun` are; a client who has none begun comes before others' second ones, but when so
    many clients search without end, the next has to wait for one of them. All hash tables
    together have `tables_megabytes`. None is what the machine has: all processors, sixteen
    searches for each, a quarter of the memory.
    """

    cores: Count | None = None
    slice_seconds: Seconds = 0.5
    begun: Count | None = None
    tables_megabytes: Count | None = None

    @property
    def all_cores(self) -> int:
        """The searches that run at once."""
        return self.cores or processors()

    @property
    def most_begun(self) -> int:
        """The searches that are begun at once, more than one a core at least."""
        least = LEAST_BEGUN_PER_CORE * self.all_cores
        return max(self.begun or BEGUN_PER_CORE * self.all_cores, least)

    @property
    def all_megabytes(self) -> int:
        """The memory of all hash tables together, in MiB."""
        return self.tables_megabytes or max(memory_megabytes() // 4, 1)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings.

    After a lost connection a client can come back for `grace_seconds`. After SIGTERM it has
    `stop_seconds` to take its last answers.
    """

    listen: tuple[str, ...] = ("127.0.0.1:4880",)
    insecure: bool = False
    log_level: LogLevel = "info"
    grace_seconds: SecondsOrNone = 60.0
    stop_seconds: SecondsOrNone = 10.0
    tls: Tls | None = None
    connections: Connections = Connections()
    searches: Searches = Searches()
    quota: Quota = Quota()
    clients: tuple[Client, ...] = ()


def memory_megabytes() -> int:
    """Give the memory of the machine in MiB."""
    return (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 20


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """What a server is started with: settings without tokens, and the accounts."""

    settings: Settings
    accounts: Accounts
    addresses: tuple[Listed, ...]
    """Those of `settings.listen`."""
    origins: Origins
    has_plain_tokens: bool
    """Whether the file has tokens themselves, and not only their digests."""


def load(
    text: str,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    file: str = "",
) -> Configuration:
    """Read a settings file's text and the tokens in the environment.

    `overrides` stand in the place of what the file says; their keys are those of `OPTIONS`
    of `kibitz.protocol.server.origins`. `file` is the name of the file. Raises
    `SettingsError`.
    """
    faults = Faults()
    given = _parse(text, faults)
    is_whole = not faults
    origins = Origins(file, given, _blamed(given, overrides or {}))
    _override(given, overrides or {})
    if not is_whole and len(given.get("tls", {})) == 1:
        # The other half may be in the file, which could not be read.
        del given["tls"]
    values = read_values(given, Settings, "", faults)
    addresses = _addresses(values.get("listen", Settings().listen), origins, faults)
    of_file = listing_of_file(values.pop("clients", ()))
    listing = [*of_file, *listing_of_environment(environment, faults)]
    check_clients(listing, faults)
    if faults:
        raise SettingsError(faults.text(origins))
    default = Quota(**values.pop("quota", {}))
    for key, shape in (("tls", Tls), ("connections", Connections), ("searches", Searches)):
        if key in values:
            values[key] = shape(**values[key])
    return Configuration(
        settings=Settings(**values, quota=default),
        accounts=accounts_of(listing, default),
        addresses=addresses,
        origins=origins,
        has_plain_tokens=any("token" in client for _, client in of_file),
    )


def _parse(text: str, faults: Faults) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error)
    except ValueError:
        # The interpreter's bound on the digits of a number, which names its own functions.
        what = "a number in it has too many digits"
    except RecursionError:
        what = "there are too many brackets in brackets"
    # A key in it, which is there twice perhaps, may be a token.
    what = _WORD_LIKE_TOKEN.sub(lambda found: f"(a word of {len(found[0])} characters)", what)
    if len(what) > MOST_TOML_ERROR:
        # A long key; where it is comes last.
        what = f"{what[: MOST_TOML_ERROR // 2]}...{what[-MOST_TOML_ERROR // 2 :]}"
    faults.add("", f"this is no TOML: {printable(what)}")
    return {}


def _blamed(given: Mapping[str, Any], overrides: Mapping[str, Any]) -> set[str]:
    """Give the settings whose faults are those of the command line."""
    blamed = set(overrides)
    if blamed & TLS_FILES and "tls" not in given:
        blamed |= TLS_FILES
    return blamed


def _override(given: dict[str, Any], overrides: Mapping[str, Any]) -> None:
    for path, value in overrides.items():
        table, _, key = path.rpartition(".")
        if not table:
            given[key] = value
        elif isinstance(given.setdefault(table, {}), dict):
            given[table] = {**given[table], key: value}


def _addresses(
    texts: tuple[str | None, ...] | None, origins: Origins, faults: Faults
) -> tuple[Listed, ...]:
    """Read addresses, each of which must be there only once."""
    if texts is None:
        return ()
    if not texts:
        faults.add("listen", "a list without any address is not a list of HOST:PORT")
    found: dict[Address, Listed] = {}
    for number, text in enumerate(texts, 1):
        if text is None:
            continue
        path = f"listen[{number}]"
        try:
            address = read_address(text)
        except ValueError as error:
            faults.add(path, str(error))
            continue
        same = address._replace(host=address.host.lower())
        if same in found:
            faults.add(path, f"{address} is there twice")
        found.setdefault(same, Listed(origins.name(path), address))
    return tuple(found.values())
