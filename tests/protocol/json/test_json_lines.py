"""Lines to requests, and to what is wrong with them: tables, and anything at random."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.framing import Trouble
from kibitz.protocol.json.codec import JsonLines, Received, Unread
from kibitz.protocol.json.messages import (
    AnalyzeRequest,
    CancelRequest,
    PerftRequest,
    PingRequest,
    PongAnswer,
)
from kibitz.protocol.json.request_faults import MOST_PATH

CODEC = JsonLines()


def analyze(**fields: Any) -> str:
    request = {"type": "analyze", "id": "a", "game": "jarmo", "limit": {"depth": 1}} | fields
    return json.dumps(request)


def refusal(line: str | Trouble) -> tuple[str | None, str, str, str | None, int | None]:
    item = CODEC.read(line)
    assert isinstance(item, Unread)
    return item.id, item.refusal.code, item.refusal.text, item.refusal.field, item.refusal.index


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"type":"ping","id":"a"}', PingRequest),
        (' \t{ "id" : "a" , "type" : "ping" }\r', PingRequest),
        ('{"id":"\\ud83d\\ude00","type":"cancel","target":"é"}', CancelRequest),
        ('{"type":"perft","id":"a","game":"x","depth":0,"position":null}', PerftRequest),
        (analyze(options={"Hash": 5, "x": True, "y": "z"}, moves=["a"] * 9000), AnalyzeRequest),
    ],
)
def test_requests(line: str, kind: type) -> None:
    item = CODEC.read(line)
    assert isinstance(item, Received)
    assert type(item.request) is kind
    assert item.size == len(line)


@pytest.mark.parametrize("line", ["", " ", "\t \r"])
def test_nothing(line: str) -> None:
    assert CODEC.read(line) is None


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("hello", "the line is not JSON: invalid character (byte 0)"),
        ("NaN", "the line is not JSON: invalid character (byte 0)"),
        ('{"type":"ping","id":NaN}', "the line is not JSON: invalid character (byte 20)"),
        ('{"type":"ping"', "the line is not JSON: it ends too early"),
        ('{"type":"ping","id":"a"} x', "the line is not JSON: trailing characters (byte 25)"),
        ('{"type":"ping","id":"a","x":[}', "the line is not JSON: invalid character (byte 29)"),
        ('{"type":"ping","id":"\\ud800"}', "the line is not JSON: it has half of a surrogate pair"),
        ('{"type":"ping","id":"\\udc00"}', "the line is not JSON: it has half of a surrogate pair"),
        ("[]", "the line has to be an object, not a list"),
        ('"hello"', "the line has to be an object, not a text"),
        ("null", "the line has to be an object, not null"),
        ("[" * 60_000, "the line has to be an object, not a list"),
        ('{"id":"a","x":' + "[" * 60_000, "the line is nested too deeply"),
        ('{"id":"a","x":' + '{"x":' * 12_000, "the line is nested too deeply"),
        ('{"type":"ping"}', "id: is missing"),
        ('{"type":"ping","id":5}', "id: has to be a text, not a whole number"),
        ('{"type":"ping","id":""}', "id: has to be a text that is not empty"),
        ('{"id":"' + 65 * "a" + '","type":"x"}', "id: has to be a text of at most 64 characters"),
        ('{"type":"ping","id":"a","id":"b"}', "id: is there twice"),
        (Trouble.TOO_LONG, "the line has more than 65536 bytes and was skipped"),
        (Trouble.NOT_UTF8, "the line is not UTF-8"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_lines_without_a_usable_id(line: str | Trouble, text: str) -> None:
    found = refusal(line)
    assert found[:3] == (None, "bad_command", text)


@pytest.mark.parametrize(
    ("line", "code", "text", "field", "index"),
    [
        ('{"id":"a"}', "bad_command", "type: is missing; there are hello,", "type", None),
        ('{"id":"a","type":5}', "bad_command", "type: has to be a text; there are", "type", None),
        ('{"id":"a","type":"x"}', "bad_command", "type: there is no request 'x'; ", "type", None),
        ('{"id":"a","type":"ping","x":1}', "bad_command", "x: there is no such field", "x", None),
        (
            '{"id":"a","type":"ping","ack":-1}', "bad_command",
            "ack: has to be a whole number of at least 0", "ack", None,
        ),
        (analyze(x=5), "bad_command", "x: there is no such field", "x", None),
        (analyze(limit={"x": 5}), "bad_limit", "limit.x: there is no such", "limit.x", None),
        (analyze(limit=5), "bad_limit", "limit: has to be an object, not a whole", "limit", None),
        (analyze(limit=None), "bad_limit", "limit: has to be an object, not null", "limit", None),
        (
            '{"id":"a","type":"analyze","game":"jarmo"}', "bad_limit", "limit: is missing",
            "limit", None,
        ),
        (
            analyze(limit={"depth": 0}), "bad_limit",
            "limit.depth: has to be a whole number of at least 1", "limit.depth", None,
        ),
        (
            analyze(limit={"nodes": 1.5}), "bad_limit",
            "limit.nodes: has to be a whole number, not a number with", "limit.nodes", None,
        ),
        (
            analyze(limit={"movetime": 10**30}), "bad_limit",
            "limit.movetime: has to be a whole number of at most 1000000000000",
            "limit.movetime", None,
        ),
        (
            '{"id":"a","type":"analyze","game":"x","limit":{"depth":1,"depth":2}}',
            "bad_limit", "limit.depth: is there twice", "limit.depth", None,
        ),
        (
            '{"id":"a","type":"legal","game":"x","board":"house"}', "bad_command",
            "board: there is no such field; the option is options.Board", "board", None,
        ),
        (analyze(multipv=257), "bad_command", "multipv: has to be a whole number", "multipv", None),
        (
            '{"id":"a","type":"legal","game":"jarmo","options":{"Board":"house","Board":1}}',
            "bad_option", "options.Board: is there twice", "options.Board", None,
        ),
        (
            '{"id":"a","type":"ping","ack":1,"ack":2}', "bad_command", "ack: is there twice",
            "ack", None,
        ),
        (
            analyze(options={"b": 1, "a": 1.5}), "bad_option", "options.a: has to be", "options.a",
            None,
        ),
        (analyze(options={"b": []}), "bad_option", "options.b: has to be", "options.b", None),
        (
            analyze(options={"a" * 65: 1}), "bad_option",
            f"options.{'a' * 65}: the name of an option has to be a text of at most 64 characters",
            f"options.{'a' * 65}", None,
        ),
        (
            analyze(options={str(number): 1 for number in range(65)}), "bad_option",
            "options: has to be an object of at most 64 fields", "options", None,
        ),
        (
            '{"id":"a","type":"legal","game":"x","options":{"x":' + "9" * 5000 + "}}",
            "bad_option", "options.x: is out of range", "options.x", None,
        ),
        (analyze(moves=["a", 5]), "bad_move", "moves[1]: has to be a text, not", "moves", 1),
        (analyze(moves=["a", ""]), "bad_move", "moves[1]: has to be a text that is", "moves", 1),
        (
            analyze(searchmoves=[]), "bad_limit", "searchmoves: has to be a list that is not empty",
            "searchmoves", None,
        ),
        (
            analyze(position="a" * 4097), "bad_position",
            "position: has to be a text of at most 4096 characters", "position", None,
        ),
        (analyze(deal=-1), "bad_position", "deal: has to be a whole number of at", "deal", None),
        (
            '{"id":"a","type":"perft","game":"x","depth":101}', "bad_limit",
            "depth: has to be a whole number of at most 100", "depth", None,
        ),
        (
            '{"id":"a","type":"render","game":"x","format":"svg"}', "bad_command",
            "format: cannot be 'svg'", "format", None,
        ),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_refusals(line: str, code: str, text: str, field: str, index: int | None) -> None:
    found = refusal(line)
    assert found[2].startswith(text)
    assert (found[0], found[1], found[3], found[4]) == ("a", code, field, index)
    assert found[2].startswith(field if index is None else f"{field}[{index}]")


def test_an_answer() -> None:
    written = CODEC.write(PongAnswer(id="é\n", seq=0))
    assert written == '{"type":"pong","id":"é\\n","seq":0}\n'.encode()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "type", "limit", "moves", "options", "ack", "depth", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.text() | VALUES.map(json.dumps))
def test_any_line_is_a_request_or_one_refusal(line: str) -> None:
    item = CODEC.read(line)
    if isinstance(item, Unread):
        assert item.refusal.text.isprintable()
        assert item.id is None or 1 <= len(item.id) <= 64
        assert item.refusal.field is None or len(item.refusal.field) <= MOST_PATH
    elif item is None:
        assert not line.strip()


_PING = '{"type":"ping","id":'


@pytest.mark.parametrize(
    "line",
    [
        "X", "{X", '{"type"X', f'{_PING}"a"X', f'{_PING}"a",X', f'{_PING}"a"}}X',
        f'{_PING}"a"}}  X', f'{_PING}"\\X"', f'{_PING}"\\uX000"', f'{_PING}"\\u000X"',
        f'{_PING}1.X', f'{_PING}"é"}}X', f'{_PING}"é\\X"',
    ],
)  # fmt: skip
def test_bytes_are_counted_from_0_in_all_errors(line: str) -> None:
    """The one that is wrong is the X."""
    unread = CODEC.read(line)
    assert isinstance(unread, Unread)
    assert unread.refusal.text.endswith(f" (byte {line.encode().index(b'X')})")
