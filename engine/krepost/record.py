"""Krepost position texts: `<board> <side> <stones> <fortresses> <half> <quiet>`.

A `Record` holds what a text says. `read_record` checks the fields one by one (errors name
the field), `verify` that the whole is a position some game could hold; only a verified
record reaches the hot core.
"""

from typing import NamedTuple

from kibitz.engine import text as fields
from kibitz.engine.errors import PositionError
from kibitz.engine.krepost import board
from kibitz.engine.krepost.layout import STRIDE
from kibitz.engine.options import shorten

FIELDS = ("board", "side", "stones", "fortresses", "half", "quiet")


class Record(NamedTuple):
    """A position as plain numbers; sets of squares as in `board`.

    `half` is the side that holds the half stone and `winner` the one that won by its last
    turn in a way that the stones do not show; None for neither.
    """

    size: int
    white: int
    black: int
    side: int
    white_hand: int
    black_hand: int
    started: int
    fortresses: tuple[board.Fortress, board.Fortress]
    half: int | None
    quiet: int
    winner: int | None


def read_record(text: str) -> Record:
    """Read a position text; raises `PositionError` naming the field."""
    cells, side, stones, fortresses, half, quiet = fields.split_fields(text, FIELDS)
    size = cells.count("/") + 1
    if size not in board.SIZES:
        sizes = ", ".join(map(str, board.SIZES))
        raise PositionError("board", f"{size} rows are not one of {sizes}")
    rows = fields.read_rows("board", cells.lower(), [size] * size, "wb")
    white_hand, black_hand, started = _read_stones(stones)
    counter, winner = _read_quiet(quiet)
    return Record(
        size=size,
        white=_squares_of(rows, "w"),
        black=_squares_of(rows, "b"),
        side=fields.read_side(side),
        white_hand=white_hand,
        black_hand=black_hand,
        started=started,
        fortresses=_read_fortresses(fortresses, size),
        half=_read_half(half),
        quiet=counter,
        winner=winner,
    )


def format_record(record: Record) -> str:
    """Write the canonical position text."""
    rows = [
        [_owner(STRIDE * rank + file, record.white, record.black) for file in range(record.size)]
        for rank in reversed(range(record.size))
    ]
    fortresses = "/".join(fortress.text() for fortress in record.fortresses)
    half = "-" if record.half is None else "wb"[record.half]
    mark = "" if record.winner is None else f"!{'wb'[record.winner]}"
    return (
        f"{fields.format_rows(rows)} {'wb'[record.side]} "
        f"{record.white_hand}/{record.black_hand}/{record.started} {fortresses} {half} "
        f"{record.quiet}{mark}"
    )


def verify(record: Record, quiet_limit: int) -> None:
    """Check that a position can be played; raises `PositionError` naming the field."""
    most = record.size * board.ZONE_RANKS[record.size]
    if not 1 <= record.started <= most:
        raise PositionError(
            "stones", f"each side began with {record.started} stones, not with 1 to {most}"
        )
    for name, hand, stones in (
        ("White", record.white_hand, record.white.bit_count()),
        ("Black", record.black_hand, record.black.bit_count()),
    ):
        if hand + stones > record.started:
            raise PositionError(
                "stones",
                f"{name} has {stones} on the board and {hand} in hand, "
                f"more than the {record.started} it began with",
            )
    if not (record.white | record.black) and not (record.white_hand or record.black_hand):
        raise PositionError("board", "no side has a stone left, on it or in hand")
    fields.check_quiet(record.quiet, quiet_limit)
    if record.winner is not None:
        _verify_winner(record, record.winner)


def _verify_winner(record: Record, winner: int) -> None:
    """Check that the winner can have won the fortress with the last turn."""
    name = ("White", "Black")[winner]
    geometry = board.geometry_of(record.size, record.fortresses)
    fort = geometry.forts[winner ^ 1]
    own, enemy = (record.white, record.black)[:: 1 if winner == 0 else -1]
    hand = record.black_hand if winner == 0 else record.white_hand
    if enemy & fort:
        raise PositionError("quiet", f"{name} has not won, there is still a garrison")
    if record.quiet == 0:
        if hand + enemy.bit_count() == record.started:
            raise PositionError("quiet", f"{name} has not won with a prisoner, it has none")
        if not own:
            raise PositionError("quiet", f"{name} has not won, no stone of it can have moved")
    elif not own & fort:
        raise PositionError("quiet", f"{name} has not won, no stone of it is in the fortress")
    elif record.side == winner:
        raise PositionError("quiet", f"{name} won by an entry, so it is not to move")


def _read_stones(text: str) -> tuple[int, int, int]:
    parts = text.split("/")
    if len(parts) != 3:
        raise PositionError("stones", f"{shorten(text)} is not three numbers with / between them")
    white_hand, black_hand, started = (fields.read_counter("stones", part) for part in parts)
    return white_hand, black_hand, started


def _read_fortresses(text: str, size: int) -> tuple[board.Fortress, board.Fortress]:
    fortresses = board.read_fortresses(text)
    if fortresses is None:
        raise PositionError(
            "fortresses", f"{shorten(text)} is not like {board.DEFAULT_FORTRESSES[size]}"
        )
    fault = board.fault_of(fortresses, size)
    if fault is not None:
        raise PositionError("fortresses", fault)
    return fortresses


def _read_half(text: str) -> int | None:
    if text == "-":
        return None
    if text.lower() not in ("w", "b"):
        raise PositionError("half", f"{shorten(text)} is not -, w or b")
    return "wb".index(text.lower())


def _read_quiet(text: str) -> tuple[int, int | None]:
    number, mark, winner = text.partition("!")
    quiet = fields.read_counter("quiet", number)
    if not mark:
        return quiet, None
    if winner.lower() not in ("w", "b"):
        raise PositionError("quiet", f"{shorten(winner)} behind the ! is not w or b")
    return quiet, "wb".index(winner.lower())


def _squares_of(rows: list[list[str]], letter: str) -> int:
    top = len(rows) - 1
    return sum(
        1 << (STRIDE * (top - index) + file)
        for index, row in enumerate(rows)
        for file, cell in enumerate(row)
        if cell == letter
    )


def _owner(square: int, white: int, black: int) -> str:
    return "w" if white >> square & 1 else "b" if black >> square & 1 else ""
