"""What an engine is asked, and what it tells: frozen structs, the same for every engine.

All times are seconds, as everywhere in Python; the dialects' milliseconds stay inside.
"""

import math
from enum import IntEnum

import msgspec

from kibitz.search import info


class Side(IntEnum):
    """Who moves: White is the first player (`p1`), Black the second."""

    WHITE = 0
    BLACK = 1

    @property
    def enemy(self) -> "Side":
        """The other side."""
        return Side(1 - self)


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """When a search has to end; the first bound reached ends it.

    `time` is the seconds for this turn, the clocks and increments are seconds too. `mate`
    asks to stop at a win within so many turns of both sides (3 is a win with the third turn
    from now); an engine that knows only UCI is asked for the same in its own count. A limit
    without any bound means a search until it is stopped.
    """

    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    white_clock: float | None = None
    black_clock: float | None = None
    white_increment: float | None = None
    black_increment: float | None = None
    moves_to_go: int | None = None
    mate: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that bound nothing."""
        for name, least in (("depth", 1), ("nodes", 1), ("moves_to_go", 1), ("mate", 1)):
            number = getattr(self, name)
            if number is not None and number < least:
                raise ValueError(f"{name}: {number} is less than {least}")
        for name in _TIMES:
            seconds = getattr(self, name)
            if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
                raise ValueError(f"{name}: {seconds} is not a number of seconds")

    @property
    def is_infinite(self) -> bool:
        """Whether nothing bounds the search."""
        bounds = (self.depth, self.nodes, self.mate)
        return self.longest is None and all(bound is None for bound in bounds)

    @property
    def longest(self) -> float | None:
        """The seconds after which an answer must be there, None for no bound."""
        if self.time is not None:
            return self.time
        clocks = [c for c in (self.white_clock, self.black_clock) if c is not None]
        return max(clocks) if clocks else None


_TIMES = ("time", "white_clock", "black_clock", "white_increment", "black_increment")


class Score(info.Score, frozen=True):
    """A score from one side's point of view: hundredths, or turns to a forced end.

    Just one of the two is set. `mate` counts turns of both sides: 3 is a win with the third
    turn from here, -2 a loss by the enemy's next turn, 0 a game that is over.
    """

    def __neg__(self) -> "Score":
        """Give the same score as the other side sees it."""
        if self.mate is not None:
            return Score(mate=-self.mate)
        return Score(cp=-(self.cp or 0))

    def __str__(self) -> str:
        if self.mate is not None:
            return f"#{self.mate:+d}"
        return f"{(self.cp or 0) / 100:+.2f}"

    def value(self, mate: int = 1_000_000) -> int:
        """Give one number to compare scores by: a win in n turns counts `mate` - n."""
        if self.mate is None:
            return self.cp or 0
        return mate - self.mate if self.mate > 0 else -mate - self.mate


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine tells during a search; None for what it did not say.

    `score` is from the view of the side to move, which is `side`, if that is known. `bound`
    is `lower` or `upper` when the true score may be higher or lower. `hashfull` and `wdl`
    (win, draw, loss) are thousandths, `time` is seconds, `pv` the line of play as tokens.
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int = 1
    score: Score | None = None
    bound: str = ""
    wdl: tuple[int, int, int] | None = None
    nodes: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    time: float | None = None
    pv: tuple[str, ...] = ()
    string: str | None = None
    side: Side | None = None

    def pov(self, side: Side) -> Score | None:
        """Give the score as a side sees it; raises `ValueError` if nobody knows who moves."""
        if self.score is None:
            return None
        if self.side is None:
            raise ValueError("the engine does not say whose turn it is")
        return self.score if side == self.side else -self.score


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a search ended.

    `move` is None when the game was over. `expected` is the answer that the engine expects
    to its move. `lines` are the last infos, the best line first; `notes` is what the engine
    said besides, the newest last. `elapsed` is the seconds from `go`, or from `ponderhit`, to
    the answer, as they were measured here.
    """

    move: str | None
    expected: str | None = None
    lines: tuple[Info, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed: float | None = None

    @property
    def info(self) -> Info:
        """The last info of the best line; an empty one if there was none."""
        return self.lines[0] if self.lines else Info()

    @property
    def score(self) -> Score | None:
        """The score of the best line, as the side to move sees it."""
        return self.info.score


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """How a game stands: `result` is `p1win`, `p2win`, `draw` or `none`.

    `reason` is one word for how it ended, `points` are White's and Black's in the game's own
    count; None where the engine does not say. `side` is whose turn it is.
    """

    result: str
    side: Side
    reason: str | None = None
    points: tuple[float, float] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result != "none"

    @property
    def winner(self) -> Side | None:
        """Who won, if somebody did."""
        return {"p1win": Side.WHITE, "p2win": Side.BLACK}.get(self.result)
