"""From end to end: a program that knows only UGI, `kibitz connect`, and a server over TLS."""

import random
import signal
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.client import ConnectionLost, Engine, EngineError, Limit, Remote, Setup
from tests.protocol.dialogue import HANGS_AFTER, Program
from tests.protocol.server.serving import Certificates, Serving

TOKEN = "a-token-that-nobody-can-guess"

# From so many turns on some are made at random, since the rules of Talisman let two sides take
# each other's pieces in turn for ever.
PATIENCE = 60
MOST_TURNS = 2000


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


@pytest.fixture
def serving(certificates: Certificates) -> Iterator[Serving]:
    with Serving(*certificates.arguments, KIBITZ_TOKENS=f"gui={TOKEN}") as server:
        yield server


def bridge(serving: Serving, certificates: Certificates) -> Program:
    """Start what a board program is told to start as its engine."""
    place = f"localhost:{serving.port}"
    return Program(
        ("connect", place, "--tls", "--ca", str(certificates.authority)), KIBITZ_TOKEN=TOKEN
    )


def best_move(program: Program, go: str) -> list[str]:
    program.send(go)
    while not (line := program.read()).startswith("bestmove "):
        assert line.startswith("info depth "), line
    return line.split()[1:]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_whole_game(name: str, serving: Serving, certificates: Certificates) -> None:
    """The engine finds every move; the board program has the rules, and both agree on the end."""
    chance = random.Random(name)
    play = Play(find_game(name), {"QuietLimit": "30"})
    with bridge(serving, certificates) as program:
        program.send("ugi")
        while program.read() != "ugiok":
            pass
        program.send(f"setoption name Game value {name}")
        program.send("setoption name QuietLimit value 30")
        assert program.ask("isready") == "readyok"
        while not play.is_over:
            assert len(play.tokens) < MOST_TURNS
            program.send(" ".join(["position startpos moves", *play.tokens]))
            if len(play.tokens) > PATIENCE and chance.random() < 0.3:
                move = chance.choice(play.legal_tokens())
            else:
                (move,) = best_move(program, "go nodes 60")
            play.push(move)
        program.send(" ".join(["position startpos moves", *play.tokens]))
        assert program.ask("query result") == f"response {play.result}"
        assert program.ask("query fen") == f"response {play.text}"
        program.send("quit")
        assert program.finish() == 0
    serving.finish()


def test_uci_and_sessions(serving: Serving, certificates: Certificates) -> None:
    with bridge(serving, certificates) as program:
        program.send("uci")
        while program.read() != "uciok":
            pass
        program.send("setoption name UCI_Variant value jarmo")
        assert program.read().startswith("info string variant jarmo files 5 ranks 5 ")
        program.send("position startpos")
        assert best_move(program, "go depth 4")[1] == "ponder"
        assert program.ask("session open two game jasir") == "session opened two"
        program.send("@two go depth 3")
        while (line := program.read()).startswith("@two info depth "):
            pass
        assert line.startswith("@two bestmove ")
        program.close_input()
        assert program.finish() == 0
    serving.finish()


def test_the_end_of_input_in_a_search(serving: Serving, certificates: Certificates) -> None:
    with bridge(serving, certificates) as program:
        program.send("go infinite")
        program.peek()
        program.close_input()
        while (line := program.read()).startswith("info depth "):
            pass
        assert line.startswith("bestmove ")
        assert program.finish() == 0
    serving.finish()


def test_a_server_that_ends_politely(serving: Serving, certificates: Certificates) -> None:
    """Twenty searches, behind seven bridges and in JSON lines: all are answered."""
    programs = [bridge(serving, certificates) for _ in range(7)]
    client = serving.connect(certificates.client)
    client.ask("hello", token=TOKEN)
    try:
        for program in programs:
            program.send("go infinite")
        requests = [
            client.post("analyze", game="jarmo", limit={"infinite": True}) for _ in range(13)
        ]
        for program in programs:
            assert program.ask("isready") != ""
        assert client.ask("ping")["type"] == "pong"
        assert serving.stop() == 0
        for program in programs:
            while not (line := program.read()).startswith("bestmove "):
                assert line == "readyok" or line.startswith("info depth ")
            # What the program did not ask for is told as well: its engine is gone.
            while (line := program.read()) == "readyok":
                pass
            assert line.startswith("info string error ")
            assert program.process.wait(HANGS_AFTER) == 1
        ended = [answer for answer in client.rest() if '"cancelled"' in answer]
        assert len(ended) == len(requests)
    finally:
        for program in programs:
            program.__exit__()


def test_a_server_that_is_killed(serving: Serving, certificates: Certificates) -> None:
    with bridge(serving, certificates) as program:
        program.send("go infinite")
        program.peek()
        serving.stop(signal.SIGKILL)
        while (line := program.read()).startswith("info depth "):
            pass
        assert line.startswith("info string error ")
        assert program.peek() is None
        assert program.process.wait(HANGS_AFTER) == 1
        assert program.process.stderr is not None
        assert program.process.stderr.read().count(b"\n") == 1


@pytest.mark.asyncio
async def test_clients_of_a_server_that_is_killed() -> None:
    """Every call that waits is told, in both dialects."""
    told: list[str] = []

    with Serving() as serving:
        address = f"tcp://127.0.0.1:{serving.port}"
        setup = Setup("talisman")

        async def search(engine: Engine | Remote, name: str) -> None:
            try:
                async with engine.analysis(setup) as analysis:
                    async for _ in analysis:
                        begun[name].set()
            except EngineError as error:
                told.append(f"{name} {isinstance(error, ConnectionLost)}")

        begun = {name: anyio.Event() for name in ("engine", "remote")}
        with anyio.fail_after(HANGS_AFTER):
            async with (
                Engine.open_server(address) as engine,
                Remote.open_server(address, resume=False) as remote,
                anyio.create_task_group() as tasks,
            ):
                tasks.start_soon(search, engine, "engine")
                tasks.start_soon(search, remote, "remote")
                for event in begun.values():
                    await event.wait()
                serving.process.kill()
            with pytest.raises(EngineError):
                async with Engine.open_server(address) as engine:
                    await engine.play(setup, Limit(depth=1))
    assert sorted(told) == ["engine True", "remote True"]
