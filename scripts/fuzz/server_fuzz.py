"""Says nonsense to a real server, on many connections at once, and sees what that does to it.

Run `python scripts/fuzz/server_fuzz.py CONNECTIONS [--seconds S] [--seed N]`. Each connection
says mutated dialogues or rubbish in random pieces, and then ends in a random way, most of
them abruptly. At the end the server has to answer, to have nothing left of all that, to have
no more memory than it should, and to have noted no bug in its log. All traffic stays on the
loopback interface.
"""

import argparse
import errno
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kibitz.scripts.fuzz.conversations import conversations

TOKEN = "a-token-of-this-fuzzer"  # noqa: S105 - it guards nothing
CLIENTS = 8
PATIENCE = 30.0
MOST_GROWTH = 96 << 20
"""The bytes of memory that the server may have more than at its start: tables, and heap."""

ENDED = (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN)

SETTINGS = """
grace_seconds = 0.2
[connections]
handshake_seconds = 2
stuck_seconds = 2
[searches]
tables_megabytes = 32
[quota]
connections = 100
sessions = 20
searches = 4
waiting = 10
hash = 4
requests = 0
longest = 2
"""

HELLO = b'{"id": "h", "type": "hello", "token": "%s", "resume": %s}\n'


class Fault(Exception):  # noqa: N818 - what a fuzzer looks for
    """Something that a server must not do."""


class Server:
    """A running server, and what it notes."""

    def __init__(self, settings: Path) -> None:
        command = [sys.executable, "-m", "kibitz.scripts.main", "serve"]
        command += ["--listen", "127.0.0.1:0", "--config", str(settings)]
        self.process = subprocess.Popen(  # noqa: S603 - it is our own program
            command, stderr=subprocess.PIPE, env=os.environ | {"KIBITZ_TOKENS": f"ann={TOKEN}"}
        )
        self.ends: Counter[str] = Counter()
        self.bugs: list[str] = []
        self._log = self._events()
        self.port: int = next(e["port"] for e in self._log if e["event"] == "listening")
        self._reader = threading.Thread(target=self._follow)
        self._reader.start()

    def _events(self) -> Iterator[dict[str, Any]]:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            try:
                event: dict[str, Any] = json.loads(line)
            except ValueError:
                self.bugs.append(line.decode(errors="replace"))
                continue
            yield event

    def _follow(self) -> None:
        for event in self._log:
            if event["event"] == "disconnected":
                self.ends[event["why"]] += 1
            elif event["event"] == "internal_error" or event.get("level") == "error":
                self.bugs.append(str(event))

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def stats(self) -> dict[str, Any]:
        """Ask a known client's question, and give the answer."""
        with self.connect() as connection, connection.makefile("rb") as lines:
            connection.sendall(HELLO % (TOKEN.encode(), b"false"))
            connection.sendall(b'{"id": "s", "type": "stats"}\n')
            lines.readline()
            answer: dict[str, Any] = json.loads(lines.readline())
            return answer

    def stop(self) -> None:
        """Stop the server."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._reader.join()
        if status:
            raise Fault(f"the server ended with status {status}")


class Talker:
    """Says things on one connection after the other."""

    def __init__(self, server: Server, chance: random.Random, said: list[bytes]) -> None:
        self._server = server
        self._chance = chance
        self._said = said
        self.tried = 0
        self.said_bytes = 0
        self.heard_bytes = 0

    def talk(self) -> None:
        """Make a connection, and end it."""
        self.tried += 1
        with self._server.connect() as connection:
            try:
                for piece in self._pieces():
                    connection.sendall(piece)
                    self.said_bytes += len(piece)
                    if self._chance.random() < 0.1:
                        self._hear_now(connection)
                self._end(connection)
            except OSError as error:
                # A server may end a connection at any time; to leave one hanging it may not.
                if error.errno not in ENDED:
                    raise

    def _hear_now(self, connection: socket.socket) -> None:
        if select.select([connection], [], [], 0)[0]:
            self._hear(connection.recv(4096))

    def _pieces(self) -> Iterator[bytes]:
        """Give what to say, in pieces."""
        chance = self._chance
        data = b"".join(self._lines())
        while data:
            size = chance.choice([1, 7, 100, 5000, 100_000])
            yield data[:size]
            data = data[size:]
            if chance.random() < 0.001:
                time.sleep(0.01)

    def _lines(self) -> Iterator[bytes]:
        chance = self._chance
        token = TOKEN.encode() if chance.random() < 0.95 else b"wrong"
        is_json = chance.random() < 0.5
        if is_json:
            yield HELLO % (token, chance.choice([b"true", b"false"]))
        elif chance.random() < 0.95:
            yield b"auth " + token + b"\n"
        for _ in range(chance.choice([1, 1, 2, 5])):
            said = chance.choice([s for s in self._said if s.startswith(b"{") == is_json])
            for line in said.splitlines(keepends=True):
                # Most conversations should not end at their first `quit`.
                if line.strip() == b"quit" and chance.random() < 0.9:
                    continue
                yield self._mutated(line) if chance.random() < 0.15 else line
        if chance.random() < 0.05:
            yield chance.randbytes(chance.choice([10, 1000, 100_000]))
        if chance.random() < 0.02:
            yield b"d\n" * 5000 if not is_json else b" " * 200_000

    def _mutated(self, line: bytes) -> bytes:
        chance = self._chance
        start, end = sorted(chance.randint(0, len(line)) for _ in range(2))
        kind = chance.randrange(4)
        if kind == 0:
            return line[:start] + chance.randbytes(chance.randint(0, 4)) + line[end:]
        if kind == 1:
            return line[:start] + line[start:end] * chance.randint(2, 50) + line[end:]
        if kind == 2:
            return (
                line[:start] + chance.choice([b"-1", b"99999999999999999999", b"null"]) + line[end:]
            )
        return line[:start] + line[end:]

    def _end(self, connection: socket.socket) -> None:
        chance = self._chance
        how = chance.random()
        if how < 0.4:
            # Reset, with whatever was not read.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how < 0.6:
            time.sleep(chance.random() * 0.05)
        else:
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(PATIENCE)
            while data := connection.recv(1 << 16):
                self._hear(data)

    def _hear(self, data: bytes) -> None:
        self.heard_bytes += len(data)
        if b"error internal" in data or b'"code":"internal"' in data:
            raise Fault(f"the server answers {data!r}")


class Crowd:
    """Clients in threads of their own, until there were enough connections or the time is up."""

    def __init__(self, server: Server, seed: int, count: int, seconds: float) -> None:
        said = conversations()
        self.talkers = [
            Talker(server, random.Random(f"{seed} {n}"), said)  # noqa: S311 - no secret
            for n in range(CLIENTS)
        ]
        self.faults: list[str] = []
        self._each = -(-count // CLIENTS)
        self._until = time.monotonic() + seconds

    def run(self) -> None:
        """Say it all."""
        threads = [threading.Thread(target=self._talk, args=(t,)) for t in self.talkers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _talk(self, talker: Talker) -> None:
        try:
            while talker.tried < self._each and time.monotonic() < self._until:
                talker.talk()
        except (Fault, OSError) as error:
            self.faults.append(f"connection {talker.tried}: {error!r}")

    def total(self, name: str) -> int:
        """Add up a count of all clients."""
        return sum(getattr(talker, name) for talker in self.talkers)


def settled(server: Server) -> dict[str, Any]:
    """Wait until nothing is left of other connections, and give the last statistics."""
    until = time.monotonic() + PATIENCE
    while True:
        stats = server.stats()
        left = (stats["connections"] - 1, stats["sessions"], stats["running"], stats["waiting"])
        if left == (0, 0, 0, 0):
            return stats
        if time.monotonic() > until:
            raise Fault(f"this is left: {stats}")
        time.sleep(0.1)


def main() -> int:
    """Fuzz a server, and say what came of it."""
    parser = argparse.ArgumentParser(description="Fuzz a real server.")
    parser.add_argument("connections", type=int)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "kibitz.toml"
        settings.write_text(SETTINGS)
        server = Server(settings)
        try:
            before = server.stats()["memory"]
            crowd = Crowd(server, given.seed, given.connections, given.seconds)
            crowd.run()
            faults = crowd.faults
            after = settled(server)["memory"]
            if after - before > MOST_GROWTH:
                faults.append(f"memory grew from {before} to {after} bytes")
        finally:
            server.stop()
    faults += server.bugs
    lines = [
        f"connections tried: {crowd.total('tried')}",
        f"bytes said: {crowd.total('said_bytes')}, heard: {crowd.total('heard_bytes')}",
        f"memory in MiB: {before >> 20} before, {after >> 20} after",
        *(f"ended {count} times: {why}" for why, count in server.ends.most_common()),
        *(f"fault: {fault}" for fault in faults),
    ]
    sys.stdout.write("".join(line + "\n" for line in lines))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
