"""The UGI dialect and its UCI habits: lines to commands, replies to bytes. Sans-IO.

A line can begin with `@ID`, the name of the session that it is for; then every line of its
answer does. The codec remembers one thing, which of the two handshakes came last: programs
that said `uci` count mates in moves of one side and want `ponder` behind `bestmove`.
"""

import msgspec

from kibitz.protocol import arguments, commands, ugi_lines
from kibitz.protocol.commands import Command, Go
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE, Trouble
from kibitz.protocol.replies import Fault, Reply
from kibitz.protocol.table import read_command

_TROUBLES = {
    Trouble.TOO_LONG: "the line has more than {most} bytes and was skipped",
    Trouble.NOT_UTF8: "the line is not UTF-8",
}


class Addressed(msgspec.Struct, frozen=True):
    """A command, or what was wrong with it, for the session that its line named."""

    session: str
    item: Command | Fault


Item = Command | Fault | Addressed


class UgiCodec:
    """Both directions of one connection."""

    def __init__(self, most_line: int = MOST_LINE) -> None:
        """Say `most_line` of lines that had more bytes."""
        self.uci_habits = False
        self._most_line = most_line

    def read(self, line: str | Trouble) -> Item | None:
        """Make a command of a line, a `Fault` of one that is none, None of an empty one."""
        if isinstance(line, Trouble):
            text = _TROUBLES[line].format(most=self._most_line)
            return Fault(ErrorCode.BAD_COMMAND, text)
        try:
            session, rest = arguments.split_prefix(line)
        except Refusal as refusal:
            return Fault(refusal.code, refusal.text)
        item = self._read_command(rest)
        return item if session is None or item is None else Addressed(session, item)

    def _read_command(self, line: str) -> Command | Fault | None:
        try:
            command = read_command(line)
        except Refusal as refusal:
            return Fault(refusal.code, refusal.text)
        return None if command is None else self._with_habits(command)

    def _with_habits(self, command: Command) -> Command:
        if isinstance(command, commands.Handshake):
            self.uci_habits = command.dialect == "uci"
        elif isinstance(command, Go) and self.uci_habits and command.limit.mate is not None:
            # The mate in N own moves comes with turn 2N-1.
            limit = msgspec.structs.replace(command.limit, mate=2 * command.limit.mate - 1)
            return msgspec.structs.replace(command, limit=limit)
        return command

    def encode(self, reply: Reply, session: str | None = None) -> bytes:
        """Give the lines of a reply; none for one that this dialect does not say.

        `session` is the name that they begin with, None for no prefix.
        """
        prefix = "" if session is None else f"{arguments.PREFIX}{session} "
        lines = ugi_lines.lines_of(reply, self.uci_habits)
        return "".join(f"{prefix}{line}\n" for line in lines).encode()
