"""What an engine did wrong, as an exception with its outcome, and how errors become one."""

from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.engine.errors import InputError
from kibitz.protocol.client import (
    ConnectionLost,
    EndedEarly,
    EngineError,
    EngineRefused,
    EngineTimeout,
    Unsupported,
)
from kibitz.protocol.faults import ErrorCode
from kibitz.scripts.match.records.records import Outcome, Side


class MatchError(InputError):
    """A match that cannot begin, or cannot go on; the text says why."""


class Fault(Exception):  # noqa: N818 - an engine's mistake, which ends a game and not the match
    """The end of a game by what an engine did, or by what engines do not agree on.

    `side` is whose engine it was, None where nobody knows who is wrong.
    """

    def __init__(self, outcome: Outcome, reason: str, side: Side | None) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.side = side


@contextmanager
def blaming(side: Side) -> Iterator[None]:
    """Make faults of a side of what its engine's client raises, except `Unsupported`."""
    try:
        yield
    except Unsupported:
        raise
    except EngineError as error:
        outcome = _outcome_of(error)
        raise Fault(outcome, f"{side.capitalize()}: {error}", side) from error


def _outcome_of(error: EngineError) -> Outcome:
    if isinstance(error, (ConnectionLost, EndedEarly)):
        return Outcome.DISCONNECT
    if isinstance(error, EngineTimeout):
        return Outcome.STALL
    if isinstance(error, EngineRefused) and error.code in _ABOUT_THE_GAME:
        return Outcome.DISAGREEMENT
    return Outcome.CRASH


_ABOUT_THE_GAME = (ErrorCode.BAD_MOVE, ErrorCode.BAD_POSITION)
"""An engine answers so when the referee took a move that is illegal for it."""
