"""What a reference implementation offers, and where each game's is."""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

_PLACES = {
    "talisman": "tests.reference.talisman:Talisman",
    "jarmo": "tests.reference.jarmo:Jarmo",
    "jasir": "tests.reference.jarmo:Jasir",
    "krepost": "tests.reference.krepost:Krepost",
    "trollchess": "tests.reference.trollchess:Trollchess",
}


class Reference(Protocol):
    """A position with the history of its game; never changes."""

    def text(self) -> str:
        """Give the position text."""

    def legal(self) -> list[str]:
        """Give the tokens of the legal moves, sorted; none when the game is over."""

    def after(self, token: str) -> "Reference":
        """Give the position after a legal move."""

    def result(self) -> str:
        """Give `none`, `p1win`, `p2win` or `draw`."""

    def points(self) -> tuple[float, float]:
        """Give the points of White and of Black."""


class ReferenceClass(Protocol):
    """How a reference position is made."""

    START: str

    def __call__(self, text: str, options: Mapping[str, str]) -> Reference:
        """Make the first position of a game from its text."""


def reference_of(game: str) -> ReferenceClass:
    """Find the reference of a game; raises `KeyError` when there is none."""
    module, _, name = _PLACES[game].partition(":")
    found: ReferenceClass = getattr(import_module(module), name)
    return found


def count_sequences(position: Reference, depth: int) -> int:
    """Count the sequences of exactly `depth` turns."""
    tokens = position.legal()
    if depth == 0:
        return 1
    if depth == 1:
        return len(tokens)
    return sum(count_sequences(position.after(token), depth - 1) for token in tokens)
