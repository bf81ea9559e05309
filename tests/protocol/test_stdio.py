"""The program's ends: files, pipes and signals, with the real program."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kibitz.protocol import stdio
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.replies import BestMove, Fault, Progress
from kibitz.protocol.stdio import MOST_UNWRITTEN, TextClient
from kibitz.protocol.stdio_loop import StdioLoop
from kibitz.search.info import Score
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program

pytestmark = pytest.mark.filterwarnings("error")


def run(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments], input=data, capture_output=True, timeout=HANGS_AFTER, check=False
    )


def test_nothing_at_all() -> None:
    done = run(b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_everything_in_one_piece() -> None:
    done = run(
        b"ugi\nsetoption name Game value talisman\nisready\nposition startpos\ngo movetime 1000\n"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[-1].startswith("bestmove ")
    assert lines[-1].split()[1] in "abcdghlmpqrs"
    assert lines.count("readyok") == 1


def test_input_that_cannot_be_read(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    done = subprocess.run(
        PROGRAM, stdin=descriptor, capture_output=True, timeout=HANGS_AFTER, check=False
    )
    os.close(descriptor)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_pipes_that_do_not_wait() -> None:
    """Some programs give their children descriptors in non-blocking mode."""
    source, feed = os.pipe()
    drain, sink = os.pipe()
    os.set_blocking(source, False)
    os.set_blocking(sink, False)
    with subprocess.Popen(PROGRAM, stdin=source, stdout=sink, stderr=subprocess.PIPE) as process:
        os.close(source)
        os.close(sink)
        os.write(feed, b"ugi\n")
        with os.fdopen(drain) as output:
            while output.readline() != "ugiok\n":
                assert process.poll() is None
            os.write(feed, b"isready\n")
            assert output.readline() == "readyok\n"
            os.write(feed, b"d\n" * 500 + b"isready\n")
            while output.readline() != "readyok\n":
                assert process.poll() is None
            os.close(feed)
            assert process.wait(HANGS_AFTER) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_files_at_both_ends(tmp_path: Path) -> None:
    script = tmp_path / "in"
    script.write_bytes(b"isready\nquery game\n" * 10_000 + b"go infinite")
    with script.open("rb") as source, (tmp_path / "out").open("wb") as sink:
        status = subprocess.run(
            PROGRAM, stdin=source, stdout=sink, timeout=HANGS_AFTER, check=False
        ).returncode
    lines = (tmp_path / "out").read_text().splitlines()
    assert status == 0
    assert lines[:20_000] == ["readyok", "response talisman"] * 10_000
    assert lines[-1].startswith("bestmove ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_search(number: signal.Signals) -> None:
    with Program() as program:
        program.send("go infinite")
        program.peek()
        program.process.send_signal(number)
        while program.read().startswith("info depth"):
            pass
        assert program.finish() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_idle(number: signal.Signals) -> None:
    with Program() as program:
        assert program.ask("isready") == "readyok"
        program.process.send_signal(number)
        assert program.finish() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("thousandths", range(0, 200, 20))
def test_a_signal_while_the_loop_is_loaded(number: signal.Signals, thousandths: int) -> None:
    """At any moment after the handshake, in the middle of an import too, it is a quiet end."""
    with Program() as program:
        program.send("ugi")
        while program.read() != "ugiok":
            pass
        # This waits for nothing: whatever moment is hit, the outcome is the same.
        time.sleep(thousandths / 1000)
        program.process.send_signal(number)
        assert program.finish() == 0


@pytest.mark.parametrize("command", ["go infinite", "perft 50", "bench 50", "isready"])
def test_a_reader_that_goes(command: str) -> None:
    with Program() as program:
        program.send("isready")
        assert program.read() == "readyok"
        assert program.process.stdout is not None
        program.process.stdout.close()
        program.send(command)
        # A search that says nothing does not notice; the next answer does.
        program.send("isready")
        assert program.process.wait(HANGS_AFTER) == 0
        assert program.process.stderr is not None
        assert program.process.stderr.read() == b""


def test_a_reader_that_does_not_read() -> None:
    """Much more is asked than pipes hold; all is answered once somebody reads."""
    rounds = 3000
    with Program() as program:
        source = program.process.stdin
        assert source is not None
        os.set_blocking(source.fileno(), False)
        data = b"d\n" * rounds + b"go depth 3\nisready\n"
        # As much as the program takes without being read; then it must stop reading.
        sent = 0
        while sent < len(data):
            try:
                sent += os.write(source.fileno(), data[sent : sent + 512])
            except BlockingIOError:
                break
        os.set_blocking(source.fileno(), True)
        boards = 0
        while boards < rounds and sent >= 2 * (boards + 1):
            boards += program.read().startswith("legal moves")
        program.send(data[sent:])
        while (line := program.read()) != "readyok":
            boards += line.startswith("legal moves")
            if line.startswith("bestmove"):
                break
        assert boards == rounds


def test_closed_before_the_start() -> None:
    for closed in ("<&-", ">&-"):
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM],
            input=b"isready\n" if closed[0] == ">" else None,
            capture_output=True,
            timeout=HANGS_AFTER,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_progress_is_dropped_for_slow_readers_and_answers_are_not() -> None:
    source, sink = os.pipe()
    client = TextClient(sink)
    client.outbox.put(b"x" * (MOST_UNWRITTEN + 1_000_000))
    client.outbox.flush()
    unwritten = client.outbox.size
    client.send(Progress(score=Score(cp=1), depth=1))
    assert client.outbox.size == unwritten > MOST_UNWRITTEN
    assert client.is_crowded
    client.send(Progress(score=Score(cp=1), depth=1, last=True))
    client.send(BestMove("a"))
    client.send(Fault(ErrorCode.INTERNAL, "x"))
    assert client.outbox.size > unwritten
    os.close(source)
    client.send(BestMove("a"))
    assert client.outbox.is_broken
    os.close(sink)


@pytest.mark.asyncio
async def test_the_loop_on_pipes_of_its_own() -> None:
    """The loop serves any two descriptors, and leaves nothing running behind."""
    source, feed = os.pipe()
    drain, sink = os.pipe()
    os.write(feed, b"isready\ngo depth 2\ngo infinite\n")
    os.close(feed)
    client = TextClient(sink)
    await StdioLoop(client, source).serve([])
    os.close(sink)
    with os.fdopen(drain) as output:
        lines = output.read().splitlines()
    os.close(source)
    assert lines[0] == "readyok"
    assert sum(line.startswith("bestmove ") for line in lines) == 2
    assert lines[-1].startswith("bestmove ")
    assert client.hub.is_closing


def test_streams_that_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert stdio.run() == 0


def test_a_handshake_loads_no_event_loop() -> None:
    """The start would take twice as long; argparse is only for the commands for people."""
    code = (
        "import sys, kibitz.scripts.main, kibitz.protocol.stdio, kibitz.protocol.options as o;"
        "o.all_options(); print({'anyio', 'asyncio', 'argparse'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"set()\n"
