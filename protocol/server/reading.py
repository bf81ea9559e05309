"""Turns what a settings file holds into values, and tells everything that is wrong with it.

A decoder would stop at the first mistake, and say it in words for programmers. This walks
through the structs, has each value converted by itself, and notes the path of each that is
wrong, with what was wanted.
"""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec

from kibitz.protocol.server.origins import Faults
from kibitz.protocol.server.wanted import shown, shown_key, struct_in, wanted

SECRETS = ("token", "token_sha256")
"""Keys whose values are never repeated. Where the digest belongs the token may be, too."""


def read_values(given: Any, shape: type[msgspec.Struct], path: str, faults: Faults) -> Any:
    """Give the values of a struct as a mapping, structs in it as mappings as well.

    Keys that were not given are not there; what is wrong is there as None, in the place of a
    table too, and is added to `faults`.
    """
    if not isinstance(given, Mapping):
        faults.add(path, f"{shown(given)} is not a table")
        return None
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    values = {}
    for key, value in given.items():
        if key in fields:
            values[fields[key].name] = _read(value, fields[key].type, _join(path, key), faults)
        else:
            where = _join(path, shown_key(key))
            faults.add(where, f"there is no such key; known are {', '.join(fields)}")
    for key, field in fields.items():
        if field.required and key not in given:
            faults.add(_join(path, key), "is missing")
    return values


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _read(value: Any, kind: Any, path: str, faults: Faults) -> Any:
    inner = struct_in(kind)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            items = "texts" if inner is None else "tables"
            faults.add(path, f"{shown(value)} is not a list of {items}")
            return None
        of_items = get_args(kind)[0]
        return tuple(
            _read(item, of_items, f"{path}[{number}]", faults)
            for number, item in enumerate(value, 1)
        )
    if inner is not None:
        return read_values(value, inner, path, faults)
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        # The latter is for an argument with bytes that are no text.
        what = shown(value, is_secret=path.rpartition(".")[2] in SECRETS)
        faults.add(path, f"{what} is not {wanted(kind)}")
        return None
