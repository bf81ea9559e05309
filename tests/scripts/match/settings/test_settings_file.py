"""Settings files: what they mean, and that everything that is wrong is named in one error."""

import datetime
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.registry import GAME_NAMES
from kibitz.scripts.match.planning.openings import Order
from kibitz.scripts.match.planning.schedule import Kind
from kibitz.scripts.match.records.settings_digest import plain
from kibitz.scripts.match.settings.faults import Faults, SettingsError
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    CountSettings,
    Dialect,
    DrawSettings,
    EngineSettings,
    MatchSettings,
    OpeningSettings,
    ResignSettings,
    RunSettings,
    SprtSettings,
)
from kibitz.scripts.match.settings.settings_file import read_settings_file, settings_of, table_of
from kibitz.scripts.match.statistics.sprt import Model

TWO: dict[str, Any] = {
    "game": "jarmo",
    "engines": [{"cmd": "one", "st": "10ms"}, {"cmd": "two", "st": "10ms"}],
}


def faults_of(table: dict[str, Any]) -> dict[str, str]:
    faults = Faults()
    settings_of(table, faults)
    return dict(faults)


def read(table: dict[str, Any]) -> MatchSettings:
    faults = Faults()
    reading = settings_of(table, faults)
    assert not dict(faults)
    return reading.settings


def nested(path: str, value: Any) -> dict[str, Any]:
    """Give a table that is right but for what stands at a path."""
    table: dict[str, Any] = {"game": "jarmo", "engines": [{}, {}]}
    if path.startswith("sprt."):
        table["sprt"] = {"elo0": 0, "elo1": 1}
    here = table
    keys = path.replace("engines[2]", "engines").split(".")
    for key in keys[:-1]:
        here = here["engines"][1] if key == "engines" else here.setdefault(key, {})
    here[keys[-1]] = value
    return table


def struct_in(kind: Any) -> type[msgspec.Struct] | None:
    for part in (kind, *get_args(kind)):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None


def paths_of(shape: type[msgspec.Struct], prefix: str = "") -> Iterator[str]:
    """Give the paths of all settings, tables before what is in them."""
    for field in msgspec.structs.fields(shape):
        path = f"{prefix}{field.name}"
        yield path
        inner = struct_in(field.type)
        if field.name == "engines":
            yield from paths_of(EngineSettings, "engines[2].")
            yield from (each for each in paths_of(EngineSettings, "each.") if each != "each.name")
        elif inner is not None:
            yield from paths_of(inner, f"{path}.")


PATHS = ["each", *paths_of(MatchSettings)]
TABLES = [
    "",
    "each",
    "engines[2]",
    *(path for path in PATHS if any(other.startswith(f"{path}.") for other in PATHS)),
]


def test_a_whole_file() -> None:
    settings = read_settings_file(
        """
        event = "small"
        game = "Krepost"
        kind = "gauntlet"
        rounds = 3
        games = 4
        seeds = 1
        seed = 7
        options = { boardsize = 8, QuietLimit = "60" }
        each = { tc = "40/1:30 + 0.50", options = { Hash = 64, Ponder = false, Style = 0.5 } }
        openings = { file = "book.txt", order = "Random" }
        sprt = { elo0 = 0, elo1 = 5, model = "logistic" }
        [[engines]]
        cmd = "bin/krep --fast 'two words'"
        [[engines]]
        name = "far"
        url = "tls://host:4880"
        token_file = "token"
        ca = "ca.pem"
        proto = "UGI"
        st = 0.01
        depth = 9
        nodes = 1000
        margin = 0
        timeout = 1
        longest = 2.5
        ponder = true
        restart = true
        options = { hash = 1 }
        [[engines]]
        cmd = "krep"
        cwd = "/tmp"
        affinity = [0, 1]
        [adjudication]
        maxmoves = 100
        resign = { score = 700 }
        draw = {}
        count = { movecount = 5 }
        [run]
        concurrency = 2
        recover = true
        out = "results"
        plot = "plot.svg"
        """
    )
    shared = {"Hash": "64", "Ponder": "false", "Style": "0.5"}
    assert settings == MatchSettings(
        event="small",
        game="krepost",
        options={"BoardSize": "8", "QuietLimit": "60"},
        kind=Kind.GAUNTLET,
        rounds=3,
        games=4,
        seed=7,
        engines=(
            EngineSettings(
                name="krep", cmd="bin/krep --fast 'two words'", tc="40/90+0.5", options=dict(shared)
            ),
            EngineSettings(
                name="far",
                url="tls://host:4880",
                token_file="token",
                ca="ca.pem",
                proto=Dialect.UGI,
                options={"Ponder": "false", "Style": "0.5", "hash": "1"},
                st="10ms",
                depth=9,
                nodes=1000,
                margin=0,
                timeout=1.0,
                longest=2.5,
                ponder=True,
                restart=True,
            ),
            EngineSettings(
                name="krep-2",
                cmd="krep",
                cwd="/tmp",
                affinity=(0, 1),
                tc="40/90+0.5",
                options=dict(shared),
            ),
        ),
        openings=OpeningSettings(file="book.txt", order=Order.RANDOM),
        sprt=SprtSettings(elo0=0, elo1=5, model=Model.LOGISTIC),
        adjudication=AdjudicationSettings(
            maxmoves=100,
            resign=ResignSettings(score=700),
            draw=DrawSettings(),
            count=CountSettings(movecount=5),
        ),
        run=RunSettings(concurrency=2, recover=True, out="results", plot="plot.svg"),
    )
    # What a journal keeps of it is the same again.
    assert read(table_of(plain(settings))) == settings


def test_a_file_that_says_as_little_as_it_can() -> None:
    settings = read(TWO)
    assert settings == MatchSettings(
        game="jarmo",
        engines=(
            EngineSettings(name="one", cmd="one", st="10ms"),
            EngineSettings(name="two", cmd="two", st="10ms"),
        ),
    )


@pytest.mark.parametrize("path", PATHS)
def test_a_value_of_the_wrong_kind_is_named_wherever_it_is(path: str) -> None:
    (place, what), *others = faults_of(nested(path, [["x"]])).items()
    if path == "engines":
        assert (place, what) == ("engines[1]", "a list is not a table")
    else:
        assert place == path
        assert what.replace(" in it", "").startswith("a list is not ")
    assert not others


@pytest.mark.parametrize("path", PATHS)
def test_a_date_is_no_value_of_anything(path: str) -> None:
    faults = faults_of(nested(path, datetime.date(2030, 1, 1)))
    assert list(faults) == [path]
    assert faults[path].startswith("a date or time is not ")


@pytest.mark.parametrize("table", TABLES)
def test_a_wrong_key_is_named_in_every_table(table: str) -> None:
    path = f"{table}.colour" if table else "colour"
    given = nested(path, 1)
    if table.endswith("options"):
        assert not faults_of(given)
        return
    faults = faults_of(given)
    assert list(faults) == [path]
    assert faults[path].startswith("there is no such key (known are ")


def test_a_near_key_or_word_is_suggested() -> None:
    faults = faults_of(
        {
            "gane": "jarmo",
            "kind": "gauntlett",
            "each": {"depht": 3, "proto": "ugli"},
            "engines": [{"timeot": 3}],
            "sprt": {"elo_0": 1},
            "openings": {"order": "randomly"},
        }
    )
    assert faults == {
        "gane": "there is no such key (did you mean game?)",
        "kind": "'gauntlett' is not one of roundrobin, gauntlet, swiss (did you mean gauntlet?)",
        "sprt.elo_0": "there is no such key (did you mean elo0?)",
        "sprt.elo0": "is missing",
        "sprt.elo1": "is missing",
        "openings.order": "'randomly' is not one of sequential, random (did you mean random?)",
        "game": "is missing",
        "each.depht": "there is no such key (did you mean depth?)",
        "each.proto": "'ugli' is not one of auto, ugi, uci (did you mean ugi?)",
        "engines[1].timeot": "there is no such key (did you mean timeout?)",
    }


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("rounds", 0, "0 is not a whole number from 1 to 1000000000"),
        ("rounds", "3", "'3' is not a whole number from 1 to 1000000000"),
        ("rounds", 1.5, "1.5 is not a whole number from 1 to 1000000000"),
        ("games", True, "true is not a whole number from 1 to 1000000000"),
        ("seed", -1, "-1 is not a whole number from 0 to 9223372036854775807"),
        ("seed", 10**3000, "a very large number is not a whole number from 0 to "),
        ("event", "", "an empty text is not a text that means anything"),
        ("event", "a\nb", "'a?b' has characters that cannot be printed"),
        ("event", 3, "3 is not a text"),
        ("kind", 3, "3 is not one of roundrobin, gauntlet, swiss"),
        ("options.A", float("inf"), "inf is not a finite number"),
        ("options.A", 10**300, "a very large number is of no use"),
        ("options.A", "\0", "'?' has characters that cannot be printed"),
        ("options.A", ["x"], "a list is not a text, a number, true or false"),
        ("options.A", {"x": 1}, "a table is not a text, a number, true or false"),
        ("options. ", 1, "this is not the name of an option"),
        ("options.a\nb", 1, "this is not the name of an option"),
        ("engines[2].options.A", ["x"], "a list is not a text, a number, true or false"),
        ("each.options.A", ["x"], "a list is not a text, a number, true or false"),
        ("engines[2].tc", "x", "'x' is not a clock, such as 10+0.1"),
        ("each.tc", "0", "'0' gives no time at the start"),
        ("engines[2].tc", 10, "10 is not a text"),
        ("engines[2].st", "x", "'x' is not a time"),
        ("each.st", 0, "0 seconds are not from 0.001 to 1000000000"),
        ("each.st", float("nan"), "nan is not a finite number"),
        ("each.st", True, "true is not "),
        ("engines[2].margin", -1, "-1 is not a whole number from 0 to 1000000"),
        ("engines[2].timeout", 0, "0 is not a number above 0 and at most 1000000000"),
        ("engines[2].longest", "soon", "'soon' is not a number above 0"),
        ("engines[2].ponder", "yes", "'yes' is not true or false"),
        ("engines[2].affinity", [5000], "5000 in it is not a whole number from 0 to 4095"),
        ("engines[2].affinity", [0, "a"], "'a' in it is not a whole number from 0 to 4095"),
        ("engines[2].affinity", "0-3", "'0-3' is not a list, each of it a whole number from 0"),
        ("engines[2].affinity", 0, "0 is not a list, each of it a whole number from 0 to 4095"),
        ("engines[2].cmd", "x" * 99 + "\t", "'xxxxx"),
        ("each.name", "x", "a name belongs to one engine only"),
        ("sprt", 5, "5 is not a table"),
        ("adjudication.draw.movecount", 0, "0 is not a whole number from 1"),
        ("adjudication.resign.twosided", 1, "1 is not true or false"),
        ("run.concurrency", 5000, "5000 is not a whole number from 1 to 1024"),
        ("engines", {"cmd": "x"}, "a table is not a list of tables"),
    ],
)
def test_wrong_values(path: str, value: Any, what: str) -> None:
    faults = faults_of(nested(path, value))
    assert list(faults) == [path]
    assert faults[path].startswith(what)


@pytest.mark.parametrize("value", [0, 0.5, 0.7, -1.0, float("nan"), float("inf"), "x"])
@pytest.mark.parametrize("key", ["alpha", "beta"])
def test_error_rates(key: str, value: Any) -> None:
    faults = faults_of({**TWO, "sprt": {"elo0": 0, "elo1": 5, key: value}})
    assert list(faults) == [f"sprt.{key}"]
    assert faults[f"sprt.{key}"].endswith(" is not a number above 0 and below 0.5")


def test_hypotheses_are_finite() -> None:
    faults = faults_of({**TWO, "sprt": {"elo0": float("-inf"), "elo1": float("nan")}})
    assert faults == {
        "sprt.elo0": "-inf is not a finite number",
        "sprt.elo1": "nan is not a finite number",
    }


def test_options_are_one_whatever_the_case_of_their_letters() -> None:
    faults = faults_of({**TWO, "options": {"Board": "a", "board": "b"}})
    assert faults == {"options.board": "it is there twice, also as Board"}


def test_what_is_missing() -> None:
    assert faults_of({}) == {"game": "is missing", "engines": "is missing"}
    assert faults_of({**TWO, "sprt": {}}) == {
        "sprt.elo0": "is missing",
        "sprt.elo1": "is missing",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("game = ", "this is no TOML: "),
        ("game = 'a'\ngame = 'b'", "this is no TOML: "),
        (f"x = {'9' * 5000}", "this is no TOML: a number in it has too many digits"),
        (f"x = {'[' * 9999}", "this is no TOML: there are too many brackets in brackets"),
        (f"{'k' * 5000} = 1\n{'k' * 5000} = 1", "this is no TOML: "),
    ],
)
def test_what_is_no_toml(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings_file(text, "match.toml")
    assert str(caught.value).startswith(f"match.toml: {said}")
    assert len(str(caught.value)) < 300
    assert "missing" not in str(caught.value)


def test_everything_is_named_in_one_line_behind_the_file() -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings_file("rounds = 0\n[[engines]]\ntc = 3\n[run]\nouts = 'x'", "my\nfile")
    text = str(caught.value)
    assert text.startswith("my?file: rounds: 0 is not ")
    assert text.count("my?file") == 1
    for place in ("; engines[1].tc: ", "; run.outs: ", "; game: is missing"):
        assert place in text
    assert text.isprintable()


def test_a_name_of_our_games_is_one_in_any_case() -> None:
    for name in GAME_NAMES:
        assert read({**TWO, "game": name.upper()}).game == name


@pytest.mark.parametrize("name", ["hex", "breakthrough_8", "9x9-go"])
def test_other_games_are_said_to_be_others(name: str) -> None:
    settings = read({**TWO, "game": f"other:{name}", "options": {"any": 1}})
    assert settings.game == name
    assert settings.options == {"any": "1"}
    assert read(table_of(plain(settings))) == settings


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("krepos", "is not a game that kibitz knows (one that only the engines know is written "),
        ("go", "(known are talisman, jarmo, jasir, krepost, trollchess)"),
        ("other:", "a name has letters, digits, - and _ only"),
        ("other:a b", "a name has letters, digits, - and _ only"),
        ("other:é", "a name has letters, digits, - and _ only"),
        ("other:Krepost", "is a game that kibitz knows: write krepost"),
    ],
)
def test_games_that_cannot_be(name: str, said: str) -> None:
    faults = faults_of({**TWO, "game": name})
    assert list(faults) == ["game"]
    assert said in faults["game"]
    assert ("did you mean krepost?" in faults["game"]) == (name == "krepos")


@pytest.mark.parametrize(
    ("each", "own", "wanted"),
    [
        ({"tc": "10"}, {}, {"tc": "10"}),
        ({"tc": "10"}, {"tc": "20"}, {"tc": "20"}),
        ({"tc": "10"}, {"st": 1}, {"st": "1s"}),
        ({"st": 1}, {"tc": "10"}, {"tc": "10"}),
        ({"tc": "10", "depth": 3}, {"depth": 4}, {"tc": "10", "depth": 4}),
        ({"cmd": "a"}, {"url": "tcp://b:1"}, {"url": "tcp://b:1"}),
        ({"url": "tcp://b:1"}, {"cmd": "a"}, {"cmd": "a"}),
        ({"ca": "c", "token_file": "t"}, {"cmd": "a"}, {"cmd": "a"}),
        ({"ca": "c"}, {"url": "tls://b:1"}, {"url": "tls://b:1", "ca": "c"}),
        ({"affinity": [0], "cwd": "/"}, {"url": "tcp://b:1"}, {"url": "tcp://b:1"}),
        ({"affinity": [0]}, {"cmd": "a"}, {"cmd": "a", "affinity": (0,)}),
        ({"margin": 7, "ponder": True}, {"ponder": False}, {"margin": 7}),
        ({"options": {"A": 1, "B": 2}}, {"options": {"a": 3}}, {"options": {"B": "2", "a": "3"}}),
    ],
)
def test_what_holds_for_each_engine(
    each: dict[str, Any], own: dict[str, Any], wanted: dict[str, Any]
) -> None:
    (engine,) = read({"game": "jarmo", "each": each, "engines": [{"name": "x", **own}]}).engines
    assert engine == EngineSettings(name="x", **wanted)


def test_what_is_wrong_for_each_engine_is_told_once() -> None:
    table = {**TWO, "each": {"depth": 0, "tc": "x"}}
    assert list(faults_of(table)) == ["each.depth", "each.tc"]


@pytest.mark.parametrize(
    ("engines", "names"),
    [
        ([{"cmd": "/usr/bin/one -x"}, {"cmd": "'my dir/two' y"}], ["one", "two"]),
        ([{"cmd": "a"}, {"cmd": "a"}, {"cmd": "a"}], ["a", "a-2", "a-3"]),
        ([{"cmd": "a"}, {"cmd": "b", "name": "a"}], ["a-2", "a"]),
        ([{"cmd": "a"}, {"name": "a-2"}, {"cmd": "a"}], ["a", "a-2", "a-3"]),
        ([{"url": "tcp://h:1"}, {"url": "tls://[::1]:2"}], ["h:1", "[::1]:2"]),
        ([{"cmd": "'"}, {"cmd": " "}, {}], ["'", " ", "engine"]),
        ([{"name": "x"}, {"name": "x"}], ["x", "x"]),
    ],
)
def test_names(engines: list[dict[str, Any]], names: list[str]) -> None:
    settings = read({"game": "jarmo", "engines": engines})
    assert [engine.name for engine in settings.engines] == names


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(PATHS) | st.text(), inner),
    max_leaves=8,
)


@given(st.sampled_from(PATHS), VALUES)
def test_any_value_is_read_or_named(path: str, value: Any) -> None:
    faults = Faults()
    settings = settings_of(nested(path, value), faults).settings
    if not faults:
        assert read(table_of(plain(settings))) == settings
    assert faults.text("file").isprintable()
