"""How much of the machine one client may have."""

from typing import Annotated, Literal

import msgspec

Some = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
SomeOrNone = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Quota(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bounds of one client, over all its connections together.

    `searches` run at once; with `over` as `wait` up to `waiting` more wait for their turn,
    with `refuse` they are refused. `hash` is MiB for each search, `longest` the seconds
    that a search may run, `requests` a number a second, 0 for no bound. `priority` is the
    highest that the client can ask for.
    """

    connections: Some = 8
    sessions: Some = 100
    searches: Some = 2
    waiting: SomeOrNone = 1000
    over: Literal["wait", "refuse"] = "wait"
    threads: Some = 1
    hash: Some = 64
    longest: Annotated[float, msgspec.Meta(gt=0)] = 300.0
    requests: SomeOrNone = 200
    priority: SomeOrNone = 0


LOCAL = Quota(
    connections=1,
    sessions=1_000_000,
    searches=1_000_000,
    waiting=0,
    threads=256,
    hash=65_536,
    longest=float("inf"),
    requests=0,
    priority=1_000_000,
)
"""For a client on standard input and output: the machine is its own."""
