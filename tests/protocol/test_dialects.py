from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.dialects import Dialects
from kibitz.protocol.framing import Trouble
from kibitz.protocol.mailbox import Mailbox
from kibitz.protocol.service import Conversation


class Listener:
    """A conversation that keeps what it hears."""

    is_waiting = False
    is_closing = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.mailbox = Mailbox()
        self.heard: list[str | Trouble] = []

    def read(self, line: str | Trouble) -> Any:
        return line if isinstance(line, Trouble) or line.strip() else None

    def receive(self, item: Any) -> None:
        self.heard.append(item)

    def close(self) -> None:
        raise NotImplementedError


def make(most_line: int = 100) -> Dialects:
    return Dialects(most_line, lambda: Listener("text"), lambda: Listener("json"))


def hear(dialects: Dialects, pieces: Iterable[bytes]) -> list[tuple[str, str | Trouble]]:
    heard = [pair for piece in pieces for pair in dialects.feed(piece)]
    heard += list(dialects.finish())
    return [(conversation.name, item) for conversation, item in heard]  # type: ignore[attr-defined]


CASES = [
    (b"", None),
    (b"\n\r\n  \t\n", None),
    (b"# {\n  # ugi\n", None),
    (b"ugi\n", "text"),
    (b"uci\n", "text"),
    (b"xboard\n", "text"),
    (b"isready", "text"),
    (b'"{"\n', "text"),
    (b"[{}]\n", "text"),
    (b"{}\n", "json"),
    (b'\n# a comment\n \t {"id": 1}\n', "json"),
    (b"{", "json"),
    (b"\xff\n{}\n", "text"),
    (b"{" + b"x" * 200 + b"\n{}\n", "text"),
]


@pytest.mark.parametrize(("data", "chosen"), CASES)
def test_the_first_line_that_says_something_chooses(data: bytes, chosen: str | None) -> None:
    for pieces in ([data], [data[i : i + 1] for i in range(len(data))]):
        dialects = make()
        assert {name for name, _ in hear(dialects, pieces)} == ({chosen} if chosen else set())
        conversation = dialects.conversation
        assert (conversation.name if isinstance(conversation, Listener) else None) == chosen


def test_the_choice_stays() -> None:
    assert hear(make(), [b"ugi\n{}\n", b"{}"]) == [("text", "ugi"), ("text", "{}"), ("text", "{}")]
    assert hear(make(), [b"{}\nugi\n"]) == [("json", "{}"), ("json", "ugi")]


def test_trouble_belongs_to_the_conversation() -> None:
    assert hear(make(5), [b"{}\n123456\n"]) == [("json", "{}"), ("json", Trouble.TOO_LONG)]


def test_lines_that_say_nothing_are_not_passed_on() -> None:
    assert hear(make(), [b"a\n\n \nb\n"]) == [("text", "a"), ("text", "b")]


def test_a_conversation_can_be_replaced_between_two_lines() -> None:
    dialects = make()
    other: Conversation = Listener("other")
    names = []
    for conversation, item in dialects.feed(b"{}\nresume\nping\n"):
        assert isinstance(conversation, Listener)
        names.append(conversation.name)
        if item == "resume":
            dialects.conversation = other
    assert names == ["json", "json", "other"]


@given(st.lists(st.sampled_from([b"ugi\n", b"{}\n", b"\n", b"#x\n", b"\xff\n", b"y" * 99, b"\r"])))
def test_any_lines_go_to_one_conversation(pieces: list[bytes]) -> None:
    whole = hear(make(50), [b"".join(pieces)])
    assert hear(make(50), pieces) == whole
    assert len({name for name, _ in whole}) <= 1
