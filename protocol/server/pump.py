"""Gives many clients turns in one thread, so that none of them makes the others wait long.

Work comes in pieces of a few milliseconds at most. Of the groups (accounts) that have work
the one that used the least time lately goes first, and within it the lane (connection)
that used the least. Who asks for little is served almost at once however many ask without
pause, and those share the rest evenly. After a slice of pieces the event loop has its turn,
to look at its sockets.
"""

import heapq
import math
from collections.abc import Callable
from itertools import count

from anyio.lowlevel import checkpoint

from kibitz.protocol.server.bell import Bell

SLICE = 0.003
"""Seconds of work between two looks at the sockets."""

_TURNS = 2
"""Turns of the event loop between slices: it takes so many from a socket to a task."""

HALF_LIFE = 0.5
"""Seconds after which time that was used counts half as much."""

_LEAST = 1e-6


class Usage:
    """Time that was used, of which less and less counts.

    `mark` is for comparisons: of two usages the smaller has the smaller mark, at any time.
    It is the logarithm of the usage as it would be at the clock's zero, so that nothing has
    to be renewed while time passes.
    """

    def __init__(self) -> None:
        self.mark = -math.inf

    def add(self, seconds: float, now: float) -> None:
        """Add time that was used until `now`."""
        zero = now / HALF_LIFE
        self.mark = math.log2(2.0 ** (self.mark - zero) + seconds + _LEAST) + zero


class Group:
    """The lanes that share one turn."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.lanes: list[tuple[float, int, Lane]] = []
        self.is_queued = False


class Lane:
    """One client's work. `step` does a piece of it and tells whether there is more.

    When it has told that there is not, `Pump.wake` has to be called when there is again.
    """

    def __init__(self, group: Group, step: Callable[[], bool]) -> None:
        self.group = group
        self.usage = Usage()
        self.step = step
        self.is_queued = False


class Pump:
    """Does the pieces of all lanes in turn; `run` has to run in a task."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._numbers = count()
        self._groups: list[tuple[float, int, Group]] = []
        self._afterwards: dict[Callable[[], None], None] = {}
        self._bell = Bell()

    def wake(self, lane: Lane) -> None:
        """Have the work of a lane done, when its turn comes."""
        if lane.is_queued:
            return
        lane.is_queued = True
        group = lane.group
        heapq.heappush(group.lanes, (lane.usage.mark, next(self._numbers), lane))
        if not group.is_queued:
            self._queue(group)
        self._bell.ring()

    def _queue(self, group: Group) -> None:
        group.is_queued = True
        heapq.heappush(self._groups, (group.usage.mark, next(self._numbers), group))

    def afterwards(self, call: Callable[[], None]) -> None:
        """Have a call made once at the end of the slice, or soon if there is none."""
        self._afterwards[call] = None
        self._bell.ring()

    async def run(self) -> None:
        """Do the work, for ever."""
        while True:
            if not self._groups and not self._afterwards:
                await self._bell.wait()
            self.run_slice()
            for _ in range(_TURNS):
                await checkpoint()

    def run_slice(self) -> None:
        """Do pieces until the slice is over or nothing is left to do; then what comes after."""
        begun = now = self._clock()
        while self._groups and now < begun + SLICE:
            _, _, group = heapq.heappop(self._groups)
            _, _, lane = heapq.heappop(group.lanes)
            lane.is_queued = False
            before = now
            more = lane.step()
            now = self._clock()
            lane.usage.add(now - before, now)
            group.usage.add(now - before, now)
            group.is_queued = False
            if group.lanes:
                self._queue(group)
            if more:
                self.wake(lane)
        calls, self._afterwards = self._afterwards, {}
        for call in calls:
            call()
