"""What bounds a search, and how a clock becomes a time for one turn."""

import msgspec

# Without `movestogo`, a clock is planned for this many more turns of the side.
TURNS_AHEAD = 30
# The plan is to use the increment nearly whole, and never more than this share of the clock.
INCREMENT_SHARE = 0.8
LONGEST_SHARE = 0.5
# A turn may take this many times its planned time while its best move is in doubt.
STRETCH = 4.0


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """When a search has to end; the first bound reached ends it, none is no bound.

    Times are milliseconds. `clocks` and `increments` are White's and Black's. `mate` asks
    to stop when a win within so many turns is found.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    clocks: tuple[int | None, int | None] = (None, None)
    increments: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    mate: int | None = None


class Budget(msgspec.Struct, frozen=True):
    """Time for one turn in milliseconds, None for no bound.

    No new iteration is begun after `soft`; at `hard` the search ends wherever it is.
    """

    soft: float | None
    hard: float | None


def plan_time(limit: Limit, side: int, overhead: int) -> Budget:
    """Give the time for the turn of `side`; `overhead` ms are kept for the way to the client.

    A clock of the other side alone stands for both.
    """
    fixed = None if limit.movetime is None else float(max(limit.movetime - overhead, 1))
    clock = limit.clocks[side]
    if clock is None:
        side ^= 1
        clock = limit.clocks[side]
    if clock is None:
        return Budget(None, fixed)
    usable = float(max(clock - overhead, 1))
    turns = max(min(limit.moves_to_go or TURNS_AHEAD, TURNS_AHEAD), 1)
    # With one turn to go the whole clock may be used, less a reserve for a late answer.
    most = usable * (0.9 if turns == 1 else LONGEST_SHARE)
    soft = min(usable / turns + INCREMENT_SHARE * limit.increments[side], most)
    hard = min(soft * STRETCH, most)
    if fixed is not None:
        return Budget(min(soft, fixed), min(hard, fixed))
    return Budget(soft, hard)
