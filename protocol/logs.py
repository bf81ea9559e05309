"""Structured logs: one JSON object a line on standard error, for machines and for people.

    {"time":"2026-01-31T12:00:00.123Z","level":"info","event":"listening","port":4880}

A value can hold anything that a client sent, so nothing but an encoder puts it on a line.
Writing never waits: a line that the other end has no room for is dropped, and the next one
that is written says in `dropped` how many were.
"""

import logging
import os
import select
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger as Logger

__all__ = ["Logger", "logger_of_program", "make_logger"]

MOST_TEXT = 500
"""The characters of a value that are kept: a pipe with room takes a whole line at once."""


def logger_of_program(level: str) -> Logger:
    """Make the logger that writes to standard error; to nowhere if that was closed."""
    if sys.stderr is None:
        return make_logger(level, os.open(os.devnull, os.O_WRONLY))
    return make_logger(level, sys.stderr.fileno())


def make_logger(level: str, descriptor: int) -> Logger:
    """Make a logger of events of a level and above, which writes to a descriptor."""
    logger: Logger = structlog.wrap_logger(
        _LineWriter(descriptor),
        processors=[structlog.processors.add_log_level, _complete],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
    ).bind()
    return logger


def _complete(logger: Any, method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    """Add the time, put first what is in every line, and cut what is long."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"time": time, "level": event.pop("level"), "event": event.pop("event")}
    for key, value in event.items():
        line[key] = value if isinstance(value, (int, float)) else _plain(str(value))
    return line


def _plain(text: str) -> str:
    """Cut a text, and replace what cannot be encoded: names of files may be of that kind."""
    return text[:MOST_TEXT].encode(errors="replace").decode()


class _LineWriter:
    """Writes the lines of a logger, under the method names that structlog wants."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._dropped = 0
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def info(self, **line: Any) -> None:
        """Write a line if there is room for it."""
        if self._dropped:
            line["dropped"] = self._dropped
        try:
            if not self._poll.poll(0):
                raise BlockingIOError
            os.write(self._descriptor, msgspec.json.encode(line) + b"\n")
            self._dropped = 0
        except OSError:
            # Also when standard error has been closed: the server goes on without logs.
            self._dropped += 1

    debug = warning = error = info
