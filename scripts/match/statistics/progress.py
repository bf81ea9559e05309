"""How a match went: the estimates and the test after some of its trials, for plots.

A trial is a pair of games, or a game where games are not paired.
"""

from collections.abc import Sequence

import msgspec

from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.elo import Counts, Estimate, elo_difference
from kibitz.scripts.match.statistics.sprt import Sprt

# More steps than this cannot be seen in a plot.
MOST_STEPS = 400


class Step(msgspec.Struct, frozen=True):
    """A match after so many trials; `llr` is None without a test."""

    trials: int
    elo: Estimate
    llr: float | None


def progress(
    results: Sequence[int],
    sprt: Sprt | None = None,
    most_steps: int = MOST_STEPS,
    *,
    legs: int = 2,
) -> tuple[Step, ...]:
    """Follow a match through its trials, in the order in which they ended.

    A result is twice the sum of a trial's scores: 0 to 4 for a pair, where `legs` is 2, and
    0 to 2 for a game. There is a step after every trial or, in longer matches, at most
    `most_steps`, evenly spread; the last trial always has one.
    """
    most = 2 * legs
    counts = [0] * (most + 1)
    steps = []
    every = max(-(-len(results) // most_steps), 1)
    for number, result in enumerate(results, 1):
        if not 0 <= result <= most:
            trial = "pair" if legs == 2 else "game"
            raise ValueError(f"result {result} of {trial} {number}: not from 0 to {most}")
        counts[result] += 1
        if (len(results) - number) % every:
            continue
        trials = _counts(counts)
        elo = elo_difference(trials)
        assert elo is not None
        steps.append(Step(number, elo, None if sprt is None else sprt.state(trials).llr))
    return tuple(steps)


def _counts(cells: Sequence[int]) -> Counts:
    if len(cells) == 3:
        return Tally(cells[2], cells[1], cells[0])
    lost, behind, even, ahead, won = cells
    return Pentanomial((lost, behind, even, ahead, won))
