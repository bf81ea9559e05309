"""Start positions that a client asked about lately, so that they need not be made again.

Requests are complete in themselves, so a program that follows a game sends its start again
and again, and making one costs more than many moves. A `Play` is lent, moves are made on
it, and it is taken back as it was.
"""

from collections import OrderedDict
from collections.abc import Hashable

from kibitz.engine.play import Play

MOST_STARTS = 2
"""The positions that are kept; each has some ten KiB."""

MOST_TAKEN_BACK = 200
"""A play with more moves is not worth taking back."""


class Starts:
    """The plays that nobody uses, by what they were made from."""

    def __init__(self) -> None:
        self._plays: OrderedDict[Hashable, Play] = OrderedDict()

    def lend(self, key: Hashable) -> Play | None:
        """Give the play of a key without any moves made, if there is one."""
        return self._plays.pop(key, None)

    def take_back(self, key: Hashable, play: Play) -> None:
        """Keep a play that was made from a key, once its moves are taken back."""
        if len(play.tokens) > MOST_TAKEN_BACK:
            return
        while play.tokens:
            play.position.pop()
            play.tokens.pop()
        play.forfeited_by = None
        self._plays[key] = play
        while len(self._plays) > MOST_STARTS:
            self._plays.popitem(last=False)
