"""What clients ask for: one struct a command, the same in every dialect.

A dialect makes them from its lines. They are well formed but not yet checked against a
game: a position text may be wrong, a move illegal, an option unknown.
"""

from typing import ClassVar, Literal

import msgspec

from kibitz.protocol.faults import ErrorCode
from kibitz.search.limits import Limit

Dialect = Literal["ugi", "uci"]


class Command(msgspec.Struct, frozen=True):
    """Base of all commands."""

    stops_search: ClassVar[bool] = False
    """Whether a search that runs is stopped and answered first."""


class Handshake(Command, frozen=True):
    """Say who you are and which options there are, in the words of a dialect."""

    dialect: Dialect


class Help(Command, frozen=True):
    """Explain one command, or list them all."""

    topic: str | None = None


class Authenticate(Command, frozen=True):
    """Say who you are, by a token that nobody else knows."""

    token: str

    def __repr__(self) -> str:
        """Hide the token, wherever the command may be shown."""
        return "Authenticate(...)"


class OpenSession(Command, frozen=True):
    """Begin a session under a new name, with a game or the usual one."""

    name: str
    game: str | None = None


class CloseSession(Command, frozen=True):
    """End a session, its search being stopped and answered first."""

    stops_search = True
    name: str


class ListSessions(Command, frozen=True):
    """List the names of the sessions."""


class Quit(Command, frozen=True):
    """Stop all searches, answer them, and end."""


class IsReady(Command, frozen=True):
    """Answer when everything before this is done."""


class SetOption(Command, frozen=True):
    """Set an option; the name is as it was written, in any letter case."""

    name: str
    value: str


class NewGame(Command, frozen=True):
    """Forget the game; the position is the start."""

    stops_search = True


class SetPosition(Command, frozen=True):
    """Set a position and make moves from it.

    The position is `text`, or the deal numbered `deal`, or else the start of the game.
    """

    stops_search = True
    text: str | None = None
    deal: int | None = None
    moves: tuple[str, ...] = ()


class MakeMoves(Command, frozen=True):
    """Make moves from where the game stands."""

    stops_search = True
    moves: tuple[str, ...]


class Go(Command, frozen=True, kw_only=True):
    """Search the position within a limit.

    `infinite` holds the answer until a `Stop`, `ponder` until that or a `PonderHit`.
    `search_moves` are the moves to look at, None for all.
    """

    stops_search = True
    limit: Limit
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[str, ...] | None = None


class RefusedGo(Command, frozen=True):
    """A `Go` that made no sense: answered by an error and by an answer without a move.

    It is a command, so that it takes its turn among the others: programs wait for one
    answer to each `Go`, in order.
    """

    stops_search = True
    code: ErrorCode
    text: str


class Perft(Command, frozen=True):
    """Count the sequences of so many turns, by first moves."""

    stops_search = True
    depth: int


class Bench(Command, frozen=True):
    """Search fixed positions of all games to a fixed depth, None for the usual one."""

    stops_search = True
    depth: int | None = None


class Stop(Command, frozen=True):
    """End the search and answer with what was found."""


class PonderHit(Command, frozen=True):
    """The move that was pondered on was made: search on, on the clock."""


class Query(Command, frozen=True):
    """Ask for one fact about the game or the engine."""

    subject: str
    argument: str = ""


class Legal(Command, frozen=True):
    """List the legal moves."""


class Display(Command, frozen=True):
    """Show the board and what there is to know about the position."""


class Evaluate(Command, frozen=True):
    """Show the terms of the evaluation."""
