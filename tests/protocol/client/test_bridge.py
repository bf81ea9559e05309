"""The bridge as the program that it is, with a little server on the other side."""

import os
import select
import signal
import socket
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from kibitz.protocol.client import Engine, EngineTerminated, Limit, Setup
from tests.protocol.client.programs import HANGS_AFTER, KIBITZ, faulty_command, no_hang
from tests.protocol.client.relay import TOKEN, bridge, certificates, relay

pytestmark = pytest.mark.asyncio
WITH_TOKEN = os.environ | {"KIBITZ_TOKEN": TOKEN}


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


async def one_line(
    status: int, output: bytes, errors: bytes, text: str, code: str = "no_session"
) -> None:
    assert status == 1
    (line,) = errors.decode().splitlines()
    assert line.startswith("kibitz: ")
    assert text in line
    assert output.decode().splitlines()[-1] == (
        f"info string error {code}: {line.removeprefix('kibitz: ')}"
    )
    assert TOKEN not in line


async def test_refusals(tmp_path: Path) -> None:
    context, _ = certificates(tmp_path, "localhost")
    async with no_hang(), relay() as server:
        address = f"127.0.0.1:{server.port}"
        await one_line(*await run(address, token="wrong"), "denied: wrong token", "denied")
        for text in (b"", b"ugi\n", b"quit\n"):
            for hint in ("KIBITZ_TOKEN", "--token-file"):
                await one_line(*await run(address, text=text), hint, "denied")
    await one_line(*await run(address, token=TOKEN), text="Connection refused")
    async with no_hang(), relay(tls=context) as server:
        address = f"127.0.0.1:{server.port}"
        await one_line(*await run(address, "--tls", token=TOKEN), text="not to be trusted")
    for greeting in (b"HTTP/1.1 400 Bad Request\r\n", b"@kibitz-connect", b"\n", b"x" * 99_999):
        async with no_hang(), relay(greeting=greeting) as server:
            status, output, errors = await run(f"127.0.0.1:{server.port}", token=TOKEN)
            said = "at once" if greeting.startswith(b"@") else "not answer like a kibitz server"
            await one_line(status, output, errors, said)
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
        (("here:1", "--plain", "--ca", ""), None, "--ca"),
        (
            ("here:1", "--token-file", "/nothing"),
            None,
            "--token-file: /nothing: cannot be read: No",
        ),
        (("here:1", "--token-file", "/"), None, "--token-file: /: cannot be read: Is a dir"),
        (("here:1", "--token-file", ""), None, "--token-file: "),
        (
            ("here:1", "--token-file", "/dev/null"),
            None,
            "--token-file: /dev/null: its first line is",
        ),
        (("here:1", "--ca", "/nothing"), None, "--ca: /nothing: cannot be used: No such file"),
        (("here:1", "--ca", "/"), None, "--ca: /: cannot be used: Is a directory"),
        (("here:1", "--ca", ""), None, "--ca: '': cannot be used"),
        (("here:1", "--ca", "/dev/null"), None, "--ca: /dev/null: cannot be used: it holds no"),
        (("localhost:1", "--ca", __file__), None, "it holds no certificate"),
        *(
            (("here:1", "--patience", text), None, f"--patience: '{text}'")
            for text in ("", "x", "0", "nan", "inf")
        ),
        (("here:1", "--patience=-1"), None, "--patience: '-1'"),
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


async def test_an_empty_certificate_or_token_is_named_by_option_and_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xff\xfe\n")
    for option in ("--ca", "--token-file"):
        status, output, errors = await run("here:1", option, str(file))
        assert (status, output, errors.count(b"\n")) == (2, b"", 1)
        assert errors.startswith(f"kibitz: {option}: {file}: cannot be ".encode())


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
            assert (await process.stdout.receive()).startswith(b"info string error no_session: ")
            assert await process.wait() == 1


async def test_a_server_that_is_lost_in_the_middle_of_a_line() -> None:
    command = ("printf", "whole\nhalf a line")
    async with no_hang(), relay(command=command) as server:
        process = await anyio.open_process(bridge(f"127.0.0.1:{server.port}"), env=WITH_TOKEN)
        async with process:
            assert process.stdout is not None
            lines = (b"".join([data async for data in process.stdout])).splitlines()
            assert lines[:2] == [b"whole", b"half a line"]
            assert lines[2].startswith(b"info string error no_session: ")
            assert len(lines) == 3


async def test_a_reader_that_goes_ends_the_bridge() -> None:
    async with no_hang(), relay(command=faulty_command("endless")) as server:
        reader, writer = os.pipe()
        process = await anyio.open_process(
            bridge(f"127.0.0.1:{server.port}"), stdout=writer, env=WITH_TOKEN
        )
        os.close(writer)
        async with process:
            assert process.stdin is not None
            await process.stdin.send(b"go infinite\n")
            await anyio.wait_readable(reader)
            os.close(reader)
            assert await process.wait() == 0


# Silence.


@pytest.mark.parametrize("text", [b"", b"isready\n", b"go infinite\n", b"position startpos\n"])
async def test_a_server_that_says_nothing_any_more(text: bytes) -> None:
    """Whatever is owed, or nothing: it has admitted us, and then it is silent."""
    command = faulty_command("silent")
    async with no_hang(), relay(command=command) as server:
        address = f"127.0.0.1:{server.port}"
        process = await anyio.open_process(bridge(address, "--patience", "0.4"), env=WITH_TOKEN)
        async with process:
            if text:
                await _send(process, text)
            errors, output = await _rest(process)
            line = f"{address} has been silent for 0.4 seconds"
            assert errors == f"kibitz: {line}\n"
            assert output == f"info string error no_session: {line}\n"
            assert await process.wait() == 1


@pytest.mark.parametrize("text", [b"", b"isready\n", b"go infinite\nquit\n"])
async def test_a_server_that_does_not_end(text: bytes) -> None:
    async with no_hang(), relay(command=faulty_command("never-ends", "silent")) as server:
        address = f"127.0.0.1:{server.port}"
        answer = await run(address, "--patience", "0.4", text=text, token=TOKEN)
        await one_line(*answer, f"{address} did not end within 0.4 seconds after quit")


async def test_a_server_that_accepts_and_never_answers() -> None:
    """In every step of the beginning: for the question, the token, and TLS."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with no_hang(), listener:
        address = f"127.0.0.1:{listener.extra(anyio.abc.SocketAttribute.local_port)}"
        for token in (None, TOKEN):
            answer = await run(address, "--patience", "0.4", token=token)
            await one_line(*answer, f"{address}: no answer within 0.4 seconds")
        answer = await run(address, "--patience", "0.4", "--tls", token=TOKEN)
        await one_line(*answer, "no answer within 0.4 seconds; a server without TLS needs --plain")


async def test_who_answers_is_not_lost_however_long_a_search_takes() -> None:
    """The server says nothing of itself, in a search and after it, but is asked, and answers."""
    async with no_hang(), relay(command=faulty_command("pongs")) as server:
        command = bridge(f"127.0.0.1:{server.port}", "--patience", "2")
        process = await anyio.open_process(command, env=WITH_TOKEN)
        async with process:
            assert process.stdout is not None
            output = BufferedByteReceiveStream(process.stdout)
            for question, last in ((b"go\n", b"pv a b\n"), (b"stop\n", b"bestmove a\n")):
                await _send(process, question)
                await output.receive_until(last, 1000)
                before = server.pings
                while server.pings < before + 3:
                    await anyio.lowlevel.checkpoint()
            await _send(process, b"quit\n")
            assert await _rest(process) == ("", "")
            assert await process.wait() == 0


# Answers that are owed.


@pytest.mark.parametrize("end", [b"", b"quit\n"])
async def test_a_loss_after_the_end_of_input_in_a_search(end: bytes) -> None:
    """The connection is closed in good order, so that only the missing answer tells of it."""
    async with no_hang(), relay(command=faulty_command("pongs", "killed-in-go")) as server:
        address = f"127.0.0.1:{server.port}"
        answer = await run(address, text=b"go depth 9\n" + end, token=TOKEN)
        await one_line(*answer, f"the connection to {address} is lost")


# JSON lines.


@pytest.mark.parametrize("text", [b'{"id":"1","type":"ping"}\n', b'\n# hello\n  {"id"', b"{"])
async def test_json_lines_do_not_pass(text: bytes) -> None:
    async with no_hang(), relay() as server:
        answer = await run(f"127.0.0.1:{server.port}", text=text, token=TOKEN)
        await one_line(*answer, "JSON lines do not", "bad_command")


async def test_json_after_text_is_a_wrong_command() -> None:
    async with no_hang(), relay() as server:
        status, output, errors = await run(
            f"127.0.0.1:{server.port}", text=b"isready\n{}\n", token=TOKEN
        )
    assert (status, errors) == (0, b"")
    first, second = output.splitlines()
    assert first == b"readyok"
    assert second.startswith(b"info string error bad_command: ")


# Signals.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("question", [b"go infinite\n", b"isready\n", b"isready\nhalf a line"])
async def test_a_signal_does_what_it_does_to_an_engine(
    number: signal.Signals, question: bytes
) -> None:
    async with no_hang(), relay() as server:
        for command in (bridge(f"127.0.0.1:{server.port}"), KIBITZ):
            process = await anyio.open_process(command, env=WITH_TOKEN)
            async with process:
                assert process.stdout is not None
                await _send(process, question)
                # Whoever has answered heeds signals.
                await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1000)
                process.send_signal(number)
                errors, output = await _rest(process)
                lines = [line for line in output.splitlines() if not line.startswith("info ")]
                assert errors == ""
                assert [line.split()[0] for line in lines] == (
                    ["bestmove"] if question.startswith(b"go") else []
                )
                assert await process.wait() == 0


async def test_a_signal_before_the_server_has_answered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(HANGS_AFTER)
        async with no_hang():
            command = bridge(f"127.0.0.1:{listener.getsockname()[1]}")
            process = await anyio.open_process(command, env=WITH_TOKEN)
            async with process:
                connected, _ = await anyio.to_thread.run_sync(listener.accept)
                with connected:
                    assert await anyio.to_thread.run_sync(connected.recv, 1000)
                    process.terminate()
                    assert await _rest(process) == ("", "")
                    assert await process.wait() == 0


async def test_a_signal_when_nobody_reads() -> None:
    """A reader that is stuck does not keep the bridge, as it does not keep an engine."""
    async with no_hang(), relay(command=faulty_command("endless")) as server:
        reader, writer = os.pipe()
        process = await anyio.open_process(
            bridge(f"127.0.0.1:{server.port}"), stdout=writer, env=WITH_TOKEN
        )
        async with process:
            await _send(process, b"go infinite\n")
            while select.select([], [writer], [], 0)[1]:
                await anyio.lowlevel.checkpoint()
            process.terminate()
            assert await process.wait() == 0
        os.close(writer)
        os.close(reader)


async def _send(process: Process, text: bytes) -> None:
    assert process.stdin is not None
    await process.stdin.send(text)


async def _rest(process: Process) -> tuple[str, str]:
    """Read to the end: what is left of the errors and of the output."""
    texts = {"stderr": b"", "stdout": b""}

    async def read(name: str) -> None:
        async for data in getattr(process, name):
            texts[name] += data

    async with anyio.create_task_group() as group:
        for name in texts:
            group.start_soon(read, name)
    return texts["stderr"].decode(), texts["stdout"].decode()


async def _ask(process: Process, text: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdin.send(text)
    return await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1000)
