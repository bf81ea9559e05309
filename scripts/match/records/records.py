"""The record of one game of a match: who played, from where, each move, and how it ended.

Plain data, frozen, that knows no file and no engine. `journal` stores records as JSON,
`game_file` writes them for people; both give back a record that equals the one they got.
A record that makes no sense (a score that is both a value and a mate, a time without a
time zone) cannot be made: the constructors raise `ValueError` and name the field.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from itertools import takewhile
from math import isfinite

import msgspec

from kibitz.search.info import Score

MOST_NUMBER = 2**63 - 1
"""The largest whole number in a record, that of a deal excepted, which has all 64 bits."""

MOST_DEAL = 2**64 - 1


class Side(StrEnum):
    """A side of the board."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> "Side":
        """The other side."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE


class Result(StrEnum):
    """The result of a game as PGN writes it; `*` is none."""

    WHITE_WINS = "1-0"
    BLACK_WINS = "0-1"
    DRAW = "1/2-1/2"
    NONE = "*"

    @property
    def scores(self) -> tuple[float, float]:
        """The scores of White and of Black; a game without a result gives nobody anything."""
        return _SCORES[self]

    @classmethod
    def won_by(cls, side: Side) -> "Result":
        """Give the result of a game that a side has won."""
        return cls.WHITE_WINS if side is Side.WHITE else cls.BLACK_WINS


_SCORES = {
    Result.WHITE_WINS: (1.0, 0.0),
    Result.BLACK_WINS: (0.0, 1.0),
    Result.DRAW: (0.5, 0.5),
    Result.NONE: (0.0, 0.0),
}


class Outcome(StrEnum):
    """How a game ended, or what a player did wrong."""

    RULES = "rules"
    """By the rules of the game."""
    ILLEGAL_MOVE = "illegal_move"
    ILLEGAL_PV = "illegal_pv"
    """Only counted: it ends no game, so no record has it as its outcome."""
    CRASH = "crash"
    STALL = "stall"
    """The engine lived and did not answer."""
    DISCONNECT = "disconnect"
    TIME = "time"
    DISAGREEMENT = "disagreement"
    """About the result: between the engines, or between an engine and the referee."""
    ADJUDICATED_WIN = "adjudicated_win"
    ADJUDICATED_DRAW = "adjudicated_draw"
    LENGTH = "length"
    """The game was longer than the match allows."""
    AGREEMENT = "agreement"
    """Both engines agreed to end it."""


FORFEITS = frozenset(
    {Outcome.ILLEGAL_MOVE, Outcome.CRASH, Outcome.STALL, Outcome.DISCONNECT, Outcome.TIME}
)
"""The outcomes by which a side loses because of what its engine did; that side is guilty."""


class MoveRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One move: whose it was, its token, and what its engine said about it.

    `score` is seen from the side that moved. `time` is in milliseconds, as the runner
    measured it. None stands for what was not said. `book` marks a move that no engine was
    asked for: it came with the opening. A side may move twice in a row.
    """

    side: Side
    token: str
    score: Score | None = None
    depth: int | None = None
    nodes: int | None = None
    time: int | None = None
    book: bool = False

    def __post_init__(self) -> None:
        _check_text("token", self.token)
        if self.score is not None:
            cp, mate = self.score.cp, self.score.mate
            if (cp is None) == (mate is None):
                raise ValueError("score: it is either in hundredths or in turns to the end")
            _check_number("score", cp if mate is None else mate, -MOST_NUMBER)
        _check_number("depth", self.depth)
        _check_number("nodes", self.nodes)
        _check_number("time", self.time)


class PlayerRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One player as it was in one game.

    `name` is the player's in the match, `engine` what the engine calls itself, with its
    version, `clock` the time control in the words of the match's settings, such as
    `10+0.1`. `illegal_pvs` counts the lines of play with an illegal move that it sent.
    """

    name: str
    engine: str = ""
    clock: str = ""
    illegal_pvs: int = 0

    def __post_init__(self) -> None:
        _check_text("name", self.name)
        _check_text("engine", self.engine)
        _check_text("clock", self.clock)
        _check_number("illegal_pvs", self.illegal_pvs)


class GameRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished game of a match.

    `number` is the game's in the schedule and unique in its match, `pair` that of the pair
    it belongs to, `leg` says which game of the pair it is; all count from 1. `start` is the
    position text and `deal` the number of the deal that the game began from; both None is
    the game's usual start. `moves` begin with those of the opening. `points` are White's
    and Black's in the game's own count, None where nobody counts. `guilty` is the side
    whose fault the end was, `reason` tells it in words. `started` and `ended` are UTC.
    """

    number: int
    pair: int
    leg: int
    round: int
    event: str
    game: str
    white: PlayerRecord
    black: PlayerRecord
    result: Result
    outcome: Outcome
    reason: str
    started: datetime
    ended: datetime
    options: dict[str, str] = {}
    start: str | None = None
    deal: int | None = None
    moves: tuple[MoveRecord, ...] = ()
    guilty: Side | None = None
    points: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in ("number", "pair", "leg", "round"):
            _check_number(name, getattr(self, name), 1)
        for name in ("event", "game", "reason", "start"):
            _check_text(name, getattr(self, name))
        for name, value in self.options.items():
            _check_text("options", name)
            _check_text("options", value)
        _check_number("deal", self.deal, most=MOST_DEAL)
        if self.points is not None and not all(map(isfinite, self.points)):
            raise ValueError("points: they are finite numbers")
        for name in ("started", "ended"):
            if getattr(self, name).utcoffset() != timedelta(0):
                raise ValueError(f"{name}: the time is not in UTC")
        if self.outcome is Outcome.ILLEGAL_PV:
            raise ValueError("outcome: an illegal line of play ends no game")
        if self.outcome in FORFEITS and self.guilty is None:
            raise ValueError(f"guilty: {self.outcome} has a guilty side")

    @property
    def opening_moves(self) -> tuple[str, ...]:
        """The tokens of the moves that came with the opening."""
        return tuple(move.token for move in takewhile(lambda move: move.book, self.moves))

    def player(self, side: Side) -> PlayerRecord:
        """Give the player of a side."""
        return self.white if side is Side.WHITE else self.black


def _check_text(field: str, text: str | None) -> None:
    """Refuse what UTF-8 cannot write: half of a surrogate pair."""
    if text is not None and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{field}: the text holds half of a surrogate pair") from None


def _check_number(
    field: str, number: int | None, least: int = 0, *, most: int = MOST_NUMBER
) -> None:
    if number is not None and not least <= number <= most:
        raise ValueError(f"{field}: {number} is not from {least} to {most}")
