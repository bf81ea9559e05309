"""Adjudication: by scores, by length, by agreement, and not a move before its time."""

from collections.abc import Sequence

import pytest

from kibitz.scripts.match.play.adjudication import Adjudicator
from kibitz.scripts.match.records.records import Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    CountSettings,
    DrawSettings,
    ResignSettings,
)
from kibitz.search.info import Score

LOST, WON = Score(cp=-700), Score(cp=700)
RESIGN = AdjudicationSettings(resign=ResignSettings(movecount=2, score=600))
ONE_SIDED = AdjudicationSettings(resign=ResignSettings(movecount=2, score=600, twosided=False))
DRAW = AdjudicationSettings(draw=DrawSettings(movenumber=3, movecount=2, score=10))
COUNT = AdjudicationSettings(count=CountSettings(movenumber=2, movecount=2, score=20))


def end_of(
    settings: AdjudicationSettings, scores: Sequence[Score | None], first: Side = Side.WHITE
) -> tuple[int, Outcome, Result | None] | None:
    """Give the move after which a game ends, its outcome and result; sides alternate."""
    adjudicator = Adjudicator(settings)
    side = first
    for number, score in enumerate(scores, 1):
        adjudicator.add(side, score)
        verdict = adjudicator.verdict()
        if verdict is not None:
            return number, verdict.outcome, verdict.result
        side = side.other
    return None


@pytest.mark.parametrize(
    ("first", "result"), [(Side.WHITE, Result.WHITE_WINS), (Side.BLACK, Result.BLACK_WINS)]
)
def test_a_win_when_both_say_so(first: Side, result: Result) -> None:
    assert end_of(RESIGN, [WON, LOST, WON, LOST], first) == (4, Outcome.ADJUDICATED_WIN, result)


@pytest.mark.parametrize(
    "scores",
    [
        [WON, LOST, WON, Score(cp=-599)],
        [WON, LOST, Score(cp=0), LOST, WON, Score(cp=0)],
        [WON, WON, WON, WON],
        [None, LOST, None, LOST],
        [WON, None, WON, None],
        [LOST, LOST, LOST, LOST],
        [],
    ],
)
def test_no_win_as_long_as_somebody_doubts(scores: list[Score | None]) -> None:
    assert end_of(RESIGN, scores) is None


def test_one_sided_asks_the_loser_alone() -> None:
    scores = [Score(cp=0), LOST, None, LOST]
    assert end_of(ONE_SIDED, scores) == (4, Outcome.ADJUDICATED_WIN, Result.WHITE_WINS)
    assert end_of(ONE_SIDED, [WON, Score(cp=0), WON, Score(cp=0)]) is None


def test_forced_ends_are_scores_too() -> None:
    scores = [Score(mate=9), Score(mate=-8), Score(mate=7), LOST]
    assert end_of(RESIGN, scores) == (4, Outcome.ADJUDICATED_WIN, Result.WHITE_WINS)
    assert end_of(DRAW, [Score(mate=0)] * 20) is None


def test_a_draw_after_its_move_number() -> None:
    calm = [Score(cp=10), Score(cp=-10)] * 10
    assert end_of(DRAW, calm) == (6, Outcome.ADJUDICATED_DRAW, Result.DRAW)
    late = [Score(cp=50), Score(cp=-50)] * 3 + calm
    assert end_of(DRAW, late) == (10, Outcome.ADJUDICATED_DRAW, Result.DRAW)
    assert end_of(DRAW, [Score(cp=10), Score(cp=11)] * 10) is None
    assert end_of(DRAW, [Score(cp=0), None] * 10) is None


def test_length() -> None:
    settings = AdjudicationSettings(maxmoves=3)
    assert end_of(settings, [None] * 9) == (6, Outcome.LENGTH, Result.DRAW)


def test_agreement_leaves_the_result_to_the_count() -> None:
    # The same view of the game: what is good for one is bad for the other.
    agreed = [Score(cp=300), Score(cp=-310)] * 5
    assert end_of(COUNT, agreed) == (4, Outcome.AGREEMENT, None)
    assert end_of(COUNT, [Score(cp=300), Score(cp=300)] * 5) is None
    assert end_of(COUNT, [Score(cp=300), Score(cp=-321)] * 5) is None


def test_moves_in_a_row_of_one_side_do_not_count_for_the_other() -> None:
    adjudicator = Adjudicator(RESIGN)
    for side, score in ((Side.WHITE, WON), (Side.WHITE, WON), (Side.WHITE, WON)):
        adjudicator.add(side, score)
        assert adjudicator.verdict() is None
    adjudicator.add(Side.BLACK, LOST)
    assert adjudicator.verdict() is None
    adjudicator.add(Side.BLACK, LOST)
    verdict = adjudicator.verdict()
    assert verdict is not None
    assert verdict.result is Result.WHITE_WINS
