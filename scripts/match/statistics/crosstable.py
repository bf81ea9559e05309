"""Who played whom with what result, and which players games connect."""

from collections.abc import Callable, Iterable

import msgspec

from kibitz.scripts.match.statistics.counts import Tally


class Encounter(msgspec.Struct, frozen=True):
    """Games between two players; the tally is the first one's."""

    first: str
    second: str
    tally: Tally


class Crosstable:
    """Players by number, in the order of their names, and the sums of their encounters."""

    def __init__(self, encounters: Iterable[Encounter], players: Iterable[str] = ()) -> None:
        """Sum up encounters; ValueError for a player that plays itself.

        `players` may name more players, who have no games.
        """
        encounters = list(encounters)
        found = set(players)
        for encounter in encounters:
            if encounter.first == encounter.second:
                raise ValueError(f"{encounter.first!r} plays against itself")
            found.update((encounter.first, encounter.second))
        self.names = sorted(found)
        numbers = {name: number for number, name in enumerate(self.names)}
        self._rows: list[dict[int, Tally]] = [{} for _ in self.names]
        for encounter in encounters:
            if encounter.tally.games:
                first, second = numbers[encounter.first], numbers[encounter.second]
                self._add(first, second, encounter.tally)
                self._add(second, first, encounter.tally.flipped())

    def _add(self, player: int, enemy: int, tally: Tally) -> None:
        row = self._rows[player]
        row[enemy] = row.get(enemy, Tally()) + tally

    def row(self, player: int) -> dict[int, Tally]:
        """Results of a player against each other that it has played."""
        return self._rows[player]

    def total(self, player: int) -> Tally:
        """All games of a player."""
        return sum(self._rows[player].values(), Tally())

    def groups(self) -> list[list[int]]:
        """Players connected by games, directly or through others, in rising order."""
        left = set(range(len(self.names)))
        groups = []
        for player in range(len(self.names)):
            if player in left:
                group = self._reached(player, lambda tally: tally.games > 0)
                left -= group
                groups.append(sorted(group))
        return groups

    def one_sided(self, group: list[int]) -> list[int]:
        """Players of a group that make its likelihood grow without end; empty if none do.

        The likelihood has a maximum if and only if, however the group is split in two, each
        part has scored against the other (Ford 1957): if each player can be reached from
        the first one by steps to players who scored against the one before, and by steps to
        players who lost something to it.
        """
        up = self._reached(group[0], lambda tally: tally.score < tally.games)
        down = self._reached(group[0], lambda tally: tally.score > 0)
        return [player for player in group if player not in up or player not in down]

    def _reached(self, start: int, leads: Callable[[Tally], bool]) -> set[int]:
        reached = {start}
        waiting = [start]
        while waiting:
            for enemy, tally in self._rows[waiting.pop()].items():
                if enemy not in reached and leads(tally):
                    reached.add(enemy)
                    waiting.append(enemy)
        return reached
