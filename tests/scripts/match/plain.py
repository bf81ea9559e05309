"""Plain game records, for tests that need some and do not care which."""

from datetime import UTC, datetime, timedelta

from kibitz.scripts.match.records.records import (
    GameRecord,
    MoveRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)
from kibitz.search.info import Score


def plain_record(number: int, moves: int = 2) -> GameRecord:
    """Give a short game as the schedule would number it, with text that needs care."""
    started = datetime(2030, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    return GameRecord(
        number=number,
        pair=(number + 1) // 2,
        leg=2 - number % 2,
        round=1,
        event="test",
        game="jarmo",
        white=PlayerRecord("a", clock="st=10ms"),
        black=PlayerRecord("b", engine='b "1.0"'),
        result=Result.DRAW,
        outcome=Outcome.RULES,
        reason=f"game {number} {{über}}",
        started=started,
        ended=started,
        moves=tuple(
            MoveRecord(side, "a1a2", Score(cp=-7 * ply), 5, 100 + ply, 3)
            for ply, side in zip(range(moves), [Side.WHITE, Side.BLACK] * moves, strict=False)
        ),
    )
