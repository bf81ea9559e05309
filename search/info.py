"""What a search tells: scores, progress, and its outcome."""

import msgspec

from kibitz.search.values import WIN, WIN_BOUND

# An evaluation of so many hundredths makes a win ten times as likely as a loss.
_ODDS_OF_TEN = 400.0
_DRAW_WIDTH = 120.0


class Score(msgspec.Struct, frozen=True):
    """A score from the side to move: hundredths, or turns to a forced end.

    Just one of the two is set. `mate` counts turns of both sides (plies): 3 is a win with
    the third turn from here, -2 a loss by the enemy's next turn; 0 is a game already lost
    or won.
    """

    cp: int | None = None
    mate: int | None = None


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a search after an iteration, for one line of play.

    `pv` holds moves as numbers. `hashfull` is in thousandths, `time` in milliseconds,
    `bound` is `lower`, `upper` or empty for an exact score.
    """

    depth: int
    seldepth: int
    multipv: int
    score: Score
    bound: str
    nodes: int
    nps: int
    hashfull: int
    time: int
    pv: tuple[int, ...]


class Outcome(msgspec.Struct, frozen=True):
    """How a search ended: the best move, the answer expected to it, and totals.

    `best` is None when the position has no legal move.
    """

    best: int | None
    expected: int | None
    nodes: int
    nps: int
    time: int


def score_of(value: int) -> Score:
    """Turn a value of the search into a score."""
    if value >= WIN_BOUND:
        return Score(mate=WIN - value)
    if value <= -WIN_BOUND:
        return Score(mate=-(WIN + value))
    return Score(cp=value)


def chances(score: Score) -> tuple[int, int, int]:
    """Estimate win, draw and loss in thousandths for the side to move.

    Two logistic curves, one for not losing and one for winning, `_DRAW_WIDTH` hundredths
    apart on each side: a rule of thumb for display, not fitted to games.
    """
    if score.mate is not None:
        return (1000, 0, 0) if score.mate > 0 else (0, 0, 1000)
    cp = float(score.cp or 0)
    win = round(1000 / (1 + 10 ** ((_DRAW_WIDTH - cp) / _ODDS_OF_TEN)))
    loss = round(1000 / (1 + 10 ** ((_DRAW_WIDTH + cp) / _ODDS_OF_TEN)))
    return win, 1000 - win - loss, loss
