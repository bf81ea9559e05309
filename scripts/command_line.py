"""The commands of `kibitz`: `serve`, `bench`, `openings` and the others, `--help`, `--version`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, get_args

from kibitz.engine.errors import InputError
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.sources import is_compiled
from kibitz.engine.version import VERSION
from kibitz.protocol.arguments import MOST_BENCH, MOST_PERFT
from kibitz.protocol.jobs import BenchJob, Job, PerftJob
from kibitz.protocol.replies import MoveCount, Reply
from kibitz.protocol.server.settings import LogLevel
from kibitz.protocol.ugi_lines import lines_of
from kibitz.scripts import check_command, connect_command, match_command, serve_command
from kibitz.scripts.command_arguments import (
    add_game_options,
    number_from,
    read_options,
    run_interruptible,
)
from kibitz.scripts.openings_command import add_openings_command
from kibitz.scripts.parsing import WRONG, OneLineParser, WrongUse, complain
from kibitz.search import bench

FAILED = 1

_EPILOG = """\
Without arguments kibitz is an engine that speaks UGI (and UCI) on standard input and
output: type "ugi", "help" or "quit". docs/protocol.md has all of it."""


def run_command(arguments: Sequence[str]) -> int:
    """Carry out a command; gives the exit status."""
    if sys.stdout is None:
        return FAILED
    try:
        status = _carry_out(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return FAILED
    except (WrongUse, InputError) as error:
        complain(error)
        return WRONG
    except OSError as error:
        complain(f"cannot write the answer: {error.strerror}")
        _drop_output()
        return FAILED
    return status


def _carry_out(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["match"]:
        return match_command.run(arguments[1:])
    given = _parser().parse_args(arguments)
    handler: Callable[[argparse.Namespace], int] = given.handler
    return handler(given)


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that it does not fail again at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="kibitz",
        description="An engine for abstract board games: " + ", ".join(GAME_NAMES) + ".",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    built = "compiled" if is_compiled() else "not compiled, slow"
    parser.add_argument("--version", action="version", version=f"kibitz {VERSION} ({built})")
    parser.add_argument(
        "--log-level",
        metavar="LEVEL",
        choices=get_args(LogLevel),
        help="as an engine, write a log to standard error: debug, info, warning or error",
    )
    parser.set_defaults(handler=_no_command)
    adder = parser.add_subparsers(metavar="COMMAND", title="commands")

    command = adder.add_parser("bench", help="search fixed positions: speed, and a signature")
    command.add_argument(
        "depth",
        nargs="?",
        metavar="DEPTH",
        type=number_from(1, MOST_BENCH),
        default=bench.DEPTH,
        help=f"depth of the searches; {bench.DEPTH} when left out",
    )
    command.set_defaults(handler=_bench)

    command = adder.add_parser("perft", help="count move sequences")
    command.add_argument("game", metavar="GAME", help=", ".join(GAME_NAMES))
    command.add_argument("depth", metavar="DEPTH", type=number_from(0, MOST_PERFT), help="turns")
    command.add_argument("--position", metavar="TEXT", help="position text, instead of the start")
    add_game_options(command)
    command.add_argument("--divide", action="store_true", help="count each first move by itself")
    command.set_defaults(handler=_perft)

    command = adder.add_parser("games", help="list the games and their options")
    command.set_defaults(handler=_games)

    serve_command.add_to(adder)
    connect_command.add_to(adder)
    check_command.add_to(adder)

    command = adder.add_parser("schema", help="print the JSON Schema of the JSON-lines dialect")
    command.set_defaults(handler=_schema)

    add_openings_command(adder)
    match_command.add_to(adder)
    return parser


def _no_command(given: argparse.Namespace) -> int:
    if given.log_level is not None:
        from kibitz.protocol.logs import logger_of_program
        from kibitz.protocol.stdio import run

        return run(logger_of_program(given.log_level))
    raise WrongUse("COMMAND is missing; kibitz --help lists the commands")


def _bench(given: argparse.Namespace) -> int:
    entries = bench.sample_positions(find_game(name) for name in GAME_NAMES)
    _run_job(BenchJob(bench.Bench(entries, given.depth)), lambda reply: True)
    return 0


def _perft(given: argparse.Namespace) -> int:
    game = find_game(given.game)
    options = read_options(given.option, [option.name for option in game.options])
    play = Play(game, options, given.position)
    wanted = bool(given.divide)
    _run_job(PerftJob(play, given.depth), lambda reply: wanted or not isinstance(reply, MoveCount))
    return 0


def _games(given: argparse.Namespace) -> int:
    for name in GAME_NAMES:
        game = find_game(name)
        options = ", ".join(f"{option.name}={option.default}" for option in game.options)
        _write([f"{name}: {game.title}. {game.__doc__ or ''}".rstrip(), f"    options: {options}"])
        _write([f"    start: {game.start_text(game.settings({}))}"])
    return 0


def _schema(given: argparse.Namespace) -> int:
    from kibitz.protocol.json.schema import schema_text

    _write([schema_text()])
    return 0


def _run_job(job: Job, wanted: Callable[[Reply], bool]) -> None:
    """Run a job and write what it has to say, as far as that is wanted."""

    def report(item: Any) -> None:
        _write_replies([reply for reply in job.progress(item) if wanted(reply)])

    _write_replies(job.answer(run_interruptible(lambda: job.run(report), job.stop)))


def _write_replies(replies: Sequence[Reply]) -> None:
    for reply in replies:
        _write(lines_of(reply, uci_habits=False))


def _write(lines: Sequence[str]) -> None:
    sys.stdout.writelines(line + "\n" for line in lines)
    sys.stdout.flush()
