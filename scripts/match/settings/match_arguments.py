"""From the arguments of `kibitz match` to a table of the shape that a settings file has.

The words are those that users of cutechess-cli and fastchess know; `argument_table` has them.
What is wrong with the words is noted here, and with the values where settings are read; in
both cases it is told by the name of the argument, as far as it came from one.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import inspect

from kibitz.engine.options import shorten, whole_number
from kibitz.scripts.match.settings.argument_table import (
    ALIASES,
    ELSEWHERE,
    ENGINE_WORDS,
    NAMES,
    NEVER_EMPTY,
    SINGLES,
    TABLES,
    argument_of,
    field_of,
)
from kibitz.scripts.match.settings.faults import Faults, SettingsError
from kibitz.scripts.match.settings.match_settings import (
    MOST_PROCESSOR,
    EngineSettings,
    MatchSettings,
)
from kibitz.scripts.match.settings.settings_file import ALTERNATIVES, settings_of
from kibitz.scripts.match.settings.settings_reading import hint, join, shown

_ARGUMENT = re.compile(r"--?([a-z][\w-]*)(?:=(.*))?", re.ASCII | re.DOTALL | re.IGNORECASE)
_URL = re.compile(r"(?:tcp|tls)://.*", re.DOTALL)
_SWITCH = {"on": True, "off": False, "true": True, "false": False, "yes": True, "no": False}


class Arguments:
    """What arguments say.

    `values` is a table like that of a file, and `names` gives for each path in it the argument
    as the user wrote it.
    """

    def __init__(self) -> None:
        self.file: str | None = None
        self.resume: str | None = None
        self.is_json = False
        self.wants_help = False
        self.values: dict[str, Any] = {}
        self.names: dict[str, str] = {}


class Origins:
    """Tells which argument a setting came from."""

    def __init__(self, arguments: Arguments, base: Mapping[str, Any] | None) -> None:
        """Take what arguments say, and the table that they change if there is one."""
        self._arguments = arguments
        self._base = base

    def argument_of(self, path: str) -> str | None:
        """Give the argument of a setting, or None for one of a file."""
        if path.startswith("-"):
            return path
        names = self._arguments.names
        if path in names:
            return names[path]
        if not path or (self._base is not None and not self._is_of_arguments(path)):
            return None
        return argument_of(path)

    def _is_of_arguments(self, path: str) -> bool:
        names = self._arguments.names
        above = path
        while above:
            if above in names:
                # The same table may be in the file, too, and lack something there.
                return above.startswith("engines") or not _has(self._base, above)
            above = re.sub(r"(\.[^.\[\]]*|\[\d+\]|[^.\[\]]+)\Z", "", above)
        return False


def read_arguments(words: Sequence[str], faults: Faults) -> Arguments:
    """Read the words behind `kibitz match`; what is wrong with them is added to `faults`."""
    arguments = Arguments()
    rest = list(words)
    if rest and _ARGUMENT.fullmatch(rest[0]) is None:
        arguments.file = rest.pop(0)
    reader = _Reader(arguments, faults)
    while rest:
        word = rest.pop(0)
        values = []
        while rest and _ARGUMENT.fullmatch(rest[0]) is None:
            values.append(rest.pop(0))
        reader.read(word, values)
    return arguments


def read_match_arguments(words: Sequence[str]) -> MatchSettings:
    """Read arguments without a file; raises `SettingsError`, which names all that is wrong.

    What settings are together is not looked at.
    """
    faults = Faults()
    arguments = read_arguments(words, faults)
    settings = settings_of(merged({}, arguments, faults), faults).settings
    if faults:
        raise SettingsError(faults.text("", Origins(arguments, None).argument_of))
    return settings


def merged(base: Mapping[str, Any], arguments: Arguments, faults: Faults) -> dict[str, Any]:
    """Let arguments change a table: key by key, but engines are others altogether."""
    table = _merge(base, arguments.values)
    each = table.get("each")
    for path, holder in _engines_of(table, arguments.values):
        more = holder.pop("arg", None)
        if more is None:
            continue
        command = holder.get("cmd")
        if command is None and path != "each" and isinstance(each, Mapping) and "url" not in holder:
            command = each.get("cmd")
        if isinstance(command, str):
            holder["cmd"] = " ".join([command, *more])
        else:
            faults.add(f"{path}.arg", "there is no cmd that it belongs to")
    return table


def _engines_of(
    table: Mapping[str, Any], values: Mapping[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Give the tables of arguments that may hold `arg`, with their paths; `each` first."""
    found = [("each", table["each"])] if "each" in values else []
    if "engines" in values:
        found += [
            (f"engines[{number}]", engine) for number, engine in enumerate(table["engines"], 1)
        ]
    return found


def _merge(base: Mapping[str, Any], over: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    table = dict(base)
    if path == "each":
        for group in ALTERNATIVES:
            if group & over.keys():
                table = {key: value for key, value in table.items() if key not in group}
    if path.rpartition(".")[2] == "options":
        named = {name.lower() for name in over}
        table = {name: value for name, value in table.items() if str(name).lower() not in named}
    for key, value in over.items():
        before = table.get(key)
        if isinstance(value, dict):
            value = _merge(before if isinstance(before, Mapping) else {}, value, join(path, key))
        elif key == "engines":
            value = [dict(engine) for engine in value]
        table[key] = value
    return table


def _has(table: Any, path: str) -> bool:
    for key in path.split("."):
        if not isinstance(table, Mapping) or key not in table:
            return False
        table = table[key]
    return True


class _Reader:
    """Reads one argument after the other."""

    def __init__(self, arguments: Arguments, faults: Faults) -> None:
        self._arguments = arguments
        self._faults = faults
        self._seen: set[str] = set()

    def read(self, word: str, values: list[str]) -> None:
        match = _ARGUMENT.fullmatch(word)
        assert match is not None
        given = match[1].lower()
        name = ALIASES.get(given.replace("-", "_"), given.replace("-", "_"))
        if match[2] is not None:
            values = [match[2], *values]
        if name not in NAMES:
            self._unknown(match[1], name)
            return
        if name not in ("engine", "option") and name in self._seen:
            self._faults.add(f"-{given}", "it is there twice")
            return
        self._seen.add(name)
        if name in SINGLES:
            self._read_single(name, given, values)
        elif name == "engine":
            self._read_engine(values)
        elif name in TABLES:
            path, shape = TABLES[name]
            self._arguments.names[path] = f"-{name}"
            table = self._table(path)
            if not values and name in NEVER_EMPTY:
                self._faults.add(path, "KEY=VALUE is missing")
            if shape is EngineSettings:
                self._fill_engine(table, path, values)
            else:
                self._fill(table, path, shape, values)
        elif name == "option":
            self._read_option(values)
        else:
            self._read_other(name, values)

    def _unknown(self, word: str, name: str) -> None:
        if name in ELSEWHERE:
            self._faults.add(f"-{word}", f"there is no such argument: {ELSEWHERE[name]}")
        else:
            known = [f"-{known}" for known in NAMES]
            self._faults.add(f"-{word}", f"there is no such argument{hint(f'-{name}', known)}")

    def _read_other(self, name: str, values: list[str]) -> None:
        if name == "resume":
            self._arguments.resume = self._one("-resume", values)
            return
        if values:
            self._faults.add(f"-{name}", f"it takes no value, and there is {shorten(values[0])}")
        if name == "json":
            self._arguments.is_json = True
        else:
            self._arguments.wants_help = True

    def _read_single(self, name: str, given: str, values: list[str]) -> None:
        path, shape, field = SINGLES[name]
        self._arguments.names[path] = f"-{given}"
        kind = _type_of(shape, field)
        if kind is bool and not values:
            values = ["true"]
        text = self._one(path, values)
        if text is None:
            return
        if name == "tournament":
            text = text.replace("-", "")
        table, _, key = path.rpartition(".")
        self._table(table)[key] = from_text(text, kind)

    def _one(self, path: str, values: list[str]) -> str | None:
        if len(values) == 1:
            return values[0]
        if not values:
            self._faults.add(path, "its value is missing")
        else:
            self._faults.add(
                path,
                f"it takes one value, and there are {len(values)} (one with blanks needs quotes; "
                "a settings file comes before all arguments)",
            )
        return None

    def _read_option(self, values: list[str]) -> None:
        self._arguments.names["options"] = "-option"
        if not values:
            self._faults.add("-option", "NAME=VALUE is missing")
        for word in values:
            name, equals, value = word.partition("=")
            if not equals:
                self._faults.add("-option", f"{shorten(word)} is not NAME=VALUE")
            else:
                self._set(self._table("options"), "options", name, value, f"-option: {name}")

    def _read_engine(self, values: list[str]) -> None:
        engines = self._arguments.values.setdefault("engines", [])
        engines.append({})
        path = f"engines[{len(engines)}]"
        self._arguments.names["engines"] = "-engine"
        self._arguments.names[path] = f"-engine {len(engines)}"
        self._fill_engine(engines[-1], path, values)

    def _fill_engine(self, table: dict[str, Any], path: str, words: list[str]) -> None:
        title = argument_of(path)
        others = []
        for word in words:
            key, equals, value = word.partition("=")
            if _URL.fullmatch(word) is not None:
                self._set(table, path, "url", word, f"{title}: url")
            elif key in ("arg", "args") and not equals:
                self._faults.add(f"{path}.arg", f"its value is missing: {key}=TEXT")
            elif key == "arg":
                table.setdefault("arg", []).append(shlex.quote(value))
            elif key == "args":
                table.setdefault("arg", []).append(value)
            elif key.startswith("option.") and equals:
                options = table.setdefault("options", {})
                self._set(options, f"{path}.options", key[7:], value, f"{title}: {key}")
            else:
                others.append(word)
        self._fill(table, path, EngineSettings, others)

    def _fill(
        self, table: dict[str, Any], path: str, shape: type[msgspec.Struct], words: list[str]
    ) -> None:
        """Read `KEY=VALUE` words into a table, and bare words that are switches."""
        title = argument_of(path)
        is_engine = shape is EngineSettings
        fields = {field.name for field in msgspec.structs.fields(shape)} - {"options"}
        known = [*ENGINE_WORDS, "arg", "option.NAME"] if is_engine else sorted(fields)
        for word in words:
            key, equals, text = word.partition("=")
            field = field_of(key) if is_engine else key
            if field not in fields:
                what = "there is no such key" if equals else f"{shorten(word)} is not KEY=VALUE"
                self._faults.add(f"{path}.{key}" if equals else path, f"{what}{hint(key, known)}")
                continue
            kind = _type_of(shape, field)
            if not equals and kind is not bool:
                self._faults.add(join(path, field), f"its value is missing: {key}=VALUE")
            else:
                value = from_text(text if equals else "true", kind)
                if field == "affinity" and isinstance(value, str):
                    what = f"{shown(value)} is not a list of processors, such as 0,2-3"
                    self._faults.add(join(path, field), what)
                    continue
                self._set(table, path, field, value, f"{title}: {key}")

    def _set(self, table: dict[str, Any], path: str, key: str, value: Any, name: str) -> None:
        where = join(path, key)
        if key in table:
            self._faults.add(where, "it is there twice")
        self._arguments.names[where] = name
        table[key] = value

    def _table(self, path: str) -> dict[str, Any]:
        table = self._arguments.values
        for key in path.split(".") if path else ():
            table = table.setdefault(key, {})
        return table


def _type_of(shape: type[msgspec.Struct], field: str) -> Any:
    return next(each.type for each in msgspec.structs.fields(shape) if each.name == field)


def from_text(text: str, kind: Any) -> Any:
    """Give the value of a type that a text stands for, or the text itself when there is none."""
    info = inspect.type_info(kind)
    parts = info.types if isinstance(info, inspect.UnionType) else (info,)
    if any(isinstance(part, inspect.StrType | inspect.EnumType) for part in parts):
        return text
    for part in parts:
        reader = _READERS.get(type(part))
        value = None if reader is None else reader(text.strip())
        if value is not None:
            return value
    return text


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbers(text: str) -> list[int] | None:
    """Read whole numbers separated by commas, and ranges of them: `0,2-3`."""
    numbers: list[int] = []
    for word in text.split(","):
        first, dash, last = (part.strip() for part in word.partition("-"))
        low, high = whole_number(first, 4), whole_number(last if dash else first, 4)
        if low is None or high is None or not low <= high <= MOST_PROCESSOR:
            return None
        numbers += range(low, high + 1)
    return numbers


_READERS: Mapping[type, Callable[[str], Any]] = {
    inspect.IntType: whole_number,
    inspect.FloatType: _float,
    inspect.BoolType: lambda text: _SWITCH.get(text.lower()),
    inspect.VarTupleType: _numbers,
}
