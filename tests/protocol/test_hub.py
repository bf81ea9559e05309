import pytest

from kibitz.engine.version import VERSION
from kibitz.protocol import commands as c
from kibitz.protocol import replies as r
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.hub import Hub
from kibitz.protocol.jobs import Job
from kibitz.protocol.session import Session
from kibitz.search.limits import Limit
from tests.protocol.host import ScriptedSearch

FAULT = r.Fault(ErrorCode.BAD_COMMAND, "no")


class ListTransport:
    def __init__(self) -> None:
        self.replies: list[r.Reply] = []
        self.jobs: list[tuple[Session, Job]] = []
        self.hub = Hub(self, {"alphabeta": ScriptedSearch})

    def send(self, reply: r.Reply) -> None:
        self.replies.append(reply)

    def start(self, session: Session, job: Job) -> None:
        self.jobs.append((session, job))

    def end_job(self) -> None:
        session, job = self.jobs.pop(0)
        session.ended(job, job.run(lambda report: session.reported(job, report)))


@pytest.fixture
def transport() -> ListTransport:
    return ListTransport()


def test_handshake(transport: ListTransport) -> None:
    transport.hub.receive(c.Handshake("ugi"))
    (identity,) = transport.replies
    assert isinstance(identity, r.Identity)
    assert identity.name == f"kibitz {VERSION}"
    assert identity.dialect == "ugi"
    assert identity.options[0].name == "Game"


def test_a_fault_is_passed_on(transport: ListTransport) -> None:
    transport.hub.receive(FAULT)
    assert transport.replies == [FAULT]


def test_help(transport: ListTransport) -> None:
    transport.hub.receive(c.Help("go"))
    transport.hub.receive(c.Help("nothing"))
    help_text, fault = transport.replies
    assert isinstance(help_text, r.HelpText)
    assert isinstance(fault, r.Fault)
    assert fault.code is ErrorCode.BAD_COMMAND


def test_commands_reach_the_session(transport: ListTransport) -> None:
    transport.hub.receive(c.IsReady())
    transport.hub.receive(c.Query("game"))
    assert transport.replies == [r.ReadyOk(), r.Response("talisman")]
    assert not transport.hub.is_waiting


def test_a_bug_is_told(transport: ListTransport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.protocol.hub.help_lines", None)
    transport.hub.receive(c.Help())
    (fault,) = transport.replies
    assert isinstance(fault, r.Fault)
    assert fault.code is ErrorCode.INTERNAL


def test_closing_stops_what_runs_and_what_waits(transport: ListTransport) -> None:
    go = c.Go(limit=Limit(), infinite=True)
    for command in (go, go, c.Quit()):
        transport.hub.receive(command)
    assert transport.hub.is_closing
    assert transport.hub.is_waiting
    transport.end_job()
    assert not transport.hub.is_waiting
    transport.end_job()
    assert transport.jobs == []
    answers = [reply for reply in transport.replies if isinstance(reply, r.BestMove)]
    assert answers == [r.BestMove("a"), r.BestMove("a")]


def test_closing_without_a_session(transport: ListTransport) -> None:
    transport.hub.close()
    assert transport.hub.is_closing
    assert transport.replies == []
