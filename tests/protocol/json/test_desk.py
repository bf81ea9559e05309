"""A desk with a service that does what the test says: every request has one final answer."""

from typing import get_args

import pytest

from kibitz.protocol.json import set_up
from kibitz.protocol.json.message_types import SearchLimit
from kibitz.protocol.json.messages import AnyRequest
from kibitz.protocol.options import all_options
from kibitz.protocol.service import Conversation
from tests.protocol.json.desk_requests import SMALL, Reporting, analyze, error_of, only, timed
from tests.protocol.json.json_host import TOKEN, Answer, JsonHost


def test_a_desk_is_a_conversation() -> None:
    conversation: Conversation = JsonHost().desk
    assert not conversation.is_closing
    assert not conversation.is_waiting
    assert conversation.read("  ") is None


# What is answered at once.


def test_ping_is_answered_before_what_was_sent_earlier() -> None:
    host = JsonHost()
    host.send({"type": "legal", "id": "1", "game": "jarmo"}, {"type": "ping", "id": "2"})
    assert only(host.take()) == {"type": "pong", "id": "2", "seq": 0}
    host.service.do_pieces()
    assert only(host.take())["type"] == "legal"
    assert host.desk.is_idle


def test_hello_says_what_there_is() -> None:
    host = JsonHost(SMALL)
    answer = only(host.ask({"type": "hello", "id": "1", "name": "tests"}))
    assert answer["limits"]["hash"] == 8
    assert answer["limits"]["longest"] == 300
    assert [game["name"] for game in answer["games"] if game.get("dealt")] == ["trollchess"]
    assert [option["name"] for option in answer["options"]] == ["Hash", "Threads", "Searcher"]
    assert not {"client", "resume", "final"} & answer.keys()
    assert host.desk.client_name == "tests"


def test_there_are_no_bounds_for_the_local_client() -> None:
    limits = only(JsonHost().ask({"type": "hello", "id": "1"}))["limits"]
    assert not {"longest", "requests"} & limits.keys()


def test_stats() -> None:
    answer = only(JsonHost().ask({"type": "stats", "id": "1"}))
    assert (answer["type"], answer["memory"], answer["uptime"]) == ("stats", 7, 8.5)


def test_nothing_but_hello_before_a_token() -> None:
    host = JsonHost(is_admitted=False)
    for kind in ("ping", "stats"):
        assert error_of(host.ask({"type": kind, "id": "1"})) == ("1", "denied", None)
    assert error_of(host.ask(analyze())) == ("1", "denied", None)
    assert error_of(host.ask({"type": "hello", "id": "2"})) == ("2", "denied", "token")
    wrong = host.ask({"type": "hello", "id": "3", "token": "wrong"})
    assert error_of(wrong) == ("3", "denied", "token")
    assert "wrong" not in wrong[0]["message"]
    assert only(host.ask({"type": "hello", "id": "4", "token": TOKEN}))["client"] == "tester"
    assert only(host.ask({"type": "ping", "id": "5"}))["type"] == "pong"


def test_a_second_hello_shows_its_token_too() -> None:
    """A wrong one is never taken for right; nothing that goes on is harmed by it."""
    host = JsonHost(is_admitted=False)
    host.ask({"type": "hello", "id": "1", "token": TOKEN, "name": "first", "resume": True})
    host.send(analyze("open"))
    for wrong in ("wrong", "", TOKEN + " "):
        answers = host.ask({"type": "hello", "id": "2", "token": wrong, "name": "second"})
        assert error_of(answers) == ("2", "denied", "token")
        assert host.desk.client_name == "first"
        assert only(host.ask({"type": "ping", "id": "3"}))["type"] == "pong"
    right = {"type": "hello", "id": "4", "token": TOKEN, "name": "third"}
    assert only(host.ask(right))["client"] == "tester"
    assert host.desk.client_name == "third"
    assert host.desk.is_resumable
    # Who needs no token any more can ask what there is without one.
    assert only(host.ask({"type": "hello", "id": "5"}))["type"] == "hello"
    assert host.finish()[-1]["id"] == "open"


# Positions.


@pytest.mark.parametrize(
    ("fields", "code", "field", "index"),
    [
        ({"game": "chess"}, "bad_option", "game", None),
        ({"options": {"nothing": 1}}, "bad_option", "options.nothing", None),
        ({"options": {"quietlimit": "x"}}, "bad_option", "options.quietlimit", None),
        ({"options": {"QuietLimit": True}}, "bad_option", "options.QuietLimit", None),
        ({"options": {"QuietLimit": 10**30}}, "bad_option", "options.QuietLimit", None),
        ({"options": {"QuietLimit": 1, "quietlimit": 1}}, "bad_option", "options.quietlimit", None),
        ({"options": {"BoardSize": 8}}, "bad_option", "options.BoardSize", None),
        ({"options": {"Game": "jarmo"}}, "bad_option", "options.Game", None),
        ({"options": {"MultiPV": 2}}, "bad_option", "options.MultiPV", None),
        ({"position": "x"}, "bad_position", "position", None),
        ({"position": ""}, "bad_position", "position", None),
        ({"deal": 1}, "bad_position", "deal", None),
        ({"deal": 1, "position": "x"}, "bad_position", "deal", None),
        (
            {"game": "trollchess", "deal": 1, "options": {"DEAL": 1}}, "bad_position", "deal", None,
        ),
        ({"options": {"Nothing": None}}, "bad_option", "options.Nothing", None),
        ({"options": {"MultiPV": None}}, "bad_option", "options.MultiPV", None),
        (
            {"options": {"QuietLimit": None, "quietlimit": 1}},
            "bad_option", "options.quietlimit", None,
        ),
        ({"options": {"n" * 64: 1}}, "bad_option", f"options.{'n' * 64}", None),
        ({"game": "trollchess", "deal": 2**64}, "bad_position", "deal", None),
        ({"moves": ["a", "a"]}, "bad_move", "moves", 1),
        ({"moves": ["?"]}, "bad_move", "moves", 0),
        (
            {"game": "krepost", "options": {"Fortresses": "z"}},
            "bad_option", "options.Fortresses", None,
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["analyze", "legal", "play", "perft", "render"])
def test_bad_positions(kind: str, fields: Answer, code: str, field: str, index: int | None) -> None:
    extra: dict[str, Answer] = {"analyze": {"limit": {"depth": 1}}, "perft": {"depth": 1}}
    host = JsonHost()
    request = {"type": kind, "id": "1", "game": "talisman"} | extra.get(kind, {}) | fields
    answers = host.ask(request)
    assert error_of(answers) == ("1", code, field)
    assert answers[0].get("index") == index
    if index is None:
        assert answers[0]["message"].startswith(f"{field}: ")
    assert host.desk.is_idle
    assert not host.service.jobs


SAID_TWICE = [
    ("game", "Game", "options.Game: is no option here: the field `game` says that"),
    ("game", "UCI_Variant", "options.UCI_Variant: is no option here: the field `game` says that"),
    ("multipv", "MultiPV", "options.MultiPV: is no option here: the field `multipv` says that"),
    ("wdl", "UCI_ShowWDL", "options.UCI_ShowWDL: is no option here: the field `wdl` says that"),
    ("deal", "Deal", "deal: options.Deal says that too; only one of them can"),
]


@pytest.mark.parametrize(("field", "option", "message"), SAID_TWICE)
def test_a_field_and_an_option_that_say_the_same(field: str, option: str, message: str) -> None:
    """Whichever is meant, the error names both."""
    values: Answer = {"game": "trollchess", "deal": 2, "multipv": 2, "wdl": True}
    given = {"game": "trollchess", field: values[field]}
    host = JsonHost()
    answer = only(host.ask(analyze(**given, options={option: values[field]})))
    assert (answer["type"], answer["message"]) == ("error", message)
    assert not host.service.jobs


def test_no_other_field_is_called_like_an_option() -> None:
    """A new field that an option says too has to be refused together with it."""
    fields = {name for kind in get_args(AnyRequest) for name in kind.__struct_fields__}
    fields |= set(SearchLimit.__struct_fields__)
    options = {option.name.lower() for option in all_options()}
    assert fields & options == {"game", "deal", "multipv"}


def test_options_are_in_any_case_and_of_their_types() -> None:
    host = JsonHost()
    options = {"boardsize": 8, "HALFSTONE": "White", "quietlimit": "-1"}
    answer = only(host.ask({"type": "legal", "id": "1", "game": "KREPOST", "options": options}))
    assert answer["position"].count("/") >= 7
    plain = only(host.ask({"type": "legal", "id": "1", "game": "krepost"}))
    assert plain["position"] != answer["position"]


def test_an_illegal_move_forfeits_what_was_played() -> None:
    answer = only(
        JsonHost().ask({"type": "play", "id": "1", "game": "talisman", "moves": ["a", "b", "a"]})
    )
    assert (answer["code"], answer["index"]) == ("bad_move", 2)
    assert len(answer["played"]["positions"]) == 2
    assert answer["played"]["result"] == "p2win"
    assert answer["played"]["reason"] == "forfeit"
    assert answer["message"] == "a: a is not empty"


def test_long_set_ups_are_done_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_up, "MOVES_A_PIECE", 4)
    monkeypatch.setattr(set_up, "POSITIONS_A_PIECE", 2)
    host = JsonHost()
    moves = list("asbrcqdp")
    for kind, pieces in (("legal", 3), ("play", 5)):
        host.send({"type": kind, "id": "1", "game": "talisman", "moves": moves})
        host.send({"type": "legal", "id": "2", "game": "talisman", "moves": moves[:1]})
        host.send({"type": "ping", "id": "3"})
        assert host.service.do_pieces() == pieces + 1
        assert [answer["id"] for answer in host.take()] == ["3", "1", "2"]
    host.send(analyze(searchmoves=["zz"] * 7 + ["a"]))
    assert host.service.do_pieces() == 3
    assert host.finish()[-1]["best"] is not None


def test_starts_are_used_again_and_unchanged() -> None:
    host = JsonHost()
    start = {"type": "legal", "id": "1", "game": "krepost"}
    first = only(host.ask(start))
    moves = first["moves"][:1]
    after = only(host.ask(start | {"moves": moves}))
    host.ask(start | {"moves": ["illegal"]}, start | {"moves": [*moves, *moves]})
    assert only(host.ask(start)) == first
    assert only(host.ask(start | {"moves": moves})) == after
    other = only(host.ask(start | {"options": {"BoardSize": 8}}))
    assert other["moves"] != first["moves"]


# Analyses.


def test_an_analysis() -> None:
    host = JsonHost()
    host.send(analyze(options={"Hash": 5}, multipv=2, searchmoves=["b", "zz", "b", "a"]))
    host.service.do_pieces()
    assert not host.searches, "a search is made when its turn comes"
    infos_and_done = host.finish()
    search = host.searches[0]
    assert search.given == (2, 1, 0, False)
    assert search.limit.depth == 3
    assert len(search.root_moves) == 2
    assert [answer["type"] for answer in infos_and_done] == ["info", "done"]
    assert [answer["seq"] for answer in infos_and_done] == [0, 1]
    assert infos_and_done[0]["depth"] == 2, "the newest takes the place of the unsent"
    assert infos_and_done[1]["nodes"] == 9
    assert "clamped" not in infos_and_done[1]
    assert host.desk.is_idle


@pytest.mark.parametrize(
    ("limit", "is_fine"),
    [
        ({}, False),
        ({"infinite": False}, False),
        ({"infinite": True, "depth": 1}, False),
        ({"infinite": True}, True),
        ({"depth": 1, "nodes": 5, "movetime": 5, "mate": 3}, True),
    ],
)
def test_limits(limit: Answer, is_fine: bool) -> None:
    host = JsonHost()
    host.send(analyze(limit=limit))
    if is_fine:
        assert host.finish()[-1]["type"] == "done"
    else:
        assert error_of(host.finish()) == ("1", "bad_limit", "limit")


def test_no_legal_searchmoves() -> None:
    host = JsonHost()
    host.send(analyze(searchmoves=["zz", "e"]))
    assert error_of(host.finish()) == ("1", "bad_limit", "searchmoves")


def test_a_game_that_is_over() -> None:
    host = JsonHost()
    over: Answer = {"position": "wbb/b2b/b3w/1w1w/wwb b 5/7/7/1w3 0/0 59", "moves": ["be"]}
    host.send(analyze(wdl=True, searchmoves=["a"], **over))
    answer = only(host.finish())
    assert (answer["best"], answer["result"], answer["reason"]) == (None, "p1win", "quiet")
    assert answer["wdl"] == [1000, 0, 0]
    perft = only(
        host.ask({"type": "perft", "id": "2", "game": "talisman", "depth": 1} | over)
        or host.finish()
    )
    assert (perft["total"], perft["counts"]) == (0, {})


def test_what_is_more_than_the_quota_is_less() -> None:
    host = JsonHost(SMALL)
    host.send(analyze(options={"hash": 100, "threads": 7}, priority=5))
    host.service.do_pieces()
    started = host.service.jobs[0]
    assert (started.threads, started.priority) == (1, 0)
    done = host.finish()[-1]
    assert done["clamped"] == {"Hash": 8, "Threads": 1, "priority": 0}
    host.send({"type": "perft", "id": "2", "game": "jarmo", "depth": 1, "priority": 5})
    assert only(host.finish())["clamped"] == {"priority": 0}


def test_less_priority_than_usual_is_fine() -> None:
    host = JsonHost(SMALL)
    host.send(analyze(priority=-5, options={"Hash": 1}))
    host.service.do_pieces()
    assert host.service.jobs[0].priority == -5
    assert "clamped" not in host.finish()[-1]


def test_infos_are_thinned_out_but_for_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Reporting,
        "reports",
        [
            [timed(1, 0), timed(1, 1, 2)],
            [timed(2, 60), timed(2, 61, 2)],
            [timed(3, 120), timed(3, 121, 2)],
            [timed(4, 130)],
        ],
    )
    host = JsonHost(make=Reporting)
    host.send(analyze(every_ms=100, multipv=2))
    taken: list[Answer] = []
    host.desk.mailbox.notify = lambda: taken.extend(host.take())
    taken += host.finish()
    assert [(a.get("depth"), a.get("multipv"), a["seq"]) for a in taken] == [
        (1, 1, 0), (1, 2, 1), (3, 1, 2), (3, 2, 3), (4, 1, 4), (4, None, 5),
    ]  # fmt: skip


def test_a_search_without_a_report_has_a_score() -> None:
    host = JsonHost(make=Reporting)
    host.send(analyze())
    done = only(host.finish())
    assert done["depth"] == 0
    assert "cp" in done["score"]
    assert done["pv"] == [done["best"]]


# Hash tables.


def test_tables_are_kept_for_the_same_game_and_options() -> None:
    host = JsonHost(SMALL)
    tables = host.service.tables
    for fields in ({}, {}, {"options": {"QuietLimit": 9}}, {"moves": ["a"]}):
        host.send(analyze(**fields))
        host.finish()
    assert len(tables) == 2
    assert not any(tables.values())
    assert host.searches[0].table is host.searches[1].table is host.searches[3].table
    assert host.searches[2].table is not host.searches[0].table
    host.send(analyze(game="jarmo"))
    host.finish()
    assert len(tables) == 2, "no more of them than searches"
    for holder in list(tables):
        del tables[holder]
        holder.lose_table()
    host.send(analyze(game="jarmo"))
    assert host.finish()[-1]["type"] == "done"
    host.desk.close()
    assert not tables


def test_more_searches_than_tables_are_kept() -> None:
    host = JsonHost(SMALL)
    host.send(*(analyze(str(number)) for number in range(4)))
    host.service.do_pieces()
    for started in host.service.jobs:
        host.service.prepare(started)
    assert len(host.service.tables) == 4
    host.finish()
    assert len(host.service.tables) <= SMALL.searches


def test_no_memory_for_a_table() -> None:
    host = JsonHost()
    host.service.memory = 4
    host.send(analyze())
    assert error_of(host.finish()) == ("1", "over_limit", None)
    host.send(analyze(options={"Hash": 4}))
    assert host.finish()[-1]["type"] == "done"


# Perft and drawings.


def test_perft() -> None:
    host = JsonHost()
    host.send({"type": "perft", "id": "1", "game": "jarmo", "depth": 2})
    answer = only(host.finish())
    assert answer["total"] == sum(answer["counts"].values()) == 49
    host.send({"type": "perft", "id": "1", "game": "jarmo", "depth": 0})
    assert only(host.finish())["total"] == 1
