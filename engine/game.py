"""What a game must offer besides its hot core: texts, tokens, drawings, words.

A `Game` is a description without state: one object a game, made by the registry. The
state is in the `Position` that `parse` gives.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from kibitz.engine.options import Option
from kibitz.engine.position import Position


class Term(NamedTuple):
    """One term of an evaluation: what it counts and its worth to each side, in hundredths."""

    name: str
    white: int
    black: int


Settings = Mapping[str, str]

QUIET_LIMIT = Option(
    name="QuietLimit",
    kind="spin",
    default="-1",
    about="quiet turns in a row that end the game; -1 is the game's own number, 0 is never "
    "(in krepost, which has to end, less than 2 is its own number)",
    least=-1,
    most=1_000_000,
)

DEAL = Option(
    name="Deal",
    kind="spin",
    default="1",
    about="the number of the deal that the start position comes from",
    least=0,
    most=2**64 - 1,
)
"""Games that are dealt have this option."""


class Game(ABC):
    """The rules of one game, as far as they are not in its hot core."""

    name: ClassVar[str]
    title: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]
    endings: ClassVar[tuple[str, ...]]
    """One word for each way a game ends, indexed by `Position.ending`; the first is `none`."""
    quiet_limit: ClassVar[int]
    """The game's own limit of quiet turns."""
    least_quiet_limit: ClassVar[int] = 0
    """The smallest limit that a user can set; 0 is no limit."""
    bench_less: ClassVar[int] = 0
    """Turns less deep that benchmarks search the samples, of a game with very many moves."""
    samples: ClassVar[tuple[str, ...]]
    """Position texts under default options, from opening to ending, for benchmarks."""

    def settings(self, given: Settings) -> dict[str, str]:
        """Complete option values with the defaults, checked; unknown names are left out.

        Raises `OptionError` for a value that an option cannot take.
        """
        return {
            option.name: option.canonical(given.get(option.name, option.default))
            for option in self.options
        }

    def quiet_limit_of(self, settings: Settings) -> int:
        """Give the limit of quiet turns that the settings ask for, 0 for none."""
        limit = int(settings[QUIET_LIMIT.name])
        return self.quiet_limit if limit < self.least_quiet_limit else limit

    @property
    def is_dealt(self) -> bool:
        """Whether the game starts from a numbered deal, that of the option `Deal`."""
        return DEAL in self.options

    @abstractmethod
    def start_text(self, settings: Settings) -> str:
        """Give the position text of the start; `settings` are complete."""

    @abstractmethod
    def parse(self, text: str, settings: Settings) -> Position:
        """Make a position from its text; raises `PositionError`."""

    @abstractmethod
    def text(self, position: Position) -> str:
        """Give the canonical text of a position."""

    @abstractmethod
    def token(self, position: Position, move: int) -> str:
        """Give the token of a move that is legal in the position."""

    @abstractmethod
    def read_token(self, position: Position, token: str) -> int:
        """Give the move that a token means here, legal or not.

        Raises `MoveError` for a token that is malformed.
        """

    @abstractmethod
    def why_illegal(self, position: Position, move: int) -> str:
        """Say in terms of the rules why a move of an ongoing game is not legal."""

    @abstractmethod
    def points(self, position: Position) -> tuple[float, float]:
        """Give the points of both sides in the game's own count, White's first."""

    def terms(self, position: Position) -> tuple[Term, ...]:
        """Give the terms whose sum (White's less Black's) is the evaluation for White."""
        whites, blacks = position.side_terms(0), position.side_terms(1)
        return tuple(
            Term(name, white, black)
            for (name, white), (_, black) in zip(whites, blacks, strict=True)
        )

    @abstractmethod
    def draw(self, position: Position) -> str:
        """Draw the board as people draw it, in plain text of at most 80 columns."""
