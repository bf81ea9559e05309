"""`kibitz check` as it is typed: what it prints, its exit status, and its page."""

import json
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from kibitz.scripts import check_command
from kibitz.scripts.check_command import read_numbers
from kibitz.scripts.match.check import game_checks, search_checks, start_checks, talk
from kibitz.scripts.match.check.catalogue import CHECKS
from kibitz.scripts.parsing import WrongUse
from tests.protocol.client.programs import is_alive
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program
from tests.protocol.server.serving import Certificates, Serving
from tests.scripts.match.engine_programs import faulty, noting, stones

PAGE = (Path(__file__).parents[3] / "docs" / "check.md").read_text(encoding="utf-8")
PATIENT = ("--timeout", str(HANGS_AFTER), "--margin", "100000")
TOKEN = "a-long-and-secret-word"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "check", *arguments],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )


def test_lines_for_people() -> None:
    done = run(*PATIENT, "--only", "1,10-11", *stones())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "1. starts and greets: ok",
        "10. the pv is legal: skipped: the engine cannot be asked what is legal",
        "11. go depth: ok",
        "Stones 1.0 (ugi): 2 ok, 0 failed, 1 skipped",
    ]


def test_a_failure_is_shown_and_is_the_exit_status() -> None:
    done = run(*PATIENT, "--only", "11,15", *faulty("crash", "--at", "1"))
    assert (done.returncode, done.stderr) == (1, "")
    first, second, last = done.stdout.splitlines()
    assert first == (
        "11. go depth: failed: the engine ended with exit status 1; its last words: "
        "first words / the reason why (before bestmove after 'go depth 1')"
    )
    assert second.startswith("15. stop without a search: failed: ")
    assert re.fullmatch(r"Faulty \d+ \(ugi\): 0 ok, 2 failed, 0 skipped", last)


def test_json_lines() -> None:
    done = run(*PATIENT, "--json", "--only", "10,11,15", *faulty("stop-answered"))
    assert (done.returncode, done.stderr) == (1, "")
    *checks, summary = map(json.loads, done.stdout.splitlines())
    assert [(check["type"], check["number"], check["status"]) for check in checks] == [
        ("check", 10, "ok"),
        ("check", 11, "ok"),
        ("check", 15, "failed"),
    ]
    assert all(check["seconds"] >= 0 for check in checks)
    assert checks[0]["why"] == ""
    assert checks[2]["why"]
    assert summary.pop("engine").startswith("Faulty ")
    assert summary == {"type": "summary", "proto": "ugi", "ok": 2, "failed": 1, "skipped": 0}


@pytest.mark.parametrize("dashes", [(), ("--",)])
def test_a_command_line_in_one_word(dashes: tuple[str, ...]) -> None:
    done = run(*PATIENT, "--only", "1", "--proto", "uci", *dashes, shlex.join(stones("--uci")))
    assert done.stdout.splitlines()[-1] == "Stones 1.0 (uci): 1 ok, 0 failed, 0 skipped"


def test_list() -> None:
    done = run("--list")
    assert done.stdout.splitlines() == [f"{check.number}. {check.title}" for check in CHECKS]
    assert run("--list", "--only", "2").stdout == f"2. {CHECKS[1].title}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "ENGINE"),
        (["--"], "ENGINE"),
        ([" "], "ENGINE"),
        (["'"], "ENGINE"),
        (["/nowhere/engine"], "/nowhere/engine"),
        (["--only", "0", "x"], "--only"),
        (["--only", "3-", "x"], "'3-'"),
        (["--only", "99", "x"], "from 1 to"),
        (["--timeout", "0", "x"], "'0'"),
        (["--timeout", "nan", "x"], "'nan'"),
        (["--margin", "-1", "x"], "-1"),
        (["--proto", "xboard", "x"], "xboard"),
        (["tcp://nowhere"], "HOST:PORT"),
        (["tcp://localhost:1", "--only", "1"], "alone"),
        (["--token-file", "/nowhere/token", "tcp://localhost:1"], "/nowhere/token"),
        (["tcp://127.0.0.1:1"], "127.0.0.1:1"),
        (["--game", "chess", *stones()], "Game"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("kibitz: ")
    assert said in line


def test_numbers() -> None:
    assert read_numbers("3", 9) == {3}
    assert read_numbers("1, 7-9,8", 9) == {1, 7, 8, 9}
    for text in ("", ",", "a", "9-7", "10", "1--2", "-1", "1.5", "\N{SUPERSCRIPT TWO}", "1" * 5000):
        with pytest.raises(WrongUse, match="--only"):
            read_numbers(text, 9)


def test_a_server(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    with Serving(*certificates.arguments, KIBITZ_TOKENS=f"ann={TOKEN}") as serving:
        url = f"tls://localhost:{serving.port}"
        trusting = (*PATIENT, "--ca", str(certificates.authority))
        done = run(*trusting, "--token-file", str(token), "--only", "1-3,8,15,25-27", url)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-2:] == [
            "27. end of input: skipped: a server goes on",
            "kibitz 0.1.0 (ugi): 7 ok, 0 failed, 1 skipped",
        ]
        done = run(*trusting, "--only", "1", url)
        assert done.returncode == 1
        assert "denied" in done.stdout
        token.write_text("wrong\n")
        done = run(*trusting, "--token-file", str(token), "--only", "1", url)
        assert done.returncode == 1
        assert "denied" in done.stdout
        serving.finish()


def test_no_process_is_left_by_an_interrupt(tmp_path: Path) -> None:
    with Program(("check", "--timeout", "3", *noting(tmp_path, faulty("stall")))) as checking:
        while not checking.read().startswith("6. "):
            pass
        # The engine lives, and is about to stall.
        checking.process.send_signal(signal.SIGINT)
        while checking.peek() is not None:
            checking.read()
        assert checking.process.wait(HANGS_AFTER) == 130
        pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
        assert pids
        assert not any(is_alive(pid) for pid in pids)


# The page.


def test_the_page_lists_the_checks() -> None:
    listed = re.findall(r"^(\d+)\. \*\*(.*?)\*\*:", PAGE, re.MULTILINE)
    assert listed == [(str(check.number), check.title) for check in CHECKS]


def test_the_page_names_the_options() -> None:
    done = run("--help")
    options = set(re.findall(r"--[a-z-]+", done.stdout)) - {"--help"}
    assert options
    assert options == set(re.findall(r"`(--[a-z-]+)", PAGE))


def test_the_page_has_the_numbers_of_the_code() -> None:
    said = " ".join(PAGE.split())
    for sentence in (
        f"by itself: {check_command.TIMEOUT:g} |",
        f"a move may come: {check_command.MARGIN} |",
        f"(the first {start_checks.MOST_CHOICES})",
        f"`go nodes {search_checks.NODES}`",
        f"After {game_checks.STEADY_PLIES} moves others",
        f"not over after {game_checks.MOST_PLIES} moves",
        f"plays {game_checks.BLIND_PLIES}.",
        f"a line of {game_checks.LONG_LINE // 1024} KiB",
        f"at most {talk.MOST_LINE // 1024} KiB long",
    ):
        assert sentence in said
    assert talk.Patience().quit == 2
    assert "within two seconds" in said
