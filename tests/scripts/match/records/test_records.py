from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given

from kibitz.scripts.match.records.records import (
    MOST_DEAL,
    GameRecord,
    MoveRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)
from kibitz.search.info import Score
from tests.scripts.match.plain import plain_record
from tests.scripts.match.strategies import records


@given(records())
def test_json_and_back(record: GameRecord) -> None:
    text = msgspec.json.encode(record)
    assert b"\n" not in text
    assert msgspec.json.decode(text, type=GameRecord) == record


def test_results_and_sides() -> None:
    assert Result.won_by(Side.WHITE) == "1-0"
    assert Result.won_by(Side.WHITE.other).scores == (0.0, 1.0)
    assert Result.DRAW.scores == (0.5, 0.5)
    assert Result.NONE.scores == (0.0, 0.0)
    assert Side.BLACK.other is Side.WHITE


def test_opening_moves_are_those_before_the_engines_were_asked() -> None:
    moves = tuple(
        MoveRecord(side, token, book=book)
        for side, token, book in [
            (Side.WHITE, "a", True),
            (Side.BLACK, "b", True),
            (Side.WHITE, "c", False),
            (Side.BLACK, "d", True),
        ]
    )
    record = msgspec.structs.replace(plain_record(1), moves=moves)
    assert record.opening_moves == ("a", "b")
    assert record.player(Side.WHITE).name == "a"
    assert record.player(Side.BLACK).name == "b"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"number": 0}, "number"),
        ({"pair": -1}, "pair"),
        ({"round": 2**63}, "round"),
        ({"event": "\ud800"}, "event"),
        ({"options": {"a": "\udfff"}}, "options"),
        ({"deal": MOST_DEAL + 1}, "deal"),
        ({"points": (float("nan"), 0.0)}, "points"),
        ({"started": datetime(2030, 1, 1)}, "started"),
        ({"ended": datetime(2030, 1, 1, tzinfo=timezone(timedelta(hours=1)))}, "ended"),
        ({"outcome": Outcome.ILLEGAL_PV}, "outcome"),
        ({"outcome": Outcome.TIME}, "guilty"),
    ],
)
def test_a_record_without_sense_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}: "):
        msgspec.structs.replace(plain_record(1), **changes)


def test_a_move_or_player_without_sense_is_refused() -> None:
    for wrong in ({"score": Score()}, {"score": Score(cp=1, mate=1)}, {"nodes": -1}, {"time": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            MoveRecord(Side.WHITE, "a", **wrong)
    with pytest.raises(ValueError, match="illegal_pvs"):
        PlayerRecord("a", illegal_pvs=-1)


def test_a_time_in_utc_by_another_name_is_fine() -> None:
    zone = timezone(timedelta(0), "Z")
    record = msgspec.structs.replace(plain_record(1), started=datetime(2030, 1, 1, tzinfo=zone))
    assert record.started == datetime(2030, 1, 1, tzinfo=UTC)
