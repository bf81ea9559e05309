"""Whatever bytes a client sends, in whatever pieces: the whole stack answers as it should."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.protocol.json.open_request import Stage
from kibitz.scripts.fuzz.service import HEAD, RESUME, TOKEN
from kibitz.scripts.fuzz.stack import LOST, drive, run
from tests.protocol.dialogue import FOLDER
from tests.protocol.json.json_page import examples

PLAIN = bytes(HEAD)
TEXTS = sorted(
    {
        line[2:]
        for path in FOLDER.glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("> ")
    }
)
REQUESTS = [line[2:] for example in examples() for line in example if line.startswith("> ")]
HELLO = f'{{"id": "h", "type": "hello", "resume": true, "token": "{TOKEN}"}}'
ANALYZE = '{"id": "a", "type": "analyze", "game": "talisman", "limit": {"infinite": true}}'
COMMON = [
    HELLO, ANALYZE, f"auth {TOKEN}", "go infinite", "stop", "@a go depth 3", "session open a",
    '{"id": "c", "type": "cancel", "target": "a"}', '{"id": "p", "type": "ping", "ack": 1}',
    f'{{"id": "r", "type": "resume", "token": "{RESUME}0", "final": 0}}',
]  # fmt: skip
OPENING = [
    '{"id": "ID", "type": "analyze", "game": "talisman", "limit": {"infinite": true}}',
    '{"id": "ID", "type": "perft", "game": "jasir", "depth": 3}',
    '{"id": "ID", "type": "play", "game": "talisman", "moves": ["a", "s", "b"]}',
]
JOBS = OPENING[:2]
CANCEL = '{"id": "ID", "type": "cancel", "target": "TARGET"}'
HEADS = st.tuples(*[st.integers(0, 255)] * (HEAD - 1), st.sampled_from([0, 1, 1, 2, 3])).map(bytes)
NAMES = st.sampled_from(["a", "b", "d"])
ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"", b"\n" + LOST])


@st.composite
def mutated(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> bytes:
    line = draw(lines)
    start, end = sorted(draw(st.integers(0, len(line))) for _ in range(2))
    return line[:start] + draw(st.binary(max_size=4)) + line[end:]


def lines(said: list[str]) -> st.SearchStrategy[bytes]:
    valid = st.sampled_from([line.encode() for line in [*said, *COMMON]])
    rubbish = st.binary(max_size=30)
    line = st.one_of(valid, valid, valid, mutated(valid), rubbish)
    return st.tuples(line, ENDS).map(b"".join)


def conversation(said: list[str]) -> st.SearchStrategy[bytes]:
    return st.lists(lines(said), max_size=12).map(b"".join)


@st.composite
def change_of_mind(draw: st.DrawFn) -> bytes:
    """A few requests, and then some of them cancelled, which may be open still."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3))
    said = [draw(st.sampled_from(OPENING)).replace("ID", name) for name in names]
    for target in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
        cancel = draw(st.sampled_from(["c", "c", "c", target]))
        said.append(CANCEL.replace("ID", cancel).replace("TARGET", target))
    return "".join(line + "\n" for line in said).encode()


@st.composite
def correspondence(draw: st.DrawFn) -> bytes:
    """JSON lines, many of them about requests that were made before.

    Lines that have nothing to do with each other would hardly ever meet an open request.
    """
    first = draw(st.sampled_from([HELLO + "\n", ""])).encode()
    acts = st.one_of(change_of_mind(), change_of_mind(), lines(REQUESTS))
    return first + b"".join(draw(st.lists(acts, min_size=1, max_size=5)))


@settings(max_examples=400)
@given(
    st.binary(min_size=HEAD, max_size=HEAD),
    st.one_of(conversation(TEXTS), conversation(REQUESTS), conversation(TEXTS + REQUESTS)),
)
def test_any_bytes(head: bytes, said: bytes) -> None:
    run(head + said)


def test_cancelling_what_is_open() -> None:
    """And how often that happened at each stage: the examples have to be worth something."""
    examples: Counter[Stage] = Counter()

    @settings(max_examples=300)
    @given(HEADS, correspondence())
    def says(head: bytes, said: bytes) -> None:
        examples.update(drive(head + said).cancels.keys())

    says()
    assert min(examples[Stage.QUEUED], examples[Stage.AT_WORK]) >= 10, examples


@pytest.mark.parametrize(
    ("eagerness", "opening", "stage"),
    [*((0, line, Stage.QUEUED) for line in OPENING), *((1, line, Stage.AT_WORK) for line in JOBS)],
)
@pytest.mark.parametrize("flags", [0, 2, 8, 10, 16, 26])
def test_cancelled(eagerness: int, opening: str, stage: Stage, flags: int) -> None:
    """One after the other; and once more, when it is cancelled already."""
    said = []
    for number in range(8):
        said.append(opening.replace("ID", str(number)))
        cancel = CANCEL.replace("TARGET", str(number))
        said += [cancel.replace("ID", "c"), cancel.replace("ID", "c")]
    record = drive(bytes((flags, 0x55, 0, eagerness)) + "\n".join(said).encode())
    assert record.cancels == {stage: 8}


def test_resumed() -> None:
    lines = [HELLO, ANALYZE, LOST.decode() + COMMON[-1], COMMON[-2]]
    for eagerness in range(4):
        run(bytes((3, 0, 0, eagerness)) + "\n".join(lines).encode())


def test_resumed_twice() -> None:
    resume = [COMMON[-1].replace(f"{RESUME}0", f"{RESUME}{number}") for number in range(2)]
    lines = [HELLO, LOST.decode() + HELLO, LOST.decode() + HELLO, *resume, COMMON[-2]]
    for flags in (0, 8):
        run(bytes((flags, 0, 0, 0)) + "\n".join(lines).encode())
