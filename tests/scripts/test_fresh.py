"""When the shell commands take what is built for good, wherever they are called from."""

import os
import subprocess
from pathlib import Path

import pytest

FRESH = Path(__file__).parents[2] / "scripts" / "fresh"
FILES = ("pyproject.toml", "setup.py", "constraints.txt", "engine/position.pxd", "search/perft.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree like this one, with a stamp that is newer than its files."""
    for name in (*FILES, "protocol/hub.py", "scripts/main.py", ".venv/stamp"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1_000, 2_000 if name == ".venv/stamp" else 1_000))
    return tmp_path / "tree"


def is_fresh(root: str, folder: Path) -> bool:
    done = subprocess.run(
        ["sh", "-c", f'. "{FRESH}" && is_fresh "$1" stamp', "sh", root],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode == 0


@pytest.mark.parametrize(("root", "folder"), [(".", "."), ("..", "engine"), ("tree", "..")])
def test_from_any_folder(tree: Path, root: str, folder: str) -> None:
    assert is_fresh(root, tree / folder)
    assert is_fresh(str(tree), tree / folder)
    os.utime(tree / "search" / "perft.py", (3_000, 3_000))
    assert not is_fresh(root, tree / folder)
    assert not is_fresh(str(tree), tree / folder)


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_source_counts(tree: Path, name: str) -> None:
    os.utime(tree / name, (3_000, 3_000))
    assert not is_fresh(".", tree)


def test_without_a_stamp_nothing_is_fresh(tree: Path) -> None:
    (tree / ".venv" / "stamp").unlink()
    assert not is_fresh(".", tree)
