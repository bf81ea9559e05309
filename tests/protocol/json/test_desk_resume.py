"""Lost connections: every final answer arrives once, whatever was cut where."""

import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.json.finals import MOST_BYTES, MOST_FINALS, Finals
from kibitz.protocol.mailbox import Mailbox
from kibitz.search.info import Outcome
from tests.protocol.host import ScriptedSearch, info
from tests.protocol.json.json_host import Answer, JsonHost, Started, read_answers

HELLO = {"type": "hello", "id": "hello", "resume": True}
ENDLESS = {"type": "analyze", "game": "talisman", "limit": {"infinite": True}}


def resumable() -> tuple[JsonHost, str]:
    host = JsonHost()
    answer = host.ask(HELLO)[0]
    assert answer["unacknowledged_most"] == MOST_FINALS
    assert answer["grace_seconds"] == 60
    assert host.desk.is_resumable
    return host, answer["resume"]


def reconnect(host: JsonHost, **fields: Any) -> list[Answer]:
    """Come back with a new desk, and give what the client reads then."""
    host.desk = host.new_desk()
    host.send({"type": "resume", "id": "resume"} | fields)
    asking = host.desk
    if host.service.resumed and host.service.resumed[-1][0] is asking:
        host.desk = host.service.resumed[-1][1]
        assert asking.is_closing
        assert not asking.mailbox.size
    return host.take()


def report(host: JsonHost, started: Started, *depths: int) -> None:
    """Let a running search report."""
    host.service.prepare(started)
    search = next(s for s in host.searches if s.limit.depth is None)
    best = search.position.legal_moves()[0]
    started.owner.reported(started.job, [info(depth, best) for depth in depths])


def test_final_answers_are_kept_until_they_are_acknowledged() -> None:
    host, token = resumable()
    first = host.ask({"type": "legal", "id": "1", "game": "jarmo"})
    host.send({"type": "ping", "id": "2"}, {"type": "legal", "id": "3", "game": "talisman"})
    host.desk.detach()
    host.service.do_pieces()
    assert host.desk.mailbox.size == 0
    resumed, *finals = reconnect(host, token=token, final=first[0]["final"])
    assert resumed == {"type": "resumed", "id": "resume", "seq": 0, "open": [], "finals": 2}
    assert [(a["id"], a["final"]) for a in finals] == [("2", 2), ("3", 3)]
    host.desk.detach()
    assert reconnect(host, token=token, final=1)[1:] == finals, "lost once more"
    host.desk.detach()
    assert len(reconnect(host, token=token, final=3)) == 1


def test_what_is_not_received_is_sent_again_with_the_newest_infos() -> None:
    host, token = resumable()
    host.ask(ENDLESS | {"id": "1"})
    started = host.service.jobs[0]
    report(host, started, 1)
    assert host.take()[0]["seq"] == 0
    report(host, started, 2)
    host.desk.detach()
    report(host, started, 3, 4)
    resumed, newest = reconnect(host, token=token, final=0)
    assert resumed["open"] == ["1"]
    assert (newest["depth"], newest["seq"]) == (4, 2), "the info of depth 2 was number 1"
    report(host, started, 5)
    assert [a["seq"] for a in host.take()] == [3]
    host.desk.detach()
    host.service.run_job()
    resumed, final = reconnect(host, token=token, final=0)
    assert (resumed["open"], resumed["finals"], final["type"]) == ([], 1, "done")


def test_a_second_connection_takes_over() -> None:
    host, token = resumable()
    host.ask(ENDLESS | {"id": "1"})
    host.send({"type": "ping", "id": "2"})
    resumed, pong = reconnect(host, token=token, final=0)
    assert (resumed["open"], pong["type"]) == (["1"], "pong")


def test_the_answer_to_hello_comes_before_what_is_resumed() -> None:
    host, token = resumable()
    host.desk.detach()
    host.desk = host.new_desk()
    host.send(HELLO, {"type": "resume", "id": "resume", "token": token, "final": 0})
    host.desk = host.service.kept[token]
    assert [answer["type"] for answer in host.take()] == ["hello", "resumed"]


def test_resume_that_is_refused() -> None:
    host, token = resumable()
    for given, code in (("wrong", "no_session"), (token, "busy")):
        answer = host.ask({"type": "resume", "id": "1", "token": given, "final": 0})[-1]
        assert answer["code"] == code
    other = JsonHost()
    other.send(ENDLESS | {"id": "1"})
    assert other.ask({"type": "resume", "id": "2", "token": token, "final": 0})[0]["code"] == "busy"


BEYOND = [3, 4, 2**63, 10**30]


@pytest.mark.parametrize("number", BEYOND)
@pytest.mark.parametrize("claim", ["final", "ack"])
def test_resume_beyond_what_was_sent(claim: str, number: int) -> None:
    """It is refused by the name of the field, and nothing is lost: the next one has it all."""
    host, token = resumable()
    host.ask({"type": "ping", "id": "1"}, {"type": "ping", "id": "2"})
    host.ask(ENDLESS | {"id": "3"})
    host.desk.detach()
    for _ in range(2):
        refused = reconnect(host, token=token, **({"final": 1} | {claim: number}))
        assert [(a["type"], a["code"], a["field"]) for a in refused] == [
            ("error", "bad_command", claim)
        ]
        assert str(number) in refused[0]["message"]
        assert not host.desk.is_closing
        assert not host.service.resumed
    resumed, second = reconnect(host, token=token, final=1)
    assert (resumed["open"], resumed["finals"], second["final"]) == (["3"], 1, 2)


def test_resume_beyond_what_was_sent_while_another_connection_goes_on() -> None:
    host, token = resumable()
    first = host.desk
    host.ask({"type": "ping", "id": "1"})
    assert reconnect(host, token=token, final=9)[0]["field"] == "final"
    host.desk = first
    assert host.ask({"type": "ping", "id": "2"})[0]["final"] == 2


def test_what_was_answered_while_nobody_was_there_was_not_sent() -> None:
    host, token = resumable()
    host.send({"type": "legal", "id": "1", "game": "jarmo"})
    host.desk.detach()
    host.service.do_pieces()
    assert reconnect(host, token=token, final=1)[0]["code"] == "bad_command"
    assert [a.get("final") for a in reconnect(host, token=token, final=0)] == [None, 1]
    host.desk.detach()
    assert len(reconnect(host, token=token, final=1)) == 1


@pytest.mark.parametrize("number", BEYOND)
@pytest.mark.parametrize(
    "request_",
    [
        {"type": "ping"}, {"type": "stats"}, {"type": "hello"}, {"type": "cancel", "target": "x"},
        {"type": "legal", "game": "jarmo"}, ENDLESS,
    ],
    ids=lambda request: str(request["type"]),
)  # fmt: skip
def test_ack_beyond_what_was_sent(request_: Answer, number: int) -> None:
    host, token = resumable()
    host.ask({"type": "ping", "id": "1"}, {"type": "ping", "id": "2"})
    answers = host.ask(request_ | {"id": "3", "ack": number})
    assert [(a["id"], a["code"], a["field"]) for a in answers] == [("3", "bad_command", "ack")]
    assert host.desk.is_idle, "the request was not carried out"
    host.desk.detach()
    assert [a.get("final") for a in reconnect(host, token=token, final=0)] == [None, 1, 2, 3]


def test_ack_before_any_answer_has_a_number() -> None:
    """In `hello` it is about what will be resumed; elsewhere it cannot be true."""
    host, token = resumable()
    host.ask({"type": "ping", "id": "1"})
    host.desk.detach()
    host.desk = host.new_desk()
    assert host.ask({"type": "hello", "id": "2", "ack": 1})[0]["type"] == "hello"
    assert host.ask({"type": "ping", "id": "3", "ack": 1})[0]["field"] == "ack"
    assert len(reconnect(host, token=token, final=1, ack=1)) == 1


def test_resume_heeds_the_greater_of_final_and_ack() -> None:
    host, token = resumable()
    host.ask({"type": "ping", "id": "1"}, {"type": "ping", "id": "2"})
    host.desk.detach()
    assert len(reconnect(host, token=token, final=1, ack=2)) == 1


def test_where_nobody_can_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(desk: Desk) -> str:
        raise Refusal(ErrorCode.DENIED, "not here")

    host = JsonHost()
    monkeypatch.setattr(host.service, "offer_resume", refuse)
    answer = host.ask(HELLO)[0]
    assert not {"resume", "grace_seconds", "unacknowledged_most"} & answer.keys()
    assert not host.desk.is_resumable
    assert "final" not in host.ask({"type": "ping", "id": "1", "ack": 0})[0]
    refused = host.ask({"type": "ping", "id": "1", "ack": 5})[0]
    assert (refused["code"], refused["field"]) == ("bad_command", "ack")


def test_too_many_answers_are_not_acknowledged() -> None:
    host, token = resumable()
    for number in range(MOST_FINALS):
        assert host.ask({"type": "ping", "id": "1"})[0]["final"] == number + 1
    assert "final" not in host.ask({"type": "ping", "id": "1"})[0]
    legal = {"type": "legal", "id": "1", "game": "jarmo"}
    refused = host.ask(legal)[0]
    assert (refused["code"], refused["field"]) == ("over_limit", "ack")
    assert "final" not in refused
    assert host.ask(legal | {"ack": 5})[0]["final"] == MOST_FINALS + 1
    host.desk.detach()
    resumed, *finals = reconnect(host, token=token, final=5)
    assert [a["final"] for a in finals] == list(range(6, MOST_FINALS + 2))
    assert resumed["finals"] == len(finals)


def test_large_answers_that_are_not_acknowledged() -> None:
    finals = Finals()
    finals.keep(bytes(MOST_BYTES - 1))
    assert not finals.is_full
    finals.keep(b"1")
    assert finals.is_full
    finals.acknowledge(1)
    assert not finals.is_full
    finals.acknowledge(10**30)
    assert (finals.last, finals.unacknowledged()) == (2, [])


def test_a_closed_desk_cannot_be_resumed() -> None:
    host, _ = resumable()
    host.desk.close()
    assert not host.desk.is_resumable


class Client:
    """A program that comes back after each lost connection, over a wire that loses its end.

    Lines on their way are in `sent` and `coming`; when the connection is cut, the first few
    of them have still arrived.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.host = JsonHost()
        self.token = self.host.ask(HELLO)[0]["resume"]
        self.sent: list[Answer] = []
        self.coming: list[Answer] = []
        self.requests: dict[str, Answer] = {}
        self.finals: dict[str, Answer] = {}
        self.last = 0
        self.seqs: dict[str, int] = {}
        self.seen_here: set[str] = set()
        self.cuts = 0

    def request(self) -> None:
        """Send some request."""
        request_id = f"r{len(self.requests)}"
        unanswered = [name for name in self.requests if name not in self.finals]
        kind = self.chance.choice(
            ["endless", "endless", "legal", "play", "ping", "cancel", "wrong"]
        )
        fields: dict[str, Answer] = {
            "endless": ENDLESS,
            "legal": {"type": "legal", "game": "talisman", "moves": ["a", "s"]},
            "play": {"type": "play", "game": "talisman", "moves": ["a", "a"]},
            "ping": {"type": "ping"},
            "cancel": {"type": "cancel", "target": self.chance.choice(["x", *unanswered])},
            "wrong": {"type": "legal", "game": "nothing"},
        }
        request = fields[kind] | {"id": request_id}
        if self.chance.random() < 0.3:
            request |= {"ack": self.last}
        self.requests[request_id] = request
        self.sent.append(request)

    def arrive(self, most: int) -> None:
        """Let some of the lines on their way arrive, on either side."""
        for request in self.sent[:most]:
            self.host.send(request)
        del self.sent[:most]
        self.coming += read_answers(self.host.desk.mailbox.take(self.chance.randrange(1, 600)))
        for answer in self.coming[:most]:
            self.read(answer)
        del self.coming[:most]

    def read(self, answer: Answer) -> None:
        request_id, seq = answer["id"], answer["seq"]
        if answer["type"] in ("hello", "resumed"):
            return
        assert request_id not in self.finals, "nothing comes after the final answer"
        before = self.seqs.get(request_id, -1)
        if request_id in self.seen_here:
            assert seq == before + 1
        assert seq > before
        self.seen_here.add(request_id)
        self.seqs[request_id] = seq
        if answer["type"] != "info":
            assert answer["final"] == self.last + 1
            self.last += 1
            self.finals[request_id] = answer

    def cut(self) -> None:
        """Lose the connection, and come back."""
        self.cuts += 1
        self.arrive(self.chance.randrange(4))
        self.sent.clear()
        self.coming.clear()
        self.host.desk.detach()
        while self.chance.random() < 0.5:
            self.work()
        self.seen_here.clear()
        resumed, *following = reconnect(self.host, token=self.token, final=self.last)
        finals, infos = following[: resumed["finals"]], following[resumed["finals"] :]
        assert all(answer["type"] != "info" for answer in finals)
        assert {answer["id"] for answer in infos} <= set(resumed["open"])
        for answer in following:
            self.read(answer)
        for request_id, request in self.requests.items():
            if request_id not in self.finals and request_id not in resumed["open"]:
                self.sent.append(request)

    def work(self) -> None:
        """Let something happen at the server."""
        service = self.host.service
        if not service.jobs or self.chance.random() < 0.5:
            service.do_piece()
            return
        started = self.chance.choice(service.jobs)
        if self.chance.random() < 0.5:
            if not started.is_prepared:
                service.prepare(started)
            best = 1
            if self.host.searches:
                best = self.host.searches[-1].position.legal_moves()[0]
                depths = sorted(self.chance.choices(range(9), k=2))
                started.owner.reported(started.job, [info(depth, best) for depth in depths])
        else:
            service.run_job(service.jobs.index(started))

    def finish(self) -> None:
        """Let everything come to its end."""
        desk = self.host.desk
        while self.sent or self.coming or desk.mailbox.size or not desk.is_idle:
            self.arrive(1000)
            self.host.service.do_pieces()
            while self.host.service.jobs:
                self.host.service.run_job()


@pytest.mark.parametrize("seed", range(8))
def test_every_final_answer_arrives_once(seed: int) -> None:
    chance = random.Random(seed)
    client = Client(chance)
    while client.cuts < 60:
        step = chance.choices(["request", "arrive", "work", "cut"], [4, 5, 6, 1])[0]
        match step:
            case "request":
                client.request()
            case "arrive":
                client.arrive(chance.randrange(5))
            case "work":
                client.work()
            case "cut":
                client.cut()
    client.finish()
    assert client.finals.keys() == client.requests.keys()
    assert client.last == len(client.requests)
    kinds = Counter(answer["type"] for answer in client.finals.values())
    assert {"done", "cancelled", "legal", "error", "pong", "cancel"} <= kinds.keys()


def test_a_desk_that_is_detached_puts_nothing_into_its_mailbox() -> None:
    host, _ = resumable()
    host.ask(ENDLESS | {"id": "1"})
    host.desk.detach()
    assert isinstance(host.desk.mailbox, Mailbox)
    report(host, host.service.jobs[0], 1)
    host.service.run_job()
    assert host.desk.mailbox.size == 0


class Slow(ScriptedSearch):
    """A search that reports often."""

    def run(self) -> Outcome:
        best = self.position.legal_moves()[0]
        for depth in range(1, 500):
            self.report([info(depth, best)])
        return Outcome(best, None, nodes=9, nps=90, time=100)


def test_a_slow_reader_gets_the_newest_and_no_gap() -> None:
    host = JsonHost(make=Slow)
    host.send({"type": "ping", "id": "0"}, ENDLESS | {"id": "1"})
    answers = host.finish()
    assert [(a["id"], a["seq"]) for a in answers] == [("0", 0), ("1", 0), ("1", 1)]
    assert answers[1]["depth"] == 499
    assert len(msgspec.json.encode(answers)) < 1000
