import json
import os
import subprocess
import sys

import pytest

from kibitz.protocol.logs import MOST_TEXT, make_logger
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM


class Pipe:
    def __init__(self) -> None:
        self.source, self.sink = os.pipe()
        os.set_blocking(self.source, False)

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in os.read(self.source, 1 << 20).splitlines()]

    def close(self) -> None:
        os.close(self.source)
        os.close(self.sink)


@pytest.fixture
def pipe() -> "Pipe":
    return Pipe()


def test_a_line_an_event(pipe: Pipe) -> None:
    log = make_logger("info", pipe.sink)
    log.debug("not wanted")
    log.info("listening", port=1, tls=False)
    log.bind(client="ann").warning("refused", why='line\nbreak "quoted" \udcff')
    first, second = pipe.lines()
    assert list(first) == ["time", "level", "event", "port", "tls"]
    assert (first["level"], first["event"], first["port"]) == ("info", "listening", 1)
    assert str(first["time"]).endswith("Z")
    assert second["client"] == "ann"
    assert str(second["why"]).startswith('line\nbreak "quoted"')
    pipe.close()


def test_long_values_are_cut(pipe: Pipe) -> None:
    make_logger("info", pipe.sink).info("event", text="x" * 1_000_000)
    (line,) = pipe.lines()
    assert line["text"] == "x" * MOST_TEXT
    pipe.close()


def test_nobody_waits_for_a_reader_of_the_log(pipe: Pipe) -> None:
    log = make_logger("info", pipe.sink)
    for number in range(3000):
        log.info("event", text="x" * 300, number=number)
    read = 0
    while lines := pipe.lines():
        read += len(lines)
        assert all(line["text"] == "x" * 300 for line in lines)
        log.info("again", text="x" * 300)
        (again,) = pipe.lines()
        assert again["dropped"] == 3000 - read
        break
    log.info("last", text="")
    (last,) = pipe.lines()
    assert "dropped" not in last
    pipe.close()


def test_a_log_that_nobody_reads_any_more() -> None:
    pipe = Pipe()
    os.close(pipe.source)
    make_logger("info", pipe.sink).info("event")
    os.close(pipe.sink)


def test_an_engine_on_stdio_can_log() -> None:
    done = subprocess.run(
        [*PROGRAM, "--log-level", "debug"],
        input=b"ugi\ngo depth 2\n",
        capture_output=True,
        timeout=HANGS_AFTER,
        check=True,
    )
    events = [json.loads(line)["event"] for line in done.stderr.splitlines()]
    assert events == ["started", "job_started", "stopping", "job_ended", "stopped"]
    assert b"\nbestmove " in done.stdout


def test_an_engine_on_stdio_loads_no_logs() -> None:
    code = (
        "import sys, kibitz.scripts.main, kibitz.protocol.stdio, kibitz.protocol.stdio_loop;"
        "print({'structlog', 'logging'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"structlog" not in done.stdout
