"""What kibitz answers: one struct a kind of answer, the same in every dialect.

Numbers are numbers and moves are tokens here; how they are written is the dialect's part.
"""

from typing import Literal

import msgspec

from kibitz.engine.options import Option
from kibitz.protocol.commands import Dialect
from kibitz.protocol.faults import ErrorCode, Refusal, describe_bug
from kibitz.search.info import Score


class Reply(msgspec.Struct, frozen=True):
    """Base of all replies."""


class Identity(Reply, frozen=True):
    """The answer to a handshake."""

    dialect: Dialect
    name: str
    author: str
    options: tuple[Option, ...]


class ReadyOk(Reply, frozen=True):
    """Everything before this is done."""


class Fault(Reply, frozen=True):
    """Something was wrong."""

    code: ErrorCode
    text: str


def fault_of(error: BaseException) -> Fault:
    """Tell what an exception means to the client: its own mistake, or a bug of ours."""
    if isinstance(error, Refusal):
        return Fault(error.code, error.text)
    return Fault(ErrorCode.INTERNAL, describe_bug(error))


class Note(Reply, frozen=True):
    """Something that the client should know: it did not get all that it asked for."""

    text: str


class Admitted(Reply, frozen=True):
    """The client was let in, under this name."""

    name: str


class Sessions(Reply, frozen=True):
    """A session was opened or closed, or all of them are listed."""

    event: Literal["opened", "closed", "list"]
    names: tuple[str, ...]


class Variant(Reply, frozen=True):
    """The game that was chosen, for programs that draw boards by files and ranks."""

    name: str
    files: int
    ranks: int
    start: str


class Progress(Reply, frozen=True, kw_only=True):
    """The state of a search for one line of play.

    `score` is from the side to move, its mate in turns of both sides. `wdl` are chances
    in thousandths, None when nobody wants them. `last` marks the one that precedes the
    answer; all others can be dropped on the way to a reader who is too slow for them.
    """

    score: Score
    depth: int = 0
    seldepth: int = 0
    multipv: int = 1
    bound: str = ""
    nodes: int = 0
    nps: int = 0
    hashfull: int = 0
    time: int = 0
    pv: tuple[str, ...] = ()
    wdl: tuple[int, int, int] | None = None
    last: bool = False


class BestMove(Reply, frozen=True):
    """The answer to a search: its move, and the answer expected to that.

    The move is None when the game is over or the search was refused.
    """

    move: str | None = None
    expected: str | None = None


class Response(Reply, frozen=True):
    """The answer to a query."""

    text: str


class LegalMoves(Reply, frozen=True):
    """All legal moves, sorted."""

    moves: tuple[str, ...]


class Board(Reply, frozen=True):
    """The board as people draw it, and what there is to know about the position."""

    drawing: str
    text: str
    key: int
    side: int
    score: tuple[float, float]
    result: str
    reason: str
    legal_moves: int


class TermLine(msgspec.Struct, frozen=True):
    """One term of an evaluation: its worth to each side, in hundredths."""

    name: str
    white: int
    black: int


class Evaluation(Reply, frozen=True):
    """The evaluation by its terms; `value` is what the search uses, for the side to move.

    A game that is over has no evaluation but its result.
    """

    terms: tuple[TermLine, ...]
    value: int
    side: int
    result: str


class HelpText(Reply, frozen=True):
    """Lines for people."""

    lines: tuple[str, ...]


class MoveCount(Reply, frozen=True):
    """A part of a perft: the sequences that begin with a move."""

    move: str
    count: int


class BenchResult(Reply, frozen=True):
    """A part of a bench: one position, numbered from 1."""

    number: int
    of: int
    name: str
    nodes: int
    time: int


class Total(Reply, frozen=True):
    """The end of a perft or a bench; `stopped` when it was cut short."""

    nodes: int
    nps: int
    stopped: bool = False
