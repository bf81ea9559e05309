"""What can be wrong with input that reaches the games.

Every error names what was wrong in the words of the rule page, so that a dialect can
pass it on as it stands.
"""


class InputError(ValueError):
    """Base of all errors that bad input causes; its text is fit for a user."""


class PositionError(InputError):
    """A position text that does not parse, or a position that cannot be played.

    `field` is the field's name on the rule page (`board`, `side`, `quiet` ...), or
    `text` when the number of fields is wrong.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class MoveError(InputError):
    """A move token that is malformed or illegal; the text says why in terms of the rules."""


class OptionError(InputError):
    """An option that does not exist, or a value that it cannot take."""
