"""The tables of docs/protocol.md about JSON lines, made from the structs of the messages."""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import msgspec
from msgspec import inspect

from kibitz.protocol.json import message_types, messages

_OBJECTS: dict[type[msgspec.Struct], str] = {
    message_types.SearchLimit: "limit",
    message_types.Score: "score",
    message_types.Played: "played",
    message_types.Limits: "limits",
    message_types.GameDescription: "game",
    message_types.OptionDescription: "option",
}
"""What the page calls objects within messages."""


def request_tables() -> list[str]:
    """Give the part about requests."""
    lines = [
        "Every request has `type`, which is one of the headings below, and:",
        "",
        *_table(messages.Request, is_request=True),
        "",
        "Requests about a position, which are `analyze`, `legal`, `play`, `perft` and `render`, "
        "also have:",
        "",
        *_table(messages.PositionRequest, (messages.Request,), is_request=True),
        "",
    ]
    bases = (messages.PositionRequest, messages.Request)
    for kind in get_args(messages.AnyRequest):
        lines += _section(kind, bases, is_request=True)
    lines += _section(message_types.SearchLimit, (), is_request=True)
    return lines[:-1]


def answer_tables() -> list[str]:
    """Give the part about answers."""
    lines = [
        "Every answer has `type`, which is one of the headings below, and:",
        "",
        *_table(messages.FinalAnswer, is_request=False),
        "",
    ]
    for kind in get_args(messages.AnyAnswer):
        lines += _section(kind, (messages.FinalAnswer,), is_request=False)
    for kind in _OBJECTS:
        if kind is not message_types.SearchLimit:
            lines += _section(kind, (), is_request=False)
    return lines[:-1]


def _section(
    kind: type[msgspec.Struct], bases: Sequence[type[msgspec.Struct]], *, is_request: bool
) -> list[str]:
    """Describe one kind of message, or of object within messages."""
    name = _OBJECTS.get(kind)
    title = f"#### `{kind.__struct_config__.tag}`" if name is None else f"#### the object *{name}*"
    text = " ".join((kind.__doc__ or "").split())
    table = _table(kind, bases, is_request=is_request)
    return [title, "", text, "", *table, ""] if table else [title, "", text, ""]


def _table(
    kind: type[msgspec.Struct], bases: Sequence[type[msgspec.Struct]] = (), *, is_request: bool
) -> list[str]:
    """List the fields that a struct has and its bases do not; nothing if there are none."""
    known = {name for base in bases for name in base.__struct_fields__}
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    fields = [field for field in described.fields if field.name not in known]
    rows = [_request_row(field) if is_request else _answer_row(field) for field in fields]
    if not rows:
        return []
    heads = (
        ["field", "type", "if left out", "meaning"] if is_request else ["field", "type", "meaning"]
    )
    return [_row(heads), _row("---" for _ in heads), *map(_row, rows)]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _request_row(field: inspect.Field) -> list[str]:
    default = ""
    if field.required:
        default = "it must be there"
    elif field.default is not None and field.default is not msgspec.NODEFAULT:
        default = f"`{msgspec.json.encode(field.default).decode()}`"
    elif field.default_factory is not msgspec.NODEFAULT:
        default = "none"
    return [f"`{field.encode_name}`", _words(field.type), default, _meaning(field.type)]


def _answer_row(field: inspect.Field) -> list[str]:
    words = _words(field.type)
    if not field.required:
        words += "; can be absent"
    elif _can_be_null(field.type):
        words += ", or null"
    return [f"`{field.encode_name}`", words, _meaning(field.type)]


def _meaning(described: inspect.Type) -> str:
    """Give the description of a field, that of its object if it has none itself."""
    if isinstance(described, inspect.Metadata):
        return str((described.extra_json_schema or {}).get("description", ""))
    return ""


def _plain(described: inspect.Type) -> inspect.Type:
    return described.type if isinstance(described, inspect.Metadata) else described


def _can_be_null(described: inspect.Type) -> bool:
    plain = _plain(described)
    return isinstance(plain, inspect.UnionType) and plain.includes_none


def _words(described: inspect.Type) -> str:
    """Say in words which values a type has."""
    plain: Any = _plain(described)
    match plain:
        case inspect.UnionType():
            kinds = [kind for kind in plain.types if not isinstance(kind, inspect.NoneType)]
            return " or ".join(map(_words, kinds))
        case inspect.IntType():
            return "whole number" + _bounds(plain.ge, plain.le)
        case inspect.FloatType():
            return "number"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "text" + _lengths(plain, "characters")
        case inspect.LiteralType():
            return " or ".join(f"`{value}`" for value in plain.values)
        case inspect.EnumType():
            return "a code"
        case inspect.ListType():
            return f"list of: {_words(plain.item_type)}" + _lengths(plain, "items")
        case inspect.TupleType():
            return f"list of {len(plain.item_types)}: {_words(plain.item_types[0])}"
        case inspect.DictType():
            return f"object, by names: {_words(plain.value_type)}" + _lengths(plain, "fields")
        case inspect.StructType():
            return f"the object *{_OBJECTS[plain.cls]}*"
    raise ValueError(f"there are no words for {plain}")


def _bounds(least: int | None, most: int | None) -> str:
    if least is None:
        return ""
    return f" from {least}" if most is None else f" from {least} to {most}"


def _lengths(described: Any, what: str) -> str:
    return "" if described.max_length is None else f" (at most {described.max_length} {what})"
