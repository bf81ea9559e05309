"""A whole match: its pairs are handed to workers, and each finished game counts at once.

A worker plays the games of a pair one after the other, with engines of its own, which it
keeps as long as the next game needs them. A game goes into the journal before anybody is
told of it. The match ends when nothing is left to play, when its test is decided, or when
an engine failed and the match was not told to recover from that.
"""

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from kibitz.protocol.client import EngineError
from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.planning.pairings import ScheduledGame, ScheduledPair
from kibitz.scripts.match.planning.plan import MatchPlan
from kibitz.scripts.match.play.engine_keeper import EngineKeeper, open_engine
from kibitz.scripts.match.play.game_faults import MatchError
from kibitz.scripts.match.play.one_game import OneGame
from kibitz.scripts.match.play.player import Player
from kibitz.scripts.match.records.journal import Journal
from kibitz.scripts.match.records.records import GameRecord, Outcome, Side
from kibitz.scripts.match.settings.match_settings import EngineSettings, MatchSettings
from kibitz.scripts.match.statistics.sprt import Decision
from kibitz.scripts.match.statistics.standings import Standings

FAILURES = frozenset({Outcome.CRASH, Outcome.STALL, Outcome.DISCONNECT})
"""After these an engine is started anew, if the match is to recover from them at all."""


def utc_now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


class Runner:
    """Runs one match."""

    def __init__(
        self,
        settings: MatchSettings,
        journal: Journal | None,
        watch: Callable[[Event], None],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Prepare a match of checked settings; without a journal nothing is kept.

        The games that the journal holds are finished. Raises `InputError` for settings that no
        match can be made of, and `OSError` for a book that cannot be read.
        """
        self._settings = settings
        self._journal = journal
        self._watch = watch
        self._now = now
        self._plan = MatchPlan(settings)
        self._records: list[GameRecord] = [] if journal is None else list(journal.records)
        self._results = {record.number: record.result for record in self._records}
        self._standings = Standings.of(settings, self._plan.players)
        for record in self._records:
            self._standings.add(record)
        self._pending: deque[ScheduledPair] = deque()
        self._playing = 0
        self._changed = anyio.Event()
        self._stopped: MatchEnded | None = None
        self._scope = anyio.CancelScope()

    async def run(self) -> MatchEnded:
        """Play what is left of the match.

        Raises `MatchError` when an engine cannot be started or does not fit, before any
        game is played.
        """
        await self._rehearse()
        self._watch(
            MatchBegan(
                event=self._settings.event,
                game=self._settings.game,
                players=self._plan.players,
                games=self._plan.schedule.game_count,
                records=tuple(self._records),
            )
        )
        self._decide()
        if self._stopped is None:
            with self._scope:
                async with anyio.create_task_group() as group:
                    for _ in range(self._settings.run.concurrency):
                        group.start_soon(self._work)
        end = self._stopped or MatchEnded(reason="all games are played", is_complete=True)
        self._watch(end)
        return end

    async def _rehearse(self) -> None:
        """Start each engine once: one that does not fit is better found before the first game."""
        found: dict[str, EngineError] = {}

        async def rehearse(engine: EngineSettings) -> None:
            try:
                async with open_engine(engine) as opened:
                    await self._plan.try_out(opened)
            except EngineError as error:
                found[engine.name] = error

        async with anyio.create_task_group() as group:
            for engine in self._settings.engines:
                group.start_soon(rehearse, engine)
        if found:
            raise MatchError("; ".join(f"{name}: {found[name]}" for name in sorted(found)))

    async def _work(self) -> None:
        """Play pairs until there are no more."""
        async with anyio.create_task_group() as group:
            keepers: dict[str, EngineKeeper] = {}
            while (pair := await self._next_pair()) is not None:
                for game in pair.games:
                    try:
                        await self._play(game, group, keepers)
                    except MatchError as error:
                        self._stop(str(error), False)
                    except OSError as error:
                        self._stop(f"the games cannot be written: {error}", False)
                    if self._stopped is not None:
                        break
                self._playing -= 1
                self._tell_workers()
            for keeper in keepers.values():
                await keeper.close()

    async def _next_pair(self) -> ScheduledPair | None:
        """Take the next pair, perhaps after the end of others that it depends on."""
        while self._stopped is None:
            if not self._pending and not self._playing:
                self._pending.extend(self._plan.schedule.to_play(self._results))
                if not self._pending:
                    break
            if self._pending:
                self._playing += 1
                return self._pending.popleft()
            await self._changed.wait()
        self._tell_workers()
        return None

    async def _play(
        self, game: ScheduledGame, group: TaskGroup, keepers: dict[str, EngineKeeper]
    ) -> None:
        for name in [name for name in keepers if name not in (game.white, game.black)]:
            await keepers.pop(name).close()
        for name in (game.white, game.black):
            if name not in keepers:
                keepers[name] = EngineKeeper(group, self._plan.engine_of(name))
        self._watch(
            GameBegan(
                number=game.number,
                pair=game.pair,
                round=game.round,
                white=game.white,
                black=game.black,
            )
        )
        sides = {Side.WHITE: game.white, Side.BLACK: game.black}
        players = {side: Player(keepers[name], side) for side, name in sides.items()}
        opening = self._plan.opening_of(game.pair)
        one_game = OneGame(
            game,
            self._settings,
            opening,
            players,
            lambda engines: self._plan.referee(opening, engines),
        )
        record = await one_game.play(self._now)
        await self._count(record)
        for name in sides.values():
            if keepers[name].settings.restart:
                await keepers[name].close()
        if record.guilty is not None and record.outcome is not Outcome.RULES:
            await keepers[sides[record.guilty]].close()

    async def _count(self, record: GameRecord) -> None:
        """Make a finished game count; once it is begun, that is not cut off."""
        with anyio.CancelScope(shield=True):
            if self._journal is not None:
                await to_thread.run_sync(self._journal.append, record)
            self._records.append(record)
            self._results[record.number] = record.result
            self._standings.add(record)
            self._watch(GameEnded(record=record))
        self._decide()
        if record.outcome in FAILURES:
            assert record.guilty is not None
            name = record.player(record.guilty).name
            self._watch(EngineFailed(player=name, reason=record.reason, outcome=record.outcome))
            if not self._settings.run.recover:
                self._stop(
                    f"{name} failed ({record.reason}); with -recover the match goes on", False
                )

    def _decide(self) -> None:
        """End the match when its test is decided."""
        state = self._standings.sprt_state()
        if state is not None and state.decision is not Decision.CONTINUE:
            self._stop(f"the test is decided: {state.decision} is accepted", True)

    def _stop(self, reason: str, is_complete: bool) -> None:
        if self._stopped is None:
            self._stopped = MatchEnded(reason=reason, is_complete=is_complete)
            self._scope.cancel()

    def _tell_workers(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


async def run_match(
    settings: MatchSettings, journal: Journal | None, watch: Callable[[Event], None]
) -> MatchEnded:
    """Run a match of checked settings to its end, or what is left of it; see `Runner`."""
    return await Runner(settings, journal, watch).run()
