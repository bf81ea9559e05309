"""All that is wrong with the settings of a match, told in one error.

A setting has a path, such as `sprt.elo1` or `engines[2].tc`; lists are counted from 1. When one
value is wrong, others may only seem to be: who looks at several together asks first whether
all of them are clean.
"""

import re
from collections.abc import Callable, Iterator

from kibitz.engine.errors import InputError
from kibitz.engine.options import printable

MOST_NAME = 100
"""The characters of a path that are repeated."""


class SettingsError(InputError):
    """Settings that make no sense; the text names all that is wrong, in one line."""


class Faults:
    """What is wrong, in the order in which it was found."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def has_all(self) -> bool:
        """Whether something is wrong with the settings as a whole: they could not be read."""
        return any(not path for path, _ in self._found)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._found)

    def add(self, path: str, what: str) -> None:
        """Note what is wrong with a setting, with all of them if the path is empty; once only."""
        self._found[path, what] = None

    def is_clean(self, *paths: str) -> bool:
        """Whether nothing is wrong with these settings, with what they are in and what is in them.

        A table that is not clean may lack something only because a key of it is misspelt.
        """
        wanted = [_parts(path) for path in paths]
        found = [_parts(path) for path, _ in self._found]
        return not any(
            all(one == other for one, other in zip(here, there, strict=False))
            for here in wanted
            for there in found
        )

    def text(self, file: str = "", argument_of: Callable[[str], str | None] | None = None) -> str:
        """Name everything in one line.

        `argument_of` gives the argument that a setting came from, or None for one of the
        file; what is wrong with the file comes last, behind its name.
        """
        of_file: list[str] = []
        others: list[str] = []
        for path, what in self._found:
            argument = argument_of(path) if argument_of is not None else None
            name = printable((path if argument is None else argument)[:MOST_NAME])
            (of_file if argument is None else others).append(f"{name}: {what}" if name else what)
        if of_file and file:
            of_file[0] = f"{printable(file)}: {of_file[0]}"
        return "; ".join(others + of_file)


def _parts(path: str) -> list[str]:
    return re.findall(r"[^.\[\]]+", path)
