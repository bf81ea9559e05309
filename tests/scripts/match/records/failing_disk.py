"""Disks that stop: in the middle of a write or between two steps, with and without power."""

import os
import shutil
from pathlib import Path

from kibitz.scripts.match.records.disk import Disk


class Cut(BaseException):
    """The process is gone."""


class CutDisk(Disk):
    """A disk that is cut off after so many steps; each byte that is written is a step.

    What was written stays, as it does when a process is killed.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.between: list[int] = []
        """How many steps were left at each moment that was not in the middle of a write."""

    def _step(self) -> None:
        self.between.append(self.steps)
        if self.steps <= 0:
            raise Cut
        self.steps -= 1

    def open(self, path: Path) -> int:
        self._step()
        return super().open(path)

    def create(self, path: Path) -> int:
        self._step()
        return super().create(path)

    def write(self, file: int, data: bytes) -> int:
        self.between.append(self.steps)
        if len(data) > self.steps:
            os.write(file, data[: self.steps])
            self.steps = 0
            raise Cut
        # As much as a disk may take at once; the rest has to be asked for again.
        written = super().write(file, data[:200])
        self.steps -= written
        return written

    def truncate(self, file: int, size: int) -> None:
        self._step()
        super().truncate(file, size)

    def sync(self, file: int) -> None:
        # Nothing here loses power, and the real thing is slow.
        self._step()

    def rename(self, path: Path, new: Path) -> None:
        self._step()
        super().rename(path, new)

    def make_folder(self, folder: Path) -> None:
        self._step()
        super().make_folder(folder)

    def sync_folder(self, folder: Path) -> None:
        self._step()


class PowerlessDisk(CutDisk):
    """A disk that keeps nothing but what was synced: call `lose_power` when it was cut off.

    File content is kept by inode and names by folder, each as of its last sync.
    """

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self._content: dict[int, bytes] = {}
        self._names: dict[Path, dict[str, int]] = {}
        self._kept: list[int] = []

    def open(self, path: Path) -> int:
        is_new = not path.exists()
        file = super().open(path)
        return self._keep(file, is_new)

    def create(self, path: Path) -> int:
        return self._keep(super().create(path), True)

    def _keep(self, file: int, is_new: bool) -> int:
        """Keep an inode from being used again, and forget what it once held."""
        self._kept.append(os.dup(file))
        if is_new:
            self._content.pop(os.fstat(file).st_ino, None)
        return file

    def sync(self, file: int) -> None:
        super().sync(file)
        status = os.fstat(file)
        self._content[status.st_ino] = os.pread(file, status.st_size, 0)

    def sync_folder(self, folder: Path) -> None:
        super().sync_folder(folder)
        self._names[folder] = {entry.name: entry.inode() for entry in os.scandir(folder)}

    def lose_power(self, folder: Path) -> None:
        """Leave in a folder just what was synced."""
        for file in self._kept:
            os.close(file)
        if folder.name not in self._names.get(folder.parent, {}):
            shutil.rmtree(folder, ignore_errors=True)
            return
        shutil.rmtree(folder)
        folder.mkdir()
        for name, inode in self._names.get(folder, {}).items():
            (folder / name).write_bytes(self._content.get(inode, b""))
