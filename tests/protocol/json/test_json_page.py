"""The JSON part of docs/protocol.md: its examples happen, and it says everything."""

from typing import get_args

import msgspec
import pytest

from kibitz.protocol.json.codec import TYPES
from kibitz.protocol.json.message_tables import answer_tables, request_tables
from kibitz.protocol.json.messages import AnyAnswer, AnyRequest
from tests.protocol.json.json_page import (
    PAGE,
    Example,
    Replay,
    agree,
    examples,
    shown_answers,
    without_infos,
)

EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_examples_happen(example: Example) -> None:
    given = Replay().run(example)
    shown = shown_answers(example)
    # How many depths are reported depends on the speed.
    assert {a["id"] for a in shown if a["type"] == "info"} == {
        a["id"] for a in given if a["type"] == "info"
    }
    shown, given = without_infos(shown), without_infos(given)
    assert len(shown) == len(given)
    for one, other in zip(shown, given, strict=True):
        assert agree(one, other), f"the page has {one}, but it is {other}"


def test_every_type_is_in_an_example() -> None:
    sent = {
        msgspec.json.decode(line[2:])["type"]
        for example in EXAMPLES
        for line in example
        if line.startswith('> {"')
    }
    assert sent >= set(TYPES) - {"stats"}
    answered = {answer["type"] for example in EXAMPLES for answer in shown_answers(example)}
    kinds = {kind.__struct_config__.tag for kind in get_args(AnyAnswer)}
    assert answered >= kinds - {"stats"}


def test_every_answer_shown_is_one() -> None:
    decoder = msgspec.json.Decoder(AnyAnswer)
    for example in EXAMPLES:
        for line in example:
            if line.startswith("< ") and '"..."' not in line:
                decoder.decode(line[2:])


def test_every_field_has_a_meaning() -> None:
    rows = [line for line in [*request_tables(), *answer_tables()] if line.startswith("| `")]
    assert len(rows) > 80
    assert not [row for row in rows if row.endswith("|  |")]


def test_every_message_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind in [*get_args(AnyRequest), *get_args(AnyAnswer)]:
        assert f"#### `{kind.__struct_config__.tag}`" in page
