"""A match on a terminal: a picture that is drawn again a few times a second.

Events only change what is remembered; a thread of rich's draws it, at most four times a
second however many games there are. It is as high as there is something to show, and on
a narrow terminal leaves out the less important columns. When the view is closed, the last picture
stays, the report is written below it, and the terminal is as before.
"""

import threading
import time
from collections.abc import Callable, Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from kibitz.scripts.match.events import EngineFailed, Event, GameEnded, MatchBegan
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.statistics.report import report_lines
from kibitz.scripts.match.views.standings_text import final_lines, rating_lines
from kibitz.scripts.match.views.text_table import cut
from kibitz.scripts.match.views.view import View, Watched
from kibitz.scripts.match.views.visible import visible
from kibitz.scripts.match.views.wording import (
    duration,
    ended_line,
    failure_line,
    match_ended_line,
)

DRAWN_PER_SECOND = 4
MOST_RUNNING = 8


class LiveView(View):
    """The picture of a match on a terminal."""

    def __init__(
        self,
        settings: MatchSettings,
        console: Console,
        *,
        clock: Callable[[], float] = time.monotonic,
        is_ticking: bool = True,
    ) -> None:
        """Draw on a console, from the first event on.

        `clock` gives seconds. Without ticking nothing is drawn but by `draw` and at the end.
        """
        self._watched = Watched(settings)
        self._console = console
        self._clock = clock
        self._began_at = 0.0
        self._last_at = 0.0
        self._guard = threading.Lock()
        self._is_closed = False
        self._live = Live(
            get_renderable=lambda: _Picture(self),
            console=console,
            auto_refresh=is_ticking,
            refresh_per_second=DRAWN_PER_SECOND,
        )

    def __call__(self, event: Event) -> None:
        """Remember an event; it is seen when the picture is drawn again."""
        with self._guard:
            self._watched.take(event)
            if isinstance(event, MatchBegan):
                self._began_at = self._clock()
            elif isinstance(event, GameEnded):
                self._last_at = self._clock()
        if isinstance(event, MatchBegan):
            self._live.start()
        elif isinstance(event, EngineFailed) and not self._live.is_started:
            self._print([failure_line(event)])

    def draw(self) -> None:
        """Draw the picture now."""
        self._live.refresh()

    def close(self) -> None:
        """Draw once more, give the terminal back, and write the report if the match ended."""
        if self._is_closed:
            return
        self._is_closed = True
        self._live.stop()
        standings, ended = self._watched.standings, self._watched.ended
        if ended is not None:
            lines = [] if standings is None else final_lines(standings)
            self._print([*lines, match_ended_line(ended)])

    def lines(self, width: int) -> list[Text]:
        """Give the picture for a terminal of so many characters a line."""
        with self._guard:
            return [
                Text(cut(line, width), style=style, no_wrap=True, end="")
                for line, style in self._styled_lines(width)
            ]

    def _styled_lines(self, width: int) -> Iterator[tuple[str, str]]:
        watched = self._watched
        if watched.began is None or watched.standings is None:
            return
        yield f"{visible(watched.began.event)} ({visible(watched.began.game)})", "bold"
        yield self._progress(), ""
        yield "", ""
        titles, *rows = rating_lines(watched.standings, width)
        yield titles, "bold"
        for row in rows:
            yield row, ""
        is_tested = len(watched.standings.players) == 2 or watched.standings.sprt is not None
        # At the end the whole report stands below.
        if is_tested and watched.ended is None:
            yield "", ""
            for line in report_lines(watched.standings.report()):
                yield line, ""
        if watched.failures:
            yield "", ""
            yield f"Failures of engines: {watched.failure_count}", "bold"
            for failure in watched.failures:
                yield failure_line(failure), "red"
        if watched.running and watched.ended is None:
            yield "", ""
            yield f"Games being played: {len(watched.running)}", "bold"
            for game in list(watched.running.values())[:MOST_RUNNING]:
                yield f"{game.number}: {visible(game.white)} vs {visible(game.black)}", ""
            if len(watched.running) > MOST_RUNNING:
                yield "...", ""
        if watched.last:
            yield "", ""
            for record in watched.last:
                yield ended_line(record), "dim"

    def _progress(self) -> str:
        """Write how many games are done, the time since the beginning, and what is left.

        The estimate supposes that games go on ending as often as they did since then.
        """
        watched = self._watched
        now = self._clock()
        parts = [f"{watched.done} of {watched.games} games", duration(now - self._began_at)]
        finished = watched.done - watched.before
        left = watched.games - watched.done
        if finished and left > 0 and watched.ended is None:
            rest = (self._last_at - self._began_at) / finished * left - (now - self._last_at)
            parts.append(f"about {duration(rest)} left")
        return ", ".join(parts)

    def _print(self, lines: list[str]) -> None:
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)


class _Picture:
    """The picture, made for the width that the terminal has when it is drawn."""

    def __init__(self, view: LiveView) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("\n", end="").join(self._view.lines(options.max_width))
