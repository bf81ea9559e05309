"""Arguments of `kibitz match`: the same as a file, and named by their own words when wrong."""

import shlex
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from kibitz.scripts.match.settings.argument_table import (
    ELSEWHERE,
    ENGINE_WORDS,
    HELP,
    NAMES,
    SINGLES,
    TABLES,
    argument_of,
)
from kibitz.scripts.match.settings.faults import Faults, SettingsError
from kibitz.scripts.match.settings.match_arguments import (
    Arguments,
    Origins,
    merged,
    read_arguments,
    read_match_arguments,
)
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.settings.settings_file import parse_toml, read_settings_file, settings_of
from tests.scripts.match.settings.test_settings_file import PATHS

TWO = "-game jarmo -engine cmd=one st=10ms -engine cmd=two st=10ms"


def read(line: str) -> MatchSettings:
    return read_match_arguments(shlex.split(line))


def said(line: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(line)
    text = str(caught.value)
    assert text.isprintable()
    return text


def arguments_of(line: str) -> Arguments:
    faults = Faults()
    arguments = read_arguments(shlex.split(line), faults)
    assert not dict(faults)
    return arguments


def test_the_words_that_testers_know() -> None:
    settings = read(
        "-engine cmd=./new name=new proto=ugi option.Hash=64 tc=10+0.1 "
        "-engine tcp://host:4880 token_file=token -each tc=1+0.01 timemargin=20 -games 2 "
        "-rounds 500 -concurrency 2 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized "
        "-openings file=book.txt order=random -recover -out results/ -game jarmo"
    )
    assert settings == read_settings_file(
        """
        game = "jarmo"
        games = 2
        rounds = 500
        each = { tc = "1+0.01", margin = 20 }
        sprt = { elo0 = 0, elo1 = 5 }
        openings = { file = "book.txt", order = "random" }
        run = { concurrency = 2, recover = true, out = "results/" }
        [[engines]]
        cmd = "./new"
        name = "new"
        proto = "ugi"
        options = { Hash = 64 }
        tc = "10+0.1"
        [[engines]]
        url = "tcp://host:4880"
        token_file = "token"
        """
    )


SAME = [
    ("-event 'two words'", "event = 'two words'"),
    ("-event=--x", "event = '--x'"),
    ("--games 4", "games = 4"),
    ("-rounds=7", "rounds = 7"),
    ("-tournament gauntlet", "kind = 'gauntlet'"),
    ("-seeds 2", "seeds = 2"),
    ("-tournament round-robin", "kind = 'roundrobin'"),
    ("-tournament swiss", "kind = 'swiss'"),
    ("-kind swiss", "kind = 'swiss'"),
    ("-srand 5", "seed = 5"),
    ("-seed 5", "seed = 5"),
    ("-option Board=mountain QuietLimit=9", "options = { Board = 'mountain', QuietLimit = 9 }"),
    ("-option Board=mountain -option QuietLimit=", "options = {Board='mountain', QuietLimit=''}"),
    ("-openings file=a.txt", "openings = { file = 'a.txt' }"),
    ("-openings file=a.txt order=RANDOM", "openings = { file = 'a.txt', order = 'random' }"),
    ("-sprt elo0=-1.5 elo1=3", "sprt = { elo0 = -1.5, elo1 = 3 }"),
    (
        "-sprt elo0=0 elo1=3 alpha=0.1 beta=0.01 model=logistic",
        "sprt = { elo0 = 0, elo1 = 3, alpha = 0.1, beta = 0.01, model = 'logistic' }",
    ),
    ("-resign", "adjudication = { resign = {} }"),
    (
        "-resign movecount=2 score=300 twosided=false",
        "adjudication.resign = { movecount = 2, score = 300, twosided = false }",
    ),
    ("-resign twosided", "adjudication.resign = { twosided = true }"),
    (
        "-draw movenumber=2 movecount=3 score=0",
        "adjudication.draw = { movenumber = 2, movecount = 3, score = 0 }",
    ),
    (
        "-count movenumber=2 movecount=3 score=0",
        "adjudication.count = { movenumber = 2, movecount = 3, score = 0 }",
    ),
    ("-decide points", "decide = 'points'"),
    ("-report_every 3", "run.report_every = 3"),
    ("--report-every 3", "run.report_every = 3"),
    ("-ratinginterval 3", "run.report_every = 3"),
    ("-maxmoves 100", "adjudication.maxmoves = 100"),
    ("-concurrency 3", "run.concurrency = 3"),
    ("-recover", "run.recover = true"),
    ("-recover off", "run.recover = false"),
    ("-out 'my results'", "run.out = 'my results'"),
    ("-plot a.svg", "run.plot = 'a.svg'"),
    ("--each depth=3", "each = { depth = 3 }"),
    ("-each option.Hash=3 option.hash=3", "each = { options = { Hash = 3, hash = 3 } }"),
]


@pytest.mark.parametrize(("line", "text"), SAME, ids=[line for line, _ in SAME])
def test_arguments_are_the_same_as_a_file(line: str, text: str) -> None:
    file = (
        'game = "jarmo"\n'
        f"{text}\n"
        '[[engines]]\ncmd = "one"\nst = "10ms"\n[[engines]]\ncmd = "two"\nst = "10ms"\n'
    )
    faults, others = Faults(), Faults()
    arguments = read_arguments(shlex.split(f"{TWO} {line}"), faults)
    reading = settings_of(merged({}, arguments, faults), faults)
    assert reading == settings_of(parse_toml(file, others), others)
    assert dict(faults) == dict(others)


ENGINES: list[tuple[str, dict[str, Any]]] = [
    ("cmd=one", {"cmd": "one"}),
    ("'cmd=one -x'", {"cmd": "one -x"}),
    ("cmd=one arg=--fast 'arg=two words'", {"cmd": "one --fast 'two words'"}),
    ("arg=a=b cmd=one", {"cmd": "one a=b"}),
    ("cmd=one 'args=-a -b'", {"cmd": "one -a -b"}),
    ("url=tcp://h:1", {"url": "tcp://h:1"}),
    ("tls://h:1", {"url": "tls://h:1"}),
    ("name='a b'", {"name": "a b"}),
    ("dir=/tmp", {"cwd": "/tmp"}),
    ("cwd=/tmp", {"cwd": "/tmp"}),
    ("proto=uci", {"proto": "uci"}),
    ("option.Hash=64", {"options": {"Hash": "64"}}),
    ("'option.Clear Hash='", {"options": {"Clear Hash": ""}}),
    ("option.File=a=b", {"options": {"File": "a=b"}}),
    ("tc=40/1:30+1", {"tc": "40/1:30+1"}),
    ("st=0.5", {"st": "0.5"}),
    ("depth=7", {"depth": 7}),
    ("nodes=1000", {"nodes": 1000}),
    ("timemargin=9", {"margin": 9}),
    ("margin=9", {"margin": 9}),
    ("timeout=2.5", {"timeout": 2.5}),
    ("longest=60", {"longest": 60}),
    ("ponder", {"ponder": True}),
    ("ponder=no", {"ponder": False}),
    ("restart=on", {"restart": True}),
    ("restart=off", {"restart": False}),
    ("affinity=1", {"affinity": [1]}),
    ("affinity=0,2-4", {"affinity": [0, 2, 3, 4]}),
    ("token_file=t", {"token_file": "t"}),
    ("ca=c", {"ca": "c"}),
]


@pytest.mark.parametrize(("line", "table"), ENGINES, ids=[line for line, _ in ENGINES])
def test_keys_of_engines(line: str, table: dict[str, Any]) -> None:
    faults, others = Faults(), Faults()
    arguments = read_arguments(shlex.split(f"-engine {line}"), faults)
    given = merged({}, arguments, faults)
    assert settings_of(given, faults) == settings_of({"engines": [table]}, others)
    assert dict(faults) == dict(others) == {"game": "is missing"}


def test_every_key_of_an_engine_is_tried() -> None:
    tried = {line.partition("=")[0].strip("'") for line, _ in ENGINES}
    assert tried >= set(ENGINE_WORDS)


def test_every_argument_is_tried_and_in_the_help() -> None:
    tried = {line.partition(" ")[0].partition("=")[0].lstrip("-") for line, _ in SAME}
    assert tried | {"engine", "game", "resume", "json", "help"} >= set(NAMES)
    for name in NAMES:
        assert f" -{name}" in HELP or f" --{name}" in HELP
    for word in ENGINE_WORDS:
        assert f" {word}" in HELP
    for path, shape in TABLES.values():
        if path not in ("engines", "each"):
            for field in msgspec.structs.fields(shape):
                assert f"{field.name}=" in HELP
    assert max(map(len, HELP.splitlines())) <= 90


@pytest.mark.parametrize("path", PATHS)
def test_every_setting_has_an_argument(path: str) -> None:
    if path in ("adjudication", "run"):
        return
    name = argument_of(path)
    assert name != path
    assert name.removeprefix("-").partition(":")[0].partition(" ")[0] in NAMES


def test_arguments_of_each_belong_to_its_program() -> None:
    settings = read("-game jarmo -each cmd=kibitz arg=-x -engine arg=-y -engine name=z")
    assert [engine.cmd for engine in settings.engines] == ["kibitz -x -y", "kibitz -x"]


WRONG = [
    ("-engin cmd=x", "-engin: there is no such argument (did you mean -engine?)"),
    ("--zzz 3", "-zzz: there is no such argument (known are -engine, "),
    ("-rounds", "-rounds: its value is missing"),
    ("-rounds x", "-rounds: 'x' is not a whole number from 1 to 1000000000"),
    ("-rounds 0", "-rounds: 0 is not a whole number"),
    ("-rounds 1.5", "-rounds: '1.5' is not a whole number"),
    ("-rounds 1 2", "-rounds: it takes one value, and there are 2"),
    ("-rounds 5 match.toml", "a settings file comes before all arguments"),
    ("-rounds 5 -rounds 6", "-rounds: it is there twice"),
    ("-seed 5 -srand 6", "-srand: it is there twice"),
    ("-seed x", "-seed: 'x' is not a whole number"),
    ("-srand x", "-srand: 'x' is not a whole number"),
    ("-each depth=1 -each nodes=1", "-each: it is there twice"),
    ("-event ''", "-event: an empty text is not a text that means anything"),
    ("-tournament knockout", "-tournament: 'knockout' is not one of roundrobin, gauntlet, swiss"),
    ("-tournament gaunlet", "(did you mean gauntlet?)"),
    ("-recover maybe", "-recover: 'maybe' is not true or false"),
    ("-json 3", "-json: it takes no value, and there is '3'"),
    ("-resume", "-resume: its value is missing"),
    ("-option", "-option: NAME=VALUE is missing"),
    ("-option Board", "-option: 'Board' is not NAME=VALUE"),
    ("-option Board=a Board=b", "-option: Board: it is there twice"),
    ("-option Board=a board=b", "-option: board: it is there twice, also as Board"),
    ("-openings book.txt", "-openings: 'book.txt' is not KEY=VALUE (known are file, order)"),
    ("-openings fil=x", "-openings: fil: there is no such key (did you mean file?)"),
    ("-openings file", "-openings: file: its value is missing: file=VALUE"),
    ("-openings file=", "-openings: file: an empty text"),
    ("-openings file=x order=any", "-openings: order: 'any' is not one of sequential, random"),
    ("-sprt", "-sprt: elo0: is missing; -sprt: elo1: is missing"),
    ("-sprt elo0=0 elo1=x", "-sprt: elo1: 'x' is not a number"),
    ("-sprt elo0=0 elo1=nan", "-sprt: elo1: nan is not a finite number"),
    ("-sprt elo0=0 elo1=1 alpha=0.5", "-sprt: alpha: 0.5 is not a number above 0 and below 0.5"),
    ("-sprt elo0=0 elo1=1 elo1=2", "-sprt: elo1: it is there twice"),
    ("-sprt elo0=0 elo1=1 modle=logistic", "-sprt: modle: there is no such key (did you mean mod"),
    ("-resign score=x", "-resign: score: 'x' is not a whole number"),
    ("-resign twosided=maybe", "-resign: twosided: 'maybe' is not true or false"),
    ("-draw score=-1", "-draw: score: -1 is not a whole number from 0"),
    ("-count colour=1", "-count: colour: there is no such key (known are movecount, movenumber, "),
    ("-maxmoves 0", "-maxmoves: 0 is not a whole number from 1"),
    ("-concurrency 0", "-concurrency: 0 is not a whole number from 1 to 1024"),
    ("-each tc=10+x", "-each: tc: '10+x' is not a clock"),
    ("-each name=x", "-each: name: a name belongs to one engine only"),
    ("-each arg=x", "-each: arg: there is no cmd that it belongs to"),
    ("-engine tc=10+x", "-engine 3: tc: '10+x' is not a clock"),
    ("-engine colour=x", "-engine 3: colour: there is no such key (known are name, cmd, "),
    ("-engine tcc=1", "-engine 3: tcc: there is no such key (did you mean tc?)"),
    (
        "-engine timemargn=1",
        "-engine 3: timemargn: there is no such key (did you mean timemargin?)",
    ),
    ("-engine timemargin=-1", "-engine 3: timemargin: -1 is not a whole number"),
    ("-engine margin=-1", "-engine 3: margin: -1 is not a whole number"),
    ("-engine margin=1 timemargin=1", "-engine 3: timemargin: it is there twice"),
    ("-engine ./kibitz", "-engine 3: './kibitz' is not KEY=VALUE"),
    ("-engine pondr", "-engine 3: 'pondr' is not KEY=VALUE (did you mean ponder?)"),
    ("-engine cmd", "-engine 3: cmd: its value is missing: cmd=VALUE"),
    ("-engine arg=x", "-engine 3: arg: there is no cmd that it belongs to"),
    ("-engine tcp://h:1 arg=x", "-engine 3: arg: there is no cmd that it belongs to"),
    ("-engine tcp://h:1 url=tcp://h:2", "-engine 3: url: it is there twice"),
    ("-engine option.Hash", "-engine 3: 'option.Hash' is not KEY=VALUE"),
    ("-engine option.=3", "-engine 3: option.: this is not the name of an option"),
    ("-engine option.A=1 option.A=2", "-engine 3: option.A: it is there twice"),
    ("-engine option.A=1 option.a=2", "-engine 3: option.a: it is there twice, also as A"),
    ("-engine restart=auto", "-engine 3: restart: 'auto' is not true or false"),
    *(
        (
            f"-engine affinity={text}",
            f"-engine 3: affinity: '{text}' is not a list of processors, such as 0,2-3",
        )
        for text in ("x", "3-1", "-1", "0,,1", "0-", "1.5", "0-9999", "0-99999999999", "4096")
    ),
    ("-engine affinity=", "-engine 3: affinity: an empty text is not a list of processors, such"),
    ("-each affinity=3-1", "-each: affinity: '3-1' is not a list of processors"),
    ("-engine arg", "-engine 3: arg: its value is missing: arg=TEXT"),
    ("-engine cmd=a args", "-engine 3: arg: its value is missing: args=TEXT"),
    ("-each arg", "-each: arg: its value is missing: arg=TEXT"),
    ("-each", "-each: KEY=VALUE is missing"),
    ("-openings", "-openings: KEY=VALUE is missing"),
    ("-engine dir=", "-engine 3: dir: an empty text"),
    ("-engine proto=usi", "-engine 3: proto: 'usi' is not one of auto, ugi, uci"),
    ("-engine depth=0 st=0", "-engine 3: depth: 0 is not a whole number from 1"),
    ("-engine $'cmd=a\nb'", "-engine 3: cmd: "),
    *(
        (f"-{name} x", f"-{name}: there is no such argument: {what}")
        for name, what in ELSEWHERE.items()
    ),
]


@pytest.mark.parametrize(("line", "what"), WRONG, ids=[line for line, _ in WRONG])
def test_wrong_arguments_are_named(line: str, what: str) -> None:
    line = line.replace("$'cmd=a\nb'", "'cmd=a\nb'")
    assert what in said(f"{TWO} {line}")


def test_nothing_else_is_told_than_what_is_wrong() -> None:
    assert said(f"{TWO} -rounds") == "-rounds: its value is missing"
    assert said("-engine cmd=a -engine cmd=b -game") == "-game: its value is missing"
    assert said("-rounds 3") == "-game: is missing; -engine: is missing"


def test_all_that_is_wrong_is_told_at_once() -> None:
    text = said(" ".join([TWO, *(line for line, _ in WRONG[:4]), "-sprt", "-engine tcc=3"]))
    for what in (
        "-engin: there is no such argument",
        "-zzz: there is no such argument",
        "-rounds: its value is missing",
        "-rounds: it is there twice",
        "-sprt: elo0: is missing",
        "-engine 3: tcc: ",
    ):
        assert what in text


def test_what_is_not_a_setting() -> None:
    arguments = arguments_of("match.toml --resume results --json -h")
    assert arguments.file == "match.toml"
    assert arguments.resume == "results"
    assert arguments.is_json
    assert arguments.wants_help
    assert not arguments.values
    assert arguments_of("").file is None


FILE: dict[str, Any] = {
    "game": "jarmo",
    "rounds": 3,
    "options": {"Board": "mountain", "QuietLimit": 3},
    "each": {"tc": "10", "options": {"Hash": 3, "Threads": 1}, "cmd": "file"},
    "engines": [{"name": "a"}, {"name": "b", "tc": "20"}],
    "sprt": {"elo0": 0, "elo1": 5},
    "adjudication": {"resign": {"score": 3}, "maxmoves": 9},
    "run": {"concurrency": 2, "out": "there"},
}


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("", {}),
        ("-rounds 4 -event x", {"rounds": 4, "event": "x"}),
        ("-option quietlimit=5", {"options": {"Board": "mountain", "quietlimit": "5"}}),
        (
            "-each depth=3 option.hash=5",
            {
                "each": {
                    "tc": "10",
                    "depth": 3,
                    "options": {"Threads": 1, "hash": "5"},
                    "cmd": "file",
                }
            },
        ),
        (
            "-each st=1",
            {"each": {"st": "1", "options": {"Hash": 3, "Threads": 1}, "cmd": "file"}},
        ),
        ("-sprt elo1=7", {"sprt": {"elo0": 0, "elo1": 7.0}}),
        (
            "-resign movecount=1 -draw -maxmoves 8",
            {
                "adjudication": {
                    "resign": {"score": 3, "movecount": 1},
                    "draw": {},
                    "maxmoves": 8,
                }
            },
        ),
        ("-out here", {"run": {"concurrency": 2, "out": "here"}}),
        ("-engine cmd=x", {"engines": [{"cmd": "x"}]}),
        ("-engine arg=x", {"engines": [{"cmd": "file x"}]}),
    ],
)
def test_arguments_change_a_file(line: str, changes: Mapping[str, Any]) -> None:
    faults = Faults()
    before = repr(FILE)
    table = merged(FILE, arguments_of(f"match.toml {line}"), faults)
    assert table == {**FILE, **changes}
    assert not dict(faults)
    assert repr(FILE) == before


@pytest.mark.parametrize(
    ("line", "path", "name"),
    [
        ("", "rounds", None),
        ("", "", None),
        ("", "engines[1].tc", None),
        ("", "adjudication.draw.score", None),
        ("-rounds 3", "rounds", "-rounds"),
        ("-srand 3", "seed", "-srand"),
        ("-seed 3", "seed", "-seed"),
        ("-rounds 3", "games", None),
        ("-engine cmd=x", "engines[1].tc", "-engine 1: tc"),
        ("-engine cmd=x", "engines[1].cmd", "-engine 1: cmd"),
        ("-engine cmd=x", "engines", "-engine"),
        ("-engine dir=x", "engines[1].cwd", "-engine 1: dir"),
        ("-engine cwd=x", "engines[1].cwd", "-engine 1: cwd"),
        ("-engine cmd=x", "each.tc", None),
        ("-sprt elo1=3", "sprt.elo1", "-sprt: elo1"),
        ("-sprt elo1=3", "sprt.elo0", None),
        ("-draw score=3", "adjudication.draw.movecount", "-draw: movecount"),
        ("-resign score=3", "adjudication.resign.movecount", None),
        ("-option A=3", "options.A", "-option: A"),
        ("-option A=3", "options.Board", None),
        ("-each option.A=3", "each.options.A", "-each: option.A"),
        ("", "-out", "-out"),
    ],
)
def test_where_a_setting_came_from(line: str, path: str, name: str | None) -> None:
    arguments = arguments_of(f"match.toml {line}")
    assert Origins(arguments, FILE).argument_of(path) == name


def test_singles_are_every_setting_that_is_no_table() -> None:
    paths = {single.path for single in SINGLES.values()}
    assert {"event", "game", "seed", "adjudication.maxmoves", "run.plot"} <= paths
    assert not paths & {table.path for table in TABLES.values()}
    assert len(paths) == len(SINGLES)
