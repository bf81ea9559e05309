"""Who says whether a move is legal and how a game stands: the rules, for games of ours.

`engine_referee` asks the engines instead, for games that we do not know.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import msgspec

from kibitz.engine.errors import MoveError
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.protocol.client import Engine, Setup, Unsupported
from kibitz.scripts.match.planning.openings import Opening
from kibitz.scripts.match.play.game_faults import blaming
from kibitz.scripts.match.records.records import Result, Side

RESULTS = {
    "p1win": Result.WHITE_WINS,
    "p2win": Result.BLACK_WINS,
    "draw": Result.DRAW,
}
"""Results in UGI's words; `none` is not among them."""


class Standing(msgspec.Struct, frozen=True):
    """How a game stands: whose turn it is, and the result once it is over."""

    side: Side
    result: Result | None = None
    reason: str = ""


class Illegal(Exception):  # noqa: N818 - an engine's mistake
    """A move that is not legal; the text says why."""


class Referee(ABC):
    """Follows one game. `setup` is the game as engines are to be told of it."""

    setup: Setup

    @abstractmethod
    async def begin(self) -> Standing:
        """Look at the game after the moves of its opening."""

    @abstractmethod
    async def opening_sides(self) -> list[Side]:
        """Give whose each move of the opening was, after `begin`."""

    @abstractmethod
    async def make(self, move: str) -> Standing:
        """Make the mover's move; raises `Illegal`, and then the game stands as before."""

    @abstractmethod
    def is_legal_line(self, line: tuple[str, ...]) -> bool:
        """Whether a line of play from here is legal; where nobody can tell, it is."""

    @abstractmethod
    async def points(self) -> tuple[float, float] | None:
        """Give White's and Black's points, None where nobody counts."""

    @abstractmethod
    async def objection(self, result: Result) -> tuple[Side, str] | None:
        """Ask the engines how the finished game ended; gives who says something else, and what.

        Raises `Fault` for an engine that fails at that.
        """


class RulesReferee(Referee):
    """The rules of one of our games."""

    def __init__(
        self,
        game: Game,
        options: Mapping[str, str],
        opening: Opening,
        engines: Mapping[Side, Engine],
    ) -> None:
        """Begin a game at an opening, whose moves are part of it."""
        self._engines = engines
        self._play = Play(game, options, opening.text, opening.deal)
        self._opening_sides = []
        for token in opening.moves:
            self._opening_sides.append(self._mover)
            self._play.push(token)
        # A dealt game as its position text: an engine need not know the numbers of deals.
        text = opening.text if opening.deal is None else self._play.start
        self.setup = Setup(game.name, opening.moves, text, None, options)

    async def begin(self) -> Standing:
        """Look at the game after the moves of its opening."""
        return self._standing()

    async def opening_sides(self) -> list[Side]:
        """Give whose each move of the opening was."""
        return self._opening_sides

    async def make(self, move: str) -> Standing:
        """Make the mover's move."""
        try:
            self._play.push(move)
        except MoveError as error:
            raise Illegal(str(error)) from None
        # As the game writes it, which may differ from what the engine wrote.
        self.setup = self.setup.after(self._play.tokens[-1])
        return self._standing()

    def is_legal_line(self, line: tuple[str, ...]) -> bool:
        """Whether all moves of a line are legal one after the other, none after the end."""
        position = self._play.position
        made = 0
        try:
            for token in line:
                move = self._play.game.read_token(position, token)
                if move not in position.legal_moves():
                    return False
                position.push(move)
                made += 1
        except MoveError:
            return False
        finally:
            for _ in range(made):
                position.pop()
        return True

    async def points(self) -> tuple[float, float] | None:
        """Give the points by the game's own count."""
        return self._play.points

    async def objection(self, result: Result) -> tuple[Side, str] | None:
        """Ask those engines that know the question."""
        for side, engine in self._engines.items():
            if engine.dialect == "uci":
                continue
            try:
                with blaming(side):
                    (answer,) = await engine.queries(self.setup, "result")
            except Unsupported:
                continue
            if answer in (*RESULTS, "none") and RESULTS.get(answer) is not result:
                return side, f"{side.capitalize()}'s engine says {answer}"
        return None

    @property
    def _mover(self) -> Side:
        return (Side.WHITE, Side.BLACK)[self._play.position.side]

    def _standing(self) -> Standing:
        side = self._mover
        if not self._play.is_over:
            return Standing(side)
        return Standing(side, RESULTS[self._play.result], self._play.reason)
