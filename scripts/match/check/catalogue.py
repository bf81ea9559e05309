"""The numbered list of checks. Numbers are for people and scripts: a new check goes to the end.

`docs/check.md` has the same list.
"""

from collections.abc import Awaitable, Callable

import msgspec

from kibitz.scripts.match.check import end_checks, game_checks, search_checks, start_checks
from kibitz.scripts.match.check.subject import Subject


class Check(msgspec.Struct, frozen=True):
    """One check; `run` returns, or raises `CheckFailed` or `CheckSkipped`."""

    number: int
    title: str
    run: Callable[[Subject], Awaitable[None]]


_LISTED: tuple[tuple[str, Callable[[Subject], Awaitable[None]]], ...] = (
    ("starts and greets", start_checks.greets),
    ("lists well-formed options", start_checks.lists_options),
    ("is ready, once", start_checks.is_ready),
    ("takes the values of its options", start_checks.takes_options),
    ("ignores what it does not know", start_checks.ignores_the_unknown),
    ("tolerates blanks, tabs and line ends", start_checks.tolerates_white_space),
    ("answers isready during a search", search_checks.answers_while_searching),
    ("go movetime: one move, in time", search_checks.moves_in_time),
    ("info lines can be read", search_checks.tells_well),
    ("the pv is legal", search_checks.foresees_legal_moves),
    ("go depth", search_checks.keeps_to_depth),
    ("go nodes", search_checks.keeps_to_nodes),
    ("go with clocks", search_checks.keeps_to_clocks),
    ("go infinite, until stop", search_checks.goes_on_until_stop),
    ("stop without a search", search_checks.stops_nothing),
    ("go searchmoves", search_checks.keeps_to_moves),
    ("go ponder, until ponderhit or stop", search_checks.ponders),
    ("position fen", game_checks.takes_texts),
    ("queries about the start", game_checks.answers_queries),
    ("a game against itself", game_checks.plays_a_game),
    ("a game that is over", game_checks.knows_the_end),
    ("a new game", game_checks.begins_anew),
    ("two games in a row", game_checks.plays_two_games),
    ("long lists of moves", game_checks.takes_long_games),
    ("quit", end_checks.quits),
    ("quit during a search", end_checks.quits_while_searching),
    ("end of input", end_checks.ends_with_its_input),
    ("end of input during a search", end_checks.ends_with_its_input_while_searching),
)

CHECKS = tuple(Check(number, title, run) for number, (title, run) in enumerate(_LISTED, 1))
