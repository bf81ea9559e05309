import pytest

from kibitz.search.limits import Limit, plan_time


def test_no_clock_is_no_bound() -> None:
    budget = plan_time(Limit(depth=3), 0, 10)
    assert budget.soft is None
    assert budget.hard is None


def test_movetime_is_used_up_less_the_overhead() -> None:
    budget = plan_time(Limit(movetime=100), 1, 10)
    assert budget.soft is None
    assert budget.hard == 90


@pytest.mark.parametrize("clock", [1, 5, 10, 100, 1_000, 60_000, 3_600_000])
@pytest.mark.parametrize("increment", [0, 10, 1_000, 100_000])
@pytest.mark.parametrize("moves_to_go", [None, 1, 2, 40])
def test_a_turn_never_takes_the_whole_clock(
    clock: int, increment: int, moves_to_go: int | None
) -> None:
    limit = Limit(clocks=(clock, None), increments=(increment, 0), moves_to_go=moves_to_go)
    budget = plan_time(limit, 0, 10)
    assert budget.soft is not None
    assert budget.hard is not None
    assert 0 < budget.soft <= budget.hard <= max(clock - 10, 1)
    if clock > 20:
        assert budget.hard < clock - 10


def test_each_side_has_its_own_clock() -> None:
    limit = Limit(clocks=(10_000, 90_000))
    white, black = plan_time(limit, 0, 0).soft, plan_time(limit, 1, 0).soft
    assert white is not None
    assert black is not None
    assert white < black


def test_one_clock_alone_stands_for_both() -> None:
    assert plan_time(Limit(clocks=(None, 9_000)), 0, 0) == plan_time(
        Limit(clocks=(9_000, None)), 0, 0
    )


def test_fewer_turns_to_go_give_more_time() -> None:
    few = plan_time(Limit(clocks=(9_000, None), moves_to_go=3), 0, 0)
    many = plan_time(Limit(clocks=(9_000, None), moves_to_go=20), 0, 0)
    assert few.soft is not None
    assert many.soft is not None
    assert few.soft > many.soft


def test_movetime_bounds_a_clock_too() -> None:
    budget = plan_time(Limit(clocks=(60_000, None), movetime=50), 0, 0)
    assert budget.hard == 50
