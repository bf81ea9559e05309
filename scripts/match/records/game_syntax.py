r"""The smallest pieces of game files: escaped text, scores, numbers, timestamps, moves.

Each piece has a function that writes it and one that reads it back; what is read raises
`ValueError`, which says what was expected. `game_file` puts them together; `docs/records.md`
describes them.

Text is escaped where it could be taken for something else: `\\`, `\"`, `\{`, `\}`, `\n`,
`\t`, `\r`, and `\u(HEX)` for any other character that cannot be seen.
"""

import re
from datetime import UTC, datetime
from math import isfinite

from kibitz.engine.options import shorten, whole_number
from kibitz.scripts.match.records.records import MoveRecord, Side
from kibitz.search.info import Score

QUOTED = r'"(?:[^"\\]|\\.)*"'
"""A pattern for text in quotes."""
BRACED = r"\{(?:[^{}\\]|\\.)*\}"
"""A pattern for a comment."""

_ESCAPES = {"\\": "\\", '"': '"', "{": "{", "}": "}", "\n": "n", "\t": "t", "\r": "r"}
_ESCAPED = {letter: character for character, letter in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(?:u\(([0-9a-f]{1,6})\)|(.))", re.DOTALL)

_PLAIN_TOKEN = re.compile(r"[!#-\[\]-z|~]+")
_ROW_NUMBER = re.compile(r"\d+\.(?:\.\.)?")
MOVE = rf"({QUOTED}|[!#-\[\]-z|~]+)(?: ({BRACED}))?"
"""A pattern for a move: its token and its comment."""

_SCORE = r"-|[+-]\d+\.\d\d|#-?\d+"
_COMMENT = re.compile(rf"(book)|(book )?({_SCORE})/(-|\d+) (-|\d+) (?:-|(\d+)ms)", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z", re.ASCII)
_MOST_DIGITS = 20


def escape(text: str) -> str:
    """Write text so that it stays on its line and inside its quotes or braces."""
    if text.isalnum():
        return text
    return "".join(
        "\\" + _ESCAPES[letter]
        if letter in _ESCAPES
        else letter
        if letter.isprintable()
        else f"\\u({ord(letter):x})"
        for letter in text
    )


def unescape(text: str) -> str:
    """Read what `escape` wrote."""
    return _ESCAPE.sub(_unescape_one, text) if "\\" in text else text


def _unescape_one(match: re.Match[str]) -> str:
    code, letter = match.groups()
    if code is not None and not (int(code, 16) > 0x10FFFF or 0xD800 <= int(code, 16) <= 0xDFFF):
        return chr(int(code, 16))
    if letter not in _ESCAPED:
        raise ValueError(f"{shorten(match[0])} is not an escape")
    return _ESCAPED[letter]


def quote(text: str) -> str:
    """Write text in quotes."""
    return f'"{escape(text)}"'


def unquote(text: str) -> str:
    """Read text in quotes (or any other marks of one character)."""
    return unescape(text[1:-1])


def read_number(text: str) -> int:
    """Read a whole number that is not negative."""
    number = whole_number(text, _MOST_DIGITS)
    if number is None or number < 0:
        raise ValueError(f"{shorten(text)} is not a whole number")
    return number


def write_points(points: float) -> str:
    """Write points: whole numbers without a fraction."""
    text = repr(float(points))
    return text.removesuffix(".0")


def read_points(text: str) -> float:
    """Read points."""
    if re.fullmatch(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text, re.ASCII):
        points = float(text)
        if isfinite(points):
            return points
    raise ValueError(f"{shorten(text)} is not a number of points")


def write_time(moment: datetime) -> str:
    """Write a moment in UTC."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def read_time(text: str) -> datetime:
    """Read a moment in UTC."""
    if not _TIMESTAMP.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not a time such as 2030-01-31T23:59:59Z")
    return datetime.fromisoformat(text)


def write_score(score: Score | None) -> str:
    """Write a score: `+1.20`, `#5` for a win in five turns, `#-4` for a loss, `-` for none."""
    if score is None:
        return "-"
    if score.mate is not None:
        return f"#{score.mate}"
    cp = score.cp or 0
    return f"{'-' if cp < 0 else '+'}{abs(cp) // 100}.{abs(cp) % 100:02}"


def read_score(text: str) -> Score | None:
    """Read a score that has the form of one."""
    if text == "-":
        return None
    if text.startswith("#"):
        return Score(mate=int(text[1:]))
    return Score(cp=int(text.replace(".", "")))


def write_move(move: MoveRecord) -> str:
    """Write a move: its token, and a comment when there is something to say."""
    token = move.token
    if not _PLAIN_TOKEN.fullmatch(token) or _ROW_NUMBER.fullmatch(token):
        token = quote(token)
    words = ["book"] if move.book else []
    if (move.score, move.depth, move.nodes, move.time) != (None, None, None, None):
        time = "-" if move.time is None else f"{move.time}ms"
        words.append(
            f"{write_score(move.score)}/{_or_dash(move.depth)} {_or_dash(move.nodes)} {time}"
        )
    return f"{token} {{{' '.join(words)}}}" if words else token


def read_move(side: Side, token: str, comment: str | None) -> MoveRecord:
    """Read a move that `MOVE` has split into its token and its comment."""
    token = unquote(token) if token.startswith('"') else token
    if comment is None:
        return MoveRecord(side, token)
    match = _COMMENT.fullmatch(comment[1:-1])
    if match is None:
        raise ValueError(
            f"{shorten(comment)} is not a comment such as {{+0.12/8 19652 24ms}} or {{book}}"
        )
    alone, first, score, depth, nodes, time = match.groups()
    return MoveRecord(
        side,
        token,
        score=None if score is None else read_score(score),
        depth=_number_or_none(depth),
        nodes=_number_or_none(nodes),
        time=_number_or_none(time),
        book=bool(alone or first),
    )


def _or_dash(number: int | None) -> str:
    return "-" if number is None else str(number)


def _number_or_none(text: str | None) -> int | None:
    return None if text in (None, "-") else read_number(text)
