"""Krepost as a `Game`: texts, tokens and words round the hot core."""

import re
from typing import cast

from kibitz.engine.errors import MoveError, OptionError
from kibitz.engine.game import QUIET_LIMIT, Game, Settings
from kibitz.engine.krepost import board, drawing, reasons
from kibitz.engine.krepost.layout import decode_move, encode_move
from kibitz.engine.krepost.record import format_record, read_record, verify
from kibitz.engine.krepost.rules import KrepostPosition
from kibitz.engine.options import Option, shorten
from kibitz.engine.position import Position

_TOKEN = re.compile(r"(@?)([a-z]\d{1,2})([a-z]\d{1,2})?(?:x([a-z]\d{1,2}))?")
USUAL = "usual"


def _canonical_fortresses(value: str) -> str:
    """Give the canonical text of two fortresses, or `usual`; raises `OptionError`."""
    if value.lower() in ("", USUAL):
        return USUAL
    fortresses = board.read_fortresses(value)
    if fortresses is None:
        raise OptionError(
            f"Fortresses: {shorten(value)} is neither {USUAL} nor like "
            f"{board.DEFAULT_FORTRESSES[12]}"
        )
    faults = [board.fault_of(fortresses, size) for size in board.SIZES]
    if None not in faults:
        raise OptionError(f"Fortresses: {faults[0]}")
    return "/".join(fortress.text() for fortress in fortresses)


BOARD_SIZE = Option(
    name="BoardSize",
    kind="combo",
    default="12",
    about="ranks and files of the board that a game begins on",
    choices=("12", "10", "8"),
)
FORTRESSES = Option(
    name="Fortresses",
    kind="string",
    default=USUAL,
    about="White's and Black's fortress at the start, such as a1:c3:b3n/j10:l12:k10s; "
    "the usual ones on a board that these do not fit",
    check=_canonical_fortresses,
)
HALF_STONE = Option(
    name="HalfStone",
    kind="combo",
    default="none",
    about="who holds the half stone, which excludes draws, in a game from the start",
    choices=("none", "white", "black"),
)


class Krepost(Game):
    """Stones form squads that surround each other; the first in the enemy's fortress wins."""

    name = "krepost"
    title = "Krepost"
    options = (QUIET_LIMIT, BOARD_SIZE, FORTRESSES, HALF_STONE)
    quiet_limit = 200
    least_quiet_limit = 2
    endings = ("none", "entry", "garrison", "blocked", "quiet")
    bench_less = 3
    samples = (
        "12/12/12/12/12/12/12/12/12/12/12/12 w 48/48/48 a1:c3:b3n/j10:l12:k10s - 0",
        "wb2bb1b/b1b1b1b1/6wb/b4w2/wbb4b/6ww/3ww2b/w1wwww2 w 0/0/16 a1:c2:b2n/f7:h8:g7s - 36",
        "b2b1bbb/4bb2/3bb1wb/1bb2ww1/1b1w1ww1/w6w/ww2w1w1/ww1w1w2 b 0/0/16 a1:c2:b2n/f7:h8:g7s - 1",
        "b1b1bbb2b/b2b3bb1/1bbbb3bb/2b4bb1/b1b1bbb1w1/4w1w3/1ww1w1bw2/w3www1ww/ww1w1www1w/"
        "w1wwwww1w1 b 0/0/30 a1:c3:b3n/h8:j10:i8s - 0",
        "1bbbbbbbbb1b/bbbb1bbb1bb1/bb1bbbbb3b/1b1b1bb2b1b/b3b2b1bw1/6wwb3/w1w1w1w2w2/ww1www4ww/"
        "1w5w1ww1/w7wwww/wwwwwwwwww1w/ww3w3w1w w 0/8/48 a1:c3:b3n/j10:l12:k10s - 0",
        "3b4/w1b1bbbb/2b1b1b1/2wb3b/1w4ww/2w2w1w/3bw3/ww2w3 w 0/0/16 a1:c2:b2n/f7:h8:g7s - 2",
    )

    def start_text(self, settings: Settings) -> str:
        """Give the text of the empty board.

        Fortresses that were set for a board of another size wait for that board: the two
        options can be set in either order.
        """
        size = int(settings[BOARD_SIZE.name])
        text = settings[FORTRESSES.name]
        fortresses = board.read_fortresses(text)
        if fortresses is None or board.fault_of(fortresses, size) is not None:
            text = board.DEFAULT_FORTRESSES[size]
        stones = size * board.ZONE_RANKS[size]
        half = {"none": "-", "white": "w", "black": "b"}[settings[HALF_STONE.name]]
        rows = "/".join([str(size)] * size)
        return f"{rows} w {stones}/{stones}/{stones} {text} {half} 0"

    def parse(self, text: str, settings: Settings) -> Position:
        """Make a position from its text; raises `PositionError`."""
        record = read_record(text)
        quiet_limit = self.quiet_limit_of(settings)
        verify(record, quiet_limit)
        return KrepostPosition(record, quiet_limit)

    def text(self, position: Position) -> str:
        """Give the canonical text."""
        return format_record(_core(position).record())

    def token(self, position: Position, move: int) -> str:
        """Give `@d3` for a stone set, `c2c4` for a move, with `xk9` for a prisoner."""
        start, to, prisoner = decode_move(move)
        name = board.square_name(to)
        token = f"@{name}" if start == to else board.square_name(start) + name
        return token if prisoner is None else f"{token}x{board.square_name(prisoner)}"

    def read_token(self, position: Position, token: str) -> int:
        """Read `@d3`, `c2c4` and either with `xk9`; raises `MoveError`."""
        hit = _TOKEN.fullmatch(token.lower())
        if hit is None or (hit[1] == "@") == (hit[3] is not None):
            raise MoveError(f"{shorten(token)} is not like @d3 or c2c4, with or without xk9 behind")
        squares = []
        for name in (hit[2], hit[3], hit[4]):
            square = None if name is None else board.read_square(name)
            if name is not None and square is None:
                raise MoveError(f"no board has a square {shorten(name)}")
            squares.append(square)
        first, second, prisoner = squares
        assert first is not None
        if first == second:
            raise MoveError(f"{shorten(token)} does not go anywhere")
        return encode_move(first, first if second is None else second, prisoner)

    def why_illegal(self, position: Position, move: int) -> str:
        """Say which rule an illegal move breaks."""
        core = _core(position)
        return reasons.why_illegal(core.record(), core.caught_stones(), move)

    def points(self, position: Position) -> tuple[float, float]:
        """Give both counts: prisoners, the enemy's stones in hand, the half stone."""
        return _core(position).counts()

    def draw(self, position: Position) -> str:
        """Draw the board."""
        return drawing.draw(_core(position).record())


def _core(position: Position) -> KrepostPosition:
    return cast(KrepostPosition, position)
