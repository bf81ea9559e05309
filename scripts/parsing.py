"""How arguments are parsed: what is wrong with them is said in one line."""

import argparse
from typing import NoReturn

WRONG = 2
"""The exit status for arguments that make no sense."""


class WrongUse(Exception):  # noqa: N818 - the user's mistake
    """Arguments that make no sense; the text says why."""


class OneLineParser(argparse.ArgumentParser):
    """A parser that raises `WrongUse`."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise WrongUse(message)
