"""The settings of a server: one TOML file, decoded into frozen structs.

Every wrong key or value is named in one error. Tokens become digests here, whether they
come from the file or from the environment, and are not kept.
"""

import os
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.quota import Quota
from kibitz.protocol.server.accounts import Account, Accounts, digest_of, read_tokens
from kibitz.protocol.server.reading import read_values
from kibitz.protocol.server.scheduler import LEAST_BEGUN_PER_CORE
from kibitz.search.driver import processors

BEGUN_PER_CORE = 16

TOKENS_VARIABLE = "KIBITZ_TOKENS"

LogLevel = Literal["debug", "info", "warning", "error"]

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
SecondsOrNone = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Token = Annotated[str, msgspec.Meta(min_length=16, max_length=256, pattern="^[!-~]*$")]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern="^[!-~]*$")]


class SettingsError(Exception):
    """Settings that make no sense; the text names all that is wrong."""


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


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A client that has a token; its quota is the default one but for what is given."""

    name: Name
    token: Token | None = None
    token_sha256: Digest | None = None
    quota: Quota | None = None


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


def load(
    text: str, environment: Mapping[str, str], overrides: Mapping[str, Any] | None = None
) -> Configuration:
    """Read a settings file's text and the tokens in the environment.

    `overrides` stand in the place of what the file says. Raises `SettingsError`.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"this is no TOML: {error}") from error
    wrong: list[str] = []
    values = read_values({**given, **(overrides or {})}, Settings, "", wrong)
    default = Quota(**values.pop("quota", {}))
    clients = [*values.pop("clients", ()), *_from_environment(environment, wrong)]
    accounts = _accounts(clients, default, wrong)
    for key, shape in (("tls", Tls), ("connections", Connections), ("searches", Searches)):
        if key in values and not wrong:
            values[key] = shape(**values[key])
    if wrong:
        raise SettingsError("; ".join(wrong))
    return Configuration(settings=Settings(**values, quota=default), accounts=accounts)


def _from_environment(environment: Mapping[str, str], wrong: list[str]) -> list[dict[str, Any]]:
    """Give clients like those of the file."""
    text = environment.get(TOKENS_VARIABLE, "")
    if not text:
        return []
    try:
        pairs = read_tokens(text)
    except ValueError as error:
        wrong.append(f"the environment's {TOKENS_VARIABLE}: {error}")
        return []
    return [
        read_values(
            {"name": name, "token": token}, Client, f"{TOKENS_VARIABLE} entry {number}", wrong
        )
        for number, (name, token) in enumerate(pairs, 1)
    ]


def _accounts(clients: list[dict[str, Any]], default: Quota, wrong: list[str]) -> Accounts:
    found: dict[bytes, Account] = {}
    names: set[str] = set()
    for number, client in enumerate(clients, 1):
        name = client.get("name", f"client {number}")
        if name in names:
            wrong.append(f"clients: the name {name} is there twice")
        names.add(name)
        token, hexadecimal = client.get("token"), client.get("token_sha256")
        if (token is None) == (hexadecimal is None):
            if not wrong:
                wrong.append(f"clients: {name} needs either token or token_sha256")
            continue
        digest = digest_of(token) if token is not None else bytes.fromhex(str(hexadecimal))
        if digest in found:
            wrong.append(f"clients: {name} has the token of {found[digest].name}")
        quota = msgspec.structs.replace(default, **(client.get("quota") or {}))
        found[digest] = Account(name, quota)
    return Accounts(found.items())
