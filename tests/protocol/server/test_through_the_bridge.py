"""A board program that knows only engines on standard input and output, and a far server.

It starts `kibitz connect` in the place of an engine. Between the two are TLS and a token; the
program knows nothing of that, and plays whole games, which are followed here by the rules.
"""

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.client import EngineRefused, SimpleEngine, SimpleRemote
from tests.protocol.server.serving import Bridge, Certificates, Serving

TOKEN = "a-long-and-secret-word"
QUIET = "30"
MOST_TURNS = 1000
SETTINGS = "quota = { requests = 0, sessions = 10 }\n"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def serving(certificates: Certificates, tmp_path: Path) -> Iterator[Serving]:
    """A server, which ends well after all that was done to it."""
    variables = {"KIBITZ_TOKENS": f"ann={TOKEN}"}
    with Serving(
        *certificates.arguments, settings=SETTINGS, folder=tmp_path, **variables
    ) as serving:
        yield serving
        serving.finish()


@pytest.fixture
def engine(serving: Serving, certificates: Certificates) -> Iterator[Bridge]:
    with connect(serving, certificates) as engine:
        yield engine


def connect(serving: Serving, certificates: Certificates) -> Bridge:
    return Bridge(serving, "--tls", "--ca", str(certificates.authority), token=TOKEN)


def moves_of(play: Play) -> str:
    return " ".join(["position startpos moves", *play.tokens])


# Whole games.


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_whole_game(name: str, serving: Serving, certificates: Certificates) -> None:
    """Two engines, of which one plays at random now and then, so that every game ends."""
    with connect(serving, certificates) as first, connect(serving, certificates) as second:
        play = Play(find_game(name), {"QuietLimit": QUIET})
        chance = random.Random(name)
        for engine in (first, second):
            engine.send("ugi")
            assert f" var {name}" in engine.read_to("ugiok")[2]
            engine.send(f"setoption name Game value {name}")
            engine.send(f"setoption name QuietLimit value {QUIET}")
            engine.send("uginewgame")
            assert engine.ask("isready") == "readyok"
        while not play.is_over:
            assert len(play.tokens) < MOST_TURNS
            mover = (first, second)[play.position.side]
            mover.send(moves_of(play))
            if len(play.tokens) < 4 or chance.random() < 0.3:
                move = chance.choice(mover.ask("query legalmoves").split()[1:])
            else:
                mover.send("go nodes 60")
                *infos, last = mover.read_to("bestmove")
                assert infos
                assert all(line.startswith("info depth ") for line in infos)
                move = last.split()[1]
            assert move in play.legal_tokens()
            play.push(move)
        points = " ".join(f"{number:g}" for number in play.points)
        for engine in (first, second):
            engine.send(moves_of(play))
            assert engine.ask("query gameover") == "response true"
            assert engine.ask("query result") == f"response {play.result}"
            assert engine.ask("query reason") == f"response {play.reason}"
            assert engine.ask("query score") == f"response {points}"
            assert engine.ask("query fen") == f"response {play.text}"
            engine.send("go movetime 1000")
            assert engine.read_to("bestmove")[-1] == "bestmove (none)"
            engine.send("quit")
            assert engine.finish() == 0


def test_a_whole_game_with_the_habits_of_uci(engine: Bridge) -> None:
    """With clocks, new positions by text, and pondering that is hit or missed."""
    play = Play(find_game("jasir"), {"QuietLimit": QUIET})
    engine.send("uci")
    assert engine.read_to("uciok")[2].startswith("option name UCI_Variant type combo ")
    answer = engine.ask("setoption name UCI_Variant value jasir")
    assert answer.startswith("info string variant jasir ")
    engine.send(f"setoption name QuietLimit value {QUIET}\nucinewgame")
    assert engine.ask("isready") == "readyok"
    chance = random.Random(5)
    hits = 0
    while not play.is_over:
        assert len(play.tokens) < MOST_TURNS
        engine.send(f"{moves_of(play)}\ngo wtime 1000 btime 1000 winc 5 binc 5 depth 3")
        words = engine.read_to("bestmove")[-1].split()
        play.push(words[1])
        if play.is_over:
            break
        answer = chance.choice(play.legal_tokens())
        if words[2:3] == ["ponder"]:
            engine.send(f"{moves_of(play)} {words[3]}\ngo ponder wtime 1000 btime 1000 depth 3")
            engine.read_to("info")
            if chance.random() < 0.5:
                answer = words[3]
                hits += 1
                engine.send("ponderhit")
            else:
                engine.send("stop")
            engine.read_to("bestmove")
        play.push(answer)
    assert hits
    engine.send(moves_of(play))
    assert engine.ask("query result") == f"response {play.result}"
    assert engine.ask("query fen") == f"response {play.text}"
    engine.send("quit")
    assert engine.finish() == 0


def test_a_game_in_each_session(engine: Bridge) -> None:
    """Five games in one connection, whose searches are under way at the same time."""
    plays = {name: Play(find_game(name), {"QuietLimit": QUIET}) for name in GAME_NAMES}
    for name in plays:
        assert engine.ask(f"session open {name} game {name}") == f"session opened {name}"
        engine.send(f"@{name} setoption name QuietLimit value {QUIET}")
    assert engine.ask("session list") == " ".join(["session list 0", *GAME_NAMES])
    for _ in range(10):
        going = [name for name, play in plays.items() if not play.is_over]
        for name in going:
            engine.send(f"@{name} {moves_of(plays[name])}\n@{name} go nodes 100")
        waiting = set(going)
        while waiting:
            prefix, kind, *words = engine.read().split()
            if kind == "bestmove":
                waiting.remove(prefix[1:])
                plays[prefix[1:]].push(words[0])
    for name, play in plays.items():
        engine.send(f"@{name} {moves_of(play)}")
        assert engine.ask(f"@{name} query fen") == f"@{name} response {play.text}"
        assert engine.ask(f"session close {name}") == f"session closed {name}"
    engine.send("quit")
    assert engine.finish() == 0


# Ends.


@pytest.mark.parametrize("end", ["quit\n", "", "quit", "stop\nquit\n"])
def test_the_end_in_a_search(end: str, engine: Bridge) -> None:
    """Its answer is written first, and all is well; with a whole last line or without."""
    engine.send("go infinite")
    engine.read_to("info depth")
    engine.send(end.encode())
    engine.close_input()
    lines = engine.read_to("bestmove")
    assert lines[-1] != "bestmove (none)"
    assert engine.finish() == 0


def test_the_end_while_nothing_is_done(serving: Serving, certificates: Certificates) -> None:
    with connect(serving, certificates) as silent:
        assert silent.ask("isready") == "readyok"
        silent.close_input()
        assert silent.finish() == 0
    with connect(serving, certificates) as leaving:
        leaving.send("quit")
        assert leaving.finish() == 0


# Refusals.


def test_one_connection_more_than_a_client_may_have(tmp_path: Path) -> None:
    """Each kind of client is told that, and not that its token is wrong."""
    with Serving(
        settings="quota = { connections = 1 }\n", folder=tmp_path, KIBITZ_TOKENS=f"ann={TOKEN}"
    ) as serving:
        url = f"tcp://localhost:{serving.port}"
        with Bridge(serving, token=TOKEN) as first:
            assert first.ask("isready") == "readyok"
            with Bridge(serving, token=TOKEN) as second:
                status, lines, errors = second.lost()
            assert (status, len(lines)) == (1, 1)
            assert lines[0].startswith("info string error over_limit: ")
            assert "ann has 1 connections" in errors
            for opened in (SimpleEngine.open_server, SimpleRemote.open_server):
                with pytest.raises(EngineRefused, match=r"^over_limit: ann has 1 connections"):
                    opened(url, token=TOKEN)
            first.send("quit")
            assert first.finish() == 0
        serving.finish()


# Much.


def test_a_flood_arrives_whole(engine: Bridge) -> None:
    """More than all buffers on the way hold, in both directions, and in order."""
    rounds = 20_000
    asked = b"".join(b"@%d isready\nisready\nquery startpos\n" % number for number in range(rounds))
    asker = threading.Thread(target=engine.send, args=(asked + b"quit\n",))
    asker.start()
    for number in range(rounds):
        assert engine.read().startswith(
            f"@{number} info string error no_session: " if number else "@0 ready"
        )
        assert engine.read() == "readyok"
        assert engine.read() == "response 3/4/5/4/3 w 5/7/7/5 0/0 0"
    asker.join()
    assert engine.finish() == 0


def test_a_flood_of_searches(engine: Bridge) -> None:
    """Each has its answer, also those that were ended before they began."""
    rounds = 200
    flood = b"go infinite\nstop\ngo depth 1\n" * rounds + b"quit\n"
    asker = threading.Thread(target=engine.send, args=(flood,))
    asker.start()
    for _ in range(2 * rounds):
        engine.read_to("bestmove")
    asker.join()
    assert engine.finish() == 0


def test_a_long_line_and_a_line_that_is_too_long(engine: Bridge) -> None:
    """A game of many moves is one line; beyond the bound there is one error, and no end."""
    play = Play(find_game("talisman"), {})
    engine.send(f"position startpos moves {'a ' * 20_000}")
    assert engine.read().startswith("info string error bad_move: ")
    engine.send(b"x" * 10_000_000 + b"\n")
    assert engine.read().startswith("info string error bad_command: ")
    engine.send("position startpos")
    assert engine.ask("query fen") == f"response {play.text}"
    engine.send("quit")
    assert engine.finish() == 0


@pytest.mark.parametrize("says_quit", [True, False])
def test_lines_that_are_no_go_are_not_waited_for(engine: Bridge, says_quit: bool) -> None:
    lines = [
        "@ go", "@\x1b[1m go", f"@{'x' * 70} go depth 1", "@x\0 go", "@\xa0 go", "@\u2028 go",
        "@a\xa0b go depth 1", "@a @b go", "\x0bgo depth 1", "go" + " " * 70_000,
    ]  # fmt: skip
    for line in lines:
        engine.send(line)
        assert " error " in engine.read()
    if says_quit:
        engine.send("quit")
    else:
        engine.close_input()
    assert engine.finish() == 0
