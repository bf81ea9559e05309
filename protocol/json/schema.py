"""The JSON Schema of the JSON-lines dialect, made from the structs that it is decoded into."""

from typing import Any, get_args

import msgspec

from kibitz.protocol.json.message_types import DIALECT
from kibitz.protocol.json.messages import AnyAnswer, AnyRequest

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Give a schema that every request and every answer meets.

    `#/$defs/AnyRequest` and `#/$defs/AnyAnswer` are those of the two alone.
    """
    kinds = {"AnyRequest": get_args(AnyRequest), "AnyAnswer": get_args(AnyAnswer)}
    every = [kind for name in kinds for kind in kinds[name]]
    references, components = msgspec.json.schema_components(every, ref_template="#/$defs/{name}")
    by_kind = dict(zip(every, references, strict=True))
    unions = {name: {"anyOf": [by_kind[kind] for kind in kinds[name]]} for name in kinds}
    return {
        "$schema": DRAFT,
        "title": f"kibitz JSON lines, version {DIALECT} of the dialect",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": unions | components,
    }


def schema_text() -> str:
    """Give the schema as indented text."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2).decode()
