"""Options that a user can set: what they are called, their type, and the check of a value.

Games declare theirs with these classes, and so does the protocol for its own.
"""

from collections.abc import Callable
from typing import NamedTuple

from kibitz.engine.errors import OptionError


class Option(NamedTuple):
    """One option: its name, its type in the words of UCI, default and range.

    `kind` is `check`, `spin`, `combo`, `button` or `string`. `default` is the text that
    stands for the default value. `least` and `most` bound a spin, `choices` are a
    combo's values, and `check`, for a string, gives the canonical text of a value or
    raises `OptionError`.
    """

    name: str
    kind: str
    default: str
    about: str
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    check: Callable[[str], str] | None = None

    def canonical(self, value: str) -> str:
        """Give the canonical text of a value; raises `OptionError` for one it cannot take.

        Values are texts for every kind of option. Programs that are not type-checked may give
        something else; it is refused rather than guessed at, as `True` and `1` are not alike.
        """
        checked: object = value
        if not isinstance(checked, str):
            raise OptionError(
                f"{self.name}: values are texts, such as {shorten(self.default)}, and not of "
                f"the type {type(checked).__name__}"
            )
        value = value.strip()
        if self.kind == "check":
            return self._one_of(value, ("true", "false"))
        if self.kind == "combo":
            return self._one_of(value, self.choices)
        if self.kind == "spin":
            return self._number(value)
        if self.check is not None:
            return self.check(value)
        return value

    def _one_of(self, value: str, choices: tuple[str, ...]) -> str:
        for choice in choices:
            if choice.lower() == value.lower():
                return choice
        raise OptionError(f"{self.name}: {shorten(value)} is not one of {', '.join(choices)}")

    def _number(self, value: str) -> str:
        number = whole_number(value)
        if number is None:
            raise OptionError(f"{self.name}: {shorten(value)} is not a whole number")
        if not self.least <= number <= self.most:
            raise OptionError(f"{self.name}: {number} is not from {self.least} to {self.most}")
        return str(number)


def whole_number(text: str, digits: int = 20) -> int | None:
    """Read a decimal whole number of at most `digits` ASCII digits, or give None."""
    unsigned = text.removeprefix("-")
    if not (unsigned.isascii() and unsigned.isdigit() and len(unsigned) <= digits):
        return None
    return int(text)


def shorten(text: str, most: int = 40) -> str:
    """Quote a user's text for a message: printable, and not longer than `most`."""
    if len(text) > most:
        text = text[: most - 3] + "..."
    return f"'{printable(text)}'"


def printable(text: str) -> str:
    """Give a user's text with a question mark for every character that cannot be printed."""
    return "".join(c if c.isprintable() else "?" for c in text)
