"""What the settings of a match are together, and with the files and programs of this machine.

Everything is looked at before the match begins, and all that is wrong is told at once. What
depends on a value that is wrong already is passed over.
"""

import os
from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec

from kibitz.engine.errors import InputError, OptionError
from kibitz.engine.options import shorten
from kibitz.scripts.match.planning.openings import Order, read_book
from kibitz.scripts.match.planning.schedule import Kind, ScheduleSettings, make_schedule
from kibitz.scripts.match.records.journal import JOURNAL, JournalError, read_journal
from kibitz.scripts.match.settings.engine_checks import (
    check_engines,
    processors_of_machine,
    unreadable,
)
from kibitz.scripts.match.settings.faults import Faults
from kibitz.scripts.match.settings.match_settings import (
    MatchSettings,
    PairsBy,
    game_of,
    option_text,
    options_of,
)
from kibitz.scripts.match.settings.settings_file import Reading
from kibitz.scripts.match.settings.settings_reading import hint
from kibitz.scripts.match.statistics.plot import PlotError, check_plot
from kibitz.scripts.match.statistics.sprt import Sprt


def check_settings(
    reading: Reading,
    faults: Faults,
    *,
    is_new: bool = True,
    processors: AbstractSet[int] | None = None,
) -> None:
    """Add all that is wrong to `faults`.

    `is_new` is whether the match begins, in a folder that holds no games. `processors` are those
    that may be used, of this machine when left out.
    """
    settings = reading.settings
    _check_players(settings, faults)
    check_engines(reading, faults, processors_of_machine() if processors is None else processors)
    _check_game(settings, faults)
    _check_schedule(settings, faults)
    _check_sprt(settings, faults)
    _check_openings(settings, faults)
    _check_count(settings, faults)
    _check_ponder(reading, faults)
    _check_run(settings, faults, is_new)


def _check_players(settings: MatchSettings, faults: Faults) -> None:
    engines = settings.engines
    if len(engines) < 2 and faults.is_clean("engines"):
        faults.add("engines", f"a match needs two engines at least, and there are {len(engines)}")
    first: dict[str, int] = {}
    for number, engine in enumerate(engines, 1):
        path = f"engines[{number}].name"
        before = first.setdefault(engine.name, number)
        if before != number and faults.is_clean(path):
            faults.add(path, f"{shorten(engine.name)} is the name of engine {before} already")


def _check_game(settings: MatchSettings, faults: Faults) -> None:
    """Check the options of the game, each by itself."""
    if not faults.is_clean("game"):
        return
    game = game_of(settings)
    names = {} if game is None else {option.name.lower(): option for option in game.options}
    for name, value in settings.options.items():
        path = f"options.{name}"
        option = names.get(name.lower())
        if not faults.is_clean(path):
            continue
        if game is None:
            faults.add(path, "kibitz does not know the game; give the engines their options")
        elif option is None:
            known = [known.name for known in game.options]
            faults.add(path, f"{game.name} has no such option{hint(name, known)}")
        else:
            try:
                option.canonical(option_text(value))
            except OptionError as error:
                faults.add(path, str(error).removeprefix(f"{option.name}: "))
    if game is not None and faults.is_clean("options"):
        try:
            game.start_text(game.settings(options_of(settings)))
        except InputError as error:
            faults.add("options", str(error))


def _check_schedule(settings: MatchSettings, faults: Faults) -> None:
    """Have a schedule made with each setting that can be wrong, and usual ones beside it."""
    if settings.games > 1 and settings.games % 2 and faults.is_clean("games"):
        faults.add("games", f"{settings.games} is neither 1 nor an even number")
    by_points = settings.decide is PairsBy.POINTS
    if by_points and settings.games % 2 and faults.is_clean("games"):
        faults.add("decide", "points decide pairs, so it needs an even number of games")
    if settings.kind is not Kind.GAUNTLET:
        if settings.seeds != 1 and faults.is_clean("seeds", "kind"):
            faults.add("seeds", f"only a gauntlet has seeds, and this is a {settings.kind}")
    elif faults.is_clean("seeds", "engines", "each"):
        try:
            make_schedule(
                ScheduleSettings(
                    players=tuple(engine.name for engine in settings.engines),
                    kind=settings.kind,
                    rounds=1,
                    games=2,
                    seeds=settings.seeds,
                )
            )
        except InputError as error:
            faults.add("seeds", str(error).removeprefix("seeds: "))


def _check_sprt(settings: MatchSettings, faults: Faults) -> None:
    if settings.sprt is None:
        return
    if len(settings.engines) != 2 and faults.is_clean("engines"):
        count = len(settings.engines)
        faults.add("sprt", f"it tests two engines against each other, and there are {count}")
    if settings.games % 2 and faults.is_clean("games"):
        faults.add("sprt", "it needs pairs of games, so an even number of games")
    try:
        Sprt(**msgspec.structs.asdict(settings.sprt))
    except ValueError as error:
        faults.add("sprt", str(error))


def _check_openings(settings: MatchSettings, faults: Faults) -> None:
    openings = settings.openings
    if not faults.is_clean("openings"):
        return
    if openings.file is None:
        if openings.order is not Order.SEQUENTIAL:
            faults.add("openings.order", "there is no file of openings that it could order")
        return
    path = Path(openings.file)
    if path.exists() and not path.is_file() and not path.is_dir():
        # A pipe, say: the book is read several times, and again when the match is resumed.
        what = f"{shorten(openings.file)} is not a file that can be read again"
        faults.add("openings.file", what)
        return
    fault = unreadable(openings.file)
    if fault is None and faults.is_clean("game", "options"):
        try:
            text = path.read_text(encoding="utf-8")
            read_book(text, game_of(settings), options_of(settings))
        except InputError as error:
            fault = f"{shorten(openings.file)}: {error}"
    if fault is not None:
        faults.add("openings.file", fault)


def _check_count(settings: MatchSettings, faults: Faults) -> None:
    path = "adjudication.count"
    is_set = settings.adjudication.count is not None
    if is_set and settings.game != "krepost" and faults.is_clean("game", path):
        faults.add(path, f"only krepost has a count, and this is {settings.game}")


def _check_ponder(reading: Reading, faults: Faults) -> None:
    """Refuse what the questions of the referee would interrupt at every move."""
    settings = reading.settings
    if not faults.is_clean("game") or game_of(settings) is not None:
        return
    for number, engine in enumerate(settings.engines):
        place = reading.place(number, "ponder")
        if engine.ponder and faults.is_clean(place):
            faults.add(place, f"the engines referee {shorten(settings.game)}, so none can ponder")


def _check_run(settings: MatchSettings, faults: Faults, is_new: bool) -> None:
    run = settings.run
    if run.out is not None and faults.is_clean("run.out"):
        fault = unusable(Path(run.out), is_new=is_new)
        if fault is not None:
            faults.add("run.out", fault)
    if run.plot is not None and faults.is_clean("run.plot"):
        if len(settings.engines) != 2 and faults.is_clean("engines"):
            count = len(settings.engines)
            faults.add("run.plot", f"a plot is of a match of two engines, and there are {count}")
            return
        plot = Path(run.plot)
        try:
            check_plot(plot)
        except PlotError as error:
            faults.add("run.plot", str(error))
        else:
            if os.path.isdir(plot) or not os.path.isdir(plot.absolute().parent):
                faults.add("run.plot", f"{shorten(run.plot)} is not a file in a folder that exists")
            elif not os.access(plot if os.path.exists(plot) else plot.absolute().parent, os.W_OK):
                faults.add("run.plot", f"{shorten(run.plot)} cannot be written")


def unusable(folder: Path, *, is_new: bool) -> str | None:
    """Say why results cannot be kept in a folder, which may have to be made, or None."""
    name = shorten(str(folder))
    if is_new and _has_games(folder):
        return f"{name} holds a match already: -resume goes on with it, or take another folder"
    there = folder.absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not os.path.isdir(there):
        return f"{name} cannot be a folder: {shorten(str(there))} is a file"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"{name} cannot be written: nothing can be made in {shorten(str(there))}"
    return None


def _has_games(folder: Path) -> bool:
    """Whether a folder holds a match with games, or one that cannot be read."""
    if not os.path.exists(folder / JOURNAL):
        return False
    try:
        return bool(read_journal(folder)[1])
    except (JournalError, OSError):
        return True
