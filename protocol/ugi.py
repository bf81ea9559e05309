"""The UGI dialect and its UCI habits: bytes to commands, replies to bytes. Sans-IO.

The codec remembers one thing, which of the two handshakes came last: programs that said
`uci` count mates in moves of one side and want `ponder` behind `bestmove`.
"""

from collections.abc import Iterator

import msgspec

from kibitz.protocol import commands, ugi_lines
from kibitz.protocol.commands import Command, Go
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE, LineSplitter, Trouble
from kibitz.protocol.replies import Fault, Reply
from kibitz.protocol.table import read_command

_TROUBLES = {
    Trouble.TOO_LONG: "the line has more than {most} bytes and was skipped",
    Trouble.NOT_UTF8: "the line is not UTF-8",
}


class UgiCodec:
    """Both directions of one connection."""

    def __init__(self, most_line: int = MOST_LINE) -> None:
        """Allow lines of at most `most_line` bytes."""
        self.uci_habits = False
        self._splitter = LineSplitter(most_line)

    def feed(self, data: bytes) -> Iterator[Command | Fault]:
        """Take bytes, and give the commands in them; a `Fault` for a line that is none."""
        yield from self._read(self._splitter.feed(data))

    def finish(self) -> Iterator[Command | Fault]:
        """Take the end of the input, and give what a last line without an end held."""
        yield from self._read(self._splitter.finish())

    def _read(self, lines: Iterator[str | Trouble]) -> Iterator[Command | Fault]:
        for line in lines:
            if isinstance(line, Trouble):
                text = _TROUBLES[line].format(most=self._splitter.most)
                yield Fault(ErrorCode.BAD_COMMAND, text)
                continue
            try:
                command = read_command(line)
            except Refusal as refusal:
                yield Fault(refusal.code, refusal.text)
                continue
            if command is not None:
                yield self._with_habits(command)

    def _with_habits(self, command: Command) -> Command:
        if isinstance(command, commands.Handshake):
            self.uci_habits = command.dialect == "uci"
        elif isinstance(command, Go) and self.uci_habits and command.limit.mate is not None:
            # The mate in N own moves comes with turn 2N-1.
            limit = msgspec.structs.replace(command.limit, mate=2 * command.limit.mate - 1)
            return msgspec.structs.replace(command, limit=limit)
        return command

    def encode(self, reply: Reply) -> bytes:
        """Give the lines of a reply; none for one that this dialect does not say."""
        lines = ugi_lines.lines_of(reply, self.uci_habits)
        return "".join(line + "\n" for line in lines).encode()
