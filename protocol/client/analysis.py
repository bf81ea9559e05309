"""A search that somebody looks on: begun, followed, stopped."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import anyio

from kibitz.protocol.client.errors import EngineError, EngineTimeout
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.values import Info, Result


async def follow(search: RunningSearch) -> None:
    """Wait for the end of a search."""
    while not search.is_over:
        await search.changed.wait()


class Analysis:
    """A search between the two ends of its context; iterating it gives infos.

    The iteration ends with the search. A reader who is slow misses old infos, not the
    newest. When the context is left the search is stopped and its answer waited for.
    """

    def __init__(
        self,
        begin: Callable[[], Awaitable[RunningSearch]],
        stop: Callable[[RunningSearch], None],
        result: Callable[[RunningSearch], Result],
        timeout: float,
    ) -> None:
        """Keep what an engine gives; `Engine.analysis` makes one."""
        self._begin = begin
        self._stop = stop
        self._result = result
        self._timeout = timeout
        self._search: RunningSearch | None = None

    async def __aenter__(self) -> Self:
        self._search = await self._begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        search = self._running
        self._stop(search)
        # An exception is on its way, or cancellation: whoever comes next waits.
        if error is None:
            await self._until(search, self._timeout)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Info:
        search = self._running
        while not search.unread:
            if search.is_over:
                # Raises what went wrong, if something did.
                self._result(search)
                raise StopAsyncIteration
            await search.changed.wait()
        return search.unread.popleft()

    @property
    def lines(self) -> tuple[Info, ...]:
        """What is known now of each line of play, the best first."""
        return self._running.lines

    @property
    def is_over(self) -> bool:
        """Whether the search has ended."""
        return self._running.is_over

    def stop(self) -> None:
        """Ask the search to end; it is over when its result is there."""
        self._stop(self._running)

    async def wait(self, timeout: float | None = None) -> Result:
        """Wait for the result, for so many seconds at most, and forever for None.

        A search without a limit has to be stopped first, or it never comes. Raises
        `EngineTimeout`, after which the search goes on, and what `Engine.analyse` raises.
        """
        search = self._running
        if not await self._until(search, timeout):
            raise EngineTimeout(f"the search did not end within {timeout:g} seconds")
        return self._result(search)

    async def _until(self, search: RunningSearch, timeout: float | None) -> bool:
        with anyio.move_on_after(timeout):
            await follow(search)
        return search.is_over

    @property
    def _running(self) -> RunningSearch:
        if self._search is None:
            raise EngineError("the analysis was not begun: use it as a context manager")
        return self._search
