import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz.scripts.match.records.disk import Disk
from kibitz.scripts.match.records.game_file import read_games, write_games
from kibitz.scripts.match.records.journal import (
    GAMES,
    JOURNAL,
    Journal,
    JournalError,
    read_header,
    read_journal,
)
from kibitz.scripts.match.records.records import GameRecord
from tests.scripts.match.plain import plain_record
from tests.scripts.match.records.failing_disk import Cut, CutDisk, PowerlessDisk

SETTINGS = {"engines": [{"name": "a"}, {"name": "b"}], "rounds": 2}
SEED = 7
PLENTY = 10**9


def a_match(folder: Path, games: int) -> list[GameRecord]:
    """Make a folder of a match with some games."""
    records = [plain_record(number) for number in range(1, games + 1)]
    with Journal.create(folder, SETTINGS, SEED, CutDisk(PLENTY)) as journal:
        for record in records:
            journal.append(record)
    return records


def play(folder: Path, games: int, disk: Disk, counted: list[int]) -> None:
    """Begin or go on with a match and play what is not counted yet."""
    if (folder / JOURNAL).exists():
        journal = Journal.resume(folder, SETTINGS, SEED, disk)
    else:
        journal = Journal.create(folder, SETTINGS, SEED, disk)
    with journal:
        there = {record.number for record in journal.records}
        for number in range(1, games + 1):
            if number not in there:
                journal.append(plain_record(number, moves=1))
                counted.append(number)


def check_agreement(folder: Path) -> list[int]:
    """Check that both files hold the same games, and give their numbers."""
    header, records = read_journal(folder)
    assert (header.settings, header.seed) == (SETTINGS, SEED)
    assert (folder / GAMES).read_text(encoding="utf-8") == write_games(records)
    return [record.number for record in records]


def test_games_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    records = a_match(folder, 3)
    assert read_games((folder / GAMES).read_text(encoding="utf-8")) == records
    with Journal.resume(folder) as journal:
        assert list(journal.records) == records
        assert journal.header.settings == SETTINGS
        assert journal.header.seed == SEED
        journal.append(plain_record(4))
        assert [record.number for record in journal.records] == [1, 2, 3, 4]
    assert check_agreement(folder) == [1, 2, 3, 4]


def test_a_game_counts_once(tmp_path: Path) -> None:
    with Journal.create(tmp_path, SETTINGS, SEED) as journal:
        journal.append(plain_record(1))
        with pytest.raises(JournalError, match="game 1 counts already"):
            journal.append(plain_record(1))
        journal.append(plain_record(2))
    with pytest.raises(JournalError, match="is closed"):
        journal.append(plain_record(3))
    assert check_agreement(tmp_path) == [1, 2]


def test_killed_after_every_byte(tmp_path: Path) -> None:
    games = 1
    disk = CutDisk(PLENTY)
    play(tmp_path / "whole", games, disk, [])
    steps = PLENTY - disk.steps
    assert steps > 500
    for cut in range(steps):
        folder = tmp_path / str(cut)
        counted: list[int] = []
        with pytest.raises(Cut):
            play(folder, games, CutDisk(cut), counted)
        journal = folder / JOURNAL
        whole = journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0
        assert whole in (len(counted), len(counted) + 1)
        if journal.exists():
            with Journal.resume(folder, SETTINGS, SEED, CutDisk(PLENTY)):
                assert check_agreement(folder) == list(range(1, whole + 1))
        play(folder, games, CutDisk(PLENTY), counted)
        assert check_agreement(folder) == [1]


def test_without_power_after_every_step(tmp_path: Path) -> None:
    games = 2
    whole = PowerlessDisk(PLENTY)
    play(tmp_path / "whole", games, whole, [])
    for left in whole.between:
        cut = PLENTY - left
        folder = tmp_path / str(cut)
        counted: list[int] = []
        disk = PowerlessDisk(cut)
        with pytest.raises(Cut):
            play(folder, games, disk, counted)
        disk.lose_power(folder)
        if counted or (folder / JOURNAL).exists():
            with Journal.resume(folder, SETTINGS, SEED, CutDisk(PLENTY)):
                there = check_agreement(folder)
            assert there in (counted, [*counted, len(counted) + 1])
        play(folder, games, CutDisk(PLENTY), [])
        assert check_agreement(folder) == [1, 2]


@pytest.mark.parametrize("kind", [CutDisk, PowerlessDisk])
@pytest.mark.parametrize("damage", ["torn", "more", "less", "gone", "changed"])
def test_killed_while_mending(tmp_path: Path, damage: str, kind: type[CutDisk]) -> None:
    damaged = tmp_path / "damaged"
    a_match(damaged, 2)
    games = damaged / GAMES
    if damage == "torn":
        with (damaged / JOURNAL).open("ab") as file:
            file.write(b'{"end":')
    elif damage == "more":
        with games.open("ab") as file:
            file.write(b"[Event ")
    elif damage == "less":
        games.write_bytes(games.read_bytes()[:-1])
    elif damage == "gone":
        games.unlink()
    else:
        games.write_bytes(games.read_bytes().replace(b"test", b"tost"))

    folder = shutil.copytree(damaged, tmp_path / "whole")
    disk = kind(PLENTY)
    Journal.resume(folder, disk=disk).close()
    cuts = [PLENTY - left for left in disk.between]
    # In the middle of a write too, as far as what was written is not lost anyway.
    if kind is CutDisk:
        cuts += range(0, PLENTY - disk.steps, 5)
    for number, cut in enumerate(cuts):
        folder = shutil.copytree(damaged, tmp_path / str(number))
        disk = kind(PLENTY)
        sync_all(folder, disk)
        disk.steps = cut
        with pytest.raises(Cut):
            Journal.resume(folder, disk=disk)
        if isinstance(disk, PowerlessDisk):
            disk.lose_power(folder)
        with Journal.resume(folder, disk=CutDisk(PLENTY)):
            assert check_agreement(folder) == [1, 2]


def sync_all(folder: Path, disk: Disk) -> None:
    """Let a disk know that what is in a folder is there for good."""
    for path in folder.iterdir():
        file = disk.open(path)
        disk.sync(file)
        disk.close(file)
    disk.sync_folder(folder)
    disk.sync_folder(folder.parent)


def test_a_line_with_a_hole_in_it_does_not_count(tmp_path: Path) -> None:
    a_match(tmp_path, 2)
    journal = tmp_path / JOURNAL
    data = journal.read_bytes()
    journal.write_bytes(data[:-100] + bytes(50) + data[-50:])
    assert len(read_journal(tmp_path)[1]) == 1
    with Journal.resume(tmp_path):
        assert check_agreement(tmp_path) == [1]


def test_after_a_disk_has_failed_nothing_more_is_written(tmp_path: Path) -> None:
    class FullDisk(Disk):
        full = False

        def write(self, file: int, data: bytes) -> int:
            if self.full:
                super().write(file, data[:10])
                raise OSError(28, "No space left on device")
            return super().write(file, data)

    disk = FullDisk()
    with Journal.create(tmp_path, SETTINGS, SEED, disk) as journal:
        journal.append(plain_record(1))
        disk.full = True
        with pytest.raises(OSError, match="No space"):
            journal.append(plain_record(2))
        disk.full = False
        with pytest.raises(JournalError, match="could not be written"):
            journal.append(plain_record(2))
    with Journal.resume(tmp_path) as journal:
        assert check_agreement(tmp_path) == [1]
        journal.append(plain_record(2))
    assert check_agreement(tmp_path) == [1, 2]


def test_a_folder_has_one_runner(tmp_path: Path) -> None:
    a_match(tmp_path, 1)
    with Journal.resume(tmp_path):
        with pytest.raises(JournalError, match="another runner uses"):
            Journal.resume(tmp_path)
        assert len(read_journal(tmp_path)[1]) == 1
    Journal.resume(tmp_path).close()


def test_a_folder_has_one_match(tmp_path: Path) -> None:
    a_match(tmp_path, 1)
    with pytest.raises(JournalError, match="holds a match already"):
        Journal.create(tmp_path, SETTINGS, SEED)
    assert check_agreement(tmp_path) == [1]
    with pytest.raises(JournalError, match="holds no match"):
        Journal.resume(tmp_path / "other")
    with pytest.raises(JournalError, match="holds no match"):
        read_journal(tmp_path / "other")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rounds": 2}, 'engines is [{"name":"a"},{"name":"b"}] there and not set now'),
        (SETTINGS | {"rounds": 3}, "rounds is 2 there and 3 now"),
        (SETTINGS | {"seeds": None}, "seeds is not set there and null now"),
        (
            {"rounds": 2.5, "engines": [{"name": "a"}, {"name": "c", "tc": "1"}, {}]},
            "engines[2].name is 'b' there and 'c' now; engines[2].tc is not set there and '1' now; "
            "engines[3] is not set there and {} now; rounds is 2 there and 2.5 now",
        ),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    a_match(tmp_path, 1)
    with pytest.raises(JournalError) as raised:
        Journal.resume(tmp_path, settings)
    assert str(raised.value) == f"the match in {tmp_path} is another: {said}"
    with pytest.raises(JournalError, match="seed is 7 there and 8 now"):
        Journal.resume(tmp_path, SETTINGS, 8)
    # The order of keys is no difference.
    Journal.resume(tmp_path, dict(reversed(SETTINGS.items())), SEED).close()


def test_settings_can_be_a_struct(tmp_path: Path) -> None:
    class Settings(msgspec.Struct):
        sides: tuple[str, str]

    Journal.create(tmp_path, Settings(("a", "b")), SEED).close()
    with Journal.resume(tmp_path, Settings(("a", "b"))) as journal:
        assert journal.header.settings == {"sides": ["a", "b"]}
    with pytest.raises(JournalError, match=r"sides\[2\] is 'b' there and 'c' now"):
        Journal.resume(tmp_path, Settings(("a", "c")))


def changed(line: bytes, **changes: Any) -> bytes:
    return json.dumps(json.loads(line) | changes).encode()


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (0, lambda line: b"{}", "line 1: Object missing required field"),
        (0, lambda line: changed(line, format=2), "the format is 2; this is for 1"),
        (0, lambda line: changed(line, seed=8), "line 1 was changed"),
        (1, lambda line: line[:-1], "line 2: "),
        (1, lambda line: b"\xff" + line, "line 2: "),
        (1, lambda line: line.replace(b'"leg":1', b'"leg":0'), "line 2: leg: 0 is not from 1"),
        (2, lambda line: b"", "line 3: "),
        (2, lambda line: line.replace(b'"number":2', b'"number":1'), "line 3: game 1 is there tw"),
        (1, lambda line: line.replace(b'"1/2-1/2"', b'"1-0"'), "line 2: the game was changed"),
        (2, lambda line: line.replace(b'"number":2', b'"number":9'), "line 3: the game was ch"),
        (2, lambda line: line.replace(b'"a1a2"', b'"a1a3"'), "line 3: the game was changed"),
        (2, lambda line: changed(line, check=1), "its check is another"),
    ],
)
def test_damage_that_no_crash_does_is_named(
    tmp_path: Path, place: int, change: Any, said: str
) -> None:
    a_match(tmp_path, 2)
    journal = tmp_path / JOURNAL
    lines = journal.read_bytes().split(b"\n")
    lines[place] = change(lines[place])
    damaged = b"\n".join(lines)
    journal.write_bytes(damaged)
    for use in (Journal.resume, read_journal):
        with pytest.raises(JournalError, match=said):
            use(tmp_path)
    assert journal.read_bytes() == damaged


def test_the_match_can_be_read_whatever_the_games_are(tmp_path: Path) -> None:
    a_match(tmp_path, 1)
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes().replace(b'"1/2-1/2"', b'"1-0"'))
    assert read_header(tmp_path).seed == SEED
    with pytest.raises(JournalError, match="holds no match"):
        read_header(tmp_path / "other")


def test_a_first_line_that_is_not_whole_is_named(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b'{"format":1')
    with pytest.raises(JournalError, match="the first line is not whole"):
        Journal.resume(tmp_path)


RUNNER = """
import sys
from pathlib import Path
from kibitz.scripts.match.records.journal import Journal
from tests.scripts.match.plain import plain_record

with Journal.resume(Path(sys.argv[1])) as journal:
    number = len(journal.records)
    while True:
        number += 1
        journal.append(plain_record(number, moves=40))
        print(number, flush=True)
"""


def test_killed_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(1)
    Journal.create(tmp_path, SETTINGS, SEED).close()
    before = 0
    for _ in range(10):
        with subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(tmp_path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[4],
        ) as runner:
            assert runner.stdout is not None
            said = [runner.stdout.readline() for _ in range(chance.randrange(1, 4))]
            time.sleep(chance.random() * 0.01)
            runner.send_signal(signal.SIGKILL)
            said += runner.stdout.readlines()
        assert runner.returncode == -signal.SIGKILL
        counted = [int(line) for line in said if line.endswith(b"\n")]
        with Journal.resume(tmp_path):
            there = check_agreement(tmp_path)
        assert there == list(range(1, len(there) + 1))
        assert counted == list(range(before + 1, before + len(counted) + 1))
        assert len(there) - counted[-1] in (0, 1)
        before = len(there)
