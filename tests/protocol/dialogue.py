r"""Runs scripted dialogues against the real program: what is sent, and what must come back.

A dialogue is a text file of lines:

    # TEXT          a comment
    > TEXT          send TEXT and the end of a line
    >raw TEXT       send TEXT with the escapes of Python (\r, \t, \xff), and nothing more
    >fill N TEXT    send TEXT N times, and nothing more
    >end            close the input
    < PATTERN       the next line must match
    <* PATTERN      any number of next lines that match are passed over
    <+ PATTERN      the same, but there must be at least one
    <.. PATTERN     any lines are passed over, up to and with the first that matches
    <exit N         there must be no more lines, and the program ends with status N

In a PATTERN `...` is any text, `$name` one word and `${name}` any text that is kept under
that name; when the name has a text already, the line must have the same one. What is sent
can hold names too. A dialogue without `<exit` is ended by the end of input and `<exit 0`.

Nothing must ever come on the program's standard error. There are no pauses; the one time
limit is there so that a program that hangs fails the test.
"""

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self

FOLDER = Path(__file__).parent.parent / "dialogues"
PROGRAM = (sys.executable, "-m", "kibitz.scripts.main")
HANGS_AFTER = 120.0

_NAME = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_HOLES = re.compile(r"\.\.\.|\$\{\w+\}|\$\w+")


class Program:
    """The real program as a subprocess, talked to by lines."""

    def __init__(self, arguments: tuple[str, ...] = (), **variables: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | variables,
        )
        self._guard = threading.Timer(HANGS_AFTER, self.process.kill)
        self._guard.daemon = True
        self._guard.start()
        self._seen: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.cancel()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def send(self, data: str | bytes) -> None:
        """Send bytes, or a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(data if isinstance(data, bytes) else data.encode() + b"\n")
        self.process.stdin.flush()

    def close_input(self) -> None:
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()

    def peek(self) -> str | None:
        """Give the next line without taking it; None at the end of output."""
        if self._seen is None:
            assert self.process.stdout is not None
            line = self.process.stdout.readline().decode()
            if not line:
                return None
            assert line.endswith("\n"), f"a line without an end: {line!r}"
            self._seen = line[:-1]
        return self._seen

    def read(self) -> str:
        line = self.peek()
        assert line is not None, "the program ended"
        self._seen = None
        return line

    def ask(self, question: str) -> str:
        """Send a line and read one."""
        self.send(question)
        return self.read()

    def finish(self) -> int:
        """Wait for the end, after which there must be nothing left to read."""
        assert self.peek() is None, f"too much was written: {self.peek()}"
        self.close_input()
        status = self.process.wait(HANGS_AFTER)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return status


def matches(pattern: str, line: str, names: dict[str, str]) -> bool:
    """Tell whether a line matches, and keep what its names stand for."""
    expression = ""
    end = 0
    for hole in _HOLES.finditer(pattern):
        expression += re.escape(pattern[end : hole.start()])
        end = hole.end()
        name = hole[0].strip("${}.")
        if not name:
            expression += ".*"
        elif name in names:
            expression += re.escape(names[name])
        else:
            expression += f"(?P<{name}>.*)" if "{" in hole[0] else rf"(?P<{name}>\S+)"
    found = re.fullmatch(expression + re.escape(pattern[end:]), line)
    if found is None:
        return False
    names.update(found.groupdict())
    return True


def hold(lines: list[str], given: Mapping[str, str], arguments: tuple[str, ...] = ()) -> None:
    """Hold a dialogue; `given` are names that have a text from the start."""
    names = dict(given)
    with Program(arguments) as program:
        for number, line in enumerate(lines, 1):
            try:
                if _turn(program, line, names):
                    return
            except (AssertionError, BrokenPipeError) as error:
                raise AssertionError(f"line {number}, {line}: {error}") from error
        program.close_input()
        assert program.finish() == 0


def _turn(program: Program, line: str, names: dict[str, str]) -> bool:
    """Do one line of a dialogue; gives True at its end."""
    kind, _, text = line.partition(" ")
    if kind == ">":
        program.send(_filled(text, names))
    elif kind == ">raw":
        program.send(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))
    elif kind == ">fill":
        count, _, piece = text.partition(" ")
        program.send(int(count) * piece.encode())
    elif kind == ">end":
        program.close_input()
    elif kind == "<":
        read = program.read()
        assert matches(text, read, names), f"read {read!r}"
    elif kind in ("<*", "<+"):
        passed = 0
        while (seen := program.peek()) is not None and matches(text, seen, dict(names)):
            program.read()
            passed += 1
        assert passed or kind == "<*", f"read {program.peek()!r}"
    elif kind == "<..":
        while not matches(text, program.read(), names):
            pass
    elif kind == "<exit":
        assert program.finish() == int(text)
        return True
    else:
        assert not line or line.startswith("#"), "this is no line of a dialogue"
    return False


def _filled(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: names[name[1] or name[2]], text)
