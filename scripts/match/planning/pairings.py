"""Games to be played, in pairs: the data that every kind of schedule is made of.

Two players meet in an *encounter* of so many games. Its games come in *pairs* that begin
from the same opening with sides swapped, or it is a single game. Pairs and games count
from 1 through the whole match, and a number always means the same game: what is left of a
match after some games is the same as if it had never been interrupted.
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from kibitz.engine.errors import InputError
from kibitz.scripts.match.records.records import Result


class ScheduleError(InputError):
    """Settings that no schedule can be made of; the text names the setting."""


class ScheduledGame(msgspec.Struct, frozen=True):
    """A game to be played. `leg` says which game of the pair it is, 1 or 2."""

    number: int
    pair: int
    leg: int
    round: int
    white: str
    black: str


class ScheduledPair(msgspec.Struct, frozen=True):
    """Two games with sides swapped, or one; `first` is White in the first of them.

    All games of a pair begin from the opening that a book gives for `number`. `games` holds
    those that are still to be played.
    """

    number: int
    round: int
    first: str
    second: str
    games: tuple[ScheduledGame, ...]


class Encounter(NamedTuple):
    """Two players who meet in a round; the first is White first."""

    round: int
    first: str
    second: str


class Schedule(ABC):
    """All games of a match, known at once or as results come."""

    @property
    @abstractmethod
    def game_count(self) -> int:
        """The number of games in the whole match."""

    @abstractmethod
    def to_play(self, results: Mapping[int, Result]) -> list[ScheduledPair]:
        """Give what can be played next, in order, when the games with these numbers are done.

        That is all that is left of the match, or of its present round when the pairs of the
        next one depend on results: ask again when these are played. Nothing means the end.
        It depends on the results alone, not on what was asked before.
        """


def legs_of(games: int) -> int:
    """Give the games of a pair when an encounter has so many."""
    return min(games, 2)


def pairs_of(
    encounters: Iterable[Encounter], games: int, first_pair: int = 1
) -> Iterator[ScheduledPair]:
    """Make the pairs of encounters of so many games each, 1 or an even number."""
    legs = legs_of(games)
    number = first_pair
    for encounter in encounters:
        for _ in range(games // legs):
            yield _pair(encounter, number, legs)
            number += 1


def _pair(encounter: Encounter, number: int, legs: int) -> ScheduledPair:
    sides = (encounter.first, encounter.second)
    games = tuple(
        ScheduledGame(
            number=(number - 1) * legs + leg,
            pair=number,
            leg=leg,
            round=encounter.round,
            white=sides[leg - 1],
            black=sides[2 - leg],
        )
        for leg in range(1, legs + 1)
    )
    return ScheduledPair(number, encounter.round, *sides, games)


def without_finished(
    pairs: Iterable[ScheduledPair], finished: Container[int]
) -> list[ScheduledPair]:
    """Leave out the games that are finished, and the pairs that have no others."""
    left = []
    for pair in pairs:
        games = tuple(game for game in pair.games if game.number not in finished)
        if games:
            left.append(msgspec.structs.replace(pair, games=games))
    return left
