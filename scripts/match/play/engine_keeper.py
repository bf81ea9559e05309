"""One player's engine in one worker: opened when it is to play, kept, closed, opened again.

An engine is a context, and contexts of one task can only be left in the order in which they
were entered; so each engine lives in a task of its own, which ends when it is told to.
"""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus

from kibitz.protocol.client import CannotOpen, Engine, EngineError, Option
from kibitz.scripts.match.play.game_faults import MatchError
from kibitz.scripts.match.settings.engine_checks import command_of, read_token
from kibitz.scripts.match.settings.match_settings import Dialect, EngineSettings, OptionValue

ATTEMPTS = 3
"""How often an engine is tried to be opened before the match stops."""

_LAUNCH = Path(__file__).with_name("launch.py")
_PONDER = "ponder"


@asynccontextmanager
async def open_engine(settings: EngineSettings) -> AsyncIterator[Engine]:
    """Start the engine of a player, or connect to it, and set its options.

    Raises `EngineError`.
    """
    async with _open(settings) as engine:
        await engine.configure(options_of(settings, engine.options))
        yield engine


def options_of(settings: EngineSettings, listed: Mapping[str, Option]) -> dict[str, OptionValue]:
    """Give the options to set: those of the settings, and `Ponder` for an engine that ponders."""
    options = dict(settings.options)
    if settings.ponder and _PONDER not in (name.lower() for name in options):
        options |= {name: True for name in listed if name.lower() == _PONDER}
    return options


@asynccontextmanager
async def _open(settings: EngineSettings) -> AsyncIterator[Engine]:
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
    processors = ",".join(map(str, settings.affinity)) or "-"
    launch = [sys.executable, "-I", "-S", str(_LAUNCH), str(os.getpid()), processors]
    return [*launch, *command_of(settings)]


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
        """Give the engine, opened and configured.

        One that was opened before may need some time to be there again, above all a server.
        Raises `MatchError` when it does not come.
        """
        for attempt in range(ATTEMPTS):
            if self._engine is None:
                if attempt:
                    await anyio.sleep(self.settings.timeout / ATTEMPTS)
                self._release, self._closed = anyio.Event(), anyio.Event()
                try:
                    self._engine = await self._group.start(self._keep)
                except EngineError as error:
                    failure = error
        if self._engine is None:
            raise MatchError(f"{self.settings.name} cannot be opened: {failure}")
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
                is_open = True
                task_status.started(engine)
                await release.wait()
        except EngineError:
            # Whoever asked for the engine is told; later it is the games that find out.
            if not is_open:
                raise
        finally:
            closed.set()
