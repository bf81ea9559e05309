"""What a match is going to be, from its settings alone: players, schedule, openings, referee."""

import random
from collections.abc import Mapping
from pathlib import Path

from kibitz.protocol.client import Engine
from kibitz.scripts.match.planning.openings import START, Book, Opening, read_book
from kibitz.scripts.match.planning.pairings import Schedule
from kibitz.scripts.match.planning.schedule import ScheduleSettings, make_schedule
from kibitz.scripts.match.play.engine_referee import EngineReferee
from kibitz.scripts.match.play.referee import Referee, RulesReferee
from kibitz.scripts.match.records.records import Side
from kibitz.scripts.match.settings.match_settings import (
    EngineSettings,
    MatchSettings,
    game_of,
    options_of,
)

MOST_CHANCE = 2**63


def schedule_of(settings: MatchSettings) -> Schedule:
    """Make the schedule of a match; raises `ScheduleError`."""
    return make_schedule(
        ScheduleSettings(
            players=tuple(engine.name for engine in settings.engines),
            kind=settings.kind,
            games=settings.games,
            rounds=settings.rounds,
            seeds=settings.seeds,
            seed=settings.seed,
        )
    )


class MatchPlan:
    """All of a match that does not depend on its games."""

    def __init__(self, settings: MatchSettings) -> None:
        """Make the plan of checked settings, in which every player has a name.

        Raises `InputError` for a wrong book or schedule, `OSError` for a book that cannot be
        read.
        """
        self._settings = settings
        self.game = game_of(settings)
        """The game, when it is one of ours."""
        self.options = options_of(settings)
        self.players = tuple(engine.name for engine in settings.engines)
        self._engines = {engine.name: engine for engine in settings.engines}
        self.schedule = schedule_of(settings)
        self._book: Book | None = None
        if settings.openings.file is not None:
            text = Path(settings.openings.file).read_text(encoding="utf-8")
            openings = read_book(text, self.game, self.options)
            self._book = Book(openings, settings.openings.order, settings.seed)

    def engine_of(self, player: str) -> EngineSettings:
        """Give the settings of a player's engine."""
        return self._engines[player]

    def opening_of(self, pair: int) -> Opening:
        """Give where both games of a pair begin: in the book, or at a deal of the pair's own."""
        if self._book is not None:
            return self._book.opening_of(pair)
        if self.game is not None and self.game.is_dealt:
            # Texts seed the generator the same way in every process.
            chance = random.Random(f"{self._settings.seed} deal {pair}")  # noqa: S311
            return Opening(deal=chance.randrange(MOST_CHANCE))
        return START

    def referee(self, opening: Opening, engines: Mapping[Side, Engine]) -> Referee:
        """Give who referees a game between these engines."""
        if self.game is None:
            return EngineReferee(opening, engines)
        return RulesReferee(self.game, self.options, opening, engines)

    async def try_out(self, engine: Engine) -> None:
        """Set an engine up as for a game; raises `EngineError` when it does not fit."""
        await engine.new_game()
        if engine.dialect == "ugi":
            await engine.queries(self.referee(self.opening_of(1), {}).setup, "p1turn")
