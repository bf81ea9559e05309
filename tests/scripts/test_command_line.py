"""The commands for people, with the real program."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.version import VERSION
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM, Program


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, timeout=HANGS_AFTER, check=False
    )


def output(*arguments: str) -> list[str]:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_version() -> None:
    (line,) = output("--version")
    assert line.startswith(f"kibitz {VERSION} (")


def test_help() -> None:
    text = "\n".join(output("--help"))
    for command in ("bench", "perft", "games", "schema", "openings", "match", "UGI"):
        assert command in text
    for command in ("bench", "perft", "games", "schema", "openings", "match"):
        assert command in output(command, "--help")[0]


def test_schema() -> None:
    schema = json.loads("\n".join(output("schema")))
    assert {"AnyRequest", "AnyAnswer", "AnalyzeRequest", "DoneAnswer"} <= schema["$defs"].keys()


def test_games() -> None:
    text = "\n".join(output("games"))
    for name in GAME_NAMES:
        game = find_game(name)
        assert f"{name}: {game.title}" in text
        assert game.start_text(game.settings({})) in text


def test_bench_ends_with_nodes_and_speed() -> None:
    lines = output("bench", "2")
    assert re.fullmatch(r"Nodes searched: \d+", lines[-2])
    assert re.fullmatch(r"Nodes/second: \d+", lines[-1])
    nodes = [int(line.split()[-5]) for line in lines[:-2]]
    assert sum(nodes) == int(lines[-2].split()[-1])
    assert output("bench", "2")[-2] == lines[-2]


def test_perft() -> None:
    assert output("perft", "talisman", "3")[:-1] == ["Nodes searched: 1320"]
    assert output("perft", "Talisman", "0")[:-1] == ["Nodes searched: 1"]
    divided = output("perft", "talisman", "2", "--divide")
    assert divided[:-2] == [f"{point}: 11" for point in "abcdghlmpqrs"]


def test_perft_of_a_position_with_options() -> None:
    game = find_game("talisman")
    text = game.samples[2]
    play = game.parse(text, game.settings({}))
    lines = output("perft", "talisman", "1", "--position", text, "--option", "quietlimit=80")
    assert lines[0] == f"Nodes searched: {len(play.legal_moves())}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "nonsense"),
        (["--nonsense"], "--nonsense"),
        (["bench", "0"], "'0'"),
        (["bench", "x"], "'x'"),
        (["perft"], "GAME, DEPTH"),
        (["perft", "talisman"], "DEPTH"),
        (["perft", "chess", "1"], "'chess'"),
        (["perft", "talisman", "-1"], "-1"),
        (["perft", "talisman", "1", "--position", "nonsense"], "text: 1 fields"),
        (["perft", "talisman", "1", "--option", "Hash=1"], "'Hash=1'"),
        (["perft", "talisman", "1", "--option", "QuietLimit"], "'QuietLimit'"),
        (["perft", "talisman", "1", "--option", "QuietLimit=x"], "QuietLimit: 'x'"),
        (["games", "all"], "all"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("kibitz: ")
    assert said in line


@pytest.mark.parametrize("arguments", [("bench", "50"), ("perft", "jarmo", "50", "--divide")])
def test_interrupted(arguments: tuple[str, ...]) -> None:
    with Program(arguments) as program:
        wait_until_busy(program.process.pid)
        program.process.send_signal(signal.SIGINT)
        assert program.finish() == 130


def wait_until_busy(pid: int) -> None:
    """Wait until a process has a second thread, the one that works."""
    while True:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            threads = re.search(r"Threads:\s+(\d+)", status.read())
        if threads is not None and int(threads[1]) > 1:
            return


def test_a_reader_that_goes() -> None:
    with Program(("perft", "talisman", "3", "--divide")) as program:
        assert program.process.stdout is not None
        program.process.stdout.close()
        assert program.process.wait(HANGS_AFTER) == 1
        assert program.process.stderr is not None
        assert program.process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [("games",), ("bench", "2"), ("perft", "jasir", "3")])
def test_a_full_disk_is_said_in_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert re.fullmatch(r"kibitz: cannot write the answer: .+\n", done.stderr)


def test_without_a_standard_output_nothing_is_said() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *PROGRAM, "games"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("word", ["--versio", "gmes"])
def test_a_word_that_is_wrong_is_named(word: str) -> None:
    done = run(word)
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stderr.count("\n") == 1
