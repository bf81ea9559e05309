"""What a bridge knows of the talk that passes through it, without any stream."""

import random
from collections.abc import Callable

import pytest

from kibitz.protocol.bridge_talk import (
    _AT_ONCE,
    _JOBS,
    _SILENT,
    MOST_HELD,
    PING,
    PING_EVERY,
    PONG,
    NotText,
    Talk,
)
from kibitz.protocol.commands import Bench, Go, Perft, RefusedGo
from kibitz.protocol.table import BY_NAME

ANSWERS = [
    (b"go depth 1", b"info depth 1\nbestmove a"),
    (b"go nonsense", b"info string error bad_limit: no\nbestmove (none)"),
    (b"perft 3", b"a: 1\nNodes searched: 1\nNodes/second: 1"),
    (b"perft 3", b"info string stopped"),
    (b"perft x", b"info string error bad_limit: no"),
    (b"go perft 3", b"Nodes searched: 1\nNodes/second: 1"),
    (b"bench", b"Nodes searched: 1\nNodes/second: 1"),
    (b"isready", b"readyok"),
    (b"query fen", b"response a b c"),
    (b"ugi", b"id name x\nugiok"),
    (b"\tuci\r", b"id name x\nuciok"),
    (b"legal", b"legalmoves 1: a"),
    (b"@two go infinite", b"@two info depth 1\n@two bestmove a"),
    (b"@two perft 2", b"@two info string stopped"),
]
UNCERTAIN = [b"d", b"help", b"nonsense", b"position startpos", b"@two isready", b"\xff", b"go \xff"]
NOTHING = [b"", b"   ", b"# words", b"stop", b"ponderhit", b"@0 stop", b"\r"]


@pytest.mark.parametrize(("asked", "answer"), ANSWERS)
@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_a_command_is_owed_until_its_last_line_has_come(
    asked: bytes, answer: bytes, step: int
) -> None:
    talk = Talk()
    assert in_steps(talk.say, asked + b"\n", step) == asked + b"\n"
    *before, last = (line + b"\n" for line in answer.splitlines())
    for line in before:
        assert in_steps(talk.hear, line, step) == line
        assert talk.is_owed
    assert in_steps(talk.hear, last, step) == last
    assert not talk.is_owed
    assert talk.leave() == b"quit\n"


@pytest.mark.parametrize("asked", UNCERTAIN)
def test_what_has_no_known_end_is_settled_by_whatever_comes_after_it(asked: bytes) -> None:
    for later, answer in ((b"isready", b"readyok"), (b"go", b"bestmove a")):
        talk = Talk()
        talk.say(asked + b"\n" + later + b"\n")
        talk.hear(b"a line or two\n")
        assert talk.is_owed
        talk.hear(answer + b"\n")
        assert not talk.is_owed
    talk = Talk()
    talk.say(asked + b"\n")
    assert talk.leave() == PING + b"quit\n"
    assert talk.is_owed
    assert talk.hear(b"an answer\n" + PONG + b"info string error no_session: x\nmore\n") == (
        b"an answer\nmore\n"
    )
    assert not talk.is_owed


@pytest.mark.parametrize("said", NOTHING)
def test_what_is_not_answered_is_not_owed(said: bytes) -> None:
    talk = Talk()
    assert talk.say(said + b"\n") == said + b"\n"
    assert not talk.is_owed
    assert talk.leave() == b"quit\n"


def test_jobs_are_owed_although_later_questions_are_answered() -> None:
    talk = Talk()
    talk.say(b"go infinite\n@two go\n@two go\nisready\n")
    talk.hear(b"readyok\n@two bestmove a\nbestmove b\n")
    assert talk.is_owed
    talk.hear(b"@two bestmove c\n@two bestmove nobody asked for\n")
    assert not talk.is_owed


def test_an_error_settles_what_was_refused() -> None:
    """A question that was refused is settled by the next ping, and its order is kept."""
    talk = Talk()
    talk.say(b"query\nquery fen\n")
    talk.hear(b"info string error bad_command: no\nresponse x\n")
    assert talk.is_owed
    assert talk.leave() == PING + b"quit\n"
    talk.hear(PONG + b"x\n")
    assert not talk.is_owed


@pytest.mark.parametrize("quit_line", [b"quit", b"  quit\t", b"quit\r"])
@pytest.mark.parametrize("step", [1, 10_000])
def test_nothing_is_said_after_quit(quit_line: bytes, step: int) -> None:
    talk = Talk()
    said = in_steps(talk.say, b"go\n" + quit_line + b"\n", step)
    assert said == b"go\nquit\n"
    assert talk.is_leaving
    assert (talk.leave(), talk.ping()) == (b"", b"")


@pytest.mark.parametrize("last", [b"quit", b"go depth 1", b"nonsense"])
def test_a_last_line_without_an_end(last: bytes) -> None:
    talk = Talk()
    assert talk.say(last) == b""
    said = talk.leave()
    assert talk.is_leaving
    assert said.count(b"quit\n") == 1
    assert said.endswith(b"quit\n")
    assert said.startswith(last + b"\n")


def test_a_line_that_was_broken_off_is_not_said() -> None:
    talk = Talk()
    talk.say(b"position startpos mo")
    assert talk.leave(interrupted=True) == b"quit\n"


def test_long_lines_pass_in_pieces_and_count_as_nothing() -> None:
    talk = Talk()
    line = b"go searchmoves " + b"x" * (2 * MOST_HELD)
    assert talk.say(line) == line
    # Nothing can be put into the middle of it.
    assert talk.ping() == b""
    assert talk.say(b" quit\nisready\n") == b" quit\nisready\n"
    assert talk.ping() == PING
    answer = b"legalmoves " + b"y" * (2 * MOST_HELD)
    assert talk.hear(answer) == answer
    assert talk.hear(b" bestmove\n") == b" bestmove\n"
    talk.hear(b"readyok\n")
    assert not talk.is_owed
    broken = Talk()
    broken.say(line)
    assert broken.leave(interrupted=True).startswith(b"\n")


def test_pings_go_along_with_many_commands_that_nothing_is_known_of() -> None:
    talk = Talk()
    said = talk.say(b"position startpos\n" * (3 * PING_EVERY))
    assert said.count(PING) == 3
    assert said.replace(PING, b"") == b"position startpos\n" * (3 * PING_EVERY)
    # What is answered anyhow tells enough.
    assert PING not in talk.say(b"isready\n" * (3 * PING_EVERY))


@pytest.mark.parametrize("data", [b"{", b'{"id":"1"}\n', b'\n# x\n\t{"id":"1"}\r\nquit\n'])
def test_json_lines_are_refused_as_the_first_thing_said(data: bytes) -> None:
    for step in (1, 10_000):
        talk = Talk()
        with pytest.raises(NotText):
            assert in_steps(talk.say, data, step) + talk.leave()
    talk = Talk()
    assert talk.say(b"isready\n" + data).startswith(b"isready\n")


@pytest.mark.parametrize("seed", range(20))
def test_any_talk_in_any_pieces_passes_as_it_is(seed: int) -> None:
    """With pings wherever they are asked for, which are answered in their turn."""
    choice = random.Random(seed)
    pairs = [choice.choice(ANSWERS) for _ in range(30)]
    talk = Talk()
    asked = b"".join(asked + b"\n" for asked, _ in pairs)
    said = b""
    rest = asked
    while rest:
        size = choice.randrange(1, 20)
        said += talk.say(rest[:size])
        rest = rest[size:]
        if choice.random() < 0.3:
            said += talk.ping()
    assert said.count(PING) > 1
    assert said.replace(PING, b"") == asked
    waiting = (answer + b"\n" for _, answer in pairs)
    heard = b"".join(
        PONG + b"no\n" if line == PING else next(waiting) for line in said.splitlines(keepends=True)
    )
    passed = b""
    while heard:
        size = choice.randrange(1, 20)
        passed += talk.hear(heard[:size])
        heard = heard[size:]
    assert passed == b"".join(answer + b"\n" for _, answer in pairs)
    assert not talk.is_owed


def test_the_jobs_are_those_of_the_command_table() -> None:
    """The answer to a job that the talk does not know could be lost without a word."""
    jobs = {
        word
        for word, entry in BY_NAME.items()
        if {Go, RefusedGo, Perft, Bench}.intersection(entry.makes)
    }
    assert {word.decode() for word in _JOBS} == jobs
    assert {word.decode() for word in (*_AT_ONCE, *_SILENT)} <= BY_NAME.keys() - jobs


def in_steps(call: Callable[[bytes], bytes], data: bytes, step: int) -> bytes:
    return b"".join(call(data[i : i + step]) for i in range(0, len(data), step))
