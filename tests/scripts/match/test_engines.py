"""The test engines without faults: the game of stones, and the random mover."""

import random
from collections import Counter

import pytest

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.client import Engine, Limit, Setup, Unsupported
from tests.protocol.client.programs import HANGS_AFTER, no_hang
from tests.scripts.match.engine_programs import answers, random_mover, stones, words
from tests.scripts.match.engines.stones import POINTS, ROWS, START, Stones

DEEP = Limit(depth=1)


def test_stones_have_draws_and_both_wins() -> None:
    results: Counter[str] = Counter()
    for seed in range(60):
        game, chance = Stones(), random.Random(seed)
        plies = 0
        while game.result == "none":
            game.push(chance.choice(game.legal()))
            plies += 1
            assert Stones.read(game.text).text == game.text
        assert game.legal() == [] or game.result == "draw"
        assert 7 <= plies <= len(POINTS)
        results[game.result] += 1
    assert set(results) == {"p1win", "p2win", "draw"}


def test_rows_of_stones() -> None:
    # Two in each of five ranks and files, and two ways of four diagonals.
    assert len(ROWS) == 2 * 5 * 2 + 2 * 4
    assert all(row.bit_count() == 4 for row in ROWS)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("5/5/5/1xxxx/5 o", "p1win"),
        ("5/3o1/2o2/1o3/o4 x", "p2win"),
        ("x4/x4/x4/o4/x4 o", "none"),
        ("xxxox/oooxo/xxxox/oooxo/xxxox o", "draw"),
        (START, "none"),
    ],
)
def test_results_of_stones(text: str, result: str) -> None:
    game = Stones.read(text)
    assert (game.result, game.text) == (result, text)


@pytest.mark.parametrize("text", ["", "5/5/5/5 x", "5/5/5/5/6 x", "5/5/5/5/5 w", "5/5/5/5/4z x"])
def test_wrong_texts_of_stones(text: str) -> None:
    with pytest.raises(ValueError, match="rank"):
        Stones.read(text)


@pytest.mark.asyncio
async def test_stones_by_the_client() -> None:
    async with no_hang(), Engine.open_process(stones(), timeout=HANGS_AFTER) as engine:
        assert (engine.name, engine.dialect) == ("Stones 1.0", "ugi")
        assert await engine.query("p1turn", Setup(moves=["a1", "b2"])) == "true"
        assert await engine.query("result") == "none"
        # Three in a row with both ends open: any search sees the end.
        setup = Setup(moves=["b2", "a5", "c2", "b5", "d2", "e5"])
        result = await engine.play(setup, Limit(depth=3))
        assert result.move in ("a2", "e2")
        assert result.score is not None
        assert result.score.mate == 1
        assert await engine.query("result", setup.after(result.move)) == "p1win"
        assert await engine.query("gameover") == "true"
        assert (await engine.play(setup.after(result.move), DEEP)).move is None
        for limit in (Limit(nodes=10), Limit(time=0.02), Limit(white_clock=0.1, black_clock=0.1)):
            assert (await engine.play(Setup(moves=["c3"]), limit)).move in POINTS
        async with engine.analysis(Setup()) as analysis:
            assert await engine.ping() >= 0
            assert (await anext(analysis)).pv
            analysis.stop()
            assert (await analysis.wait()).move in POINTS
        with pytest.raises(Unsupported):
            await engine.legal_moves(Setup())


def test_unknown_queries_of_stones() -> None:
    asked = ("position startpos moves c3", "query legalmoves", "query fen", "isready")
    assert answers(stones(), *asked) == ["response 5/5/2x2/5/5 o", "readyok"]
    strict = answers(stones("--strict"), *asked)
    assert strict == ["response unknown", "response 5/5/2x2/5/5 o", "readyok"]
    assert answers(stones("--uci"), "ugi", *asked, "uci")[-1] == "uciok"


def test_stones_ponder_and_stop() -> None:
    said = answers(
        stones(), "go ponder depth 1", "isready", "ponderhit", "stop", "go infinite", "isready",
        "query p1turn", "stop", "stop", "isready",
    )  # fmt: skip
    told = [line.split()[0] for line in said if not line.startswith("info")]
    assert told == ["readyok", "bestmove", "readyok", "response", "bestmove", "readyok"]


def first_move(*arguments: str) -> str:
    return words(answers(stones(*arguments), "go depth 1", "isready"), "bestmove")[0]


def test_seeds_and_strength_of_stones() -> None:
    seeds = [("--strength", "0", "--seed", str(seed)) for seed in range(6)]
    moves = [first_move(*seed) for seed in seeds]
    assert len(set(moves)) > 1
    assert moves[0] == first_move(*seeds[0])
    again = answers(stones("--strength", "0"), *["go depth 1"] * 6)
    assert len(set(words(again, "bestmove"))) > 1
    deep = answers(stones("--strength", "1"), "go depth 3")
    assert len(words(deep, "info")) == 1


@pytest.mark.asyncio
async def test_a_match_of_strong_and_weak_stones() -> None:
    """Two searches beat no search."""
    async with no_hang(), Engine.open_process(stones("--strict"), timeout=HANGS_AFTER) as strong:
        command = stones("--strict", "--strength", "0")
        async with Engine.open_process(command, timeout=HANGS_AFTER) as weak:
            for first, second, wanted in ((strong, weak, "p1win"), (weak, strong, "p2win")):
                setup = Setup()
                while not (verdict := await first.result(setup)).is_over:
                    player = second if verdict.side else first
                    move = (await player.play(setup, Limit(depth=2))).move
                    assert move is not None
                    setup = setup.after(move)
                assert verdict.result == wanted


@pytest.mark.asyncio
@pytest.mark.parametrize("game", ["stones", *GAME_NAMES])
async def test_random_mover(game: str) -> None:
    command = random_mover("--game", game)
    async with no_hang(), Engine.open_process(command, timeout=HANGS_AFTER) as engine:
        setup = Setup()
        for _ in range(4):
            move = (await engine.play(setup, DEEP)).move
            assert move in await engine.legal_moves(setup)
            setup = setup.after(move)
        verdict = await engine.result(setup)
        assert (verdict.result, verdict.reason) == ("none", None)
        assert await engine.query(f"islegal {move}") in ("true", "false it is not")


def test_seeds_of_the_random_mover() -> None:
    asked = ["go depth 1"] * 10
    games = [answers(random_mover("--seed", str(seed)), *asked) for seed in (1, 2, 1)]
    assert games[0] == games[2] != games[1]
    assert set(words(answers(random_mover("--first"), *asked), "bestmove")) == {"a1"}
    named = answers(random_mover(), "setoption name Game value jarmo", "query legalmoves")
    assert words(named, "response")[0].split()[:2] == ["a1a2", "b1a2"]
