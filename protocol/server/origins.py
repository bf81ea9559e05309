"""Where each setting came from, and all that is wrong with settings, in the words of one error.

A setting has a path, such as `tls.key` or `clients[2].token`; lists are counted from 1. It
comes from the file, from an option of the command line, or from the environment, and
whoever reads an error has to know from which.
"""

from collections.abc import Collection, Mapping

from kibitz.engine.options import printable

TOKENS_VARIABLE = "KIBITZ_TOKENS"

OPTIONS: Mapping[str, str] = {
    "listen": "--listen",
    "tls.certificate": "--certificate",
    "tls.key": "--key",
    "insecure": "--insecure",
    "log_level": "--log-level",
}
"""The settings that the command line can give, and its options for them."""

MOST_PATH = 100


class SettingsError(Exception):
    """Settings that make no sense; the text names all that is wrong, in one line."""


class Origins:
    """Tells where settings came from."""

    def __init__(self, file: str, in_file: Collection[str], from_options: Collection[str]) -> None:
        """Take the file's name, its keys on the outermost level, and paths given by options.

        Options that were not given, but whose table only options have begun, are among those.
        """
        self.file = printable(file)
        self._in_file = frozenset(in_file)
        self._from_options = frozenset(from_options)

    def is_of_file(self, path: str) -> bool:
        """Whether the file is to blame for what is wrong with a setting."""
        outermost, whole = _outermost(path), _without_number(path)
        if outermost == TOKENS_VARIABLE or whole in self._from_options:
            return False
        return bool(self.file) and (outermost in self._in_file or whole not in OPTIONS)

    def local_name(self, path: str) -> str:
        """Name a setting where the file is known: its path, its option, or its variable."""
        whole = _without_number(path)
        if whole in self._from_options:
            return OPTIONS[whole]
        if whole in OPTIONS and _outermost(path) not in self._in_file:
            return f"{whole}, which was left out"
        return path[:MOST_PATH]

    def name(self, path: str) -> str:
        """Name a setting and the file that it came from."""
        if self.is_of_file(path):
            return f"{self.file}: {self.local_name(path)}"
        return self.local_name(path)


def _outermost(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _without_number(path: str) -> str:
    """Give the path of a whole list for that of one of its items."""
    return path.partition("[")[0]


class Faults:
    """What is wrong, in the order in which it was found."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, path: str, what: str) -> None:
        """Note that something is wrong with a setting; with the whole file if `path` is empty."""
        self._found.append((path, what))

    def text(self, origins: Origins) -> str:
        """Name everything in one line, what is wrong with the file last, so after its name."""
        of_file: list[str] = []
        others: list[str] = []
        for path, what in self._found:
            text = f"{origins.local_name(path)}: {what}" if path else what
            (of_file if origins.is_of_file(path) else others).append(text)
        if of_file:
            of_file[0] = f"{origins.file}: {of_file[0]}"
        return "; ".join(others + of_file)
