"""Every fault that can be ordered really happens, and only when it was ordered."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kibitz.protocol.client import (
    Engine,
    EngineTerminated,
    EngineTimeout,
    Limit,
    Setup,
    Unsupported,
)
from kibitz.protocol.client import engine as engine_module
from kibitz.protocol.client import process as process_module
from kibitz.protocol.client.link import own_tasks
from kibitz.protocol.client.process import start_process
from tests.protocol.client.programs import HANGS_AFTER, dies, is_alive, no_hang, pid_of
from tests.scripts.match.engine_programs import answers, faulty, words
from tests.scripts.match.engines.faulty import ANYWHERE, FAULTS
from tests.scripts.match.engines.stones import POINTS

START = Setup()
DEEP = Limit(depth=1)
SOON = 0.2
WON = "position fen 5/5/5/1xxxx/5 o"
FULL = "position fen xxxox/oooxo/xxxox/oooxo/xxxox o"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE", SOON)
    monkeypatch.setattr(process_module, "_TERMINATION", SOON)
    monkeypatch.setattr(process_module, "_EXIT", 5 * SOON)


# By the client.


async def ends(engine: Engine) -> None:
    with pytest.raises(EngineTerminated) as ended:
        await engine.play(START, DEEP)
    assert ended.value.status in (1, -9)
    if ended.value.status == 1:
        assert ended.value.stderr == ("first words", "the reason why")


async def stalls(engine: Engine) -> None:
    engine.timeout = SOON
    with pytest.raises(EngineTimeout):
        await engine.play(START, Limit(time=0.01))
    with pytest.raises(EngineTimeout):
        await engine.ping()


async def closes_output(engine: Engine) -> None:
    with pytest.raises(EngineTerminated, match="closed its output"):
        await engine.play(START, DEEP)
    assert is_alive(pid_of(engine))


async def has_malformed_move(engine: Engine) -> None:
    assert (await engine.play(START, DEEP)).move == "?!"


async def has_illegal_move(engine: Engine) -> None:
    setup = Setup(moves=["a1", "b2"])
    assert (await engine.play(setup, DEEP)).move in ("a1", "b2", "f6")


async def has_no_move(engine: Engine) -> None:
    assert (await engine.play(START, DEEP)).move is None


async def has_illegal_line(engine: Engine) -> None:
    result = await engine.play(START, DEEP)
    assert result.info.pv[0] == result.move
    assert result.info.pv[1] == result.move


async def expects_an_answer(engine: Engine) -> None:
    assert (await engine.play(START, DEEP)).expected in POINTS


async def plays_all_the_same(engine: Engine) -> None:
    for _ in range(3):
        assert (await engine.play(START, DEEP)).move in POINTS


async def plays_on(engine: Engine) -> None:
    over = Setup(text=WON.removeprefix("position fen "))
    assert await engine.query("gameover", over) == "true"
    assert (await engine.play(over, DEEP)).move == "f6"


async def never_ends_a_search(engine: Engine) -> None:
    engine.timeout = SOON
    with pytest.raises(EngineTimeout, match="search"):
        await engine.play(START, Limit(depth=1, time=0.01, nodes=1, white_clock=0.01))
    engine.timeout = HANGS_AFTER
    assert await engine.ping() > 0


async def ignores_stop(engine: Engine) -> None:
    engine.timeout = SOON
    async with engine.analysis(START):
        pass
    with pytest.raises(EngineTimeout, match="stop"):
        await engine.play(START, DEEP)


async def floods(engine: Engine) -> None:
    async with engine.analysis(START, DEEP) as analysis:
        for _ in range(1000):
            assert (await anext(analysis)).depth == 9
        analysis.stop()
        assert (await analysis.wait()).move in POINTS


async def knows_no_queries(engine: Engine) -> None:
    with pytest.raises(Unsupported):
        await engine.query("p1turn", START)


async def leaves_a_child(engine: Engine) -> None:
    child = int(engine.author)
    assert is_alive(child)
    await engine.quit()
    await dies(child)


async def never_quits(engine: Engine) -> None:
    await engine.play(START, DEEP)
    await engine.quit()
    assert engine.name
    with pytest.raises(EngineTerminated, match="signal 9"):
        await engine.ping()


BY_CLIENT: list[tuple[tuple[str, ...], Callable[[Engine], Awaitable[None]]]] = [
    (("crash",), ends),
    (("killed",), ends),
    (("crash", "--when", "position"), ends),
    (("stall",), stalls),
    (("stall", "--when", "position"), stalls),
    (("closes-output",), closes_output),
    (("malformed",), has_malformed_move),
    (("illegal",), has_illegal_move),
    (("no-move",), has_no_move),
    (("empty-move",), has_no_move),
    (("illegal-pv",), has_illegal_line),
    (("ponder",), expects_an_answer),
    (("junk",), plays_all_the_same),
    (("stderr",), plays_all_the_same),
    (("plays-on",), plays_on),
    (("ignores-depth",), never_ends_a_search),
    (("ignores-nodes",), never_ends_a_search),
    (("ignores-movetime",), never_ends_a_search),
    (("ignores-clocks",), never_ends_a_search),
    (("ignores-stop",), ignores_stop),
    (("flood",), floods),
    (("no-queries",), knows_no_queries),
    (("child",), leaves_a_child),
    (("child-holds-output",), leaves_a_child),
    (("never-quits",), never_quits),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("order", "scenario"), BY_CLIENT, ids=[" ".join(order) for order, _ in BY_CLIENT]
)
async def test_by_the_client(
    order: tuple[str, ...], scenario: Callable[[Engine], Awaitable[None]]
) -> None:
    command = faulty(*order)
    async with no_hang(), Engine.open_process(command, timeout=HANGS_AFTER) as engine:
        pid = pid_of(engine)
        await scenario(engine)
    assert not is_alive(pid)


@pytest.mark.asyncio
@pytest.mark.parametrize("fault", ["crash", "killed"])
@pytest.mark.parametrize("when", ["start", "hello", "ready"])
async def test_ends_before_it_is_opened(fault: str, when: str) -> None:
    with pytest.raises(EngineTerminated):
        async with (
            no_hang(),
            Engine.open_process(faulty(fault, "--when", when), timeout=HANGS_AFTER),
        ):
            pass


@pytest.mark.asyncio
@pytest.mark.parametrize("when", ["start", "hello", "ready"])
async def test_stalls_before_it_is_opened(when: str) -> None:
    command = faulty("stall", "--when", when)
    with pytest.raises(EngineTimeout):
        async with no_hang(), Engine.open_process(command, timeout=SOON, dialect="ugi"):
            pass


# By its lines.

BY_LINES: list[tuple[str, tuple[str, ...], list[str]]] = [
    ("twice", ("go depth 1",), ["bestmove", "bestmove"]),
    ("unasked", ("isready", "go depth 1"), ["bestmove", "readyok", "bestmove"]),
    ("ready-twice", ("isready",), ["readyok", "readyok"]),
    ("late-ready", ("go infinite", "isready", "stop"), ["bestmove", "readyok"]),
    ("ends-infinite", ("go infinite", "isready", "stop"), ["bestmove", "readyok"]),
    ("ends-ponder", ("go ponder depth 1", "isready", "ponderhit"), ["bestmove", "readyok"]),
    (
        "ignores-ponderhit",
        ("go ponder depth 1", "ponderhit", "isready", "stop"),
        ["readyok", "bestmove"],
    ),
    ("stop-answered", ("stop", "isready"), ["bestmove", "readyok"]),
    ("strict-lines", ("isready\r", " isready", "isready"), ["readyok"]),
    ("two-answers", ("query p1turn",), ["response true", "response true"]),
    ("wrong-turn", ("query p1turn",), ["response false"]),
    ("wrong-second-turn", ("query p2turn",), ["response true"]),
    ("early-end", ("query gameover", "query result"), ["response true", "response p1win"]),
    ("denies-end", (WON, "query gameover", "query result"), ["response false", "response none"]),
    ("no-result", (WON, "query gameover", "query result"), ["response true", "response none"]),
    ("wrong-result", (WON, "query result"), ["response p2win"]),
    ("wrong-result", (FULL, "query result"), ["response p1win"]),
    ("ignores-fen", (WON, "query fen"), ["response 5/5/5/5/5 x"]),
    ("ignores-position", ("position startpos moves a1", "query fen"), ["response 5/5/5/5/5 x"]),
    ("no-id", ("ugi",), ["option", "option", "option", "ugiok"]),
    ("no-queries", ("query p1turn", "isready"), ["readyok"]),
]


def outline(lines: list[str]) -> list[str]:
    """Give the lines without infos; of all but responses only the first word."""
    told = [line for line in lines if not line.startswith("info")]
    return [line if line.startswith("response") else line.split()[0] for line in told]


@pytest.mark.parametrize(("fault", "sent", "wanted"), BY_LINES)
def test_by_its_lines(fault: str, sent: tuple[str, ...], wanted: list[str]) -> None:
    assert outline(answers(faulty(fault), *sent)) == wanted
    assert outline(answers(faulty(), *sent)) != wanted


BY_TEXT = [
    ("bad-greeting", ("ugi",), "ugiok and so on"),
    ("bad-option", ("ugi",), "option name Level type spin default 11 min 1 max 10"),
    ("bad-info", ("go depth 1",), "info depth one score cp 0.5 pv e1 nodes 1k"),
    ("no-score", ("go depth 1",), "info depth 1 nodes 1 time 0 pv e1"),
    ("ignores-searchmoves", ("go searchmoves a1",), "bestmove b1"),
    ("junk", ("go depth 1",), "readyo"),
    ("empty-move", ("go depth 1",), "bestmove"),
]


@pytest.mark.parametrize(("fault", "sent", "line"), BY_TEXT)
def test_by_a_line(fault: str, sent: tuple[str, ...], line: str) -> None:
    assert line in answers(faulty(fault), *sent)
    assert line not in answers(faulty(), *sent)


def test_slow() -> None:
    """It is asked for its move, and has not answered when the next one is heard."""
    assert outline(answers(faulty("slow", "--ms", "1"), "go depth 1")) == ["bestmove"]


@pytest.mark.asyncio
async def test_slow_for_a_clock() -> None:
    command = faulty("slow", "--ms", "60000", "--at", "2")
    async with no_hang(), Engine.open_process(command, timeout=HANGS_AFTER) as engine:
        assert (await engine.play(START, DEEP)).move in POINTS
        with pytest.raises(EngineTimeout):
            await engine.play(START, DEEP, timeout=SOON)


def test_how_it_ends() -> None:
    assert answers(faulty("exit-status"), "quit", status=7) == []
    assert answers(faulty("exit-status")) == []
    assert answers(faulty("short-lines"), "isready" + " " * 5000, status=1) == []
    assert answers(faulty(), "isready" + " " * 5000) == ["readyok"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fault", "searches", "ended"),
    [
        ("quit-waits", True, False),
        ("quit-waits", False, True),
        ("never-quits", False, False),
    ],
)
async def test_quit_is_not_heeded(fault: str, searches: bool, ended: bool) -> None:
    """The client says `quit`: what heeds it has no signal as its exit status."""
    async with no_hang(), Engine.open_process(faulty(fault), timeout=HANGS_AFTER) as engine:
        if ended:
            # As slow as machines are.
            engine_module.PATIENCE = HANGS_AFTER
        if searches:
            async with engine.analysis(START):
                await engine.ping()
                await engine.quit()
        else:
            await engine.quit()
        with pytest.raises(EngineTerminated, match="status 0" if ended else "signal"):
            await engine.ping()


@pytest.mark.asyncio
@pytest.mark.parametrize(("fault", "status"), [("ignores-end", -15), ("stderr", 0)])
async def test_the_end_of_its_input(fault: str, status: int) -> None:
    async with no_hang(), own_tasks() as group:
        link = await start_process(faulty(fault))
        group.start_soon(link.watch)
        await link.close(HANGS_AFTER if status == 0 else SOON)
        with pytest.raises(EngineTerminated) as ended:
            raise (await link.failure())()
        assert ended.value.status == status


# When.


def bestmoves(*order: str) -> list[str]:
    games = ["uginewgame", *["go depth 1"] * 3] * 2
    return words(answers(faulty(*order), *games), "bestmove")


def test_at_counts_the_moves_of_a_game() -> None:
    assert bestmoves("malformed").count("?!") == 6
    at_two = bestmoves("malformed", "--at", "2")
    assert [move == "?!" for move in at_two] == [False, True, False] * 2
    assert "?!" not in bestmoves("malformed", "--at", "4")


@pytest.mark.parametrize(("side", "wanted"), [("white", [1, 0]), ("black", [0, 1])])
def test_side(side: str, wanted: list[int]) -> None:
    sent = ("position startpos", "go depth 1", "position startpos moves a1", "go depth 1")
    moves = words(answers(faulty("malformed", "--side", side), *sent), "bestmove")
    assert [move == "?!" for move in moves] == wanted


def test_idle_is_just_after_a_move() -> None:
    sent = ["go depth 1"] * 3
    said = answers(faulty("crash", "--when", "idle", "--at", "2"), *sent, status=1)
    assert len(words(said, "bestmove")) == 2


def test_other_occasions_are_counted_in_the_process() -> None:
    sent = ("isready", "uginewgame", "isready", "isready")
    said = answers(faulty("crash", "--when", "ready", "--at", "3"), *sent, status=1)
    assert said == ["readyok", "readyok"]


def test_once_is_for_all_processes(tmp_path: Path) -> None:
    order = ("malformed", "--at", "1", "--once", str(tmp_path / "done"))
    assert words(answers(faulty(*order), "isready"), "bestmove") == []
    assert bestmoves(*order).count("?!") == 1
    assert bestmoves(*order).count("?!") == 0


@pytest.mark.parametrize("game", ["talisman", "jarmo", "jasir", "krepost", "trollchess"])
def test_illegal_moves_of_our_games_are_well_formed(game: str) -> None:
    from kibitz.engine.errors import MoveError
    from kibitz.engine.play import Play
    from kibitz.engine.registry import find_game

    command = faulty("illegal", "--game", game)
    (move,) = words(answers(command, "position startpos", "go depth 1"), "bestmove")
    play = Play(find_game(game), {})
    with pytest.raises(MoveError):
        play.push(move)
    # It can be read.
    play.game.read_token(play.position, move)


def test_every_fault_is_tested() -> None:
    tested = {order[0] for order, _ in BY_CLIENT} | {row[0] for row in BY_LINES}
    tested |= {row[0] for row in BY_TEXT}
    tested |= {"slow", "exit-status", "short-lines", "quit-waits", "ignores-end"}
    assert tested == set(FAULTS)
    assert set(ANYWHERE) <= set(FAULTS)
