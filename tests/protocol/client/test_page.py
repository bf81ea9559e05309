"""The programs of docs/client.md run."""

import argparse
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.protocol import client
from kibitz.protocol.bridge import HANDSHAKE, PATIENCE
from kibitz.protocol.client import Engine, Remote
from kibitz.protocol.client.silence import KEEPALIVE
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.server.settings import load
from kibitz.scripts.connect_command import add_arguments

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_everything_is_mentioned() -> None:
    assert len(PROGRAMS) == 4
    words = set(re.findall(r"\w+", PAGE))
    assert set(client.__all__) - {"Analysis", "Option", "Replay", "SimpleAnalysis"} <= words
    for kind in (Engine, Remote):
        members = {n: m for n, m in inspect.getmembers(kind) if not n.startswith("_")}
        assert members.keys() <= words
        for member in filter(inspect.isfunction, members.values()):
            assert set(inspect.signature(member).parameters) - {"self"} <= words, member


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
def test_no_program_waits_for_just_one_depth(page: Path) -> None:
    """It may be skipped, and then the program never ends."""
    assert not re.search(r"depth\s*==|==\s*\w+\.depth", page.read_text(encoding="utf-8"))


def test_what_applies_when_nothing_is_said() -> None:
    opened = inspect.signature(Remote.open_server).parameters
    assert f"| `keepalive` | {opened['keepalive'].default:g} |" in PAGE
    assert opened["grace"].default is None
    assert f"for `keepalive` seconds ({KEEPALIVE:g} when left out)" in re.sub(r"\s+", " ", PAGE)
    assert inspect.signature(Engine.open_server).parameters["keepalive"].default == KEEPALIVE
    assert "| `grace` | as long as the server keeps what it had begun, " in PAGE
    assert (
        f"begun, {load('', {}).settings.grace_seconds:g} if its settings say nothing else" in PAGE
    )
    assert f"`timeout` seconds, {opened['timeout'].default:g} if nothing else is said" in PAGE
    assert f"`--patience SECONDS` ({PATIENCE:g} when left out)" in PAGE
    assert f"but {HANDSHAKE:g} seconds at most" in PAGE
    given = argparse.ArgumentParser()
    add_arguments(given)
    assert float(given.parse_args(["here:1"]).patience) == PATIENCE


def test_what_a_bridge_can_end_with() -> None:
    """The codes of its table are codes, and none of them blames the program for a bug."""
    part = PAGE[PAGE.index("## Programs that know no servers") :]
    codes = re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
    assert codes == ["no_session", "denied", "over_limit", "bad_command"]
    assert {*codes} <= {str(code) for code in ErrorCode} - {"internal"}
