"""What settings are together: a table of everything that can be wrong, told at once."""

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from kibitz.scripts.match.records.journal import JOURNAL, Journal
from kibitz.scripts.match.records.records import Result
from kibitz.scripts.match.settings import settings_checks
from kibitz.scripts.match.settings.engine_checks import (
    command_of,
    processors_of_machine,
    read_token,
)
from kibitz.scripts.match.settings.faults import Faults
from kibitz.scripts.match.settings.match_settings import EngineSettings, MatchSettings, game_of
from kibitz.scripts.match.settings.settings_checks import check_settings
from kibitz.scripts.match.settings.settings_file import settings_of
from kibitz.scripts.match.statistics.plot import PlotError
from tests.scripts.match.whole_matches import game

PYTHON = shlex.quote(sys.executable)
ONE: dict[str, Any] = {"cmd": PYTHON, "st": "10ms"}
TWO: dict[str, Any] = {"game": "jarmo", "engines": [ONE, ONE]}
PROCESSORS = frozenset({0, 1, 5})


def faults_of(table: dict[str, Any], *, is_new: bool = True) -> dict[str, str]:
    faults = Faults()
    reading = settings_of(table, faults)
    check_settings(reading, faults, is_new=is_new, processors=PROCESSORS)
    return dict(faults)


def engines(**second: Any) -> dict[str, Any]:
    """Give a match whose second engine has these settings, beside the usual ones."""
    usual = {key: value for key, value in ONE.items() if key not in second}
    engine = {key: value for key, value in (usual | second).items() if value is not None}
    return {**TWO, "engines": [ONE, engine]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder with some files."""
    (tmp_path / "token").write_text("  secret-token \nmore\n")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "two words").write_text("secret token\n")
    (tmp_path / "latin").write_bytes(b"\xe9\xff\n")
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    program = tmp_path / "bin" / "program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    spaced = tmp_path / "my program"
    spaced.write_text("#!/bin/sh\n")
    spaced.chmod(0o755)
    (tmp_path / "good.txt").write_text("startpos\nmoves a1a2\n")
    (tmp_path / "deals.txt").write_text("deal 1\ndeal 2\n")
    (tmp_path / "bad.txt").write_text("startpos\n# x\nmoves a1a9\n")
    (tmp_path / "none.txt").write_text("# nothing\n")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RIGHT: list[dict[str, Any]] = [
    TWO,
    engines(st=None, depth=3),
    engines(st=None, nodes=3),
    engines(st=None, tc="10+1"),
    engines(depth=3, nodes=3),
    engines(affinity=[0, 5]),
    engines(cmd="sh -c 'exit 1'"),
    engines(cmd="./bin/program"),
    engines(cmd="./program", cwd="bin"),
    engines(cmd="'./my program' x"),
    engines(cmd=None, url="tcp://localhost:4880"),
    engines(cmd=None, url="tls://localhost:4880", ca="plain", token_file="token"),
    {**TWO, "each": {"ca": "plain", "affinity": [0], "cwd": "bin"}},
    {**TWO, "games": 1},
    {**TWO, "games": 10, "sprt": {"elo0": 0, "elo1": 5}},
    {**TWO, "kind": "gauntlet"},
    {**TWO, "decide": "points"},
    {**TWO, "run": {"plot": "x.svg"}},
    {**TWO, "kind": "swiss", "rounds": 9},
    {**TWO, "engines": [ONE, ONE, ONE], "kind": "gauntlet", "seeds": 2},
    {**TWO, "game": "krepost", "options": {"halfstone": "White", "QuietLimit": 30}},
    {**TWO, "openings": {"file": "good.txt", "order": "random"}},
    {**TWO, "game": "trollchess", "openings": {"file": "deals.txt"}},
    {**TWO, "game": "other:hex", "openings": {"file": "bad.txt"}},
    {**TWO, "game": "krepost", "adjudication": {"count": {}}, "options": {"BoardSize": 8}},
    {**TWO, "adjudication": {"resign": {}, "draw": {}, "maxmoves": 3}},
    {**TWO, "run": {"out": "new/results"}},
    {**TWO, "run": {"out": "bin"}},
    {**TWO, "run": {"concurrency": 9, "recover": True}},
]


@pytest.mark.parametrize("table", RIGHT, ids=repr)
def test_what_is_right(table: dict[str, Any]) -> None:
    assert faults_of(table) == {}


WRONG: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({**TWO, "engines": []}, {"engines": "a match needs two engines at least, and there are 0"}),
    ({**TWO, "engines": [ONE]}, {"engines": "a match needs two engines at least, and there are 1"}),
    (
        {**TWO, "engines": [{**ONE, "name": "a"}, ONE, {**ONE, "name": "a"}]},
        {"engines[3].name": "'a' is the name of engine 1 already"},
    ),
    (engines(url="tcp://h:1"), {"engines[2]": "it has a cmd and a url, and can have one of them"}),
    (engines(cmd=None), {"engines[2]": "it has neither a cmd nor a url"}),
    (engines(tc="10"), {"engines[2]": "it has tc and st, and can have one of them only"}),
    (
        engines(st=None),
        {"engines[2]": "nothing bounds its searches: give it tc, st, depth or node"},
    ),
    (engines(cmd="nix-da"), {"engines[2].cmd": "there is no program 'nix-da' in PATH"}),
    (engines(cmd="./nix x"), {"engines[2].cmd": "there is no program './nix' here"}),
    (engines(cmd="./program"), {"engines[2].cmd": "there is no program './program' here"}),
    (
        engines(cmd="./bin/program", cwd="bin"),
        {"engines[2].cmd": "there is no program './bin/program' in 'bin'"},
    ),
    (engines(cmd="./plain"), {"engines[2].cmd": "'./plain' is not a program: it may not be exec"}),
    (engines(cmd="./bin"), {"engines[2].cmd": "there is no program './bin' here"}),
    (
        engines(cmd="./my program"),
        {"engines[2].cmd": "there is no program './my'; a path with blanks needs quotes in it"},
    ),
    (engines(cmd="sh 'x"), {"engines[2].cmd": "'sh 'x' is not a command: no closing quotation"}),
    (engines(cmd=" "), {"engines[2].cmd": "' ' names no program"}),
    (engines(cmd="'' x"), {"engines[2].cmd": "''' x' names no program"}),
    (engines(cmd=f"./{'x' * 5000}"), {"engines[2].cmd": "there is no program './xxx"}),
    (
        {**TWO, "each": {"cmd": "nix"}, "engines": [{"st": 1}, {"st": 1}]},
        {"each.cmd": "there is no program 'nix' in PATH"},
    ),
    (engines(cwd="nowhere"), {"engines[2].cwd": "there is no folder 'nowhere'"}),
    (engines(cwd="plain"), {"engines[2].cwd": "there is no folder 'plain'"}),
    (
        engines(cmd=None, url="h:1"),
        {"engines[2].url": "'h:1' is not tcp://HOST:PORT or tls://HOST"},
    ),
    (engines(cmd=None, url="tcp://h"), {"engines[2].url": "'h' is not HOST:PORT"}),
    (engines(cmd=None, url="tcp://h:70000"), {"engines[2].url": "'h:70000' is not HOST:PORT"}),
    (
        engines(cmd=None, url="tcp://h:1", cwd="bin"),
        {"engines[2].cwd": "a server is not started here; this is for a cmd"},
    ),
    (
        engines(cmd=None, url="tcp://h:1", affinity=[0]),
        {"engines[2].affinity": "a server has its own processors; this is for a cmd"},
    ),
    (
        engines(affinity=[0, 2, 7]),
        {"engines[2].affinity": "there is no processor 2, 7 for us (there are 0, 1, 5)"},
    ),
    (
        engines(affinity=[*range(10, 4000)]),
        {
            "engines[2].affinity": "there is no processor 10, 11, 12, 13, 14, 15, 16, 17, ... 3999 "
            "for us (there are 0, 1, 5)"
        },
    ),
    (engines(affinity=[1, 1]), {"engines[2].affinity": "a processor is there twice"}),
    (
        {**TWO, "each": {"affinity": [9]}},
        {"each.affinity": "there is no processor 9 for us (there are 0, 1, 5)"},
    ),
    (
        engines(token_file="token"),
        {"engines[2].token_file": "a program is not asked for a token; this is for a url"},
    ),
    (engines(ca="plain"), {"engines[2].ca": "a program has no certificate; this is for a url"}),
    (
        engines(cmd=None, url="tcp://h:1", ca="plain"),
        {"engines[2].ca": "only tls:// has certificates"},
    ),
    (
        engines(cmd=None, url="tls://h:1", ca="nix"),
        {"engines[2].ca": "'nix' cannot be read: No such file or directory"},
    ),
    *(
        (engines(cmd=None, url="tcp://h:1", token_file=file), {"engines[2].token_file": what})
        for file, what in (
            ("nix", "'nix' cannot be read: No such file or directory"),
            ("bin", "'bin' cannot be read: Is a directory"),
            ("latin", "'latin' cannot be read: it is not UTF-8"),
            ("empty", "'empty': its first line is empty"),
            ("two words", "'two words': the token is not one word"),
        )
    ),
    (
        {**TWO, "options": {"BoardSize": 3, "QuietLimt": 3}},
        {
            "options.BoardSize": "jarmo has no such option (known are Board, QuietLimit)",
            "options.QuietLimt": "jarmo has no such option (did you mean QuietLimit?)",
        },
    ),
    (
        {**TWO, "game": "krepost", "options": {"halfstone": "red", "quietlimit": True}},
        {
            "options.HalfStone": "'red' is not one of none, white, black",
            "options.QuietLimit": "'true' is not a whole number",
        },
    ),
    (
        {**TWO, "game": "krepost", "options": {"BoardSize": 12, "Fortresses": "x"}},
        {"options.Fortresses": "'x' is neither usual nor like "},
    ),
    (
        {**TWO, "game": "other:hex", "options": {"Size": 3}},
        {"options.Size": "kibitz does not know the game; give the engines their options"},
    ),
    ({**TWO, "games": 3}, {"games": "3 is neither 1 nor an even number"}),
    ({**TWO, "seeds": 2}, {"seeds": "only a gauntlet has seeds, and this is a roundrobin"}),
    (
        {**TWO, "seeds": 2, "kind": "swiss"},
        {"seeds": "only a gauntlet has seeds, and this is a swiss"},
    ),
    ({**TWO, "seeds": 2, "kind": "gauntlet"}, {"seeds": "2 is not from 1 to 1"}),
    (
        {**TWO, "seeds": 2, "kind": "gauntlet", "games": 5},
        {"seeds": "2 is not from 1 to 1", "games": "5 is neither 1 nor an even number"},
    ),
    (
        {**TWO, "sprt": {"elo0": 5, "elo1": 5}},
        {"sprt": "elo0=5.0 is not below elo1=5.0"},
    ),
    (
        {**TWO, "sprt": {"elo0": -3000, "elo1": 5}},
        {"sprt": "elo0=-3000.0: not within 2000 of 0"},
    ),
    (
        {**TWO, "engines": [ONE, ONE, ONE], "sprt": {"elo0": 0, "elo1": 5}},
        {"sprt": "it tests two engines against each other, and there are 3"},
    ),
    (
        {**TWO, "games": 1, "sprt": {"elo0": 0, "elo1": 5}},
        {"sprt": "it needs pairs of games, so an even number of games"},
    ),
    (
        {**TWO, "adjudication": {"count": {}}},
        {"adjudication.count": "only krepost has a count, and this is jarmo"},
    ),
    (
        {**TWO, "game": "other:hex", "adjudication": {"count": {}}},
        {"adjudication.count": "only krepost has a count, and this is hex"},
    ),
    (
        {**TWO, "openings": {"order": "random"}},
        {"openings.order": "there is no file of openings that it could order"},
    ),
    *(
        ({**TWO, "openings": {"file": file}}, {"openings.file": what})
        for file, what in (
            ("nix", "'nix' cannot be read: No such file or directory"),
            ("bin", "'bin' cannot be read: Is a directory"),
            ("latin", "'latin' cannot be read: it is not UTF-8"),
            ("bad.txt", "'bad.txt': line 3: "),
            # Whoever opened it would wait for a writer.
            ("pipe", "'pipe' is not a file that can be read again"),
            ("/dev/null", "'/dev/null' is not a file that can be read again"),
            ("none.txt", "'none.txt': the book has no openings"),
            ("deals.txt", "'deals.txt': line 1: deal: jarmo is not dealt"),
        )
    ),
    (
        {**TWO, "game": "other:hex", "openings": {"file": "plain"}},
        {"openings.file": "'plain': the book has no openings"},
    ),
    (
        {**TWO, "game": "other:hex", "openings": {"file": "token"}},
        {"openings.file": "'token': line 1: 'secret-token' is not one of "},
    ),
    ({**TWO, "run": {"out": "plain"}}, {"run.out": "'plain' cannot be a folder: "}),
    ({**TWO, "run": {"out": "plain/x/y"}}, {"run.out": "'plain/x/y' cannot be a folder: "}),
    (
        {**TWO, "engines": [ONE, ONE, ONE], "run": {"plot": "x.svg"}},
        {"run.plot": "a plot is of a match of two engines, and there are 3"},
    ),
    (
        {**TWO, "games": 1, "decide": "points"},
        {"decide": "points decide pairs, so it needs an even number of games"},
    ),
    ({**TWO, "run": {"plot": "x.jpg"}}, {"run.plot": "x.jpg: a plot is a .png or .svg file"}),
    ({**TWO, "run": {"plot": "nix/x.svg"}}, {"run.plot": "'nix/x.svg' is not a file in a folder"}),
]


@pytest.mark.parametrize(("table", "wanted"), WRONG, ids=[repr(table) for table, _ in WRONG])
def test_what_is_wrong(table: dict[str, Any], wanted: dict[str, str]) -> None:
    faults = faults_of(table)
    assert sorted(faults) == sorted(wanted)
    for path, what in wanted.items():
        assert faults[path].startswith(what)
    assert "secret token" not in repr(faults)


def test_all_that_is_wrong_is_told_at_once() -> None:
    together: dict[str, Any] = {
        "game": "jarmo",
        "games": 3,
        "seeds": 2,
        "rounds": 0,
        "colour": "red",
        "options": {"x": 1},
        "engines": [
            {"cmd": "nix", "name": "a", "st": 1},
            {"url": "x", "name": "a", "depth": 1, "affinity": [0]},
            {"tcc": 3},
            {},
        ],
        "sprt": {"elo0": 5, "elo1": 0},
        "openings": {"file": "nix"},
        "adjudication": {"count": {}},
        "run": {"out": "plain", "plot": "x"},
    }
    assert set(faults_of(together)) == {
        "games",
        "seeds",
        "rounds",
        "colour",
        "options.x",
        "engines[1].cmd",
        "engines[2].name",
        "engines[2].url",
        "engines[2].affinity",
        "engines[3].tcc",
        "engines[4]",
        "sprt",
        "openings.file",
        "adjudication.count",
        "run.out",
        "run.plot",
    }


@pytest.mark.parametrize(
    ("table", "paths"),
    [
        ({**TWO, "engines": 3}, ["engines"]),
        ({**TWO, "engines": [3, ONE]}, ["engines[1]"]),
        (engines(cmd=3), ["engines[2].cmd"]),
        (engines(st="x"), ["engines[2].st"]),
        (engines(st=None, dept=3), ["engines[2].dept"]),
        ({**TWO, "each": {"tc": "x"}, "engines": [{"cmd": PYTHON}, ONE]}, ["each.tc"]),
        ({**TWO, "game": "krepos", "options": {"BoardSize": 3}}, ["game"]),
        ({**TWO, "game": 3, "adjudication": {"count": {}}}, ["game"]),
        ({**TWO, "game": "krepos", "openings": {"file": "bad.txt"}}, ["game"]),
        ({**TWO, "options": {"board": "moon"}, "openings": {"file": "bad.txt"}}, ["options.Board"]),
        ({**TWO, "kind": "swis", "seeds": 3}, ["kind"]),
        ({**TWO, "games": "x", "sprt": {"elo0": 0, "elo1": 1}}, ["games"]),
        ({**TWO, "sprt": {"elo0": 3, "elo1": "x"}}, ["sprt.elo1"]),
        ({**TWO, "openings": {"order": "x"}}, ["openings.order"]),
        ({**TWO, "openings": {"fil": "good.txt", "order": "random"}}, ["openings.fil"]),
    ],
    ids=repr,
)
def test_one_mistake_is_told_once(table: dict[str, Any], paths: list[str]) -> None:
    assert list(faults_of(table)) == paths


def test_a_folder_that_holds_a_match() -> None:
    table = {**TWO, "run": {"out": "results"}}
    with Journal.create(Path("results"), {}, 1) as journal:
        # Nothing is lost when another match begins where no game counts.
        assert faults_of(table) == {}
        journal.append(game(1, "a", "b", Result.DRAW))
    assert list(faults_of(table)) == ["run.out"]
    assert "-resume goes on with it" in faults_of(table)["run.out"]
    assert faults_of(table, is_new=False) == {}


def test_a_folder_whose_journal_cannot_be_read_is_left_alone(here: Path) -> None:
    (here / "results").mkdir()
    (here / "results" / JOURNAL).write_text("{}\n")
    assert list(faults_of({**TWO, "run": {"out": "results"}})) == ["run.out"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(here: Path) -> None:
    here.chmod(0o500)
    table = {**TWO, "run": {"out": "results/new", "plot": "x.svg"}}
    try:
        faults = faults_of(table)
    finally:
        here.chmod(0o700)
    assert "nothing can be made in" in faults["run.out"]
    assert "cannot be written" in faults["run.plot"]


def test_what_may_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    faults = faults_of({**TWO, "run": {"out": "results/new", "plot": "x.svg"}})
    assert "nothing can be made in" in faults["run.out"]
    assert "cannot be written" in faults["run.plot"]


def test_plots_need_their_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PlotError("plots need matplotlib")

    monkeypatch.setattr(settings_checks, "check_plot", refuse)
    assert faults_of({**TWO, "run": {"plot": "x.svg"}}) == {"run.plot": "plots need matplotlib"}


def test_tokens() -> None:
    assert read_token("token") == "secret-token"


def test_the_processors_of_this_machine() -> None:
    assert processors_of_machine() == os.sched_getaffinity(0)
    faults = Faults()
    table = engines(affinity=[min(os.sched_getaffinity(0))])
    check_settings(settings_of(table, faults), faults)
    assert not faults


def test_commands_are_split_like_a_shell_does() -> None:
    assert command_of(EngineSettings(cmd="a 'b c' d\\ e")) == ["a", "b c", "d e"]


def read(table: dict[str, Any]) -> MatchSettings:
    faults = Faults()
    settings = settings_of(table, faults).settings
    assert not faults
    return settings


def test_games() -> None:
    ours = game_of(read(TWO))
    assert ours is not None
    assert ours.name == "jarmo"
    assert game_of(read({**TWO, "game": "other:hex"})) is None
