"""The arguments of `kibitz match`: their names, the settings that they stand for, and the help.

An argument is a word that begins with one dash or two. Behind it come its values, up to the
next such word: one value, or for a table `KEY=VALUE` words.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    CountSettings,
    DrawSettings,
    EngineSettings,
    MatchSettings,
    OpeningSettings,
    ResignSettings,
    RunSettings,
    SprtSettings,
)


class Table(NamedTuple):
    """An argument that is a table: its path and its struct."""

    path: str
    shape: type[msgspec.Struct]


TABLES: Mapping[str, Table] = {
    "engine": Table("engines", EngineSettings),
    "each": Table("each", EngineSettings),
    "openings": Table("openings", OpeningSettings),
    "sprt": Table("sprt", SprtSettings),
    "resign": Table("adjudication.resign", ResignSettings),
    "draw": Table("adjudication.draw", DrawSettings),
    "count": Table("adjudication.count", CountSettings),
}

NEVER_EMPTY = ("each", "openings")
"""The tables that mean nothing without a `KEY=VALUE`; others have defaults or lack something."""

_RENAMED = {"kind": "tournament", "seed": "srand"}
_ENGINE_KEYS = {"cwd": "dir", "margin": "timemargin"}
"""Settings that have another name as arguments; their own is taken, too."""


class Single(NamedTuple):
    """An argument with one value: its path, and the struct and the field that it is read for."""

    path: str
    shape: type[msgspec.Struct]
    field: str


def _singles() -> dict[str, Single]:
    apart = {table.path.rpartition(".")[2] for table in TABLES.values()}
    apart |= {"options", "adjudication", "run"}
    found = {}
    for prefix, shape in (
        ("", MatchSettings),
        ("adjudication.", AdjudicationSettings),
        ("run.", RunSettings),
    ):
        for field in msgspec.structs.fields(shape):
            if field.name not in apart:
                name = _RENAMED.get(field.name, field.name)
                found[name] = Single(f"{prefix}{field.name}", shape, field.name)
    return found


SINGLES: Mapping[str, Single] = _singles()
"""The arguments with one value, which is every setting that is no table."""

OTHERS = ("option", "resume", "json", "help")

ALIASES = {**_RENAMED, "h": "help", "ratinginterval": "report_every"}

NAMES = (*TABLES, *SINGLES, *OTHERS)

ELSEWHERE = {
    "variant": "the game is -game",
    "pgnout": "-out FOLDER keeps the games",
    "repeat": "pairs of games always begin from the same opening",
    "noswap": "pairs of games always swap sides",
    "bookmode": "-openings is what there is",
    "debug": "every game is in the results folder, with what ended it",
    "log": "every game is in the results folder, with what ended it",
    "config": "kibitz match FILE.toml reads settings, and -resume FOLDER goes on",
    "tb": "there are no tablebases",
    "site": "-event is what there is",
}
"""What to say of arguments that other programs have."""

ENGINE_WORDS = tuple(
    _ENGINE_KEYS.get(field.name, field.name)
    for field in msgspec.structs.fields(EngineSettings)
    if field.name != "options"
)
"""The keys of an engine as they are written in arguments, other than `arg` and `option.NAME`."""


def field_of(word: str) -> str:
    """Give the setting that a key of an engine stands for."""
    return next((own for own, other in _ENGINE_KEYS.items() if other == word), word)


def argument_of(path: str) -> str:
    """Give the argument that a setting would come from: `-engine 2: tc`, `-sprt: elo1`."""
    if (
        match := re.fullmatch(r"(engines\[\d+\]|each|options)(?:\.(.*))?", path, re.DOTALL)
    ) is None:
        for name, table in TABLES.items():
            if path == table.path:
                return f"-{name}"
            if path.startswith(f"{table.path}."):
                return f"-{name}: {path[len(table.path) + 1 :]}"
        for name, single in SINGLES.items():
            if path == single.path:
                return f"-{name}"
        return path
    holder, key = match[1], match[2]
    word = {"each": "-each", "options": "-option"}.get(holder, f"-engine {holder[8:-1]}")
    if key is None:
        return word
    if holder != "options":
        key = f"option.{key[8:]}" if key.startswith("options.") else _ENGINE_KEYS.get(key, key)
    return f"{word}: {key}"


HELP = """\
usage: kibitz match FILE.toml [ARGUMENT ...]
       kibitz match -engine KEY=VALUE ... -engine KEY=VALUE ... [ARGUMENT ...]
       kibitz match -resume FOLDER [ARGUMENT ...]

Plays matches and tournaments between engines. Arguments may have one dash or two; those
given with a file stand in the place of what it says. docs/match.md has all of it.

engines:
  -engine KEY=VALUE ...     a player, given at least twice; keys:
      cmd=COMMAND           the program, with arguments as in a shell
      arg=TEXT              one more argument of the program; can be given several times
      dir=FOLDER            where the program is started
      url=tcp://HOST:PORT   a server instead (or tls://...; url= may be left out)
      token_file=FILE       its first line is the token for the server
      ca=FILE               certificates to trust, instead of the system's
      name=NAME             the player's name
      proto=auto|ugi|uci    what is spoken
      option.NAME=VALUE     an option of the engine
      tc=CLOCK              10+0.1, 40/60, 1:30+1: [MOVES/]TIME[+INCREMENT]
      st=TIME               the time of a move: 10ms, 0.5
      depth=N nodes=N       bounds of a search, with a clock or alone
      timemargin=MS         how much later an answer may come; 50 when left out
      timeout=SECONDS       silence that counts as a stall; 10 when left out
      longest=SECONDS       the longest move without a clock; 300 when left out
      ponder                think while the other side does
      restart=on|off        start the program again for each game
      affinity=0,1          the processors that the program may use
  -each KEY=VALUE ...       the same keys, for all engines that do not say otherwise

match:
  -game NAME                talisman, jarmo, jasir, krepost or trollchess; or other:NAME,
                            a game that only the engines know
  -option NAME=VALUE ...    options of the game
  -event TEXT               the name of the match
  -tournament KIND          roundrobin, gauntlet or swiss
  -seeds N                  in a gauntlet: how many players meet all the others
  -games N                  games of an encounter: 1, or an even number
  -rounds N                 how often everybody meets, or the rounds of a swiss
  -srand N                  what all chance comes from (also -seed)
  -openings file=FILE order=sequential|random
  -decide results|points    whether a pair's results decide it, or the sum of its points
  -sprt elo0=N elo1=N alpha=N beta=N model=normalized|logistic

when games end early:
  -resign movecount=N score=N twosided=true|false
  -draw movenumber=N movecount=N score=N
  -count movenumber=N movecount=N score=N       Krepost's count, when both engines agree
  -maxmoves N               moves of each side; a longer game is a draw

running:
  -concurrency N            games at once
  -recover                  go on when an engine crashed or stalled
  -out FOLDER               keep games there, so that the match can be resumed
  -resume FOLDER            go on with the match that a folder holds
  -plot FILE                a picture at the end, .png or .svg
  -report_every N           standings after so many games, where lines are written
                            (also -ratinginterval)
  --json                    JSON lines instead of a table
  --help                    this text
"""
