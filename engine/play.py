"""One game being played: its rules and options, the position, and how it got there.

This is what programs use to follow a game; searchers use `Position` alone.
"""

from collections.abc import Iterable, Sequence

from kibitz.engine import codes
from kibitz.engine.errors import MoveError
from kibitz.engine.game import DEAL, Game, Settings
from kibitz.engine.options import printable
from kibitz.engine.position import Position

FORFEIT = "forfeit"


class Play:
    """A game from a start position to where it stands now.

    Raises `PositionError` for a start text that is wrong and `OptionError` for an
    option value, or the number of a deal, that is.
    """

    def __init__(
        self, game: Game, given: Settings, text: str | None = None, deal: int | None = None
    ) -> None:
        """Begin at the position text, or at a deal, or at the start under the given options.

        A deal can be named only for a game that is dealt, and not together with a text. It
        does not change the options: `start_text` still gives what they say.
        """
        self.game = game
        self.settings = game.settings(given)
        self.deal: int | None = None
        """The number of the deal that the game started from, if it did."""
        if text is None:
            start = self.settings
            if deal is not None:
                start = start | {DEAL.name: DEAL.canonical(str(deal))}
            if game.is_dealt:
                self.deal = int(start[DEAL.name])
            text = game.start_text(start)
        self.position: Position = game.parse(text, self.settings)
        self.start = game.text(self.position)
        self.tokens: list[str] = []
        self.forfeited_by: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by a forfeit."""
        return self.forfeited_by is not None or self.position.status != codes.ONGOING

    @property
    def result(self) -> str:
        """The result: `none`, `p1win`, `p2win` or `draw`."""
        if self.forfeited_by is not None:
            return codes.RESULT_WORDS[codes.P2_WIN if self.forfeited_by == 0 else codes.P1_WIN]
        return codes.RESULT_WORDS[self.position.status]

    @property
    def reason(self) -> str:
        """One word for how the game ended, `none` while it goes on."""
        if self.forfeited_by is not None:
            return FORFEIT
        return self.game.endings[self.position.ending]

    @property
    def text(self) -> str:
        """The canonical text of the position."""
        return self.game.text(self.position)

    @property
    def points(self) -> tuple[float, float]:
        """The points of White and of Black in the game's own count."""
        return self.game.points(self.position)

    def legal_moves(self) -> list[int]:
        """List the legal moves; none when the game is over."""
        return [] if self.is_over else self.position.legal_moves()

    def legal_tokens(self) -> list[str]:
        """List the tokens of all legal moves, sorted."""
        return sorted(self.game.token(self.position, move) for move in self.legal_moves())

    def read_legal(self, token: str) -> int:
        """Give the legal move that a token means.

        Raises `MoveError`, which says why, when it is malformed or not legal.
        """
        if self.is_over:
            raise MoveError(f"the game is over ({self.result}, {self.reason})")
        move = self.game.read_token(self.position, token)
        if move not in self.position.legal_moves():
            raise MoveError(self.game.why_illegal(self.position, move))
        return move

    def push(self, token: str) -> None:
        """Make a move; raises `MoveError` and changes nothing when it is not legal."""
        move = self.read_legal(token)
        canonical = self.game.token(self.position, move)
        self.position.push(move)
        self.tokens.append(canonical)

    def push_all(self, tokens: Iterable[str]) -> None:
        """Make moves in turn.

        At one that is not legal the game stands as before it and is forfeited by the
        side that made it, and its `MoveError` is raised. A move after the end of the
        game raises too, but the result stays.
        """
        for token in tokens:
            try:
                self.push(token)
            except MoveError as error:
                if not self.is_over:
                    self.forfeited_by = self.position.side
                raise MoveError(f"{printable(token[:20])}: {error}") from None

    def line(self, moves: Sequence[int]) -> list[str]:
        """Give the tokens of a line of moves from the position."""
        # Made and taken back, which costs less than a copy of the position.
        position = self.position
        tokens: list[str] = []
        made = 0
        try:
            for move in moves:
                tokens.append(self.game.token(position, move))
                position.push(move)
                made += 1
        finally:
            for _ in range(made):
                position.pop()
        return tokens
