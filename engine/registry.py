"""The games that exist. A new game is one line here; the contract suite does the rest."""

from importlib import import_module

from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.options import shorten

_MODULES = {
    "talisman": "kibitz.engine.talisman.game:Talisman",
    "jarmo": "kibitz.engine.jarmo.game:Jarmo",
    "jasir": "kibitz.engine.jarmo.game:Jasir",
    "krepost": "kibitz.engine.krepost.game:Krepost",
    "trollchess": "kibitz.engine.trollchess.game:Trollchess",
}

GAME_NAMES = tuple(_MODULES)


def find_game(name: str) -> Game:
    """Give a game by its name (in any letter case), loading it when first asked for.

    Raises `OptionError` for a name that no game has.
    """
    place = _MODULES.get(name.lower())
    if place is None:
        raise OptionError(
            f"there is no game {shorten(name)}; the games are {', '.join(GAME_NAMES)}"
        )
    module, _, attribute = place.partition(":")
    game: Game = getattr(import_module(module), attribute)()
    return game
