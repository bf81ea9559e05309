"""Who plays whom, when, with which side: round robin and gauntlet; `swiss` has the third kind.

A schedule depends on its settings alone, so a match that is resumed has the same one.

*Round robin*: each round of the settings is a cycle in which everybody meets everybody, in
the order of the circle method (R. Schurig, 1886). *Gauntlet*: each of the first `seeds`
players meets each of the others. Where encounters are single games, each player has White
and Black equally often, or as nearly as the number of games allows.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec

from kibitz.scripts.match.planning.pairings import (
    Encounter,
    Schedule,
    ScheduledPair,
    ScheduleError,
    pairs_of,
    without_finished,
)
from kibitz.scripts.match.planning.swiss import Swiss
from kibitz.scripts.match.records.records import Result


class Kind(StrEnum):
    """A kind of schedule."""

    ROUND_ROBIN = "roundrobin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"


class ScheduleSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a schedule is made from.

    `games` are those of one encounter: 1, or pairs with sides swapped. `rounds` is how often
    everybody meets, or the rounds of a Swiss. `seeds` counts for a gauntlet only, and `seed`,
    by which lots are drawn between equal players, for a Swiss only.
    """

    players: tuple[str, ...]
    kind: Kind = Kind.ROUND_ROBIN
    games: int = 2
    rounds: int = 1
    seeds: int = 1
    seed: int = 0


def make_schedule(settings: ScheduleSettings) -> Schedule:
    """Make a schedule; raises `ScheduleError`, which names the setting that is wrong."""
    players = settings.players
    if len(players) < 2:
        raise ScheduleError(f"players: {len(players)} are not enough")
    for place, name in enumerate(players):
        if name in players[:place]:
            raise ScheduleError(f"players: {name!r} is there twice")
    if settings.games < 1 or (settings.games > 1 and settings.games % 2):
        raise ScheduleError(f"games: {settings.games} is neither 1 nor an even number")
    if settings.rounds < 1:
        raise ScheduleError(f"rounds: {settings.rounds} is not a positive number")
    if settings.kind is Kind.SWISS:
        return Swiss(players, settings.rounds, settings.games, settings.seed)
    if settings.kind is Kind.GAUNTLET and not 1 <= settings.seeds < len(players):
        raise ScheduleError(f"seeds: {settings.seeds} is not from 1 to {len(players) - 1}")
    return FixedSchedule(settings)


class FixedSchedule(Schedule):
    """A round robin or a gauntlet: everything is known before the first game."""

    def __init__(self, settings: ScheduleSettings) -> None:
        """Make the schedule of settings that `make_schedule` has checked."""
        self._settings = settings

    @property
    def game_count(self) -> int:
        """The number of games in the whole match."""
        seeds = self._settings.seeds
        count = len(self._settings.players)
        if self._settings.kind is Kind.GAUNTLET:
            encounters = seeds * (count - seeds)
        else:
            encounters = count * (count - 1) // 2
        return encounters * self._settings.rounds * self._settings.games

    def pairs(self) -> Iterator[ScheduledPair]:
        """Give all pairs in order."""
        return pairs_of(self._encounters(), self._settings.games)

    def to_play(self, results: Mapping[int, Result]) -> list[ScheduledPair]:
        """Give all that is left of the match."""
        return without_finished(self.pairs(), results)

    def _encounters(self) -> Iterator[Encounter]:
        players = self._settings.players
        for cycle in range(self._settings.rounds):
            if self._settings.kind is Kind.GAUNTLET:
                rounds = _gauntlet(len(players), self._settings.seeds)
            else:
                rounds = _round_robin(len(players))
            for number, meetings in enumerate(rounds, 1 + cycle * len(rounds)):
                for white, black in meetings:
                    if cycle % 2:
                        white, black = black, white
                    yield Encounter(number, players[white], players[black])


_Rounds = list[list[tuple[int, int]]]


def _round_robin(count: int) -> _Rounds:
    """Give the rounds in which players by number meet, White first.

    One player stands still and the others go round a circle. With an odd number, whoever
    would meet the missing one rests. White is the lower number when the sum of the two is odd,
    else the higher one: for an odd number of players that gives all the same, and otherwise
    nobody has more than one White more than Black, or the other way round.
    """
    size = count + count % 2
    around = size - 1
    rounds = []
    for turn in range(around):
        meetings = [(turn, around)]
        meetings += [((turn + i) % around, (turn - i) % around) for i in range(1, size // 2)]
        rounds.append([_sides(*pair) for pair in meetings if max(pair) < count])
    return rounds


def _sides(one: int, other: int) -> tuple[int, int]:
    low, high = min(one, other), max(one, other)
    return (low, high) if (low + high) % 2 else (high, low)


def _gauntlet(count: int, seeds: int) -> _Rounds:
    """Give the rounds in which each seed meets each other player, White first.

    Nobody plays twice in a round.
    """
    others = count - seeds
    wide = max(seeds, others)
    rounds = []
    for turn in range(wide):
        meetings = []
        for i in range(min(seeds, others)):
            j = (i + turn) % wide
            seed, other = (i, j) if seeds <= others else (j, i)
            pair = (seed, seeds + other)
            meetings.append(pair if (seed + other) % 2 == 0 else pair[::-1])
        rounds.append(meetings)
    return rounds
