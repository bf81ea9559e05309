from typing import Any

import pytest

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.pieces import MOST_MOVES
from kibitz.protocol.quota import Quota
from kibitz.protocol.session import Session, State
from tests.protocol.host import ManualHost, info, long_game

TALISMAN_START = "3/4/5/4/3 w 5/7/7/5 0/0 0"
# What the scripted search finds at the start of Talisman, as the last two lines.
ANSWER = [
    "info depth 2 seldepth 2 multipv 1 score cp 2 nodes 9 nps 90 hashfull 0 time 100 pv a",
    "bestmove a",
]


@pytest.fixture
def host() -> ManualHost:
    return ManualHost()


def state(host: ManualHost) -> State:
    return host.session.state


def test_a_search_that_ends_by_itself(host: ManualHost) -> None:
    assert host.say("go depth 2") == []
    assert state(host) is State.SEARCHING
    assert not host.session.is_idle
    lines = host.end_job()
    assert [line.split()[2] for line in lines[:-1]] == ["1", "2", "2"]
    assert lines[-2:] == ANSWER
    assert state(host) is State.IDLE
    assert host.session.is_idle


def test_stop_before_the_thread_begins(host: ManualHost) -> None:
    assert host.say("go infinite", "stop") == []
    assert state(host) is State.STOPPING
    assert host.searches[0].events == ["stop"]
    assert host.end_job()[-2:] == ANSWER
    assert state(host) is State.IDLE


def test_stop_twice_is_one_stop(host: ManualHost) -> None:
    host.say("go infinite", "stop", "stop")
    assert host.searches[0].events == ["stop"]
    assert sum(line.startswith("bestmove") for line in host.end_job()) == 1
    assert host.say("stop") == []


def test_an_infinite_search_is_held_when_it_ends(host: ManualHost) -> None:
    host.say("go infinite")
    assert len(host.end_job()) == 2
    assert state(host) is State.ANALYSING
    assert host.say("ponderhit") == []
    assert host.say("isready") == ["readyok"]
    assert host.say("stop") == ANSWER
    assert state(host) is State.IDLE
    assert host.say("stop") == []


def test_ponderhit_during_the_search(host: ManualHost) -> None:
    host.say("go ponder depth 3", "ponderhit")
    assert state(host) is State.SEARCHING
    assert host.searches[0].events == ["ponderhit"]
    assert host.searches[0].given[3]
    assert host.end_job()[-1] == "bestmove a"


def test_ponderhit_after_the_search(host: ManualHost) -> None:
    host.say("go ponder depth 3")
    assert len(host.end_job()) == 2
    assert state(host) is State.PONDERING
    assert host.say("ponderhit") == ANSWER
    assert state(host) is State.IDLE


def test_ponderhit_without_limits_leads_to_analysis(host: ManualHost) -> None:
    host.say("go ponder", "ponderhit")
    assert state(host) is State.ANALYSING
    assert len(host.end_job()) == 2
    assert host.say("stop") == ANSWER


def test_stop_instead_of_ponderhit(host: ManualHost) -> None:
    host.say("go ponder depth 3", "stop")
    assert state(host) is State.STOPPING
    assert host.say("ponderhit") == []
    assert state(host) is State.STOPPING
    assert host.searches[0].events == ["stop"]
    assert host.end_job()[-1] == "bestmove a"


def test_stop_after_a_ponder_search_has_ended(host: ManualHost) -> None:
    host.say("go ponder depth 3")
    host.end_job()
    assert host.say("stop") == ANSWER


def test_a_new_go_waits_for_the_old_answer(host: ManualHost) -> None:
    host.say("go infinite")
    assert host.say("go depth 1", "isready") == []
    assert host.session.is_waiting
    assert len(host.jobs) == 1
    lines = host.end_job()
    assert lines[-3:] == [*ANSWER, "readyok"]
    assert len(host.jobs) == 1
    assert state(host) is State.SEARCHING
    assert host.end_job()[-1] == "bestmove a"


def test_commands_wait_in_their_order(host: ManualHost) -> None:
    host.say("go infinite")
    waiting = (
        "position startpos moves a",
        "query fen",
        "go infinite",
        "stop",
        "moves s",
        "query fen",
    )
    assert host.say(*waiting) == []
    lines = host.end_job()
    assert lines[-3:] == [*ANSWER, "response w2/4/5/4/3 b 5/7/7/5 0/0 0"]
    assert state(host) is State.STOPPING
    assert host.end_job()[-2:] == ["bestmove b", "response w2/4/5/4/2b w 5/7/7/5 0/0 0"]
    assert host.session.is_idle


@pytest.mark.parametrize(
    "command",
    ["position startpos", "moves", "uginewgame", "perft 1", "bench 1", "go", "go nonsense",
     "setoption name Hash value 1", "setoption name QuietLimit value 9",
     "setoption name MultiPV value 2", "setoption name Threads value 2",
     "setoption name Game value jarmo"],
)  # fmt: skip
def test_what_stops_a_search(host: ManualHost, command: str) -> None:
    host.say("go depth 9", command)
    assert state(host) is State.STOPPING
    assert host.session.is_waiting
    assert ANSWER[-1] in host.end_job()
    assert not host.session.is_waiting


@pytest.mark.parametrize(
    "command",
    ["isready", "query fen", "legal", "d", "eval", "setoption name Hash value 16", "ponderhit",
     "setoption name Ponder value true", "setoption name Move Overhead value 1",
     "setoption name UCI_ShowWDL value true", "setoption name UCI_AnalyseMode value true",
     "setoption name Hash value x", "setoption name Nothing value 1",
     "setoption name Board value a1a2 b1b2 a2b2",
     "setoption name UCI_Variant value talisman"],
)  # fmt: skip
def test_what_does_not_stop_a_search(host: ManualHost, command: str) -> None:
    host.say("go depth 9", command)
    assert state(host) is State.SEARCHING
    assert not host.session.is_waiting
    assert host.searches[0].events == []
    assert host.end_job()[-1] == "bestmove a"


def test_a_refused_go_keeps_the_order_of_answers(host: ManualHost) -> None:
    assert host.say("go nonsense")[-1] == "bestmove (none)"
    host.say("go infinite", "go nonsense")
    assert host.end_job()[-4:] == [
        *ANSWER,
        "info string error bad_limit: 'nonsense' is not a word of go",
        "bestmove (none)",
    ]


def test_a_held_answer_comes_before_what_ends_it(host: ManualHost) -> None:
    host.say("go infinite")
    host.end_job()
    assert host.say("position fen wrong", "isready")[:2] == ANSWER


def test_the_search_gets_what_was_asked_for(host: ManualHost) -> None:
    host.say("setoption name MultiPV value 3", "setoption name Threads value 2")
    host.say("setoption name Move Overhead value 7", "go wtime 5 searchmoves s zz a s")
    (search,) = host.searches
    assert search.given == (3, 2, 7, False)
    assert search.limit.clocks == (5, None)
    position = search.position
    assert search.root_moves is not None
    assert set(search.root_moves) <= set(position.legal_moves())
    assert len(search.root_moves) == 2


def test_the_table_is_kept_until_the_game_is_forgotten(host: ManualHost) -> None:
    def table_after(*lines: str) -> Any:
        host.say(*lines, "go depth 1")
        host.end_job()
        return host.searches[-1].table

    first = table_after()
    assert table_after("moves a", "position startpos") is first
    assert table_after("setoption name Ponder value true") is first
    second = table_after("uginewgame")
    assert second is not first
    third = table_after("setoption name Hash value 1")
    assert third is not second
    assert table_after("setoption name QuietLimit value 7") is not third


@pytest.mark.parametrize("error", [OSError(12, "Cannot allocate memory"), MemoryError()])
@pytest.mark.parametrize("go", ["go depth 1", "go infinite", "go ponder depth 1"])
def test_no_memory_for_the_table(host: ManualHost, go: str, error: Exception) -> None:
    host.no_memory = error
    assert host.say(go) == []
    assert host.end_job() == [
        "info string error over_limit: there is no memory for the search; set Hash to less",
        "bestmove (none)",
    ]
    assert state(host) is State.IDLE


def test_a_search_that_fails_is_answered_all_the_same(host: ManualHost) -> None:
    host.say("go depth 1")
    lines = host.fail_job(ZeroDivisionError("division by zero"))
    assert lines == [
        "info string error internal: ZeroDivisionError: division by zero",
        "bestmove a",
    ]
    assert host.say("isready") == ["readyok"]


def test_a_search_that_cannot_be_made_is_answered_all_the_same() -> None:
    def fail(*values: Any, **named: Any) -> None:
        raise ZeroDivisionError

    host = ManualHost(fail)
    host.say("go depth 1")
    error, answer = host.end_job()
    assert error.startswith("info string error internal: ZeroDivisionError")
    assert answer == "bestmove a"
    assert host.session.is_idle


def test_an_answer_that_cannot_be_written_is_given_all_the_same(host: ManualHost) -> None:
    host.say("go depth 1")
    job = host.jobs.pop()
    host.session.ended(job, "this is no outcome")
    assert host.lines[0].startswith("info string error internal: AttributeError")
    assert host.lines[1] == "bestmove a"


def test_a_report_that_cannot_be_written_ends_nothing(host: ManualHost) -> None:
    host.say("go depth 1")
    host.session.reported(host.jobs[0], [info(1, 12345)])
    assert host.lines[0].startswith("info string error internal: ")
    assert host.end_job()[-1] == "bestmove a"


def test_a_bug_in_a_handler_is_told(monkeypatch: pytest.MonkeyPatch, host: ManualHost) -> None:
    monkeypatch.setattr("kibitz.protocol.queries.answer_query", None)
    (line,) = host.say("query fen")
    assert line.startswith("info string error internal: TypeError")
    assert host.say("isready") == ["readyok"]


def test_a_stop_before_any_report_has_a_score(host: ManualHost) -> None:
    host.say("go depth 1")
    host.searches[0].report = lambda infos: None
    line, answer = host.end_job()
    assert line.startswith("info depth 0 score cp ")
    assert line.endswith("nodes 9 nps 90 time 100 pv a")
    assert answer == "bestmove a"


def test_games_and_their_options(host: ManualHost) -> None:
    host.say("setoption name QuietLimit value 7", "setoption name Game value jasir", "moves a1a2")
    assert host.say("query game") == ["response jasir"]
    # An option of another game alone does not matter to this one.
    host.say("setoption name Game value talisman", "moves a")
    before = host.say("query fen")
    host.say("setoption name Board value house")
    assert host.say("query fen") == before
    host.say("setoption name QuietLimit value 8")
    assert host.say("query fen") == [f"response {TALISMAN_START}"]
    assert "QuietLimit=8" in host.say("query options")[0]


def test_an_option_that_the_game_cannot_take_changes_nothing(host: ManualHost) -> None:
    host.say("setoption name Game value jarmo", "moves a1a2")
    before = host.say("query fen", "query options")
    (line,) = host.say("setoption name Board value nonsense")
    assert line.startswith("info string error bad_option: ")
    assert host.say("query fen", "query options") == before


def test_every_command_has_a_handler() -> None:
    from kibitz.protocol import commands

    host = ManualHost()
    at_the_hub = {
        commands.Handshake, commands.Help, commands.Quit, commands.Authenticate,
        commands.OpenSession, commands.ListSessions,
    }  # fmt: skip
    assert set(host.session._handlers) == set(commands.Command.__subclasses__()) - at_the_hub


def test_perft_and_bench_are_jobs(host: ManualHost) -> None:
    host.say("perft 2")
    assert state(host) is State.SEARCHING
    lines = host.end_job()
    assert lines[0] == "a: 11"
    assert lines[-2] == "Nodes searched: 132"
    host.say("perft 9", "stop")
    assert host.end_job() == ["info string stopped"]
    host.say("bench 1", "stop")
    assert host.end_job() == ["info string stopped"]
    assert isinstance(host.session, Session)


LONG_GAME = long_game(2 * MOST_MOVES + 1)
OVER = Refusal(ErrorCode.OVER_LIMIT, "enough")


def test_a_long_game_is_set_up_in_pieces(host: ManualHost) -> None:
    host.say("moves a")
    assert host.say("position startpos moves " + " ".join(LONG_GAME), "isready", "go depth 1") == []
    assert state(host) is State.SETTING_UP
    assert host.session.is_waiting
    assert host.give_turn() == []
    assert state(host) is State.SETTING_UP
    assert host.give_turn() == ["readyok"]
    assert host.turns == []
    assert state(host) is State.SEARCHING
    position = host.searches[0].position
    other = ManualHost()
    for number in range(0, len(LONG_GAME), MOST_MOVES):
        other.say("moves " + " ".join(LONG_GAME[number : number + MOST_MOVES]))
        assert not other.session.is_waiting
    other.say("go depth 1")
    assert other.searches[0].position.key == position.key


def test_moves_in_pieces_after_a_position(host: ManualHost) -> None:
    host.say("moves " + " ".join(LONG_GAME), "query score")
    host.give_turn()
    assert len(host.give_turn()) == 1
    assert state(host) is State.IDLE


def test_a_wrong_move_in_a_later_piece_ends_the_set_up(host: ManualHost) -> None:
    moves = [*LONG_GAME[: MOST_MOVES + 5], "nonsense", *LONG_GAME]
    assert host.say("position startpos moves " + " ".join(moves), "query reason") == []
    error, answer = host.give_turn()
    assert error.startswith("info string error bad_move: nonsense: ")
    assert answer == "response forfeit"
    assert host.turns == []
    assert host.session.is_idle


def test_a_game_of_just_one_piece_is_set_up_at_once(host: ManualHost) -> None:
    host.say("position startpos moves " + " ".join(LONG_GAME[:MOST_MOVES]))
    assert host.session.is_idle


def test_a_long_set_up_waits_for_the_search_and_stop_for_the_set_up(host: ManualHost) -> None:
    host.say("go infinite", "moves " + " ".join(LONG_GAME), "go infinite", "stop")
    assert state(host) is State.STOPPING
    assert host.end_job()[-1] == "bestmove a"
    assert state(host) is State.SETTING_UP
    host.give_turn()
    assert host.jobs == []
    host.give_turn()
    assert state(host) is State.STOPPING
    assert host.end_job()[-1].startswith("bestmove ")
    assert host.session.is_idle


def test_very_many_searchmoves_are_read_in_pieces(host: ManualHost) -> None:
    assert host.say("go depth 1 searchmoves " + "zz " * (2 * MOST_MOVES) + "a", "isready") == []
    assert state(host) is State.SETTING_UP
    assert host.give_turn() == []
    assert host.give_turn() == ["readyok"]
    assert len(host.searches[0].root_moves or ()) == 1
    host.end_job()
    host.say("go depth 1 searchmoves " + "zz " * (MOST_MOVES + 1))
    assert host.give_turn()[-1] == "bestmove (none)"
    assert host.session.is_idle


def test_a_search_that_is_refused(host: ManualHost) -> None:
    host.refusal = OVER
    assert host.say("go infinite") == [
        "info string error over_limit: enough",
        "bestmove (none)",
    ]
    assert host.session.is_idle
    assert host.table_events == []
    assert host.say("perft 2") == ["info string error over_limit: enough"]
    assert host.say("bench 1") == ["info string error over_limit: enough"]
    assert host.say("stop", "isready") == ["readyok"]
    host.refusal = None
    host.say("go infinite", "stop")
    assert host.end_job()[-1] == "bestmove a"


def test_the_quota_bounds_hash_and_threads() -> None:
    host = ManualHost(quota=Quota(hash=8, threads=2))
    assert host.say("setoption name Hash value 9") == [
        "info string Hash is 8, the most that this client can have"
    ]
    assert host.say("setoption name threads value 256") == [
        "info string Threads is 2, the most that this client can have"
    ]
    assert "; Hash=8; Threads=2; " in host.say("query options")[0].replace("response ", "; ")
    assert host.say("setoption name Hash value 8", "setoption name Threads value 1") == []
    (error,) = host.say("setoption name Hash value 65537")
    assert error.startswith("info string error bad_option: ")
    host.say("go depth 1")
    # What it gets is what it has already, so that nothing has to be stopped.
    assert len(host.say("setoption name Hash value 900")) == 1
    assert state(host) is State.SEARCHING
    assert host.table_events == ["table 8", "in use"]


def test_defaults_are_within_the_quota() -> None:
    host = ManualHost(quota=Quota(hash=4))
    assert "Hash=4;" in host.say("query options")[0]


def test_the_host_knows_what_becomes_of_the_table(host: ManualHost) -> None:
    host.say("go depth 1")
    assert host.table_events == ["table 16", "in use"]
    host.end_job()
    host.say("go depth 1")
    host.fail_job(ZeroDivisionError())
    assert host.table_events[2:] == ["not in use", "in use", "not in use"]
    host.say("uginewgame", "uginewgame", "setoption name Hash value 1", "perft 1")
    host.end_job()
    assert host.table_events[5:] == ["dropped"]


def test_a_table_that_was_lost_is_made_anew(host: ManualHost) -> None:
    host.say("go depth 1")
    host.end_job()
    host.session.lose_table()
    host.say("uginewgame", "go depth 1")
    assert host.table_events[3:] == ["table 16", "in use"]
    assert host.searches[0].table is not host.searches[1].table


def test_the_threads_of_a_job_are_told(host: ManualHost) -> None:
    host.say("go depth 1")
    host.end_job()
    host.say("perft 1")
    assert host.threads == [1, 1]


def test_answers_are_prefixed_as_their_commands_were(host: ManualHost) -> None:
    host.say("go infinite", prefixed=True)
    assert host.say("isready") == ["readyok"]
    assert host.say("isready", prefixed=True) == ["@0 readyok"]
    host.say("stop")
    host.say("go depth 1")
    assert all(line.startswith("@0 info") for line in host.end_job()[:-1])
    assert host.lines[-1] == "@0 bestmove a"
    assert host.say("moves nonsense", prefixed=True) == []
    host.end_job()
    assert host.lines[-2] == "bestmove a"
    assert host.lines[-1].startswith("@0 info string error bad_move")
    # A game that is over: the answer that is held.
    host.say("go infinite", prefixed=True)
    assert [line.split()[0] for line in host.say("stop")] == ["@0", "@0"]


def test_a_session_that_is_closed_answers_first(host: ManualHost) -> None:
    host.say("go infinite", "go infinite", "session close 0")
    assert host.end_job()[-1] == "bestmove a"
    assert not host.is_closed
    assert host.end_job()[-1] == "bestmove a"
    assert host.is_closed
    assert host.session.is_idle


def test_a_bug_in_a_later_piece_is_told(monkeypatch: pytest.MonkeyPatch, host: ManualHost) -> None:
    host.say("moves " + " ".join(LONG_GAME))
    monkeypatch.setattr("kibitz.engine.play.Play.push_all", None)
    (error,) = host.give_turn()
    assert error.startswith("info string error internal: TypeError")
    assert host.session.is_idle
