"""When a game is ended before its rules do: by scores, by length, by agreement to count.

It is told each move and the score that came with it, and knows no engine and no board.
"""

from collections import deque

import msgspec

from kibitz.protocol.client.values import Score
from kibitz.scripts.match.records.records import Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    CountSettings,
    DrawSettings,
    ResignSettings,
)
from kibitz.search import info


class Adjudged(msgspec.Struct, frozen=True):
    """The end of a game by adjudication; `result` is None when the game's count decides."""

    outcome: Outcome
    result: Result | None
    reason: str


class Adjudicator:
    """Follows one game."""

    def __init__(self, settings: AdjudicationSettings) -> None:
        """Begin before the first move."""
        self._settings = settings
        rules = (settings.resign, settings.draw, settings.count)
        most = max((rule.movecount for rule in rules if rule is not None), default=0)
        # From White's view, whoever said it; None where an engine said nothing.
        self._scores: dict[Side, deque[int | None]] = {side: deque(maxlen=most) for side in Side}
        self._moves = dict.fromkeys(Side, 0)

    def add(self, side: Side, score: info.Score | None) -> None:
        """Take note of a move, and of what its engine said, from the mover's view."""
        self._moves[side] += 1
        value = None
        if score is not None:
            value = Score(cp=score.cp, mate=score.mate).value()
            value = value if side is Side.WHITE else -value
        self._scores[side].append(value)

    def verdict(self) -> Adjudged | None:
        """Say whether the game ends here, and how."""
        settings = self._settings
        if settings.resign is not None:
            for winner in Side:
                if self._has_won(winner, settings.resign):
                    return _win(winner, settings.resign)
        if settings.draw is not None and self._is_drawn(settings.draw):
            return _draw(settings.draw)
        if settings.count is not None and self._is_settled(settings.count):
            return Adjudged(
                Outcome.AGREEMENT, None, "both engines agree on how it stands: the count decides"
            )
        most = settings.maxmoves
        if most is not None and sum(self._moves.values()) >= 2 * most:
            return Adjudged(Outcome.LENGTH, Result.DRAW, f"drawn after {most} moves of each side")
        return None

    def _has_won(self, winner: Side, rule: ResignSettings) -> bool:
        sign = 1 if winner is Side.WHITE else -1
        judges = tuple(Side) if rule.twosided else (winner.other,)
        scores = [self._last(judge, rule.movecount) for judge in judges]
        return all(found and min(sign * score for score in found) >= rule.score for found in scores)

    def _is_drawn(self, rule: DrawSettings) -> bool:
        if min(self._moves.values()) < rule.movenumber:
            return False
        scores = [self._last(side, rule.movecount) for side in Side]
        return all(found and max(map(abs, found)) <= rule.score for found in scores)

    def _is_settled(self, rule: CountSettings) -> bool:
        if min(self._moves.values()) < rule.movenumber:
            return False
        white, black = (self._last(side, rule.movecount) for side in Side)
        if not (white and black):
            return False
        found = [*white, *black]
        return max(found) - min(found) <= rule.score

    def _last(self, side: Side, count: int) -> list[int]:
        """Give the last so many scores of a side; none when one of them is not known."""
        scores = list(self._scores[side])[-count:]
        known = [score for score in scores if score is not None]
        return known if len(known) == count else []


def _win(winner: Side, rule: ResignSettings) -> Adjudged:
    who = "both engines" if rule.twosided else f"{winner.other.capitalize()}'s engine"
    return Adjudged(
        Outcome.ADJUDICATED_WIN,
        Result.won_by(winner),
        f"{winner.capitalize()} wins by adjudication: {who} said so for {rule.movecount} moves",
    )


def _draw(rule: DrawSettings) -> Adjudged:
    return Adjudged(
        Outcome.ADJUDICATED_DRAW,
        Result.DRAW,
        f"drawn by adjudication: both engines said so for {rule.movecount} moves",
    )
