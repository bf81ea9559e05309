"""What docs/remote.md shows is what happens: its settings, commands, unit and log line."""

import configparser
import hashlib
import json
import re
import shlex
import subprocess
from pathlib import Path

import msgspec
import pytest

from kibitz.protocol.server.settings import load
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
    file = f'[[clients]]\nname = "ann"\ntoken_sha256 = "{digest.stdout.decode().split()[0]}"\n'
    file += f'[tls]\ncertificate = "{tmp_path}/kibitz.pem"\nkey = "{tmp_path}/kibitz.key"\n'
    with Serving(settings=file, folder=tmp_path) as serving:
        with Bridge(serving, "--ca", str(tmp_path / "kibitz.pem"), token=token) as engine:
            assert engine.ask("isready") == "readyok"
            engine.send("quit")
            assert engine.finish() == 0
        serving.event("admitted", client="ann")
        serving.finish()


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
