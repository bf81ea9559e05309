"""Swiss tournaments: each round pairs players with equal scores who have not met yet.

Players are ranked by score, and equals by lots that the seed draws once. From the top down
each gets the opponent who comes first in this order: one met least often before; one of the
same score; one who is not due the same side; in the group of that score the one as far into the
lower half as the player is into the upper one; otherwise the best ranked. An opponent is
passed over when the players who remain could not all be paired then: so nobody meets an
opponent again as long as there is any way to pair the round without that, and when there is
none, with the fewest earlier meetings of any pair. With an odd number of players the lowest
ranked of those with the fewest byes gets one, again only if the others can be paired; a bye
counts as all games of the round won.

Pairs depend on the results of the rounds before, and on nothing else.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from kibitz.scripts.match.planning.matching import can_pair_all
from kibitz.scripts.match.planning.pairings import (
    Encounter,
    Schedule,
    ScheduledPair,
    legs_of,
    pairs_of,
    without_finished,
)
from kibitz.scripts.match.records.records import Result


class Standing(msgspec.Struct, frozen=True):
    """Where a player stands after some rounds.

    `opponents` has one entry for each encounter, `whites` is how many games more the player
    had with White than with Black, less than 0 for more with Black.
    """

    player: str
    score: float = 0.0
    opponents: tuple[str, ...] = ()
    whites: int = 0
    byes: int = 0


class Round(NamedTuple):
    """The pairs of a round, and who has a bye."""

    pairs: list[ScheduledPair]
    bye: str | None


class Swiss(Schedule):
    """A Swiss tournament of a fixed number of rounds."""

    def __init__(self, players: Sequence[str], rounds: int, games: int, seed: int) -> None:
        """Make a tournament; each encounter has so many games, 1 or an even number."""
        self._rounds = rounds
        self._games = games
        # Texts seed the generator the same way in every process.
        chance = random.Random(f"{seed}")  # noqa: S311 - nothing is secret
        self._lots = {
            player: lot for lot, player in enumerate(chance.sample(players, len(players)))
        }

    @property
    def game_count(self) -> int:
        """The number of games in the whole match."""
        return self._rounds * self._encounters * self._games

    @property
    def _encounters(self) -> int:
        return len(self._lots) // 2

    def to_play(self, results: Mapping[int, Result]) -> list[ScheduledPair]:
        """Give what is left of the first round that is not finished."""
        for _, _, left in self._replay(results):
            if left:
                return left
        return []

    def standings(self, results: Mapping[int, Result]) -> list[Standing]:
        """Rank the players, best first, by the rounds that are finished."""
        return self._replay(results)[-1][0]

    def byes(self, results: Mapping[int, Result]) -> list[str | None]:
        """Give who has a bye in each round, as far as it is known."""
        return [bye for _, bye, _ in self._replay(results)]

    def _begin(self) -> list[Standing]:
        return self._ranked([Standing(player) for player in self._lots])

    def _ranked(self, standings: Sequence[Standing]) -> list[Standing]:
        return sorted(standings, key=lambda one: (-one.score, self._lots[one.player]))

    def _replay(
        self, results: Mapping[int, Result]
    ) -> list[tuple[list[Standing], str | None, list[ScheduledPair]]]:
        """Go through the rounds up to the first that is not finished.

        Gives for each the standings after it, its bye and what is left to be played.
        """
        rounds = []
        standings = self._begin()
        for number in range(1, self._rounds + 1):
            pairs, bye = self.next_round(number, standings)
            left = without_finished(pairs, results)
            if not left:
                standings = self._after(standings, pairs, bye, results)
            rounds.append((standings, bye, left))
            if left:
                break
        return rounds

    def _after(
        self,
        standings: Sequence[Standing],
        pairs: Sequence[ScheduledPair],
        bye: str | None,
        results: Mapping[int, Result],
    ) -> list[Standing]:
        """Give the standings after a round."""
        scores: dict[str, float] = dict.fromkeys(self._lots, 0.0)
        whites = dict.fromkeys(self._lots, 0)
        opponents: dict[str, tuple[str, ...]] = dict.fromkeys(self._lots, ())
        for pair in pairs:
            opponents[pair.first] = (pair.second,)
            opponents[pair.second] = (pair.first,)
            for game in pair.games:
                white, black = results[game.number].scores
                scores[game.white] += white
                scores[game.black] += black
                whites[game.white] += 1
                whites[game.black] -= 1
        if bye is not None:
            scores[bye] += self._games
        return self._ranked(
            [
                Standing(
                    one.player,
                    one.score + scores[one.player],
                    one.opponents + opponents[one.player],
                    one.whites + whites[one.player],
                    one.byes + (one.player == bye),
                )
                for one in standings
            ]
        )

    def next_round(self, number: int, standings: Sequence[Standing]) -> Round:
        """Pair the round with a number, from 1, by the standings before it, in any order."""
        ranked = self._ranked(standings)
        meetings = _meetings(ranked)
        bye, most = _bye_and_bound(ranked, meetings)
        here = [place for place in range(len(ranked)) if place != bye]
        encounters: list[Encounter] = []
        while here:
            one = here[0]
            other = _opponent(here, ranked, meetings, most)
            first, second = _sides(ranked[one], ranked[other], number + len(encounters))
            encounters.append(Encounter(number, first, second))
            here = [place for place in here if place not in (one, other)]
        pairs_a_round = self._encounters * (self._games // legs_of(self._games))
        pairs = pairs_of(encounters, self._games, 1 + (number - 1) * pairs_a_round)
        return Round(list(pairs), None if bye is None else ranked[bye].player)


_Counts = Sequence[Sequence[int]]


def _meetings(ranked: Sequence[Standing]) -> _Counts:
    """Count how often each two, by their places, have met."""
    return [[one.opponents.count(other.player) for other in ranked] for one in ranked]


def _can_pair(places: Sequence[int], meetings: _Counts, most: int) -> bool:
    """Whether places can all be paired without two who have met more than `most` times."""
    return can_pair_all([[meetings[one][other] <= most for other in places] for one in places])


def _bye_and_bound(ranked: Sequence[Standing], meetings: _Counts) -> tuple[int | None, int]:
    """Give the place of the bye, and how often a pair of this round has met at most."""
    places = range(len(ranked))
    byes: list[int | None] = [None]
    if len(ranked) % 2:
        byes = [*sorted(places, key=lambda place: (ranked[place].byes, -place))]
    most = 0
    while True:
        for bye in byes:
            if _can_pair([place for place in places if place != bye], meetings, most):
                return bye, most
        most += 1


def _opponent(here: Sequence[int], ranked: Sequence[Standing], meetings: _Counts, most: int) -> int:
    """Choose the opponent of the first of the places that are here; all can be paired."""
    one = here[0]
    group = [place for place in here if ranked[place].score == ranked[one].score]
    half = len(group) // 2
    slide = group[half:] + group[half - 1 : 0 : -1] if half else []
    order = {place: preference for preference, place in enumerate(slide)}

    def preference(other: int) -> tuple[int, bool, bool, int]:
        due_alike = ranked[one].whites * ranked[other].whites > 0
        outside = other not in order
        return meetings[one][other], outside, due_alike, other if outside else order[other]

    for other in sorted(here[1:], key=preference):
        rest = [place for place in here if place not in (one, other)]
        if meetings[one][other] <= most and _can_pair(rest, meetings, most):
            return other
    raise AssertionError("the places could be paired")


def _sides(higher: Standing, lower: Standing, table: int) -> tuple[str, str]:
    """Give White to who had it less often; between equals it alternates from table to table."""
    if higher.whites != lower.whites:
        first = higher if higher.whites < lower.whites else lower
    else:
        first = higher if table % 2 else lower
    second = lower if first is higher else higher
    return first.player, second.player
