"""What the tests of the client talk to: the real program, and the scripted faulty one."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from kibitz.protocol.client import Engine

KIBITZ = (sys.executable, "-m", "kibitz.scripts.main")
FAULTY = Path(__file__).parent / "faulty.py"
HANGS_AFTER = 30.0


def kibitz(dialect: str | None = None) -> AbstractAsyncContextManager[Engine]:
    """The real program."""
    return Engine.open_process(KIBITZ, dialect=dialect, timeout=HANGS_AFTER)


def faulty_command(*faults: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-E", str(FAULTY), *faults)


def faulty(
    *faults: str, dialect: str | None = None, timeout: float = HANGS_AFTER
) -> AbstractAsyncContextManager[Engine]:
    """The faulty program."""
    return Engine.open_process(faulty_command(*faults), dialect=dialect, timeout=timeout)


def pid_of(engine: Engine) -> int:
    """The number of a faulty process, which is in its name."""
    return int(engine.name.split()[1])


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits only for its end to be noticed does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


@asynccontextmanager
async def no_hang() -> AsyncIterator[None]:
    """A test that hangs fails."""
    async with asyncio.timeout(HANGS_AFTER):
        yield


async def dies(pid: int) -> None:
    """Wait until a process has ended; the kernel takes a moment."""
    while is_alive(pid):
        os.sched_yield()
        await asyncio.sleep(0)
