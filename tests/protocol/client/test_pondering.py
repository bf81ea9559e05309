"""Searches in the enemy's time, and how long an answer took."""

import pytest

from kibitz.protocol.client import EngineError, EngineTerminated, Limit, Setup
from tests.protocol.client.programs import faulty, kibitz, no_hang

START = Setup("jarmo")


@pytest.mark.asyncio
async def test_a_hit_makes_it_a_search_of_ours() -> None:
    async with no_hang(), kibitz() as engine:
        first = (await engine.legal_moves(START))[0]
        pondering = await engine.ponder(START.after(first), Limit(depth=2))
        assert await engine.ping() >= 0
        pondering.hit()
        result = await pondering.wait()
        assert result.move in await engine.legal_moves(START.after(first))
        assert result.elapsed is not None


@pytest.mark.asyncio
async def test_the_next_call_stops_it() -> None:
    async with no_hang(), kibitz() as engine:
        pondering = await engine.ponder(START, Limit(depth=2))
        assert (await engine.play(START, Limit(depth=1))).move is not None
        with pytest.raises(EngineError, match="not ponder on that any more"):
            pondering.hit()
        # Neither when another is under way, whose `ponderhit` it would be.
        await engine.ponder(START, Limit(depth=2))
        with pytest.raises(EngineError, match="not ponder on that any more"):
            pondering.hit()


@pytest.mark.asyncio
async def test_stopped_it_answers() -> None:
    async with no_hang(), kibitz() as engine:
        pondering = await engine.ponder(START, Limit(depth=50))
        pondering.stop()
        assert (await pondering.wait()).move is not None


@pytest.mark.asyncio
async def test_a_dead_engine_is_told() -> None:
    async with no_hang(), faulty("crash-in-go") as engine:
        with pytest.raises(EngineTerminated):
            await (await engine.ponder(Setup(), Limit(depth=1))).wait()


@pytest.mark.asyncio
async def test_the_time_of_an_answer_is_measured() -> None:
    async with no_hang(), kibitz() as engine:
        result = await engine.play(START, Limit(time=0.2))
        assert result.elapsed is not None
        # Never shorter than the engine was told to think; how much longer is the machine's.
        assert result.elapsed > 0.1


@pytest.mark.asyncio
async def test_several_questions_at_once() -> None:
    async with no_hang(), kibitz() as engine:
        answers = await engine.queries(START, "gameover", "result", "nonsense", "p1turn")
        assert answers == ["false", "none", "unknown", "true"]
