"""What a match is: frozen structs, as a settings file has them and as the journal keeps them.

`settings_file` reads them from TOML and `match_arguments` from the command line; both give
the same structs. What is checked here is one value at a time; `settings_checks` looks at
what they are together.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

from kibitz.engine.game import Game
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.scripts.match.planning.openings import Order
from kibitz.scripts.match.planning.schedule import Kind
from kibitz.scripts.match.statistics.sprt import Model

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
MOST_PROCESSOR = 4095
OptionValue = str | int | bool


def option_text(value: OptionValue) -> str:
    """Write the value of an option as engines are told it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Dialect(StrEnum):
    """What is spoken with an engine; `auto` tries UGI first."""

    AUTO = "auto"
    UGI = "ugi"
    UCI = "uci"


class PairsBy(StrEnum):
    """What decides a pair of games: the results of both, or the sum of their points."""

    RESULTS = "results"
    POINTS = "points"


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player: which program or server it is, and how much it may think.

    `cmd` is a program with its arguments, as a shell would split them, started in the folder
    `cwd`; `url` a server, `tcp://HOST:PORT` or `tls://HOST:PORT`, with the token in the file
    `token_file` and the certificates to trust in the file `ca`. Just one of the two is given.

    `tc` is a clock, such as `10+0.1`, `40/60` or `1:30+1`, `st` the time of a move, such as
    `10ms` or `0.5`; at most one of the two. `depth` and `nodes` bound a search besides or
    alone. `margin` is how many milliseconds later than allowed an answer may come, and
    `timeout` the seconds after which an engine that says nothing counts as stalled.
    `longest` is the seconds that a move without a clock may take. `affinity` are the
    processors that a program may use.
    """

    name: str = ""
    cmd: str | None = None
    url: str | None = None
    cwd: str | None = None
    token_file: str | None = None
    ca: str | None = None
    proto: Dialect = Dialect.AUTO
    options: dict[str, OptionValue] = {}
    tc: str | None = None
    st: str | float | None = None
    depth: Count | None = None
    nodes: Count | None = None
    margin: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 50
    timeout: Seconds = 10.0
    longest: Seconds = 300.0
    ponder: bool = False
    restart: bool = False
    affinity: tuple[Annotated[int, msgspec.Meta(ge=0, le=MOST_PROCESSOR)], ...] = ()


class OpeningSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where games begin: the book `file`, or else `deals` from the number that the seed gives."""

    file: str | None = None
    order: Order = Order.SEQUENTIAL


class SprtSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A sequential test of the first player against the second; it ends the match."""

    elo0: float
    elo1: float
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] = 0.05
    model: Model = Model.NORMALIZED


class ResignSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A win is adjudicated when for `movecount` moves in a row of each side the scores say so.

    The loser's engine has said at most -`score` hundredths, and the winner's at least
    `score`, or nothing is asked of the winner's unless `twosided`.
    """

    movecount: Count = 3
    score: Count = 600
    twosided: bool = True


class DrawSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A draw is adjudicated after the first `movenumber` moves of each side.

    Both engines' scores were at most `score` hundredths from 0 for `movecount` moves in a row
    of each side.
    """

    movenumber: Count = 40
    movecount: Count = 8
    score: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 10


class CountSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Krepost is stopped by agreement, and the count decides, after `movenumber` moves each.

    Both engines agree when for `movecount` moves in a row of each side all their scores, seen
    from one side, lie within `score` hundredths of each other.
    """

    movenumber: Count = 60
    movecount: Count = 20
    score: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 20


class AdjudicationSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a game is ended before its rules do; None where it is not.

    `maxmoves` is how many moves of each side a game may have; a longer one is a draw.
    """

    resign: ResignSettings | None = None
    draw: DrawSettings | None = None
    count: CountSettings | None = None
    maxmoves: Count | None = None


class RunSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a match is run, which may differ when it is resumed.

    `concurrency` is how many games are played at once. With `recover` the match goes on when
    an engine crashed or stalled, else it stops there. `out` is the results folder. Plain lines
    report the standings after every `report_every` games.
    """

    concurrency: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 1
    recover: bool = False
    out: str | None = None
    plot: str | None = None
    report_every: Count = 10


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole match.

    `game` is one of ours, which the rules then referee, or the name of another game that the
    engines play, who are then asked. `options` are options of the game. `rounds`, `games`,
    `kind` and `seeds` are those of `schedule`; `seed` is what all chance comes from. `decide`
    is by `points` only where games have points and come in pairs.
    """

    event: str = "kibitz match"
    game: str
    options: dict[str, OptionValue] = {}
    kind: Kind = Kind.ROUND_ROBIN
    rounds: Count = 1
    games: Count = 2
    seeds: Count = 1
    decide: PairsBy = PairsBy.RESULTS
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0
    engines: tuple[EngineSettings, ...]
    openings: OpeningSettings = OpeningSettings()
    sprt: SprtSettings | None = None
    adjudication: AdjudicationSettings = AdjudicationSettings()
    run: RunSettings = RunSettings()


def game_of(settings: MatchSettings) -> Game | None:
    """Give the game of a match, None when only the engines know it."""
    return find_game(settings.game) if settings.game in GAME_NAMES else None


def options_of(settings: MatchSettings) -> dict[str, str]:
    """Give the options of the game as texts, which they are in settings that were read."""
    return {name: option_text(value) for name, value in settings.options.items()}
