"""One player's engine in one worker: opened when it is to play, kept, closed, opened again.

An engine is a context, and contexts of one task can only be left in the order in which they
were entered; so each engine lives in a task of its own, which ends when it is told to.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus

from kibitz.protocol.client import CannotOpen, Engine, EngineError
from kibitz.scripts.match.settings.engine_checks import command_of, read_token
from kibitz.scripts.match.settings.match_settings import Dialect, EngineSettings

# Starts a program on some processors only: without a race, and whatever it starts inherits it.
_ON_PROCESSORS = (
    "import os, sys; os.sched_setaffinity(0, map(int, sys.argv[1].split(',')));"
    " os.execvp(sys.argv[2], sys.argv[2:])"
)


@asynccontextmanager
async def open_engine(settings: EngineSettings) -> AsyncIterator[Engine]:
    """Start the engine of a player, or connect to it; raises `EngineError`."""
    if settings.url is not None:
        token = None
        if settings.token_file is not None:
            try:
                token = await to_thread.run_sync(read_token, settings.token_file)
            except ValueError as error:
                raise CannotOpen(str(error)) from None
        async with Engine.open_server(
            settings.url, token=token, ca=settings.ca, timeout=settings.timeout
        ) as engine:
            yield engine
        return
    dialect = None if settings.proto is Dialect.AUTO else settings.proto.value
    async with Engine.open_process(
        words_of(settings), dialect=dialect, timeout=settings.timeout, cwd=settings.cwd
    ) as engine:
        yield engine


def words_of(settings: EngineSettings) -> list[str]:
    """Give the words by which a player's program is started, on its processors."""
    words = command_of(settings)
    if not settings.affinity:
        return words
    processors = ",".join(map(str, settings.affinity))
    return [sys.executable, "-I", "-S", "-c", _ON_PROCESSORS, processors, *words]


class EngineKeeper:
    """Has the engine of a player ready; its task belongs to the group that it is given."""

    def __init__(self, group: TaskGroup, settings: EngineSettings) -> None:
        """Keep nothing yet."""
        self.settings = settings
        self._group = group
        self._engine: Engine | None = None
        self._release = anyio.Event()
        self._closed = anyio.Event()

    async def get(self) -> Engine:
        """Give the engine, opened and configured; raises `EngineError`."""
        if self._engine is None:
            self._release, self._closed = anyio.Event(), anyio.Event()
            self._engine = await self._group.start(self._keep)
        return self._engine

    async def close(self) -> None:
        """End the engine, if there is one, and wait until it is gone."""
        if self._engine is not None:
            self._engine = None
            self._release.set()
            await self._closed.wait()

    async def _keep(self, *, task_status: TaskStatus[Engine]) -> None:
        release, closed = self._release, self._closed
        is_open = False
        try:
            async with open_engine(self.settings) as engine:
                await engine.configure(self.settings.options)
                is_open = True
                task_status.started(engine)
                await release.wait()
        except EngineError:
            # Whoever asked for the engine is told; later it is the games that find out.
            if not is_open:
                raise
        finally:
            closed.set()
