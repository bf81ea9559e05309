"""Texts of clocks: what they mean, that they come back, and what is said of others."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.scripts.match.settings.time_control import (
    LEAST_SECONDS,
    MOST_MOVES,
    MOST_SECONDS,
    TimeControl,
    read_duration,
    read_time_control,
    write_clock,
    write_duration,
    write_time_control,
)

DURATIONS = st.floats(LEAST_SECONDS, MOST_SECONDS)
CLOCKS = st.builds(
    TimeControl,
    st.none() | st.integers(1, MOST_MOVES),
    DURATIONS,
    st.just(0.0) | DURATIONS,
)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("10+0.1", TimeControl(None, 10.0, 0.1)),
        ("10", TimeControl(None, 10.0)),
        ("10+0", TimeControl(None, 10.0)),
        ("40/60", TimeControl(40, 60.0)),
        ("40/60+0.5", TimeControl(40, 60.0, 0.5)),
        ("40/1:30+0.5", TimeControl(40, 90.0, 0.5)),
        ("1:30:00", TimeControl(None, 5400.0)),
        ("90:00", TimeControl(None, 5400.0)),
        ("0:01.5", TimeControl(None, 1.5)),
        ("1:5", TimeControl(None, 65.0)),
        ("500ms+10ms", TimeControl(None, 0.5, 0.01)),
        ("10s", TimeControl(None, 10.0)),
        ("2m+1s", TimeControl(None, 120.0, 1.0)),
        ("1H", TimeControl(None, 3600.0)),
        (".5+.05", TimeControl(None, 0.5, 0.05)),
        (" 40 / 10 + 1 ", TimeControl(40, 10.0, 1.0)),
        ("040/1", TimeControl(40, 1.0)),
    ],
)
def test_clocks(text: str, clock: TimeControl) -> None:
    assert read_time_control(text) == clock
    assert read_time_control(write_time_control(clock)) == clock


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("10ms", 0.01),
        ("0.5", 0.5),
        ("0.5s", 0.5),
        ("2m", 120.0),
        ("1:30", 90.0),
        (" 1 ", 1.0),
        (0.01, 0.01),
        (3, 3.0),
        ("1ms", 0.001),
        ("1000000000", 1e9),
    ],
)
def test_durations(given: str | float, seconds: float) -> None:
    assert read_duration(given) == seconds
    assert read_duration(write_duration(seconds)) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "10ms"), (0.0125, "12.5ms"), (0.5, "500ms"), (1, "1s"), (1.5, "1.5s"), (100.0, "100s")],
)
def test_durations_as_records_have_them(seconds: float, text: str) -> None:
    assert write_duration(seconds) == text


def test_clocks_as_records_have_them() -> None:
    assert write_clock(TimeControl(None, 10.0, 0.1)) == "10+0.1"
    assert write_clock(TimeControl(40, 60.0, 0.5)) == "40/60+0.5"
    assert write_clock(TimeControl(None, 1e9)) == "1000000000"
    assert write_clock(st=0.01) == "st=10ms"
    assert write_clock(st=2.0, depth=8, nodes=1000) == "st=2s depth=8 nodes=1000"
    assert write_clock(TimeControl(None, 1.0), depth=3) == "1 depth=3"
    assert write_clock(nodes=7) == "nodes=7"
    assert write_clock() == ""


@given(CLOCKS)
def test_every_clock_comes_back(clock: TimeControl) -> None:
    text = write_time_control(clock)
    assert read_time_control(text) == clock
    assert "e" not in text
    assert write_time_control(read_time_control(text)) == text


@given(DURATIONS)
def test_every_duration_comes_back(seconds: float) -> None:
    text = write_duration(seconds)
    assert read_duration(text) == seconds
    assert "e" not in text


@given(st.text(st.sampled_from("0123456789.:/+msh -einf\0é٣")) | st.text())
def test_any_text_is_a_clock_or_an_error(text: str) -> None:
    try:
        clock = read_time_control(text)
    except ValueError as error:
        said = str(error)
    else:
        said = write_time_control(clock)
        assert read_time_control(said) == clock
    assert said
    assert said.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "inf", "-1", "1e3", "nan", "10+", "+1", "10+0.1+1", "/60", "0/60", "x/60"),
        *("40/", "40/60/3", "4.5/60", "1:60", "1:60:00", "1:2:3:4", "1:", ":30", "10 s s", "10d"),
        *("10,5", "٣", "1_000", "10-1", "1:30ms", "9" * 50, ".", "40//60", "10+-1", "10++1"),
        *("12345678901/60",),
    ],
)
def test_what_is_no_clock(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a clock, such as 10\+0\.1") as caught:
        read_time_control(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "no time at the start"),
        ("0+1", "no time at the start"),
        ("0.0005", "0.0005 seconds are not from 0.001 to 1000000000"),
        ("10+0.0001", "0.0001 seconds are not from"),
        ("1000000001", "are not from"),
        ("9999999999/1", "9999999999 moves are not from 1 to"),
    ],
)
def test_what_no_clock_can_have(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_time_control(text)


@pytest.mark.parametrize("given", ["0", 0, -1, -0.5, math.nan, math.inf, "0ms", 1e10, "0.1ms"])
def test_times_that_nobody_can_have(given: str | float) -> None:
    with pytest.raises(ValueError, match="seconds are not from"):
        read_duration(given)


@pytest.mark.parametrize("given", ["", "x", "10+0.1", "40/60", "-1", "1e3", "inf", "10 20"])
def test_what_is_no_time(given: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time \(seconds, "):
        read_duration(given)
