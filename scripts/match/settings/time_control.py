"""Texts of clocks, such as `40/1:30+0.5`, and the times that they stand for.

    TIME            a number of seconds, or MINUTES:SECONDS, or HOURS:MINUTES:SECONDS, or a
                    number with a unit: ms, s, m or h
    TIME+TIME       so much at the start, and so much more with each move
    MOVES/TIME...   so much for each period of so many moves

A fraction is written with a point. Times are in seconds everywhere here. What is written is
read again as the very same numbers.
"""

import re
from decimal import Decimal

import msgspec

from kibitz.engine.options import shorten

LEAST_SECONDS = 0.001
"""The shortest time, which is what engines can be told."""
MOST_SECONDS = 1e9
MOST_MOVES = 1_000_000_000

_UNITS = {
    "": Decimal(1),
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h|)", re.ASCII | re.IGNORECASE)
_PARTS = re.compile(r"(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d*)?)", re.ASCII)
_MOST_TEXT = 40
_TIMES = "seconds, MINUTES:SECONDS, or a number with ms, s, m or h"
_CLOCKS = "10+0.1, 40/60 or 40/1:30+0.5"


class TimeControl(msgspec.Struct, frozen=True):
    """A clock: `time` seconds, for each period of `moves` moves or else for all.

    Each move adds `increment` seconds. Raises `ValueError` for what no clock can have.
    """

    moves: int | None
    time: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        if self.moves is not None and not 1 <= self.moves <= MOST_MOVES:
            raise ValueError(f"{self.moves} moves are not from 1 to {MOST_MOVES}")
        _check(self.time)
        if self.increment:
            _check(self.increment)


def read_duration(given: str | float) -> float:
    """Read the time of a move, in seconds; a number is seconds.

    Raises `ValueError`, whose text says what is wrong.
    """
    if not isinstance(given, str):
        return _check(float(given))
    seconds = _read_time(given)
    if seconds is None:
        raise ValueError(f"{shorten(given)} is not a time ({_TIMES})")
    return _check(seconds)


def read_time_control(text: str) -> TimeControl:
    """Read a clock; raises `ValueError`, whose text says what is wrong."""
    before, slash, clock = text.strip().rpartition("/")
    start, plus, more = clock.partition("+")
    moves = _read_moves(before) if slash else None
    time = _read_time(start)
    increment = _read_time(more) if plus else 0.0
    if (slash and moves is None) or time is None or increment is None:
        raise ValueError(f"{shorten(text)} is not a clock, such as {_CLOCKS} (times are {_TIMES})")
    if not time:
        raise ValueError(f"{shorten(text)} gives no time at the start, and so loses at once")
    try:
        return TimeControl(moves, time, increment)
    except ValueError as error:
        raise ValueError(f"{shorten(text)}: {error}") from None


def write_duration(seconds: float) -> str:
    """Write a time as `10ms`, or as `2s` when it is a second or more."""
    if seconds < 1:
        return f"{_plain(Decimal(repr(seconds)) * 1000)}ms"
    return f"{_plain(Decimal(repr(seconds)))}s"


def write_time_control(clock: TimeControl) -> str:
    """Write a clock, with times in seconds: `40/90+0.5`."""
    moves = "" if clock.moves is None else f"{clock.moves}/"
    more = f"+{_seconds(clock.increment)}" if clock.increment else ""
    return f"{moves}{_seconds(clock.time)}{more}"


def write_clock(
    tc: TimeControl | None = None,
    st: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
) -> str:
    """Write all that bounds a player, as records have it: `10+0.1`, `st=10ms depth=8`."""
    words = [] if tc is None else [write_time_control(tc)]
    if st is not None:
        words.append(f"st={write_duration(st)}")
    words += [f"{name}={bound}" for name, bound in (("depth", depth), ("nodes", nodes)) if bound]
    return " ".join(words)


def _read_time(text: str) -> float | None:
    text = text.strip()
    if len(text) > _MOST_TEXT:
        return None
    if (parts := _PARTS.fullmatch(text)) is not None:
        hours, minutes, seconds = Decimal(parts[1] or 0), Decimal(parts[2]), Decimal(parts[3])
        if seconds >= 60 or (parts[1] is not None and minutes >= 60):
            return None
        return float(hours * 3600 + minutes * 60 + seconds)
    if (number := _NUMBER.fullmatch(text)) is not None:
        return float(Decimal(number[1]) * _UNITS[number[2].lower()])
    return None


def _read_moves(text: str) -> int | None:
    text = text.strip()
    return int(text) if re.fullmatch(r"0*[1-9]\d{0,9}", text, re.ASCII) else None


def _check(seconds: float) -> float:
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise ValueError(f"{seconds:g} seconds are not from {LEAST_SECONDS} to {MOST_SECONDS:.0f}")
    return seconds


def _seconds(seconds: float) -> str:
    return _plain(Decimal(repr(seconds)))


def _plain(number: Decimal) -> str:
    """Write a number without an exponent and without zeros that say nothing."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
