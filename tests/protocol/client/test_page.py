"""The programs of docs/client.md run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.protocol import client
from kibitz.protocol.client import Engine, Remote

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
        assert {name for name in vars(kind) if not name.startswith("_")} <= words
