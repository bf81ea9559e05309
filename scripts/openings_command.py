"""The command `kibitz openings GAME`: makes a book of balanced openings, on standard output."""

import argparse
import sys
from typing import Any

from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.scripts.command_arguments import (
    add_game_options,
    number_from,
    read_options,
    run_interruptible,
)
from kibitz.scripts.match.planning.book_maker import BookMaker, BookPlan, Found
from kibitz.scripts.match.planning.openings import write_opening
from kibitz.scripts.match.records.game_syntax import write_score
from kibitz.scripts.parsing import complain
from kibitz.search.driver import MOST_DEPTH
from kibitz.search.info import Score
from kibitz.search.limits import Limit

TOO_FEW = 1
PLIES = 6
COUNT = 100
BALANCE = 50
NODES = 20_000
SEED = 1
MOST_PLIES = 1000
MOST_COUNT = 10**6
MOST_CP = 30_000
MOST_NODES = 10**12
MOST_SEED = 2**63 - 1


def add_openings_command(adder: Any) -> None:
    """Add the command to the subparsers of an `argparse` parser."""
    command = adder.add_parser("openings", help="make a book of balanced openings")
    command.add_argument("game", metavar="GAME", help=", ".join(GAME_NAMES))
    command.add_argument(
        "--plies",
        type=number_from(0, MOST_PLIES),
        default=PLIES,
        metavar="N",
        help=f"random moves in an opening; {PLIES} when left out",
    )
    command.add_argument(
        "--count",
        type=number_from(1, MOST_COUNT),
        default=COUNT,
        metavar="K",
        help=f"openings to make; {COUNT} when left out",
    )
    command.add_argument(
        "--balance",
        type=number_from(0, MOST_CP),
        default=BALANCE,
        metavar="CP",
        help=f"the highest score of either side, in hundredths; {BALANCE} when left out",
    )
    limits = command.add_mutually_exclusive_group()
    limits.add_argument(
        "--depth",
        type=number_from(1, MOST_DEPTH),
        metavar="D",
        help="search each opening to this depth",
    )
    limits.add_argument(
        "--nodes",
        type=number_from(1, MOST_NODES),
        metavar="N",
        help=f"search each opening with this many nodes; {NODES} when neither is given",
    )
    command.add_argument(
        "--seed",
        type=number_from(0, MOST_SEED),
        default=SEED,
        metavar="S",
        help=f"another seed makes another book; {SEED} when left out",
    )
    add_game_options(command)
    command.set_defaults(handler=_openings)


def _openings(given: argparse.Namespace) -> int:
    game = find_game(given.game)
    options = read_options(given.option, [option.name for option in game.options])
    nodes = NODES if given.depth is None and given.nodes is None else given.nodes
    plan = BookPlan(
        plies=given.plies,
        count=given.count,
        balance=given.balance,
        limit=Limit(depth=given.depth, nodes=nodes),
        seed=given.seed,
    )
    maker = BookMaker(game, options, plan)
    limit = f"--nodes {nodes}" if given.depth is None else f"--depth {given.depth}"
    words = [f"--option {name}={value}" for name, value in options.items()]
    _write(
        f"# kibitz openings {game.name} --plies {plan.plies} --count {plan.count} "
        f"--balance {plan.balance} {limit} --seed {plan.seed} {' '.join(words)}".rstrip()
    )
    count = run_interruptible(lambda: maker.run(_write_found), maker.stop)
    if count < plan.count:
        complain(f"there are only {count} such openings, as far as was looked")
        return TOO_FEW
    return 0


def _write_found(found: Found) -> None:
    _write(f"{write_opening(found.opening)} # {write_score(Score(cp=found.cp))}")


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
