from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.framing import LineSplitter, Trouble

LONG = Trouble.TOO_LONG
CAP = 10

# What comes in, and what must come out, with lines of at most ten bytes.
CASES: list[tuple[bytes, list[str | Trouble]]] = [
    (b"", []),
    (b"a\n", ["a"]),
    (b"a\r\n", ["a"]),
    (b"a\r\r\n", ["a\r"]),
    (b"\n\r\n", ["", ""]),
    (b"a\nb\nc", ["a", "b", "c"]),
    (b" a\tb \n", [" a\tb "]),
    (b"0123456789\n", ["0123456789"]),
    (b"0123456789", ["0123456789"]),
    (b"012345678\r\n", ["012345678"]),
    (b"0123456789\r\n", ["0123456789"]),
    (b"0123456789\r", ["0123456789"]),
    (b"0123456789\r\r\n", [LONG]),
    (b"0123456789\ra\n", [LONG]),
    (b"\n\n\n\n", ["", "", "", ""]),
    (b"0123456789a\n", [LONG]),
    (b"0123456789a", [LONG]),
    (b"0123456789" * 5 + b"\nb\n", [LONG, "b"]),
    (b"a\n" + b"x" * 99 + b"\n" + b"y" * 99 + b"\nb", ["a", LONG, LONG, "b"]),
    ("žluť\n".encode(), ["žluť"]),
    (b"\xff\n", [Trouble.NOT_UTF8]),
    (b"\xc5\n\xbe\n", [Trouble.NOT_UTF8, Trouble.NOT_UTF8]),
    (b"a\x00b\n", ["a\x00b"]),
    (b"\xffab", [Trouble.NOT_UTF8]),
]


def split(pieces: Iterator[bytes]) -> list[str | Trouble]:
    splitter = LineSplitter(CAP)
    events = [event for piece in pieces for event in splitter.feed(piece)]
    return events + list(splitter.finish())


@pytest.mark.parametrize(("data", "events"), CASES)
def test_whole(data: bytes, events: list[str | Trouble]) -> None:
    assert split(iter([data])) == events


@pytest.mark.parametrize(("data", "events"), CASES)
def test_byte_by_byte(data: bytes, events: list[str | Trouble]) -> None:
    assert split(bytes([byte]) for byte in data) == events


@given(st.data(), st.lists(st.sampled_from([b"a", b"xyz", b"\n", b"\r\n", b"\xff", b"0" * 9])))
def test_any_pieces(data: st.DataObject, parts: list[bytes]) -> None:
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert split(iter(pieces)) == split(iter([whole]))


def test_trouble_comes_before_the_end_of_the_line() -> None:
    splitter = LineSplitter(CAP)
    assert list(splitter.feed(b"x" * 11)) == [LONG]
    assert list(splitter.feed(b"x" * 1000)) == []
    assert list(splitter.feed(b"x\nok\n")) == ["ok"]


def test_memory_stays_below_the_cap() -> None:
    splitter = LineSplitter(CAP)
    for _ in range(1000):
        list(splitter.feed(b"x" * 7))
    assert len(splitter._partial) <= CAP + 1


def test_a_line_can_begin_anew_after_the_end() -> None:
    splitter = LineSplitter(CAP)
    list(splitter.feed(b"x" * 11))
    assert list(splitter.finish()) == []
    assert list(splitter.feed(b"a\n")) == ["a"]
