"""What is to be analysed: a game, where it starts, and the moves since then."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kibitz.engine.play import Play


class Setup(msgspec.Struct, frozen=True):
    """A game from its start to where it stands now.

    It begins at the position `text`, or at the deal numbered `deal`, or else at the start of
    the game. `game` is None for whatever the engine plays. `options` are options of the game,
    such as a board of another size; they are set for this one and put back for the next.

    Raises `ValueError` for what could not be written in one line.
    """

    game: str | None = None
    moves: Sequence[str] = ()
    text: str | None = None
    deal: int | None = None
    options: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        """Keep the moves as a tuple, and look whether all can be written."""
        if isinstance(self.moves, str):
            raise ValueError("moves are a sequence of tokens, not one text")  # noqa: TRY004
        msgspec.structs.force_setattr(self, "moves", tuple(self.moves))
        for move in self.moves:
            one_word("move", move)
        if self.game is not None:
            one_word("game", self.game)
        if self.text is not None:
            one_line("text", self.text)
            if self.deal is not None:
                raise ValueError("text and deal are two different starts")
            words = self.text.split()
            if not words or "moves" in words:
                raise ValueError(f"text: {self.text[:40]!r} is no position text")

    @classmethod
    def of(cls, play: "Play") -> "Setup":
        """Take over a game that is played with `kibitz.engine.play`."""
        defaults = {option.name: option.default for option in play.game.options}
        options = {n: v for n, v in play.settings.items() if defaults.get(n) != v}
        return cls(play.game.name, tuple(play.tokens), play.start, None, options)

    def after(self, *moves: str) -> "Setup":
        """Give the game as it stands after more moves."""
        return msgspec.structs.replace(self, moves=(*self.moves, *moves))


def one_line(name: str, text: str) -> str:
    """Give a text back; raises `ValueError` if it would not be one line for an engine."""
    if not text.isprintable():
        raise ValueError(f"{name}: {text[:40]!r} has characters that cannot be written in a line")
    return text


def one_word(name: str, text: str) -> str:
    """Give a text back; raises `ValueError` if it is not one word."""
    if not text.isprintable() or " " in text or not text:
        raise ValueError(f"{name}: {text[:40]!r} is not one word")
    return text
