"""From the text of a settings file to the settings of a match.

The file is TOML, with the fields of `MatchSettings` as its keys, and `[each]` besides: what
holds for each engine that does not say otherwise. Arguments become a table of the same shape
and are read here too. What is settled here, so that it is always written in one way, is
clocks, names of engines, values of options (texts), and whether a game is ours.
"""

import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NamedTuple

from kibitz.engine.errors import OptionError
from kibitz.engine.options import printable, shorten
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.scripts.match.settings.faults import Faults, SettingsError
from kibitz.scripts.match.settings.match_settings import EngineSettings, MatchSettings
from kibitz.scripts.match.settings.settings_reading import hint, join, read_values, shown
from kibitz.scripts.match.settings.time_control import (
    read_duration,
    read_time_control,
    write_duration,
    write_time_control,
)

OTHER = "other:"
"""What stands before the name of a game that kibitz does not know."""

ALTERNATIVES = (frozenset({"cmd", "url"}), frozenset({"tc", "st"}))
"""Keys of which an engine has one; its own replaces both of those for each."""

OF_PROGRAMS = frozenset({"cwd", "affinity"})
OF_SERVERS = frozenset({"ca", "token_file"})

MOST_TOML_ERROR = 200
"""The characters of a syntax error that are told."""


class Reading(NamedTuple):
    """What was right of some settings; `for_each` are the keys that each engine has from `each`."""

    settings: MatchSettings
    for_each: tuple[frozenset[str], ...]

    def place(self, engine: int, key: str) -> str:
        """Give the path of an engine's value; engines count from 0 here."""
        table = "each" if key in self.for_each[engine] else f"engines[{engine + 1}]"
        return f"{table}.{key}"


def read_settings_file(text: str, file: str = "") -> MatchSettings:
    """Read a settings file; raises `SettingsError`, which names all wrong keys and values.

    `file` is its name, for the error. What settings are together is not looked at.
    """
    faults = Faults()
    reading = settings_of(parse_toml(text, faults), faults)
    if faults:
        raise SettingsError(faults.text(file))
    return reading.settings


def parse_toml(text: str, faults: Faults) -> dict[str, Any]:
    """Read TOML into a table; an empty one, and a fault, when it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error)
    except ValueError:
        # The interpreter's bound on the digits of a number, which names its own functions.
        what = "a number in it has too many digits"
    except RecursionError:
        what = "there are too many brackets in brackets"
    if len(what) > MOST_TOML_ERROR:
        # A long key; where it is comes last.
        what = f"{what[: MOST_TOML_ERROR // 2]}...{what[-MOST_TOML_ERROR // 2 :]}"
    faults.add("", f"this is no TOML: {printable(what)}")
    return {}


def settings_of(given: Mapping[str, Any], faults: Faults) -> Reading:
    """Give the settings that a table holds, with defaults in the place of what is wrong."""
    if faults.has_all:
        # Nothing is told to be missing from what could not be read.
        given = {"game": GAME_NAMES[0], "engines": []}
    values = read_values(given, MatchSettings, "", faults, apart=("each", "engines"))
    values["game"] = _game(values["game"], faults) if "game" in values else ""
    values["options"] = _game_options(values["game"], values.get("options", {}))
    each = _engine(given.get("each", {}), "each", faults, hidden=("name",))
    if isinstance(given.get("each"), Mapping) and "name" in given["each"]:
        faults.add("each.name", "a name belongs to one engine only")
    listed = given.get("engines", [])
    if "engines" not in given and faults.is_clean("engines"):
        faults.add("engines", "is missing")
    elif not isinstance(listed, list):
        faults.add("engines", f"{shown(listed)} is not a list of tables")
        listed = []
    engines = []
    for_each = []
    for number, table in enumerate(listed, 1):
        own = _engine(table, f"engines[{number}]", faults)
        defaults = _defaults(each, table if isinstance(table, Mapping) else {})
        for_each.append(frozenset(defaults))
        options = _options(defaults.get("options", {}), own.get("options", {}))
        engines.append({**defaults, **own, "options": options})
    _fill_names(engines)
    values["engines"] = tuple(EngineSettings(**engine) for engine in engines)
    return Reading(MatchSettings(**values), tuple(for_each))


def table_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Turn settings as a journal has them into a table that is read as the same settings."""
    table = dict(settings)
    if table.get("game") not in GAME_NAMES:
        table["game"] = f"{OTHER}{table.get('game')}"
    return table


def _game(name: str, faults: Faults) -> str:
    """Give the name of a game of ours, or that of another without what stands before it."""
    other = name.removeprefix(OTHER)
    if other == name:
        if name.lower() not in GAME_NAMES:
            faults.add(
                "game",
                f"{shorten(name)} is not a game that kibitz knows (one that only the engines "
                f"know is written {OTHER}NAME){hint(name, GAME_NAMES)}",
            )
        return name.lower()
    if other.lower() in GAME_NAMES:
        faults.add("game", f"{shorten(name)} is a game that kibitz knows: write {other.lower()}")
    elif not (other.isascii() and other.replace("_", "").replace("-", "").isalnum()):
        faults.add("game", f"{shorten(name)}: a name has letters, digits, - and _ only")
    return other


def _game_options(name: str, options: Mapping[str, str]) -> dict[str, str]:
    """Write options as a game of ours calls them, as far as it has them and can take them."""
    if name not in GAME_NAMES:
        return dict(options)
    known = {option.name.lower(): option for option in find_game(name).options}
    written = {}
    for given, text in options.items():
        option = known.get(given.lower())
        value = text
        if option is not None:
            with suppress(OptionError):
                value = option.canonical(text)
        written[given if option is None else option.name] = value
    return written


def _engine(given: Any, path: str, faults: Faults, hidden: Collection[str] = ()) -> dict[str, Any]:
    values = read_values(given, EngineSettings, path, faults, hidden=hidden)
    _settle(values, "tc", lambda text: write_time_control(read_time_control(text)), path, faults)
    _settle(values, "st", lambda text: write_duration(read_duration(text)), path, faults)
    return values


def _settle(
    values: dict[str, Any], key: str, settle: Callable[[Any], str], path: str, faults: Faults
) -> None:
    """Have a text always written in one way, or left out when it is wrong."""
    if key in values:
        try:
            values[key] = settle(values[key])
        except ValueError as error:
            faults.add(join(path, key), str(error))
            del values[key]


def _defaults(each: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Give those values for each engine that one has which was given these keys itself."""
    passed_over = {key for group in ALTERNATIVES if group & given.keys() for key in group}
    passed_over |= given.keys() - {"options"}
    kept = {key: value for key, value in each.items() if key not in passed_over}
    is_server = "url" in given or "url" in kept
    is_program = "cmd" in given or "cmd" in kept
    if is_server != is_program:
        for key in OF_PROGRAMS if is_server else OF_SERVERS:
            kept.pop(key, None)
    return kept


def _options(defaults: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Put options together; names are the same in any letter case."""
    named = {name.lower() for name in own}
    kept = {name: value for name, value in defaults.items() if name.lower() not in named}
    return {**kept, **own}


def _fill_names(engines: list[dict[str, Any]]) -> None:
    """Name engines that have no name after their program or server, no two alike."""
    taken = {engine["name"] for engine in engines if "name" in engine}
    for engine in engines:
        if "name" not in engine:
            base = name_of(engine.get("cmd"), engine.get("url"))
            name, number = base, 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            engine["name"] = name
            taken.add(name)


def name_of(cmd: str | None, url: str | None) -> str:
    """Give the name that an engine has when it is given none."""
    if cmd is not None:
        try:
            return PurePath(shlex.split(cmd)[0]).name or cmd
        except (ValueError, IndexError):
            return cmd
    return "engine" if url is None else url.rpartition("://")[2] or url
