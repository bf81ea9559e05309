"""Bench: fixed positions searched to a fixed depth, to measure speed and sign behaviour.

One thread and a fresh table for each position, and no limit but the depth: the number of
nodes is the same on every run and every machine, and changes only when what the search
or an evaluation does has changed.
"""

import time
from collections.abc import Iterable, Iterator
from threading import Lock
from typing import NamedTuple

from kibitz.engine import codes
from kibitz.engine.game import Game
from kibitz.engine.position import Position
from kibitz.search.driver import Search
from kibitz.search.limits import Limit
from kibitz.search.table import Table

DEPTH = 9
"""The usual depth: a few seconds for all games."""

TABLE_MEGABYTES = 16


class Entry(NamedTuple):
    """A position to search, and what to call it."""

    name: str
    position: Position
    less: int = 0
    """How much less deep than the others it is searched."""


class Finished(NamedTuple):
    """What the search of a position took."""

    name: str
    nodes: int
    seconds: float


def sample_positions(games: Iterable[Game]) -> list[Entry]:
    """Give the sample positions of games, under default options, that are not over."""
    entries = []
    for game in games:
        settings = game.settings({})
        for number, text in enumerate(game.samples, 1):
            position = game.parse(text, settings)
            if position.status == codes.ONGOING:
                entries.append(Entry(f"{game.name} {number}", position, game.bench_less))
    return entries


class Bench:
    """A bench; it runs in one thread and can be paused and stopped from others."""

    def __init__(self, entries: list[Entry], depth: int = DEPTH) -> None:
        """Prepare to search each position to `depth`."""
        self._entries = entries
        self._depth = depth
        self._lock = Lock()
        self._search: Search | None = None
        self._is_paused = False
        self.stopped = False

    def __len__(self) -> int:
        return len(self._entries)

    def run(self) -> Iterator[Finished]:
        """Search one position after the other, and give the result of each.

        A search that was cut short gives none. Pauses count as time that it took.
        """
        for name, position, less in self._entries:
            search = Search(
                position,
                Table(TABLE_MEGABYTES),
                Limit(depth=max(self._depth - less, 1)),
                report=lambda infos: None,
            )
            with self._lock:
                if self.stopped:
                    return
                self._search = search
                if self._is_paused:
                    search.pause()
            begun = time.perf_counter()
            nodes = search.run().nodes
            seconds = time.perf_counter() - begun
            with self._lock:
                if self.stopped:
                    return
            yield Finished(name, nodes, seconds)

    def stop(self) -> None:
        """Stop the search that runs, and begin no other."""
        with self._lock:
            self.stopped = True
            if self._search is not None:
                self._search.stop()

    def pause(self) -> None:
        """Make the search that runs wait, or the next one, until `resume` or `stop`."""
        with self._lock:
            self._is_paused = True
            if self._search is not None:
                self._search.pause()

    def resume(self) -> None:
        """Let a paused bench go on."""
        with self._lock:
            self._is_paused = False
            if self._search is not None:
                self._search.resume()
