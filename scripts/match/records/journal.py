"""The results folder: which games of a match count, whatever happens to the runner.

`journal.jsonl` has a line about the match and then one for each game that counts, with
everything there is to know about it; `games.txt` has the same games for people. A game
counts when its line is whole and synced. It goes to `games.txt` first, so a crash leaves
either a game there that does not count or a line that is not whole, and opening the
folder again takes both away. The line about the match comes into being whole, by a
rename: a folder either holds a match or does not. `docs/records.md` has the format.

`lock` is locked as long as a `Journal` is open; the system unlocks it when the process is gone.
"""

import fcntl
import threading
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from kibitz.engine.errors import InputError
from kibitz.scripts.match.records.disk import Disk
from kibitz.scripts.match.records.game_file import write_game
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.records.settings_digest import differences, digest_of, plain

JOURNAL = "journal.jsonl"
GAMES = "games.txt"
LOCK = "lock"
FORMAT = 1

T = TypeVar("T")


class JournalError(InputError):
    """A results folder that cannot be used; the text says which and why."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a journal: the match. `digest` is of the seed and the settings."""

    format: int
    digest: str
    seed: int
    settings: dict[str, Any]


class Line(msgspec.Struct, frozen=True):
    """Any other line: a game, and where it ends in `games.txt`.

    `end` is the length of `games.txt` in bytes with this game, `check` the CRC-32 of what
    the game added. As the game here says the same, `check` tells also whether it was changed.
    """

    end: int
    check: int
    game: GameRecord


class Journal:
    """An open results folder, made by `create` and `resume`.

    Its methods may be called by any thread, and block until the disk has done its part.
    """

    def __init__(self, folder: Path, disk: Disk, files: ExitStack) -> None:
        """Read a folder that holds a match and whose lock is held, and mend it.

        `files` closes what is open; the journal takes it over.
        """
        self.folder = folder
        self._disk = disk
        self._guard = threading.Lock()
        self._failed = False
        data = (folder / JOURNAL).read_bytes()
        self.header, lines, whole = _read(folder, data)
        self._log = _open(folder / JOURNAL, disk, files)
        if whole < len(data):
            disk.truncate(self._log, whole)
        # What was read may have been written, but not synced, by a runner that was killed.
        disk.sync(self._log)
        self._records = [line.game for line in lines]
        self._numbers = {record.number for record in self._records}
        self._end = _mend_games(folder / GAMES, lines, disk)
        self._games = _open(folder / GAMES, disk, files)
        disk.sync_folder(folder)
        self._files = files.pop_all()

    @classmethod
    def create(cls, folder: Path, settings: Any, seed: int, disk: Disk | None = None) -> Self:
        """Begin a match in a folder, which is made when there is none.

        `settings` is a dict or a struct of what JSON can hold. Raises `JournalError` when the
        folder holds a match already or another runner uses it.
        """
        disk = disk or Disk()
        ours = plain(settings)
        header = Header(format=FORMAT, digest=digest_of(ours, seed), seed=seed, settings=ours)
        disk.make_folders(folder)
        with ExitStack() as files:
            _lock(folder, disk, files)
            _begin(folder / JOURNAL, header, disk)
            return cls(folder, disk, files)

    @classmethod
    def resume(
        cls,
        folder: Path,
        settings: Any = None,
        seed: int | None = None,
        disk: Disk | None = None,
    ) -> Self:
        """Go on with the match that a folder holds.

        `settings` and `seed`, when given, have to be those of the match. Raises
        `JournalError`, which names what differs, when they are not; when there is no match;
        when another runner uses the folder; and when the journal is damaged in a way that no
        crash explains.
        """
        disk = disk or Disk()
        header = read_header(folder)
        _compare(folder, header, settings, seed)
        with ExitStack() as files:
            _lock(folder, disk, files)
            return cls(folder, disk, files)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """The games that count, in the order in which they ended."""
        return tuple(self._records)

    def append(self, record: GameRecord) -> None:
        """Write a game; when this returns, it counts.

        Raises `JournalError` for a game that counts already, and `OSError` when the disk
        fails; then nothing more can be written until the folder is opened again.
        """
        with self._guard:
            if self._failed:
                raise JournalError(f"{self.folder} is closed, or could not be written before")
            if record.number in self._numbers:
                raise JournalError(f"game {record.number} counts already")
            text = _text(record)
            end = self._end + len(text)
            line = msgspec.json.encode(Line(end, zlib.crc32(text), record)) + b"\n"
            self._failed = True
            self._disk.append(self._games, text)
            self._disk.append(self._log, line)
            self._failed = False
            self._end = end
            self._records.append(record)
            self._numbers.add(record.number)

    def close(self) -> None:
        """Close the files and unlock the folder."""
        with self._guard:
            self._failed = True
            self._files.close()


def read_journal(folder: Path) -> tuple[Header, tuple[GameRecord, ...]]:
    """Read the match and the games of a folder that a runner may be using.

    Nothing is changed, and a line that is not whole is passed over. Raises `JournalError`
    when the folder holds no match, or its journal is damaged or was changed.
    """
    header, lines, _ = _read(folder, _bytes_of(folder))
    return header, tuple(line.game for line in lines)


def read_header(folder: Path) -> Header:
    """Read the match alone, whatever the games are; raises `JournalError`."""
    return _read_header(folder, _bytes_of(folder).split(b"\n", 1))


def _bytes_of(folder: Path) -> bytes:
    try:
        return (folder / JOURNAL).read_bytes()
    except FileNotFoundError:
        raise JournalError(f"{folder} holds no match") from None


def _text(record: GameRecord) -> bytes:
    return (write_game(record) + "\n").encode()


def _open(path: Path, disk: Disk, files: ExitStack) -> int:
    file = disk.open(path)
    files.callback(disk.close, file)
    return file


def _lock(folder: Path, disk: Disk, files: ExitStack) -> None:
    """Lock a folder against other runners, until `files` are closed."""
    file = _open(folder / LOCK, disk, files)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalError(f"another runner uses {folder}") from None


def _begin(path: Path, header: Header, disk: Disk) -> None:
    """Make a journal without games where there is none."""
    if path.exists():
        raise JournalError(f"{path.parent} holds a match already; it can be resumed")
    disk.replace(path, msgspec.json.encode(header) + b"\n")


def _mend_games(path: Path, lines: Sequence[Line], disk: Disk) -> int:
    """Make the file of games hold what the journal says, and give its length in bytes."""
    data = path.read_bytes() if path.exists() else b""
    end = 0
    for line in lines:
        if not end <= line.end <= len(data) or zlib.crc32(data[end : line.end]) != line.check:
            text = b"".join(_text(line.game) for line in lines)
            disk.replace(path, text)
            return len(text)
        end = line.end
    if end < len(data):
        with ExitStack() as files:
            file = _open(path, disk, files)
            disk.truncate(file, end)
            disk.sync(file)
    return end


def _read_header(folder: Path, lines: Sequence[bytes]) -> Header:
    """Read the first of the lines, which is whole when there is anything behind it."""
    if len(lines) < 2:
        raise JournalError(f"{folder / JOURNAL}: the first line is not whole")
    header = _decode(folder, 1, lines[0], msgspec.json.Decoder(Header))
    if header.format != FORMAT:
        raise JournalError(
            f"{folder / JOURNAL}: the format is {header.format}; this is for {FORMAT}"
        )
    if header.digest != digest_of(header.settings, header.seed):
        raise JournalError(f"{folder / JOURNAL}: line 1 was changed: its digest is another")
    return header


def _read(folder: Path, data: bytes) -> tuple[Header, list[Line], int]:
    """Read a journal: the match, the games, and the length of all whole lines."""
    all_lines = data.split(b"\n")
    header = _read_header(folder, all_lines)
    others = all_lines[1:]
    whole = len(data) - len(others.pop())
    if others and b"\0" in others[-1]:
        # After a loss of power, the end of a line can be there and not its middle.
        whole -= len(others.pop()) + 1
    decoder = msgspec.json.Decoder(Line)
    lines = []
    numbers: set[int] = set()
    for place, text in enumerate(others, 2):
        line = _decode(folder, place, text, decoder)
        if line.game.number in numbers:
            raise JournalError(
                f"{folder / JOURNAL}: line {place}: game {line.game.number} is there twice"
            )
        if zlib.crc32(_text(line.game)) != line.check:
            raise JournalError(
                f"{folder / JOURNAL}: line {place}: the game was changed: its check is another"
            )
        numbers.add(line.game.number)
        lines.append(line)
    return header, lines, whole


def _decode(folder: Path, place: int, text: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise JournalError(f"{folder / JOURNAL}: line {place}: {error}") from None


def _compare(folder: Path, header: Header, settings: Any, seed: int | None) -> None:
    """Refuse settings or a seed that are not those of the match."""
    found = []
    if seed is not None and seed != header.seed:
        found.append(f"seed is {header.seed} there and {seed} now")
    if settings is not None:
        found += differences(header.settings, plain(settings))
    if found:
        raise JournalError(f"the match in {folder} is another: {'; '.join(found)}")
