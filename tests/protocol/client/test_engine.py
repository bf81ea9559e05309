"""The engine client with the real program."""

from pathlib import Path

import anyio
import pytest

from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.version import VERSION
from kibitz.protocol.client import (
    BadOption,
    CannotOpen,
    Engine,
    EngineRefused,
    EngineTerminated,
    Limit,
    Setup,
    Side,
    Unsupported,
)
from tests.protocol.client.programs import kibitz
from tests.scripts.match.engine_programs import stones

pytestmark = pytest.mark.asyncio
JARMO = Play(find_game("jarmo"), {}).legal_tokens()


async def test_who_it_is() -> None:
    async with kibitz() as engine:
        assert engine.name == f"kibitz {VERSION}"
        assert engine.author
        assert engine.dialect == "ugi"
        assert engine.client_name == ""
        assert engine.options["Game"].choices == GAME_NAMES
        assert engine.options["Hash"].least == 1
        assert await engine.ping() >= 0


async def test_uci_when_asked() -> None:
    async with kibitz("uci") as engine:
        assert engine.dialect == "uci"
        assert engine.options["UCI_Variant"].choices == GAME_NAMES
        result = await engine.play(Setup("jarmo"), Limit(depth=3))
        assert result.expected is not None
        assert result.info.depth == 3


async def test_analyse(game: Game) -> None:
    async with kibitz() as engine:
        setup = Setup(game.name)
        result = await engine.analyse(setup, Limit(depth=2), multipv=2)
        assert [line.multipv for line in result.lines] == [1, 2]
        moves = await engine.legal_moves(setup)
        assert result.move in moves
        assert result.info.pv[0] == result.move
        assert result.score == result.info.score
        assert result.info.side is Side.WHITE
        assert moves == tuple(Play(game, {}).legal_tokens())
        only = await engine.analyse(setup, Limit(nodes=500), root_moves=[moves[-1]])
        assert only.move == moves[-1]


async def test_play_a_whole_game() -> None:
    play = Play(find_game("jasir"), {})
    async with kibitz() as engine:
        while not play.is_over:
            result = await engine.play(Setup.of(play), Limit(depth=1))
            assert result.move is not None
            play.push(result.move)
            assert (result.info.side == Side.WHITE) == (len(play.tokens) % 2 == 1)
        verdict = await engine.result(Setup.of(play))
        assert verdict.is_over
        assert (verdict.result, verdict.reason) == (play.result, play.reason)
        assert verdict.points == play.points
        assert (await engine.play(Setup.of(play), Limit(depth=1))).move is None
        assert await engine.legal_moves(Setup.of(play)) == ()


async def test_setups_leave_nothing_behind() -> None:
    jarmo = Play(find_game("jarmo"), {"QuietLimit": "3"})
    async with kibitz() as engine:
        await engine.legal_moves(Setup.of(jarmo))
        assert "QuietLimit=3" in await engine.query("options")
        await engine.legal_moves(Setup("jarmo"))
        assert "QuietLimit=-1" in await engine.query("options")
        await engine.configure({"quietlimit": 7, "MultiPV": 2})
        await engine.legal_moves(Setup.of(jarmo))
        assert "QuietLimit=3" in await engine.query("options")
        result = await engine.analyse(Setup("jarmo"), Limit(depth=1))
        assert "QuietLimit=7" in await engine.query("options")
        assert len(result.lines) == 2
        assert len((await engine.play(Setup("jarmo"), Limit(depth=1))).lines) == 1
        assert await engine.query("game") == "jarmo"
        await engine.legal_moves(Setup())
        assert await engine.query("game") == GAME_NAMES[0]


async def test_starts() -> None:
    async with kibitz() as engine:
        dealt = Setup("trollchess", deal=5)
        assert await engine.query("deal", dealt) == "5"
        text = await engine.query("fen", dealt)
        assert await engine.query("fen", Setup("trollchess", text=text)) == text
        assert await engine.query("islegal nonsense") != "true"
        with pytest.raises(Unsupported):
            await engine.query("nonsense")


async def test_a_very_long_game_is_sent_in_pieces() -> None:
    play = Play(find_game("krepost"), {})
    moves = ("a" * 1000 for _ in range(100))
    async with kibitz() as engine:
        with pytest.raises(EngineRefused) as refused:
            await engine.legal_moves(Setup("krepost", tuple(moves), text=play.text))
        assert refused.value.code == "bad_move"


async def test_refusals() -> None:
    async with kibitz() as engine:
        for setup, code in (
            (Setup("jarmo", ["a1a1"]), "bad_move"),
            (Setup("jarmo", text="nonsense"), "bad_position"),
            (Setup("jarmo", deal=1), "bad_position"),
        ):
            with pytest.raises(EngineRefused) as refused:
                await engine.play(setup, Limit(depth=1))
            assert refused.value.code == code
            assert refused.value.text
        with pytest.raises(EngineRefused) as refused:
            await engine.play(Setup("jarmo"), Limit(depth=1), root_moves=["a1a1"])
        assert refused.value.code == "bad_limit"
        with pytest.raises(ValueError, match="bound"):
            await engine.play(Setup("jarmo"), Limit())
        with pytest.raises(BadOption, match=r"Hash: '0' is not from 1 to 65536"):
            await engine.configure({"Hash": 0})
        with pytest.raises(BadOption, match="'Nonsense' is no option"):
            await engine.configure({"Hash": 2, "Nonsense": 0})
        assert "Hash=16" in await engine.query("options")
        with pytest.raises(BadOption, match="talisman"):
            await engine.play(Setup("chess"), Limit(depth=1))
        assert (await engine.play(Setup("jarmo"), Limit(depth=1))).move


async def test_analysis_is_looked_on_and_stopped() -> None:
    async with kibitz() as engine:
        async with engine.analysis(Setup("talisman"), multipv=2) as analysis:
            async for info in analysis:
                assert info.score is not None
                if info.depth is not None and info.depth >= 4 and info.multipv == 2:
                    break
            assert not analysis.is_over
            assert await engine.ping() >= 0
            assert await engine.query("game") == "talisman"
            analysis.stop()
            result = await analysis.wait()
        assert len(result.lines) == len(analysis.lines) == 2
        assert analysis.is_over


async def test_analysis_with_a_limit_ends() -> None:
    async with kibitz() as engine:
        async with engine.analysis(Setup("talisman"), Limit(depth=3)) as analysis:
            depths = [info.depth async for info in analysis]
        assert depths[-1] == 3
        assert (await analysis.wait()).move


async def test_the_next_call_stops_an_analysis() -> None:
    async with kibitz() as engine, engine.analysis(Setup("talisman")) as analysis:
        assert (await engine.play(Setup("jarmo"), Limit(depth=2))).move
        assert analysis.is_over
        assert (await analysis.wait()).move


async def test_cancelled_search_leaves_the_engine_right() -> None:
    async with kibitz() as engine:
        for _ in range(5):
            async with anyio.create_task_group() as group:
                group.start_soon(engine.analyse, Setup("krepost"), Limit(depth=99))
                async with engine.analysis(Setup("talisman")) as analysis:
                    async for _ in analysis:
                        break
                group.cancel_scope.cancel()
            moves = await engine.legal_moves(Setup("jarmo"))
            assert (await engine.play(Setup("jarmo"), Limit(depth=2))).move in moves


async def test_cancelled_at_every_step() -> None:
    """Wherever a call is cut, the next one is right."""
    async with kibitz() as engine:
        for turns in range(40):
            async with anyio.create_task_group() as group:
                group.start_soon(engine.analyse, Setup("krepost"), Limit(depth=99))
                for _ in range(turns):
                    await anyio.lowlevel.checkpoint()
                group.cancel_scope.cancel()
            assert (await engine.play(Setup("jarmo"), Limit(depth=1))).move in JARMO


async def test_calls_of_several_tasks_take_turns() -> None:
    async with kibitz() as engine:
        moves = {}

        async def play(name: str) -> None:
            moves[name] = (await engine.play(Setup(name), Limit(depth=2))).move

        async with anyio.create_task_group() as group:
            for name in GAME_NAMES:
                group.start_soon(play, name)
        for name in GAME_NAMES:
            assert moves[name] in Play(find_game(name), {}).legal_tokens()


async def test_new_game_and_quit() -> None:
    async with kibitz() as engine:
        await engine.new_game()
        await engine.quit()
        await engine.quit()
        with pytest.raises(EngineTerminated) as ended:
            await engine.ping()
        assert ended.value.status == 0


async def test_an_exception_of_the_body_comes_out_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        async with kibitz() as engine, engine.analysis(Setup("talisman")):
            raise ZeroDivisionError


async def test_the_whole_context_cancelled() -> None:
    with anyio.move_on_after(60) as scope:
        async with kibitz() as engine:
            scope.cancel()
            await engine.analyse(Setup("krepost"), Limit(depth=99))
    assert scope.cancelled_caught


async def test_there_is_no_such_program(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="No such file"):
        async with Engine.open_process(str(tmp_path / "nothing")):
            pass
    with pytest.raises(CannotOpen, match="denied"):
        async with Engine.open_process(str(tmp_path)):
            pass


async def test_environment_and_folder(tmp_path: Path) -> None:
    (tmp_path / "engine.sh").write_text('echo "id name $WHO"; echo uciok; while read l; do :; done')
    async with Engine.open_process(
        ["sh", "engine.sh"], env={"WHO": "me"}, cwd=tmp_path, dialect="uci"
    ) as engine:
        assert engine.name == "me"


async def test_sessions() -> None:
    async with kibitz() as engine, engine.session("a", "jarmo") as first:
        async with engine.session("b", "talisman") as second, second.analysis(Setup()) as analysis:
            await anext(analysis)
            assert (await first.play(Setup("jarmo"), Limit(depth=3))).move in JARMO
            assert await first.query("game") == "jarmo"
            assert await second.query("game") == "talisman"
            assert await engine.query("game") == GAME_NAMES[0]
            assert not analysis.is_over
        with pytest.raises(EngineRefused, match="zz"):
            await first.play(Setup("jarmo", ["zz"]), Limit(depth=1))
        with pytest.raises(EngineRefused, match="bad_option"):
            async with engine.session("c", "chess"):
                pass
        assert (await engine.play(Setup("jasir"), Limit(depth=2))).move


async def test_text_from_the_environment_is_no_line_of_its_own() -> None:
    async with kibitz() as engine:
        for subject in ("game\nquit", "game\rquit"):
            with pytest.raises(ValueError, match="line"):
                await engine.query(subject)
        assert await engine.query("game")


@pytest.mark.parametrize("dialect", ["ugi", "uci"])
async def test_who_knows_the_side_need_not_ask(dialect: str) -> None:
    moves = JARMO[:1]
    async with kibitz(dialect) as engine:
        setup = Setup("jarmo", moves)
        asked = await engine.play(setup, Limit(depth=3))
        told = await engine.play(setup, Limit(depth=3), side=Side.BLACK)
        assert told.move == asked.move
        assert told.info.side is Side.BLACK
        # Options that have to be set are set, whoever knows the side.
        other = await engine.play(Setup("jasir"), Limit(depth=2), side=Side.WHITE)
        assert other.move in await engine.legal_moves(Setup("jasir"))


async def test_an_error_about_the_position_comes_at_the_end_of_the_search() -> None:
    async with kibitz() as engine:
        wrong = [Setup("jarmo", ["a1a9"]), Setup("jarmo", text="nonsense")]
        for setup, code in zip(wrong, ("bad_move", "bad_position"), strict=True):
            await engine.play(Setup("jarmo"), Limit(depth=1))
            with pytest.raises(EngineRefused) as caught:
                await engine.play(setup, Limit(depth=2), side=Side.WHITE)
            assert caught.value.code == code
        assert (await engine.play(Setup("jarmo"), Limit(depth=1))).move in JARMO


@pytest.mark.parametrize("habit", [(), ("--strict",)])
async def test_results_of_engines_that_know_less(habit: tuple[str, ...]) -> None:
    async with Engine.open_process(stones(*habit)) as engine:
        verdict = await engine.result(Setup(moves=["a1"]))
        assert (verdict.result, verdict.side) == ("none", Side.BLACK)
        assert (verdict.reason, verdict.points) == (None, None)
