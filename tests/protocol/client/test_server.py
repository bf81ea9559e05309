"""The engine client over a connection, and sessions in it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute

from kibitz.protocol.client import (
    CannotOpen,
    ConnectionLost,
    Engine,
    EngineError,
    EngineRefused,
    EngineTimeout,
    Limit,
    Remote,
    Setup,
    SimpleEngine,
    SimpleRemote,
    engine,
)
from tests.protocol.client.programs import HANGS_AFTER, faulty, faulty_command, no_hang
from tests.protocol.client.relay import NAME, TOKEN, certificates, relay

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_server(tmp_path: Path, encrypted: bool) -> None:
    context, ca = certificates(tmp_path, "127.0.0.1")
    async with no_hang(), relay(tls=context if encrypted else None) as server:
        scheme = "tls" if encrypted else "tcp"
        async with Engine.open_server(
            f"{scheme}://127.0.0.1:{server.port}", token=TOKEN, ca=ca
        ) as engine:
            assert engine.client_name == NAME
            assert engine.name.startswith("kibitz ")
            assert (await engine.play(Setup("jarmo"), Limit(depth=3))).move
        assert server.served == 1


async def test_tokens() -> None:
    async with no_hang(), relay() as server:
        url = f"tcp://127.0.0.1:{server.port}"
        for token in ("wrong", None):
            with pytest.raises(EngineRefused, match="denied"):
                async with Engine.open_server(url, token=token):
                    pass
        with pytest.raises(ValueError, match=r"^token: it is not one word$"):
            async with Engine.open_server(url, token="two words"):
                pass


async def test_certificates(tmp_path: Path) -> None:
    context, ca = certificates(tmp_path, "elsewhere.example")
    async with no_hang(), relay(tls=context) as server:
        for trusted, text in ((None, "not to be trusted"), (ca, "not to be trusted.*127.0.0.1")):
            with pytest.raises(CannotOpen, match=text):
                async with Engine.open_server(f"tls://127.0.0.1:{server.port}", ca=trusted):
                    pass
        with pytest.raises(CannotOpen, match="No such file"):
            async with Engine.open_server(
                f"tls://127.0.0.1:{server.port}", ca=tmp_path / "nothing"
            ):
                pass
    async with no_hang(), relay() as server:
        with pytest.raises(CannotOpen, match="TLS"):
            async with Engine.open_server(f"tls://127.0.0.1:{server.port}"):
                pass


async def test_nobody_there() -> None:
    async with relay() as server:
        port = server.port
    with pytest.raises(CannotOpen, match=rf"^127\.0\.0\.1:{port}: Connection refused$"):
        async with Engine.open_server(f"tcp://127.0.0.1:{port}"):
            pass
    for url in ("127.0.0.1:1", "http://a:1", "tcp://a", "tcp://:1", "tcp://a:0", "tcp://::1:5"):
        with pytest.raises(ValueError, match="HOST:PORT"):
            async with Engine.open_server(url):
                pass


async def test_a_server_that_says_nothing() -> None:
    async with no_hang(), relay(token=None, command=faulty_command("silent")) as server:
        with pytest.raises(EngineTimeout):
            async with Engine.open_server(f"tcp://127.0.0.1:{server.port}", timeout=0.2):
                pass


Opener = Callable[..., AbstractAsyncContextManager[Engine | Remote]]
SimpleOpener = Callable[..., AbstractContextManager[SimpleEngine | SimpleRemote]]


@pytest.mark.parametrize("token", [None, TOKEN])
@pytest.mark.parametrize("opened", [Engine.open_server, Remote.open_server])
async def test_a_server_that_accepts_and_never_answers(
    opened: Opener, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One time-out is enough: there is no patience with its answer to `quit`."""
    monkeypatch.setattr(engine, "PATIENCE", 1000 * HANGS_AFTER)
    async with no_hang(), silent_server() as port:
        with pytest.raises(EngineTimeout, match=r"within 0\.2 seconds"):
            async with opened(f"tcp://127.0.0.1:{port}", token=token, timeout=0.2):
                pass


@pytest.mark.parametrize("opened", [SimpleEngine.open_server, SimpleRemote.open_server])
async def test_the_same_without_async(opened: SimpleOpener) -> None:
    def work(port: int) -> None:
        with pytest.raises(EngineTimeout), opened(f"tcp://127.0.0.1:{port}", timeout=0.2):
            pass

    async with no_hang(), silent_server() as port:
        await anyio.to_thread.run_sync(work, port)


@pytest.mark.parametrize("end", [None, Engine.quit, Engine.close])
@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_server_that_falls_silent(
    end: Callable[[Engine], Awaitable[None]] | None, encrypted: bool, tmp_path: Path
) -> None:
    """What is asked then, and the end in whatever way, are told by our own exceptions."""
    context, ca = certificates(tmp_path, "127.0.0.1")
    command = faulty_command("stalls-in-go")
    async with no_hang(), relay(command=command, tls=context if encrypted else None) as server:
        scheme = "tls" if encrypted else "tcp"
        url = f"{scheme}://127.0.0.1:{server.port}"
        async with Engine.open_server(url, token=TOKEN, ca=ca) as engine:
            engine.timeout = 0.2
            with pytest.raises(EngineTimeout):
                await engine.play(Setup(), Limit(depth=1), timeout=0.2)
            with pytest.raises(EngineTimeout):
                await engine.ping()
            if end is not None:
                await end(engine)
                with pytest.raises(ConnectionLost):
                    await engine.ping()


async def _infos(engine: Engine) -> None:
    async with engine.analysis(Setup()) as analysis:
        async for _ in analysis:
            pass


async def _wait(engine: Engine) -> None:
    async with engine.analysis(Setup()) as analysis:
        await analysis.wait()


async def _depth(engine: Engine) -> None:
    await engine.analyse(Setup(), Limit(depth=1))


async def _time(engine: Engine) -> None:
    await engine.play(Setup(), Limit(time=1000 * HANGS_AFTER))


async def _ponder(engine: Engine) -> None:
    await (await engine.ponder(Setup(), Limit(depth=1))).wait()


async def _hurry(engine: Engine) -> None:
    """Lower the time for answers when the search has begun, after which there is none."""
    while all(dialogue.search is None for dialogue in engine._wire.dialogues.values()):
        await anyio.lowlevel.checkpoint()
    engine.timeout = 0.1


async def _session(engine: Engine) -> None:
    async with engine.session("one") as session:
        await _infos(session)


@pytest.mark.parametrize("waits", [_infos, _wait, _depth, _time, _ponder, _session])
async def test_who_waits_for_a_silent_server_is_told(
    waits: Callable[[Engine], Awaitable[None]],
) -> None:
    """However it is waited for, and then also what is asked afterwards; closing does not hang."""
    command = faulty_command("stalls-in-go", "sessions")
    async with no_hang(), relay(command=command) as server:
        address = f"127.0.0.1:{server.port}"
        url = f"tcp://{address}"
        async with (
            Engine.open_server(url, token=TOKEN, keepalive=0.2, timeout=HANGS_AFTER) as engine,
            anyio.create_task_group() as group,
        ):
            group.start_soon(_hurry, engine)
            text = rf"^{address} has been silent for 0\.3 seconds$"
            for ask in (partial(waits, engine), engine.ping, partial(waits, engine)):
                with pytest.raises(ConnectionLost, match=text):
                    await ask()


async def test_the_same_silence_without_async() -> None:
    def work(port: int) -> None:
        url = f"tcp://127.0.0.1:{port}"
        with (
            SimpleEngine.open_server(url, token=TOKEN, keepalive=0.2) as engine,
            engine.analysis(Setup()) as analysis,
        ):
            engine.timeout = 0.1
            with pytest.raises(ConnectionLost, match="silent"):
                list(analysis)

    async with no_hang(), relay(command=faulty_command("stalls-in-go")) as server:
        await anyio.to_thread.run_sync(work, server.port)


async def test_who_answers_is_not_lost_however_long_a_search_says_nothing() -> None:
    async with no_hang(), relay(command=faulty_command()) as server:
        url = f"tcp://127.0.0.1:{server.port}"
        async with Engine.open_server(url, token=TOKEN, keepalive=0.05) as engine:
            engine.timeout = HANGS_AFTER
            async with engine.analysis(Setup()) as analysis:
                while not analysis.lines:
                    await anext(analysis)
                heard = engine._dialogue.heard
                while engine._dialogue.heard < heard + 5:
                    await anyio.lowlevel.checkpoint()
                assert not analysis.is_over
                analysis.stop()
                assert (await analysis.wait()).move == "a"


async def test_nothing_is_asked_while_nothing_is_waited_for() -> None:
    async with no_hang(), relay(command=faulty_command()) as server:
        url = f"tcp://127.0.0.1:{server.port}"
        async with Engine.open_server(url, token=TOKEN, keepalive=0.01) as engine:
            await engine.ping()
            heard = engine._dialogue.heard
            await anyio.sleep(0.2)
            assert engine._dialogue.heard == heard
            assert (await engine.play(Setup(), Limit(depth=1))).move == "a"


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
@pytest.mark.parametrize("opened", [Engine.open_server, Remote.open_server])
async def test_a_keepalive_that_makes_no_sense(opened: Opener, seconds: float) -> None:
    with pytest.raises(ValueError, match=r"^keepalive: .* is not a time to be silent$"):
        async with opened("tcp://127.0.0.1:1", keepalive=seconds):
            pass


@asynccontextmanager
async def silent_server() -> AsyncIterator[int]:
    """A server that accepts connections, and no more; gives its port."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as group:

        async def keep(stream: ByteStream) -> None:
            async with stream:
                await anyio.sleep_forever()

        group.start_soon(listener.serve, keep)
        yield listener.extra(SocketAttribute.local_port)
        group.cancel_scope.cancel()


async def test_a_connection_that_is_cut() -> None:
    async with (
        no_hang(),
        relay() as server,
        Engine.open_server(f"tcp://127.0.0.1:{server.port}", token=TOKEN) as engine,
    ):
        async with engine.analysis(Setup("krepost")) as analysis:
            await anext(analysis)
            await server.cut()
            with pytest.raises(ConnectionLost, match=f"127.0.0.1:{server.port} is lost"):
                await analysis.wait()
        with pytest.raises(ConnectionLost):
            await engine.ping()


async def test_the_front_without_async() -> None:
    async with no_hang(), relay() as server:

        def play() -> str | None:
            url = f"tcp://127.0.0.1:{server.port}"
            with SimpleEngine.open_server(url, token=TOKEN) as engine:
                return engine.play(Setup("talisman"), Limit(depth=2)).move

        assert await anyio.to_thread.run_sync(play)


async def test_sessions() -> None:
    async with no_hang(), faulty("sessions") as engine:
        async with engine.session("one") as one, engine.session("two") as two:
            assert one.options.keys() == engine.options.keys()
            async with one.analysis(Setup()) as first, two.analysis(Setup()) as second:
                await anext(first)
                await anext(second)
                assert (await engine.play(Setup(), Limit(depth=1))).move == "a"
                second.stop()
                assert (await second.wait()).move == "a"
                assert not first.is_over
            with pytest.raises(ValueError, match="already"):
                async with engine.session("two"):
                    pass
        with pytest.raises(EngineError, match="session one is closed"):
            await one.ping()
        with pytest.raises(EngineRefused, match="over_limit"):
            async with engine.session("taken"):
                pass
        assert await engine.legal_moves(Setup()) == ("a", "b")
        async with engine.session("one") as one:
            assert await one.legal_moves(Setup()) == ("a", "b")


async def test_who_waits_when_a_session_is_closed() -> None:
    async with no_hang(), faulty("sessions") as engine, anyio.create_task_group() as group:
        waits = anyio.Event()

        async def wait(session: Engine) -> None:
            async with session.analysis(Setup()) as analysis:
                await anext(analysis)
                waits.set()
                with pytest.raises(EngineError, match="closed"):
                    await analysis.wait()

        async with engine.session("one") as one:
            group.start_soon(wait, one)
            await waits.wait()
