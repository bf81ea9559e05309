"""What is wrong with a request of the JSON-lines dialect, in words for its author.

The decoder's own words name Python types; here they are turned into those of JSON. Where
it was comes with them, as a path: `limit.depth`, `moves` and the index 3.
"""

import re

import msgspec

from kibitz.engine.options import printable, shorten
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.json.message_types import Name, OptionValue
from kibitz.protocol.options import all_options

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

MOST_PATH = 80
"""The letters of the longest path that an error names; the path of any option has less."""

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


def refusal_of(path: str, why: str, index: int | None = None) -> RequestRefusal:
    """Refuse a request for one of its fields, named by its whole path, or an item of it."""
    where = printable(path[:MOST_PATH]) or "''"
    if index is not None:
        where = f"{where}[{index}]"
    code = CODES.get(path.partition(".")[0], ErrorCode.BAD_COMMAND)
    return RequestRefusal(code, f"{where}: {why}", path[:MOST_PATH], index)


class _Options(msgspec.Struct):
    """The options of a request, not looked at yet."""

    options: dict[str, msgspec.Raw]


_OPTIONS = msgspec.json.Decoder(_Options)
_OPTION_VALUE = msgspec.json.Decoder(OptionValue | None)


def _wrong_option(line: str, is_name: bool) -> str:
    """Find the option whose name or value is wrong: decoders do not say which one it is."""
    for name, value in _OPTIONS.decode(line).options.items():
        try:
            if is_name:
                msgspec.convert(name, Name)
            else:
                _OPTION_VALUE.decode(value)
        except msgspec.ValidationError:
            return f"options.{name}"
    # It is there twice, and what is wrong is the first.
    return "options"


def explain(text: str, line: str) -> RequestRefusal:
    """Turn the text of a decoder's error about a value into a refusal.

    `line` is what was decoded, which is JSON.
    """
    found = _PATH.fullmatch(text)
    what, in_key, path = found.groups() if found is not None else (text, None, "")
    field, index = _split(path)
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL)
    if missing is not None:
        field = f"{field}.{missing[1]}" if field else missing[1]
        said = "is missing"
    elif unknown is not None:
        return _unknown_field(field, unknown[1])
    elif in_key is not None:
        field = _wrong_option(line, is_name=True)
        said = f"the name of an option {_wanted(what)}"
    else:
        if path.endswith("[...]"):
            field = _wrong_option(line, is_name=False)
        said = _wanted(what)
    if not field:
        return RequestRefusal(ErrorCode.BAD_COMMAND, f"the line {said}")
    return refusal_of(field, said, index)


def _unknown_field(inside: str, name: str) -> RequestRefusal:
    said = "there is no such field"
    for option in all_options():
        if option.name.lower() == name.lower():
            said += f"; the option is options.{option.name}"
    return refusal_of(f"{inside}.{name}" if inside else name, said)


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
