"""Whatever arguments hold, a terminal is shown text: no escapes, and one line stays one."""

import os
from pathlib import Path

import pytest

from kibitz.scripts.main import main

HOSTILE = "\x1b[31mnope\x9b2J\r\n\x07kibitz: all is well\u2028\u202e\udcff"
PLAIN = "127.0.0.1:1"
ENGINE = ("-engine", "cmd=/bin/false")

COMMANDS = [
    (HOSTILE,),
    (f"--{HOSTILE}",),
    ("--log-level", HOSTILE),
    ("connect", HOSTILE),
    ("connect", f"{HOSTILE}:1"),
    ("connect", PLAIN, HOSTILE),
    ("connect", PLAIN, f"--{HOSTILE}"),
    ("connect", PLAIN, "--ca", HOSTILE),
    ("connect", PLAIN, "--token-file", HOSTILE),
    ("connect", PLAIN, "--patience", HOSTILE),
    ("serve", "--listen", HOSTILE),
    ("serve", "--listen", f"{HOSTILE}:1"),
    ("serve", "--listen", "127.0.0.1:0", "--config", HOSTILE),
    ("serve", "--listen", "127.0.0.1:0", "--certificate", HOSTILE, "--key", "k"),
    ("serve", "--listen", "127.0.0.1:0", "--certificate", os.devnull, "--key", HOSTILE),
    ("serve", "--listen", "127.0.0.1:0", "--log-level", HOSTILE),
    ("check", HOSTILE),
    ("check", "--", HOSTILE, HOSTILE),
    ("check", f"tcp://{HOSTILE}"),
    ("check", f"tcp://{HOSTILE}:1"),
    ("check", "--token-file", HOSTILE, f"tls://{PLAIN}"),
    ("check", "--ca", HOSTILE, f"tls://{PLAIN}"),
    ("check", "--game", HOSTILE, "--only", HOSTILE, "x"),
    ("check", "--only", "1", "--timeout", HOSTILE, "x"),
    ("match", HOSTILE),
    ("match", f"-{HOSTILE}"),
    ("match", "-resume", HOSTILE),
    ("match", *ENGINE, *ENGINE, "-out", f"{HOSTILE}/no/such"),
    ("match", *ENGINE, *ENGINE, "-openings", f"file={HOSTILE}"),
    ("match", *ENGINE, "-engine", f"cmd={HOSTILE}"),
    ("match", *ENGINE, "-engine", f"url={HOSTILE}"),
    ("match", *ENGINE, "-engine", f"url=tls://{PLAIN}", f"ca={HOSTILE}"),
    ("match", *ENGINE, "-engine", f"{HOSTILE}=x"),
    ("perft", HOSTILE, "1"),
    ("perft", "talisman", "1", "--position", HOSTILE),
    ("perft", "talisman", "1", "--option", HOSTILE),
    ("openings", HOSTILE),
    ("bench", HOSTILE),
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_hostile_arguments_are_shown_as_text(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIBITZ_TOKEN", raising=False)
    assert main(arguments) not in (0, None)
    said = capfd.readouterr().err
    assert said.startswith("kibitz: ")
    assert said.endswith("\n")
    assert said[:-1].isprintable(), ascii(said)
    assert "internal error" not in said


def test_an_error_of_our_own_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: object) -> int:
        raise ValueError(HOSTILE)

    monkeypatch.setattr("kibitz.scripts.command_line.run_command", broken)
    assert main(["games"]) == 1
    said = capfd.readouterr().err
    assert said.startswith("kibitz: internal error: ValueError")
    assert said[:-1].isprintable()
