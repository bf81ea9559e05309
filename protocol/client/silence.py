"""How long a server may be silent before it is taken for lost.

A server answers `isready` at once, also in a search. So who waits for it, hears nothing and has
no answer to that question either waits in vain: the machine hangs, or is gone.
"""

from collections.abc import Callable
from functools import partial

import anyio

from kibitz.protocol.client.errors import ConnectionLost
from kibitz.protocol.client.wire import Wire

KEEPALIVE = 30.0
"""The seconds that a server may be silent before it is asked, if nothing else is said."""


def check_keepalive(seconds: float) -> None:
    """Refuse a time that makes no sense, also none at all; raises `ValueError`."""
    if not seconds > 0:
        raise ValueError(f"keepalive: {seconds} is not a time to be silent")


def silent_for(who: str, seconds: float) -> str:
    """Say that somebody is silent, in the same words everywhere."""
    return f"{who} has been silent for {seconds:g} seconds"


async def watch_silence(
    wire: Wire, who: str, keepalive: float, timeout: Callable[[], float]
) -> None:
    """End a wire when the server is silent while something is waited for.

    It is asked after `keepalive` seconds, and lost after `timeout()` more in which nothing
    came at all.
    """
    while wire.lost is None:
        # When nothing is waited for, what will be is waited for from now on at the earliest.
        since = wire.silent_since if wire.is_owed else anyio.current_time()
        await anyio.sleep_until(since + keepalive)
        if wire.lost is not None or not wire.is_owed or wire.silent_since > since:
            continue
        news = wire.news
        patience = timeout()
        wire.dialogues[""].ask(wants_answers=False)
        with anyio.move_on_after(patience):
            await news.wait()
        if not news.is_set():
            await wire.lose(partial(ConnectionLost, silent_for(who, keepalive + patience)))
            return
