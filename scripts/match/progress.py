"""How a match went: the estimates and the test after some of its pairs, for plots."""

from collections.abc import Sequence

import msgspec

from kibitz.scripts.match.counts import Pentanomial
from kibitz.scripts.match.elo import Estimate, elo_difference
from kibitz.scripts.match.sprt import Sprt

# More steps than this cannot be seen in a plot.
MOST_STEPS = 400


class Step(msgspec.Struct, frozen=True):
    """A match after so many pairs; `llr` is None without a test."""

    pairs: int
    elo: Estimate
    llr: float | None


def progress(
    results: Sequence[int], sprt: Sprt | None = None, most_steps: int = MOST_STEPS
) -> tuple[Step, ...]:
    """Follow a match through its pairs, in the order in which they ended.

    A result is twice the sum of a pair's scores, 0 to 4. There is a step after every pair
    or, in longer matches, at most `most_steps`, evenly spread; the last pair always has one.
    """
    counts = [0, 0, 0, 0, 0]
    steps = []
    every = max(-(-len(results) // most_steps), 1)
    for number, result in enumerate(results, 1):
        if not 0 <= result <= 4:
            raise ValueError(f"result {result} of pair {number}: not from 0 to 4")
        counts[result] += 1
        if (len(results) - number) % every:
            continue
        lost, behind, even, ahead, won = counts
        pairs = Pentanomial((lost, behind, even, ahead, won))
        elo = elo_difference(pairs)
        assert elo is not None
        steps.append(Step(number, elo, None if sprt is None else sprt.state(pairs).llr))
    return tuple(steps)
