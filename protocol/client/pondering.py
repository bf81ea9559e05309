"""A search in the enemy's time, which becomes one of ours when he moves as expected."""

import anyio

from kibitz.protocol.client.analysis import follow
from kibitz.protocol.client.dialogue import Dialogue
from kibitz.protocol.client.errors import EngineError, EngineTimeout
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.values import Result


class Pondering:
    """From `go ponder` to its answer; `Engine.ponder` makes one."""

    def __init__(self, dialogue: Dialogue, search: RunningSearch) -> None:
        self._dialogue = dialogue
        self._search = search

    def hit(self) -> None:
        """Say that the expected move was made: from now on it is our time.

        Raises `EngineError` when the engine was asked something else since, which has
        stopped this search, and what says that it is lost.
        """
        if self._dialogue.lost is not None:
            raise self._dialogue.lost()
        if self._search.is_stopping:
            raise EngineError("the engine does not ponder on that any more")
        if self._search.is_over:
            # It ended before it may, and its answer is as good.
            self._search.begin_again()
        else:
            self._dialogue.ponder_hit()

    def stop(self) -> None:
        """Ask for the best move at once."""
        if self._dialogue.search is self._search and self._dialogue.lost is None:
            self._dialogue.stop()

    async def wait(self, timeout: float | None = None) -> Result:
        """Wait for the result after `hit`, for so many seconds at most, forever for None.

        Raises `EngineTimeout`, after which the search goes on, and what `Engine.analyse` raises.
        """
        with anyio.move_on_after(timeout):
            await follow(self._search)
        if not self._search.is_over:
            raise EngineTimeout(f"the search did not end within {timeout:g} seconds")
        if not self._search.is_answered:
            assert self._dialogue.lost is not None
            raise self._dialogue.lost()
        return self._search.result()
