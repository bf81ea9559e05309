"""A server that is killed, stopped or ended while clients of every kind wait for it.

Who waits is told, by what its documents say, and never waits for ever.
"""

import contextlib
import json
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path

import anyio
import pytest

from kibitz.protocol.client import (
    Analysis,
    CannotOpen,
    ConnectionLost,
    Engine,
    EngineError,
    EngineTerminated,
    Limit,
    Remote,
    Result,
    Setup,
    SimpleEngine,
    SimpleRemote,
)
from tests.protocol.client.programs import no_hang
from tests.protocol.client.relay import bridge
from tests.protocol.dialogue import HANGS_AFTER
from tests.protocol.server.serving import Bridge, Certificates, Serving

TOKEN = "a-long-and-secret-word"
LONG = Limit(depth=99)
KREPOST, JARMO = Setup("krepost"), Setup("jarmo")


def tcp(serving: Serving) -> str:
    return f"tcp://127.0.0.1:{serving.port}"


def remote(
    serving: Serving, *, resume: bool = False, keepalive: float = HANGS_AFTER
) -> AbstractAsyncContextManager[Remote]:
    return Remote.open_server(tcp(serving), resume=resume, keepalive=keepalive, timeout=HANGS_AFTER)


async def fails(call: Callable[[], Awaitable[object]], kind: type[EngineError]) -> None:
    with pytest.raises(kind):
        await call()


async def listen(analysis: Analysis) -> None:
    async for _ in analysis:
        pass


# Killed.


@pytest.mark.parametrize("tls", [False, True])
def test_a_bridge_says_that_the_server_was_killed(tls: bool, tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    arguments = certificates.arguments if tls else ()
    trust = ("--tls", "--ca", str(certificates.authority)) if tls else ()
    with (
        Serving(*arguments, KIBITZ_TOKENS=f"ann={TOKEN}") as serving,
        ExitStack() as stack,
    ):
        bridges = [stack.enter_context(Bridge(serving, *trust, token=TOKEN)) for _ in range(3)]
        for engine in bridges[1:]:
            engine.send("go infinite")
            engine.read_to("info depth")
        # One waits for nothing, one for the end of a search that it has stopped or not.
        assert bridges[0].ask("isready") == "readyok"
        serving.process.kill()
        name = f"localhost:{serving.port}"
        for engine in bridges:
            status, lines, errors = engine.lost()
            assert status == 1
            assert errors == f"kibitz: the connection to {name} is lost\n"
            assert lines[-1] == f"info string error no_session: the connection to {name} is lost"
            assert not [line for line in lines if line.startswith("bestmove")]
        serving.process.wait(HANGS_AFTER)
        with Bridge(serving, token=TOKEN) as late:
            status, lines, errors = late.lost()
            assert (status, errors.count("\n"), len(lines)) == (1, 1, 1)
            assert "Connection refused" in errors


def test_a_bridge_whose_program_is_just_sending(tmp_path: Path) -> None:
    """It is told, although it hears nothing while it writes."""
    settings = "quota = { requests = 0 }\n"
    with (
        Serving(settings=settings, folder=tmp_path) as serving,
        Bridge(serving) as engine,
    ):
        engine.send("go infinite")
        engine.read_to("info depth")

        def flood() -> None:
            with contextlib.suppress(BrokenPipeError):
                while True:
                    engine.send(b"isready\n" * 1000)

        flooding = threading.Thread(target=flood)
        flooding.start()
        engine.read_to("readyok")
        serving.process.kill()
        status, lines, errors = engine.lost()
        flooding.join(HANGS_AFTER)
        assert not flooding.is_alive()
        assert (status, errors.count("\n")) == (1, 1)
        assert lines[-1].startswith("info string error no_session: the connection to ")


ANSWERED = (
    "isready",
    "d",
    "ugi",
    "query fen",
    "nonsense",
    "perft 2",
    "go depth 1",
    "@0 go depth 1",
)


@pytest.mark.parametrize("tls", [False, True])
def test_a_bridge_whose_input_has_ended_says_that_an_answer_is_lost(
    tls: bool, tmp_path: Path
) -> None:
    """By the end of its input or by `quit`, with whatever answer is owed, or with none."""
    certificates = Certificates(tmp_path)
    arguments = certificates.arguments if tls else ()
    trust = ("--tls", "--ca", str(certificates.authority)) if tls else ()
    with Serving(*arguments) as serving, ExitStack() as stack:
        bridges = [
            (stack.enter_context(Bridge(serving, *trust)), question, end)
            for question in (*ANSWERED, "stop")
            for end in ("", "quit\n")
        ]
        owed, settled = bridges[:-2], bridges[-2:]
        for engine, _, _ in bridges:
            engine.send("go depth 1")
            engine.read_to("bestmove")
            engine.send("isready")
            assert engine.read() == "readyok"
        # It never gets to see what is sent now.
        serving.process.send_signal(signal.SIGSTOP)
        for engine, question, end in bridges:
            engine.send(f"{question}\n{end}".encode())
            engine.close_input()
        serving.process.kill()
        line = f"the connection to localhost:{serving.port} is lost"
        for engine, question, _ in owed:
            assert engine.lost() == (
                1,
                [f"info string error no_session: {line}"],
                f"kibitz: {line}\n",
            ), question
        for engine, _, _ in settled:
            assert engine.lost() == (0, [], "")


@pytest.mark.asyncio
async def test_calls_of_an_engine_when_the_server_is_killed() -> None:
    with Serving() as serving:
        async with (
            no_hang(),
            Engine.open_server(tcp(serving)) as engine,
            engine.session("playing") as playing,
            engine.session("looking") as looking,
            engine.session("waiting") as waiting,
        ):
            async with (
                looking.analysis(KREPOST) as first,
                waiting.analysis(JARMO) as second,
                anyio.create_task_group() as group,
            ):
                await anext(first)
                await anext(second)
                group.start_soon(fails, partial(playing.play, KREPOST, LONG), ConnectionLost)
                group.start_soon(fails, partial(engine.analyse, JARMO, LONG), ConnectionLost)
                group.start_soon(fails, partial(listen, first), ConnectionLost)
                group.start_soon(fails, second.wait, ConnectionLost)
                await engine.ping()
                serving.process.kill()
            for call in (engine.ping, playing.new_game, partial(looking.legal_moves, JARMO)):
                await fails(call, ConnectionLost)
            await fails(partial(engine.play, JARMO, Limit(depth=1)), ConnectionLost)
        await anyio.to_thread.run_sync(serving.process.wait)
        with pytest.raises(CannotOpen):
            async with Engine.open_server(tcp(serving)):
                pass


@pytest.mark.asyncio
async def test_calls_of_an_engine_behind_a_bridge_when_the_server_is_killed() -> None:
    """For it an engine has ended, which said why."""
    with Serving() as serving:
        name = f"127.0.0.1:{serving.port}"
        async with no_hang(), Engine.open_process(bridge(name)) as engine:
            async with engine.analysis(KREPOST) as analysis:
                await anext(analysis)
                serving.process.kill()
                with pytest.raises(EngineTerminated) as ended:
                    await analysis.wait()
            assert ended.value.status == 1
            assert ended.value.stderr == (f"kibitz: the connection to {name} is lost",)
            await fails(engine.ping, EngineTerminated)


@pytest.mark.asyncio
@pytest.mark.parametrize("resume", [False, True])
async def test_calls_of_a_remote_when_the_server_is_killed(resume: bool, tmp_path: Path) -> None:
    """With `resume` it is looked for as long as it would have kept what it did, and no longer."""
    grace = 0.5
    settings = f"grace_seconds = {grace}\nquota = {{ searches = 10 }}\n"
    with Serving(settings=settings, folder=tmp_path) as serving:
        async with no_hang(), remote(serving, resume=resume) as client:
            assert client.can_resume == resume
            async with (
                client.analysis(KREPOST) as first,
                client.analysis(JARMO) as second,
                anyio.create_task_group() as group,
            ):
                await anext(first)
                await anext(second)
                group.start_soon(fails, partial(client.play, KREPOST, LONG), ConnectionLost)
                group.start_soon(fails, partial(client.perft, KREPOST, 20), ConnectionLost)
                group.start_soon(fails, partial(listen, first), ConnectionLost)
                group.start_soon(fails, second.wait, ConnectionLost)
                await client.ping()
                killed = time.monotonic()
                serving.process.kill()
                group.start_soon(fails, partial(client.legal_moves, JARMO), ConnectionLost)
            # Not given up before that; how long after it is a matter of the machine.
            assert time.monotonic() - killed >= (grace if resume else 0.0)
            assert client.reconnections == 0
            for call in (client.ping, client.stats, partial(client.legal_moves, JARMO)):
                await fails(call, ConnectionLost)


def test_calls_without_async_when_the_server_is_killed() -> None:
    with (
        Serving() as serving,
        SimpleEngine.open_server(tcp(serving)) as engine,
        SimpleRemote.open_server(tcp(serving), resume=False) as client,
    ):
        failures: list[EngineError] = []

        def play(call: Callable[[Setup, Limit], Result]) -> None:
            with pytest.raises(ConnectionLost) as caught:
                call(KREPOST, LONG)
            failures.append(caught.value)

        threads = [threading.Thread(target=play, args=(one.play,)) for one in (engine, client)]
        for thread in threads:
            thread.start()
        while client.stats().running < 2:
            pass
        serving.process.kill()
        for thread in threads:
            thread.join(HANGS_AFTER)
        assert len(failures) == 2
        with pytest.raises(ConnectionLost):
            engine.ping()
        with pytest.raises(ConnectionLost):
            client.ping()


# Stopped, so that it is there and says nothing.


@pytest.mark.asyncio
async def test_a_server_that_was_stopped_is_taken_for_lost() -> None:
    with Serving() as serving:
        async with no_hang(), remote(serving, keepalive=0.3) as client:
            async with client.analysis(KREPOST) as analysis, anyio.create_task_group() as group:
                await anext(analysis)
                serving.process.send_signal(signal.SIGSTOP)
                group.start_soon(fails, client.ping, ConnectionLost)
                group.start_soon(fails, partial(client.play, JARMO, LONG), ConnectionLost)
                with pytest.raises(ConnectionLost, match=r"silent for 0\.6 seconds"):
                    await analysis.wait()
            with pytest.raises(ConnectionLost):
                await client.ping()


@pytest.mark.asyncio
async def test_an_engine_of_a_server_that_was_stopped_is_taken_for_lost() -> None:
    with Serving() as serving:
        async with (
            no_hang(),
            Engine.open_server(tcp(serving), keepalive=0.5) as engine,
            engine.session("other", "krepost") as other,
        ):
            pondering = await other.ponder(KREPOST, LONG)
            async with engine.analysis(KREPOST) as analysis, anyio.create_task_group() as group:
                await anext(analysis)
                engine.timeout = 0.25
                serving.process.send_signal(signal.SIGSTOP)
                group.start_soon(fails, analysis.wait, ConnectionLost)
                group.start_soon(fails, pondering.wait, ConnectionLost)
                with pytest.raises(ConnectionLost, match=r"has been silent for 0\.75 seconds$"):
                    async for _ in analysis:
                        pass
            await fails(engine.ping, ConnectionLost)
            await fails(other.ping, ConnectionLost)


@pytest.mark.parametrize("question", ["", "isready", "go infinite"])
def test_a_bridge_says_that_the_server_was_stopped(question: str) -> None:
    """Whether something is owed or not, and also when the input has ended."""
    with Serving() as serving, ExitStack() as stack:
        engines = [
            stack.enter_context(Bridge(serving, "--patience", seconds)) for seconds in ("2", "3")
        ]
        for engine in engines:
            assert engine.ask("isready") == "readyok"
        serving.process.send_signal(signal.SIGSTOP)
        for engine in engines:
            if question:
                engine.send(question)
        engines[1].close_input()
        name = f"localhost:{serving.port}"
        for engine, line in zip(
            engines,
            (
                f"{name} has been silent for 2 seconds",
                f"{name} did not end within 3 seconds after quit",
            ),
            strict=True,
        ):
            assert engine.lost() == (
                1,
                [f"info string error no_session: {line}"],
                f"kibitz: {line}\n",
            )


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_how_long_a_lost_server_is_looked_for_can_be_said(number: signal.Signals) -> None:
    """Whether nobody is there or nobody answers; the server itself would keep it for a minute."""
    with Serving() as serving:
        async with (
            no_hang(),
            Remote.open_server(tcp(serving), keepalive=0.3, grace=0.3) as client,
            client.analysis(KREPOST) as analysis,
        ):
            assert client.can_resume
            await anext(analysis)
            serving.process.send_signal(number)
            with pytest.raises(ConnectionLost):
                await analysis.wait()
            await fails(client.ping, ConnectionLost)


@pytest.mark.asyncio
async def test_without_grace_a_lost_connection_is_not_made_again() -> None:
    with Serving() as serving:
        async with no_hang(), Remote.open_server(tcp(serving), grace=0) as client:
            serving.process.kill()
            await fails(client.ping, ConnectionLost)


@pytest.mark.asyncio
async def test_a_server_that_goes_on_again_is_found_again() -> None:
    """What it did meanwhile counts: the calls do not even notice."""
    with Serving() as serving:
        async with (
            no_hang(),
            remote(serving, keepalive=0.3, resume=True) as client,
            client.analysis(KREPOST) as analysis,
        ):
            await anext(analysis)
            serving.process.send_signal(signal.SIGSTOP)
            while client._correspondence._is_connected:
                await anyio.lowlevel.checkpoint()
            serving.process.send_signal(signal.SIGCONT)
            assert await client.legal_moves(JARMO)
            assert client.reconnections >= 1
            assert not analysis.is_over
            analysis.stop()
            assert (await analysis.wait()).move
        serving.finish()


# Ended.


@pytest.mark.asyncio
async def test_a_signal_in_searches_of_all_kinds_of_clients(tmp_path: Path) -> None:
    """Twenty searches in four connections: all are answered, and then the server ends."""
    each = 5
    settings = "quota = { searches = 20 }\nsearches = { begun = 100, slice_seconds = 0.02 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as raw:
        async with (
            no_hang(),
            Engine.open_server(tcp(serving)) as engine,
            Engine.open_process(bridge(f"127.0.0.1:{serving.port}")) as bridged,
            remote(serving) as client,
            AsyncExitStack() as stack,
        ):
            analyses = []
            for number in range(each):
                for one in (engine, bridged):
                    session = await stack.enter_async_context(one.session(f"s{number}", "krepost"))
                    analyses.append(await stack.enter_async_context(session.analysis(KREPOST)))
                analyses.append(await stack.enter_async_context(client.analysis(KREPOST)))
            names = [
                raw.post("analyze", game="krepost", limit={"infinite": True}) for _ in range(each)
            ]
            for analysis in analyses:
                await anext(analysis)
            while raw.ask("stats")["running"] + raw.ask("stats")["waiting"] < 4 * each:
                pass
            serving.process.send_signal(signal.SIGTERM)
            for analysis in analyses:
                assert (await analysis.wait()).move
            answers = [json.loads(line) for line in raw.rest()]
            ends = [answer for answer in answers if answer["type"] != "info"]
            assert {answer["type"] for answer in ends} == {"cancelled"}
            assert sorted(answer["id"] for answer in ends) == sorted(names)
            raw.close()
            assert await anyio.to_thread.run_sync(serving.process.wait, HANGS_AFTER) == 0
            await fails(engine.ping, ConnectionLost)
            await fails(client.ping, ConnectionLost)
            # A bridge whose program did not want the end says that, after all answers.
            with pytest.raises(EngineTerminated) as ended:
                await bridged.ping()
            assert ended.value.status == 1


def test_a_signal_and_bridges_that_leave() -> None:
    """A program that quits at the same time gets its answer, and status 0, whoever is first."""
    with Serving() as serving, ExitStack() as stack:
        bridges = [stack.enter_context(Bridge(serving)) for _ in range(4)]
        for engine in bridges:
            engine.send("go infinite\nisready")
            engine.read_to("readyok")
            engine.send("quit")
        serving.process.send_signal(signal.SIGTERM)
        for engine in bridges:
            engine.read_to("bestmove")
            assert engine.finish() == 0
        assert serving.process.wait(HANGS_AFTER) == 0
