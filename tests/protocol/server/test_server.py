"""A server as a program: what it says, who is let in, how it ends."""

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.protocol.dialogue import HANGS_AFTER, PROGRAM
from tests.protocol.server.serving import Certificates, Serving

TOKEN = "a-long-and-secret-word"
OTHER = "another-long-and-secret-word"
TOKENS = f"ann={TOKEN},bob={OTHER}"


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "serve", *arguments],
        capture_output=True,
        timeout=HANGS_AFTER,
        check=False,
        text=True,
        env=os.environ | variables,
    )


# Both dialects.


def test_text_over_tcp() -> None:
    with Serving() as serving, serving.connect() as client:
        client.send("ugi")
        assert client.lines("ugiok")[0].startswith("id name kibitz")
        client.send("go depth 3")
        assert client.lines("bestmove ")[-2].startswith("info depth 3 ")
        client.send("go infinite")
        client.lines("info depth")
        client.send("stop")
        client.lines("bestmove ")
        client.send("go infinite\nquit")
        assert client.rest()[-1].startswith("bestmove ")
        serving.finish()


def test_json_over_tcp() -> None:
    with Serving() as serving, serving.connect() as client:
        assert client.ask("hello")["type"] == "hello"
        answer = client.ask("analyze", game="talisman", limit={"depth": 3})
        assert (answer["type"], answer["depth"]) == ("done", 3)
        stats = client.ask("stats")
        assert (stats["connections"], stats["running"], stats["waiting"]) == (1, 0, 0)
        assert stats["nodes"] > 0
        assert stats["memory"] > 1 << 20
        assert stats["uptime"] > 0
        serving.finish()


def test_several_addresses_and_both_families() -> None:
    with Serving("--listen", "127.0.0.1:0", "--listen", "[::1]:0") as serving:
        serving.port = serving.event("listening", host="::1")["port"]
        with serving.connect(host="::1") as client:
            assert client.ask_line("isready") == "readyok"
        serving.port = serving.event("listening", host="127.0.0.1")["port"]
        with serving.connect() as client:
            assert client.ask_line("isready") == "readyok"
        serving.finish()


@pytest.mark.parametrize("dialect", ["text", "json"])
def test_the_end_of_input_stops_and_answers(dialect: str) -> None:
    with Serving() as serving, serving.connect() as client:
        if dialect == "text":
            client.send("position startpos\ngo infinite\nisready")
        else:
            client.post("analyze", game="talisman", limit={"infinite": True}, id="search")
            client.post("ping", id="ping")
        client.end_input()
        lines = client.rest()
        if dialect == "text":
            assert "readyok" in lines
            assert lines[-1].startswith("bestmove ")
        else:
            assert sum('"pong"' in line for line in lines) == 1
            assert sum('"cancelled"' in line for line in lines) == 1
        serving.event("disconnected", why="input ended")
        serving.finish()


# TLS and tokens.


def test_tls_with_tokens(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    with Serving(*certificates.arguments, KIBITZ_TOKENS=TOKENS) as serving:
        with serving.connect(certificates.client) as client:
            assert client.ask("ping")["code"] == "denied"
            assert client.ask("hello")["code"] == "denied"
            assert client.ask("hello", token=OTHER)["client"] == "bob"
            assert client.ask("ping")["type"] == "pong"
        with serving.connect(certificates.client) as client:
            assert (client.ask_line("isready") or "").startswith("info string error denied: ")
            assert client.ask_line(f"auth {TOKEN}") == "authok ann"
            assert client.ask_line("isready") == "readyok"
            client.send("go infinite\nquit")
            assert client.rest()[-1].startswith("bestmove ")
        serving.event("admitted", client="ann")
        serving.finish()


@pytest.mark.parametrize("dialect", ["text", "json"])
def test_three_wrong_tokens_end_the_connection(dialect: str) -> None:
    with Serving(KIBITZ_TOKENS=TOKENS) as serving, serving.connect() as client:
        for number in range(20):
            if dialect == "text":
                client.send(f"auth {TOKEN}{number}")
            else:
                client.post("hello", token=f"{TOKEN}{number}")
        lines = client.rest()
        assert len(lines) == 3
        assert all("denied" in line for line in lines)
        serving.event("refused", why="wrong tokens")
        serving.finish()


def test_a_client_has_only_so_many_connections(tmp_path: Path) -> None:
    settings = f"""
        [[clients]]
        name = "ann"
        token = "{TOKEN}"
        quota = {{ connections = 1 }}
        [[clients]]
        name = "bob"
        token = "{OTHER}"
    """
    with Serving(settings=settings, folder=tmp_path) as serving:
        with serving.connect() as first, serving.connect() as second:
            assert first.ask_line(f"auth {TOKEN}") == "authok ann"
            assert (second.ask_line(f"auth {TOKEN}") or "").startswith(
                "info string error over_limit: "
            )
            assert second.ask_line(f"auth {OTHER}") == "authok bob"
            # Nobody becomes somebody else.
            assert (second.ask_line(f"auth {TOKEN}") or "").startswith("info string error denied: ")
        serving.event("disconnected", client="ann")
        with serving.connect() as third:
            assert third.ask_line(f"auth {TOKEN}") == "authok ann"
        serving.finish()


def test_tokens_are_told_nowhere() -> None:
    wrong = "a-wrong-but-secret-word"
    with Serving("--log-level", "debug", KIBITZ_TOKENS=TOKENS) as serving:
        with serving.connect() as client:
            lines = [client.ask_line(line) for line in (f"auth {wrong}", f"auth {TOKEN}")]
            lines.append(client.ask_line(f"auth  {OTHER} {wrong}"))
            client.send("go infinite")
            client.lines("info")
        with serving.connect() as client:
            lines += [str(client.ask("hello", token=token)) for token in (wrong, OTHER)]
        processes = subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True)
        serving.finish()
        told = f"{lines} {serving.log} {processes.stdout}"
        assert "kibitz.scripts.main serve" in processes.stdout
        for secret in (wrong, TOKEN, OTHER):
            assert secret not in told


# What is refused at the start, in one line.


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--listen", "0.0.0.0:0"), "--listen: other machines can reach 0.0.0.0, and without TLS"),
        (("--listen", "[::]:0"), "--listen: other machines can reach ::, and without TLS"),
        (("--listen", "nonsense"), "--listen: 'nonsense' is not HOST:PORT"),
        (("--listen", "\udcff:1"), "--listen: cannot listen on ?:1: that is no host's name"),
        (("--listen", "::1:80"), "--listen: '::1:80' is not HOST:PORT, or [HOST]:PORT for IPv6"),
        (("--listen", "h:99999"), "--listen: 'h:99999' has no port from 0 to 65535"),
        (
            ("--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0"),
            "--listen: 127.0.0.1:0 is there twice",
        ),
        (
            ("--listen", "127.0.0.1:0", "--listen", "127.0.1:0"),
            "--listen: 127.0.1:0 is 127.0.0.1:0, which is there twice",
        ),
        (("--config", "/no/such/file"), "--config: cannot read /no/such/file: No such file"),
        (("--certificate", "x"), "--key: is missing"),
        (("--key", "x"), "--certificate: is missing"),
        (
            ("--certificate", "/no/x", "--key", "/no/y"),
            "--certificate: cannot read /no/x: No such file",
        ),
        (
            ("--certificate", "/dev/null", "--key", "/no/y"),
            "--key: cannot read /no/y: No such file",
        ),
        (
            ("--certificate", "/dev/null", "--key", "/dev/null"),
            "--certificate: /dev/null is not a certificate in PEM form",
        ),
        (
            ("--log-level", "loud"),
            "--log-level: 'loud' is not one of debug, info, warning, error\n",
        ),
        (("--token", "x"), "unrecognized arguments: --token"),
        (("more",), "unrecognized arguments: more"),
    ],
)
def test_wrong_uses(arguments: tuple[str, ...], reason: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"kibitz: {reason}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("has_tls", [False, True])
@pytest.mark.parametrize("tokens", ["", TOKENS])
def test_what_a_public_address_needs(has_tls: bool, tokens: str, tmp_path: Path) -> None:
    if has_tls and tokens:
        return
    arguments = Certificates(tmp_path).arguments if has_tls else ()
    done = run(*arguments, "--listen", "0.0.0.0:0", KIBITZ_TOKENS=tokens)
    assert done.returncode == 2
    for has, danger, remedy in (
        (has_tls, "without TLS anybody", "--certificate and --key, or tls in the settings"),
        (tokens, "without tokens anybody can use", "KIBITZ_TOKENS, or clients in the settings"),
    ):
        assert (danger in done.stderr) == (not has)
        assert (remedy in done.stderr) == (not has)


def test_an_insecure_server_says_so() -> None:
    with Serving("--insecure", "--listen", "0.0.0.0:0") as serving:
        warnings = [event["text"] for event in serving.log if event["event"] == "insecure"]
        assert len(warnings) == 2
        assert "without TLS anybody on the way can read and change all" in warnings[0]
        assert "without tokens anybody can use this machine" in warnings[1]
        serving.finish()


def test_an_address_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("--listen", f"127.0.0.1:{port}")
    assert done.returncode == 2
    text = f"kibitz: --listen: cannot listen on 127.0.0.1:{port}: it is in use\n"
    assert done.stderr == text


def test_the_usual_address_in_use() -> None:
    """It may be taken by another program than this test: that is just as good."""
    with contextlib.ExitStack() as taken:
        with contextlib.suppress(OSError):
            taken.enter_context(socket.create_server(("127.0.0.1", 4880)))
        done = run()
    assert done.returncode == 2
    text = "listen, which was left out: cannot listen on 127.0.0.1:4880: it is in use"
    assert done.stderr == f"kibitz: {text}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "other machines can reach 0.0.0.0, and without TLS"),
        ("tls = { certificate = '/no/x', key = '/no/y' }", "tls.certificate: cannot read /no/x: "),
        ("connections.most = 0", "connections.most: 0 is not a whole number from 1 to 1000000\n"),
    ],
)
def test_faults_of_a_file_name_the_file_and_the_key(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(f"listen = ['0.0.0.0:0']\n{text}\n")
    done = run("--config", str(path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.removeprefix(f"kibitz: {path}: ").removeprefix("listen: ").startswith(said)


def test_an_address_in_use_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        path.write_text(f"listen = ['127.0.0.1:0', '{where}']\n")
        done = run("--config", str(path))
    assert done.returncode == 2
    assert done.stderr == f"kibitz: {path}: listen[2]: cannot listen on {where}: it is in use\n"


def test_wrong_settings_are_all_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f'colour = 1\nstop_seconds = "{TOKEN}"\n')
    done = run("--config", str(path), "--log-level", "loud", KIBITZ_TOKENS=TOKEN)
    assert done.returncode == 2
    others = "--log-level: 'loud' is not one of debug, info, warning, error; "
    others += "KIBITZ_TOKENS[1]: this entry is not NAME=TOKEN"
    assert done.stderr.startswith(f"kibitz: {others}; {path}: colour: there is no such key")
    assert "; stop_seconds: " in done.stderr
    assert TOKEN not in done.stderr


PLAIN = f'[[clients]]\nname = "ann"\ntoken = "{TOKEN}"\n'
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()
DIGESTED = f'#token\n[[clients]]\nname = "token"\ntoken_sha256 = "{DIGEST}"\n'


@pytest.mark.parametrize(
    ("text", "mode", "is_told"),
    [
        (PLAIN, 0o644, True),
        (PLAIN, 0o604, True),
        (PLAIN, 0o600, False),
        (PLAIN, 0o640, False),
        (DIGESTED, 0o644, False),
        ("grace_seconds = 3\n", 0o644, False),
    ],
)
def test_tokens_that_everybody_can_read(
    text: str, mode: int, is_told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    path.chmod(mode)
    with Serving("--config", str(path), KIBITZ_TOKENS=f"bob={OTHER}") as serving:
        serving.event("listening")
        events = [event for event in serving.log if event["event"] == "settings_readable"]
        assert bool(events) == is_told
        serving.finish()


# The end.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_server(number: signal.Signals) -> None:
    with Serving() as serving, serving.connect() as client:
        assert client.ask_line("isready") == "readyok"
        serving.process.send_signal(number)
        assert client.rest() == []
        client.close()
        assert serving.process.wait(HANGS_AFTER) == 0


def test_a_signal_in_twenty_searches(tmp_path: Path) -> None:
    """All are answered, those that run and those that wait, in both dialects."""
    with Serving(settings="quota = { searches = 20 }\n", folder=tmp_path) as serving:
        clients = [serving.connect() for _ in range(20)]
        for number, client in enumerate(clients):
            if number % 2:
                client.post("analyze", game="talisman", limit={"infinite": True})
                assert client.ask("ping")["type"] == "pong"
            else:
                client.send("go infinite\nisready")
                client.lines("readyok")
        serving.process.send_signal(signal.SIGTERM)
        for number, client in enumerate(clients):
            lines = client.rest()
            client.close()
            kind = '"type":"cancelled"' if number % 2 else "bestmove "
            assert sum(line.startswith("bestmove ") or kind in line for line in lines) == 1, lines
        assert serving.process.wait(HANGS_AFTER) == 0


def test_new_connections_after_a_signal() -> None:
    with Serving() as serving, serving.connect() as client:
        client.send("go infinite")
        client.lines("info")
        serving.process.send_signal(signal.SIGTERM)
        serving.event("stopping")
        with pytest.raises(OSError):  # noqa: PT011 - refused or reset, as the system likes it
            serving.connect().socket.recv(1)
        client.close()
        assert serving.process.wait(HANGS_AFTER) == 0


def test_a_client_that_takes_no_answers_delays_the_end_only_so_long(tmp_path: Path) -> None:
    with (
        Serving(settings="stop_seconds = 0.2\n", folder=tmp_path) as serving,
        serving.connect() as client,
    ):
        client.send("d\n" * 100_000)
        serving.process.send_signal(signal.SIGTERM)
        assert serving.process.wait(HANGS_AFTER) == 0


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with (
        Serving(settings="stop_seconds = 1000\n", folder=tmp_path) as serving,
        serving.connect() as client,
    ):
        client.send("help\n" * 20_000)
        assert client.line() is not None
        serving.process.send_signal(signal.SIGTERM)
        serving.event("stopping")
        serving.process.send_signal(signal.SIGTERM)
        assert serving.process.wait(HANGS_AFTER) == 1


def test_an_idle_server_uses_no_processor_time() -> None:
    """Also when much has happened: no timer is left that would wake it up."""
    with Serving() as serving:
        with serving.connect() as client:
            for _ in range(20):
                client.ask("analyze", game="talisman", limit={"depth": 2})
            assert client.ask("ping")["type"] == "pong"
            before = _switches(serving)
            # Nothing can be waited for here: it is about what does not happen.
            with pytest.raises(subprocess.TimeoutExpired):
                serving.process.wait(1.5)
            assert _switches(serving) - before <= 2
        serving.finish()


def _switches(serving: Serving) -> int:
    """How often the server's main thread went to sleep."""
    text = Path(f"/proc/{serving.process.pid}/status").read_text()
    return int(text.partition("voluntary_ctxt_switches:")[2].split()[0])
