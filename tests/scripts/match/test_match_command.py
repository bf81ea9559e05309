"""The command `kibitz match` up to the match itself: plans, results folders, exit statuses."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from kibitz.engine.errors import InputError
from kibitz.scripts import main as program
from kibitz.scripts.match.events import Event, GameEnded, MatchBegan, MatchEnded
from kibitz.scripts.match.play.game_faults import MatchError
from kibitz.scripts.match.records.journal import Journal, read_journal
from kibitz.scripts.match.records.records import GameRecord, PlayerRecord
from kibitz.scripts.match.settings.match_settings import MatchSettings, RunSettings
from kibitz.scripts.match_command import Plan, head_of, read_plan
from kibitz.scripts.parsing import WrongUse
from tests.protocol.dialogue import HANGS_AFTER, PROGRAM
from tests.scripts.match.matches import command
from tests.scripts.match.whole_matches import pair

PYTHON = shlex.quote(sys.executable)
FILE = f"""
game = "jarmo"
rounds = 3
each = {{ st = "10ms" }}
engines = [ {{ cmd = '{PYTHON}', name = "a" }}, {{ cmd = '{PYTHON}', name = "b" }} ]
run = {{ concurrency = 2 }}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "match.toml").write_text(FILE)
    (tmp_path / "book.txt").write_text("startpos\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class FakeRunner:
    """Stands where a match is run: it keeps what it was given, and does as it is told."""

    def __init__(self) -> None:
        self.ends: MatchEnded | BaseException = MatchEnded(reason="all played", is_complete=True)
        self.settings: MatchSettings | None = None
        self.had_journal = False
        self.shown: list[Event] = []
        self.is_json: bool | None = None
        self.closed = 0
        self.before: tuple[GameRecord, ...] = ()
        self.games: list[GameRecord] = []

    async def run_match(
        self, settings: MatchSettings, journal: Journal | None, watch: Callable[[Event], None]
    ) -> MatchEnded:
        self.settings = settings
        self.had_journal = journal is not None
        watch(
            MatchBegan(
                event="x",
                game=settings.game,
                players=("a", "b"),
                games=6,
                records=self.before,
            )
        )
        for record in self.games:
            watch(GameEnded(record=record))
        await anyio.lowlevel.checkpoint()
        if isinstance(self.ends, KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            await anyio.sleep_forever()
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends

    def make_view(self, settings: MatchSettings, *, json: bool, stream: Any) -> "FakeRunner":
        assert stream is sys.stdout
        self.is_json = json
        self.closed = 0
        return self

    def __call__(self, event: Event) -> None:
        assert not self.closed
        self.shown.append(event)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> FakeRunner:
    fake = FakeRunner()
    monkeypatch.setattr("kibitz.scripts.match.play.runner.run_match", fake.run_match)
    monkeypatch.setattr("kibitz.scripts.match.views.choice.make_view", fake.make_view)
    return fake


def run(line: str) -> int:
    return program.main(["match", *shlex.split(line)])


def plan(line: str) -> Plan:
    found = read_plan(shlex.split(line))
    assert found is not None
    return found


def refusal(line: str) -> str:
    with pytest.raises((InputError, WrongUse)) as caught:
        read_plan(shlex.split(line))
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_file(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("match.toml") == 0
    assert runner.settings is not None
    assert runner.settings.rounds == 3
    assert not runner.had_journal
    assert runner.is_json is False
    assert [type(event) for event in runner.shown] == [MatchBegan]
    assert runner.closed
    assert capsys.readouterr() == ("", "")


def test_arguments_stand_before_the_file(runner: FakeRunner) -> None:
    assert run("match.toml -rounds 5 --json -concurrency 3 -recover") == 0
    assert runner.settings is not None
    assert runner.settings.rounds == 5
    assert runner.settings.run == RunSettings(concurrency=3, recover=True)
    assert runner.is_json is True


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("--help", "-help", "-h", "match.toml -rounds 3 -help", "nix.toml -help"):
        assert run(line) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("usage: kibitz match FILE.toml")
        assert printed.err == ""


def test_a_match_that_stops_early(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    runner.ends = MatchEnded(reason="a crashed", is_complete=False)
    assert run("match.toml") == 1
    assert capsys.readouterr().err == "kibitz: the match stopped early: a crashed\n"
    assert run("match.toml -out 'my results'") == 1
    assert capsys.readouterr().err == (
        "kibitz: the match stopped early: a crashed; to go on: kibitz match -resume 'my results'\n"
    )


def test_interrupted(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    runner.ends = KeyboardInterrupt()
    assert run("match.toml -out results") == 130
    assert runner.closed
    assert capsys.readouterr().err == (
        "kibitz: stopped; 0 games count; to go on: kibitz match -resume results\n"
    )
    assert run("match.toml") == 130
    assert "nothing was kept, which -out FOLDER would have done" in capsys.readouterr().err
    # The folder is whole, and free.
    runner.ends = MatchEnded(reason="all played", is_complete=True)
    assert run("-resume results") == 0


def test_a_bug_in_the_match_closes_the_view(
    runner: FakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.ends = RuntimeError("oh")
    assert run("match.toml -out results") == 1
    assert runner.closed
    assert "kibitz: internal error: RuntimeError: oh" in capsys.readouterr().err
    assert plan("-resume results").settings.rounds == 3


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("error", [FULL, ExceptionGroup("", [ExceptionGroup("", [FULL])])])
def test_a_full_disk_is_told_as_it_is(
    error: Exception, runner: FakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.ends = error
    assert run("match.toml -out results") == 1
    assert capsys.readouterr().err == (
        "kibitz: the results cannot be written: No space left on device; "
        "to go on: kibitz match -resume results\n"
    )


def test_a_reader_that_is_gone_is_no_fault_of_the_disk(
    runner: FakeRunner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[bool] = []
    monkeypatch.setattr("kibitz.scripts.command_line._drop_output", lambda: dropped.append(True))
    runner.ends = BrokenPipeError()
    assert run("match.toml -out results") == 1
    assert dropped == [True]
    assert capsys.readouterr().err == (
        "kibitz: nobody reads the output any more; 0 games count; "
        "to go on: kibitz match -resume results\n"
    )
    assert run("match.toml") == 1
    assert capsys.readouterr().err == (
        "kibitz: nobody reads the output any more; "
        "nothing was kept, which -out FOLDER would have done\n"
    )


@pytest.mark.parametrize("is_grouped", [False, True])
def test_a_match_that_cannot_begin_leaves_the_folder_to_another(
    is_grouped: bool, runner: FakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    error = MatchError("a: it does not play jarmo")
    runner.ends = ExceptionGroup("", [error]) if is_grouped else error
    assert run("match.toml -out results") == 2
    assert capsys.readouterr().err == "kibitz: a: it does not play jarmo\n"
    runner.ends = MatchEnded(reason="all played", is_complete=True)
    assert run("match.toml -out results -rounds 7") == 0
    assert plan("-resume results").settings.rounds == 7


def test_a_match_with_games_is_never_replaced(runner: FakeRunner) -> None:
    begin()
    with Journal.resume(Path("results")) as journal:
        journal.append(pair(1, "a", "b", "WD")[0])
    assert "holds a match already" in refusal("match.toml -out results")
    assert "-out: 'results'" in refusal("match.toml -out results")
    assert len(read_journal(Path("results"))[1]) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"number": 999}, "game 999: the match has 6 games"),
        ({"pair": 2}, "game 1: it is game 1 of pair 1, not game 1 of pair 2"),
        ({"leg": 2}, "game 1: it is game 1 of pair 1, not game 2 of pair 1"),
        ({"number": 2}, "game 2: it is game 2 of pair 1, not game 1 of pair 1"),
        ({"white": PlayerRecord("c")}, "game 1: no player is named 'c'"),
        ({"white": PlayerRecord("b")}, "game 1: 'b' plays against itself"),
    ],
)
def test_a_game_that_is_none_of_the_match_is_refused(
    changes: dict[str, Any], said: str, runner: FakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    begin()
    with Journal.resume(Path("results")) as journal:
        journal.append(msgspec.structs.replace(pair(1, "a", "b", "WD")[0], **changes))
    assert run("-resume results") == 2
    assert f"results/journal.jsonl: {said}" in capsys.readouterr().err


def test_games_that_are_no_pair_are_refused(
    runner: FakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    begin()
    first, second = pair(1, "a", "b", "WD")
    with Journal.resume(Path("results")) as journal:
        journal.append(first)
        journal.append(msgspec.structs.replace(second, white=first.white, black=first.black))
    assert run("-resume results") == 2
    assert "game 2: it is no pair with the other of its pair" in capsys.readouterr().err


def test_a_match_without_games_that_is_running_is_not_replaced(runner: FakeRunner) -> None:
    begin()
    with Journal.resume(Path("results")):
        assert run("match.toml -out results") == 2
    assert runner.settings is None


@pytest.mark.parametrize(
    "ends", [KeyboardInterrupt(), MatchEnded(reason="all played", is_complete=True)]
)
def test_a_plot_is_of_all_games(
    ends: MatchEnded | BaseException, runner: FakeRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[Path, list[GameRecord]]] = []
    monkeypatch.setattr(
        "kibitz.scripts.match.statistics.plot.plot_match",
        lambda path, records, settings: drawn.append((path, list(records))),
    )
    runner.ends = ends
    run("match.toml -plot x.svg")
    assert not drawn
    first, second = pair(1, "a", "b", "WD")
    runner.before, runner.games = (first,), [second]
    run("match.toml -plot x.svg")
    assert drawn == [(Path("x.svg"), [first, second])]


def test_a_plot_that_fails_is_said(runner: FakeRunner, capsys: pytest.CaptureFixture[str]) -> None:
    runner.games = pair(1, "a", "b", "WD")[:1]
    assert run("match.toml -plot x.svg") == 0
    assert capsys.readouterr().err.startswith("kibitz: no plot: x.svg: ")


def test_results_are_kept_and_resumed(runner: FakeRunner) -> None:
    assert run("match.toml -out deep/results -seed 9 -openings file=book.txt") == 0
    assert runner.had_journal
    before = runner.settings
    header, records = read_journal(Path("deep/results"))
    assert header.seed == 9
    assert header.settings["book"].startswith("sha256:")
    assert not records
    runner.settings = None
    assert run("-resume deep/results") == 0
    assert runner.settings == before
    assert runner.had_journal
    runner.settings = None
    assert run("match.toml -seed 9 -openings file=book.txt --resume deep/results") == 0
    assert runner.settings == before


def begin(line: str = "match.toml -out results") -> None:
    """Begin a match without playing any of it."""
    settings = plan(line).settings
    with Journal.create(Path("results"), head_of(settings), settings.seed):
        pass


def test_how_a_match_is_run_may_differ_when_it_is_resumed() -> None:
    begin()
    same = plan("-resume results").settings
    assert same.run == RunSettings(concurrency=2, out="results")
    for line in ("-resume results", "match.toml -resume results"):
        other = plan(f"{line} -concurrency 7 -recover -plot x.svg").settings
        assert other.run == RunSettings(concurrency=7, recover=True, out="results", plot="x.svg")
        assert msgspec.structs.replace(other, run=same.run) == same


DIFFERENT = [
    ("-resume results -rounds 4", "rounds is 3 there and 4 now"),
    ("-resume results -seed 4", "seed is not set there and 4 now"),
    ("-resume results -event new", "event is not set there and 'new' now"),
    ("-resume results -game krepost", "game is 'jarmo' there and 'krepost' now"),
    ("-resume results -option QuietLimit=3", "options is not set there"),
    ("-resume results -each depth=3", "engines[1].depth is not set there and 3 now"),
    ("-resume results -sprt elo0=0 elo1=5", "sprt is not set there"),
    ("-resume results -maxmoves 5", "adjudication is not set there"),
    ("-resume results -openings file=book.txt", "openings is not set there"),
    ("match.toml -resume results -tournament swiss", "kind is not set there and 'swiss' now"),
    (f"-resume results -engine cmd={PYTHON} st=1 -engine cmd={PYTHON} st=1", "engines[1]."),
]


@pytest.mark.parametrize(("line", "said"), DIFFERENT, ids=[line[:40] for line, _ in DIFFERENT])
def test_another_match_is_refused(line: str, said: str) -> None:
    begin()
    text = refusal(line)
    assert text.startswith("the match in results is another: ")
    assert said in text


def test_another_book_is_refused() -> None:
    begin("match.toml -out results -openings file=book.txt")
    assert plan("-resume results").settings.openings.file == "book.txt"
    Path("book.txt").write_text("startpos\nmoves a1a2\n")
    assert "book is 'sha256:" in refusal("-resume results")
    Path("book.txt").unlink()
    assert refusal("-resume results") == (
        "results/journal.jsonl: openings.file: 'book.txt' cannot be read: No such file or directory"
    )


def test_a_match_of_another_game_is_resumed() -> None:
    begin("match.toml -game other:hex -out results")
    assert plan("-resume results").settings.game == "hex"
    assert plan("-resume results -game other:hex").settings.game == "hex"
    assert plan("match.toml -game other:hex -resume results").settings.game == "hex"


def test_results_of_a_resumed_match_go_where_the_others_are() -> None:
    begin()
    assert plan("-resume results -out results").settings.run.out == "results"
    assert refusal("-resume results -out other") == (
        "-out: results go to the folder that is resumed, results"
    )
    Path("match.toml").write_text(FILE.replace("run = {", 'run = { out = "other",'))
    assert plan("match.toml -resume results").settings.run.out == "results"


def test_folders_that_cannot_be_resumed() -> None:
    assert refusal("-resume nowhere") == "nowhere holds no match"
    assert refusal("-resume match.toml") == "match.toml: cannot be read: Not a directory"
    begin()
    assert refusal("-resume results -resume results") == "-resume: it is there twice"
    for line in ("-resume", "-resume results match.toml", "-resume -rounds 4"):
        text = refusal(line)
        assert text.startswith("-resume: ")
        assert "-game" not in text
        assert "-engine" not in text


def test_a_journal_of_something_else_is_named() -> None:
    with Journal.create(Path("results"), {"game": "jarmo", "colour": "red"}, 1):
        pass
    text = refusal("-resume results")
    assert text.startswith("results/journal.jsonl: colour: there is no such key")
    assert "engines: is missing" in text


def test_a_folder_in_use_is_not_resumed(runner: FakeRunner) -> None:
    begin()
    with Journal.resume(Path("results")):
        assert run("-resume results") == 2
    assert runner.settings is None
    assert run("-resume results") == 0


def test_where_each_fault_came_from() -> None:
    Path("match.toml").write_text(FILE.replace("rounds = 3", "rounds = 0\ncolour = 'red'"))
    text = refusal("match.toml -games x -each tc=x -engine cmd=nix -engine tcp://h -sprt elo1=3")
    argued, _, filed = text.partition("match.toml: ")
    for what in (
        "-games: 'x' is not a whole number",
        "-each: tc: 'x' is not a clock",
        "-engine 1: cmd: there is no program 'nix' in PATH",
        "-engine 2: url: 'h' is not HOST:PORT",
        "-sprt: elo0: is missing",
    ):
        assert what in argued
    assert filed.startswith("rounds: 0 is not a whole number")
    assert "colour: there is no such key" in filed


def test_a_file_that_is_no_toml_is_told_with_wrong_arguments() -> None:
    Path("match.toml").write_text("game = [")
    text = refusal("match.toml -engin x")
    assert text.startswith("-engin: there is no such argument")
    assert "; match.toml: this is no TOML: " in text
    assert "missing" not in text


def test_files_that_cannot_be_read() -> None:
    assert refusal("nix.toml") == "nix.toml: cannot be read: No such file or directory"
    assert refusal(".") == ".: cannot be read: Is a directory"
    Path("match.toml").write_bytes(b"\xff")
    assert refusal("match.toml") == "match.toml: cannot be read: it is not UTF-8"


def test_a_folder_that_cannot_be_made(runner: FakeRunner) -> None:
    assert run(f"match.toml -out {'x' * 300}") == 2
    assert runner.settings is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "engines or a settings file are missing; kibitz match --help"),
        ("-rounds 3", "-game: is missing; -engine: is missing"),
        ("nix.toml", "nix.toml: cannot be read: No such file or directory"),
        ("match.toml -games 3 -rounds 0", "-rounds: 0 is not a whole number from 1"),
        ("-resume nowhere", "nowhere holds no match"),
    ],
)
def test_wrong_use_is_one_line(line: str, said: str) -> None:
    done = call(line)
    assert (done.returncode, done.stdout) == (2, "")
    (told,) = done.stderr.splitlines()
    assert told.startswith("kibitz: ")
    assert said in told


def call(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "match", *shlex.split(line)],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )


STONES = f"-game other:stones -engine 'cmd={command('stones')}' name=a -engine 'cmd={{}}' name=b"


def test_a_real_match_of_a_game_that_only_the_engines_know() -> None:
    line = f"{STONES.format(command('stones', '--seed', '5'))} -each depth=1"
    done = call(f"{line} -rounds 2 -out results --json")
    assert (done.returncode, done.stderr) == (0, "")
    kinds = [json.loads(text)["event"] for text in done.stdout.splitlines()]
    assert kinds[0] == "match_began"
    assert kinds.count("game_ended") == 4
    assert kinds.count("match_ended") == 1
    assert len(read_journal(Path("results"))[1]) == 4
    again = call("-resume results")
    assert (again.returncode, again.stderr) == (0, "")
    assert "Finished before: 4 of 4 games" in again.stdout
    assert len(read_journal(Path("results"))[1]) == 4


@pytest.mark.parametrize("view", ["", "--json"])
def test_a_real_match_that_nobody_looks_at(view: str) -> None:
    line = f"{STONES.format(command('stones', '--seed', '5'))} -each depth=1 -out results {view}"
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*PROGRAM, "match", *shlex.split(line)],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANGS_AFTER,
            check=False,
        )
    finally:
        os.close(writer)
    games = len(read_journal(Path("results"))[1])
    assert (done.returncode, done.stderr) == (
        1,
        f"kibitz: nobody reads the output any more; {games} games count; "
        "to go on: kibitz match -resume results\n",
    )


def test_a_real_engine_that_is_none() -> None:
    done = call(f"{STONES.format('true')} -each depth=1 -out results")
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert told.startswith("kibitz: b: ")
    assert "resume" not in told
