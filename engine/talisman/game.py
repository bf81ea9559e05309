"""Talisman as a `Game`: texts, tokens and words round the hot core."""

from typing import cast

from kibitz.engine.errors import MoveError
from kibitz.engine.game import QUIET_LIMIT, Game, Settings
from kibitz.engine.options import shorten
from kibitz.engine.position import Position
from kibitz.engine.talisman import board, drawing
from kibitz.engine.talisman.layout import PIECES
from kibitz.engine.talisman.record import START, format_record, read_record, verify
from kibitz.engine.talisman.rules import TalismanPosition


class Talisman(Game):
    """Pieces turn over what they jump; three of a colour own a triangle for good."""

    name = "talisman"
    title = "Talisman"
    options = (QUIET_LIMIT,)
    quiet_limit = 60
    endings = ("none", "blocked", "lead", "quiet", "repetition")
    samples = (
        START,
        "bww/3b/4b/b3/ww1 w 5/7/7/5 0/0 0",
        "w2/b1wb/b1www/b1w1/bb1 b 5/2bwww1/1bbwwww/bb1b1 7/7 1",
        "2b/1bbw/wb3/b1wb/bww w 1b1ww/2bwww1/4bbw/bb1ww 6/7 0",
        "b1b/bw1w/wwb2/1b1w/bw1 b bbb2/1bbb3/www1bw1/wwwww 8/8 5",
    )

    def start_text(self, settings: Settings) -> str:
        """Give the text of the empty board."""
        return START

    def parse(self, text: str, settings: Settings) -> Position:
        """Make a position from its text; raises `PositionError`."""
        record = read_record(text)
        quiet_limit = self.quiet_limit_of(settings)
        verify(record, quiet_limit)
        return TalismanPosition(record, quiet_limit)

    def text(self, position: Position) -> str:
        """Give the canonical text."""
        return format_record(_core(position).record())

    def token(self, position: Position, move: int) -> str:
        """Give `a` for a piece set, `db` for a move."""
        start, to = move & 31, move >> 5 & 31
        if start == to:
            return board.NAME_OF[to]
        return board.NAME_OF[start] + board.NAME_OF[to]

    def read_token(self, position: Position, token: str) -> int:
        """Read `a` or `db`; raises `MoveError`."""
        names = token.lower()
        if len(names) not in (1, 2) or any(name not in board.BIT_OF for name in names):
            raise MoveError(f"{shorten(token)} is not one or two points from a to s")
        start, to = board.BIT_OF[names[0]], board.BIT_OF[names[-1]]
        if len(names) == 2 and start == to:
            raise MoveError(f"{shorten(token)} does not go anywhere")
        return _core(position).encode(start, to)

    def why_illegal(self, position: Position, move: int) -> str:
        """Say which rule an illegal move breaks."""
        record = _core(position).record()
        own, enemy = record.white, record.black
        if record.side:
            own, enemy = enemy, own
        start, to = move & 31, move >> 5 & 31
        occupied = own | enemy
        if occupied.bit_count() < PIECES:
            return _why_not_set(occupied, start, to)
        names = board.NAME_OF
        if start == to:
            return "all twelve pieces are set, a turn is now a move from point to point"
        if not own >> start & 1:
            holds = "an enemy piece" if enemy >> start & 1 else "no piece"
            return f"there is {holds} on {names[start]}"
        if occupied >> to & 1:
            return f"{names[to]} is not empty"
        run = board.RUNS_BETWEEN[start + 32 * to]
        if run is None:
            return f"{names[start]} and {names[to]} are not on one line"
        if run & own:
            return "an own piece is never jumped"
        return "an empty point is never jumped"

    def points(self, position: Position) -> tuple[float, float]:
        """Give both scores: pieces taken, triangles and big triangles."""
        return _core(position).scores()

    def draw(self, position: Position) -> str:
        """Draw the hexagon."""
        return drawing.draw(_core(position).record())


def _core(position: Position) -> TalismanPosition:
    return cast(TalismanPosition, position)


def _why_not_set(occupied: int, start: int, to: int) -> str:
    name = board.NAME_OF[to]
    if start != to:
        return "pieces are still being set, a turn is now one empty point of the edge"
    if occupied >> to & 1:
        return f"{name} is not empty"
    return f"{name} is not on the edge, where pieces are set"
