"""What is wrong with a request of the JSON-lines dialect, in words for its author.

The decoder's own words name Python types; here they are turned into those of JSON. Where
it was comes with them, as a path: `limit.depth`, `moves` and the index 3.
"""

import re

from kibitz.engine.options import shorten
from kibitz.protocol.faults import ErrorCode, Refusal

CODES = {
    "limit": ErrorCode.BAD_LIMIT,
    "depth": ErrorCode.BAD_LIMIT,
    "options": ErrorCode.BAD_OPTION,
    "game": ErrorCode.BAD_OPTION,
    "position": ErrorCode.BAD_POSITION,
    "deal": ErrorCode.BAD_POSITION,
    "moves": ErrorCode.BAD_MOVE,
    "searchmoves": ErrorCode.BAD_LIMIT,
}
"""The codes of errors by the field that they are in; `bad_command` for all others."""

_PATH = re.compile(r"(.*) - at (`key` in )?`\$\.?([^`]*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?(.*)", re.DOTALL)
_BOUND = re.compile(r" (>=|<=) (-?\d+)")
_LENGTH = re.compile(r" of length (>=|<=) (\d+)")

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PIECES = {"str": "characters", "array": "items", "object": "fields"}


class RequestRefusal(Refusal):
    """A request that cannot be carried out: code and text, the field, the index in a list."""

    def __init__(
        self, code: ErrorCode, text: str, field: str | None = None, index: int | None = None
    ) -> None:
        super().__init__(code, text)
        self.field = field
        self.index = index


def explain(text: str) -> RequestRefusal:
    """Turn the text of a decoder's error about a value into a refusal."""
    found = _PATH.fullmatch(text)
    what, in_key, path = found.groups() if found is not None else (text, None, "")
    field, index = _split(path)
    subject = "a value " if path.endswith("[...]") else ""
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL)
    if missing is not None:
        field = f"{field}.{missing[1]}" if field else missing[1]
        said = "is missing"
    elif unknown is not None:
        said = f"there is no field {shorten(unknown[1])}"
        where = f"{field}: " if field else ""
        field = f"{field}.{unknown[1]}"[:64].lstrip(".")
        return RequestRefusal(_code(field), f"{where}{said}", field)
    elif in_key is not None:
        said = f"the name of an option {_wanted(what)}"
    else:
        said = subject + _wanted(what)
    if not field:
        return RequestRefusal(ErrorCode.BAD_COMMAND, f"the line {said}")
    where = field if index is None else f"{field}[{index}]"
    return RequestRefusal(_code(field), f"{where}: {said}", field, index)


def _code(field: str) -> ErrorCode:
    return CODES.get(field.partition(".")[0], ErrorCode.BAD_COMMAND)


def _split(path: str) -> tuple[str, int | None]:
    """Split a path such as `moves[3]`; the `[...]` of a mapping says nothing."""
    found = re.fullmatch(r"(.*)\[(\d+)\]", path)
    if found is not None:
        return found[1], int(found[2])
    return path.removesuffix("[...]"), None


def _wanted(what: str) -> str:
    """Say what a value has to be."""
    found = _EXPECTED.fullmatch(what)
    if found is None:
        if what.startswith("Invalid enum value "):
            return f"cannot be {shorten(what.removeprefix('Invalid enum value ').strip(chr(39)))}"
        return "is out of range" if "out of range" in what else what[0].lower() + what[1:]
    kinds = [kind for kind in found[1].split(" | ") if kind != "null"]
    words = " or ".join(_WORDS.get(kind, kind) for kind in kinds)
    if (bound := _BOUND.fullmatch(found[3])) is not None:
        return f"has to be {words} of {_AT[bound[1]]} {bound[2]}"
    if (length := _LENGTH.fullmatch(found[3])) is not None:
        if length.groups() == (">=", "1"):
            return f"has to be {words} that is not empty"
        return f"has to be {words} of {_AT[length[1]]} {length[2]} {_PIECES[kinds[0]]}"
    got = _WORDS.get(found[2] or "", "something else")
    if found[2] == "float" and "int" in kinds:
        got = "a number with a fraction or an exponent"
    return f"has to be {words}, not {got}"


_AT = {">=": "at least", "<=": "at most"}
