"""Any order of commands to several sessions: every `go` gets one answer, with its prefix."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.hub import Hub
from kibitz.protocol.quota import Quota
from tests.protocol.host import ScriptedSearch, long_game
from tests.protocol.manual_service import ManualService

PREFIXES = ["", "@0 ", "@a ", "@b "]
SAID = [
    "go infinite", "go depth 1", "go nonsense", "go ponder", "stop", "ponderhit", "isready",
    "moves " + " ".join(long_game(201)), "position startpos", "uginewgame",
]  # fmt: skip
CONNECTION = [
    "session open a", "session open b", "session close a", "session close b", "session list",
]  # fmt: skip
END_OF_JOB = "(a job ends)"
CALL = "(a call is made)"

EVENTS = st.one_of(
    st.tuples(st.sampled_from(PREFIXES), st.sampled_from(SAID)),
    st.tuples(st.just("@a "), st.just("quit")),
    st.tuples(st.just(""), st.sampled_from([*CONNECTION, END_OF_JOB, CALL, END_OF_JOB, CALL])),
)


def answered(lines: list[str], word: str) -> Counter[str]:
    """Count the answers of a kind by their prefix."""
    found: Counter[str] = Counter()
    for line in lines:
        prefix = line.split(" ")[0] + " " if line.startswith("@") else ""
        if line.removeprefix(prefix).startswith(word):
            found[prefix] += 1
    return found


@given(st.lists(EVENTS, max_size=40))
def test_every_go_is_answered_once(events: list[tuple[str, str]]) -> None:
    service = ManualService(Quota(sessions=3, searches=2))
    hub = Hub(service, {"alphabeta": ScriptedSearch})
    asked: Counter[str] = Counter()
    changes = 0
    for prefix, event in events:
        if event == END_OF_JOB:
            if service.jobs:
                service.end_job()
        elif event == CALL:
            if service.calls:
                service.calls.pop(0)()
        else:
            item = hub.read(prefix + event)
            assert item is not None
            hub.receive(item)
            asked[prefix] += event.startswith("go")
            changes += event.startswith("session")
        assert service.sessions <= 3
        assert len(service.jobs) <= 2
    hub.close()
    while service.jobs or service.calls:
        if service.calls:
            service.calls.pop(0)()
        else:
            service.end_job()
    lines = hub.mailbox.take(10**9).decode().splitlines()
    assert answered(lines, "bestmove") == +asked
    assert hub.mailbox.size == 0
    assert not hub.is_waiting
    assert (service.sessions, service.tables, service.in_use) == (0, {}, set())
    errors = answered(lines, "info string error")[""]
    assert changes - errors <= answered(lines, "session")[""] <= changes
