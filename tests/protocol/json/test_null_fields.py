"""A field that is null counts as left out, in every request, for codec, schema and desk alike."""

from typing import Any, get_args

import msgspec
import pytest

from kibitz.protocol.json.codec import JsonLines, Received
from kibitz.protocol.json.message_tables import request_tables
from kibitz.protocol.json.message_types import SearchLimit
from kibitz.protocol.json.messages import AnyRequest, Request
from kibitz.protocol.json.schema import json_schema
from tests.protocol.json.json_host import Answer, JsonHost
from tests.protocol.json.json_schema import is_valid

SCHEMA = json_schema()
KINDS: dict[str, type[Request]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyRequest)
}

# A right value of every field that has to be there.
NEEDED: Answer = {
    "id": "1", "game": "jarmo", "limit": {"depth": 1}, "depth": 1, "target": "x", "token": "x",
    "final": 0,
}  # fmt: skip


def fields(struct: type[msgspec.Struct], *, required: bool) -> list[str]:
    return [
        field.encode_name for field in msgspec.structs.fields(struct) if field.required == required
    ]


def least(kind: str) -> Answer:
    """Give the shortest right request of a kind."""
    return {"type": kind} | {name: NEEDED[name] for name in fields(KINDS[kind], required=True)}


OPTIONAL = [(kind, name) for kind in KINDS for name in fields(KINDS[kind], required=False)]
REQUIRED = [(kind, name) for kind in KINDS for name in fields(KINDS[kind], required=True)]
BOUNDS = fields(SearchLimit, required=False)


def read(request: Answer) -> Request | None:
    """Decode a request; the schema has to say the same of it."""
    item = JsonLines().read(msgspec.json.encode(request).decode())
    is_request = isinstance(item, Received)
    assert is_valid(SCHEMA["$defs"]["AnyRequest"], request, SCHEMA) == is_request
    return item.request if isinstance(item, Received) else None


def test_the_table_has_all_fields() -> None:
    assert {
        "ack",
        "options",
        "moves",
        "multipv",
        "wdl",
        "every_ms",
        "priority",
        "format",
        "name",
    } <= {name for _, name in OPTIONAL}
    rows = [row for row in request_tables() if row.startswith("| `")]
    optional = [row for row in rows if "it must be there" not in row]
    # Those of the two bases are listed once, and those of `limit` too.
    assert {row.split("`")[1] for row in optional} == {name for _, name in OPTIONAL} | set(BOUNDS)


@pytest.mark.parametrize(("kind", "name"), OPTIONAL)
def test_null_is_left_out(kind: str, name: str) -> None:
    plain = read(least(kind))
    assert plain is not None
    assert read(least(kind) | {name: None}) == plain


@pytest.mark.parametrize("kind", KINDS)
def test_all_of_them_are_null(kind: str) -> None:
    nulls = dict.fromkeys(fields(KINDS[kind], required=False))
    assert read(least(kind) | nulls) == read(least(kind))


@pytest.mark.parametrize("name", BOUNDS)
def test_null_is_left_out_of_a_limit(name: str) -> None:
    limit: Answer = {"infinite": True} if name != "infinite" else {"depth": 1}
    plain = read(least("analyze") | {"limit": limit})
    assert plain is not None
    assert read(least("analyze") | {"limit": limit | {name: None}}) == plain


@pytest.mark.parametrize(("kind", "name"), REQUIRED)
def test_what_must_be_there_is_not_null(kind: str, name: str) -> None:
    assert read(least(kind) | {name: None}) is None


@pytest.mark.parametrize(
    "request_",
    [
        {"moves": [None]}, {"searchmoves": [None]}, {"limit": {"depth": 1, "x": None}},
        {"x": None},
    ],
    ids=str,
)  # fmt: skip
def test_null_is_nothing_else(request_: Answer) -> None:
    assert read(least("analyze") | request_) is None


POSITION_REQUESTS = [kind for kind, name in OPTIONAL if name == "moves"]


@pytest.mark.parametrize("kind", POSITION_REQUESTS)
@pytest.mark.parametrize("option", ["QuietLimit", "board"])
def test_an_option_that_is_null_has_its_default(kind: str, option: str) -> None:
    assert read(least(kind) | {"options": {option: None}}) is not None
    plain, null = (answers(least(kind) | {"options": options}) for options in ({}, {option: None}))
    assert null == plain
    assert plain[-1]["type"] != "error"


@pytest.mark.parametrize("kind", POSITION_REQUESTS)
def test_answers_to_nulls_are_the_same(kind: str) -> None:
    nulls = dict.fromkeys(fields(KINDS[kind], required=False))
    plain = answers(least(kind))
    assert answers(least(kind) | nulls) == plain
    assert plain[-1]["type"] != "error"


def test_a_deal_beside_an_option_that_is_null() -> None:
    deals: list[Any] = [{"deal": 7}, {"deal": 7, "options": {"Deal": None}}]
    one, other = (answers(least("legal") | {"game": "trollchess"} | deal) for deal in deals)
    assert one == other
    assert one[0]["type"] == "legal"


def answers(request: Answer) -> list[Answer]:
    """Give what is answered, but for how fast it was."""
    host = JsonHost()
    host.send(request)
    return [
        {name: value for name, value in answer.items() if name != "nps"} for answer in host.finish()
    ]
