"""Whatever the other side says, in any order: nothing raises, and nobody waits for ever."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.client import ConnectionLost, EngineError, EngineRefused
from kibitz.protocol.client.correspondence import Correspondence
from kibitz.protocol.client.dialogue import Dialogue
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.json.messages import AnalyzeRequest, LegalRequest, PingRequest

LINES = (
    "ugiok", "uciok", "readyok", "bestmove a ponder b", "bestmove (none)", "authok x", "id name x",
    "info depth 1 score cp 5 pv a", "info multipv 3 depth 2", "info string x", "response x",
    "info string error denied: x", "info string error bad_move: x", "session opened x", "nonsense",
    "option name X type spin default 1 min 0 max 3",
)  # fmt: skip

INFO = {
    "type": "info", "seq": 0, "depth": 1, "seldepth": 1, "multipv": 1, "nodes": 1, "nps": 1,
    "score": {"cp": 1, "of": "mover"}, "hashfull": 0, "elapsed_ms": 0, "pv": ["a"], "side": "p1",
}  # fmt: skip
ANSWERS = (
    INFO,
    {"type": "pong", "seq": 0},
    {"type": "cancelled", "seq": 0},
    {"type": "cancel", "seq": 0, "target": "1"},
    {"type": "error", "seq": 0, "code": "internal", "message": "x"},
    {"type": "resumed", "seq": 0, "open": ["1", "7"], "finals": 1},
    {"type": "resumed", "seq": 0, "open": [], "finals": 0},
    {"type": "news", "seq": 0},
)


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text()), max_size=30), st.booleans())
def test_text(lines: list[str], uci: bool) -> None:
    sent: list[str] = []
    dialogue = Dialogue(sent.append)
    dialogue.uci = uci
    batch = dialogue.ask("query x")
    search = dialogue.go("go depth 1", None)
    for line in lines:
        dialogue.receive(line)
    dialogue.end(lambda: ConnectionLost("gone"))
    assert batch.done.is_set()
    assert search.is_over
    if search.is_answered:
        with contextlib.suppress(EngineRefused):
            assert search.result().move in (None, "a")
    with pytest.raises(ConnectionLost):
        dialogue.ask("query x")


@st.composite
def json_lines(draw: st.DrawFn) -> str:
    answer: dict[str, object] = dict(draw(st.sampled_from(ANSWERS)))
    answer["id"] = draw(st.sampled_from(["1", "2", "3", "4", "9", None]))
    if answer["type"] != "info" and draw(st.booleans()):
        answer["final"] = draw(st.integers(0, 12))
    return msgspec.json.encode(answer).decode()


@given(st.lists(st.one_of(json_lines(), st.just("lost"), st.text()), max_size=30))
def test_json(lines: list[str]) -> None:
    sent: list[bytes] = []
    letters = Correspondence(sent.append)
    search = RunningSearch(None)
    pending = [
        letters.ask(PingRequest, at_once=True),
        letters.ask(LegalRequest, game="jarmo"),
        letters.ask(AnalyzeRequest, search, game="jarmo", limit={"infinite": True}),
    ]
    letters.connected(2)
    for line in lines:
        if line == "lost":
            letters.disconnected()
        else:
            letters.receive(line)
    letters.cancel(pending[2])
    letters.forget(pending[1])
    letters.end(lambda: ConnectionLost("gone"))
    assert search.is_over
    assert pending[0].done.is_set()
    assert pending[2].done.is_set()
    for data in sent:
        assert msgspec.json.decode(data)["id"]
    with pytest.raises(EngineError):
        letters.ask(PingRequest)
