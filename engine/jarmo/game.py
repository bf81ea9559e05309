"""Jarmo and Jasir as `Game`s: texts, tokens and words round the hot core."""

import re
from typing import ClassVar, cast

from kibitz.engine.errors import MoveError
from kibitz.engine.game import QUIET_LIMIT, Game, Settings
from kibitz.engine.jarmo import board, drawing, layout
from kibitz.engine.jarmo.layout import decode_move, encode_move
from kibitz.engine.jarmo.record import (
    START,
    format_record,
    read_record,
    verify,
)
from kibitz.engine.jarmo.rules import JarmoPosition
from kibitz.engine.options import shorten
from kibitz.engine.position import Position

_TOKEN = re.compile(r"([a-e][1-5])([a-e][1-5])(?:\+([a-e][1-5]))?")


class Jarmo(Game):
    """Archers cross an irregular board; marked ones that arrive bring captured ones back."""

    name = "jarmo"
    title = "Jarmo"
    options = (board.BOARD, QUIET_LIMIT)
    quiet_limit = 60
    endings = ("none", "arrived", "captured", "blocked", "quiet", "repetition")
    samples = (
        START,
        "bbbb1/4b/5/3w1/wwww1 w 0/0 e1d2:1/e5e4:1 2",
        "1b3/1bb1b/1b1w1/www2/w4 w 0/0 c1b2:3/a4b3:1 14",
        "b1b1W/1b3/2b2/2ww1/B1w2 w 0/0 d1c2:1/c5b4:1 0",
        "2bb1/B2B1/4w/w1w2/5 w 0/0 c3d4:1/e5d4:1 0",
        "b4/1B3/5/1W2w/4w w 0/0 -/- 25",
    )
    backward: ClassVar[bool] = True
    """Whether archers may go backward."""

    def start_text(self, settings: Settings) -> str:
        """Give the text of the start, which is the same on all boards."""
        return START

    def parse(self, text: str, settings: Settings) -> Position:
        """Make a position from its text; raises `PositionError`."""
        record = read_record(text)
        geometry = board.geometry(settings[board.BOARD.name], self.backward)
        quiet_limit = self.quiet_limit_of(settings)
        verify(record, geometry, quiet_limit)
        return JarmoPosition(record, geometry, quiet_limit)

    def text(self, position: Position) -> str:
        """Give the canonical text."""
        return format_record(_core(position).record())

    def token(self, position: Position, move: int) -> str:
        """Give `b2c3`, or `d4e5+a1` for a move with a return."""
        start, to, back = decode_move(move)
        token = board.HOLE_NAMES[start] + board.HOLE_NAMES[to]
        return token if back is None else f"{token}+{board.HOLE_NAMES[back]}"

    def read_token(self, position: Position, token: str) -> int:
        """Read `b2c3` or `d4e5+a1`; raises `MoveError`."""
        match = _TOKEN.fullmatch(token.lower())
        if match is None:
            raise MoveError(f"{shorten(token)} is not a move such as b2c3 or d4e5+a1")
        start, to = board.BIT_OF[match[1]], board.BIT_OF[match[2]]
        if start == to:
            raise MoveError(f"{shorten(token)} does not go anywhere")
        return encode_move(start, to, board.BIT_OF[match[3]] if match[3] else None)

    def why_illegal(self, position: Position, move: int) -> str:
        """Say which rule an illegal move breaks."""
        core = _core(position)
        record = core.record()
        side = record.side
        own, enemy = record.white, record.black
        last, rights = record.white_last, record.white_rights
        if side:
            own, enemy = enemy, own
            last, rights = record.black_last, record.black_rights
        start, to, back = decode_move(move)
        start_name, to_name = board.HOLE_NAMES[start], board.HOLE_NAMES[to]
        if not own >> start & 1:
            holds = "an enemy archer" if enemy >> start & 1 else "no archer"
            return f"there is {holds} on {start_name}"
        if board.FIRST_ROWS[side ^ 1] >> start & 1:
            return "an archer on the enemy's first row does not move again"
        if (min(start, to), max(start, to)) not in core.geometry.lines:
            return f"no line joins {start_name} and {to_name}"
        if not self.backward and board.goes_backward(side, start, to):
            return "an archer never goes backward"
        if own >> to & 1:
            return f"there is an own archer on {to_name}"
        if last == (to, start, layout.MOST_TO_AND_FRO):
            return f"no fourth move in a row to and fro between {start_name} and {to_name}"
        if back is None:
            raise AssertionError("the move is legal")
        lost = layout.ARCHERS - own.bit_count()
        if not lost:
            return "there is no captured archer to bring back"
        if not rights and not self._gains_right(core, start, to):
            return "there is no right to a return"
        back_name = board.HOLE_NAMES[back]
        if not board.FIRST_ROWS[side] >> back & 1:
            return f"{back_name} is not on the own first row, where archers come back"
        return f"{back_name} is not empty after the move"

    def _gains_right(self, core: JarmoPosition, start: int, to: int) -> bool:
        """Whether a legal step brings a marked archer to the enemy's first row."""
        record = core.record()
        marked, enemy = record.white_marked, record.black
        if record.side:
            marked, enemy = record.black_marked, record.white
        arrives = board.FIRST_ROWS[record.side ^ 1] >> to & 1
        return bool(arrives and (marked >> start & 1 or enemy >> to & 1))

    def points(self, position: Position) -> tuple[float, float]:
        """Give both scores: 2 for an archer on the enemy's first row, 1 for another."""
        return _core(position).scores()

    def draw(self, position: Position) -> str:
        """Draw the board with its lines."""
        core = _core(position)
        return drawing.draw(core.record(), core.geometry)


class Jasir(Jarmo):
    """Jarmo without moves backward."""

    name = "jasir"
    title = "Jasir"
    samples = (
        START,
        "b1bb1/1b2b/3w1/1w3/w1ww1 b 0/0 e2d3:1/e5e4:1 5",
        "b1b2/2b1b/2bw1/ww3/2ww1 w 0/0 a1a2:1/b4c3:1 8",
        "b1b1w/2b1b/1w3/2w2/2w1B b 0/0 d1c2:1/d5c4:1 3",
        "1bb2/5/B1B2/4w/w2w1 w 0/0 a2a3:1/a4a3:1 0",
        "5/3B1/w2b1/2Wb1/5 w 1/0 -/- 12",
    )
    backward: ClassVar[bool] = False


def _core(position: Position) -> JarmoPosition:
    return cast("JarmoPosition", position)
