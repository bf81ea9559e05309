"""The client without `async`: it does what the asynchronous one does, and looks like it."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.protocol.client import (
    CannotOpen,
    Engine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Limit,
    Setup,
    SimpleAnalysis,
    SimpleEngine,
    SimpleRemote,
)
from tests.protocol.client.programs import KIBITZ, faulty_command, is_alive


def test_a_game() -> None:
    with SimpleEngine.open_process(KIBITZ) as engine:
        assert engine.name.startswith("kibitz ")
        assert engine.dialect == "ugi"
        assert "Hash" in engine.options
        result = engine.play(Setup("jarmo"), Limit(depth=4))
        assert result.move in engine.legal_moves(Setup("jarmo"))
        assert not engine.result(Setup("jarmo")).is_over
        assert engine.query("game") == "jarmo"
        engine.configure({"Hash": 4})
        engine.new_game()
        assert engine.ping() >= 0


def test_analysis() -> None:
    with SimpleEngine.open_process(KIBITZ) as engine:
        with engine.analysis(Setup("talisman"), multipv=2) as analysis:
            for info in analysis:
                if info.depth is not None and info.depth >= 3 and info.multipv == 2:
                    break
            assert not analysis.is_over
            analysis.stop()
            assert analysis.wait(60).move
        assert len(analysis.lines) == 2
        with engine.analysis(Setup("talisman"), Limit(depth=2)) as analysis:
            assert [info.depth for info in analysis][-1] == 2


def test_the_time_that_things_may_take_can_be_changed() -> None:
    with SimpleEngine.open_process(faulty_command("stalls-in-go")) as engine:
        assert engine.timeout == 10
        engine.timeout = 0.1
        for call in (lambda: engine.play(Setup(), Limit(depth=1), timeout=0.1), engine.ping):
            with pytest.raises(EngineTimeout, match=r"0\.1 seconds"):
                call()
    with SimpleRemote.open_process(KIBITZ) as remote:
        assert remote.timeout == 10
        remote.timeout = 0.0
        with pytest.raises(EngineTimeout):
            remote.ping()


def test_errors_and_ends() -> None:
    with pytest.raises(CannotOpen):
        SimpleEngine.open_process("/nothing/here")
    with SimpleEngine.open_process(faulty_command("crash-in-go")) as engine:
        pid = int(engine.name.split()[1])
        with pytest.raises(EngineTerminated, match="the reason why"):
            engine.play(Setup(), Limit(depth=1))
    assert not is_alive(pid)
    with pytest.raises(EngineError, match="closed"):
        engine.ping()


@pytest.mark.parametrize("end", [SimpleEngine.quit, SimpleEngine.close])
def test_without_a_context(end: object) -> None:
    assert callable(end)
    engine = SimpleEngine.open_process(faulty_command())
    pid = int(engine.name.split()[1])
    end(engine)
    assert not is_alive(pid)


def test_whoever_forgets_to_end_it_leaves_nothing_behind() -> None:
    program = f"""
from kibitz.protocol.client import SimpleEngine
engine = SimpleEngine.open_process({faulty_command()!r})
print(engine.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert not is_alive(int(done.stdout.split()[1]))


def test_it_looks_like_the_asynchronous_one() -> None:
    for simple, source in ((SimpleEngine, Engine),):
        for name, member in vars(source).items():
            if name.startswith("_") or name in ("open_stream", "timeout"):
                continue
            ours = inspect.getattr_static(simple, name)
            assert inspect.getdoc(getattr(ours, "__func__", ours)), name
            if inspect.isfunction(member):
                assert inspect.signature(getattr(simple, name)).parameters.keys() == (
                    inspect.signature(member).parameters.keys()
                )
    assert SimpleEngine.play.__doc__ == Engine.play.__doc__
    assert SimpleAnalysis.__doc__


TYPED = """
from kibitz.protocol.client import Limit, Setup, SimpleEngine

with SimpleEngine.open_process("kibitz") as engine:
    reveal_type(engine)
    reveal_type(engine.name)
    reveal_type(engine.play(Setup("jarmo"), Limit(depth=1), timeout=3))
    with engine.analysis(Setup("jarmo")) as analysis:
        for info in analysis:
            reveal_type(info)
    engine.play("jarmo", Limit(depth=1))
    engine.play(Setup("jarmo"), limits=3)
"""


def test_types_are_those_of_the_asynchronous_one(tmp_path: Path) -> None:
    program = tmp_path / "typed.py"
    program.write_text(TYPED)
    root = Path(__file__).parent.parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(program)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert lines[:4] == [
        'note: Revealed type is "kibitz.protocol.client.simple.SimpleEngine"',
        'note: Revealed type is "str"',
        'note: Revealed type is "kibitz.protocol.client.values.Result"',
        'note: Revealed type is "kibitz.protocol.client.values.Info"',
    ]
    assert "expected" in lines[4]
    assert all(line.startswith("error: ") for line in lines[4:])
