"""Makes books of openings: random moves from the start, kept where a search finds balance.

Each attempt plays so many random legal moves, from a random deal where the game is dealt.
A position that is over, or that an attempt came to before, is dropped; the others are
searched, each with a fresh table, one thread and no clock, and kept when neither side is
better by more than a bound. So the same plan makes the same book on every machine, until the
rules, an evaluation or the search change.
"""

import random
from collections.abc import Callable
from threading import Lock

import msgspec

from kibitz.engine.game import DEAL, Game, Settings
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.scripts.match.planning.openings import Opening
from kibitz.search.driver import Search
from kibitz.search.info import Info
from kibitz.search.limits import Limit
from kibitz.search.table import Table

PATIENCE = 5000
"""After so many attempts in a row that gave nothing, there is taken to be nothing more."""

TABLE_MEGABYTES = 16


class BookPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a book should be: `count` openings of `plies` random moves.

    `balance` is the highest score, in hundredths, that the search with `limit` may give to
    either side. `limit` must not depend on time.
    """

    plies: int
    count: int
    balance: int
    limit: Limit
    seed: int


class Found(msgspec.Struct, frozen=True):
    """An opening that is balanced, and its score in hundredths for the side to move."""

    opening: Opening
    cp: int


class BookMaker:
    """Makes a book; it runs in one thread and can be stopped from others."""

    def __init__(self, game: Game, given: Settings, plan: BookPlan) -> None:
        """Prepare to make a book for a game; raises `OptionError` for an option value."""
        self._game = game
        self._settings = game.settings(given)
        self._plan = plan
        self._chance = random.Random(plan.seed)  # noqa: S311 - nothing is secret
        self._seen: set[int] = set()
        self._lock = Lock()
        self._search: Search | None = None
        self.stopped = False

    def run(self, report: Callable[[Found], None]) -> int:
        """Find openings and report each; give how many there are.

        They are fewer than planned when `PATIENCE` attempts in a row found none, or after `stop`.
        """
        count = 0
        in_vain = 0
        while count < self._plan.count and in_vain < PATIENCE and not self.stopped:
            found = self._attempt()
            if found is None:
                in_vain += 1
            else:
                report(found)
                count += 1
                in_vain = 0
        return count

    def stop(self) -> None:
        """Make `run` return soon."""
        with self._lock:
            self.stopped = True
            if self._search is not None:
                self._search.stop()

    def _attempt(self) -> Found | None:
        """Play at random; give the opening if it is a new one and balanced."""
        deal = None
        if self._game.is_dealt:
            deal = self._chance.randint(DEAL.least, DEAL.most)
        play = Play(self._game, self._settings, deal=deal)
        for _ in range(self._plan.plies):
            tokens = play.legal_tokens()
            if not tokens:
                return None
            play.push(self._chance.choice(tokens))
        key = play.position.key
        if play.is_over or key in self._seen:
            return None
        self._seen.add(key)
        cp = self._score(play.position)
        if cp is None or abs(cp) > self._plan.balance:
            return None
        return Found(Opening(deal=deal, moves=tuple(play.tokens)), cp)

    def _score(self, position: Position) -> int | None:
        """Search a position; give the score of the last whole iteration unless it is a mate."""
        infos: list[Info] = []
        search = Search(position, Table(TABLE_MEGABYTES), self._plan.limit, report=infos.extend)
        with self._lock:
            if self.stopped:
                return None
            self._search = search
        search.run()
        if self.stopped:
            return None
        exact = [info.score for info in infos if not info.bound]
        return exact[-1].cp if exact else None


def make_book(game: Game, given: Settings, plan: BookPlan) -> list[Found]:
    """Make a whole book; raises `OptionError` for an option value."""
    found: list[Found] = []
    BookMaker(game, given, plan).run(found.append)
    return found
