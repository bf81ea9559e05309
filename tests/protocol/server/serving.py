"""A real server in a process of its own, and clients that talk to it by real sockets.

Nothing waits for a fixed time: a client waits for lines, a test for events in the log. The
time limits are there so that a server that hangs fails the test.
"""

import contextlib
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import threading
from pathlib import Path
from typing import Any, Self

import trustme

from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program

Message = dict[str, Any]


class Client:
    """A connection of a client that does one thing after another."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(HANGS_AFTER)
        self.socket = connected
        self._lines = connected.makefile("rb")
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def send(self, data: str | bytes) -> None:
        """Send bytes, or a line."""
        self.socket.sendall(data if isinstance(data, bytes) else data.encode() + b"\n")

    def line(self) -> str | None:
        """Read a line; None at the end."""
        line = self._lines.readline().decode()
        assert not line or line.endswith("\n")
        return line[:-1] if line else None

    def lines(self, last: str) -> list[str]:
        """Read lines up to one that begins so."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(last):
            line = self.line()
            assert line is not None, f"the connection ended after {lines}"
            lines.append(line)
        return lines

    def rest(self) -> list[str]:
        """Read all lines to the end."""
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        return lines

    def ask_line(self, line: str) -> str | None:
        """Send a line and read one."""
        self.send(line)
        return self.line()

    # JSON lines.

    def post(self, kind: str, **fields: Any) -> str:
        """Send a request; gives its id."""
        self._asked += 1
        request_id = str(fields.pop("id", f"{kind} {self._asked}"))
        self.send(json.dumps({"id": request_id, "type": kind, **fields}))
        return request_id

    def message(self) -> Message:
        """Read the next message."""
        line = self.line()
        assert line is not None, "the connection ended"
        message: Message = json.loads(line)
        return message

    def final(self, request_id: str) -> Message:
        """Read to the final answer of a request."""
        while True:
            message = self.message()
            if message.get("id") == request_id and message["type"] != "info":
                return message

    def ask(self, kind: str, **fields: Any) -> Message:
        """Send a request and read to its final answer."""
        return self.final(self.post(kind, **fields))

    def analyze(self, **fields: Any) -> str:
        """Begin a search without end; returns when its first info has come."""
        request_id = self.post("analyze", game="talisman", limit={"infinite": True}, **fields)
        while (message := self.message()).get("id") != request_id:
            pass
        assert message["type"] == "info", message
        return request_id

    # Ends.

    def end_input(self) -> None:
        """Send no more, and go on reading."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Break the connection off."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._lines.close()
            self.socket.close()


class Serving:
    """A server that runs as long as the `with` lasts."""

    program: tuple[str, ...] = (*PROGRAM, "serve")

    def __init__(
        self, *arguments: str, settings: str = "", folder: Path | None = None, **variables: str
    ) -> None:
        given = list(arguments)
        if "--listen" not in given:
            given += ["--listen", "127.0.0.1:0"]
        if settings:
            assert folder is not None
            path = folder / "kibitz.toml"
            path.write_text(settings)
            path.chmod(0o600)
            given += ["--config", str(path)]
        self.process = subprocess.Popen(
            [*self.program, *given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | variables,
        )
        self._clients: list[Client] = []
        self.log: list[Message] = []
        self._logged = threading.Condition()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._guard = threading.Timer(HANGS_AFTER, self.process.kill)
        self._guard.daemon = True
        self._guard.start()

    def __enter__(self) -> Self:
        try:
            self.port: int = self.event("listening")["port"]
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.cancel()
        for client in self._clients:
            client.close()
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._logged:
                self.log.append(json.loads(line))
                self._logged.notify_all()
        with self._logged:
            self.log.append({"event": "END"})
            self._logged.notify_all()

    def event(self, name: str, **values: Any) -> Message:
        """Wait for an event with these values, and give it."""

        def found() -> Message | None:
            for event in self.log:
                if event["event"] == name and values.items() <= event.items():
                    return event
            assert self.log[-1:] != [{"event": "END"}], f"the server ended: {self.log}"
            return None

        with self._logged:
            event = self._logged.wait_for(found, HANGS_AFTER)
        assert event is not None, f"no {name} in {self.log}"
        return event

    def connect(self, context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Client:
        connected = socket.create_connection((host, self.port), HANGS_AFTER)
        if context is not None:
            try:
                connected = context.wrap_socket(connected, server_hostname="localhost")
            except OSError:
                connected.close()
                raise
        client = Client(connected)
        self._clients.append(client)
        return client

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop the server; gives its exit status."""
        self.process.send_signal(number)
        return self.process.wait(HANGS_AFTER)

    def finish(self) -> None:
        """Stop the server, in which nothing must have gone wrong."""
        for client in self._clients:
            client.close()
        assert self.stop() == 0
        self._reader.join()
        assert "internal_error" not in [event["event"] for event in self.log]


class Certificates:
    """A certificate of `localhost` in files, and a client's context that trusts it.

    `authority` is the file that a client can be told to trust.
    """

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        issued = authority.issue_cert("localhost")
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(self.key)
        self.authority = folder / "authority.pem"
        authority.cert_pem.write_to_path(str(self.authority))
        self.client = ssl.create_default_context()
        authority.configure_trust(self.client)
        self.arguments = ("--certificate", str(self.certificate), "--key", str(self.key))


class Bridge(Program):
    """What a board program starts in the place of an engine: `kibitz connect` to a server."""

    def __init__(self, serving: Serving, *arguments: str, token: str = "") -> None:
        variables = {"KIBITZ_TOKEN": token} if token else {}
        super().__init__(("connect", f"localhost:{serving.port}", *arguments), **variables)

    def read_to(self, *first: str) -> list[str]:
        """Read lines up to one that begins so."""
        lines = [self.read()]
        while not lines[-1].startswith(first):
            lines.append(self.read())
        return lines

    def lost(self) -> tuple[int, list[str], str]:
        """Read to the end, which nobody asked for: the status, the last lines, and the error."""
        lines = []
        while self.peek() is not None:
            lines.append(self.read())
        status = self.process.wait(HANGS_AFTER)
        assert self.process.stderr is not None
        return status, lines, self.process.stderr.read().decode()
