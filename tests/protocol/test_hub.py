import tracemalloc

import pytest

from kibitz.engine.registry import GAME_NAMES
from kibitz.engine.version import VERSION
from kibitz.protocol.framing import Trouble
from kibitz.protocol.hub import Hub
from kibitz.protocol.quota import LOCAL, Quota
from kibitz.protocol.service import Conversation
from tests.protocol.host import ScriptedSearch, info, long_game
from tests.protocol.manual_service import TOKEN, ManualService


class Connection:
    """A hub, its service, and what the client has read."""

    def __init__(self, quota: Quota = LOCAL, *, is_admitted: bool = True) -> None:
        self.service = ManualService(quota, is_admitted=is_admitted)
        self.hub = Hub(self.service, {"alphabeta": ScriptedSearch})

    def say(self, *lines: str | Trouble) -> list[str]:
        """Say lines, and read what comes at once."""
        for line in lines:
            item = self.hub.read(line)
            if item is not None:
                self.hub.receive(item)
        return self.heard()

    def heard(self) -> list[str]:
        return self.hub.mailbox.take(10**9).decode().splitlines()

    def end_job(self) -> list[str]:
        self.service.end_job()
        return self.heard()

    def make_calls(self) -> list[str]:
        assert self.service.make_calls() > 0
        return self.heard()


@pytest.fixture
def client() -> Connection:
    return Connection()


def answers(lines: list[str]) -> list[str]:
    return [line for line in lines if "info depth" not in line]


def test_it_is_a_conversation(client: Connection) -> None:
    conversation: Conversation = client.hub
    assert not conversation.is_waiting
    assert not conversation.is_closing
    assert conversation.mailbox.size == 0


def test_handshake(client: Connection) -> None:
    lines = client.say("ugi")
    assert lines[0] == f"id name kibitz {VERSION}"
    assert lines[2].startswith("option name Game ")
    assert "option name Hash type spin default 16 min 1 max 65536" in lines
    assert "option name Threads type spin default 1 min 1 max 256" in lines
    assert lines[-1] == "ugiok"
    assert client.service.sessions == 0


def test_a_handshake_shows_what_the_client_can_have() -> None:
    lines = Connection(Quota(hash=8, threads=2)).say("uci")
    assert "option name Hash type spin default 8 min 1 max 8" in lines
    assert "option name Threads type spin default 1 min 1 max 2" in lines
    assert lines[-1] == "uciok"


def test_a_fault_is_passed_on(client: Connection) -> None:
    assert client.say("nonsense") == [
        "info string error bad_command: there is no command 'nonsense'; try help"
    ]
    (line,) = client.say(Trouble.NOT_UTF8)
    assert line.startswith("info string error bad_command: ")


def test_the_cap_of_a_line_is_told() -> None:
    hub = Hub(ManualService(), most_line=20)
    item = hub.read(Trouble.TOO_LONG)
    assert item is not None
    hub.receive(item)
    assert b"more than 20 bytes" in hub.mailbox.take(1000)


def test_help(client: Connection) -> None:
    assert client.say("help go")[0].startswith("go ")
    (fault,) = client.say("help nothing")
    assert fault.startswith("info string error bad_command: ")


def test_commands_reach_the_session(client: Connection) -> None:
    assert client.say("isready", "query game") == ["readyok", "response talisman"]
    assert client.service.sessions == 1
    assert not client.hub.is_waiting


def test_a_bug_is_told(client: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.protocol.hub.help_lines", None)
    (fault,) = client.say("help")
    assert fault.startswith("info string error internal: TypeError")


def test_closing_stops_what_runs_and_what_waits(client: Connection) -> None:
    assert client.say("go infinite", "go infinite", "quit") == []
    assert client.hub.is_closing
    assert client.hub.is_waiting
    assert client.end_job()[-1] == "bestmove a"
    assert client.end_job()[-1] == "bestmove a"
    assert not client.hub.is_waiting
    assert client.service.jobs == []
    assert client.service.sessions == 0
    assert client.service.tables == {}


def test_closing_without_a_session(client: Connection) -> None:
    client.hub.close()
    client.hub.close()
    assert client.hub.is_closing
    assert client.heard() == []
    assert client.say("isready") == []
    assert client.service.sessions == 0


# Sessions.


def test_sessions_are_opened_listed_and_closed(client: Connection) -> None:
    assert client.say("session list") == ["session list 0"]
    assert client.say("session open a", "session open b game JARMO") == [
        "session opened a",
        "session opened b",
    ]
    assert client.say("isready", "session list") == ["readyok", "session list 0 a b"]
    assert client.say("@a query game", "@b query game") == [
        "@a response talisman",
        "@b response jarmo",
    ]
    assert client.say("session close a", "session list") == [
        "session closed a",
        "session list 0 b",
    ]
    assert client.say("session open a", "session list") == [
        "session opened a",
        "session list 0 b a",
    ]


def test_sessions_share_nothing(client: Connection) -> None:
    client.say("session open a", "moves a", "@a moves b s", "@a setoption name Hash value 3")
    first, second = client.say("query fen", "@a query fen")
    assert second != f"@a {first}"
    assert "Hash=16;" in client.say("query options")[0]
    assert "Hash=3;" in client.say("@a query options")[0]


def test_what_sessions_refuse(client: Connection) -> None:
    client.say("session open a")
    for line, code in [
        ("session open a", "busy"),
        ("session open 0", "busy"),
        ("session open b game chess", "bad_option"),
        ("session close b", "no_session"),
        ("session close 0", "bad_command"),
        ("session close", "bad_command"),
    ]:
        (fault,) = client.say(line)
        assert fault.startswith(f"info string error {code}: "), line
    assert client.say("session list") == ["session list 0 a"]
    assert client.service.sessions == 1


def test_a_session_that_there_is_not(client: Connection) -> None:
    (fault,) = client.say("@a isready")
    assert fault.startswith("@a info string error no_session: ")
    (fault,) = client.say("@a nonsense")
    assert fault.startswith("@a info string error no_session: ")
    # Whoever says `go` waits for its answer.
    for go in ("@a go", "@a go nonsense"):
        fault, answer = client.say(go)
        assert fault.startswith("@a info string error no_session: ")
        assert answer == "@a bestmove (none)"
    assert len(client.say("@a perft 1")) == 1


def test_prefixes_of_what_concerns_the_connection(client: Connection) -> None:
    client.say("session open a")
    for line in ("quit", "session list", "session close a", "session open b", "auth x"):
        (fault,) = client.say(f"@a {line}")
        assert fault.startswith("@a info string error bad_command: this concerns the whole ")
        assert not client.hub.is_closing
    for line in ("ugi", "uci", "help", "help go"):
        plain = client.say(line)
        assert client.say(f"@a {line}") == [f"@a {each}" for each in plain]
    assert client.say("@0 isready") == ["@0 readyok"]


def test_the_quota_bounds_the_sessions() -> None:
    client = Connection(Quota(sessions=2))
    client.say("isready", "session open a")
    (fault,) = client.say("session open b")
    assert fault == "info string error over_limit: too many sessions"
    assert client.say("session close a", "session open b") == [
        "session closed a",
        "session opened b",
    ]


def test_no_room_for_the_first_session() -> None:
    client = Connection(Quota(sessions=1))
    client.say("session open a")
    assert client.say("go") == [
        "info string error over_limit: too many sessions",
        "bestmove (none)",
    ]
    assert len(client.say("isready")) == 1
    client.say("session close a")
    assert client.say("isready") == ["readyok"]


def test_searches_of_sessions_run_at_the_same_time(client: Connection) -> None:
    client.say("session open a", "session open b")
    assert client.say("@a go infinite", "go infinite", "@b go depth 1", "isready") == ["readyok"]
    assert len(client.service.jobs) == 3
    assert not client.hub.is_waiting
    assert client.say("stop", "@a stop") == []
    lines = client.end_job() + client.end_job() + client.end_job()
    assert answers(lines) == ["@a bestmove a", "bestmove a", "@b bestmove a"]
    assert {line.split()[0] for line in lines[:3]} == {"@a"}


def test_a_search_over_the_quota_is_refused() -> None:
    client = Connection(Quota(searches=1))
    client.say("session open a")
    assert client.say("go infinite", "@a go infinite", "@a perft 1") == [
        "@a info string error over_limit: too many searches",
        "@a bestmove (none)",
        "@a info string error over_limit: too many searches",
    ]


# Closing a session that is at work.


def test_a_session_is_closed_when_its_search_has_been_answered(client: Connection) -> None:
    client.say("session open a", "@a go infinite")
    assert client.say("session close a") == []
    assert client.hub.is_waiting
    # Whatever comes behind has its turn when the session has closed.
    assert client.say("isready", "@a isready", "session open a", "@a query game") == []
    assert client.end_job()[-2:] == ["@a bestmove a", "session closed a"]
    ready, error, *others = client.make_calls()
    assert ready == "readyok"
    assert error.startswith("@a info string error no_session: ")
    assert others == ["session opened a", "@a response talisman"]
    assert not client.hub.is_waiting
    assert client.service.sessions == 2


def test_many_sessions_are_closed_at_once(client: Connection) -> None:
    names = [f"s{number}" for number in range(2000)]
    client.say(*(f"session open {name}" for name in names))
    client.say("@s0 go infinite", *(f"session close {name}" for name in names))
    client.end_job()
    assert client.make_calls()[-1] == "session closed s1999"
    assert client.say("session list") == ["session list 0"]
    assert client.service.sessions == 0
    assert client.service.tables == {}


def test_quit_while_a_session_is_being_closed(client: Connection) -> None:
    client.say("session open a", "session open b", "@a go infinite")
    client.say("session close a", "@b go infinite", "quit", "isready")
    assert client.hub.is_closing
    assert answers(client.end_job()) == ["@a bestmove a", "session closed a"]
    assert client.make_calls() == []
    assert answers(client.end_job()) == ["@b bestmove a"]
    assert client.service.sessions == 0
    assert not client.hub.is_waiting


def test_a_set_up_in_pieces_holds_the_connection(client: Connection) -> None:
    client.say("session open a", "@a moves " + " ".join(long_game(450)), "@a isready")
    assert client.hub.is_waiting
    assert client.make_calls() == ["@a readyok"]
    assert not client.hub.is_waiting


# Progress.


def test_of_progress_only_the_newest_is_kept(client: Connection) -> None:
    client.say("session open a", "go infinite", "@a go infinite")
    (session, job), (other, other_job) = client.service.jobs
    for depth in range(1, 50):
        session.reported(job, [info(depth)])
        other.reported(other_job, [info(depth + 100)])
    lines = client.heard()
    assert [line.split(" seldepth")[0] for line in lines] == [
        "info depth 49",
        "@a info depth 149",
    ]


def test_progress_of_a_new_search_does_not_overtake_an_old_answer(client: Connection) -> None:
    for _ in range(2):
        for line in ("go infinite", "stop"):
            item = client.hub.read(line)
            assert item is not None
            client.hub.receive(item)
        client.service.end_job()
    words = [line.split()[0] + line.split()[1][:5] for line in client.heard()]
    assert words == ["infodepth", "infodepth", "bestmovea"] * 2


# Admission.


def test_nothing_is_done_before_the_client_is_admitted() -> None:
    client = Connection(is_admitted=False)
    for line in ("ugi", "isready", "session list", "session open a", "@0 isready", "help", "xyz"):
        (fault,) = client.say(line)
        assert fault.removeprefix("@0 ") == "info string error denied: say auth TOKEN first"
    assert len(client.say(Trouble.TOO_LONG)) == 1
    assert client.say("go") == [
        "info string error denied: say auth TOKEN first",
        "bestmove (none)",
    ]
    assert client.say("auth wrong") == ["info string error denied: the token is wrong"]
    assert client.service.sessions == 0
    assert client.say(f"auth {TOKEN}") == ["authok tester"]
    assert client.say("isready") == ["readyok"]


def test_a_client_that_is_not_admitted_can_quit() -> None:
    client = Connection(is_admitted=False)
    assert client.say("quit") == []
    assert client.hub.is_closing


# Memory.


@pytest.mark.parametrize("name", GAME_NAMES)
def test_an_idle_session_is_small(name: str) -> None:
    count = 100
    client = Connection()
    client.say(f"session open first game {name}")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        client.say(*(f"session open {number} game {name}" for number in range(1, count + 1)))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / count < 40 * 1024
