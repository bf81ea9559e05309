"""What a session has set up: its options, its game, and the position that it is in.

Long work is done in pieces: a method that gives an iterator does one piece at each step
and is done when the iterator ends, so that other clients have their turn in between.
"""

from collections.abc import Sequence

from kibitz.engine.errors import InputError, MoveError, OptionError
from kibitz.engine.game import Game
from kibitz.engine.options import Option
from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.protocol import commands
from kibitz.protocol import options as names
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.options import Options
from kibitz.protocol.pieces import MOST_MOVES, Pieces
from kibitz.protocol.quota import Quota
from kibitz.protocol.replies import Note, Reply, Variant


class Setting:
    """The options, the game and the play of one session."""

    def __init__(self, quota: Quota, game: str | None = None) -> None:
        """Begin a game, the default one or that of a name, under default options."""
        self.options = Options(quota)
        if game is not None:
            self.options.set(names.GAME, names.GAME.canonical(game))
        self.game: Game = find_game(self.options.text(names.GAME))
        self.play = Play(self.game, self.options.values)

    # Options.

    def matters(self, command: commands.SetOption) -> bool:
        """Tell whether a search has to be stopped for the new value of an option."""
        try:
            option, value, _ = self._value(command)
        except OptionError:
            return False
        return names.matters_to_search(option, self.game) and self.options.changes(option, value)

    def set_option(self, command: commands.SetOption) -> tuple[list[Reply], bool]:
        """Set an option; gives what to say, and whether the hash table is worthless now."""
        replies: list[Reply] = []
        outdated = False
        try:
            option, value, asked = self._value(command)
            if self.options.changes(option, value):
                outdated = self._change(option, value)
        except InputError as error:
            raise Refusal(ErrorCode.BAD_OPTION, str(error)) from None
        if value != asked:
            replies.append(Note(f"{option.name} is {value}, the most that this client can have"))
        if option is names.GAME:
            replies.append(self._variant())
        return replies, outdated

    def _value(self, command: commands.SetOption) -> tuple[Option, str, str]:
        """Give the option of a command, the value that it gets, and the one asked for."""
        option, asked = self.options.check(command.name, command.value)
        return option, self.options.clamped(option, asked), asked

    def _change(self, option: Option, value: str) -> bool:
        """Give an option a new value; tells whether a hash table is worthless after that."""
        before = self.options.text(option)
        self.options.set(option, value)
        if names.begins_game(option, self.game):
            try:
                game = find_game(self.options.text(names.GAME))
                self.play = Play(game, self.options.values)
            except InputError:
                self.options.set(option, before)
                raise
            self.game = game
            return True
        return option in (names.HASH, names.SEARCHER)

    def _variant(self) -> Variant:
        """Describe the game's board by the first field of its position text."""
        start = self.game.start_text(self.play.settings)
        rows = start.split()[0].split("/")
        return Variant(self.game.name, max(map(_width, rows)), len(rows), start)

    # Positions and moves.

    def new_game(self) -> None:
        """Go back to the start of the game."""
        self.play = Play(self.game, self.options.values)

    def set_position(self, command: commands.SetPosition) -> Pieces:
        """Set a position, and make the moves of the command in pieces."""
        if command.deal is not None and not self.game.is_dealt:
            raise Refusal(ErrorCode.BAD_POSITION, f"deal: {self.game.name} is not dealt")
        try:
            self.play = Play(self.game, self.options.values, command.text, command.deal)
        except InputError as error:
            raise Refusal(ErrorCode.BAD_POSITION, str(error)) from None
        yield from self.make_moves(command.moves)

    def make_moves(self, moves: Sequence[str]) -> Pieces:
        """Make moves in pieces, up to one that is not legal."""
        for start in range(0, len(moves), MOST_MOVES):
            if start:
                yield
            try:
                self.play.push_all(moves[start : start + MOST_MOVES])
            except MoveError as error:
                raise Refusal(ErrorCode.BAD_MOVE, str(error)) from None


def _width(row: str) -> int:
    """Count the cells of a row of a position text: a letter is one, a number is many."""
    cells = 0
    run = ""
    for letter in row + " ":
        if letter.isdigit():
            run += letter
            continue
        cells += int(run or 0) + 1
        run = ""
    return cells - 1
