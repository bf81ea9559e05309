"""Long lists of moves, worked through in pieces of a few milliseconds."""

from collections.abc import Collection, Generator

from kibitz.engine.errors import MoveError
from kibitz.engine.play import Play

MOST_MOVES = 200
"""The moves of one piece."""

Pieces = Generator[None, None, None]
"""Work that yields after each of its pieces but the last."""


def legal_among(
    play: Play, tokens: Collection[str], piece: int = MOST_MOVES
) -> Generator[None, None, tuple[int, ...]]:
    """Give those of some moves that are legal, each once; looks at `piece` of them at a time."""
    legal = set(play.legal_moves())
    found: dict[int, None] = {}
    for index, token in enumerate(tokens):
        if index % piece == piece - 1:
            yield
        try:
            move = play.game.read_token(play.position, token)
        except MoveError:
            continue
        if move in legal:
            found[move] = None
    return tuple(found)
