"""Calls at a later time, for everything in a server that has to wait for the clock.

One task waits for the earliest of all; while nothing is to be called there is no timer, so
an idle server does not wake up. The calls come from the loop's thread and must not wait.
"""

import heapq
from collections.abc import Callable
from functools import partial
from itertools import count

import anyio

from kibitz.protocol.server.bell import Bell

_FEW = 64
"""So many cancelled alarms may lie about before they are swept out."""


class Alarm:
    """A call that is to come; `cancel` does nothing once it has come."""

    def __init__(self, due: float, call: Callable[[], None], forget: Callable[[], None]) -> None:
        self.due = due
        self._call: Callable[[], None] | None = call
        self._forget = forget

    @property
    def is_over(self) -> bool:
        """Whether nothing is to be called any more."""
        return self._call is None

    def cancel(self) -> None:
        """Do not call."""
        if self._call is not None:
            self._call = None
            self._forget()

    def ring(self) -> None:
        """Make the call."""
        call, self._call = self._call, None
        if call is not None:
            call()


class Alarms:
    """All alarms of a server; `run` has to run in a task."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Use a clock of seconds that the event loop's own agrees with."""
        self.clock = clock
        self._heap: list[tuple[float, int, Alarm]] = []
        self._numbers = count()
        self._cancelled = 0
        self._changed = Bell()

    def after(self, seconds: float, call: Callable[[], None]) -> Alarm:
        """Have a call made in so many seconds."""
        alarm = Alarm(self.clock() + seconds, call, partial(self._forget))
        heapq.heappush(self._heap, (alarm.due, next(self._numbers), alarm))
        if self._heap[0][2] is alarm:
            self._changed.ring()
        return alarm

    def _forget(self) -> None:
        """Count a cancelled alarm, and sweep them out when they are many."""
        self._cancelled += 1
        if self._cancelled > _FEW + len(self._heap) // 2:
            self._heap = [entry for entry in self._heap if not entry[2].is_over]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def next_due(self) -> float | None:
        """Give the time of the next call, None if there is none."""
        while self._heap and self._heap[0][2].is_over:
            heapq.heappop(self._heap)
            self._cancelled -= 1
        return self._heap[0][0] if self._heap else None

    def ring_due(self) -> None:
        """Make the calls whose time has come."""
        now = self.clock()
        while (due := self.next_due()) is not None and due <= now:
            heapq.heappop(self._heap)[2].ring()

    async def run(self) -> None:
        """Make all calls in time, for ever."""
        while True:
            self.ring_due()
            due = self.next_due()
            if due is None:
                await self._changed.wait()
            else:
                with anyio.move_on_after(max(due - self.clock(), 0)):
                    await self._changed.wait()
