"""Measures a server under load: real server, real clients, each in processes of their own.

Run `python scripts/bench/server.py [SECONDS]`. It prints, one line each:

- memory for an idle connection and for an idle session without a table;
- processor time of a server with all connections open and nothing to do;
- with 200 clients that send `legal` and `play` requests without pause, two searches
  running and all other connections idle: requests a second, requests lost, and the
  round trip of `ping` on a connection of its own;
- a hundred games in one connection, played to their end;
- memory after more tables were asked for than the server's budget has.

All traffic stays on the loopback interface, and everything ends by itself. The clients
take processor time too: on a machine of two cores they and the searches share it with the
server.
"""

import argparse
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any

CONNECTIONS = 1000
BUSY = 200
BUSY_PROCESSES = 2
GAMES = 100
SESSIONS = 1000
BUDGET = 256
"""MiB for all tables of the server."""

SETTINGS = f"""
[connections]
most = {2 * CONNECTIONS}

[searches]
tables_megabytes = {BUDGET}

[quota]
connections = {2 * CONNECTIONS}
sessions = {2 * SESSIONS}
searches = 2
requests = 0
longest = 600
hash = 16
"""

REQUESTS = (
    {"type": "legal", "game": "talisman"},
    {"type": "play", "game": "jarmo", "moves": ["b1b2", "d5c4"]},
    {"type": "legal", "game": "jasir", "moves": ["b1b2"]},
    {"type": "play", "game": "talisman", "moves": ["b"]},
)


class Server:
    """A running `kibitz serve`."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        """Know its process and the port that it listens on."""
        self.port = port
        self._process = process

    def memory(self) -> int:
        """Give the bytes of real memory that it has."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def processor_time(self) -> float:
        """Give the seconds of processor time that it has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self) -> socket.socket:
        """Open a connection."""
        return open_connection(self.port)


def open_connection(port: int) -> socket.socket:
    """Open a connection to a server on this machine."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server, and end it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "kibitz.toml"
        settings.write_text(SETTINGS)
        command = [sys.executable, "-m", "kibitz.scripts.main", "serve"]
        command += ["--listen", "127.0.0.1:0", "--config", str(settings)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)  # noqa: S603 - our own
        assert process.stderr is not None
        log = iter(process.stderr)
        port = next((p for line in log if (p := _port(line)) is not None), None)
        draining = Thread(target=lambda: list(log))
        draining.start()
        try:
            if port is None:
                raise EOFError("the server did not start")
            yield Server(process, port)
        finally:
            process.terminate()
            process.wait()
            draining.join()


def _port(line: bytes) -> int | None:
    """Give the port that a line of the log says the server listens on."""
    event = json.loads(line)
    return int(event["port"]) if event["event"] == "listening" else None


class Lines:
    """A connection used by lines, one at a time."""

    def __init__(self, connection: socket.socket) -> None:
        """Read and write a connection."""
        self._connection = connection
        self._reader = connection.makefile("rb")

    def send(self, *lines: str) -> None:
        """Send lines."""
        self._connection.sendall("".join(line + "\n" for line in lines).encode())

    def send_object(self, **fields: Any) -> None:
        """Send a JSON object."""
        self.send(json.dumps(fields))

    def read(self) -> str:
        """Read a line."""
        line = self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError("the server closed the connection")
        return line[:-1].decode()

    def read_until(self, start: str) -> str:
        """Read up to a line that begins in a certain way."""
        while not (line := self.read()).startswith(start):
            pass
        return line


def be_busy(port: int, count: int, until: float, result: Connection) -> None:
    """Keep a request open on each of many connections; tell the requests and the answers."""
    selector = selectors.DefaultSelector()
    lines = [
        [json.dumps({"id": "1", **request}).encode() + b"\n" for request in REQUESTS]
        for _ in range(count)
    ]
    sent = [0] * count
    partial = [b""] * count
    answered = 0
    for number in range(count):
        connection = open_connection(port)
        selector.register(connection, selectors.EVENT_READ, number)
        connection.sendall(lines[number][0])
        sent[number] = 1
    open_requests = count
    while open_requests:
        going_on = time.monotonic() < until
        for key, _ in selector.select(timeout=10):
            number = key.data
            data = key.fileobj.recv(65536)  # type: ignore[union-attr]
            if not data:
                raise EOFError("the server closed a connection")
            whole, _, partial[number] = (partial[number] + data).rpartition(b"\n")
            for answer in whole.splitlines():
                if b'"error"' in answer:
                    raise ValueError(answer.decode())
                answered += 1
                open_requests -= 1
                if going_on:
                    key.fileobj.sendall(lines[number][sent[number] % 4])  # type: ignore[union-attr]
                    sent[number] += 1
                    open_requests += 1
    result.send((sum(sent), answered))


def be_pinging(port: int, until: float, result: Connection) -> None:
    """Send pings one after another; tell the milliseconds that each took."""
    lines = Lines(open_connection(port))
    times = []
    while time.monotonic() < until:
        begun = time.perf_counter()
        lines.send_object(id="1", type="ping")
        lines.read()
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.01)
    result.send(times)


def run_apart(target: Any, *arguments: Any) -> tuple[Any, Connection]:
    """Start a function in a process of its own; gives that, and where its result comes from."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*arguments, sending))
    process.start()
    sending.close()
    return process, receiving


def say(text: str) -> None:
    """Print a line now."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure_idle(server: Server, seconds: float) -> list[socket.socket]:
    """Open all connections that will stay idle, and measure what they cost."""
    before = server.memory()
    connections = [server.connect() for _ in range(CONNECTIONS - BUSY)]
    lines = Lines(server.connect())
    lines.send_object(id="1", type="ping")
    lines.read()
    say(f"idle connection: {(server.memory() - before) / len(connections) / 1024:.0f} KiB")
    used = server.processor_time()
    time.sleep(seconds)
    used = server.processor_time() - used
    say(f"processor time of an idle server in {seconds:.0f} s: {used * 1000:.0f} ms")
    return connections


def measure_sessions(server: Server) -> None:
    """Open many sessions in one connection, and measure what they cost."""
    lines = Lines(server.connect())
    lines.send("isready")
    lines.read()
    before = server.memory()
    for number in range(SESSIONS):
        lines.send(f"session open s{number}")
        lines.read()
    say(f"idle session: {(server.memory() - before) / SESSIONS / 1024:.0f} KiB")
    lines.send("quit")


def measure_load(server: Server, seconds: float) -> None:
    """Measure requests and pings while two searches run and many connections stay idle."""
    searching = Lines(server.connect())
    for name in ("a", "b"):
        searching.send_object(id=name, type="analyze", game="jarmo", limit={"infinite": True})
        searching.read()
    until = time.monotonic() + 2 + seconds
    share = BUSY // BUSY_PROCESSES
    busy = [run_apart(be_busy, server.port, share, until) for _ in range(BUSY_PROCESSES)]
    time.sleep(2)
    pinging = run_apart(be_pinging, server.port, until)
    totals = [receiving.recv() for _, receiving in busy]
    times = pinging[1].recv()
    for process, _ in (*busy, pinging):
        process.join()
    sent, answered = (sum(column) for column in zip(*totals, strict=True))
    say(f"requests: {sent} sent, {sent - answered} lost, {answered / (seconds + 2):.0f} a second")
    say(describe("ping under load", times))
    for name in ("a", "b"):
        searching.send_object(id=f"cancel {name}", type="cancel", target=name)
    ended = 0
    while ended < 2:
        ended += json.loads(searching.read())["type"] == "cancelled"


def describe(name: str, times: Sequence[float]) -> str:
    """Give the median, the 99th percentile and the worst of times in milliseconds."""
    centiles = statistics.quantiles(times, n=100)
    return (
        f"{name}, {len(times)} times: median {statistics.median(times):.1f} ms, "
        f"p99 {centiles[98]:.1f} ms, worst {max(times):.1f} ms"
    )


def measure_games(server: Server) -> None:
    """Play many games at once in one connection, each to its end."""
    lines = Lines(server.connect())
    names = [f"g{number}" for number in range(GAMES)]
    begun = time.perf_counter()
    for name in names:
        lines.send(f"session open {name} game jasir", f"@{name} go nodes 500")
    over: set[str] = set()
    turns = 0
    while len(over) < GAMES:
        address, _, answer = lines.read().partition(" ")
        words = answer.split()
        name = address.removeprefix("@")
        if words[0] == "bestmove" and words[1] == "(none)":
            over.add(name)
        elif words[0] == "bestmove":
            turns += 1
            lines.send(f"@{name} moves {words[1]}", f"@{name} go nodes 500")
    seconds = time.perf_counter() - begun
    say(f"{GAMES} games in one connection: {turns} turns in {seconds:.1f} s")
    lines.send("quit")


def measure_tables(server: Server) -> None:
    """Ask for three times as many tables as the budget has, and fill them."""
    lines = Lines(server.connect())
    before = server.memory()
    count = 3 * BUDGET // 16
    for number in range(count):
        lines.send(f"session open t{number}", f"@t{number} go nodes 300000")
        lines.read_until(f"@t{number} bestmove")
    grown = (server.memory() - before) >> 20
    say(f"memory for {count} sessions that searched with 16 MiB: {grown} MiB of {BUDGET}")
    lines.send("quit")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", nargs="?", type=float, default=10)
    given = parser.parse_args()
    with running_server() as server:
        idle = measure_idle(server, min(given.seconds, 5))
        measure_sessions(server)
        measure_load(server, given.seconds)
        for connection in idle:
            connection.close()
        measure_games(server)
        measure_tables(server)


if __name__ == "__main__":
    main()
