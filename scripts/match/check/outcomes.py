"""What comes out of a check, and how a check says so: it returns, or raises one of two."""

from enum import StrEnum

import msgspec

from kibitz.engine.options import printable

MOST_SHOWN = 100
"""The characters of an engine's line that are shown."""


class Status(StrEnum):
    """How a check went."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


class CheckResult(msgspec.Struct, frozen=True, kw_only=True, tag="check"):
    """One check that was made; `why` is empty for `ok`, `seconds` is how long it took."""

    number: int
    title: str
    status: Status
    why: str
    seconds: float


class Summary(msgspec.Struct, frozen=True, kw_only=True, tag="summary"):
    """All checks together; `engine` is what it calls itself, `proto` what it speaks."""

    engine: str
    proto: str
    ok: int
    failed: int
    skipped: int


class CheckFailed(Exception):  # noqa: N818 - what happened to the check
    """The engine does not do what it should; the text says what it did."""


class CheckSkipped(Exception):  # noqa: N818 - what happened to the check
    """The check cannot be made with this engine; the text says why."""


def shown(line: str) -> str:
    """Give a line of an engine as a failure can show it."""
    text = printable(line[:MOST_SHOWN])
    return f"'{text}{'...' if len(line) > MOST_SHOWN else ''}'"
