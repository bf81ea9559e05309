"""The JSON Schema of JSON lines agrees with what is decoded and with what is answered."""

from typing import Any

import msgspec
import pytest

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.json.codec import JsonLines, Received
from kibitz.protocol.json.schema import json_schema, schema_text
from tests.protocol.json.json_host import JsonHost
from tests.protocol.json.json_page import examples, shown_answers
from tests.protocol.json.json_schema import is_valid

SCHEMA = json_schema()


def is_request(value: Any) -> bool:
    return is_valid(SCHEMA["$defs"]["AnyRequest"], value, SCHEMA)


def is_answer(value: Any) -> bool:
    return is_valid(SCHEMA["$defs"]["AnyAnswer"], value, SCHEMA)


def test_the_text_is_the_schema() -> None:
    assert msgspec.json.decode(schema_text()) == SCHEMA


def is_json(line: str) -> bool:
    """Whether a line is JSON at all, which the schema takes for granted."""
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True


def test_examples_of_the_page() -> None:
    sent = 0
    for example in examples():
        for line in example:
            if line.startswith("> {"):
                read = isinstance(JsonLines().read(line[2:]), Received)
                assert (is_json(line[2:]) and is_request(msgspec.json.decode(line[2:]))) == read
                sent += 1
            elif line.startswith("< ") and '"..."' not in line:
                assert is_answer(msgspec.json.decode(line[2:]))
    assert sent > 20
    assert any(shown_answers(example) for example in examples())


ANALYZE = {"type": "analyze", "id": "1", "game": "jarmo", "limit": {"depth": 3}}


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "ping", "id": "1"},
        {"type": "ping", "id": "1", "ack": 5},
        {"type": "ping", "id": "1", "ack": None},
        {"type": "hello", "id": "1", "token": "t", "name": "n", "resume": True},
        ANALYZE,
        ANALYZE | {"options": {"Hash": 5, "x": "y", "z": True}, "moves": ["a1a2"]},
        {"type": "resume", "id": "1", "token": "t", "final": 0},
        {"type": "ping", "id": ""},
        {"type": "ping", "id": 5},
        {"type": "ping"},
        {"type": "pong", "id": "1"},
        {"type": "ping", "id": "1", "x": 5},
        {"type": "ping", "id": "1", "ack": -1},
        ANALYZE | {"limit": {"depth": 0}},
        ANALYZE | {"limit": {"depth": 1.5}},
        ANALYZE | {"limit": None},
        ANALYZE | {"multipv": 257},
        ANALYZE | {"options": {"x": None}},
        ANALYZE | {"options": {"x": [None]}},
        ANALYZE | {"options": None, "moves": None, "multipv": None, "limit": {"infinite": None}},
        ANALYZE | {"options": {"x" * 65: 1}},
        ANALYZE | {"moves": [5]},
        ANALYZE | {"searchmoves": []},
        ANALYZE | {"position": "x" * 4097},
        {"type": "resume", "id": "1", "token": "t"},
    ],
    ids=str,
)
def test_the_schema_takes_what_is_taken(request_: dict[str, Any]) -> None:
    line = msgspec.json.encode(request_).decode()
    assert is_request(request_) == isinstance(JsonLines().read(line), Received)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_answers(game: str) -> None:
    host = JsonHost()
    about = {"id": "1", "game": game}
    host.send({"type": "hello", "id": "0", "resume": True}, {"type": "stats", "id": "0"})
    host.send({"type": "analyze", "limit": {"nodes": 9}, "wdl": True} | about)
    answers = host.finish()
    for kind, more in (("legal", {}), ("play", {"moves": ["?"]}), ("perft", {"depth": 1})):
        host.send({"type": kind} | about | more)
        answers += host.finish()
    assert len(answers) == 7
    for answer in answers:
        assert is_answer(answer), answer
