"""The client for JSON lines, with a real desk behind a real socket."""

import random
import threading
from contextlib import AbstractAsyncContextManager

import anyio
import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.version import VERSION
from kibitz.protocol.client import (
    BadOption,
    CannotOpen,
    ConnectionLost,
    EndedEarly,
    EngineError,
    EngineRefused,
    EngineTimeout,
    Limit,
    Remote,
    Setup,
    Side,
    SimpleRemote,
    Unsupported,
    post,
)
from kibitz.protocol.quota import Quota
from tests.protocol.client.json_server import TOKEN, JsonServer, json_server
from tests.protocol.client.programs import HANGS_AFTER, KIBITZ, no_hang

pytestmark = pytest.mark.asyncio
JARMO = Setup("jarmo")


def remote(
    server: JsonServer,
    *,
    token: str | None = TOKEN,
    resume: bool = False,
    keepalive: float = HANGS_AFTER,
    timeout: float = HANGS_AFTER,
) -> AbstractAsyncContextManager[Remote]:
    return Remote.open_server(
        f"tcp://127.0.0.1:{server.port}",
        token=token,
        resume=resume,
        keepalive=keepalive,
        timeout=timeout,
    )


async def test_questions() -> None:
    play = Play(find_game("jarmo"), {})
    play.push(play.legal_tokens()[0])
    async with no_hang(), json_server() as server, remote(server) as client:
        assert client.name == f"kibitz {VERSION}"
        assert client.client_name == "tester"
        assert tuple(client.games) == GAME_NAMES
        assert client.limits.line > 1000
        assert not client.can_resume
        assert await client.ping() >= 0
        setup = Setup.of(play)
        assert await client.legal_moves(setup) == tuple(play.legal_tokens())
        verdict = await client.result(setup)
        assert (verdict.result, verdict.side, verdict.reason) == ("none", Side.BLACK, None)
        assert verdict.points == play.points
        replay = await client.replay(setup)
        assert (replay.start, replay.positions) == (play.start, (play.text,))
        assert (replay.legal, replay.side) == (len(play.legal_tokens()), Side.BLACK)
        assert await client.draw(setup) == play.game.draw(play.position)
        assert await client.perft(JARMO, 3) == 378
        assert (await client.stats()).connections == 1


async def test_analyse() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        result = await client.analyse(JARMO, Limit(depth=4), multipv=2, wdl=True)
        assert [line.multipv for line in result.lines] == [1, 2]
        assert result.info.depth == 4
        assert result.info.side is Side.WHITE
        assert result.info.wdl is not None
        assert result.move == result.info.pv[0]
        only = await client.play(JARMO, Limit(nodes=300), root_moves=["b1b2"])
        assert only.move == "b1b2"
        client.configure({"hash": 2})
        assert (await client.play(JARMO, Limit(time=0.01))).move


async def test_refusals() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        with pytest.raises(EngineRefused) as refused:
            await client.replay(Setup("jarmo", ["b1b2", "a1a1"]))
        assert (refused.value.code, refused.value.field, refused.value.index) == (
            "bad_move",
            "moves",
            1,
        )
        with pytest.raises(EngineRefused, match="bad_position"):
            await client.play(Setup("jarmo", text="nonsense"), Limit(depth=1))
        async with client.analysis(Setup("nonsense")) as analysis:
            with pytest.raises(EngineRefused, match="nonsense"):
                await anext(analysis)
            with pytest.raises(EngineRefused, match="nonsense"):
                await analysis.wait()
        with pytest.raises(BadOption, match="Hash: 'x' is not a whole number"):
            client.configure({"Hash": "x"})
        with pytest.raises(Unsupported, match="clocks"):
            await client.play(JARMO, Limit(white_clock=1))
        with pytest.raises(ValueError, match="bound"):
            await client.play(JARMO, Limit())
        with pytest.raises(ValueError, match="game"):
            await client.legal_moves(Setup())
        with pytest.raises(ValueError, match="bytes"):
            await client.legal_moves(Setup("jarmo", ["a1a2"] * 20_000))


async def test_many_at_once() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        moves = {}

        async def call(number: int) -> None:
            game = GAME_NAMES[number % len(GAME_NAMES)]
            if number % 3:
                moves[number] = (await client.legal_moves(Setup(game)))[0]
            else:
                moves[number] = (await client.play(Setup(game), Limit(depth=1))).move or ""

        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(call, number)
        assert len(moves) == 100
        for number, move in moves.items():
            assert move in Play(find_game(GAME_NAMES[number % len(GAME_NAMES)]), {}).legal_tokens()


async def test_analysis() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        async with (
            client.analysis(JARMO, multipv=2) as first,
            client.analysis(Setup("talisman")) as second,
        ):
            await anext(second)
            async for info in first:
                assert info.score is not None
                if info.multipv == 2:
                    break
            first.stop()
            assert (await first.wait()).move
            assert not second.is_over
        assert second.is_over
        async with client.analysis(JARMO, Limit(depth=3)) as analysis:
            depths = [info.depth async for info in analysis]
        assert depths[-1] == 3


async def test_cancelled_calls_are_cancelled_at_the_server() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(client.analyse, Setup("krepost"), Limit(depth=99))
            async with client.analysis(JARMO) as analysis:
                await anext(analysis)
            group.cancel_scope.cancel()
        assert (await client.play(JARMO, Limit(depth=2))).move
        with pytest.raises(EngineTimeout):
            await client.play(Setup("krepost"), Limit(depth=99), timeout=0.01)
        while server.stopped < 5:
            await client.ping()


async def test_ended_by_the_server() -> None:
    quota = Quota(searches=1, waiting=10)
    async with no_hang(), json_server(quota=quota) as server, remote(server) as client:
        async with client.analysis(Setup("krepost")) as analysis:
            await anext(analysis)
            (connection,) = server.connections
            connection.desk.close()
            # What was found is the result.
            assert (await analysis.wait()).move
        async with client.analysis(Setup("krepost")) as analysis:
            analysis.stop()
            with pytest.raises(EndedEarly):
                await analysis.wait()


async def test_tokens() -> None:
    async with no_hang(), json_server() as server:
        for token in ("wrong", None):
            with pytest.raises(EngineRefused, match="denied"):
                async with remote(server, token=token):
                    pass
    async with (
        no_hang(),
        json_server(wants_token=False) as server,
        remote(server, token=None) as client,
    ):
        assert client.client_name == ""


async def test_nobody_there() -> None:
    async with json_server() as server:
        pass
    with pytest.raises(CannotOpen, match="Connection refused"):
        async with remote(server):
            pass
    async with no_hang(), json_server() as server:
        server.refuses = True
        with pytest.raises(ConnectionLost):
            async with remote(server):
                pass
        server.refuses, server.is_deaf = False, True
        with pytest.raises(EngineTimeout):
            async with remote(server, timeout=0.1):
                pass


@pytest.mark.parametrize(
    "times", [{"keepalive": 0}, {"keepalive": -1}, {"keepalive": float("nan")}, {"grace": -1}]
)
async def test_times_that_make_no_sense(times: dict[str, float]) -> None:
    ((name, _),) = times.items()
    with pytest.raises(ValueError, match=f"^{name}: "):
        async with Remote.open_server("tcp://127.0.0.1:1", **times):  # type: ignore[arg-type]
            pass


async def test_a_server_that_is_found_again_and_silent_is_looked_for_again() -> None:
    """It took the new connection and did not answer in time: with the next one all goes on."""
    async with (
        no_hang(),
        json_server() as server,
        remote(server, resume=True, timeout=0.5) as client,
        client.analysis(Setup("krepost")) as analysis,
    ):
        await anext(analysis)
        server.is_deaf = True
        await server.cut()
        while server.accepted < 3:
            await anyio.lowlevel.checkpoint()
        server.is_deaf = False
        client.timeout = HANGS_AFTER
        assert await client.legal_moves(JARMO)
        analysis.stop()
        assert (await analysis.wait()).move
        assert client.reconnections >= 1


async def test_a_connection_that_is_cut() -> None:
    async with no_hang(), json_server() as server, remote(server) as client:
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                with pytest.raises(ConnectionLost, match="is lost"):
                    await client.analyse(Setup("krepost"), Limit(depth=99))

            for _ in range(3):
                group.start_soon(wait)
            async with client.analysis(JARMO) as analysis:
                await anext(analysis)
                await server.cut()
                with pytest.raises(ConnectionLost, match="is lost"):
                    await analysis.wait()
        with pytest.raises(ConnectionLost):
            await client.ping()


async def test_a_server_that_falls_silent() -> None:
    async with no_hang(), json_server() as server, remote(server, keepalive=0.5) as client:
        # While it answers, silence of ours is no reason to go.
        async with client.analysis(JARMO, every=3600.0) as analysis:
            with anyio.move_on_after(1.1):
                async for _ in analysis:
                    pass
            assert not analysis.is_over
        server.is_deaf = True
        with pytest.raises(ConnectionLost, match="silent"):
            await client.ping()


async def test_what_is_told_of_a_server_that_was_lost_and_not_found_again() -> None:
    """One that takes connections and closes them, as while it is killed, and one that hangs."""
    for hangs in (False, True):
        async with no_hang(), json_server() as server:
            url = f"tcp://127.0.0.1:{server.port}"
            async with (
                Remote.open_server(url, token=TOKEN, grace=1.0, timeout=HANGS_AFTER) as client,
                client.analysis(Setup("krepost")) as analysis,
            ):
                await anext(analysis)
                server.refuses, server.is_deaf = not hangs, hangs
                await server.cut()
                with pytest.raises(ConnectionLost) as caught:
                    await analysis.wait()
                assert server.accepted > 1
            if hangs:
                assert str(caught.value) == (
                    "the server was reached again, but did not answer in time"
                )
            else:
                # A session has worked without TLS, so that is not what is wrong.
                assert str(caught.value).startswith(f"the connection to 127.0.0.1:{server.port} ")
                assert "TLS" not in str(caught.value)


async def test_a_lost_connection_is_made_again() -> None:
    async with no_hang(), json_server() as server, remote(server, resume=True) as client:
        assert client.can_resume
        async with client.analysis(Setup("krepost")) as analysis:
            await anext(analysis)
            for number in range(1, 4):
                await server.cut()
                assert await client.legal_moves(JARMO)
                assert client.reconnections == number
            # The search went on all the time.
            assert server.stopped == 0
            assert not analysis.is_over
            analysis.stop()
            assert (await analysis.wait()).move
        assert server.accepted == 4


async def test_a_stop_that_was_lost_is_said_again() -> None:
    async with no_hang(), json_server() as server, remote(server, resume=True) as client:
        async with client.analysis(Setup("krepost")) as analysis:
            await anext(analysis)
            server.refuses = True
            await server.cut()
            while client._correspondence._is_connected:
                await anyio.lowlevel.checkpoint()
            analysis.stop()
            with anyio.move_on_after(0.01):
                # A call that is given up meanwhile is never made.
                await client.play(Setup("krepost"), Limit(depth=99))
            server.refuses = False
            assert (await analysis.wait()).move
        assert await client.ping() >= 0


async def test_who_comes_too_late() -> None:
    async with no_hang(), json_server(grace=0.2) as server, remote(server, resume=True) as client:
        server.refuses = True
        await server.cut()
        with pytest.raises(ConnectionLost):
            await client.ping()
    async with no_hang(), json_server() as server, remote(server, resume=True) as client:
        server.kept.clear()
        await server.cut()
        with pytest.raises(ConnectionLost, match="no_session"):
            await client.ping()


@pytest.mark.parametrize("seed", range(4))
async def test_every_answer_comes_once_whatever_is_cut_where(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections end after any number of bytes; each call is right, and none hangs."""
    monkeypatch.setattr(post, "LONGEST_PAUSE", 0.001)
    choice = random.Random(seed)
    answers: dict[int, object] = {}
    expected = Play(find_game("jarmo"), {}).legal_tokens()

    async with no_hang(), json_server() as server, remote(server, resume=True) as client:
        server.cut_after = lambda: choice.randrange(1, 9000)
        await server.cut()

        async def call(number: int) -> None:
            assert number not in answers
            if number % 3 == 0:
                result = await client.play(JARMO, Limit(depth=2))
                assert result.info.depth == 2
                assert result.move in expected
                answers[number] = result
            elif number % 3 == 1:
                answers[number] = moves = await client.legal_moves(JARMO)
                assert list(moves) == expected
            else:
                with anyio.move_on_after(choice.random() / 100):
                    await client.analyse(Setup("krepost"), Limit(depth=99))
                answers[number] = None

        calls = 0
        while client.reconnections < 25:
            async with anyio.create_task_group() as group:
                for number in range(calls, calls + 30):
                    group.start_soon(call, number)
            calls += 30
        assert len(answers) == calls
        server.cut_after = None
        await server.cut()
        await client.ping()
        # What nobody waits for any more does not go on at the server.
        while any(connection.desk._open for connection in server.connections):
            await client.ping()


async def test_more_than_the_server_keeps_answers_for() -> None:
    async with no_hang(), json_server() as server, remote(server, resume=True) as client:
        done = 0

        async def call() -> None:
            nonlocal done
            await client.legal_moves(JARMO)
            done += 1

        async with anyio.create_task_group() as group:
            for _ in range(700):
                group.start_soon(call)
        assert done == 700


async def test_closing_ends_what_is_open() -> None:
    async with no_hang(), json_server() as server:
        async with remote(server, resume=True) as client, client.analysis(JARMO) as analysis:
            await anext(analysis)
            async with anyio.create_task_group() as group:
                group.start_soon(client._post.close)
                with pytest.raises(EngineError, match="closed"):
                    await analysis.wait()
        (desk,) = server.kept.values()
        while desk._open:
            await anyio.lowlevel.checkpoint()


async def test_the_front_without_async() -> None:
    async with no_hang(), json_server() as server:

        def work() -> None:
            url = f"tcp://127.0.0.1:{server.port}"
            with SimpleRemote.open_server(url, token=TOKEN) as client:
                assert client.client_name == "tester"
                assert "Hash" in client.options
                client.configure({"Hash": 2})
                results = []

                def play() -> None:
                    results.append(client.play(JARMO, Limit(depth=3)))

                threads = [threading.Thread(target=play) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert len(results) == 4
                with client.analysis(JARMO) as analysis:
                    assert next(analysis).score is not None

        await anyio.to_thread.run_sync(work)


async def test_a_program_that_speaks_json() -> None:
    async with no_hang(), Remote.open_process(KIBITZ, timeout=HANGS_AFTER) as client:
        assert client.name == f"kibitz {VERSION}"
        assert not client.can_resume
        async with client.analysis(Setup("krepost")) as analysis:
            await anext(analysis)
            assert (await client.play(JARMO, Limit(depth=3))).move
        assert (await analysis.wait()).move
    with pytest.raises(EngineError, match="closed"):
        await client.ping()
