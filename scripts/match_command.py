"""The command `kibitz match`: from its arguments to a match that is played, and its exit status.

Settings come from a file, from arguments, or from the folder of a match that is resumed, and
arguments change the others. All that is wrong with them is told before anything begins. The
words are those of other match runners, so `argparse` has no part in it.
"""

import hashlib
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.scripts.parsing import WRONG, OneLineParser, WrongUse, complain

if TYPE_CHECKING:
    import argparse

    from kibitz.scripts.match.events import Event
    from kibitz.scripts.match.records.journal import Header, Journal
    from kibitz.scripts.match.records.records import GameRecord
    from kibitz.scripts.match.settings.faults import Faults
    from kibitz.scripts.match.settings.match_arguments import Arguments
    from kibitz.scripts.match.settings.match_settings import MatchSettings
    from kibitz.scripts.match.views.view import View

COMPLETE = 0
STOPPED = 1
INTERRUPTED = 130

RUN = "run"
BOOK = "book"
"""Besides the settings, the head of a journal has the digest of the book, if there is one."""


class Plan:
    """A match that is to be run: its settings, and the folder if it is resumed."""

    def __init__(self, settings: "MatchSettings", resume: Path | None, *, is_json: bool) -> None:
        self.settings = settings
        self.resume = resume
        self.is_json = is_json


def add_to(adder: "argparse._SubParsersAction[OneLineParser]") -> None:
    """Add the command to the list of those of `kibitz`; `run` carries it out."""
    adder.add_parser("match", help="play matches and tournaments between engines")


def run(arguments: Sequence[str]) -> int:
    """Carry out `kibitz match` with the arguments after that; gives the exit status.

    Raises `WrongUse` and `InputError` for what makes no sense.
    """
    from kibitz.scripts.match.settings.argument_table import HELP

    plan = read_plan(arguments)
    if plan is None:
        sys.stdout.write(HELP)
        return COMPLETE
    with ExitStack() as files:
        journal = _open_journal(plan, files)
        return _play(plan, journal)


def read_plan(words: Sequence[str]) -> Plan | None:
    """Read arguments, and the file or folder that they name; None when they ask for help.

    Raises `SettingsError`, which names all that is wrong, `WrongUse`, and `JournalError` for a
    folder that holds no match, or another one than is asked for.
    """
    # Late, because it takes longer than the other commands need altogether.
    from kibitz.scripts.match.settings.faults import Faults, SettingsError
    from kibitz.scripts.match.settings.match_arguments import Origins, merged, read_arguments
    from kibitz.scripts.match.settings.settings_checks import check_settings
    from kibitz.scripts.match.settings.settings_file import settings_of

    if not words:
        raise WrongUse("match: engines or a settings file are missing; kibitz match --help")
    faults = Faults()
    arguments = read_arguments(words, faults)
    if arguments.wants_help:
        return None
    if not faults.is_clean("-resume"):
        # Without its folder nothing can be said of what may be missing.
        raise SettingsError(faults.text("", Origins(arguments, None).argument_of))
    resume = None if arguments.resume is None else Path(arguments.resume)
    header = None if resume is None else _header_of(resume)
    base, source = _base(arguments, header, faults)
    table = merged(base or {}, arguments, faults)
    if resume is not None:
        _direct(table, arguments, resume, faults)
    reading = settings_of(table, faults)
    check_settings(reading, faults, is_new=resume is None)
    if faults:
        raise SettingsError(faults.text(source, Origins(arguments, base).argument_of))
    if header is not None and resume is not None:
        _compare(resume, header, reading.settings)
    return Plan(reading.settings, resume, is_json=arguments.is_json)


def _base(
    arguments: "Arguments", header: "Header | None", faults: "Faults"
) -> tuple[dict[str, Any] | None, str]:
    """Give the table that arguments change, if there is one, and where it is from."""
    from kibitz.scripts.match.records.journal import JOURNAL
    from kibitz.scripts.match.settings.settings_file import parse_toml, table_of

    told = {}
    if header is not None:
        told = {key: value for key, value in header.settings.items() if key != BOOK}
    if arguments.file is not None:
        given = parse_toml(_read(arguments.file), faults)
        if header is not None and isinstance(given.get(RUN, {}), Mapping):
            given[RUN] = {**told.get(RUN, {}), **given.get(RUN, {})}
        return given, arguments.file
    if header is not None:
        return table_of(told), str(Path(arguments.resume or "", JOURNAL))
    return None, ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise WrongUse(f"{path}: cannot be read: {reason}") from None


def _header_of(folder: Path) -> "Header":
    from kibitz.scripts.match.records.journal import read_header

    try:
        return read_header(folder)
    except OSError as error:
        raise WrongUse(f"{folder}: cannot be read: {error.strerror}") from None


def _direct(table: dict[str, Any], arguments: "Arguments", folder: Path, faults: "Faults") -> None:
    """Have the results of a match that is resumed go to where the others are."""
    run = table.setdefault(RUN, {})
    if not isinstance(run, dict):
        return
    if "run.out" in arguments.names and run.get("out") != str(folder):
        faults.add("run.out", f"results go to the folder that is resumed, {folder}")
    run["out"] = str(folder)


def _compare(folder: Path, header: "Header", settings: "MatchSettings") -> None:
    """Refuse settings that are not those of the match; how it is run may differ."""
    from kibitz.scripts.match.records.journal import JournalError
    from kibitz.scripts.match.records.settings_digest import differences

    found = [*differences(_lasting(header.settings), _lasting(head_of(settings)))]
    if found:
        raise JournalError(f"the match in {folder} is another: {'; '.join(found)}")


def _lasting(head: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in head.items() if key != RUN}


def head_of(settings: "MatchSettings") -> dict[str, Any]:
    """Give what a journal begins with: the settings, and which book of openings it was."""
    from kibitz.scripts.match.records.settings_digest import plain

    head = plain(settings)
    if settings.openings.file is not None:
        book = Path(settings.openings.file).read_bytes()
        head[BOOK] = f"sha256:{hashlib.sha256(book).hexdigest()}"
    return head


def _open_journal(plan: Plan, files: ExitStack) -> "Journal | None":
    from kibitz.scripts.match.planning.membership import check_games
    from kibitz.scripts.match.records.journal import JOURNAL, Journal

    out = plan.settings.run.out
    if out is None:
        return None
    folder = Path(out)
    try:
        if plan.resume is not None:
            journal = files.enter_context(Journal.resume(plan.resume))
            check_games(folder / JOURNAL, plan.settings, journal.records)
            return journal
        if (folder / JOURNAL).exists():
            _forget_match_without_games(folder)
        head = head_of(plan.settings)
        return files.enter_context(Journal.create(folder, head, plan.settings.seed))
    except OSError as error:
        raise WrongUse(f"{out}: results cannot be kept there: {error.strerror}") from None


def _forget_match_without_games(folder: Path) -> None:
    """Let a match begin where another began and, say for a wrong engine, got no further."""
    from kibitz.scripts.match.records.journal import JOURNAL, Journal

    with Journal.resume(folder) as journal:
        if not journal.records:
            (folder / JOURNAL).unlink()


def _play(plan: Plan, journal: "Journal | None") -> int:
    """Run the match and show it; gives the exit status.

    Raises `BrokenPipeError` when nobody reads what is shown, once it has told so.
    """
    try:
        return _run_and_show(plan, journal)
    except BrokenPipeError:
        complain(f"nobody reads the output any more; {_what_counts(journal)}")
        raise


def _run_and_show(plan: Plan, journal: "Journal | None") -> int:
    import anyio

    from kibitz.scripts.match.play.game_faults import MatchError
    from kibitz.scripts.match.play.runner import run_match
    from kibitz.scripts.match.views.choice import make_view

    # Engines are ended, and the terminal is as it was, also when it is told so by a signal.
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    view = make_view(plan.settings, json=plan.is_json, stream=sys.stdout)
    audience = _Audience(view)
    try:
        ended = anyio.run(run_match, plan.settings, journal, audience)
    except KeyboardInterrupt:
        view.close()
        complain(f"stopped; {_what_counts(journal)}")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - a bug is raised again
        view.close()
        cause = _first_cause(error)
        what = _what_stopped_it(cause, journal)
        if what is None:
            raise cause from None
        complain(what)
        # What stops a match before its first game is told like wrong settings.
        return WRONG if isinstance(cause, MatchError) else STOPPED
    finally:
        view.close()
        _write_plot(plan.settings, audience.records)
    if ended.is_complete:
        return COMPLETE
    complain(f"the match stopped early: {ended.reason}{_how_to_resume(journal)}")
    return STOPPED


class _Audience:
    """Passes events on to the view, and keeps the games for the plot."""

    def __init__(self, view: "View") -> None:
        self._view = view
        self.records: list[GameRecord] = []

    def __call__(self, event: "Event") -> None:
        from kibitz.scripts.match.events import GameEnded, MatchBegan

        if isinstance(event, MatchBegan):
            self.records += event.records
        elif isinstance(event, GameEnded):
            self.records.append(event.record)
        self._view(event)


def _write_plot(settings: "MatchSettings", records: "list[GameRecord]") -> None:
    """Draw what was played, if that is asked for; a plot that fails is only said."""
    from kibitz.scripts.match.statistics.plot import PlotError, plot_match

    if settings.run.plot is None or not records:
        return
    try:
        plot_match(Path(settings.run.plot), records, settings)
    except (PlotError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        complain(f"no plot: {settings.run.plot}: {reason}")


def _what_stopped_it(cause: Exception, journal: "Journal | None") -> str | None:
    """Say why a match ended that could not begin, or could not go on; None for a bug."""
    from kibitz.scripts.match.play.game_faults import MatchError

    if isinstance(cause, MatchError):
        # Without games it is better begun again than resumed: it may be for its settings.
        has_games = journal is not None and journal.records
        return f"{cause}{_how_to_resume(journal) if has_games else ''}"
    if isinstance(cause, BrokenPipeError):
        return None  # nobody reads what the view writes, which is told elsewhere
    if isinstance(cause, OSError) and journal is not None:
        return f"the results cannot be written: {cause.strerror}{_how_to_resume(journal)}"
    return None


def _first_cause(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _what_counts(journal: "Journal | None") -> str:
    if journal is None:
        return "nothing was kept, which -out FOLDER would have done"
    return f"{len(journal.records)} games count{_how_to_resume(journal)}"


def _how_to_resume(journal: "Journal | None") -> str:
    if journal is None:
        return ""
    return f"; to go on: kibitz match -resume {shlex.quote(str(journal.folder))}"
