"""Books of openings as plain text, and which opening a pair of games begins from.

A line is an opening, written like the protocol's `position` command: `fen TEXT [moves M...]`,
`deal N [moves M...]`, `startpos [moves M...]`, or `moves M...`. In books of our own games a
line without such a word is a position text when a `/` is in it and a list of moves when
not. `#` at the beginning or behind a blank begins a comment. Openings of our own games are
checked with the rules; of other games only the form is known. `docs/records.md` tells it to
those who write books.
"""

import random
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from kibitz.engine.errors import InputError
from kibitz.engine.game import Game, Settings
from kibitz.engine.options import shorten, whole_number
from kibitz.engine.play import Play

_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_WORDS = ("fen", "deal", "startpos", "moves")
_FORM = "the form is fen TEXT, deal N or startpos, each with or without moves M..., or moves M..."


class BookError(InputError):
    """A book that is wrong; `line` is the number of the line, counted from 1, or None."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.line = line


class Order(StrEnum):
    """In which order the openings of a book are used."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a game begins: at the position `text`, or `deal`, or the usual start; then `moves`.

    `line` is the line of the book that it stands on, 0 for one that is not from a book.
    """

    text: str | None = None
    deal: int | None = None
    moves: tuple[str, ...] = ()
    line: int = 0


START = Opening()
"""The usual start of any game."""


def write_opening(opening: Opening) -> str:
    """Write an opening as a line of a book, without the end of the line."""
    moves = f"moves {' '.join(opening.moves)}" if opening.moves else ""
    if opening.text is not None:
        return f"fen {opening.text} {moves}".rstrip()
    if opening.deal is not None:
        return f"deal {opening.deal} {moves}".rstrip()
    return moves or "startpos"


def read_book(text: str, game: Game | None, given: Settings) -> tuple[Opening, ...]:
    """Read a book for a game, None for a game that is not ours, under the given options.

    The openings of our games have canonical texts and tokens. Raises `BookError`, which names
    the line, and `OptionError` for an option value.
    """
    openings = []
    if game is not None:
        given = game.settings(given)
    for number, line in enumerate(text.split("\n"), 1):
        content = _COMMENT.sub("", line).strip()
        if content:
            try:
                opening = _read_line(content, game is not None)
                if game is not None:
                    opening = _checked(opening, game, given)
            except InputError as error:
                raise BookError(str(error), number) from None
            openings.append(msgspec.structs.replace(opening, line=number))
    if not openings:
        raise BookError("the book has no openings")
    return tuple(openings)


def _read_line(content: str, is_ours: bool) -> Opening:
    words = content.split()
    if words[0] not in _WORDS:
        if not is_ours:
            raise BookError(f"{shorten(words[0])} is not one of {', '.join(_WORDS)}; {_FORM}")
        words.insert(0, "fen" if "/" in content else "moves")
    end = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:end], tuple(words[end + 1 :])
    if end < len(words) and not moves:
        raise BookError("there are no moves after moves")
    match start:
        case [] | ["startpos"]:
            return Opening(moves=moves)
        case ["fen", _, *_]:
            return Opening(text=" ".join(start[1:]), moves=moves)
        case ["deal", number]:
            deal = whole_number(number)
            if deal is None:
                raise BookError(f"deal: {shorten(number)} is not a number")
            return Opening(deal=deal, moves=moves)
    raise BookError(f"{shorten(content)}: {_FORM}")


def _checked(opening: Opening, game: Game, settings: Settings) -> Opening:
    """Play an opening by the rules, and give it as the game writes it."""
    if opening.deal is not None and not game.is_dealt:
        raise BookError(f"deal: {game.name} is not dealt")
    play = Play(game, settings, opening.text, opening.deal)
    play.push_all(opening.moves)
    if play.is_over:
        raise BookError(f"the game is over ({play.result}, {play.reason})")
    text = play.start if opening.text is not None else None
    return Opening(text=text, deal=opening.deal, moves=tuple(play.tokens))


class Book:
    """Openings in the order in which the pairs of a match use them.

    Which one a pair gets depends on the pair's number, the order and the seed alone, so a match
    that is resumed goes on with the same ones. When all were used it begins again; at random
    each time is another permutation.
    """

    def __init__(
        self, openings: Sequence[Opening], order: Order = Order.SEQUENTIAL, seed: int = 0
    ) -> None:
        """Make a book of at least one opening; `BookError` when there is none."""
        if not openings:
            raise BookError("the book has no openings")
        self._openings = tuple(openings)
        self._order = order
        self._seed = seed
        self._lap = -1
        self._shuffled: list[Opening] = []

    def __len__(self) -> int:
        return len(self._openings)

    def __iter__(self) -> Iterator[Opening]:
        return iter(self._openings)

    def opening_of(self, pair: int) -> Opening:
        """Give the opening of both games of a pair; pairs count from 1."""
        lap, place = divmod(pair - 1, len(self._openings))
        if self._order is Order.SEQUENTIAL:
            return self._openings[place]
        if lap != self._lap:
            self._shuffled = list(self._openings)
            # Texts seed the generator the same way in every process.
            chance = random.Random(f"{self._seed} {lap}")  # noqa: S311 - nothing is secret
            chance.shuffle(self._shuffled)
            self._lap = lap
        return self._shuffled[place]
