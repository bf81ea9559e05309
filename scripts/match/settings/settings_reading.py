"""Turns tables of plain values into the values of structs, and tells everything that is wrong.

A decoder would stop at the first mistake and say it in words for programmers. This has each
value converted by itself, leaves out those that are wrong, and says what was there, what is
wanted, and which word may have been meant. It knows the types that the settings of a match
are made of, and no setting by name.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from math import isfinite
from operator import or_
from typing import Any, get_args, get_origin

import msgspec
from msgspec import inspect

from kibitz.engine.options import shorten
from kibitz.scripts.match.settings.faults import Faults
from kibitz.scripts.match.settings.match_settings import option_text

MOST_SHOWN = 10**20
"""Larger numbers are not written out."""

_WRONG = object()


def read_values(
    given: Any,
    shape: type[msgspec.Struct],
    path: str,
    faults: Faults,
    apart: Collection[str] = (),
    hidden: Collection[str] = (),
) -> dict[str, Any]:
    """Give those values of a struct that are there and right, by their fields.

    A struct inside is made when nothing is missing in it. Keys in `apart` and `hidden` are
    passed over and not missed, because somebody else looks at them; only the former are
    named as known ones. What is wrong is added to `faults`.
    """
    if not isinstance(given, Mapping):
        faults.add(path, f"{shown(given)} is not a table")
        return {}
    fields = {field.name: field for field in msgspec.structs.fields(shape)}
    known = dict.fromkeys(key for key in [*fields, *apart] if key not in hidden)
    values = {}
    for key, value in given.items():
        where = join(path, key)
        if key in apart or key in hidden:
            continue
        if key not in fields:
            faults.add(where, f"there is no such key{hint(key, known)}")
        elif (read := _read(value, fields[key].type, where, faults)) is not _WRONG:
            values[key] = read
    for key, field in fields.items():
        where = join(path, key)
        is_ours = key not in apart and key not in hidden
        if field.required and key not in given and is_ours and faults.is_clean(where):
            faults.add(where, "is missing")
    return values


def join(path: str, key: object) -> str:
    """Give the path of what is in a table."""
    return f"{path}.{key}" if path else str(key)


def hint(word: object, known: Iterable[str]) -> str:
    """Say, in parentheses, which of the known words may have been meant, or else all of them."""
    names = list(known)
    return near(str(word), names) or f" (known are {', '.join(names)})"


def near(word: str, known: Sequence[str]) -> str:
    """Say, in parentheses, which of the known words may have been meant, if one is near."""
    found = difflib.get_close_matches(word.lower(), known, 1)
    return f" (did you mean {found[0]}?)" if found else ""


def _read(value: Any, kind: Any, path: str, faults: Faults) -> Any:
    kind = _without_none(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        values = read_values(value, kind, path, faults)
        required = {field.name for field in msgspec.structs.fields(kind) if field.required}
        return kind(**values) if isinstance(value, Mapping) and required <= set(values) else _WRONG
    if get_origin(kind) is dict:
        return _read_options(value, path, faults)
    info = inspect.type_info(kind)
    if isinstance(info, inspect.EnumType) and isinstance(value, str):
        return _read_choice(value, info, path, faults)
    try:
        read = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        faults.add(path, _mismatch(value, kind, info))
        return _WRONG
    return read if _is_sound(read, path, faults) else _WRONG


def _mismatch(value: Any, kind: Any, info: inspect.Type) -> str:
    """Say that a value is of another type; of a list, which part of it is."""
    if isinstance(info, inspect.VarTupleType) and isinstance(value, list):
        for part in value:
            try:
                msgspec.convert([part], kind)
            except msgspec.ValidationError:
                return f"{shown(part)} in it is not {_words(info.item_type)}"
    return f"{shown(value)} is not {wanted(kind)}"


def _read_choice(value: str, info: inspect.EnumType, path: str, faults: Faults) -> Any:
    choices = [str(choice) for choice in info.cls]
    if value.lower() in choices:
        return info.cls(value.lower())
    faults.add(path, f"{shown(value)} is not one of {', '.join(choices)}{near(value, choices)}")
    return _WRONG


def _read_options(given: Any, path: str, faults: Faults) -> Any:
    """Read options by name, each value as the text that engines and games are given."""
    if not isinstance(given, Mapping):
        faults.add(path, f"{shown(given)} is not a table")
        return _WRONG
    options: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in given.items():
        where = join(path, name)
        if not name or not name.isprintable() or name != name.strip():
            faults.add(where, "this is not the name of an option")
        elif names.setdefault(name.lower(), name) != name:
            faults.add(where, f"it is there twice, also as {names[name.lower()]}")
        elif not isinstance(value, str | int | float):
            faults.add(where, f"{shown(value)} is not a text, a number, true or false")
        elif value == "" or _is_sound(value, where, faults):
            options[name] = str(value) if isinstance(value, float) else option_text(value)
    return options


def _is_sound(value: Any, path: str, faults: Faults) -> bool:
    """Whether a value of the right type can be used: texts shown and stored, numbers reckoned."""
    if isinstance(value, str) and not value:
        faults.add(path, "an empty text is not a text that means anything")
    elif isinstance(value, str) and not value.isprintable():
        faults.add(path, f"{shown(value)} has characters that cannot be printed")
    elif isinstance(value, float) and not isfinite(value):
        faults.add(path, f"{value} is not a finite number")
    elif isinstance(value, int) and abs(value) >= MOST_SHOWN:
        faults.add(path, f"{shown(value)} is of no use")
    else:
        return True
    return False


def wanted(kind: Any) -> str:
    """Say what values of a type there are, so that `VALUE is not ...` can be said."""
    info = inspect.type_info(_without_none(kind))
    if isinstance(info, inspect.EnumType):
        return f"one of {', '.join(str(choice) for choice in info.cls)}"
    if isinstance(info, inspect.VarTupleType):
        return f"a list, each of it {_words(info.item_type)}"
    if isinstance(info, inspect.UnionType):
        return " or ".join(_words(each) for each in info.types)
    return _words(info)


def _words(info: inspect.Type) -> str:
    if isinstance(info, inspect.IntType):
        return f"a whole number{_range(info)}"
    if isinstance(info, inspect.FloatType):
        return f"a number{_range(info)}"
    if isinstance(info, inspect.BoolType):
        return "true or false"
    return "a text"


def _range(info: inspect.IntType | inspect.FloatType) -> str:
    if info.ge is not None and info.le is not None:
        return f" from {_number(info.ge)} to {_number(info.le)}"
    bounds = [
        f" {word} {_number(bound)}"
        for word, bound in (
            ("from", info.ge),
            ("above", info.gt),
            ("at most", info.le),
            ("below", info.lt),
        )
        if bound is not None
    ]
    return " and".join(bounds)


def _number(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.12g}"


def shown(value: Any) -> str:
    """Show in short what was there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return shorten(value) if value else "an empty text"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, int) and abs(value) >= MOST_SHOWN:
        return "a very large number"
    return str(value) if isinstance(value, int | float) else "a date or time"


def _without_none(kind: Any) -> Any:
    """Give the type besides None, which no file and no argument can say."""
    parts = get_args(kind)
    if type(None) not in parts:
        return kind
    return reduce(or_, (part for part in parts if part is not type(None)))
