"""The program's ends: files, pipes and signals, with the real program."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from kibitz.protocol import stdio
from kibitz.protocol.jobs import Job
from kibitz.protocol.replies import Reply
from kibitz.protocol.service import JobOwner
from kibitz.protocol.stdio import MOST_UNWRITTEN, StdioClient
from kibitz.protocol.stdio_loop import StdioLoop
from kibitz.search.info import Outcome
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program
from tests.protocol.host import info, long_game

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


class SlowReader:
    """A client on a pipe that somebody reads when the test says so."""

    def __init__(self) -> None:
        self.source, self.sink = os.pipe()
        self.client = StdioClient(self.sink)
        self.jobs: list[tuple[JobOwner, Job]] = []
        self.client.service.run = lambda owner, job: self.jobs.append((owner, job))

    def say(self, line: str) -> None:
        for conversation, item in self.client.dialects.feed(line.encode() + b"\n"):
            conversation.receive(item)

    def fill(self) -> None:
        """Ask until nothing more would be read."""
        while not self.client.is_crowded:
            self.say("d")

    def read_all(self) -> list[str]:
        data = b""
        while self.client.unwritten:
            data += os.read(self.source, 1 << 20)
            self.client.flush()
        os.close(self.sink)
        with os.fdopen(self.source, "rb") as file:
            return (data + file.read()).decode().splitlines()


def test_slow_readers_get_all_answers_and_the_newest_progress() -> None:
    reader = SlowReader()
    reader.fill()
    assert reader.client.unwritten >= MOST_UNWRITTEN
    assert reader.client.outbox.size < MOST_UNWRITTEN // 2
    reader.say("go infinite")
    reader.say("session open a")
    reader.say("@a go infinite")
    (owner, job), (other, other_job) = reader.jobs
    first = info(1)
    sizes = []
    for depth in range(100, 200):
        second = msgspec.structs.replace(info(depth), multipv=2)
        owner.reported(job, [msgspec.structs.replace(first, depth=depth), second])
        other.reported(other_job, [info(depth)])
        sizes.append(reader.client.unwritten)
    # However much is reported, it needs no more memory than the first report did.
    assert len(set(sizes)) == 1
    reader.say("stop")
    owner.ended(job, Outcome(None, None, nodes=1, nps=1, time=1))
    reader.say("nonsense")
    lines = reader.read_all()
    assert [line.split(" score")[0] for line in lines[-7:]] == [
        "session opened a",
        "info depth 199 seldepth 1 multipv 1",
        "info depth 199 seldepth 199 multipv 2",
        "@a info depth 199 seldepth 199 multipv 1",
        "info depth 0",
        "bestmove (none)",
        "info string error bad_command: there is no command 'nonsense'; try help",
    ]


def test_a_reader_that_has_gone_is_noticed_and_costs_nothing() -> None:
    reader = SlowReader()
    told: list[bool] = []
    reader.client.notify = lambda: told.append(reader.client.outbox.is_broken)
    reader.fill()
    os.close(reader.source)
    reader.client.flush()
    assert told[-1]
    reader.say("d")
    assert reader.client.unwritten == 0
    os.close(reader.sink)


async def serve(data: bytes) -> list[str]:
    """Give what a client reads that writes `data` and then no more."""
    source, feed = os.pipe()
    drain, sink = os.pipe()
    os.write(feed, data)
    os.close(feed)
    client = StdioClient(sink)
    with os.fdopen(drain) as output, ThreadPoolExecutor(1) as reader:
        reading = reader.submit(output.read)
        try:
            with anyio.fail_after(HANGS_AFTER):
                await StdioLoop(client, source).serve(iter(()))
        finally:
            os.close(sink)
        lines = reading.result().splitlines()
    os.close(source)
    assert client.conversation is None or client.is_closing
    assert not client.service.is_busy
    assert client.service.stats().sessions == 0
    return lines


@pytest.mark.asyncio
async def test_the_loop_on_pipes_of_its_own() -> None:
    """The loop serves any two descriptors, and leaves nothing running behind."""
    lines = await serve(b"isready\ngo depth 2\ngo infinite\n")
    assert lines[0] == "readyok"
    assert sum(line.startswith("bestmove ") for line in lines) == 2
    assert lines[-1].startswith("bestmove ")


@pytest.mark.asyncio
async def test_the_loop_without_a_word() -> None:
    assert await serve(b"\n# nothing\n") == []


@pytest.mark.asyncio
async def test_the_end_of_input_waits_for_a_set_up_and_what_comes_behind() -> None:
    moves = " ".join(long_game(900))
    data = f"position startpos moves {moves}\nquery score\ngo infinite\n".encode()
    lines = await serve(data)
    assert lines[0].startswith("response ")
    assert lines[-1].startswith("bestmove ")


@pytest.mark.asyncio
async def test_the_end_of_input_stops_the_searches_of_all_sessions() -> None:
    names = ["a", "b", "c"]
    data = "".join(f"session open {name}\n@{name} go infinite\n" for name in names)
    lines = await serve(data.encode() + b"go infinite")
    answered = [line.split()[0] for line in lines if "bestmove" in line]
    assert sorted(answered) == sorted([*(f"@{name}" for name in names), "bestmove"])


class Meeting(Job):
    """A job that ends only when all of its kind run at the same time."""

    def __init__(self, barrier: threading.Barrier) -> None:
        self.barrier = barrier

    def run(self, report: Callable[[Any], None]) -> int:
        return self.barrier.wait(HANGS_AFTER)

    def stop(self) -> None:
        self.barrier.abort()

    def pause(self) -> None:
        raise NotImplementedError

    def resume(self) -> None:
        raise NotImplementedError

    def progress(self, report: Any) -> list[Reply]:
        raise NotImplementedError

    def answer(self, result: Any) -> list[Reply]:
        raise NotImplementedError


class Owner:
    def __init__(self) -> None:
        self.ends: list[tuple[int | None, BaseException | None]] = []

    def reported(self, job: Job, report: Any) -> None:
        raise NotImplementedError

    def ended(self, job: Job, result: Any, error: BaseException | None = None) -> None:
        self.ends.append((result, error))


@pytest.mark.asyncio
async def test_all_jobs_run_at_once(tmp_path: Path) -> None:
    """Also more of them than an event loop's usual number of threads."""
    count = 60
    barrier = threading.Barrier(count)
    owner = Owner()
    (tmp_path / "in").write_bytes(b"")
    source = os.open(tmp_path / "in", os.O_RDONLY)
    client = StdioClient(os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT))

    def start_all() -> None:
        for _ in range(count):
            client.service.start(owner, Meeting(barrier))

    loop = StdioLoop(client, source)
    client.service.later(start_all)
    await loop.serve(iter(()))
    assert sorted(owner.ends) == [(number, None) for number in range(count)]
    os.close(source)
    os.close(client.outbox.descriptor)


@pytest.mark.asyncio
async def test_a_job_that_cannot_begin_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kibitz.protocol.jobs.SearchJob.prepare", fail)
    lines = await serve(b"go infinite\nstop\nisready\n")
    assert lines[0].startswith("info string error internal: ZeroDivisionError")
    assert sum(line.startswith("bestmove ") for line in lines) == 1
    assert "readyok" in lines


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
