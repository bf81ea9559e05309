"""The codec of JSON lines: a line to a request or to what is wrong with it, and back. Sans-IO.

A line is decoded into the struct of its type, which refuses unknown fields and values out
of bounds. Two things are looked at besides: which request an error belongs to, and whether
an object says the same field twice, which decoders silently allow.
"""

import json
import re
from typing import Any, get_args

import msgspec

from kibitz.engine.options import shorten
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.framing import MOST_LINE, Trouble
from kibitz.protocol.json.message_types import Id
from kibitz.protocol.json.messages import Answer, AnyRequest, Request
from kibitz.protocol.json.request_faults import RequestRefusal, explain, refusal_of

BLANKS = " \t\r\n"

TYPES = tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyRequest))
"""The types of requests."""

# Half of a pair of escapes for one character: `\ud83d` without `\ude00`.
_HALF_PAIR = re.compile(
    r"(?i)\\u(?:d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f])"
)


class Received(msgspec.Struct, frozen=True):
    """A request, and how many characters its line had."""

    request: Request
    size: int


class Unread(msgspec.Struct, frozen=True):
    """A line that is no request: the id that it has, if any, and what is wrong with it."""

    id: str | None
    refusal: RequestRefusal


class _Head(msgspec.Struct):
    """As much as there has to be of a request for its error to find its way."""

    id: Id
    type: Any = None


_ONE_TOO_FAR = re.compile(
    r"((?:trailing characters|invalid escape character in string"
    r"|invalid character in unicode escape) \(byte )(\d+)"
)
"""The decoder has read on by the time it says these; all others it counts from 0."""


class _Twice(Exception):  # noqa: N818 - the client's mistake
    """An object with the same field twice."""


class JsonLines:
    """Both directions of one connection; remembers nothing."""

    def __init__(self, most_line: int = MOST_LINE) -> None:
        """Say in errors that lines have at most `most_line` bytes."""
        self.most_line = most_line
        self._decoder = msgspec.json.Decoder(AnyRequest)
        self._heads = msgspec.json.Decoder(_Head)
        self._encoder = msgspec.json.Encoder()

    def read(self, line: str | Trouble) -> Received | Unread | None:
        """Read a line; None if it is empty."""
        if line is Trouble.TOO_LONG:
            return _bad(None, f"the line has more than {self.most_line} bytes and was skipped")
        if isinstance(line, Trouble):
            return _bad(None, "the line is not UTF-8")
        if not line.strip(BLANKS):
            return None
        try:
            request = self._decoder.decode(line)
            json.loads(line, object_pairs_hook=_each_once)
        except _Twice:
            path = _path_of_twice(json.loads(line, object_pairs_hook=_Fields))
            assert path is not None
            return Unread(None if path == "id" else request.id, refusal_of(path, "is there twice"))
        except msgspec.ValidationError as error:
            return self._refused(line, str(error))
        except msgspec.DecodeError as error:
            return _bad(None, _malformed(line, str(error)))
        except RecursionError:
            return _bad(None, "the line is nested too deeply")
        return Received(request, len(line))

    def write(self, answer: Answer) -> bytes:
        """Give the line of an answer, with its end."""
        return self._encoder.encode(answer) + b"\n"

    def _refused(self, line: str, text: str) -> Unread:
        """Say what is wrong with a line, which is JSON at least as far as it was read."""
        try:
            head = self._heads.decode(line)
        except msgspec.ValidationError as error:
            return Unread(None, explain(str(error), line))
        except msgspec.DecodeError as error:
            return _bad(None, _malformed(line, str(error)))
        except RecursionError:
            return _bad(None, "the line is nested too deeply")
        if isinstance(head.type, str) and head.type in TYPES:
            return Unread(head.id, explain(text, line))
        if head.type is None:
            wrong = "is missing"
        elif isinstance(head.type, str):
            wrong = f"there is no request {shorten(head.type)}"
        else:
            wrong = "has to be a text"
        return Unread(head.id, refusal_of("type", f"{wrong}; there are {', '.join(TYPES)}"))


def _bad(request_id: str | None, text: str) -> Unread:
    return Unread(request_id, RequestRefusal(ErrorCode.BAD_COMMAND, text))


def _malformed(line: str, text: str) -> str:
    """Say why a line is no JSON."""
    if _HALF_PAIR.search(line) is not None:
        return "the line is not JSON: it has half of a surrogate pair"
    text = text.removeprefix("JSON is malformed: ").replace(
        "Input data was truncated", "it ends too early"
    )
    text = _ONE_TOO_FAR.sub(lambda found: f"{found[1]}{int(found[2]) - 1}", text)
    return f"the line is not JSON: {text}"


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its fields; raises `_Twice` when there is one twice."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Twice
    return made


class _Fields(list[tuple[str, Any]]):
    """The fields of an object, also those that are there twice."""


def _path_of_twice(value: Any, path: str = "") -> str | None:
    """Give the path of the first field that is there twice, of what is nested as requests are."""
    seen: set[str] = set()
    for name, inner in value if isinstance(value, _Fields) else ():
        where = f"{path}.{name}" if path else name
        if name in seen:
            return where
        seen.add(name)
        if (found := _path_of_twice(inner, where)) is not None:
            return found
    return None
