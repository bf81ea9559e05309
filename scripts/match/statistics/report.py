"""From counts to what testers read: a typed report of a match, and its lines of text.

All numbers are the first player's. When there are pairs, everything but the tally's own
numbers is computed from them; otherwise games are taken for independent.
"""

import math

import msgspec

from kibitz.scripts.match.statistics.counts import Pentanomial, Points, Tally
from kibitz.scripts.match.statistics.elo import (
    Estimate,
    draw_rate,
    elo_difference,
    even_rate,
    likelihood_of_superiority,
    normalized_elo,
    pairs_ratio,
)
from kibitz.scripts.match.statistics.sprt import Decision, Sprt, SprtState


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A match in numbers; what cannot be computed from the games so far is None.

    `score` is the mean score of a game; it, `superiority` (the likelihood of superiority),
    `draws` and `even` (the shares of drawn games and of even pairs) are from 0 to 1.
    `points` are the means for and against of the games that have points.
    """

    tally: Tally
    pairs: Pentanomial | None
    score: float | None
    elo: Estimate | None
    normalized: Estimate | None
    superiority: float | None
    draws: float | None
    even: float | None
    ratio: float | None
    sprt: Sprt | None
    state: SprtState | None
    points: tuple[float, float] | None


def make_report(
    tally: Tally,
    pairs: Pentanomial | None = None,
    *,
    sprt: Sprt | None = None,
    points: Points | None = None,
) -> Report:
    """Compute everything from counts.

    `tally` holds all games. `pairs` holds those of them that are in finished pairs, and is
    None when games are not paired. ValueError when there are fewer games than pairs need.
    """
    if pairs is not None and pairs.games > tally.games:
        raise ValueError(f"{pairs.pairs} pairs are more than {tally.games} games")
    counts = tally if pairs is None else pairs
    return Report(
        tally=tally,
        pairs=pairs,
        score=tally.score / tally.games if tally.games else None,
        elo=elo_difference(counts),
        normalized=normalized_elo(counts),
        superiority=likelihood_of_superiority(counts),
        draws=draw_rate(tally),
        even=None if pairs is None else even_rate(pairs),
        ratio=None if pairs is None else pairs_ratio(pairs),
        sprt=sprt,
        state=None if sprt is None else sprt.state(counts),
        points=None if points is None else points.means(),
    )


def report_lines(report: Report) -> list[str]:
    """Write a report as lines of text, in the words that testers know."""
    tally = report.tally
    lines = [
        f"Elo: {_estimate(report.elo)}, nElo: {_estimate(report.normalized)}",
        f"LOS: {_percent(report.superiority)}, draws: {_percent(report.draws)}",
        f"Games: {tally.games}, wins: {tally.wins}, losses: {tally.losses}, "
        f"draws: {tally.draws}, score: {tally.score:.1f} ({_percent(report.score)})",
    ]
    if report.pairs is not None:
        lines[1] += f", even pairs: {_percent(report.even)}, pairs ratio: {_number(report.ratio)}"
        lines.append(f"Ptnml(0-2): {list(report.pairs.counts)}")
    if report.points is not None:
        own, other = report.points
        lines.append(f"Points a game: {own:.2f} for, {other:.2f} against")
    if report.sprt is not None and report.state is not None:
        lines.append(_test_line(report.sprt, report.state))
    return lines


def _test_line(sprt: Sprt, state: SprtState) -> str:
    verdict = "" if state.decision is Decision.CONTINUE else f", {state.decision} accepted"
    return (
        f"LLR: {state.llr:.2f} ({100 * state.progress:.1f} %) "
        f"({state.lower:.2f}, {state.upper:.2f}) "
        f"[{sprt.elo0:.2f}, {sprt.elo1:.2f}] {sprt.model}{verdict}"
    )


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    error = estimate.error
    if error is None:
        return f"{_number(estimate.value)} +/- -"
    if math.isinf(error):
        # An interval that is open on one side still tells something on the other.
        return f"{_number(estimate.value)} ({_number(estimate.low)} to {_number(estimate.high)})"
    return f"{_number(estimate.value)} +/- {error:.2f}"


def _number(value: float | None) -> str:
    """Two digits after the point, and no minus sign for a zero."""
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"
