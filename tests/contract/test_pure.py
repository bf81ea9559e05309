"""Compiled and uncompiled modules agree, are what they say they are, and are up to date."""

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import kibitz.engine
from kibitz.engine import sources
from kibitz.engine.game import Game
from tests.contract.data import ROOT

FOLDERS = ("engine", "protocol", "search")
COMPILED_SUFFIXES = ("*.so", "*.pyd")
# Modules that Cython makes for the others to share; they have no source here.
SHARED_BY_CYTHON = ("_cyutility",)


def compiled_files() -> list[Path]:
    """List the compiled modules beside their sources."""
    folders = [ROOT / folder for folder in FOLDERS]
    return [
        path
        for folder in folders
        for suffix in COMPILED_SUFFIXES
        for path in folder.rglob(suffix)
        if path.name.partition(".")[0] not in SHARED_BY_CYTHON
    ]


def run_trace(name: str, pure: str) -> list[str]:
    """Run the trace of a game in a process of its own."""
    # Paths of this process, so that the same kibitz is found there.
    path = os.pathsep.join([str(ROOT), *(entry for entry in sys.path if entry)])
    environment = os.environ | {sources.PURE_VARIABLE: pure, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.trace", name],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_compiled_and_uncompiled_agree(game: Game) -> None:
    compiled = run_trace(game.name, "")
    if compiled[0] == "uncompiled":
        assert not compiled_files(), "there are compiled modules, but they are not in use"
        assert not os.environ.get("KIBITZ_REQUIRE_COMPILED")
        pytest.skip("there are no compiled modules on this machine to compare with")
    uncompiled = run_trace(game.name, "1")
    assert compiled[0] == "compiled"
    assert uncompiled[0] == "uncompiled"
    assert len(compiled) > 100
    for number, (one, other) in enumerate(zip(compiled[1:], uncompiled[1:], strict=True)):
        assert one == other, f"line {number}"


def test_this_run_is_what_was_asked_for() -> None:
    wanted = sources.sources_wanted()
    assert not (wanted and sources.is_compiled())
    assert wanted or sources.is_compiled() or not compiled_files()


def declarations_of(module: Path) -> list[Path]:
    """List the files that a compiled module was made from, declarations it uses included."""
    source = module.with_name(module.name.partition(".")[0] + ".py")
    found = [source]
    waiting = [source.with_suffix(".pxd")]
    while waiting:
        path = waiting.pop()
        if path in found or not path.exists():
            continue
        found.append(path)
        text = path.read_text(encoding="utf-8")
        for package, names in re.findall(r"^from kibitz\.([\w.]+) cimport ([\w, ]+)", text, re.M):
            folder = ROOT / package.replace(".", "/")
            waiting.append(folder.with_suffix(".pxd"))
            waiting += [folder / f"{name.strip()}.pxd" for name in names.split(",")]
    return found


@pytest.mark.skipif(not compiled_files(), reason="there are no compiled modules here")
def test_no_compiled_module_is_older_than_its_sources() -> None:
    for module in compiled_files():
        used = declarations_of(module)
        assert used[0].exists(), f"{module} has no source: delete it"
        newest = max(used, key=lambda path: path.stat().st_mtime)
        assert module.stat().st_mtime >= newest.stat().st_mtime, (
            f"{module.relative_to(ROOT)} is older than {newest.relative_to(ROOT)}: build again"
        )


def declarations_alone() -> tuple[str, ...]:
    """Read from `setup.py` the declarations that have no compiled module of their own."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    found = re.search(r"^DECLARATIONS = (\(.*?\))", text, re.MULTILINE | re.DOTALL)
    assert found
    names: tuple[str, ...] = ast.literal_eval(found[1])
    return names


@pytest.mark.skipif(not compiled_files(), reason="there are no compiled modules here")
def test_every_declared_module_is_compiled() -> None:
    built = {path.with_name(path.name.partition(".")[0]) for path in compiled_files()}
    without_module = declarations_alone()
    for folder in FOLDERS:
        for declaration in (ROOT / folder).rglob("*.pxd"):
            if declaration.relative_to(ROOT).as_posix() not in without_module:
                assert declaration.with_suffix("") in built, f"{declaration} is not compiled"
    assert built


def declared_constants(text: str) -> dict[str, int]:
    """Read the constants of a `.pxd`: those of its enum, and the long ones it has as macros."""
    macros = dict(re.findall(r"^ *#define (\w+) (\w+?)(?:ULL)?$", text, re.M))
    declared = re.findall(r"^ +([A-Z]\w*) = (-?\w+)$", text, re.M)
    declared += [
        (name, macros[macro])
        for name, macro in re.findall(r'^ +const .* (\w+) "(\w+)"$', text, re.M)
    ]
    return {name: int(value, 0) for name, value in declared}


@pytest.mark.core
def test_constants_are_the_same_for_compiled_modules() -> None:
    compared = 0
    for declaration in declarations_alone():
        declared = declared_constants((ROOT / declaration).read_text(encoding="utf-8"))
        module = import_module("kibitz." + declaration.removesuffix(".pxd").replace("/", "."))
        numbers = {
            name: value
            for name, value in vars(module).items()
            if name.isupper() and isinstance(value, int)
        }
        assert declared == numbers, declaration
        compared += bool(numbers)
    assert compared >= 3


def test_the_tested_package_is_this_tree() -> None:
    """An installed copy elsewhere would pass or fail tests of code that is not here."""
    assert kibitz.engine.__file__ is not None
    assert Path(kibitz.engine.__file__).resolve().parent == ROOT / "engine"
