"""The ends of a desk's requests: cancelled, too many, or by a bug; each has one final answer."""

from typing import Any

import msgspec
import pytest

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.json.desk import MOST_OPEN_SIZE, MOST_QUEUED
from kibitz.protocol.quota import LOCAL
from kibitz.search.info import Outcome
from tests.protocol.host import ScriptedSearch, info
from tests.protocol.json.desk_requests import SMALL, analyze, error_of, only
from tests.protocol.json.json_host import JsonHost

# Cancelling.


def test_cancel_of_one_that_runs() -> None:
    host = JsonHost()
    host.send(analyze(limit={"infinite": True}))
    host.service.do_pieces()
    host.service.jobs[0].job.prepare()
    cancel = {"type": "cancel", "id": "2", "target": "1"}
    assert only(host.ask(cancel)) == cancel | {"seq": 0}
    assert only(host.ask(cancel | {"id": "3"}))["type"] == "cancel", "once more does no harm"
    assert host.searches[0].events == ["stop"]
    started = host.service.jobs.pop()
    outcome = started.job.run(lambda report: started.owner.reported(started.job, report))
    started.owner.ended(started.job, outcome)
    answers = host.take()
    assert [answer["type"] for answer in answers] == ["info", "cancelled"]
    assert answers[1]["best"] == answers[0]["pv"][0]
    assert error_of(host.ask(cancel)) == ("2", "bad_command", "target")


def test_cancel_of_one_that_waits() -> None:
    host = JsonHost()
    host.send(analyze(), {"type": "perft", "id": "p", "game": "jarmo", "depth": 2})
    host.service.do_pieces()
    for target in ("1", "p"):
        assert only(host.ask({"type": "cancel", "id": "2", "target": target}))["type"] == "cancel"
    answers = host.finish()
    assert answers == [
        {"type": "cancelled", "id": "1", "seq": 0},
        {"type": "cancelled", "id": "p", "seq": 0},
    ]
    assert not host.searches
    assert not host.service.tables


@pytest.mark.parametrize("kind", ["analyze", "legal"])
def test_cancel_before_the_set_up_is_done(kind: str) -> None:
    host = JsonHost()
    host.send(analyze() if kind == "analyze" else {"type": kind, "id": "1", "game": "jarmo"})
    host.send({"type": "ping", "id": "2"}, {"type": "cancel", "id": "3", "target": "1"})
    host.send({"type": "legal", "id": "1", "game": "jarmo"})
    assert [answer["type"] for answer in host.finish()] == ["pong", "cancel", "cancelled", "legal"]


def test_cancel_of_a_perft_that_was_done_all_the_same() -> None:
    host = JsonHost()
    host.send({"type": "perft", "id": "1", "game": "jarmo", "depth": 1})
    host.service.do_pieces()
    started = host.service.jobs.pop()
    started.job.prepare()
    total = started.job.run(lambda report: started.owner.reported(started.job, report))
    host.service.jobs.append(started)
    host.send({"type": "cancel", "id": "2", "target": "1"})
    started.owner.ended(started.job, total)
    answer = host.take()[-1]
    assert (answer["type"], len(answer["counts"])) == ("cancelled", 7)


def test_a_perft_that_the_service_ended() -> None:
    host = JsonHost()
    host.send({"type": "perft", "id": "1", "game": "jarmo", "depth": 2})
    host.service.do_pieces()
    started = host.service.jobs.pop()
    started.job.prepare()
    started.job.stop()
    started.owner.ended(started.job, started.job.run(lambda report: None))
    assert only(host.take())["type"] == "cancelled"


def test_the_end_of_the_connection() -> None:
    host = JsonHost()
    host.send(analyze("1"))
    host.service.do_pieces()
    host.send({"type": "legal", "id": "2", "game": "jarmo"}, analyze("3"))
    host.desk.close()
    assert host.desk.is_closing
    kinds = {answer["id"]: answer["type"] for answer in host.finish()}
    assert kinds == {"1": "cancelled", "2": "legal", "3": "cancelled"}
    assert host.desk.is_idle


# Ids, and too much.


def test_the_id_of_an_open_request() -> None:
    host = JsonHost()
    host.send(analyze())
    for line in (analyze(), {"type": "ping", "id": "1"}, {"type": "nothing", "id": "1"}):
        answers = host.ask(line)
        assert answers[0]["id"] is None
        assert only(answers)["code"] == "bad_command"
    assert host.finish()[-1]["type"] == "done"
    assert only(host.ask({"type": "ping", "id": "1"}))["type"] == "pong"


def test_more_searches_than_the_quota_has_place_for() -> None:
    host = JsonHost(SMALL)
    host.send(*(analyze(str(number)) for number in range(6)))
    host.service.do_pieces()
    assert error_of(host.take()) == ("5", "over_limit", None)
    answers = host.finish()
    assert [answer["type"] for answer in answers].count("done") == 5


def test_nothing_more_is_read_while_much_waits() -> None:
    host = JsonHost()
    for number in range(MOST_QUEUED):
        assert not host.desk.is_waiting
        host.send({"type": "legal", "id": str(number), "game": "jarmo"})
    assert host.desk.is_waiting
    host.service.do_piece()
    assert not host.desk.is_waiting
    host.finish()
    for number in range(2):
        assert not host.desk.is_waiting
        long = {"type": "legal", "id": str(number), "game": "jarmo", "moves": ["a1a2"] * 5000}
        host.send(long)
    assert host.desk.is_waiting
    host.finish()
    assert not host.desk.is_waiting


def test_open_requests_have_a_bound() -> None:
    host = JsonHost()
    request = analyze(options={"QuietLimit": 0}, searchmoves=["a", *(["zz"] * 8000)])
    size = len(msgspec.json.encode(request))
    for number in range(MOST_OPEN_SIZE // size + 1):
        host.ask(request | {"id": str(number)})
    host.send(request | {"id": "x"})
    assert error_of(host.take()) == ("x", "over_limit", None)


# Bugs.


def test_a_search_that_fails() -> None:
    class Failing(ScriptedSearch):
        def run(self) -> Outcome:
            raise KeyError("lost")

    host = JsonHost(make=Failing)
    host.send(analyze())
    answer = only(host.finish())
    assert answer["code"] == "internal"
    assert "KeyError: 'lost'" in answer["message"]
    assert not any(host.service.tables.values())


def test_a_search_that_cannot_be_made() -> None:
    def fail(*values: Any, **named: Any) -> Any:
        raise ValueError("not made")

    host = JsonHost(make=fail)
    host.send(analyze())
    assert error_of(host.finish()) == ("1", "internal", None)
    assert not any(host.service.tables.values())


def test_a_report_that_makes_no_sense() -> None:
    class Wrong(ScriptedSearch):
        def run(self) -> Outcome:
            self.report([info(1, 12345), info(2, 12345)])
            return Outcome(self.position.legal_moves()[0], None, nodes=9, nps=90, time=100)

    host = JsonHost(make=Wrong)
    host.send(analyze())
    assert error_of(host.finish()) == ("1", "internal", None)
    assert host.searches[0].events == ["stop"]


def test_an_outcome_that_makes_no_sense() -> None:
    class Wrong(ScriptedSearch):
        def run(self) -> Outcome:
            return Outcome(12345, 5, nodes=9, nps=90, time=100)

    host = JsonHost(make=Wrong)
    host.send(analyze())
    assert error_of(host.finish()) == ("1", "internal", None)


def test_a_bug_in_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*values: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kibitz.protocol.json.workshop.game_of", fail)
    host = JsonHost()
    assert error_of(host.ask({"type": "legal", "id": "1", "game": "jarmo"}))[1] == "internal"
    assert host.desk.is_idle


def test_a_bug_in_what_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    host = JsonHost()
    monkeypatch.setattr(host.service, "stats", lambda: 1 // 0)
    assert error_of(host.ask({"type": "stats", "id": "1"})) == ("1", "internal", None)


def test_a_refusal_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*values: Any, **named: Any) -> None:
        raise Refusal(ErrorCode.OVER_LIMIT, "no")

    host = JsonHost(LOCAL)
    monkeypatch.setattr(host.service, "start", refuse)
    assert error_of(host.ask(analyze())) == ("1", "over_limit", None)
    assert host.desk.is_idle
