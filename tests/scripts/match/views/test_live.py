import io
import re
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from kibitz.scripts.match.events import EngineFailed, GameBegan, GameEnded, MatchBegan, MatchEnded
from kibitz.scripts.match.views.live import DRAWN_PER_SECOND, LiveView
from kibitz.scripts.match.views.wording import duration
from tests.scripts.match.views.event_streams import Match, began, example, hostile, matches
from tests.scripts.match.whole_matches import pair

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def make(
    match: Match, clock: Clock | None = None, *, width: int = 80, height: int = 50
) -> tuple[LiveView, io.StringIO]:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, width=width, height=height, _environ={"TERM": "xterm"}
    )
    return LiveView(match.settings, console, clock=clock or Clock(), is_ticking=False), stream


def picture(view: LiveView, width: int = 80) -> list[str]:
    return [line.plain for line in view.lines(width)]


def test_the_picture_of_an_example() -> None:
    match = example()
    clock = Clock()
    view, _ = make(match, clock)
    with view:
        for event in match.events[:7]:
            view(event)
            clock.now += 60 * isinstance(event, GameBegan)
        assert picture(view) == [
            "20 ms against 60 ms (jarmo)",
            "2 of 4 games, 0:03:00, about 0:01:00 left",
            "",
            "#  name  games  won  drawn  lost  score      %  for  against  faults",
            "1  slow      2    2      0     0    2.0  100.0    3        1       0",
            "2  fast      2    0      0     2    0.0    0.0    1        3       2",
            "",
            "Elo: inf +/- -, nElo: inf +/- -",
            "LOS: 84.13 %, draws: 0.00 %, even pairs: 0.00 %, pairs ratio: inf",
            "Games: 2, wins: 2, losses: 0, draws: 0, score: 2.0 (100.00 %)",
            "Ptnml(0-2): [0, 0, 0, 0, 1]",
            "Points a game: 3.00 for, 1.00 against",
            "LLR: 0.01 (0.5 %) (-2.94, 2.94) [0.00, 5.00] logistic",
            "",
            "Failures of engines: 1",
            "Warning: fast: time: used 95 ms of 20 ms",
            "",
            "Games being played: 1",
            "3: slow vs fast",
            "",
            "Finished game 2 (fast vs slow): 0-1 {White used 95 ms of 20 ms}",
            "Finished game 1 (slow vs fast): 1-0 {no stones left}",
        ]


def test_the_estimate_counts_only_games_of_this_run() -> None:
    records = [record for number in range(1, 6) for record in pair(number, "slow", "fast", "WD")]
    clock = Clock()
    view, _ = make(example(), clock)
    with view:
        view(
            MatchBegan(
                event="e", game="g", players=("slow", "fast"), games=10, records=tuple(records[:4])
            )
        )
        assert picture(view)[1] == "4 of 10 games, 0:00:00"
        clock.now += 3600
        view(GameEnded(record=records[4]))
        assert picture(view)[1] == "5 of 10 games, 1:00:00, about 5:00:00 left"
        clock.now += 1800
        assert picture(view)[1] == "5 of 10 games, 1:30:00, about 4:30:00 left"
        clock.now += 36000
        assert picture(view)[1] == "5 of 10 games, 11:30:00, about 0:00:00 left"
        for record in records[5:]:
            view(GameEnded(record=record))
        assert picture(view)[1] == "10 of 10 games, 11:30:00"


def test_durations() -> None:
    assert [duration(s) for s in (-1, 0.9, 61, 3599, 360_000)] == [
        "0:00:00",
        "0:00:00",
        "0:01:01",
        "0:59:59",
        "100:00:00",
    ]


def test_only_the_newest_are_shown() -> None:
    view, _ = make(example())
    records = [record for number in range(1, 21) for record in pair(number, "slow", "fast", "WD")]
    with view:
        view(MatchBegan(event="e", game="g", players=("slow", "fast"), games=40))
        for record in records:
            view(began(record))
        for record in records[:10]:
            view(GameEnded(record=record))
            view(EngineFailed(player="slow", reason=f"failure {record.number}"))
        lines = picture(view)
    assert "Games being played: 30" in lines
    assert sum("vs" in line and line[0].isdigit() for line in lines) == 8
    assert "..." in lines
    assert [line.split()[2] for line in lines if line.startswith("Finished")] == [*"6789", "10"]
    assert "Failures of engines: 10" in lines
    assert "Warning: slow: could not be started: failure 10" in lines
    assert "Warning: slow: could not be started: failure 5" not in lines


def test_events_draw_nothing() -> None:
    """Drawing is left to the thread, so that it is not done more often than it should be."""
    match = example()
    view, stream = make(match)
    with view:
        view(match.events[0])
        before = stream.getvalue()
        for event in match.events[1:]:
            view(event)
        assert stream.getvalue() == before
        view.draw()
        assert "20 ms against 60 ms (jarmo)" in stream.getvalue()
    assert DRAWN_PER_SECOND <= 4


def test_the_report_stays_below_the_last_picture() -> None:
    match = example()
    view, stream = make(match)
    with view:
        for event in match.events:
            view(event)
    view.close()
    lines = CONTROL.sub("", stream.getvalue()).splitlines()
    assert lines[-2:] == [
        "Faults of fast: illegal pvs 1, time losses 1",
        "Stopped match: stopped by the user",
    ]
    for once in ("Score of slow vs fast", "Elo: ", "#  name", "Finished game 3"):
        assert sum(line.startswith(once) for line in lines) == 1


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("count", range(len(example().events) + 1))
@pytest.mark.parametrize("fails", [False, True])
def test_the_terminal_is_given_back(count: int, fails: bool) -> None:
    match = example()
    view, stream = make(match)
    before = sys.stdout, sys.stderr

    def run() -> None:
        with view:
            for event in match.events[:count]:
                view(event)
            if fails:
                raise BrokenError

    if fails:
        with pytest.raises(BrokenError):
            run()
    else:
        run()
    assert (sys.stdout, sys.stderr) == before
    text = stream.getvalue()
    assert text.count(HIDE) == text.count(SHOW) == (1 if count else 0)
    assert text.rfind(SHOW) >= text.rfind(HIDE)
    view.close()
    assert stream.getvalue() == text


@given(matches(), st.integers(1, 100), st.integers(1, 30))
def test_any_terminal(match: Match, width: int, height: int) -> None:
    view, stream = make(match, width=width, height=height)
    with view:
        for event in match.events:
            view(event)
            if isinstance(event, (MatchBegan, GameEnded, MatchEnded)):
                assert all(cell_len(line) <= width for line in picture(view, width))
        view.draw()
    assert all(line.isprintable() for line in CONTROL.sub("", stream.getvalue()).split("\n"))


@pytest.mark.parametrize("width", [20, 80, 500])
def test_hostile_text_does_nothing_to_the_terminal(width: int) -> None:
    match = hostile()
    view, stream = make(match, width=width)
    with view:
        for event in match.events:
            view(event)
            view.draw()
        assert all(cell_len(line) <= width for line in picture(view, width))
    text = stream.getvalue()
    # What rich sends itself: styles, cursor up, erase a line, hide and show the cursor.
    assert set(re.findall(r"\x1b\[[0-9;?]*([A-Za-z])", text)) <= set("mAKhl")
    assert "\x1b]" not in text
    assert all(line.isprintable() for line in CONTROL.sub("", text).split("\n"))
    if width == 500:
        assert "[red]b[/red] :warning: [/]" in text


def test_a_thread_draws_and_ends() -> None:
    match = example()
    drawn = threading.Event()

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            if "0:12:34" in text:
                drawn.set()
            return super().write(text)

    clock = Clock()
    threads = threading.active_count()
    console = Console(file=Stream(), force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with LiveView(match.settings, console, clock=clock) as view:
        view(match.events[0])
        clock.now += 754
        assert drawn.wait(30)
        helpers = [t for t in threading.enumerate() if t is not threading.main_thread()]
        assert len(helpers) >= 1
    for thread in helpers:
        thread.join(30)
    assert threading.active_count() == threads
