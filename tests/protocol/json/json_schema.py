"""As much of a JSON Schema validator as the schema of JSON lines needs; it knows its words."""

import re
from typing import Any

IGNORED = {"$schema", "$defs", "title", "description", "default"}
KINDS: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
}  # fmt: skip


def is_valid(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    """Tell whether a value meets a schema; a word that is not known is an error."""
    return all(
        _meets(word, wanted, schema, value, root)
        for word, wanted in schema.items()
        if word not in IGNORED
    )


def _meets(
    word: str, wanted: Any, schema: dict[str, Any], value: Any, root: dict[str, Any]
) -> bool:
    match word:
        case "$ref":
            return is_valid(root["$defs"][wanted.removeprefix("#/$defs/")], value, root)
        case "anyOf":
            return any(is_valid(one, value, root) for one in wanted)
        case "enum":
            return value in wanted
        case "type":
            return _is_of(wanted, value)
        case "minimum" | "maximum":
            return bool(value >= wanted if word == "minimum" else value <= wanted)
        case "minLength" | "minItems" | "minProperties":
            return len(value) >= int(wanted)
        case "maxLength" | "maxItems" | "maxProperties":
            return len(value) <= int(wanted)
        case "pattern":
            return re.search(wanted, value) is not None
        case "required":
            return all(name in value for name in wanted)
        case "properties":
            return all(is_valid(wanted[n], value[n], root) for n in wanted if n in value)
        case "propertyNames":
            return all(is_valid(wanted, name, root) for name in value)
        case "additionalProperties":
            others = [value[name] for name in value if name not in schema.get("properties", {})]
            return all(wanted is not False and is_valid(wanted, o, root) for o in others)
        case "items":
            first = len(schema.get("prefixItems", ()))
            return all(wanted is not False and is_valid(wanted, o, root) for o in value[first:])
        case "prefixItems":
            return all(is_valid(s, o, root) for s, o in zip(wanted, value, strict=False))
    raise ValueError(f"the schema has a word that is not known here: {word}")


def _is_of(kind: str, value: Any) -> bool:
    if kind in ("integer", "number"):
        kinds = (int,) if kind == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])
