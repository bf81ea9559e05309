"""What passes through a bridge, line by line, and what the server still owes. Sans-IO.

Lines pass as they are. Only whole ones do, because the bridge puts lines of its own between
them: `ping`, to which any server that lives answers at once, and `quit` at the end of the
input. The ping is said to a session that does not exist, so that nothing else can have its
answer, which is kept.

A server carries out commands in their order, and answers all but searches at once. So the
answer to one command says that all before it were answered too; only jobs (`go`, `perft`,
`bench`) have to be remembered until their last line has come.
"""

from collections import deque
from collections.abc import Iterator

PING = b"@kibitz-connect isready\n"
PONG = b"@kibitz-connect "

PING_EVERY = 100
"""After so many commands of which no answer is expected a ping goes along: a server that is
busy with them, and only slowly reads more, shows in this way that it is there."""

MOST_HELD = 64 * 1024
"""A line with more bytes passes in pieces, and is no command that anybody knows."""

_COUNTED = b"Nodes/second:"
_JOBS = {b"go": b"bestmove", b"perft": _COUNTED, b"bench": _COUNTED}
_AT_ONCE = {
    b"isready": b"readyok",
    b"query": b"response",
    b"ugi": b"ugiok",
    b"uci": b"uciok",
    b"legal": b"legalmoves",
}
"""The last line of the answers to commands, where one word tells it."""
_SILENT = (b"stop", b"ponderhit")


class NotText(Exception):  # noqa: N818 - it is the program's mistake, not ours
    """The program speaks JSON lines, which do not pass through a bridge."""


class Talk:
    """Both directions of what passes."""

    def __init__(self) -> None:
        self.is_leaving = False
        """Whether `quit` was said, after which nothing else is."""
        self._there = _Cutter()
        self._here = _Cutter()
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
            line = piece.strip() if is_whole else b"?"
            if not self._has_begun and line and not line.startswith(b"#"):
                self._has_begun = True
                if line.startswith(b"{"):
                    raise NotText
            if line == b"quit":
                return bytes(said) + self._goodbye()
            said += piece
            if piece.endswith(b"\n"):
                self._note(line)
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

    def _note(self, line: bytes) -> None:
        """Take note of what a command is answered by."""
        if line.startswith(b"#"):
            return
        words = line.split()
        session = words.pop(0) if words and words[0].startswith(b"@") else b""
        if not words or words[0] in _SILENT:
            return
        self._number += 1
        if not _is_readable(line):
            words = [b"?"]
        ending = _JOBS.get(words[0])
        if words[0] == b"go" and b"perft" in words:
            ending = _COUNTED
        if ending is None:
            self._asked = self._number
            # Others may not exist, so that errors take the place of these answers.
            ending = None if session else _AT_ONCE.get(words[0])
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
            # A job that counts is stopped or refused by such a line, or perhaps by none.
            if rest.startswith((b"string stopped", b"string error ")):
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


def _is_readable(line: bytes) -> bool:
    """Tell whether a line is short enough, and a text, so that it is a command for a server."""
    if len(line) > MOST_HELD:
        return False
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
