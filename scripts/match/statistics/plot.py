"""Plots of a match: the Elo difference with its error, and the LLR of a test, over pairs or games.

matplotlib draws them. It is an optional dependency and loaded only here and only when a
plot is made; nothing of its global state is touched, so it needs no display.
"""

import importlib
import math
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.statistics.progress import Step, progress
from kibitz.scripts.match.statistics.sprt import Model, Sprt
from kibitz.scripts.match.statistics.standings import Standings
from kibitz.scripts.match.views.visible import visible

SUFFIXES = (".png", ".svg")

_INCHES_WIDE = 8.0
_INCHES_HIGH = 3.2
# Elo differences outside, as the first pairs often give, are not worth the room.
_MARGIN = 1.3
_LINE = "#1f4e79"
_BAND = "#9fc0de"
_H0 = "#a8322a"
_H1 = "#2e7d32"


class PlotError(Exception):
    """A plot that cannot be made, with the reason in words for the user."""


def check_plot(path: Path) -> None:
    """Find out before a match whether its plot can be made; PlotError says why not."""
    if path.suffix.lower() not in SUFFIXES:
        raise PlotError(f"{path.name}: a plot is a {' or '.join(SUFFIXES)} file")
    _load("matplotlib")


def write_plot(
    path: Path,
    steps: Sequence[Step],
    sprt: Sprt | None = None,
    title: str = "",
    unit: str = "pairs",
) -> None:
    """Draw a match to a PNG or SVG file, as the suffix says.

    With a test there are two plots, one above the other. PlotError without matplotlib, for
    another suffix and for a match without steps; OSError when the file cannot be written.
    `unit` is what the steps count. The same match gives the same file.
    """
    check_plot(path)
    if not steps:
        raise PlotError(f"there are no finished {unit} to plot")
    rows = 1 if sprt is None else 2
    with (
        _load("matplotlib").rc_context({"svg.hashsalt": "kibitz"}),
        warnings.catch_warnings(),
    ):
        # Names may have characters that its font has not; those are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph")
        figure = _load("matplotlib.figure").Figure(
            figsize=(_INCHES_WIDE, _INCHES_HIGH * rows), layout="constrained"
        )
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        _draw_elo(axes[0], steps)
        if sprt is not None:
            _draw_test(axes[1], steps, sprt)
        axes[-1].set_xlabel(unit)
        axes[-1].xaxis.get_major_locator().set_params(integer=True)
        axes[-1].set_xlim(0, steps[-1].trials)
        # A name with dollars is not a formula.
        figure.suptitle(title, parse_math=False)
        kind = path.suffix.lower().removeprefix(".")
        metadata = {"Date": None} if kind == "svg" else {"Software": "kibitz"}
        figure.savefig(path, format=kind, dpi=120, metadata=metadata)


def plot_match(path: Path, records: Iterable[GameRecord], settings: MatchSettings) -> None:
    """Draw a match of two players from its games, in the order in which they ended.

    The players are those of the settings, where both have names. PlotError for whatever
    keeps the file from being written, and for a match of more players.
    """
    names = [engine.name for engine in settings.engines]
    if len(names) != 2:
        raise PlotError(f"a plot is of a match of two players, and this one has {len(names)}")
    try:
        standings = Standings.of(settings, names)
        finished = [record.pair for record in records if standings.add(record)]
        results = [
            result for pair in finished if (result := standings.pair_result(pair)) is not None
        ]
        write_plot(
            path,
            progress(results, standings.sprt, legs=standings.legs),
            standings.sprt,
            f"{visible(settings.event)}: {visible(names[0])} against {visible(names[1])}",
            "pairs" if standings.legs == 2 else "games",
        )
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise PlotError(str(error)) from error


def _draw_elo(axes: Any, steps: Sequence[Step]) -> None:
    """Draw the difference and its interval of 95 %, where they are finite."""
    bottom, top = _elo_range(steps)
    beyond = 10 * (abs(bottom) + abs(top))
    trials = [step.trials for step in steps]
    lows = [_clipped(step.elo.low, -beyond, beyond) for step in steps]
    highs = [_clipped(step.elo.high, -beyond, beyond) for step in steps]
    values = [_clipped(step.elo.value, -beyond, beyond) for step in steps]
    axes.fill_between(trials, lows, highs, color=_BAND, linewidth=0, label="95 %")
    axes.plot(trials, values, color=_LINE, label="Elo difference")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylim(bottom, top)
    axes.set_ylabel("Elo")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="best")


def _draw_test(axes: Any, steps: Sequence[Step], sprt: Sprt) -> None:
    """Draw the LLR between the bounds of the test."""
    trials = [0, *(step.trials for step in steps)]
    values = [0.0, *(math.nan if step.llr is None else step.llr for step in steps)]
    unit = "nElo" if sprt.model is Model.NORMALIZED else "Elo"
    axes.plot(trials, values, color=_LINE, label="LLR")
    axes.axhline(sprt.upper, color=_H1, linestyle="--", label=f"H1: {sprt.elo1:g} {unit}")
    axes.axhline(sprt.lower, color=_H0, linestyle="--", label=f"H0: {sprt.elo0:g} {unit}")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel(f"LLR ({sprt.model})")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="best")


def _elo_range(steps: Sequence[Step]) -> tuple[float, float]:
    """Range of the Elo axis: 0, and the interval as it was over the last three quarters."""
    settled = steps[len(steps) // 4 :]
    ends = [end for step in settled for end in (step.elo.low, step.elo.value, step.elo.high)]
    finite = [end for end in ends if end is not None and math.isfinite(end)]
    bottom, top = min([*finite, -1.0]), max([*finite, 1.0])
    return _MARGIN * bottom, _MARGIN * top


def _clipped(value: float | None, low: float, high: float) -> float:
    """Bring infinite values into reach of the axes; nan, which is not drawn, for None."""
    return math.nan if value is None else min(max(value, low), high)


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PlotError(
            f"plots need matplotlib ({error}); install it, or kibitz with its extra 'plot'"
        ) from error
