import pytest

from kibitz.search.info import Score, chances, score_of
from kibitz.search.values import WIN


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (0, Score(cp=0)),
        (-123, Score(cp=-123)),
        (WIN - 1, Score(mate=1)),
        (WIN - 7, Score(mate=7)),
        (2 - WIN, Score(mate=-2)),
    ],
)
def test_scores_of_values(value: int, score: Score) -> None:
    assert score_of(value) == score


@pytest.mark.parametrize("cp", [-3000, -200, -1, 0, 1, 50, 200, 3000])
def test_chances_add_up_and_mirror(cp: int) -> None:
    win, draw, loss = chances(Score(cp=cp))
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert chances(Score(cp=-cp)) == (loss, draw, win)
    assert (win > loss) == (cp > 0) or win == loss


def test_chances_of_forced_ends_are_certain() -> None:
    assert chances(Score(mate=3)) == (1000, 0, 0)
    assert chances(Score(mate=-2)) == (0, 0, 1000)
