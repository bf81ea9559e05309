"""What a setting can be, and what was there instead, in plain words.

What was there is shown in short, unless it could be a token: those must not come out in an
error, also when they were written where something else belongs.
"""

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import inspect

from kibitz.engine.options import printable, shorten

LEAST_TOKEN = 16
"""The characters of the shortest token."""

MOST_SHOWN = 10**20
"""Larger numbers are not written out."""


def wanted(kind: Any) -> str:
    """Say what values of a type there are, so that `VALUE is not ...` can be said."""
    kind = without_none(kind)
    if get_origin(kind) is Literal:
        # The order is that in which they were declared.
        return f"one of {', '.join(get_args(kind))}"
    info = inspect.type_info(kind)
    if isinstance(info, inspect.Metadata):
        return str((info.extra_json_schema or {})["description"])
    if isinstance(info, inspect.IntType):
        return f"a whole number{_range(info)}"
    if isinstance(info, inspect.FloatType):
        return f"a number{_range(info)}"
    if isinstance(info, inspect.BoolType):
        return "true or false"
    return "a text"


def _range(info: inspect.IntType | inspect.FloatType) -> str:
    if info.gt is not None:
        return f" above {info.gt:.0f}" + ("" if info.le is None else f", at most {info.le:.0f}")
    return f" from {info.ge:.0f} to {info.le:.0f}"


def without_none(kind: Any) -> Any:
    """Give the type besides None: a settings file has no such value."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not type(None))
    return kind


def shown_key(key: str) -> str:
    """Show a key that nobody knows; of one that could be a token only its length."""
    return printable(key) if len(key) < LEAST_TOKEN else f"a key of {len(key)} characters"


def shown(value: Any, *, is_secret: bool = False) -> str:
    """Show a value in short; of one that is secret or could be a token only its size."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if not value:
            return "an empty text"
        if is_secret or any(len(word) >= LEAST_TOKEN for word in value.split()):
            return f"a text of {len(value)} characters"
        return shorten(value)
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, int | float):
        if is_secret:
            return "a number"
        if isinstance(value, int) and abs(value) >= MOST_SHOWN:
            return "a very large number"
        return str(value)
    return "a date or time"


def struct_in(kind: Any) -> type[msgspec.Struct] | None:
    """Give the struct that a type is, or is a list of, or is besides None."""
    kind = without_none(kind)
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None
