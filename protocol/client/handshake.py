"""How a talk begins: who we are, and which dialect the engine speaks.

A program is greeted with `ugi` first. One that passes over that, so that the `isready` behind
it is answered alone or not at all, is greeted with `uci`.
"""

from collections.abc import Sequence

import anyio

from kibitz.protocol.client.dialogue import Dialogue
from kibitz.protocol.client.errors import EngineRefused, EngineTimeout
from kibitz.protocol.client.lines import Failed
from kibitz.protocol.client.setup import one_word
from kibitz.protocol.faults import ErrorCode

_SHARE = 0.4
"""The share of the time that UGI is given, when UCI is to be tried too."""


async def identify(dialogue: Dialogue, token: str, timeout: float) -> None:
    """Tell a server our token.

    Raises `EngineRefused` for a wrong one (denied), and for one connection more than its
    client may have (over_limit).
    """
    try:
        one_word("token", token)
    except ValueError:
        # Its text would show the token.
        raise ValueError("token: it is not one word") from None
    batch = dialogue.ask(f"auth {token}")
    with anyio.move_on_after(timeout):
        await batch.done.wait()
    if batch.failed:
        # The first is about the token, others are that nothing can be asked without one.
        raise EngineRefused(batch.failed[0].code, batch.failed[0].text)
    if not batch.is_complete:
        _raise_lost(dialogue)
        raise EngineTimeout(f"the server did not answer within {timeout:g} seconds")


async def greet(dialogue: Dialogue, dialect: str | None, timeout: float) -> None:
    """Agree on a dialect with an engine, and learn its name and options.

    Raises `EngineTimeout` when it answers to none, and whatever says that it is lost.
    """
    if dialect not in (None, "ugi", "uci"):
        raise ValueError(f"dialect: {dialect!r} is not 'ugi', 'uci' or None")
    patience = timeout * _SHARE if dialect is None else timeout
    if dialect != "uci":
        if await _greet_ugi(dialogue, patience):
            return
        if dialect == "ugi":
            raise EngineTimeout(f"ugi was not answered within {timeout:g} seconds")
    dialogue.say("uci")
    with anyio.move_on_after(timeout):
        await dialogue.greeted["uci"].wait()
    _raise_lost(dialogue)
    if not dialogue.greeted["uci"].is_set():
        raise EngineTimeout(f"the program answers neither ugi nor uci in {timeout:g} seconds")
    dialogue.forget_batches()
    if dialogue.greeted["ugi"].is_set():
        # It was only slow.
        await _greet_ugi(dialogue, timeout)
    else:
        dialogue.uci = True


async def _greet_ugi(dialogue: Dialogue, timeout: float) -> bool:
    batch = dialogue.ask("ugi")
    with anyio.move_on_after(timeout):
        await batch.done.wait()
    _raise_denied(batch.failed)
    _raise_lost(dialogue)
    return batch.is_complete and dialogue.greeted["ugi"].is_set()


def _raise_lost(dialogue: Dialogue) -> None:
    if dialogue.lost is not None:
        raise dialogue.lost()


def _raise_denied(failed: Sequence[Failed]) -> None:
    for failure in failed:
        if failure.code == ErrorCode.DENIED:
            raise EngineRefused(failure.code, failure.text)
