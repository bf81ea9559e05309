"""What passes through a bridge, line by line, and what the server still owes. Sans-IO.

Lines pass as they are. Only whole ones do, because the bridge puts lines of its own between
them: `ping`, to which any server that lives answers at once, and `quit` at the end of the
input. The ping is said to a session that does not exist, so that nothing else can have its
answer, which is kept.

What a line is, and so what is owed for it, is read as the server reads it, by the same code.
Only how long a line may be is the server's own affair; it is taken to be what is usual.

A server carries out commands in their order, and answers all but searches at once. So the
answer to one command says that all before it were answered too; only jobs (`go`, `perft`,
`bench`) have to be remembered until their last line has come.
"""

from collections import deque
from collections.abc import Iterator

from kibitz.protocol import arguments, commands
from kibitz.protocol.commands import Command
from kibitz.protocol.framing import MOST_LINE, LineSplitter, Trouble
from kibitz.protocol.replies import Fault
from kibitz.protocol.ugi import Addressed, Item, UgiCodec

_OURS = "kibitz-connect"
PING = f"@{_OURS} isready\n".encode()
PONG = f"@{_OURS} ".encode()

PING_EVERY = 100
"""After so many commands of which no answer is expected a ping goes along: a server that is
busy with them, and only slowly reads more, shows in this way that it is there."""

MOST_HELD = MOST_LINE + 1
"""A line with more bytes passes in pieces, and is no command. A `\\r` at its end is one of them,
which does not count for the server."""

_COUNTED = b"Nodes/second:"
_JOBS: dict[type[Command], bytes] = {
    commands.Go: b"bestmove",
    commands.RefusedGo: b"bestmove",
    commands.Perft: _COUNTED,
    commands.Bench: _COUNTED,
}
_AT_ONCE: dict[type[Command], bytes] = {
    commands.IsReady: b"readyok",
    commands.Query: b"response",
    commands.Legal: b"legalmoves",
}
"""The last line of the answers to commands, where one word tells it."""
_SILENT = (commands.Stop, commands.PonderHit)
_ABOUT_OTHERS = b"string error bad_"
_ALWAYS_THERE = (b"", b"@0")
"""The prefixes of the session that nobody has to open."""


class NotText(Exception):  # noqa: N818 - it is the program's mistake, not ours
    """The program speaks JSON lines, which do not pass through a bridge."""


class Talk:
    """Both directions of what passes."""

    def __init__(self) -> None:
        self.is_leaving = False
        """Whether `quit` was said, after which nothing else is."""
        self._there = _Cutter()
        self._here = _Cutter()
        self._splitter = LineSplitter()
        self._codec = UgiCodec()
        self._has_begun = False
        # Commands are numbered. Those up to `_heard` are answered, but for jobs.
        self._number = 0
        self._heard = 0
        self._asked = 0
        self._unexpected = 0
        self._pings: deque[int] = deque()
        self._expected: dict[tuple[bytes, bytes], deque[int]] = {}
        # What is expected of each session, oldest first; of at-once answers only the first's.

    @property
    def is_owed(self) -> bool:
        """Whether an answer is still to come."""
        return self._heard < self._asked or any(
            ending in _JOBS.values() for _, ending in self._expected
        )

    # What the program says.

    def say(self, data: bytes) -> bytes:
        """Take bytes of the program, and give what is to be sent; raises `NotText`."""
        said = bytearray()
        for piece, is_whole in self._there.cut(data):
            item = self._read(piece, is_whole)
            if isinstance(item, commands.Quit):
                return bytes(said) + self._goodbye()
            said += piece
            if item is not None:
                self._note(item)
                if self._unexpected >= PING_EVERY:
                    said += self.ping()
        return bytes(said)

    def leave(self, interrupted: bool = False) -> bytes:
        """Give what is to be sent at the end of input, or when it is broken off.

        A last line without an end is one all the same, but not when it was broken off.
        """
        if self.is_leaving:
            return b""
        if interrupted:
            self._there.held = b""
        said = b""
        if self._there.held or self._there.is_within:
            said = self.say(b"\n")
        return said if self.is_leaving else said + self._goodbye()

    def ping(self) -> bytes:
        """Give the question whether the server is there; nothing in the middle of a line."""
        if self._there.is_within or self.is_leaving:
            return b""
        self._number += 1
        self._pings.append(self._number)
        self._unexpected = 0
        return PING

    def _goodbye(self) -> bytes:
        """Say `quit`, and before it, if there may be answers to come, what they come before."""
        said = self.ping() if self._heard < self._asked else b""
        self.is_leaving = True
        return said + b"quit\n"

    def _read(self, piece: bytes, is_whole: bool) -> Item | None:
        """Read a line as the server does; None for what says nothing, or goes on."""
        line: str | Trouble = Trouble.TOO_LONG
        if is_whole:
            (line,) = self._splitter.feed(piece)
        if not self._has_begun and (isinstance(line, Trouble) or arguments.says_something(line)):
            self._has_begun = True
            if isinstance(line, str) and arguments.chooses_json(line):
                raise NotText
        return self._codec.read(line) if piece.endswith(b"\n") else None

    def _note(self, item: Item) -> None:
        """Take note of what a command, or what was wrong with it, is answered by."""
        session = b""
        if isinstance(item, Addressed):
            session, item = f"@{item.session}".encode(), item.item
        if isinstance(item, _SILENT) and session in _ALWAYS_THERE:
            return
        self._number += 1
        ending = None if isinstance(item, Fault) else _ending(item)
        if session + b" " == PONG:
            # Answers from there are taken for ours, so that none can be waited for.
            ending = None
        if ending not in _JOBS.values():
            self._asked = self._number
            # Others may not exist, so that errors take the place of these answers.
            ending = None if session else ending
        if ending is None:
            self._unexpected += 1
        else:
            self._unexpected = 0
            self._expected.setdefault((session, ending), deque()).append(self._number)

    # What the server says.

    def hear(self, data: bytes) -> bytes:
        """Take bytes of the server, and give those that are for the program."""
        return b"".join(
            piece for piece, is_whole in self._here.cut(data) if not is_whole or self._hear(piece)
        )

    def rest(self) -> bytes:
        """Give the beginning of a line that will never be whole."""
        rest, self._here.held = self._here.held, b""
        return rest

    def _hear(self, line: bytes) -> bool:
        """Take note of an answer; tells whether it is for the program."""
        if line.startswith(PONG):
            self._hear_pong()
            return False
        session = b""
        if line.startswith(b"@"):
            session, _, line = line.partition(b" ")
        word, _, rest = line.partition(b" ")
        word = word.rstrip()
        if word == b"info":
            # A job that counts is stopped or refused by such a line, or perhaps by none; but
            # errors whose codes begin so are about other commands, and it goes on.
            refuses = rest.startswith(b"string error ") and not rest.startswith(_ABOUT_OTHERS)
            if refuses or rest.startswith(b"string stopped"):
                self._met(session, _COUNTED)
            return True
        number = self._met(session, word)
        self._heard = max(self._heard, number)
        return True

    def _hear_pong(self) -> None:
        number = self._pings.popleft() if self._pings else 0
        self._heard = max(self._heard, number)
        # Whatever was to be answered at once before that has been, if only by an error.
        for key, numbers in list(self._expected.items()):
            if key[1] not in _JOBS.values():
                while numbers and numbers[0] < number:
                    numbers.popleft()
                if not numbers:
                    del self._expected[key]

    def _met(self, session: bytes, ending: bytes) -> int:
        """Expect an answer no more; gives the number of its command, 0 if there is none."""
        numbers = self._expected.get((session, ending))
        if numbers is None:
            return 0
        number = numbers.popleft()
        if not numbers:
            del self._expected[(session, ending)]
        return number


class _Cutter:
    """Cuts bytes into whole lines, and pieces of lines that are too long to be held."""

    def __init__(self) -> None:
        self.held = b""
        """The beginning of a line."""
        self.is_within = False
        """Whether the beginning of the line has been given already."""

    def cut(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Take bytes; gives lines with their ends, or pieces, and which of the two it is."""
        *lines, self.held = (self.held + data).split(b"\n")
        for line in lines:
            is_whole, self.is_within = not self.is_within, False
            yield line + b"\n", is_whole
        if self.held and (self.is_within or len(self.held) > MOST_HELD):
            piece, self.held = self.held, b""
            self.is_within = True
            yield piece, False


def _ending(command: Command) -> bytes | None:
    """Give the word that begins the last line of an answer, None if that is not known."""
    if isinstance(command, commands.Handshake):
        return f"{command.dialect}ok".encode()
    return _JOBS.get(type(command), _AT_ONCE.get(type(command)))
