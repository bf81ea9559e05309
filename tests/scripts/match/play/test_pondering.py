"""Thinking in the enemy's time, and programs on the processors that were chosen."""

import os
import shlex
from pathlib import Path

import pytest

from kibitz.protocol.client import Option
from kibitz.scripts.match.play.engine_keeper import options_of
from kibitz.scripts.match.records.records import Outcome
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    EngineSettings,
    OptionValue,
)
from tests.scripts.match.matches import HANGS_AFTER, KIBITZ, Played, command, match_of, player

SHORT = AdjudicationSettings(maxmoves=6)


def heard(log: Path, cmd: str) -> str:
    """A command whose input goes into a file as well."""
    return f"sh -c {shlex.quote(f'tee -a {shlex.quote(str(log))} | {cmd}')}"


def ponderer(log: Path, **given: object) -> EngineSettings:
    """An engine that expects the first legal move, always, and thinks about it."""
    cmd = heard(log, command("random_mover", "--game", "jarmo", "--expects"))
    return player("ponderer", cmd, ponder=True, tc=f"{HANGS_AFTER}+1", **given)


def orders(log: Path) -> list[str]:
    lines = log.read_text(encoding="utf-8").splitlines()
    return [
        " ".join(line.split()[:2]) if line.startswith("go ponder") else line.split()[0]
        for line in lines
        if line.split()[0] in ("go", "ponderhit", "stop")
    ]


def test_the_expected_move_is_a_hit(tmp_path: Path) -> None:
    log = tmp_path / "log"
    enemy = player("first", command("random_mover", "--game", "jarmo", "--first"))
    settings = match_of("jarmo", [ponderer(log), enemy], games=1, adjudication=SHORT)
    (record,) = Played(settings).records
    assert record.outcome is Outcome.LENGTH
    assert len(record.moves) == 12
    # Six moves, all but the first of them thought about before.
    assert orders(log)[:11] == ["go"] + ["go ponder", "ponderhit"] * 5


def test_another_move_is_none(tmp_path: Path) -> None:
    log = tmp_path / "log"
    enemy = player("enemy", command("random_mover", "--game", "jarmo", "--seed", "5"))
    settings = match_of("jarmo", [ponderer(log), enemy], games=1, adjudication=SHORT)
    (record,) = Played(settings).records
    assert record.outcome is Outcome.LENGTH
    found = orders(log)
    assert found.count("go") + found.count("ponderhit") == 6
    # The last one is ended with the engine.
    assert found.count("go ponder") == found.count("stop") + found.count("ponderhit") + 1
    assert "stop" in found


def test_kibitz_ponders() -> None:
    engines = [player(name, KIBITZ, ponder=True, tc=f"{HANGS_AFTER}+1", depth=3) for name in "ab"]
    records = Played(match_of("jarmo", engines, adjudication=SHORT)).records
    assert [record.outcome for record in records] == [Outcome.LENGTH] * 2


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system has no affinity")
def test_affinity(tmp_path: Path) -> None:
    processor = min(os.sched_getaffinity(0))
    mover = command("random_mover", "--game", "jarmo")
    shown = tmp_path / "shown"
    cmd = (
        f"sh -c {shlex.quote(f'grep Cpus_allowed_list /proc/self/status > {shown}; exec {mover}')}"
    )
    engine = player("bound", cmd, affinity=(processor,))
    settings = match_of("jarmo", [engine, player("free", mover)], games=1, adjudication=SHORT)
    assert Played(settings).records
    assert shown.read_text(encoding="utf-8").split() == ["Cpus_allowed_list:", str(processor)]


PONDER = Option(name="ponder", kind="check", default="false")


@pytest.mark.parametrize(
    ("ponder", "given", "listed", "wanted"),
    [
        (True, {}, {"ponder": PONDER}, {"ponder": True}),
        (True, {"Hash": 5}, {"ponder": PONDER}, {"Hash": 5, "ponder": True}),
        (True, {"Ponder": False}, {"ponder": PONDER}, {"Ponder": False}),
        (True, {}, {}, {}),
        (False, {}, {"ponder": PONDER}, {}),
    ],
)
def test_the_option_ponder_is_set(
    ponder: bool,
    given: dict[str, OptionValue],
    listed: dict[str, Option],
    wanted: dict[str, OptionValue],
) -> None:
    settings = EngineSettings(cmd="x", ponder=ponder, options=given)
    assert options_of(settings, listed) == wanted
