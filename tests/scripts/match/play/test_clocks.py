"""Clocks: what is left after a move, when a move is too late, and what engines are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.client import Limit
from kibitz.scripts.match.play.clocks import Clock
from kibitz.scripts.match.records.records import Side
from kibitz.scripts.match.settings.match_settings import EngineSettings

seconds = st.floats(min_value=0, max_value=30, allow_nan=False)


def clock(**given: object) -> Clock:
    return Clock(EngineSettings(**({"margin": 0} | given)))  # type: ignore[arg-type]


def test_increments_come_after_the_move() -> None:
    ours = clock(tc="10+0.5")
    assert ours.spend(10.0)
    assert ours.left == 0.5
    assert ours.spend(0.25)
    assert ours.left == 0.75
    assert not ours.spend(0.76)


def test_periods_add_their_time() -> None:
    ours = clock(tc="3/6")
    for left, to_go in ((4, 2), (2, 1), (6, 3), (4, 2)):
        assert ours.spend(2.0)
        assert (ours.left, ours.moves_to_go) == (left, to_go)


def test_time_of_a_move_is_not_saved() -> None:
    ours = clock(st="500ms")
    for used in (0.1, 0.5, 0.0):
        assert ours.spend(used)
        assert ours.allowed == 0.5
    assert not ours.spend(0.501)


def test_without_a_clock_any_time_is_good() -> None:
    ours = clock(depth=3, nodes=1000)
    assert ours.last is None
    assert ours.spend(1e6)
    assert ours.limit(Side.WHITE, ours) == Limit(depth=3, nodes=1000)


@pytest.mark.parametrize("given", [{"tc": "1"}, {"st": 1}])
def test_within_the_margin_it_is_late_and_not_lost(given: dict[str, object]) -> None:
    ours = clock(margin=100, **given)
    assert ours.last == pytest.approx(1.1)
    assert not ours.spend(1.11)
    assert ours.spend(1.09)
    assert ours.left == 0.0


@given(st.lists(seconds, max_size=20), st.sampled_from(["60", "60+1", "5/20+0.5"]))
def test_nothing_is_lost_or_found(moves: list[float], control: str) -> None:
    ours = clock(tc=control)
    assert ours.control is not None
    spent, made, periods = 0.0, 0, 1
    for used in moves:
        if not ours.spend(used):
            assert used > ours.left
            break
        spent, made = spent + used, made + 1
        if ours.control.moves is not None and made % ours.control.moves == 0:
            periods += 1
    given = periods * ours.control.time + made * ours.control.increment
    assert ours.left == pytest.approx(given - spent)


def test_limits_name_each_clock_by_its_side() -> None:
    ours, theirs = clock(tc="40/60+1", depth=9), clock(tc="10+0.5")
    ours.spend(2.0)
    assert ours.limit(Side.WHITE, theirs) == Limit(
        depth=9,
        white_clock=59.0,
        white_increment=1.0,
        black_clock=10.0,
        black_increment=0.5,
        moves_to_go=39,
    )
    assert theirs.limit(Side.BLACK, ours) == Limit(
        white_clock=59.0, white_increment=1.0, black_clock=10.0, black_increment=0.5
    )
    assert theirs.limit(Side.WHITE, clock(st=1)) == Limit(white_clock=10.0, white_increment=0.5)


def test_the_text_says_all_bounds() -> None:
    assert clock(tc="40/60+1", depth=3).text == "40/60+1 depth=3"
    assert clock(st=0.01).text == "st=10ms"
