"""How an engine is greeted, and what it says of itself: dialect, name, options."""

from collections import Counter

import anyio
import msgspec

from kibitz.protocol.client.lines import Identity, Listed, read_line
from kibitz.protocol.client.options import Option, OptionList
from kibitz.scripts.match.check.outcomes import CheckFailed, shown
from kibitz.scripts.match.check.talk import DENIED, Heard, Talk
from kibitz.scripts.match.settings.match_settings import Dialect

KINDS = ("check", "spin", "combo", "button", "string")
MOST_DIGITS = 40
"""The digits of a number that is read as one."""


class Greeting(msgspec.Struct, frozen=True):
    """What an engine answered to its greeting; `lines` end with `ugiok` or `uciok`."""

    dialect: Dialect
    lines: tuple[Heard, ...]

    @property
    def name(self) -> str:
        """What the engine calls itself; empty when it does not."""
        return next((said.text for said in self._identities() if said.field == "name"), "")

    @property
    def author(self) -> str:
        """Who made it; empty when it does not say so."""
        return next((said.text for said in self._identities() if said.field == "author"), "")

    @property
    def options(self) -> OptionList:
        """The options that can be read."""
        found = OptionList()
        for line in self.lines:
            event = read_line(line.text)
            if isinstance(event, Listed):
                found[event.option.name] = event.option
        return found

    def _identities(self) -> list[Identity]:
        events = (read_line(line.text) for line in self.lines)
        return [event for event in events if isinstance(event, Identity)]


async def greet(talk: Talk, dialect: Dialect) -> Greeting:
    """Greet an engine, `ugi` or `uci`; raises `CheckFailed` when that is not answered."""
    await talk.send(dialect)
    lines = await talk.lines_to(f"{dialect}ok", talk.patience.start, dialect)
    return Greeting(dialect, tuple(lines))


async def speaks_ugi(talk: Talk) -> bool:
    """Find out whether an engine speaks UGI: if it passes over that, it is ready at once."""
    seconds = talk.patience.start / 2
    deadline = anyio.current_time() + seconds
    try:
        await talk.send("ugi", "isready")
        while True:
            line = await talk.line_until(deadline, seconds, "ugiok")
            if line.word in ("ugiok", "readyok"):
                return line.word == "ugiok"
            if line.text.startswith(DENIED):
                # A server of ours; it is for the greeting to say so.
                return True
    except CheckFailed:
        return False


def check_greeting(greeting: Greeting) -> None:
    """Look whether an engine has introduced itself well; raises `CheckFailed`."""
    last = greeting.lines[-1].text
    if last.strip() != f"{greeting.dialect}ok":
        raise CheckFailed(f"{greeting.dialect}ok is not alone on its line: {shown(last)}")
    for field, text in (("name", greeting.name), ("author", greeting.author)):
        if not text:
            raise CheckFailed(f"there is no 'id {field}'")
    # What an engine says of itself as it starts may come before.
    lines = list(greeting.lines)
    while lines and lines[0].word not in ("id", "option"):
        lines.pop(0)
    for line in lines[:-1]:
        if line.trouble:
            raise CheckFailed(f"a line is {line.trouble}")
        if line.word not in ("id", "option", "info", "copyprotection", "registration", ""):
            raise CheckFailed(f"{shown(line.text)} is not part of a greeting")


def check_options(greeting: Greeting) -> None:
    """Look whether all options are well-formed; raises `CheckFailed`, which names one."""
    found: list[Option] = []
    for line in greeting.lines:
        if line.word != "option":
            continue
        event = read_line(line.text)
        if not isinstance(event, Listed):
            raise CheckFailed(f"{shown(line.text)} is not 'option name NAME type TYPE ...'")
        _check_option(event.option)
        found.append(event.option)
    for name, times in Counter(option.name.lower() for option in found).items():
        if times > 1:
            raise CheckFailed(f"{name}: it is listed {times} times")


def _check_option(option: Option) -> None:
    name = shown(option.name)
    if option.kind not in KINDS:
        raise CheckFailed(f"{name}: {shown(option.kind)} is not a type of UGI and UCI")
    if {"name", "value"} & set(option.name.split()):
        raise CheckFailed(f"{name}: no setoption can name it")
    if option.kind == "check" and option.default not in ("true", "false"):
        raise CheckFailed(f"{name}: its default, {shown(option.default)}, is not true or false")
    if option.kind == "combo":
        if not option.choices:
            raise CheckFailed(f"{name}: there is nothing to choose from")
        if option.default.lower() not in [choice.lower() for choice in option.choices]:
            raise CheckFailed(f"{name}: its default, {shown(option.default)}, cannot be chosen")
    if option.kind == "spin":
        if option.least is None or option.most is None:
            raise CheckFailed(f"{name}: its min or max is missing or no number")
        number = option.default.removeprefix("-")
        if not (number.isascii() and number.isdigit()):
            raise CheckFailed(f"{name}: its default, {shown(option.default)}, is no number")
        # Python refuses to read thousands of digits.
        is_short = len(number) <= MOST_DIGITS
        if not is_short or not option.least <= int(option.default) <= option.most:
            raise CheckFailed(
                f"{name}: its default, {shown(option.default)}, is not from "
                f"{option.least} to {option.most}"
            )
