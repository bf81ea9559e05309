"""Whatever bytes a client sends, in whatever pieces: the whole stack answers as it should."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.scripts.fuzz.service import HEAD, RESUME, TOKEN
from kibitz.scripts.fuzz.stack import LOST, run
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


@st.composite
def mutated(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> bytes:
    line = draw(lines)
    start, end = sorted(draw(st.integers(0, len(line))) for _ in range(2))
    return line[:start] + draw(st.binary(max_size=4)) + line[end:]


def conversation(said: list[str]) -> st.SearchStrategy[bytes]:
    valid = st.sampled_from([line.encode() for line in [*said, *COMMON]])
    rubbish = st.binary(max_size=30)
    line = st.one_of(valid, valid, valid, mutated(valid), rubbish)
    ended = st.tuples(line, st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"", b"\n" + LOST]))
    return st.lists(ended.map(b"".join), max_size=12).map(b"".join)


@settings(max_examples=400)
@given(
    st.binary(min_size=HEAD, max_size=HEAD),
    st.one_of(conversation(TEXTS), conversation(REQUESTS), conversation(TEXTS + REQUESTS)),
)
def test_any_bytes(head: bytes, said: bytes) -> None:
    run(head + said)


def test_resumed() -> None:
    lines = [HELLO, ANALYZE, LOST.decode() + COMMON[-1], COMMON[-2]]
    for eagerness in range(4):
        run(bytes((3, 0, 0, eagerness)) + "\n".join(lines).encode())


def test_resumed_twice() -> None:
    resume = [COMMON[-1].replace(f"{RESUME}0", f"{RESUME}{number}") for number in range(2)]
    lines = [HELLO, LOST.decode() + HELLO, LOST.decode() + HELLO, *resume, COMMON[-2]]
    for flags in (0, 8):
        run(bytes((flags, 0, 0, 0)) + "\n".join(lines).encode())
