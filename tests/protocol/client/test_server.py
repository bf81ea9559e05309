"""The engine client over a connection, and sessions in it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
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
