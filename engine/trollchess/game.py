"""Troll chess as a `Game`: texts, tokens and words round the hot core."""

import re
from typing import cast

from kibitz.engine.errors import MoveError
from kibitz.engine.game import DEAL, QUIET_LIMIT, Game, Settings
from kibitz.engine.options import shorten
from kibitz.engine.position import Position
from kibitz.engine.trollchess import board, contents, drawing, layout
from kibitz.engine.trollchess.layout import decode_move, encode_move
from kibitz.engine.trollchess.record import (
    SIDE_NAMES,
    Record,
    dealt_record,
    describe,
    format_record,
    read_record,
    verify,
)
from kibitz.engine.trollchess.rules import TrollchessPosition

PASS_TOKEN = "pass"  # noqa: S105 - not a password

_TOKEN = re.compile(r"(s|n|sn|d)?([a-j](?:10|[1-9]))([a-j](?:10|[1-9]))(\^)?")


class Trollchess(Game):
    """A Wanderer of each side visits four castles and then its goal; the pieces help or stop it."""

    name = "trollchess"
    title = "Troll chess"
    options = (DEAL, QUIET_LIMIT)
    quiet_limit = 100
    bench_less = 2
    endings = ("none", "arrived", "dead", "quiet", "repetition")
    samples = (
        "10/2P5pr/2Mpn1msP1/p2rPP1PpS/3Rpp4/1PdpP4D/5P4/P1pD3R2/3p4p1/5dP1N1 "
        "w 0db/327/37c/3c2/0ba/0cc/12a/181/25b/390 a2b2i3i4/h10/j10 0/0 - 0",
        "5P4/2prp5/3d6/PR3Dp3/Pp1r2Ns2/1p5M1d/pP3P2mn/P1P1Rp3D/P1p4Pp1/S1P1p5 "
        "w 12e/1ee/165/00f/1c7/173/227/012/0e2/179 g3d7i9h10/f8/c6 0/0 - 0",
        "5D3P/r1m1P2M2/10/1p8/10/8(DS)r/3pR4p/8p1/1psR2P3/1d7d "
        "w 0ca/246/2cb/371/0f3/328/003/1a7/39d/332 e1a3b5e10/g3/i6 0/0 - 0",
        "8p1/2p7/p4PP3/1p5(ds)(DS)1/10/6p3/10/9R/10/10 "
        "b 2ba/1ff/308/236/2e0/15a/3b0/09c/094/2ad g3d4i7h10/b10/f2 7/a i7:2 0",
        "1m6(SN)1/4pPPP2/7P2/3pP1D1Pp/10/10/6s3/1p8/3p6/1P7p "
        "b 0cc/1a1/1b3/07d/149/3bc/215/385/2b8/097 g1f5i9g10/e6/f8 7/1 - 2",
        "10/5p3P/p7P1/10/3P1D2r1/5p3p/6pm1N/9s/P9/8p1 "
        "w 217/11c/221/341/0da/135/37d/351/0fe/143 b1i3j8a9/h1/f3 4/2 - 0",
    )

    def start_text(self, settings: Settings) -> str:
        """Give the text of the deal that the settings name."""
        return format_record(dealt_record(int(settings[DEAL.name])))

    def parse(self, text: str, settings: Settings) -> Position:
        """Make a position from its text; raises `PositionError`."""
        record = read_record(text)
        quiet_limit = self.quiet_limit_of(settings)
        verify(record, quiet_limit)
        return TrollchessPosition(record, quiet_limit)

    def text(self, position: Position) -> str:
        """Give the canonical text."""
        return format_record(_core(position).record())

    def token(self, position: Position, move: int) -> str:
        """Give `e4e5`, `SNe4e6` for a group of a stack, `e4e5^` for mounting, or `pass`."""
        if move == layout.PASS:
            return PASS_TOKEN
        start, to, kind, mounts = decode_move(move)
        letters = contents.GROUP_LETTERS[kind]
        mark = "^" if mounts else ""
        return letters + board.SQUARE_NAMES[start] + board.SQUARE_NAMES[to] + mark

    def read_token(self, position: Position, token: str) -> int:
        """Read a token such as `e4e5`, `SNe4e6` or `e4e5^`; raises `MoveError`."""
        word = token.lower()
        if word == PASS_TOKEN:
            return layout.PASS
        match = _TOKEN.fullmatch(word)
        if match is None:
            raise MoveError(f"{shorten(token)} is not a move such as e4e5, SNe4e6, e4e5^ or pass")
        letters, start, to, mark = match.groups()
        if start == to:
            raise MoveError(f"{shorten(token)} does not go anywhere")
        return encode_move(
            board.SQUARE_OF[start],
            board.SQUARE_OF[to],
            contents.GROUP_LETTERS.index((letters or "").upper()),
            mark is not None,
        )

    def why_illegal(self, position: Position, move: int) -> str:
        """Say which rule an illegal move breaks."""
        record = _core(position).record()
        if move == layout.PASS:
            return "a side passes only when it has no other move"
        start, to, kind, mounts = decode_move(move)
        reason = _why_not_leaving(record, start, kind)
        if reason:
            return reason
        group = contents.group_of(record.side, kind, record.letters[start]) or ""
        reason = _why_not_reaching(record, group, start, to)
        if reason:
            return reason
        return _why_not_arriving(record, group, to, mounts)

    def points(self, position: Position) -> tuple[float, float]:
        """Count the castles that each Wanderer has visited."""
        return _core(position).visits()

    def draw(self, position: Position) -> str:
        """Draw the board with colours, places and stacks."""
        return drawing.draw(_core(position).record())


def _why_not_leaving(record: Record, start: int, kind: int) -> str | None:
    """Say why a kind of group cannot leave a square."""
    name = board.SQUARE_NAMES[start]
    here = record.letters[start]
    if not here:
        return f"there is nothing on {name}"
    if len(here) == 1:
        if here not in contents.LETTERS[record.side]:
            return f"{describe(here)} on {name} is not a piece of the side to move"
        if kind != layout.ALONE:
            return f"there is no stack on {name}, so no letters stand before the move"
    elif kind == layout.ALONE:
        return f"there is a stack on {name}, so the letters of the group stand before the move"
    if contents.group_of(record.side, kind, here) is None:
        return _why_no_group(record.side, kind, here, name)
    if "D" in here.upper() and kind in (layout.ALONE, layout.GROUP_D):
        for square, turns in record.resting:
            if square == start:
                more = "1 more turn" if turns == 1 else f"{turns} more turns"
                return f"the Dragon on {name} rests for {more} of the game"
    return None


def _why_no_group(side: int, kind: int, here: str, name: str) -> str:
    letters = contents.GROUP_LETTERS[kind]
    if kind == layout.GROUP_D:
        if here[0] not in "Dd":
            return f"there is no Dragon on {name}"
        return f"{describe(here[0])} on {name} does not carry {SIDE_NAMES[side]}'s Wanderer"
    group = letters.lower() if side else letters
    for letter in group:
        if letter not in here:
            return f"{describe(letter)} is not on {name}"
    left = contents.left_by(group, here)
    return f"{left} cannot stay behind on {name}"


def _why_not_reaching(record: Record, group: str, start: int, to: int) -> str | None:
    """Say why a group's way of moving does not lead from a square to another."""
    letters = group.upper()
    there = record.letters[to]
    names = f"from {board.SQUARE_NAMES[start]} to {board.SQUARE_NAMES[to]}"
    if "D" in letters:
        return _why_no_leap(start, to, layout.SHAPE_D, "Dragon", names)
    if "N" in letters:
        return _why_no_leap(start, to, layout.SHAPE_N, "Mercenary", names)
    if letters == "S":
        return _why_no_leap(start, to, layout.SHAPE_S, "Wanderer", names)
    if letters == "P":
        if to in (start + layout.SIZE, start - layout.SIZE):
            return "a Robber moves straight only to an empty square" if there else None
        if any(board.beyond(start, step) == to for step in board.DIAGONALS):
            return None if there else "a Robber goes diagonally only to capture"
        return f"a Robber does not go {names}"
    name, steps = ("Knight", board.DIAGONALS) if letters == "R" else ("Mage", board.AROUND)
    for step in steps:
        for square in board.ray(start, step):
            if square == to:
                return None
            if record.letters[square] and to in board.ray(square, step):
                return f"{board.SQUARE_NAMES[square]} is in the way {names}"
    return f"a {name} does not go {names}"


def _why_no_leap(start: int, to: int, shape: int, name: str, names: str) -> str | None:
    if any(board.beyond(start, step) == to for step in board.SHAPES[shape]):
        return None
    return f"a {name} does not go {names}"


def _why_not_arriving(record: Record, group: str, to: int, mounts: bool) -> str:
    """Say why a group cannot arrive where it can go."""
    name = board.SQUARE_NAMES[to]
    there = record.letters[to]
    arrival = contents.arrival(record.side, group, there)
    if mounts:
        return f"only a Wanderer that goes to a lone enemy Dragon mounts it, which {name} is not"
    if arrival is not None:
        if not arrival.kills:
            raise AssertionError("the move is legal")
        enemy = contents.LETTERS[record.side ^ 1][0]
        return f"{describe(enemy)} is safe on {name}, a square of its own colour"
    if any(letter in contents.LETTERS[record.side] for letter in there):
        return f"what goes to {name} cannot join {there} there"
    return f"what goes to {name} can neither attack nor join {there} there"


def _core(position: Position) -> TrollchessPosition:
    return cast("TrollchessPosition", position)
