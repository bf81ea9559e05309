"""Clients that do everything wrong, and a server that goes on serving the others."""

import contextlib
import random
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.protocol.dialogue import HANGS_AFTER
from tests.protocol.server.serving import Certificates, Client, Serving

TOKEN = "a-long-and-secret-word"

ONE_CORE = "searches = { cores = 1 }\n"


def wait_until_free(client: Client) -> None:
    """Wait until no search runs or waits."""
    while True:
        stats = client.ask("stats")
        if not stats["running"] and not stats["waiting"]:
            return


CLIENT = """
import socket, sys
connected = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connected.sendall(sys.argv[2].encode().replace(b"|", b"\\n") + b"\\n")
while data := connected.recv(65536):
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
"""


@pytest.mark.parametrize(
    "search",
    [
        "go infinite",
        '{"id": "a", "type": "analyze", "game": "jarmo", "limit": {"infinite": true}}',
        '{"id": "a", "type": "perft", "game": "jarmo", "depth": 30}',
        "perft 40",
        "bench 40",
    ],
)
def test_a_client_that_is_killed_in_a_search(search: str, tmp_path: Path) -> None:
    """Another one waits for its core, and gets it."""
    with Serving(settings=ONE_CORE, folder=tmp_path) as serving, serving.connect() as other:
        with subprocess.Popen(
            [sys.executable, "-c", CLIENT, str(serving.port), search], stdout=subprocess.PIPE
        ) as killed:
            while other.ask("stats")["running"] == 0:
                pass
            killed.send_signal(signal.SIGKILL)
        answer = other.ask("analyze", game="talisman", limit={"depth": 3})
        assert answer["type"] == "done"
        wait_until_free(other)
        serving.finish()


def test_the_cores_of_a_killed_client_are_free_in_a_moment(tmp_path: Path) -> None:
    """From the kill to when the server says that nothing runs or waits any more."""
    settings = "quota = { searches = 4 }\n"
    moments = []
    for _ in range(5):
        with Serving(settings=settings, folder=tmp_path) as serving:
            search = '{"id": "ID", "type": "analyze", "game": "krepost", "limit": LIMIT}'
            search = search.replace("LIMIT", '{"infinite": true}')
            searches = "|".join(search.replace("ID", str(number)) for number in range(4))
            with serving.connect() as other:
                with subprocess.Popen(
                    [sys.executable, "-c", CLIENT, str(serving.port), searches],
                    stdout=subprocess.DEVNULL,
                ) as killed:
                    while (stats := other.ask("stats"))["running"] + stats["waiting"] < 4:
                        pass
                    killed.send_signal(signal.SIGKILL)
                    killed.wait()
                    begun = time.monotonic()
                wait_until_free(other)
                moments.append(time.monotonic() - begun)
            serving.finish()
    # The machine may have been busy with something else at all but one of the times.
    assert min(moments) < 0.1, moments


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_lost_client_with_many_searches(end: str, tmp_path: Path) -> None:
    with (
        Serving(settings=ONE_CORE + "[quota]\nsearches = 50\n", folder=tmp_path) as serving,
        serving.connect() as other,
    ):
        lost = serving.connect()
        for number in range(100):
            lost.post("analyze", game="jarmo", limit={"infinite": True}, id=str(number))
        assert lost.ask("ping")["type"] == "pong"
        getattr(lost, end)()
        wait_until_free(other)
        assert other.ask("analyze", game="talisman", limit={"depth": 2})["type"] == "done"
        serving.finish()


def test_a_client_that_never_reads(tmp_path: Path) -> None:
    """It is not read either, so it costs little, and after a while it is disconnected."""
    settings = "connections = { stuck_seconds = 0.3 }\nquota = { requests = 0 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving:
        with serving.connect() as stuck, serving.connect() as other:
            before = other.ask("stats")["memory"]
            stuck.socket.setblocking(False)
            sent = 0
            # As much as is taken; it must not be taken without end.
            with contextlib.suppress(OSError):
                while sent < 200_000_000:
                    sent += stuck.socket.send(b"go infinite\n" + b"d\n" * 10_000)
            assert sent < 200_000_000
            why = serving.event("disconnected")["why"]
            assert why == "stuck: the client does not read"
            wait_until_free(other)
            assert other.ask("stats")["memory"] - before < 32 << 20
        serving.finish()


def test_half_a_line() -> None:
    with Serving() as serving, serving.connect() as slow, serving.connect() as other:
        slow.send(b"isre")
        assert other.ask_line("isready") == "readyok"
        slow.send(b"ady")
        slow.send(b"\nquery ga")
        assert slow.line() == "readyok"
        slow.send(b"me")
        slow.end_input()
        # The end of input ends the line, as it does on standard input.
        assert slow.rest() == ["response talisman"]
        serving.finish()


def test_ten_megabytes_without_an_end_of_line() -> None:
    with Serving() as serving, serving.connect() as client:
        client.send("isready")
        assert client.line() == "readyok"
        for _ in range(160):
            client.send(b"x" * 65536)
        client.send("\nisready")
        line = client.line()
        assert line is not None
        assert line.startswith("info string error ")
        assert client.line() == "readyok"
        with serving.connect() as other:
            assert other.ask("stats")["memory"] < 100 << 20
        serving.finish()


def test_a_megabyte_of_empty_lines_and_of_rubbish() -> None:
    rubbish = random.Random(5).randbytes(200_000)
    with Serving() as serving, serving.connect() as client, serving.connect() as other:
        client.send(b"\n" * 1_000_000 + b"isready\n")
        assert other.ask("ping")["type"] == "pong"
        assert client.line() == "readyok"
        reader = threading.Thread(target=client.rest)
        reader.start()
        client.send(rubbish)
        client.end_input()
        reader.join(HANGS_AFTER)
        assert not reader.is_alive()
        assert other.ask("ping")["type"] == "pong"
        serving.finish()


def test_a_flood_of_go_and_stop(tmp_path: Path) -> None:
    """Every `go` is answered by one `bestmove`, and others are served meanwhile."""
    rounds = 300
    with (
        Serving(settings="quota = { requests = 0 }\n", folder=tmp_path) as serving,
        serving.connect() as client,
        serving.connect() as other,
    ):
        sender = threading.Thread(target=client.send, args=(b"go infinite\nstop\n" * rounds,))
        sender.start()
        for number in range(rounds):
            assert client.lines("bestmove ")
            if number % 10 == 0:
                assert other.ask("ping")["type"] == "pong"
        sender.join()
        assert client.ask_line("isready") == "readyok"
        client.send("go infinite\nstop\n" * rounds)
        client.reset()
        wait_until_free(other)
        serving.finish()


def test_requests_a_second(tmp_path: Path) -> None:
    """Who asks too often is served late, and everything is answered; others are not slower."""
    with (
        Serving(settings="quota = { requests = 50 }\n", folder=tmp_path) as serving,
        serving.connect() as greedy,
        serving.connect() as modest,
    ):
        asked = [greedy.post("ping") for _ in range(120)]
        assert modest.ask("ping")["type"] == "pong"
        before = modest.ask("stats")["uptime"]
        assert [greedy.message()["id"] for _ in asked] == asked
        # 50 at once, and 70 more at 50 a second.
        assert modest.ask("stats")["uptime"] - before > 1.0
        serving.finish()


# TLS, and strangers.


def test_more_than_fits_through_tls_at_once(tmp_path: Path) -> None:
    """What could be sent only in part is sent on where it stopped."""
    rounds = 4000
    certificates = Certificates(tmp_path)
    settings = "quota = { requests = 0 }\n"
    with (
        Serving(*certificates.arguments, settings=settings, folder=tmp_path) as serving,
        serving.connect(certificates.client) as client,
    ):
        asked = b"".join(b"isready\nd\nquery game\n" for _ in range(rounds))
        # Nothing is read until nothing more is taken.
        client.socket.settimeout(0.2)
        sent = 0
        with contextlib.suppress(TimeoutError):
            while sent < len(asked):
                sent += client.socket.send(asked[sent : sent + 1000])
        client.socket.settimeout(HANGS_AFTER)
        sender = threading.Thread(target=client.send, args=(asked[sent:],))
        sender.start()
        first = client.lines("response ")
        for _ in range(rounds - 1):
            assert client.lines("response ") == first
        sender.join()
        serving.finish()


def test_rubbish_in_the_place_of_tls(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    with Serving(*certificates.arguments, KIBITZ_TOKENS=f"ann={TOKEN}") as serving:
        for rubbish in (
            b"ugi\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"\x16\x03\x01\xff\xff" + b"x" * 70000,
        ):
            with serving.connect() as client:
                client.send(rubbish)
                client.end_input()
                with contextlib.suppress(ConnectionError):
                    while client.socket.recv(65536):
                        pass
        # Rubbish after a good handshake, beside the encryption.
        with serving.connect(certificates.client) as client:
            assert client.ask_line(f"auth {TOKEN}") == "authok ann"
            client.send("go infinite")
            client.lines("info")
            socket.socket.sendall(client.socket, b"rubbish" * 1000)
            with pytest.raises((OSError, AssertionError)):
                client.lines("never")
        with serving.connect(certificates.client) as client:
            assert client.ask_line(f"auth {TOKEN}") == "authok ann"
        serving.finish()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_tls_is_refused(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    context = certificates.client
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with Serving(*certificates.arguments) as serving:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            serving.connect(context)
        serving.finish()


@pytest.mark.parametrize("tls", [False, True])
def test_a_handshake_that_takes_too_long(tls: bool, tmp_path: Path) -> None:
    arguments = Certificates(tmp_path).arguments if tls else ()
    settings = "connections = { handshake_seconds = 0.2 }\n"
    with Serving(
        *arguments, settings=settings, folder=tmp_path, KIBITZ_TOKENS=f"ann={TOKEN}"
    ) as serving:
        with serving.connect() as client:
            # A byte now and then does not help.
            client.send(b"\x16\x03" if tls else b"au")
            assert client.socket.recv(1000) == b""
        serving.event("disconnected", why="the handshake took too long")
        serving.finish()


def test_who_is_admitted_may_be_silent(tmp_path: Path) -> None:
    settings = "connections = { handshake_seconds = 0.2 }\n"
    with Serving(settings=settings, folder=tmp_path, KIBITZ_TOKENS=f"ann={TOKEN}") as serving:
        with serving.connect() as client, serving.connect() as silent:
            assert client.ask_line(f"auth {TOKEN}") == "authok ann"
            assert silent.line() is None
            assert client.ask_line("isready") == "readyok"
        serving.finish()


def test_strangers_do_not_keep_clients_out(tmp_path: Path) -> None:
    """Many connections that say nothing: the oldest of them gives way."""
    settings = "connections = { most_strangers = 5, handshake_seconds = 100000 }\n"
    with Serving(settings=settings, folder=tmp_path, KIBITZ_TOKENS=f"ann={TOKEN}") as serving:
        silent = [serving.connect() for _ in range(5)]
        with serving.connect() as client:
            assert silent[0].line() is None
            assert client.ask_line(f"auth {TOKEN}") == "authok ann"
            silent += [serving.connect() for _ in range(20)]
            assert client.ask_line("isready") == "readyok"
            assert silent[5].line() is None
        for each in silent:
            each.close()
        serving.finish()


def test_too_many_connections(tmp_path: Path) -> None:
    settings = "connections = { most = 3 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving:
        clients = [serving.connect() for _ in range(3)]
        for client in clients:
            assert client.ask_line("isready") == "readyok"
        with serving.connect() as refused:
            assert refused.rest() == []
        serving.event("full")
        for client in clients:
            assert client.ask_line("isready") == "readyok"
            client.close()
        serving.event("disconnected")
        with serving.connect() as client:
            assert client.ask_line("isready") == "readyok"
        serving.finish()
