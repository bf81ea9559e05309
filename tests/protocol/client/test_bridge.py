"""The bridge as the program that it is, with a little server on the other side."""

import os
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from kibitz.protocol.client import Engine, EngineTerminated, Limit, Setup
from tests.protocol.client.programs import faulty_command, no_hang
from tests.protocol.client.relay import TOKEN, bridge, certificates, relay

pytestmark = pytest.mark.asyncio


async def run(
    *arguments: str, text: bytes = b"", token: str | None = None
) -> tuple[int, bytes, bytes]:
    """Run a bridge to its end: its status, what it wrote, and its errors."""
    variables = {k: v for k, v in os.environ.items() if k != "KIBITZ_TOKEN"}
    if token is not None:
        variables["KIBITZ_TOKEN"] = token
    done = await anyio.run_process(bridge(*arguments), input=text, env=variables, check=False)
    return done.returncode, done.stdout, done.stderr


async def test_an_engine_through_a_bridge(tmp_path: Path) -> None:
    context, ca = certificates(tmp_path, "localhost")
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    async with no_hang(), relay(tls=context) as server:
        command = bridge(
            f"localhost:{server.port}", "--tls", "--ca", str(ca), "--token-file", str(token)
        )
        async with Engine.open_process(command, timeout=60) as engine:
            assert engine.name.startswith("kibitz ")
            for game in ("jarmo", "talisman"):
                result = await engine.play(Setup(game), Limit(depth=3))
                assert result.move in await engine.legal_moves(Setup(game))
            await engine.quit()
            with pytest.raises(EngineTerminated) as ended:
                await engine.ping()
            assert (ended.value.status, ended.value.stderr) == (0, ())


@pytest.mark.parametrize(
    "text", [b"isready\ngo depth 2", b"isready\ngo depth 2\n", b"isready\ngo depth 2\nquit\n"]
)
async def test_the_end_of_input(text: bytes) -> None:
    async with no_hang(), relay() as server:
        status, output, errors = await run(f"127.0.0.1:{server.port}", text=text, token=TOKEN)
    assert (status, errors) == (0, b"")
    lines = output.splitlines()
    assert lines[0] == b"readyok"
    assert lines[-1].startswith(b"bestmove ")


async def test_without_a_token() -> None:
    async with no_hang(), relay(token=None) as server:
        status, output, errors = await run(f"127.0.0.1:{server.port}", text=b"isready")
    assert (status, output, errors) == (0, b"readyok\n", b"")


async def test_input_and_output_can_be_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("isready\nquery game\n")
    async with no_hang(), relay(token=None) as server:
        with source.open("rb") as stdin, (tmp_path / "sink").open("wb") as stdout:
            done = await anyio.run_process(
                bridge(f"127.0.0.1:{server.port}"), stdin=stdin, stdout=stdout
            )
    assert done.returncode == 0
    assert (tmp_path / "sink").read_text() == "readyok\nresponse talisman\n"


async def test_much_in_both_directions() -> None:
    """More than any buffer holds: both directions go on, and nothing is lost."""
    count = 30_000
    echo = ("sed", "-u", "/^quit$/q")
    async with no_hang(), relay(token=None, command=echo) as server:
        text = b"".join(b"line %d of many that are sent\n" % number for number in range(count))
        status, output, errors = await run(f"127.0.0.1:{server.port}", text=text)
    assert (status, errors) == (0, b"")
    assert output == text + b"quit\n"


async def one_line(status: int, output: bytes, errors: bytes, text: str) -> None:
    assert status == 1
    (line,) = errors.decode().splitlines()
    assert line.startswith("kibitz: ")
    assert text in line
    assert output.decode().splitlines()[-1].startswith("info string error internal: ")
    assert TOKEN not in line


async def test_refusals(tmp_path: Path) -> None:
    context, _ = certificates(tmp_path, "localhost")
    async with no_hang(), relay() as server:
        address = f"127.0.0.1:{server.port}"
        await one_line(*await run(address, token="wrong"), text="denied: wrong token")
        await one_line(*await run(address, "--tls", token=TOKEN), text="TLS")
    await one_line(*await run(address, token=TOKEN), text="Connection refused")
    async with no_hang(), relay(tls=context) as server:
        address = f"127.0.0.1:{server.port}"
        await one_line(*await run(address, "--tls", token=TOKEN), text="not to be trusted")
        await one_line(*await run(address, "--plain", token=TOKEN), text="at once")
    async with no_hang(), relay(greeting=b"HTTP/1.1 400 Bad Request\r\n") as server:
        answer = await run(f"127.0.0.1:{server.port}", token=TOKEN)
        await one_line(*answer, text="does not answer like a kibitz server")
    async with no_hang():
        await one_line(*await run("no..host:1"), text="no such host")


@pytest.mark.parametrize(
    ("arguments", "token", "text"),
    [
        ((), None, "HOST:PORT"),
        (("here",), None, "HOST:PORT"),
        (("here:1", "--nonsense"), None, "--nonsense"),
        (("here:1", "--plain", "--tls"), None, "--plain"),
        (("here:1", "--plain", "--ca", "x"), None, "--ca"),
        (("here:1", "--token-file", "/nothing"), None, "No such file"),
        (("here:1", "--token-file", "/dev/null"), None, "is empty"),
        (("here:1",), "two words", "KIBITZ_TOKEN"),
    ],
)
async def test_wrong_use(arguments: tuple[str, ...], token: str | None, text: str) -> None:
    async with no_hang():
        status, output, errors = await run(*arguments, token=token)
    assert (status, output) == (2, b"")
    (line,) = errors.decode().splitlines()
    assert text in line
    assert "two words" not in line


async def test_a_server_that_is_lost() -> None:
    async with no_hang(), relay(token=None) as server:
        process = await anyio.open_process(bridge(f"127.0.0.1:{server.port}"))
        async with process:
            output = await _ask(process, b"isready\n")
            assert output == b"readyok"
            await server.cut()
            assert process.stdout is not None
            assert process.stderr is not None
            errors = await BufferedByteReceiveStream(process.stderr).receive_until(b"\n", 1000)
            assert errors == f"kibitz: the connection to 127.0.0.1:{server.port} is lost".encode()
            assert (await process.stdout.receive()).startswith(b"info string error internal: ")
            assert await process.wait() == 1


async def test_a_server_that_is_lost_in_the_middle_of_a_line() -> None:
    command = ("printf", "half a line")
    async with no_hang(), relay(token=None, command=command) as server:
        process = await anyio.open_process(bridge(f"127.0.0.1:{server.port}"))
        async with process:
            assert process.stdout is not None
            first, second = (b"".join([data async for data in process.stdout])).splitlines()
            assert first == b"half a line"
            assert second.startswith(b"info string error internal: ")


async def test_a_reader_that_goes_ends_the_bridge() -> None:
    async with no_hang(), relay(token=None, command=faulty_command("endless")) as server:
        reader, writer = os.pipe()
        process = await anyio.open_process(bridge(f"127.0.0.1:{server.port}"), stdout=writer)
        os.close(writer)
        async with process:
            assert process.stdin is not None
            await process.stdin.send(b"go infinite\n")
            await anyio.wait_readable(reader)
            os.close(reader)
            assert await process.wait() == 0


async def _ask(process: Process, text: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdin.send(text)
    return await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1000)
