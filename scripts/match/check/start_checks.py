"""Checks of an engine that does not search: greeting, options, readiness, odd input."""

from kibitz.protocol.client import wording
from kibitz.protocol.client.options import Option
from kibitz.scripts.match.check.greeting import check_greeting, check_options
from kibitz.scripts.match.check.outcomes import CheckFailed, shown
from kibitz.scripts.match.check.subject import Subject
from kibitz.scripts.match.check.talk import Heard

MOST_CHOICES = 20
"""The choices of one option that are tried."""
MEASURED = ("hash", "threads")
"""Options whose highest value can be more than the machine has."""


async def greets(subject: Subject) -> None:
    """Raise unless the engine introduces itself as it should."""
    assert subject.greeting is not None
    check_greeting(subject.greeting)


async def lists_options(subject: Subject) -> None:
    """Raise unless all options are well-formed."""
    assert subject.greeting is not None
    check_options(subject.greeting)


async def is_ready(subject: Subject) -> None:
    """Raise unless each `isready` has one `readyok`."""
    talk = await subject.talk()
    await talk.send("isready")
    heard = await talk.lines_to("readyok", talk.patience.answer, "isready")
    # Another answer to the same question comes before that to anything else.
    await talk.send("position startpos", "go depth 1")
    heard += await talk.lines_to("bestmove", talk.patience.answer, "go depth 1")
    if sum(line.word == "readyok" for line in heard) > 1:
        raise CheckFailed("there is more than one readyok for an isready")


async def takes_options(subject: Subject) -> None:
    """Raise unless all the values that options can have are taken."""
    for option in subject.options.values():
        talk = await subject.talk()
        for value in _values(option):
            order = wording.set_option(option.name, value or "<empty>", option.kind)
            await talk.send(order)
            _see_no_error(order, await talk.sync(order))
        if option.name == subject.game_option and subject.target.game is not None:
            order = wording.set_option(option.name, subject.target.game, option.kind)
            await talk.send(order)
            await talk.sync(order)


def _values(option: Option) -> list[str]:
    """Give the values to try; the last one is the default."""
    if option.kind == "button":
        return []
    values: list[str] = []
    if option.kind == "check":
        values = ["true", "false"]
    elif option.kind == "combo":
        values = list(option.choices[:MOST_CHOICES])
    elif option.kind == "spin":
        if option.least is not None:
            values.append(str(option.least))
        if option.most is not None and option.name.lower() not in MEASURED:
            values.append(str(option.most))
    return [*values, option.default]


def _see_no_error(order: str, lines: list[Heard]) -> None:
    for line in lines:
        words = line.text.lower().split()
        if words[:3] == ["info", "string", "error"] or words[:3] == ["no", "such", "option:"]:
            raise CheckFailed(f"'{order}' is answered by {shown(line.text)}")


async def ignores_the_unknown(subject: Subject) -> None:
    """Raise unless commands that do not exist are survived, and not taken for others."""
    talk = await subject.talk()
    for order in ("xyzzy", "xyzzy 1 2 3", "?", "setoption", "setoption name Xyzzy value 1"):
        await talk.send(order)
        for line in await talk.sync(order):
            if line.word in ("bestmove", "readyok"):
                raise CheckFailed(f"'{order}' is answered by {shown(line.text)}")


async def tolerates_white_space(subject: Subject) -> None:
    """Raise unless blanks, tabs, empty lines and carriage returns are no obstacle."""
    talk = await subject.talk()
    for data in (
        b"\n\n  \n\r\nisready\n",
        b"isready\r\n",
        b"  isready  \n",
        b"\tisready\t\r\n",
    ):
        await talk.send_bytes(data)
        await talk.lines_to("readyok", talk.patience.answer, repr(data)[2:-1])
    for data in (b"position startpos\r\ngo depth 1\r\n", b"position  startpos\ngo \t depth   1 \n"):
        await talk.send_bytes(data)
        await talk.lines_to("bestmove", talk.patience.answer, repr(data)[2:-1])
    await talk.sync("go depth 1")
