"""What the results folder asks of the disk, each step by itself.

A small layer over `os`, so that tests can stop it between any two steps, or in the middle of
a write, and look at what is left. All errors are `OSError`.
"""

import os
from pathlib import Path


class Disk:
    """The real disk. Files are descriptors that only this process has."""

    def open(self, path: Path) -> int:
        """Open a file to read and to append to, making it when there is none."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)

    def create(self, path: Path) -> int:
        """Open a file, made anew and empty."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    def close(self, file: int) -> None:
        """Close a file."""
        os.close(file)

    def write(self, file: int, data: bytes) -> int:
        """Write some of the data, and say how many bytes."""
        return os.write(file, data)

    def truncate(self, file: int, size: int) -> None:
        """Cut a file to a size in bytes."""
        os.ftruncate(file, size)

    def sync(self, file: int) -> None:
        """Return when what the file holds outlives a loss of power."""
        os.fsync(file)

    def rename(self, path: Path, new: Path) -> None:
        """Give a file another name; a file that has it is gone, at the same instant."""
        path.replace(new)

    def make_folder(self, folder: Path) -> None:
        """Make a folder, if there is none, in a folder that is there."""
        folder.mkdir(exist_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Return when the names in a folder outlive a loss of power."""
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)

    # What is made of these steps.

    def append(self, file: int, data: bytes) -> None:
        """Write all of the data and sync it."""
        view = memoryview(data)
        while view:
            view = view[self.write(file, bytes(view)) :]
        self.sync(file)

    def replace(self, path: Path, data: bytes) -> None:
        """Make a file hold the data: whenever this is cut short, it holds all or what it held."""
        new = path.with_name(path.name + ".new")
        file = self.create(new)
        try:
            self.append(file, data)
        finally:
            self.close(file)
        self.rename(new, path)
        self.sync_folder(path.parent)

    def make_folders(self, folder: Path) -> None:
        """Make a folder and those it is in, as far as they are not there."""
        if not folder.is_dir():
            self.make_folders(folder.parent)
            self.make_folder(folder)
            self.sync_folder(folder.parent)
