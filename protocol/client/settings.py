"""What the options of one engine are set to, and what has to be sent to change that.

Options come from two sides: `configure` sets them for good, a `Setup` for its own game. What
a setup has set is put back for the next setup that does not.
"""

from collections.abc import Sequence

from kibitz.protocol.client import wording
from kibitz.protocol.client.errors import BadOption
from kibitz.protocol.client.options import Option, OptionList
from kibitz.protocol.client.setup import Setup

_GAMES = ("Game", "UCI_Variant")
_PLAIN = "chess"
"""What an engine plays that lists no option for the game."""


class Settings:
    """The values of options: those that are wanted, and those that the engine has."""

    def __init__(self, options: OptionList) -> None:
        self._options = options
        self._wanted: dict[str, str] = {}
        self._now: dict[str, str | None] = {}
        # None is a value that is not known any more.

    def configure(self, values: Sequence[tuple[Option, str]]) -> list[str]:
        """Want values from now on; gives what has to be sent."""
        orders = []
        for option, value in values:
            if option.kind == "button":
                orders.append(wording.set_option(option.name, value, option.kind))
            else:
                self._wanted[option.name] = value
                orders += self._change(option, value)
        return orders

    def prepare(self, setup: Setup, multipv: int | None) -> list[str]:
        """Give what has to be sent for a setup; raises `BadOption`.

        Nothing is changed if it raises.
        """
        orders = []
        for option, value in self._targets(setup, multipv):
            orders += self._change(option, value)
        return orders

    def is_prepared(self, setup: Setup, multipv: int | None) -> bool:
        """Whether nothing has to be sent for a setup; raises `BadOption`."""
        targets = self._targets(setup, multipv)
        return all(self._now.get(option.name, option.default) == value for option, value in targets)

    def _targets(self, setup: Setup, multipv: int | None) -> list[tuple[Option, str]]:
        """Give the values that options have to have for a setup."""
        given: dict[str, str] = {}
        game = self._game(setup.game)
        if game is not None:
            given[game[0].name] = game[1]
        for name, value in setup.options.items():
            option = self._options.find(name)
            given[option.name] = option.read(value)
        if multipv is not None and (multipv != 1 or self._options.has("MultiPV")):
            option = self._options.find("MultiPV")
            given[option.name] = option.read(multipv)
        targets = []
        # The game comes first: its choice may set others back.
        for name in [*given, *(name for name in self._now if name not in given)]:
            option = self._options[name]
            value = given.get(name, self._wanted.get(name, option.default))
            targets.append((option, value))
        return targets

    def assume_game(self, game: str) -> None:
        """Take note that the engine has a game already."""
        found = self._game(game)
        if found is not None:
            self._now[found[0].name] = self._wanted[found[0].name] = found[1]

    def doubt(self) -> None:
        """Take nothing for granted: an order may not have been carried out."""
        for name in self._now:
            self._now[name] = None

    def _game(self, game: str | None) -> tuple[Option, str] | None:
        if game is None:
            return None
        for name in _GAMES:
            if self._options.has(name):
                option = self._options.find(name)
                return option, option.read(game)
        if game != _PLAIN:
            raise BadOption(f"the engine has no choice of a game, so that {game!r} cannot be set")
        return None

    def _change(self, option: Option, value: str) -> list[str]:
        if self._now.get(option.name, option.default) == value:
            return []
        self._now[option.name] = value
        return [wording.set_option(option.name, value, option.kind)]
