"""An engine that is a process of its own: started, listened to, and ended for sure."""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.lowlevel import checkpoint

from kibitz.protocol.client.errors import CannotOpen, EngineTerminated
from kibitz.protocol.client.link import READ_SIZE, Failure, Link
from kibitz.protocol.framing import LineSplitter, Trouble

LAST_WORDS = 10
"""The lines of standard error that are kept."""
_MOST_WORDS = 500
_TERMINATION = 1.0
"""The seconds from asking a process to end to ending it by force."""
_EXIT = 1.0
"""The seconds to wait for the exit status of a process that closed its output."""
_LAST_READ = 1.0
"""The seconds to read what a process has left in a pipe when it ended."""


async def start_process(
    command: str | Sequence[str],
    cwd: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> "ProcessLink":
    """Start a program; a command that is one text is the program's path, without arguments.

    Raises `CannotOpen` when that fails.
    """
    words = [command] if isinstance(command, str) else list(command)
    variables = None if environment is None else os.environ | environment
    try:
        # A session of its own: Ctrl-C is for us, who then end the engine in good order, and
        # what the engine starts can be ended with it.
        process = await anyio.open_process(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=variables,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotOpen(f"{words[0] if words else ''}: cannot be started: {reason}") from error
    return ProcessLink(process)


class _Output:
    """A pipe that a process writes to; one task reads at a time."""

    def __init__(self, pipe: ByteReceiveStream | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._turn = anyio.Lock(fast_acquire=True)

    async def receive(self) -> bytes:
        """Read some bytes; none at the end."""
        async with self._turn:
            try:
                return await self._pipe.receive(READ_SIZE)
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return b""

    async def close(self) -> None:
        """Close the pipe, after its last bytes: before its end was seen it is not let go."""
        with anyio.move_on_after(_LAST_READ):
            while await self.receive():
                pass
        await self._pipe.aclose()


class ProcessLink(Link):
    """The standard streams of a process."""

    def __init__(self, process: Process) -> None:
        """Own a process with three pipes."""
        self._process = process
        self._output = _Output(process.stdout)
        self._errors = _Output(process.stderr)
        self._words: deque[str] = deque(maxlen=LAST_WORDS)
        self._all_heard = anyio.Event()
        self._is_reaped = False

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group as well."""
        return self._process.pid

    async def watch(self) -> None:
        """Read standard error, which would stop the process when it is full."""
        splitter = LineSplitter(_MOST_WORDS)
        while data := await self._errors.receive():
            for line in splitter.feed(data):
                self._keep(line)
        for line in splitter.finish():
            self._keep(line)
        self._all_heard.set()

    def _keep(self, line: str | Trouble) -> None:
        text = f"(a line that is {line.value})" if isinstance(line, Trouble) else line.strip()
        if text:
            self._words.append(text)

    async def receive(self) -> bytes:
        """Read some of standard output; none at its end."""
        return await self._output.receive()

    async def send(self, data: bytes) -> bool:
        """Write to standard input."""
        stdin: ByteSendStream | None = self._process.stdin
        assert stdin is not None
        try:
            await stdin.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return False
        return True

    async def end_input(self) -> None:
        """Close standard input."""
        assert self._process.stdin is not None
        await self._process.stdin.aclose()

    async def failure(self) -> Failure:
        """Find out the exit status and the last words."""
        with anyio.move_on_after(_EXIT):
            await self._wait()
            await self._all_heard.wait()
        status = self._process.returncode
        words = tuple(self._words)
        return lambda: EngineTerminated(status, words)

    async def close(self, patience: float) -> None:
        """End the process: by the end of its input, by SIGTERM, by SIGKILL."""
        self._all_heard.set()
        await self.end_input()
        if not await self._ends(patience):
            self._signal(signal.SIGTERM)
            if not await self._ends(_TERMINATION):
                self._signal(signal.SIGKILL)
                await self._wait()
        for output in (self._output, self._errors):
            await output.close()
        # Its transport is closed by the loop's next turns.
        await checkpoint()

    async def _ends(self, seconds: float) -> bool:
        """Wait for the end of the process, and tell whether it came."""
        with anyio.move_on_after(seconds):
            await self._wait()
        return self._is_reaped

    async def _wait(self) -> None:
        """Wait for the end of the process, and end what it started and left behind.

        That is done at once and only once: later the number may be another's.
        """
        await self._process.wait()
        if not self._is_reaped:
            self._is_reaped = True
            self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # nobody is left
