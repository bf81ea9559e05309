"""Referees and moves that no game has: each is illegal, and nothing else happens."""

from contextlib import AsyncExitStack

import pytest

from kibitz.engine.registry import find_game
from kibitz.protocol.client import Engine
from kibitz.scripts.match.planning.openings import START
from kibitz.scripts.match.play.engine_referee import EngineReferee
from kibitz.scripts.match.play.referee import Illegal, Referee, RulesReferee
from kibitz.scripts.match.records.records import Side
from tests.scripts.match.engine_programs import stones

pytestmark = pytest.mark.asyncio

ODD_MOVES = ["\x1b[2J\x07", "a1\u2028b2", "(none)\0", "", "a1 a2", "x" * 100_000, "\udcff"]


@pytest.mark.parametrize("habit", [None, "--strict", ""])
async def test_odd_moves_are_illegal(habit: str | None) -> None:
    async with AsyncExitStack() as stack:
        referee: Referee = RulesReferee(find_game("jarmo"), {}, START, {})
        if habit is not None:
            engines = {}
            for side in Side:
                program = stones(*habit.split())
                engines[side] = await stack.enter_async_context(Engine.open_process(program))
            referee = EngineReferee(START, engines)
        begun = await referee.begin()
        for move in ODD_MOVES[:5] + ODD_MOVES[6:]:
            with pytest.raises(Illegal):
                await referee.make(move)
            assert referee.setup.moves == ()
        assert await referee.begin() == begun
