"""What a Jarmo or Jasir position is worth: the terms, each for one side.

Compiled; the types are in `evaluation.pxd`. Hundredths of a point: an archer on the board
is 100, one on the enemy's first row 200. The line tables belong to a board, so the core
looks along the lines and these functions judge what it found.
"""

from kibitz.engine import bits
from kibitz.engine.jarmo import board

POINT_WORTH = 100
# A right brings back a point, and the turn that uses it is no loss; it needs an empty hole.
RIGHT_WORTH = 85
# A marked archer under way, by whether there is a captured one for it to bring back.
RETURN_CHANCE = 22
MARK_WORTH = 3
# Archers that the enemy can capture at once.
EXCHANGE_RISK = 6
LOSS_RISK = 24
STUCK_COST = 6
TEMPO_WORTH = 6
# Each move fewer that the leader is from ending the game, within a span.
CLOSING_WORTH = 3
CLOSING_SPAN = 12

_PROGRESS = (0, 40, 27, 18, 11, 6, 3, 1)
# Worth of an archer under way by its distance; a hole without a way to the goal is a trap.
PROGRESS_WORTH = [
    *_PROGRESS,
    *[0] * (board.UNREACHABLE - len(_PROGRESS)),
    -10,
]


def score_value(points: int) -> int:
    """Worth of the points as they stand."""
    return points * POINT_WORTH


def rights_value(rights: int) -> int:
    """Worth of unused rights to a return."""
    return rights * RIGHT_WORTH


def marks_value(marked: int, lost: int) -> int:
    """Worth of marked archers under way when `lost` captured ones have no right yet."""
    count = bits.popcount(marked)
    return count * MARK_WORTH + (count if count < lost else lost) * RETURN_CHANCE


def danger_value(attacked: int, protected: int, arrived: int) -> int:
    """Cost, as a negative number, of archers that the enemy can capture; all are sets."""
    if not attacked:
        return 0
    loose = attacked & ~protected
    return -(
        EXCHANGE_RISK * bits.popcount(attacked & protected)
        + LOSS_RISK * (bits.popcount(loose) + bits.popcount(loose & arrived))
    )


def stuck_value(stuck: int) -> int:
    """Cost, as a negative number, of archers under way that cannot move."""
    return -stuck * STUCK_COST


def closing_value(lead: int, remaining: int) -> int:
    """Worth of nearing the end, `remaining` moves away, for a side that leads in points."""
    if lead <= 0 or remaining >= CLOSING_SPAN:
        return 0
    return (CLOSING_SPAN - remaining) * CLOSING_WORTH
