"""The options of an engine: its own and those of all games, and the values they have.

Games declare their options themselves; here is the union of them, so that a program can
list and set them whichever game is chosen. Options of the same name in several games are
the same option, with one value.
"""

from collections.abc import Mapping

from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.options import Option, shorten
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.quota import LOCAL, Quota

GAME = Option(
    name="Game",
    kind="combo",
    default=GAME_NAMES[0],
    about="the game; under UCI the option is called `UCI_Variant`",
    choices=GAME_NAMES,
)
UCI_VARIANT = GAME._replace(name="UCI_Variant")
HASH = Option(
    name="Hash",
    kind="spin",
    default="16",
    about="size of the hash table in MiB; memory is taken when the first search begins",
    least=1,
    most=65_536,
)
THREADS = Option(
    name="Threads",
    kind="spin",
    default="1",
    about="threads that search at once; no more of them than the machine has processors",
    least=1,
    most=256,
)
MULTIPV = Option(
    name="MultiPV",
    kind="spin",
    default="1",
    about="best lines that a search reports; fewer when there are fewer moves",
    least=1,
    most=256,
)
PONDER = Option(
    name="Ponder",
    kind="check",
    default="false",
    about="says that the program will send `go ponder`; nothing depends on it",
)
MOVE_OVERHEAD = Option(
    name="Move Overhead",
    kind="spin",
    default="10",
    about="milliseconds of each turn's time that are kept for the way to the program",
    least=0,
    most=10_000,
)
SEARCHER = Option(
    name="Searcher",
    kind="combo",
    default="alphabeta",
    about="the way of searching",
    choices=("alphabeta",),
)
ANALYSE_MODE = Option(
    name="UCI_AnalyseMode",
    kind="check",
    default="false",
    about="says that the program analyses; nothing depends on it",
)
SHOW_WDL = Option(
    name="UCI_ShowWDL",
    kind="check",
    default="false",
    about="adds `wdl W D L` to scores, chances in thousandths: a rule of thumb, not fitted",
)

OWN = (GAME, HASH, THREADS, MULTIPV, PONDER, MOVE_OVERHEAD, SEARCHER, ANALYSE_MODE, SHOW_WDL)

# Options that a search depends on while it runs, besides those of its game. It goes on
# beside a change of any other one, and the next search takes the new value.
_SEARCHED_WITH = frozenset({HASH.name, THREADS.name, MULTIPV.name, SEARCHER.name})


def all_options() -> tuple[Option, ...]:
    """List the engine's own options, then those of the games, each name once."""
    listed = {option.name: option for option in OWN}
    for name in GAME_NAMES:
        for option in find_game(name).options:
            listed.setdefault(option.name, option)
    return tuple(listed.values())


def listed_options(uci: bool, quota: Quota = LOCAL) -> tuple[Option, ...]:
    """List the options as a handshake shows them to a client.

    The choice of the game has one name, and what a quota bounds has that bound as its most.
    """
    options = [UCI_VARIANT if uci and option is GAME else option for option in all_options()]
    return tuple(_bounded(option, quota) for option in options)


def _bounded(option: Option, quota: Quota) -> Option:
    most = most_of(option, quota)
    if most == option.most:
        return option
    return option._replace(most=most, default=str(min(int(option.default), most)))


def most_of(option: Option, quota: Quota) -> int:
    """Give the most that a client can set a spin to."""
    if option is HASH:
        return min(option.most, quota.hash)
    if option is THREADS:
        return min(option.most, quota.threads)
    return option.most


class Options:
    """The options of one engine, with their values, within the quota of its client."""

    def __init__(self, quota: Quota = LOCAL) -> None:
        """Give every option its default, or the most that the client can have."""
        self._quota = quota
        options = all_options()
        self._by_name = {option.name.lower(): option for option in options}
        self._by_name[UCI_VARIANT.name.lower()] = GAME
        self._values = {option.name: _bounded(option, quota).default for option in options}

    def check(self, name: str, value: str) -> tuple[Option, str]:
        """Give the option of a name, in any letter case, and the canonical text of a value.

        Raises `OptionError` for an unknown name or a value that the option cannot take.
        """
        option = self._by_name.get(name.lower())
        if option is None:
            raise OptionError(f"there is no option {shorten(name)}")
        return option, option.canonical(value)

    def clamped(self, option: Option, value: str) -> str:
        """Give the canonical value that the client gets when it asks for one."""
        if option is HASH or option is THREADS:
            return str(min(int(value), most_of(option, self._quota)))
        return value

    def changes(self, option: Option, value: str) -> bool:
        """Tell whether a canonical value is another one than the option has."""
        return self._values[option.name] != value

    def set(self, option: Option, value: str) -> None:
        """Set an option to a canonical value."""
        self._values[option.name] = value

    def text(self, option: Option) -> str:
        """Give the value of an option as text."""
        return self._values[option.name]

    def number(self, option: Option) -> int:
        """Give the value of a spin."""
        return int(self._values[option.name])

    def is_on(self, option: Option) -> bool:
        """Give the value of a check."""
        return self._values[option.name] == "true"

    @property
    def values(self) -> Mapping[str, str]:
        """All values by the options' names, in the order of the handshake."""
        return self._values


def matters_to_search(option: Option, game: Game) -> bool:
    """Tell whether a search of the game has to be stopped for a change of the option."""
    return option.name in _SEARCHED_WITH or begins_game(option, game)


def begins_game(option: Option, game: Game) -> bool:
    """Tell whether a change of the option sets the position of the game back."""
    return option is GAME or any(option.name == own.name for own in game.options)
