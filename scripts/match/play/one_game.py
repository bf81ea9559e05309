"""One game between two engines, from its opening to its record."""

from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from kibitz.protocol.client import Engine
from kibitz.protocol.client import Result as Found
from kibitz.scripts.match.planning.openings import Opening
from kibitz.scripts.match.planning.pairings import ScheduledGame
from kibitz.scripts.match.play.adjudication import Adjudged, Adjudicator
from kibitz.scripts.match.play.clocks import Clock
from kibitz.scripts.match.play.game_faults import Fault
from kibitz.scripts.match.play.player import Player
from kibitz.scripts.match.play.referee import Illegal, Referee, Standing
from kibitz.scripts.match.records.records import (
    GameRecord,
    MoveRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)
from kibitz.scripts.match.settings.match_settings import MatchSettings, options_of
from kibitz.search.info import Score


class End(msgspec.Struct, frozen=True):
    """How a game ended; the fields are those of the record."""

    outcome: Outcome
    result: Result
    reason: str
    guilty: Side | None = None


class OneGame:
    """A game that is being played."""

    def __init__(
        self,
        scheduled: ScheduledGame,
        match: MatchSettings,
        opening: Opening,
        players: Mapping[Side, Player],
        make_referee: Callable[[Mapping[Side, Engine]], Referee],
    ) -> None:
        """Set the game up; nothing is asked yet. The referee is made when the engines are there."""
        self._scheduled = scheduled
        self._match = match
        self._opening = opening
        self._players = players
        self._make_referee = make_referee
        self._adjudicator = Adjudicator(match.adjudication)
        self._moves: list[MoveRecord] = []

    async def play(self, now: Callable[[], datetime]) -> GameRecord:
        """Play to the end; `now` gives the time in UTC.

        Raises `MatchError` when nobody can referee it.
        """
        started = now()
        points = None
        try:
            engines = {side: await player.begin() for side, player in self._players.items()}
            referee = self._make_referee(engines)
            end = await self._play_on(referee)
            points = await referee.points()
        except Fault as fault:
            end = _end_by(fault)
        return self._record(end, points, started, now())

    async def _play_on(self, referee: Referee) -> End:
        standing = await self._begin(referee)
        while standing.result is None:
            player, enemy = self._players[standing.side], self._players[standing.side.other]
            found = await player.think(referee.setup, enemy.clock)
            assert found.move is not None
            if found.info.pv and not referee.is_legal_line(found.info.pv):
                player.illegal_pvs += 1
            try:
                after = await referee.make(found.move)
            except Illegal as error:
                reason = f"{standing.side.capitalize()} played {found.move}: {error}"
                raise Fault(Outcome.ILLEGAL_MOVE, reason, standing.side) from None
            self._keep(standing.side, referee.setup.moves[-1], found)
            mover, standing = standing.side, after
            if standing.result is not None:
                break
            verdict = self._adjudicator.verdict()
            if verdict is not None:
                return await _adjudged(verdict, referee)
            if standing.side is not mover:
                await self._ponder(referee, player, found, enemy.clock)
        objection = await referee.objection(standing.result)
        if objection is not None:
            side, words = objection
            reason = f"{words}; by the rules it is {standing.result} ({standing.reason})"
            return End(Outcome.DISAGREEMENT, standing.result, reason, side)
        return End(Outcome.RULES, standing.result, standing.reason)

    async def _begin(self, referee: Referee) -> Standing:
        """Look at the game after its opening, whose moves come first in the record."""
        standing = await referee.begin()
        sides = await referee.opening_sides()
        for side, token in zip(sides, referee.setup.moves, strict=True):
            self._moves.append(MoveRecord(side, token, book=True))
        return standing

    def _keep(self, side: Side, token: str, found: Found) -> None:
        said = found.info
        score = None if said.score is None else Score(cp=said.score.cp, mate=said.score.mate)
        time = None if found.elapsed is None else round(found.elapsed * 1000)
        self._moves.append(MoveRecord(side, token, score, said.depth, said.nodes, time))
        self._adjudicator.add(side, score)

    async def _ponder(self, referee: Referee, player: Player, found: Found, enemy: Clock) -> None:
        if player.settings.ponder and found.expected is not None:
            line = (found.expected,)
            if referee.is_legal_line(line):
                await player.ponder(referee.setup.after(*line), enemy)

    def _record(
        self,
        end: End,
        points: tuple[float, float] | None,
        started: datetime,
        ended: datetime,
    ) -> GameRecord:
        scheduled = self._scheduled
        return GameRecord(
            number=scheduled.number,
            pair=scheduled.pair,
            leg=scheduled.leg,
            round=scheduled.round,
            event=self._match.event,
            game=self._match.game,
            white=self._player_record(Side.WHITE, scheduled.white),
            black=self._player_record(Side.BLACK, scheduled.black),
            result=end.result,
            outcome=end.outcome,
            reason=end.reason,
            started=started,
            ended=max(started, ended),
            options=options_of(self._match),
            start=self._opening.text,
            deal=self._opening.deal,
            moves=tuple(self._moves),
            guilty=end.guilty,
            points=points,
        )

    def _player_record(self, side: Side, name: str) -> PlayerRecord:
        player = self._players[side]
        return PlayerRecord(
            name=name,
            engine=player.engine_name,
            clock=player.clock.text,
            illegal_pvs=player.illegal_pvs,
        )


def _end_by(fault: Fault) -> End:
    """Say how a game ended in which an engine did something wrong."""
    result = Result.NONE if fault.side is None else Result.won_by(fault.side.other)
    return End(fault.outcome, result, fault.reason, fault.side)


async def _adjudged(verdict: Adjudged, referee: Referee) -> End:
    """Say how a game ended that was adjudicated: by the count where nothing else is said."""
    result = verdict.result
    if result is None:
        points = await referee.points()
        assert points is not None
        white, black = points
        result = Result.DRAW
        if white != black:
            result = Result.won_by(Side.WHITE if white > black else Side.BLACK)
        return End(verdict.outcome, result, f"{verdict.reason}, {white:g} to {black:g}")
    return End(verdict.outcome, result, verdict.reason)
