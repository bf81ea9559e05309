"""The command `kibitz check ENGINE`: whether an engine keeps to UGI or UCI."""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from kibitz.scripts.command_arguments import number_from
from kibitz.scripts.connect_command import TOKEN_VARIABLE, read_token
from kibitz.scripts.parsing import WRONG, WrongUse, complain

FAILED = 1
TIMEOUT = 10.0
MARGIN = 1000
MOST_SECONDS = 3600.0
MOST_MARGIN = 1_000_000


def add_to(adder: Any) -> None:
    """Add the command to the subparsers of an `argparse` parser."""
    command = adder.add_parser("check", help="check whether an engine keeps to UGI or UCI")
    command.description = (
        "Makes numbered checks of any engine that speaks UGI or UCI: a program with its "
        "arguments, or tcp://HOST:PORT or tls://HOST:PORT. Options come before it. The exit "
        "status is 0 when no check failed, else 1. docs/check.md tells what is checked."
    )
    command.add_argument("--game", metavar="NAME", help="choose a game first")
    command.add_argument(
        "--proto", choices=("auto", "ugi", "uci"), default="auto", help="auto tries UGI first"
    )
    command.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT,
        metavar="S",
        help=f"the seconds that an answer may take; {TIMEOUT:g} when left out",
    )
    command.add_argument(
        "--margin",
        type=number_from(0, MOST_MARGIN),
        default=MARGIN,
        metavar="MS",
        help=f"how much later than its time a move may come; {MARGIN} ms when left out",
    )
    command.add_argument("--only", metavar="N,N-N", help="make these checks alone")
    command.add_argument("--list", action="store_true", help="list the checks, and make none")
    command.add_argument("--json", action="store_true", help="write JSON lines")
    command.add_argument("--ca", metavar="FILE", help="certificates to trust")
    command.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"a file whose first line is the server's token, instead of {TOKEN_VARIABLE}",
    )
    command.add_argument("engine", nargs=argparse.REMAINDER, metavar="ENGINE", help="what to check")
    command.set_defaults(handler=check)


def check(given: argparse.Namespace) -> int:
    """Make the checks and write what came of them; raises `WrongUse`."""
    import anyio
    import msgspec

    from kibitz.protocol.client.errors import CannotOpen
    from kibitz.scripts.match.check.catalogue import CHECKS
    from kibitz.scripts.match.check.examination import examine
    from kibitz.scripts.match.check.outcomes import CheckResult, Summary
    from kibitz.scripts.match.check.subject import NoSuchGame, Target
    from kibitz.scripts.match.check.talk import Patience
    from kibitz.scripts.match.settings.match_settings import Dialect

    numbers = None if given.only is None else read_numbers(given.only, len(CHECKS))
    chosen = [check for check in CHECKS if numbers is None or check.number in numbers]
    if given.list:
        for listed in chosen:
            _write(f"{listed.number}. {listed.title}")
        return 0
    command, url = _engine(given.engine)
    target = Target(
        command=command,
        url=url,
        token=None if url is None else read_token(given.token_file),
        ca=given.ca,
        proto=Dialect(given.proto),
        game=given.game,
    )
    patience = Patience(start=given.timeout, answer=given.timeout, margin=given.margin / 1000)

    def report(item: CheckResult | Summary) -> None:
        if given.json:
            _write(msgspec.json.encode(item).decode())
        elif isinstance(item, CheckResult):
            why = f": {item.why}" if item.why else ""
            _write(f"{item.number}. {item.title}: {item.status}{why}")
        else:
            _write(
                f"{item.engine or 'the engine'} ({item.proto}): {item.ok} ok, "
                f"{item.failed} failed, {item.skipped} skipped"
            )

    try:
        summary = anyio.run(partial(examine, target, chosen, patience, report))
    except (CannotOpen, NoSuchGame) as error:
        complain(error)
        return WRONG
    report(summary)
    return FAILED if summary.failed else 0


def read_numbers(text: str, most: int) -> set[int]:
    """Read numbers and ranges such as `3,7-9`; raises `WrongUse`."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = [first, last if dash else first]
        if not all(end.isascii() and end.isdigit() and len(end) < 4 for end in ends):
            raise WrongUse(f"--only: {part.strip()[:40]!r} is not a number or a range")
        low, high = map(int, ends)
        if not 1 <= low <= high <= most:
            raise WrongUse(f"--only: {part.strip()} is not from 1 to {most}")
        numbers |= set(range(low, high + 1))
    return numbers


def _engine(words: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """Tell a program from a server; raises `WrongUse`."""
    from kibitz.protocol.client.sockets import read_url

    words = list(words[1:] if words[:1] == ["--"] else words)
    if not words:
        raise WrongUse("ENGINE is missing: a program with its arguments, or a server's address")
    if words[0].startswith(("tcp://", "tls://")):
        if len(words) > 1:
            raise WrongUse("a server's address stands alone; options come before it")
        try:
            read_url(words[0])
        except ValueError as error:
            raise WrongUse(str(error)) from None
        return (), words[0]
    if len(words) == 1 and not os.path.exists(words[0]):
        # A whole command line in one word, as the settings of a match have it.
        try:
            words = shlex.split(words[0])
        except ValueError as error:
            raise WrongUse(f"ENGINE: {error}") from None
        if not words:
            raise WrongUse("ENGINE is empty")
    return tuple(words), None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
