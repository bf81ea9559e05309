"""What several commands for people share: numbers and options as arguments, and Ctrl-C."""

import argparse
import signal
from collections.abc import Callable, Sequence
from threading import Thread
from types import FrameType
from typing import TypeVar

from kibitz.engine.options import whole_number
from kibitz.scripts.parsing import WrongUse

T = TypeVar("T")


def number_from(least: int, most: int) -> Callable[[str], int]:
    """Give a reader of whole numbers in a range, for `argparse`."""

    def read(text: str) -> int:
        number = whole_number(text)
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return number

    return read


def add_game_options(command: argparse.ArgumentParser) -> None:
    """Let a command take options of a game."""
    command.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the game; can be given several times",
    )


def read_options(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read `NAME=VALUE`, the name in any letter case; raises `WrongUse`."""
    options = {}
    by_name = {name.lower(): name for name in names}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name.strip().lower() not in by_name:
            raise WrongUse(f"--option {text!r} is not NAME=VALUE, NAME of {', '.join(names)}")
        options[by_name[name.strip().lower()]] = value
    return options


def run_interruptible(work: Callable[[], T], stop: Callable[[], None]) -> T:
    """Do some work that Ctrl-C stops; `stop` must make it end soon.

    The work runs in a thread of its own, because a signal cannot end compiled code, and the
    main thread waits. Raises what the work raises, and `KeyboardInterrupt` after Ctrl-C.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - raised again in the main thread
            failures.append(error)

    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        stop()

    thread = Thread(target=run)
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt
    if failures:
        raise failures[0]
    return results[0]
