"""Wakes up one task that looks itself for what there is to do."""

import anyio


class Bell:
    """An event for one waiting task, used again and again.

    A bell that was rung while nobody waited ends the next wait at once. So a task that
    looks, finds nothing and waits cannot miss what came in between.
    """

    def __init__(self) -> None:
        self._event = anyio.Event()

    def ring(self) -> None:
        """End the wait, or the next one."""
        self._event.set()

    async def wait(self) -> None:
        """Wait until somebody rings."""
        await self._event.wait()
        self._event = anyio.Event()
