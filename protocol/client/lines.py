"""What an engine writes, line by line: text in, typed events out. Sans-IO.

Nothing that an engine can write raises here: a line that says nothing gives None, and a
field of an `info` that makes no sense is left out.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from kibitz.protocol.client.options import Option
from kibitz.protocol.client.values import Info, Score
from kibitz.protocol.faults import ErrorCode

MOST_DIGITS = 20
MOST_LINES = 500
"""The highest `multipv` that is believed."""


class Identity(msgspec.Struct, frozen=True):
    """`id name ...` or `id author ...`."""

    field: str
    text: str


class Listed(msgspec.Struct, frozen=True):
    """`option ...`."""

    option: Option


class Greeted(msgspec.Struct, frozen=True):
    """`ugiok` or `uciok`: the end of a handshake."""

    dialect: str


class Admitted(msgspec.Struct, frozen=True):
    """`authok NAME`: the server knows who this is."""

    name: str


class Ready(msgspec.Struct, frozen=True):
    """`readyok`."""


class Told(msgspec.Struct, frozen=True):
    """`info ...`."""

    info: Info


class Failed(msgspec.Struct, frozen=True):
    """`info string error CODE: TEXT`."""

    code: str
    text: str


class Decided(msgspec.Struct, frozen=True):
    """`bestmove MOVE [ponder EXPECTED]`; the move is None when there is none."""

    move: str | None
    expected: str | None = None


class Answered(msgspec.Struct, frozen=True):
    """`response TEXT`."""

    text: str


class SessionSaid(msgspec.Struct, frozen=True):
    """`session VERB NAMES`."""

    verb: str
    names: tuple[str, ...]


Event = (
    Identity
    | Listed
    | Greeted
    | Admitted
    | Ready
    | Told
    | Failed
    | Decided
    | Answered
    | SessionSaid
)

_NO_MOVES = ("(none)", "0000")
_CODES = frozenset(str(code) for code in ErrorCode)
_ERROR = re.compile(r"error\s+(\w+):\s*(.*)")


def split_session(line: str) -> tuple[str, str]:
    """Give the session that a line is from, and the line; the first one has no name."""
    if not line.startswith("@"):
        return "", line
    name, _, rest = line[1:].partition(" ")
    return name, rest


def read_line(line: str, uci: bool = False) -> Event | None:
    """Read a line; None if nothing that a client has to know is in it.

    `uci` says that mates are counted in moves of one side.
    """
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if word == "info":
        return _info(rest, uci)
    reader = _READERS.get(word)
    return None if reader is None else reader(rest)


def _info(rest: str, uci: bool) -> Event:
    if rest.startswith("string"):
        text = rest.removeprefix("string").strip()
        error = _ERROR.fullmatch(text)
        if error is not None and error[1] in _CODES:
            return Failed(error[1], error[2])
        return Told(Info(string=text))
    return Told(_InfoReader(rest.split(), uci).read())


class _InfoReader:
    """Reads the words of one `info`."""

    def __init__(self, words: list[str], uci: bool) -> None:
        self._words = words
        self._uci = uci
        self._next = 0
        self._found: dict[str, Any] = {}

    def read(self) -> Info:
        """Read them all."""
        while self._next < len(self._words):
            word = self._take()
            if word in ("depth", "seldepth", "nodes", "nps", "hashfull"):
                self._keep(word, self._number())
            elif word == "multipv":
                number = self._number()
                if number is not None and 1 <= number <= MOST_LINES:
                    self._found["multipv"] = number
            elif word == "time":
                number = self._number()
                self._keep("time", None if number is None else number / 1000)
            elif word == "score":
                self._score()
            elif word in ("lowerbound", "upperbound"):
                self._found["bound"] = word.removesuffix("bound")
            elif word == "wdl":
                self._wdl()
            elif word == "string":
                self._found["string"] = " ".join(self._rest())
            elif word == "pv":
                self._found["pv"] = tuple(self._rest())
            elif word in ("refutation", "currline"):
                self._rest()
            elif word == "currmove":
                self._take()
        return Info(**self._found)

    def _take(self) -> str:
        if self._next >= len(self._words):
            return ""
        word = self._words[self._next]
        self._next += 1
        return word

    def _rest(self) -> list[str]:
        rest = self._words[self._next :]
        self._next = len(self._words)
        return rest

    def _number(self) -> int | None:
        """Take the next word if it is a number."""
        number = _number(self._words[self._next]) if self._next < len(self._words) else None
        if number is not None:
            self._next += 1
        return number

    def _keep(self, name: str, value: float | None) -> None:
        if value is not None:
            self._found[name] = value

    def _score(self) -> None:
        kind = self._words[self._next] if self._next < len(self._words) else ""
        if kind not in ("cp", "mate"):
            return
        self._next += 1
        number = self._number()
        if number is None:
            return
        if kind == "cp":
            self._found["score"] = Score(cp=number)
        else:
            self._found["score"] = Score(mate=turns_of(number) if self._uci else number)

    def _wdl(self) -> None:
        numbers = (self._number(), self._number(), self._number())
        if None not in numbers:
            self._found["wdl"] = numbers


def turns_of(moves: int) -> int:
    """Turn a mate in moves of one side, as UCI counts, into turns of both sides."""
    return 2 * moves - 1 if moves > 0 else 2 * moves


def moves_of(turns: int) -> int:
    """Turn a mate in turns of both sides into moves of the side that wins."""
    return (abs(turns) + 1) // 2 * (1 if turns > 0 else -1)


def _number(word: str) -> int | None:
    digits = word.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
        return None
    # Two signs are no number.
    return int(word) if len(word) - len(digits) <= 1 else None


def _identity(rest: str) -> Event | None:
    field, _, text = rest.partition(" ")
    return Identity(field, text.strip()) if field in ("name", "author") else None


_PART = re.compile(r"(?:^|\s)(default|min|max|var)(?=\s|$)")


def _option(rest: str) -> Event | None:
    found = re.fullmatch(r"name\s+(.+?)\s+type\s+(\w+)(?:\s+(.*))?", rest)
    if found is None:
        return None
    name, kind, rest = found[1], found[2], found[3] or ""
    if kind == "string":
        default = re.sub(r"^default\s*", "", rest)
        return Listed(Option(name=name, kind=kind, default=_filled(default)))
    parts: dict[str, list[str]] = {}
    for word, text in _parts(rest):
        parts.setdefault(word, []).append(text)
    return Listed(
        Option(
            name=name,
            kind=kind,
            default=_filled(parts.get("default", [""])[0]),
            least=_number(parts.get("min", [""])[0]),
            most=_number(parts.get("max", [""])[0]),
            choices=tuple(_filled(choice) for choice in parts.get("var", ())),
        )
    )


def _parts(rest: str) -> Iterator[tuple[str, str]]:
    marks = list(_PART.finditer(rest))
    ends = [mark.start() for mark in marks[1:]] + [len(rest)]
    for mark, end in zip(marks, ends, strict=False):
        yield mark[1], rest[mark.end() : end].strip()


def _filled(text: str) -> str:
    return "" if text == "<empty>" else text


def _decided(rest: str) -> Event:
    words = rest.split()
    move = words[0] if words and words[0] not in _NO_MOVES else None
    expected = None
    if move is not None and words[1:2] == ["ponder"] and words[2:3] and words[2] not in _NO_MOVES:
        expected = words[2]
    return Decided(move, expected)


def _session(rest: str) -> Event | None:
    words = rest.split()
    return SessionSaid(words[0], tuple(words[1:])) if words else None


_READERS: dict[str, Callable[[str], Event | None]] = {
    "id": _identity,
    "option": _option,
    "ugiok": lambda rest: Greeted("ugi"),
    "uciok": lambda rest: Greeted("uci"),
    "authok": Admitted,
    "readyok": lambda rest: Ready(),
    "bestmove": _decided,
    "response": Answered,
    "session": _session,
}
