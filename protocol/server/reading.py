"""Turns what a settings file holds into structs, and tells everything that is wrong with it.

A decoder would stop at the first mistake. This walks through the structs, has each value
converted by itself, and notes the path of each that is wrong. The values themselves are
never repeated: they may be secret.
"""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec


def read_values(given: Any, shape: type[msgspec.Struct], path: str, wrong: list[str]) -> Any:
    """Give the values of a struct as a mapping, structs in it as mappings as well.

    Only what was given and is right is there. What is wrong is added to `wrong`.
    """
    if not isinstance(given, Mapping):
        wrong.append(f"{path or 'the file'}: must be a table")
        return {}
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    values = {}
    for key, value in given.items():
        where = f"{path}.{key}" if path else str(key)
        if key in fields:
            before = len(wrong)
            read = _read(value, fields[key].type, where, wrong)
            if len(wrong) == before:
                values[fields[key].name] = read
        else:
            wrong.append(f"{where}: there is no such key; known are {', '.join(fields)}")
    for key, field in fields.items():
        if field.required and key not in given:
            wrong.append(f"{path}.{key}: is missing" if path else f"{key}: is missing")
    return values


def _read(value: Any, wanted: Any, where: str, wrong: list[str]) -> Any:
    inner = struct_in(wanted)
    if inner is not None and get_origin(wanted) is tuple:
        if not isinstance(value, list):
            wrong.append(f"{where}: must be a list of tables")
            return ()
        return tuple(
            read_values(item, inner, f"{where}[{number}]", wrong)
            for number, item in enumerate(value, 1)
        )
    if inner is not None:
        return read_values(value, inner, where, wrong)
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$")
        wrong.append(f"{where}{place.rstrip('`')}: {text[0].lower()}{text[1:]}")
        return None


def struct_in(wanted: Any) -> type[msgspec.Struct] | None:
    """Give the struct that a type is, or is a tuple of, or is besides None."""
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        return wanted
    for part in get_args(wanted):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None
