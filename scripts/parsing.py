"""How arguments are parsed, and how what is wrong is said: in one line."""

import argparse
import sys
from typing import NoReturn

from kibitz.engine.options import printable

WRONG = 2
"""The exit status for arguments that make no sense."""


def complain(text: object) -> None:
    """Say on standard error what is wrong, in one line.

    Nothing that users, files or servers put into it reaches a terminal but as text.
    """
    sys.stderr.write(f"kibitz: {printable(str(text))}\n")


class WrongUse(Exception):  # noqa: N818 - the user's mistake
    """Arguments that make no sense; the text says why."""


class OneLineParser(argparse.ArgumentParser):
    """A parser that raises `WrongUse`."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise WrongUse(message)
