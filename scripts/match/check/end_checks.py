"""Checks of how an engine ends, each with an engine of its own."""

from collections.abc import Awaitable, Callable

from kibitz.scripts.match.check.outcomes import CheckFailed, CheckSkipped
from kibitz.scripts.match.check.subject import Subject
from kibitz.scripts.match.check.talk import Talk


async def quits(subject: Subject) -> None:
    """Raise unless `quit` ends the engine, soon and in good order."""
    talk = await subject.talk()
    await _ends(subject, talk, lambda: talk.send("quit"), "'quit'")


async def quits_while_searching(subject: Subject) -> None:
    """Raise unless `quit` ends the engine during a search too."""
    talk = await subject.place()
    await talk.send("go infinite")
    await talk.sync("go infinite")
    await _ends(subject, talk, lambda: talk.send("quit"), "'go infinite', 'quit'")


async def ends_with_its_input(subject: Subject) -> None:
    """Raise unless the engine ends when its input does."""
    _needs_process(subject)
    talk = await subject.talk()
    await _ends(subject, talk, talk.link.end_input, "the end of its input")


async def ends_with_its_input_while_searching(subject: Subject) -> None:
    """Raise unless the engine ends when its input does, during a search too."""
    _needs_process(subject)
    talk = await subject.place()
    await talk.send("go infinite")
    await talk.sync("go infinite")
    await _ends(subject, talk, talk.link.end_input, "'go infinite' and the end of its input")


def _needs_process(subject: Subject) -> None:
    if subject.target.url is not None:
        raise CheckSkipped("a server goes on")


async def _ends(
    subject: Subject, talk: Talk, order: Callable[[], Awaitable[None]], after: str
) -> None:
    seconds = talk.patience.quit
    await order()
    if not await talk.wait_for_end(seconds):
        raise CheckFailed(f"it has not ended within {seconds:g} s after {after}")
    if subject.target.url is None:
        status = await talk.exit_status()
        if status is None:
            raise CheckFailed(f"it closed its output after {after}, but lives on")
        if status != 0:
            raise CheckFailed(f"after {after} {await talk.end()}")
    await subject.part()
