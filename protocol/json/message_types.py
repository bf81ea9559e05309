"""The parts that requests and answers of the JSON-lines dialect have in common.

A type says which values there are (by `msgspec.Meta`), so that decoding refuses all others,
and the JSON Schema and the tables of docs/protocol.md say the same.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypeVar

import msgspec
from msgspec import Meta

DIALECT = 1
"""The version of the dialect; it grows when programs that know the last one would fail."""

MOST_TEXT = 4096
"""The letters of the longest text that stands for a position or for a value of an option."""

Id = Annotated[str, Meta(min_length=1, max_length=64)]
Token = Annotated[str, Meta(min_length=1, max_length=64)]
Tokens = Annotated[list[Token], Meta(max_length=32_768)]
Text = Annotated[str, Meta(max_length=MOST_TEXT)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
OptionValue = Text | int | bool
OptionValues = Annotated[dict[Name, OptionValue | None], Meta(max_length=64)]
Priority = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Count = Annotated[int, Meta(ge=0)]
Player = Literal["p1", "p2"]
Result = Literal["none", "p1win", "p2win", "draw"]

PLAYERS: tuple[Player, Player] = ("p1", "p2")
"""The players by the number of their side: White is `p1`, Black is `p2`."""

Given = TypeVar("Given")

# On the wire null is one of its values; in an `AskedPart` it has become the default.
if TYPE_CHECKING:
    Nullable = Annotated[Given, None]
else:
    Nullable = Optional[Given]  # noqa: UP045 - `Given | None` cannot be given an argument


class Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Base of all objects on the wire: unknown fields are refused, absent ones left out."""


class AskedPart(Part, frozen=True, kw_only=True):
    """Base of what clients send: a field that is null counts as left out.

    So every field that has a default has to be `Nullable`, or to have None as its default.
    """

    def __post_init__(self) -> None:
        for name, default in _defaults(type(self)):
            if getattr(self, name) is None:
                msgspec.structs.force_setattr(self, name, default())


@cache
def _defaults(kind: type[AskedPart]) -> list[tuple[str, Callable[[], Any]]]:
    """Give the fields whose default is not None, and what makes their defaults."""
    defaults: list[tuple[str, Callable[[], Any]]] = []
    for field in msgspec.structs.fields(kind):
        if field.default_factory is not msgspec.NODEFAULT:
            defaults.append((field.name, field.default_factory))
        elif not field.required and field.default is not None:
            defaults.append((field.name, partial(_itself, field.default)))
    return defaults


def _itself(value: Any) -> Any:
    return value


class SearchLimit(AskedPart, frozen=True, kw_only=True):
    """When an analysis has to end: the first bound that is reached ends it."""

    depth: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="turns that are searched everywhere"),
    ] = None
    nodes: Annotated[
        Annotated[int, Meta(ge=1, le=10**18)] | None,
        Meta(description="positions that are searched; exact with one thread"),
    ] = None
    movetime: Annotated[
        Annotated[int, Meta(ge=1, le=10**12)] | None,
        Meta(description="milliseconds from when the search begins, not from the request"),
    ] = None
    mate: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="stop when a win within so many turns of both sides is found"),
    ] = None
    infinite: Annotated[
        Nullable[bool], Meta(description="until `cancel`, and alone: no other bound goes with it")
    ] = False


class Score(Part, frozen=True, kw_only=True):
    """What a line of play is worth: one of `cp` and `mate_turns`."""

    cp: Annotated[int | None, Meta(description="hundredths of a unit")] = None
    mate_turns: Annotated[
        int | None,
        Meta(
            description="the game is decided in so many turns of both sides; negative when "
            "the side to move loses, 0 when it is over"
        ),
    ] = None
    bound: Annotated[
        Literal["lower", "upper"] | None,
        Meta(description="the score is at least or at most that; absent when it is exact"),
    ] = None
    of: Annotated[Literal["mover"], Meta(description="always from the side to move")]


class Played(Part, frozen=True, kw_only=True):
    """How far a game went: the moves before an illegal one."""

    start: Annotated[str, Meta(description="position text of the start")]
    positions: Annotated[list[str], Meta(description="position text after each move")]
    side: Annotated[Player, Meta(description="the player to move")]
    result: Annotated[
        Result, Meta(description="the other side's win: who moves illegally forfeits the game")
    ]
    reason: Annotated[str, Meta(description="`forfeit`, or how the game had ended before")]
    points: Annotated[
        tuple[float, float], Meta(description="points of both sides in the game's own count")
    ]


class OptionDescription(Part, frozen=True, kw_only=True):
    """One option that a request can set."""

    name: Annotated[str, Meta(description="what requests call it, in any letter case")]
    type: Annotated[
        Literal["check", "spin", "combo", "string"],
        Meta(description="`check` is true or false, `spin` a whole number, `combo` one of some"),
    ]
    default: Annotated[str | int | bool, Meta(description="its value when it is left out")]
    about: Annotated[str, Meta(description="what it is, for people")]
    least: Annotated[int | None, Meta(description="of a `spin`")] = msgspec.field(
        default=None, name="min"
    )
    most: Annotated[int | None, Meta(description="of a `spin`")] = msgspec.field(
        default=None, name="max"
    )
    choices: Annotated[list[str] | None, Meta(description="of a `combo`")] = None


class GameDescription(Part, frozen=True, kw_only=True):
    """One game."""

    name: Annotated[str, Meta(description="what requests call it, in any letter case")]
    title: Annotated[str, Meta(description="what people call it")]
    startpos: Annotated[str, Meta(description="position text of the start, under default options")]
    is_dealt: Annotated[
        bool, Meta(description="whether it starts from a numbered deal; then requests can name one")
    ] = msgspec.field(default=False, name="dealt")
    options: Annotated[list[OptionDescription], Meta(description="the game's own options")]


class Limits(Part, frozen=True, kw_only=True):
    """What this client may have."""

    searches: Annotated[int, Meta(description="analyses and perfts that run at once")]
    waiting: Annotated[int, Meta(description="those that can wait besides")]
    over: Annotated[
        Literal["wait", "refuse"],
        Meta(description="what becomes of those beyond `searches`"),
    ]
    threads: Annotated[int, Meta(description="the most for `Threads`")]
    hash: Annotated[int, Meta(description="the most for `Hash`, in MiB")]
    longest: Annotated[
        float | None, Meta(description="seconds that one may run; absent for no bound")
    ] = None
    requests: Annotated[int | None, Meta(description="requests a second; absent for no bound")] = (
        None
    )
    priority: Annotated[int, Meta(description="the highest priority")]
    line: Annotated[int, Meta(description="bytes of the longest line")]
