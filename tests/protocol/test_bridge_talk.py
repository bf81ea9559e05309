"""What a bridge knows of the talk that passes through it, without any stream."""

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
from kibitz.protocol.dialects import Dialects
from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.hub import Hub
from kibitz.protocol.table import TABLE
from tests.protocol.host import ScriptedSearch
from tests.protocol.manual_service import ManualService

ANSWERS = [
    (b"go depth 1", b"info depth 1\nbestmove a"),
    (b"go nonsense", b"info string error bad_limit: no\nbestmove (none)"),
    (b"perft 3", b"a: 1\nNodes searched: 1\nNodes/second: 1"),
    (b"perft 3", b"info string stopped"),
    (b"perft 3", b"info string error over_limit: no"),
    (b"@two perft 3", b"@two info string error no_session: no"),
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
UNCERTAIN = [
    b"d", b"help", b"nonsense", b"position startpos", b"@two isready", b"\xff", b"go \xff",
    b"perft x", b"go perft x", b"@two stop", b"ugi now", b"@0 quit", b"@kibitz-connect go",
    b"@ go", b"@\x1b[1m go", b"@" + b"x" * 70 + b" go depth 1", b"@x\0 go", b"@\xc2\xa0 go",
    b"@a\xc2\xa0b go depth 1", b"@\xe2\x80\xa8 go", b"@a @b go", b"\x0bgo depth 1", b"go\xc2\xa0",
    b"go" + b" " * MOST_LINE, b"\x0bquit", b"quit\xc2\xa0", b"quit\x0c", b"quit\r\r",
]  # fmt: skip
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
    made = {command for entry in TABLE for command in entry.makes}
    jobs = {Go, RefusedGo, Perft, Bench}
    assert _JOBS.keys() == jobs <= made
    assert {*_AT_ONCE, *_SILENT} <= made - jobs


def test_errors_about_other_commands_do_not_settle_a_job_that_counts() -> None:
    talk = Talk()
    talk.say(b"perft 9\nnonsense\n")
    talk.hear(b"info string error bad_command: no\n")
    talk.say(b"isready\n")
    talk.hear(b"readyok\n")
    assert talk.is_owed
    talk.hear(b"info string stopped\n")
    assert not talk.is_owed


class Through:
    """A talk with a hub behind it, and nothing between them; jobs end when the test says so."""

    def __init__(self) -> None:
        self.talk = Talk()
        self.service = ManualService()
        self.hub = Hub(self.service, {"alphabeta": ScriptedSearch})
        self.dialects = Dialects(MOST_LINE, lambda: self.hub, lambda: self.hub)
        self.pass_on(PING)  # as the bridge says it, before anything else passes

    def pass_on(self, data: bytes) -> None:
        for conversation, item in self.dialects.feed(data):
            conversation.receive(item)
        self.hear()

    def hear(self) -> None:
        self.talk.hear(self.hub.mailbox.take(10**9))

    def end_jobs(self) -> None:
        while self.service.jobs or self.service.calls:
            self.service.make_calls()
            if self.service.jobs:
                self.service.end_job()
        self.hear()


BLANK = st.sampled_from(
    [b"", b" ", b"\t", b"  ", b"\x0b", b"\x0c", b"\0", b"\r", b"\x1b[1m", b"\xff", b"\xc2\xa0",
     b"\xe2\x80\xa8", b"\xc2\x85", b"\x1f", b" " * 200, b" " * (MOST_LINE - 9), b" " * MOST_LINE]
)  # fmt: skip
PREFIX = st.sampled_from(
    [b"", b"", b"@", b"@0 ", b"@a ", b"@none ", b"@a@b ", b"@a\t", b"@@ ", b"@a @0 ", b"# ",
     b"@" + b"x" * 64 + b" ", b"@" + b"x" * 65 + b" ", b"@" + b"x" * 200 + b" ", b"@\xc3\xa9 "]
)  # fmt: skip
WORDS = st.sampled_from(
    [b"go", b"go depth 1", b"go infinite", b"go nonsense", b"go ponder", b"go perft 1",
     b"go perft x", b"go depth", b"GO", b"perft 1", b"perft x", b"stop", b"ponderhit", b"isready",
     b"query game", b"query", b"position startpos", b"position x", b"session open a",
     b"session close a", b"ugi", b"uci", b"uci x", b"legal", b"quit x", b"@0 quit", b"auth x", b""]
)  # fmt: skip
LINES = st.one_of(
    st.tuples(BLANK, PREFIX, BLANK, WORDS, BLANK).map(b"".join),
    st.tuples(PREFIX, WORDS).map(b"".join),
    st.tuples(PREFIX, WORDS).map(b"".join),
    st.binary(max_size=30),
    st.text(max_size=20).map(str.encode),
).map(lambda line: line.replace(b"\n", b" "))
END = st.sampled_from([b"\n", b"\n", b"\r\n"])


@given(st.lists(st.tuples(LINES, END, st.booleans()), max_size=12), st.integers(1, 70_000))
@example([(line, b"\n", False) for line in UNCERTAIN], 70_000)
@example([(b"go" + b" " * (MOST_LINE - 2), end, False) for end in (b"\n", b"\r\n")], 70_000)
@example([(b"go" + b" " * (MOST_LINE - 2), end, False) for end in (b"\n", b"\r\n")], 999)
def test_what_is_owed_is_what_a_hub_answers(
    said: list[tuple[bytes, bytes, bool]], step: int
) -> None:
    """After each line, all questions being answered, it is owed what the hub is still at."""
    through = Through()
    talk = through.talk
    for line, end, jobs_end in said:
        if not talk.is_leaving:
            # Those that are infinite hold their answers until then.
            data = line + end + (b"stop\n@a stop\n" if jobs_end else b"")
            for start in range(0, len(data), step):
                try:
                    through.pass_on(talk.say(data[start : start + step]))
                except NotText:
                    return
            through.pass_on(talk.ping())
        if jobs_end:
            through.end_jobs()
        through.service.make_calls()
        through.hear()
        assert talk.is_leaving == through.hub.is_closing
        assert talk.is_owed == (bool(through.service.jobs) or through.hub.is_waiting)
    through.pass_on(talk.leave())
    through.end_jobs()
    assert through.hub.is_closing
    assert not talk.is_owed


def in_steps(call: Callable[[bytes], bytes], data: bytes, step: int) -> bytes:
    return b"".join(call(data[i : i + step]) for i in range(0, len(data), step))
