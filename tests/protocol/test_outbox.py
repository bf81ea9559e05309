import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.protocol.outbox import PIECE, Outbox


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def test_everything_is_written_in_order(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    outbox.put(b"one\n")
    outbox.put(b"two\n")
    assert outbox.size == 8
    outbox.flush()
    assert outbox.size == 0
    assert os.read(pipe[0], 100) == b"one\ntwo\n"


def test_a_full_pipe_never_blocks(pipe: tuple[int, int]) -> None:
    """The pipe is in blocking mode: a write too many would hang the test."""
    assert os.get_blocking(pipe[1])
    outbox = Outbox(pipe[1])
    data = os.urandom(1_000_000)
    outbox.put(data)
    outbox.flush()
    assert 0 < outbox.size < len(data)
    read = b""
    while len(read) < len(data):
        read += os.read(pipe[0], 3 * PIECE)
        outbox.flush()
    assert read == data
    assert outbox.size == 0


def test_a_reader_that_has_gone(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    os.close(pipe[0])
    outbox.put(b"x")
    outbox.flush()
    assert outbox.is_broken
    outbox.put(b"x")
    assert outbox.size == 0


def test_a_file_is_written_at_once(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        outbox = Outbox(file.fileno())
        outbox.put(b"x" * 1_000_000)
        outbox.flush()
        assert outbox.size == 0
    assert (tmp_path / "out").stat().st_size == 1_000_000
