"""The engines as referees of a game that we do not know, by the queries of UGI.

Each engine that answers `query gameover`, `query result` and `query p1turn` is a judge. After
every move all judges are asked; when they do not say the same, the game ends without a
result. Whether a move is legal is asked of the enemy's engine, if it knows `query islegal`.
"""

from collections.abc import Mapping

import msgspec

from kibitz.engine.options import shorten
from kibitz.protocol.client import Engine, EngineRefused, Setup, Unsupported
from kibitz.protocol.faults import ErrorCode
from kibitz.scripts.match.planning.openings import Opening
from kibitz.scripts.match.play.game_faults import Fault, MatchError, blaming
from kibitz.scripts.match.play.referee import RESULTS, Illegal, Referee, Standing
from kibitz.scripts.match.records.records import Outcome, Result, Side

_QUESTIONS = ("gameover", "result", "p1turn")


class EngineReferee(Referee):
    """Both engines of a game, asked together."""

    def __init__(self, opening: Opening, engines: Mapping[Side, Engine]) -> None:
        """Begin a game at an opening, whose moves are part of it."""
        self.setup = Setup(None, opening.moves, opening.text, opening.deal)
        self._engines = engines
        self._judges: list[Side] = []
        self._knows_legality = set(Side)
        self._side = Side.WHITE

    async def begin(self) -> Standing:
        """Find the judges; raises `MatchError` without any, or when one refuses the opening."""
        for side in Side:
            try:
                await self._ask(side, self.setup)
            except Unsupported:
                continue
            except Fault as fault:
                if isinstance(fault.__cause__, EngineRefused):
                    raise MatchError(f"an engine refuses the opening: {fault}") from None
                raise
            self._judges.append(side)
        if not self._judges:
            raise MatchError(
                f"no engine answers query {', '.join(_QUESTIONS)}: nobody can referee the game"
            )
        return await self._standing(self.setup)

    async def opening_sides(self) -> list[Side]:
        """Ask a judge for whose turn it was before each move of the opening."""
        sides = []
        for count in range(len(self.setup.moves)):
            earlier = msgspec.structs.replace(self.setup, moves=self.setup.moves[:count])
            sides.append((await self._ask_judge(self._judges[0], earlier)).side)
        return sides

    async def make(self, move: str) -> Standing:
        """Make the mover's move, when its enemy's engine does not say that it is illegal."""
        mover = self._side
        try:
            after = self.setup.after(move)
        except ValueError as error:
            raise Illegal(f"it is no move in any game: {error}") from None
        refusal = await self._refusal(mover.other, move)
        if refusal is not None:
            if await self._is_legal(mover, move):
                raise Fault(
                    Outcome.DISAGREEMENT,
                    f"the engines do not agree whether {move} is legal",
                    None,
                )
            raise Illegal(refusal)
        try:
            standing = await self._standing(after)
        except Fault as fault:
            cause = fault.__cause__
            if isinstance(cause, EngineRefused) and cause.code == ErrorCode.BAD_MOVE:
                raise Illegal(cause.text) from None
            raise
        self.setup = after
        return standing

    def is_legal_line(self, line: tuple[str, ...]) -> bool:
        """Nobody can tell."""
        return True

    async def points(self) -> tuple[float, float] | None:
        """Ask the judges for the points; few know them."""
        for side in self._judges:
            try:
                with blaming(side):
                    (answer,) = await self._engines[side].queries(self.setup, "score")
                white, black = map(float, answer.split())
            except (Unsupported, ValueError, Fault):
                continue
            return white, black
        return None

    async def objection(self, result: Result) -> tuple[Side, str] | None:
        """Nothing is left to ask: the judges have agreed on the end."""
        return None

    async def _standing(self, setup: Setup) -> Standing:
        """Ask the judges; raises `Fault` when they do not agree, or one is none any more."""
        said = {side: await self._ask_judge(side, setup) for side in self._judges}
        first, *others = said.values()
        if any(other != first for other in others):
            words = "; ".join(f"{side.capitalize()}'s says {_words(said[side])}" for side in said)
            raise Fault(Outcome.DISAGREEMENT, f"the engines do not agree: {words}", None)
        self._side = first.side
        return first

    async def _ask_judge(self, side: Side, setup: Setup) -> Standing:
        """Ask an engine that has answered before; raises `Fault` when it does not."""
        try:
            return await self._ask(side, setup)
        except _NoJudge as error:
            raise Fault(Outcome.DISAGREEMENT, str(error), side) from error
        except Unsupported as error:
            reason = f"{side.capitalize()}'s engine does not answer queries any more"
            raise Fault(Outcome.STALL, reason, side) from error

    async def _ask(self, side: Side, setup: Setup) -> Standing:
        """Ask one engine; raises `Unsupported` when it is no judge."""
        with blaming(side):
            answers = await self._engines[side].queries(setup, *_QUESTIONS)
        over, result, first_moves = answers
        known = result in RESULTS or result == "none"
        if over not in _TRUTH or first_moves not in _TRUTH or not known:
            said = " ".join(map(shorten, answers))
            raise _NoJudge(f"{side.capitalize()}'s engine answers {', '.join(_QUESTIONS)}: {said}")
        mover = Side.WHITE if _TRUTH[first_moves] else Side.BLACK
        if not _TRUTH[over]:
            return Standing(mover)
        if result not in RESULTS:
            reason = f"{side.capitalize()}'s engine says that the game is over without a result"
            raise Fault(Outcome.DISAGREEMENT, reason, None)
        return Standing(mover, RESULTS[result], "as the engines say")

    async def _refusal(self, side: Side, move: str) -> str | None:
        """Ask an engine about a move; gives its reason when the move is illegal for it."""
        answer = await self._legality(side, move)
        if not answer.startswith("false"):
            return None
        return answer.removeprefix("false").strip() or f"the {side} engine says so"

    async def _is_legal(self, side: Side, move: str) -> bool:
        return (await self._legality(side, move)).startswith("true")

    async def _legality(self, side: Side, move: str) -> str:
        if side not in self._knows_legality:
            return "unknown"
        try:
            with blaming(side):
                (answer,) = await self._engines[side].queries(self.setup, f"islegal {move}")
        except Unsupported:
            answer = "unknown"
        if answer == "unknown":
            self._knows_legality.discard(side)
        return answer


class _NoJudge(Unsupported):
    """An engine answers, and nothing that a referee could say."""


_TRUTH = {"true": True, "false": False}


def _words(standing: Standing) -> str:
    if standing.result is None:
        return f"{standing.side} is to move"
    return f"it is over, {standing.result}"
