"""Any order of commands and of ends of jobs: every `go` gets one answer, in its turn."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.pieces import MOST_MOVES
from kibitz.protocol.session import State
from tests.protocol.dialogue import Program
from tests.protocol.host import ManualHost, long_game

# More moves than are looked at in one piece.
LONG = " ".join(["position startpos moves", *long_game(2 * MOST_MOVES + 1)])
ANSWERED = [
    "go depth 1",
    "go infinite",
    "go ponder depth 2",
    "go ponder",
    "go nonsense",
    "go searchmoves " + "zz " * (MOST_MOVES + 1),
]
OTHERS = [
    "stop", "ponderhit", "isready", "query fen", "position startpos", "moves a", "moves s",
    "uginewgame", "setoption name Hash value 1", "setoption name Hash value 2",
    "setoption name Ponder value true", "setoption name QuietLimit value 5",
    "setoption name QuietLimit value 6", "perft 1", "position startpos moves nonsense", LONG,
]  # fmt: skip
END_OF_JOB = "(the job ends)"

# How an answer begins, and to what it is one.
ANSWERS = [
    ("bestmove ", "go"),
    ("readyok", "isready"),
    ("response ", "query"),
    ("Nodes searched: ", "perft"),
    ("info string stopped", "perft"),
]


@given(st.lists(st.sampled_from([*ANSWERED, *OTHERS, END_OF_JOB, END_OF_JOB, END_OF_JOB])))
def test_every_go_is_answered_once(events: list[str]) -> None:
    host = ManualHost()
    asked: list[str] = []
    for event in events:
        if event != END_OF_JOB:
            host.say(event)
            asked.append(event)
        elif host.jobs:
            host.end_job()
        elif host.turns:
            host.give_turn()
        assert len(host.jobs) <= 1
        slow = host.session.state in (State.STOPPING, State.SETTING_UP)
        assert host.session.is_waiting <= slow
        assert (host.session.state is State.SETTING_UP) == bool(host.turns)
        searching = host.session.state in (State.SEARCHING, State.STOPPING)
        assert searching <= bool(host.jobs)
    host.say("stop")
    while host.jobs or host.turns:
        if host.jobs:
            host.end_job()
        else:
            host.give_turn()
    assert host.session.is_idle
    # `isready` and `query` do not wait for a search that runs, so only the numbers are sure.
    said = Counter(word for line in host.lines for start, word in ANSWERS if line.startswith(start))
    wanted = Counter(line.split()[0] for line in asked)
    for word in ("go", "isready", "query", "perft"):
        assert said[word] == wanted[word]


@pytest.mark.parametrize("seed", range(3))
def test_the_real_program_answers_every_go(seed: int) -> None:
    """A storm of commands, some of them while searches begin and end."""
    chance = random.Random(seed)
    lines = [
        chance.choice([*ANSWERED, *OTHERS, "go movetime 3", "go nodes 300", "stop"])
        for _ in range(400)
    ]
    with Program() as program:
        for start in range(0, len(lines), 40):
            # In pieces, so that neither side ever waits for the other to read.
            for line in lines[start : start + 40]:
                program.send(line)
            program.send("stop")
            program.send("query games")
            answers = 0
            while (line := program.read()) != f"response {' '.join(GAME_NAMES)}":
                answers += line.startswith("bestmove ")
            asked = sum(line.startswith("go") for line in lines[start : start + 40])
            # The last search may still be on its way to its answer.
            missing = asked - answers
            assert 0 <= missing <= 1
            for _ in range(missing):
                while not program.read().startswith("bestmove "):
                    pass
        program.send("quit")
        assert program.finish() == 0
