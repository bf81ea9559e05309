"""Games as text that people read: tags, numbered moves, the reason of the end, the result.

It looks like PGN and is a format of our own, described with an example in
`docs/records.md`. The writer and the reader know nothing of the rules of any game, so any
game's moves can be written. The reader is strict: what it accepts is what the writer would
write, but for blank lines between games, and an error names the line. A record that was
written and read again equals the first one.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kibitz.engine.errors import InputError
from kibitz.engine.options import shorten
from kibitz.scripts.match.records import game_syntax as syntax
from kibitz.scripts.match.records.records import (
    GameRecord,
    MoveRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)

T = TypeVar("T")

_TAG = re.compile(rf"\[([A-Za-z]+) ({syntax.QUOTED})(?: ({syntax.QUOTED}))?\]")
_ROW = re.compile(rf"([1-9][0-9]*)(\.(?:\.\.)?) {syntax.MOVE}(?: {syntax.MOVE})?")
_LAST = re.compile(rf"({syntax.BRACED}) (\S+)")

_OPTION = "Option"
_REQUIRED = (
    "Event",
    "Game",
    "Number",
    "Pair",
    "Leg",
    "Round",
    "White",
    "Black",
    "WhiteEngine",
    "BlackEngine",
    "WhiteClock",
    "BlackClock",
    "WhiteIllegalPvs",
    "BlackIllegalPvs",
    "Started",
    "Ended",
    "Result",
    "Outcome",
    "Reason",
)
_OPTIONAL = ("Start", "Deal", "Guilty", "WhitePoints", "BlackPoints")


class GameFileError(InputError):
    """Text that is not a game; `line` is the number of the line, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def write_game(record: GameRecord) -> str:
    """Write a game; the text ends with the end of a line."""
    tags = [f"[{name} {syntax.quote(value)}]" for name, value in _tags_before_options(record)]
    tags += [
        f"[{_OPTION} {syntax.quote(name)} {syntax.quote(value)}]"
        for name, value in record.options.items()
    ]
    tags += [f"[{name} {syntax.quote(value)}]" for name, value in _tags_after_options(record)]
    end = f"{{{syntax.escape(record.reason)}}} {record.result}"
    return "\n".join([*tags, "", *_rows(record.moves), end, ""])


def write_games(records: Iterable[GameRecord]) -> str:
    """Write games one after another, as a file of games holds them."""
    return "".join(write_game(record) + "\n" for record in records)


def read_game(text: str) -> GameRecord:
    """Read the text of one game; raises `GameFileError`."""
    games = read_games(text)
    if len(games) != 1:
        raise GameFileError(1, f"there are {len(games)} games instead of one")
    return games[0]


def read_games(text: str) -> list[GameRecord]:
    """Read a file of games; raises `GameFileError`."""
    lines = text.split("\n")
    games: list[GameRecord] = []
    place = 0
    while True:
        while place < len(lines) and not lines[place]:
            place += 1
        if place == len(lines):
            return games
        reader = _Reader(lines, place)
        games.append(reader.read())
        place = reader.place


def _tags_before_options(record: GameRecord) -> list[tuple[str, str]]:
    white, black = record.white, record.black
    return [
        ("Event", record.event),
        ("Game", record.game),
        ("Number", str(record.number)),
        ("Pair", str(record.pair)),
        ("Leg", str(record.leg)),
        ("Round", str(record.round)),
        ("White", white.name),
        ("Black", black.name),
        ("WhiteEngine", white.engine),
        ("BlackEngine", black.engine),
        ("WhiteClock", white.clock),
        ("BlackClock", black.clock),
        ("WhiteIllegalPvs", str(white.illegal_pvs)),
        ("BlackIllegalPvs", str(black.illegal_pvs)),
    ]


def _tags_after_options(record: GameRecord) -> list[tuple[str, str]]:
    tags = []
    if record.start is not None:
        tags.append(("Start", record.start))
    if record.deal is not None:
        tags.append(("Deal", str(record.deal)))
    tags.append(("Started", syntax.write_time(record.started)))
    tags.append(("Ended", syntax.write_time(record.ended)))
    if record.points is not None:
        tags.append(("WhitePoints", syntax.write_points(record.points[0])))
        tags.append(("BlackPoints", syntax.write_points(record.points[1])))
    tags.append(("Result", record.result))
    tags.append(("Outcome", record.outcome))
    if record.guilty is not None:
        tags.append(("Guilty", record.guilty))
    tags.append(("Reason", record.reason))
    return tags


def _rows(moves: Sequence[MoveRecord]) -> list[str]:
    """Write moves in rows: one of White's and the answer, or one alone."""
    rows: list[str] = []
    answered = True
    for move in moves:
        text = syntax.write_move(move)
        if move.side is Side.WHITE:
            rows.append(f"{len(rows) + 1}. {text}")
            answered = False
        elif answered:
            rows.append(f"{len(rows) + 1}... {text}")
        else:
            rows[-1] += f" {text}"
            answered = True
    return rows


class _Reader:
    """Reads the game that begins at a line; `place` is then the index of the line after it."""

    def __init__(self, lines: Sequence[str], place: int) -> None:
        self.place = place
        self._lines = lines
        self._first = place + 1
        self._tags: dict[str, tuple[int, str]] = {}
        self._options: dict[str, str] = {}

    def read(self) -> GameRecord:
        """Read the game."""
        self._read_tags()
        moves = self._read_moves()
        record = self._record(moves)
        self._read_end(record)
        return record

    @property
    def _line(self) -> str:
        if self.place == len(self._lines):
            raise self._error("the text ends in the middle of a game")
        return self._lines[self.place]

    def _error(self, reason: str) -> GameFileError:
        return GameFileError(self.place + 1, reason)

    def _at_line(self, read: Callable[[str], T], text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise self._error(str(error)) from None

    def _read_tags(self) -> None:
        while self._line:
            match = _TAG.fullmatch(self._line)
            if match is None:
                raise self._error(
                    f'{shorten(self._line)} is neither a tag such as [Game "jarmo"] nor the blank '
                    "line after the tags"
                )
            name = match[1]
            value = self._at_line(syntax.unquote, match[2])
            if name == _OPTION:
                self._read_option(value, match[3])
            elif name not in _REQUIRED and name not in _OPTIONAL:
                raise self._error(f"there is no tag {name}")
            elif name in self._tags:
                raise self._error(f"the tag {name} is there twice")
            elif match[3] is not None:
                raise self._error(f"the tag {name} has one value, not two")
            else:
                self._tags[name] = (self.place, value)
            self.place += 1
        for name in _REQUIRED:
            if name not in self._tags:
                raise self._error(f"the tag {name} is missing")
        self.place += 1

    def _read_option(self, name: str, value: str | None) -> None:
        if value is None:
            raise self._error("an option has a name and a value, each in quotes")
        if name in self._options:
            raise self._error(f"the option {shorten(name)} is there twice")
        self._options[name] = self._at_line(syntax.unquote, value)

    def _read_moves(self) -> tuple[MoveRecord, ...]:
        moves: list[MoveRecord] = []
        row = 1
        while not self._line.startswith("{"):
            match = _ROW.fullmatch(self._line)
            if match is None:
                raise self._error(
                    f"{shorten(self._line)} is neither moves such as 1. a1a2 b5b4 nor the reason "
                    "of the end in braces and the result"
                )
            number, dots, *texts = match.groups()
            if number != str(row):
                raise self._error(f"the moves have the number {number} instead of {row}")
            if dots == "..." and texts[2] is not None:
                raise self._error(f"only one move, Black's, stands after {number}...")
            side = Side.WHITE if dots == "." else Side.BLACK
            moves.append(self._read_move(side, texts[0], texts[1]))
            if texts[2] is not None:
                moves.append(self._read_move(Side.BLACK, texts[2], texts[3]))
            row += 1
            self.place += 1
        return tuple(moves)

    def _read_move(self, side: Side, token: str, comment: str | None) -> MoveRecord:
        return self._at_line(lambda text: syntax.read_move(side, text, comment), token)

    def _read_end(self, record: GameRecord) -> None:
        match = _LAST.fullmatch(self._line)
        if match is None:
            raise self._error(f"{shorten(self._line)} is not {{REASON}} and the result")
        if self._at_line(syntax.unquote, match[1]) != record.reason:
            raise self._error("the reason is not that of the tag Reason")
        if match[2] != record.result:
            raise self._error(f"the result is not that of the tag Result, {record.result}")
        if self.place + 1 == len(self._lines) or self._lines[self.place + 1]:
            raise self._error("the result is not followed by the end of its line and a blank line")
        self.place += 1

    def _record(self, moves: tuple[MoveRecord, ...]) -> GameRecord:
        white_points = self._optional("WhitePoints", syntax.read_points)
        black_points = self._optional("BlackPoints", syntax.read_points)
        if (white_points is None) != (black_points is None):
            raise GameFileError(self._first, "the points of one side are missing")
        points = None
        if white_points is not None and black_points is not None:
            points = (white_points, black_points)
        try:
            return GameRecord(
                number=self._value("Number", syntax.read_number),
                pair=self._value("Pair", syntax.read_number),
                leg=self._value("Leg", syntax.read_number),
                round=self._value("Round", syntax.read_number),
                event=self._value("Event", str),
                game=self._value("Game", str),
                white=self._player("White"),
                black=self._player("Black"),
                result=self._value("Result", Result),
                outcome=self._value("Outcome", Outcome),
                reason=self._value("Reason", str),
                started=self._value("Started", syntax.read_time),
                ended=self._value("Ended", syntax.read_time),
                options=self._options,
                start=self._optional("Start", str),
                deal=self._optional("Deal", syntax.read_number),
                moves=moves,
                guilty=self._optional("Guilty", Side),
                points=points,
            )
        except GameFileError:
            raise
        except ValueError as error:
            raise GameFileError(self._first, str(error)) from None

    def _player(self, side: str) -> PlayerRecord:
        return PlayerRecord(
            name=self._value(side, str),
            engine=self._value(f"{side}Engine", str),
            clock=self._value(f"{side}Clock", str),
            illegal_pvs=self._value(f"{side}IllegalPvs", syntax.read_number),
        )

    def _value(self, name: str, read: Callable[[str], T]) -> T:
        """Read the value of a tag that is there."""
        place, text = self._tags[name]
        try:
            return read(text)
        except ValueError as error:
            raise GameFileError(place + 1, f"{name}: {error}") from None

    def _optional(self, name: str, read: Callable[[str], T]) -> T | None:
        return self._value(name, read) if name in self._tags else None
