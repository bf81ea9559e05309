"""One player in one game: its engine, its clock, and what it thinks about at whose time."""

import anyio

from kibitz.protocol.client import (
    Engine,
    EngineTimeout,
    Limit,
    Pondering,
    Setup,
)
from kibitz.protocol.client import Result as Found
from kibitz.protocol.client import Side as ClientSide
from kibitz.scripts.match.play.clocks import Clock
from kibitz.scripts.match.play.engine_keeper import EngineKeeper
from kibitz.scripts.match.play.game_faults import Fault, blaming
from kibitz.scripts.match.records.records import Outcome, Side


class Player:
    """An engine that plays a side."""

    def __init__(self, keeper: EngineKeeper, side: Side) -> None:
        """Seat a player, with a clock that has not run yet and an engine that may have to start."""
        self.settings = keeper.settings
        self.side = side
        self.clock = Clock(self.settings)
        self.engine_name = ""
        """What the engine calls itself, once it was asked."""
        self.illegal_pvs = 0
        """The lines of play with an illegal move that it has sent in this game."""
        self._seat = ClientSide.WHITE if side is Side.WHITE else ClientSide.BLACK
        self._keeper = keeper
        self._pondering: tuple[Setup, Pondering] | None = None

    async def begin(self) -> Engine:
        """Have the engine ready for a new game, and give it.

        Raises `Fault`, and `MatchError` for an engine that cannot be opened.
        """
        with blaming(self.side):
            engine = await self._keeper.get()
            self.engine_name = engine.name
            await engine.new_game()
        return engine

    async def think(self, setup: Setup, enemy: Clock) -> Found:
        """Have the engine choose a move, and take the time off its clock.

        Raises `Fault` for an engine that fails, says nothing, has no move or is too late.
        """
        with blaming(self.side):
            found = await self._search(setup, enemy)
        if found.move is None:
            reason = f"{self.side.capitalize()} has no move in a game that is not over"
            raise Fault(Outcome.ILLEGAL_MOVE, reason, self.side)
        allowed = self.clock.allowed
        seconds = found.elapsed or 0.0
        if not self.clock.spend(seconds):
            assert allowed is not None
            reason = (
                f"{self.side.capitalize()} used {seconds * 1000:.0f} ms of {allowed * 1000:.0f} ms"
            )
            raise Fault(Outcome.TIME, reason, self.side)
        return found

    async def ponder(self, setup: Setup, enemy: Clock) -> None:
        """Have the engine think in the enemy's time, of the game as it is expected to go on."""
        with blaming(self.side):
            engine = await self._keeper.get()
            limit = self.clock.limit(self.side, enemy)
            pondering = await engine.ponder(setup, limit, side=self._seat)
        self._pondering = setup, pondering

    async def _search(self, setup: Setup, enemy: Clock) -> Found:
        last = self.clock.last
        pondered, self._pondering = self._pondering, None
        if pondered is not None and pondered[0] == setup:
            pondering = pondered[1]
            pondering.hit()
            return await pondering.wait(self._patience(last))
        engine = await self._keeper.get()
        limit = self.clock.limit(self.side, enemy)
        if last is None:
            return await self._search_without_clock(engine, setup, limit)
        return await engine.play(setup, limit, side=self._seat, timeout=self._patience(last))

    def _patience(self, last: float | None) -> float:
        return (self.settings.longest if last is None else last) + self.settings.timeout

    async def _search_without_clock(self, engine: Engine, setup: Setup, limit: Limit) -> Found:
        """Search as long as it takes, as long as the engine shows that it lives."""
        settings = self.settings
        async with engine.analysis(setup, limit, multipv=1, side=self._seat) as analysis:
            with anyio.move_on_after(settings.longest):
                while True:
                    try:
                        return await analysis.wait(settings.timeout)
                    except EngineTimeout:
                        await engine.ping()
            raise EngineTimeout(f"no move within {settings.longest:g} seconds")
