"""What docs/remote.md shows is what happens: its settings, commands, unit and log line."""

import argparse
import configparser
import hashlib
import json
import re
import shlex
import socket
import ssl
import subprocess
from pathlib import Path

import msgspec
import pytest

from kibitz.protocol.server.origins import OPTIONS, SettingsError
from kibitz.protocol.server.settings import load
from kibitz.scripts import serve_command
from kibitz.scripts.parsing import OneLineParser
from tests.protocol.dialogue import HANGS_AFTER
from tests.protocol.server.serving import Bridge, Certificates, Serving

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = (ROOT / "docs" / "remote.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
TOKEN = "a-long-and-secret-word"


def block(kind: str, beginning: str = "") -> str:
    (found,) = (text for name, text in BLOCKS if name == kind and text.startswith(beginning))
    return found


def settings() -> str:
    text = block("toml")
    for shown, real in (
        ("at least 16 characters without blanks", TOKEN),
        ("the digest in 64 hexadecimal digits", hashlib.sha256(b"another-long-one").hexdigest()),
    ):
        assert shown in text
        text = text.replace(shown, real)
    return text


def test_the_settings_are_the_defaults() -> None:
    shown = msgspec.to_builtins(load(settings(), {}).settings)
    usual = msgspec.to_builtins(load("", {}).settings)
    for only_shown in ("tls", "clients"):
        shown.pop(only_shown)
        usual.pop(only_shown)
    assert shown == usual


def test_the_settings_name_everything() -> None:
    def names(struct: object) -> set[str]:
        if not isinstance(struct, msgspec.Struct):
            return set()
        found = set(struct.__struct_fields__)
        for name in struct.__struct_fields__:
            found |= names(getattr(struct, name))
        return found

    words = set(re.findall(r"\w+", settings()))
    assert names(load(settings(), {}).settings) <= words


def test_a_certificate_a_token_and_its_digest(tmp_path: Path) -> None:
    """All commands as they stand there, and a server and a bridge that use what they make."""
    certificate = block("", "openssl").replace("kibitz.example.org", "localhost")
    subprocess.run(certificate, shell=True, cwd=tmp_path, check=True, capture_output=True)
    made = subprocess.run(block("", "python3 -c"), shell=True, check=True, capture_output=True)
    token = made.stdout.decode().strip()
    assert len(token) >= 16
    digest = subprocess.run(
        block("", "printf %s"), shell=True, check=True, capture_output=True, env={"TOKEN": token}
    )
    file = f'[[clients]]\nname = "ann"\ntoken_sha256 = "{digest.stdout.decode().strip()}"\n'
    file += f'[tls]\ncertificate = "{tmp_path}/kibitz.pem"\nkey = "{tmp_path}/kibitz.key"\n'
    with Serving(settings=file, folder=tmp_path) as serving:
        with Bridge(serving, "--ca", str(tmp_path / "kibitz.pem"), token=token) as engine:
            assert engine.ask("isready") == "readyok"
            engine.send("quit")
            assert engine.finish() == 0
        serving.event("admitted", client="ann")
        serving.finish()


NAMES = re.findall(r"`(subjectAltName=[^`]*IP:[^`]*)`", PAGE)


def test_one_certificate_is_for_this_machine() -> None:
    assert "subjectAltName=DNS:localhost,IP:127.0.0.1" in NAMES


@pytest.mark.parametrize("names", NAMES)
def test_a_certificate_of_a_number(tmp_path: Path, names: str) -> None:
    """The name behind `IP:` is what a client that connects to a number looks for."""
    command = block("", "openssl").replace("subjectAltName=DNS:kibitz.example.org", names)
    assert names in command
    command = command.replace("192.0.2.7", "127.0.0.1")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    certificate, key = str(tmp_path / "kibitz.pem"), str(tmp_path / "kibitz.key")
    context = ssl.create_default_context(cafile=certificate)
    with (
        Serving("--certificate", certificate, "--key", key) as serving,
        socket.create_connection(("127.0.0.1", serving.port), HANGS_AFTER) as connected,
        context.wrap_socket(connected, server_hostname="127.0.0.1") as secure,
    ):
        secure.sendall(b"isready\n")
        assert secure.recv(100) == b"readyok\n"


def test_files_that_are_for_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "kibitz.toml"
    file.write_text(f'[[clients]]\nname = "ann"\ntoken = "{TOKEN}"\n')
    (tmp_path / "kibitz.key").touch()
    for mode, warned in ((0o644, True), (None, False)):
        if mode is None:
            subprocess.run(block("", "chmod"), shell=True, cwd=tmp_path, check=True)
        else:
            file.chmod(mode)
        with Serving("--config", str(file)) as serving:
            serving.event("listening")
            assert ("settings_readable" in [event["event"] for event in serving.log]) == warned
            serving.finish()


def test_the_error() -> None:
    file = f"""
        listen = ["127.0.0.1:4880", "localhost"]
        [[clients]]
        name = "ann"
        token = "{TOKEN}"
        [[clients]]
        name = "bob"
        token = "short"
    """
    tokens = {"KIBITZ_TOKENS": "alice=the-long-word-of-alice,bob"}
    with pytest.raises(SettingsError) as caught:
        load(file, tokens, {"log_level": "loud"}, "kibitz.toml")
    assert block("", "kibitz: ") == f"kibitz: {caught.value}\n"


def test_the_options() -> None:
    """Those that stand in the place of settings are all on the page."""
    (text,) = re.findall(r"^The options (.*?) stand in the place", PAGE, re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`(--[\w-]+)`", text)) == set(OPTIONS.values())
    adder = argparse.ArgumentParser().add_subparsers(parser_class=OneLineParser)
    serve_command.add_to(adder)
    for path, option in OPTIONS.items():
        given = adder.choices["serve"].parse_args([option] + ["x"] * (path != "insecure"))
        assert list(serve_command.overrides_of(given)) == [path]


def test_the_unit() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))
    service = unit["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert (Path(program).name, arguments[:2]) == ("kibitz", ["serve", "--config"])
    # It has the time that clients may take for their last answers.
    assert float(service["TimeoutStopSec"]) > load("", {}).settings.stop_seconds
    assert int(service["LimitNOFILE"]) > load("", {}).settings.connections.most


@pytest.mark.parametrize("tls", [False, True])
def test_the_log_line(tls: bool, tmp_path: Path) -> None:
    shown = json.loads(block("", "{"))
    arguments = Certificates(tmp_path).arguments if tls else ()
    with Serving(*arguments) as serving:
        event = serving.event("listening")
        assert list(event) == list(shown)
        assert re.sub(r"\d", "0", event["time"]) == re.sub(r"\d", "0", shown["time"])
        assert (event["level"], event["tls"]) == (shown["level"], tls)
        serving.finish()
