"""What the README shows is what happens; its dialogue is replayed in `tests/protocol`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```\n\$ scripts/kibitz (.*?)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def without_speed(text: str) -> str:
    return re.sub(r"^(Nodes/second:) \d+$", r"\1", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("arguments", "shown"), COMMANDS, ids=[found[0] for found in COMMANDS])
def test_commands_print_what_is_shown(arguments: str, shown: str) -> None:
    printed = run("-m", "kibitz.scripts.main", *arguments.split())
    assert without_speed(printed) == without_speed(shown)


@pytest.mark.parametrize("program", PROGRAMS)
def test_python_programs_run(program: str) -> None:
    assert run("-c", program)


def test_there_is_something_to_test() -> None:
    assert COMMANDS
    assert PROGRAMS
