"""The options that an engine lists, and the check of values before they are sent."""

import msgspec

from kibitz.protocol.client.errors import BadOption

Value = bool | int | str | None
"""What an option can be set to; None presses a button."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option as an engine lists it.

    `kind` is `check`, `spin`, `combo`, `button` or `string`. `least` and `most` bound a spin,
    where the engine says so; `choices` are the values of a combo.
    """

    name: str
    kind: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def read(self, value: Value) -> str:
        """Give the text that stands for a value; raises `BadOption` if it cannot be taken."""
        if self.kind == "check":
            return self._check(value)
        if self.kind == "spin":
            return self._spin(value)
        if self.kind == "button":
            if value is not None and value is not True:
                raise self._refused(value, "a button, which takes None")
            return ""
        text = str(value) if isinstance(value, str | int) else None
        if text is None or isinstance(value, bool) or not text.isprintable():
            raise self._refused(value, "a text in one line")
        if self.kind == "combo" and self.choices:
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise self._refused(value, "one of " + ", ".join(self.choices))
        return text

    def _check(self, value: Value) -> str:
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower()
        if not isinstance(value, bool):
            raise self._refused(value, "True or False")
        return "true" if value else "false"

    def _spin(self, value: Value) -> str:
        try:
            if isinstance(value, bool) or value is None:
                raise ValueError  # noqa: TRY301 - the same answer as for a text that is no number
            number = int(value)
        except ValueError:
            raise self._refused(value, "a whole number") from None
        if (self.least is not None and number < self.least) or (
            self.most is not None and number > self.most
        ):
            raise self._refused(value, f"from {self.least} to {self.most}")
        return str(number)

    def _refused(self, value: Value, wanted: str) -> BadOption:
        return BadOption(f"{self.name}: {str(value)[:40]!r} is not {wanted}")


class OptionList(dict[str, Option]):
    """Options by name, found in any letter case, in the order of the engine."""

    def find(self, name: str) -> Option:
        """Give an option; raises `BadOption` if the engine does not list it."""
        option = self.get(name)
        if option is not None:
            return option
        for listed in self.values():
            if listed.name.lower() == name.lower():
                return listed
        raise BadOption(f"{name[:40]!r} is no option of this engine; it has {', '.join(self)}")

    def has(self, name: str) -> bool:
        """Tell whether there is an option of that name."""
        return any(listed.lower() == name.lower() for listed in self)
