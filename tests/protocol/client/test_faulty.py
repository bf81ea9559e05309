"""The engine client with engines that misbehave."""

import os
import sys

import anyio
import pytest

from kibitz.protocol.client import (
    BadOption,
    EngineError,
    EngineRefused,
    EngineTerminated,
    EngineTimeout,
    Limit,
    Score,
    Setup,
    Unsupported,
    handshake,
)
from kibitz.protocol.client import engine as engine_module
from kibitz.protocol.client import process as process_module
from tests.protocol.client.programs import HANGS_AFTER, dies, faulty, is_alive, no_hang, pid_of

pytestmark = pytest.mark.asyncio
DEEP = Limit(depth=1)
LONG = Limit(nodes=10**9)
START = Setup()


async def test_one_without_faults() -> None:
    async with no_hang(), faulty() as engine:
        pid = pid_of(engine)
        assert engine.dialect == "ugi"
        result = await engine.play(START, DEEP)
        assert (result.move, result.expected) == ("a", "b")
        assert result.score == Score(mate=2)
        assert result.info.time == 1.5
        assert result.notes == ("thinking",)
        assert await engine.legal_moves(START) == ("a", "b")
    assert not is_alive(pid)


@pytest.mark.parametrize("fault", ["uci-only", "rude"])
async def test_uci_is_tried_next(fault: str) -> None:
    async with no_hang(), faulty(fault, "no-queries") as engine:
        assert engine.dialect == "uci"
        # UCI counts moves of one side.
        assert (await engine.play(START, DEEP)).score == Score(mate=3)
        with pytest.raises(Unsupported):
            await engine.legal_moves(START)
        with pytest.raises(Unsupported):
            await engine.result(START)
        assert (await engine.play(START, DEEP)).move == "a"


async def test_who_answers_nothing_but_uci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "_SHARE", 0.01)
    async with no_hang(), faulty("deaf") as engine:
        assert engine.dialect == "uci"
        assert (await engine.play(START, DEEP)).move == "a"


async def test_who_is_only_slow_speaks_ugi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "_SHARE", 0.01)
    async with no_hang(), faulty("late") as engine:
        assert engine.dialect == "ugi"
        assert (await engine.play(START, DEEP)).score == Score(mate=2)


@pytest.mark.parametrize("dialect", [None, "ugi", "uci"])
async def test_who_answers_nothing_at_all(dialect: str | None) -> None:
    with pytest.raises(EngineTimeout, match="answer"):
        async with no_hang(), faulty("silent", dialect=dialect, timeout=0.1):
            pass


async def test_crash_at_the_start() -> None:
    with pytest.raises(EngineTerminated, match=r"status 3.*no licence") as ended:
        async with no_hang(), faulty("crash-at-start"):
            pass
    assert (ended.value.status, ended.value.stderr) == (3, ("no licence",))


async def test_crash_in_a_search() -> None:
    async with no_hang(), faulty("crash-in-go") as engine:
        with pytest.raises(EngineTerminated) as ended:
            await engine.play(START, LONG)
        assert (ended.value.status, ended.value.stderr) == (3, ("first words", "the reason why"))
        with pytest.raises(EngineTerminated):
            await engine.ping()
        with pytest.raises(EngineTerminated):
            await engine.play(START, LONG)


async def test_crash_is_told_to_everyone_who_waits() -> None:
    async with no_hang(), faulty("crash-in-go") as engine:
        ended = []

        async def call() -> None:
            with pytest.raises(EngineTerminated) as error:
                await engine.play(START, LONG)
            ended.append(error.value)

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(call)
        # Each has its own exception, with its own trace.
        assert len({id(error) for error in ended}) == 3


async def test_crash_ends_an_analysis() -> None:
    async with no_hang(), faulty("crash-in-go") as engine:
        async with engine.analysis(START) as analysis:
            assert (await anext(analysis)).pv == ("a",)
            with pytest.raises(EngineTerminated):
                await anext(analysis)
        with pytest.raises(EngineTerminated):
            await analysis.wait()


async def test_killed() -> None:
    async with no_hang(), faulty("killed-in-go") as engine:
        with pytest.raises(EngineTerminated, match="signal 9"):
            await engine.play(START, LONG)


async def test_output_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_EXIT", 0.1)
    monkeypatch.setattr(engine_module, "PATIENCE", 0.1)
    async with no_hang(), faulty("closes-output") as engine:
        pid = pid_of(engine)
        with pytest.raises(EngineTerminated, match="closed its output"):
            await engine.play(START, LONG)
    assert not is_alive(pid)


async def test_stall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE", 0.1)
    async with no_hang(), faulty("stalls-in-go") as engine:
        with pytest.raises(EngineTimeout, match=r"0\.1 seconds"):
            await engine.play(START, LONG, timeout=0.1)
        engine.timeout = 0.1
        with pytest.raises(EngineTimeout, match="stop"):
            await engine.play(START, DEEP)
        with pytest.raises(EngineTimeout):
            await engine.ping()


async def test_the_time_of_a_limit_bounds_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE", 0.1)
    async with no_hang(), faulty("ignores-stop") as engine:
        engine.timeout = 0.1
        with pytest.raises(EngineTimeout):
            await engine.play(START, Limit(time=0.05))
        with pytest.raises(EngineTimeout):
            await engine.play(START, Limit(white_clock=0.05))


async def test_an_analysis_that_cannot_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE", 0.1)
    async with no_hang(), faulty("ignores-stop") as engine:
        engine.timeout = 0.1
        begun = engine.analysis(START)
        engine.timeout = HANGS_AFTER
        async with begun as analysis:
            with pytest.raises(EngineTimeout):
                await analysis.wait(0.05)
        assert not analysis.is_over


async def test_junk() -> None:
    async with no_hang(), faulty("junk") as engine:
        result = await engine.play(START, DEEP)
        assert (result.move, result.expected) == ("a", "b")
        assert await engine.legal_moves(START) == ("a", "b")


async def test_who_says_more_than_was_asked() -> None:
    async with no_hang(), faulty("talkative", "stray") as engine:
        for _ in range(5):
            result = await engine.play(START, DEEP)
            assert (result.move, result.expected) == ("a", "b")


async def test_endless_infos() -> None:
    async with no_hang(), faulty("endless") as engine:
        async with engine.analysis(START) as analysis:
            count = 0
            async for _ in analysis:
                count += 1
                if count == 1000:
                    break
        assert (await analysis.wait()).info.depth == 9
        assert (await engine.play(START, DEEP)).move == "a"
        with pytest.raises(EngineTimeout):
            await engine.play(START, LONG, timeout=0.05)
        assert (await engine.play(START, DEEP)).move == "a"


async def test_errors() -> None:
    async with no_hang(), faulty("errors") as engine:
        with pytest.raises(EngineRefused, match="bad_position: it is never right"):
            await engine.play(START, DEEP)
    async with no_hang(), faulty("lost") as engine:
        with pytest.raises(EngineRefused, match="bad_limit"):
            await engine.play(START, DEEP)


async def test_options_of_all_kinds() -> None:
    async with no_hang(), faulty() as engine:
        await engine.configure({"Clear Hash": None, "style": "very wild", "Ponder": True})
        await engine.configure({"Book File": "some where", "MultiPV": "3"})
        for name, value, text in (
            ("Clear Hash", "x", "button"),
            ("Style", "Tame", "one of Calm, Very Wild"),
            ("Ponder", 1, "True or False"),
            ("MultiPV", True, "a whole number"),
            ("MultiPV", 10, "from 1 to 9"),
            ("Book File", "two\nlines", "a text in one line"),
        ):
            with pytest.raises(BadOption, match=f"{name}: .*{text}"):
                await engine.configure({name: value})
        # It has no choice of games, and so plays one.
        with pytest.raises(BadOption, match="choice of a game"):
            await engine.play(Setup("jarmo"), DEEP)
        assert (await engine.play(Setup("chess"), DEEP)).move == "a"
        with pytest.raises(Unsupported, match="deals"):
            await engine.play(Setup(deal=3), DEEP)


async def test_who_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE", 0.1)
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    async with no_hang(), faulty("never-ends") as engine:
        pid = pid_of(engine)
    assert not is_alive(pid)
    async with no_hang(), faulty("never-ends") as engine:
        pid = pid_of(engine)
        await engine.close()
        assert not is_alive(pid)


async def test_what_an_engine_started_ends_with_it() -> None:
    async with no_hang(), faulty("parent") as engine:
        child = int(engine.author)
        assert is_alive(child)
    async with no_hang():
        await dies(child)


async def test_output_that_nobody_reads_keeps_no_file_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    command = [sys.executable, "-c", "import os\nwhile True: os.write(1, b'much to say' * 10000)"]
    async with no_hang():
        link = await process_module.start_process(command)
        assert await link.receive()
        # So much comes meanwhile that the rest has to wait.
        await link.close(0.2)
    assert not is_alive(link.pid)
    assert sorted(os.listdir("/proc/self/fd")) == before


async def test_no_sessions() -> None:
    async with no_hang(), faulty() as engine:
        with pytest.raises(Unsupported, match="sessions"):
            async with engine.session("a"):
                pass
        with pytest.raises(ValueError, match="one word"):
            async with engine.session("a b"):
                pass


async def test_nobody_has_begun_an_analysis() -> None:
    async with no_hang(), faulty() as engine:
        with pytest.raises(EngineError, match="context manager"):
            engine.analysis(START).stop()
