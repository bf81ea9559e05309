"""Drives the whole stack of a connection from bytes, without threads, clock or sockets.

The first bytes are settings, see `Settings`; the others are what the client sends. A zero
byte is where the connection is lost and another one made. What comes of it is checked: every
line that is answered is one of its dialect, there are as many answers as there should be, no
answer tells of a bug, memory has its bounds, and in the end nothing is left.
"""

from kibitz.protocol.dialects import Dialects, Heard
from kibitz.protocol.hub import Hub
from kibitz.protocol.json.desk import MOST_QUEUED, Desk
from kibitz.protocol.service import Conversation
from kibitz.scripts.fuzz.record import Record
from kibitz.scripts.fuzz.service import HEAD, SEARCHERS, Machine, ManualService, Settings

LOST = b"\0"
"""Where a connection is lost."""

MOST_UNSENT = 256 * 1024
"""With so many bytes unread nothing more is said, as a server has it."""

MOST_ANSWER = 4 << 20
"""The bytes that one command may be answered by."""


class Connection:
    """One connection, whose conversation may be replaced by one that was kept."""

    def __init__(self, machine: Machine, record: Record) -> None:
        self._machine = machine
        self._record = record
        service = ManualService(machine, self)
        most = machine.settings.most_line
        self.dialects = Dialects(
            most,
            lambda: Hub(service, SEARCHERS, most_line=most),
            lambda: Desk(service, SEARCHERS, most_line=most),
        )

    def adopt(self, desk: Desk) -> None:
        """Go on with a desk that was kept."""
        self._read_answers()
        self.dialects.conversation = desk

    @property
    def has_mail(self) -> bool:
        """Whether there are answers that were not read."""
        conversation = self.dialects.conversation
        return conversation is not None and conversation.mailbox.size > 0

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is listened to."""
        conversation = self.dialects.conversation
        return conversation is not None and conversation.is_closing

    def say(self, data: bytes) -> None:
        """Send bytes, in pieces."""
        size = self._machine.settings.piece_size
        for start in range(0, len(data), size):
            self._hear(self.dialects.feed(data[start : start + size]))

    def _hear(self, heard: Heard) -> None:
        for conversation, item in heard:
            if self.is_closing:
                return
            self._record.note(item, conversation)
            conversation.receive(item)
            for _ in range(self._machine.settings.eagerness):
                self._machine.step()
            self._machine.step_while(self._is_waiting)
            size = conversation.mailbox.size
            assert size < MOST_UNSENT + MOST_ANSWER
            if size >= MOST_UNSENT or not self._machine.settings.reads_late:
                self._read_answers()

    def _is_waiting(self) -> bool:
        """Nothing is read while commands wait."""
        conversation = self.dialects.conversation
        return conversation is not None and conversation.is_waiting

    def _read_answers(self) -> None:
        conversation = self.dialects.conversation
        if conversation is not None:
            mailbox = conversation.mailbox
            while mailbox.size:
                self._record.read(mailbox.take(1000), conversation)

    def lose(self) -> None:
        """End without a word; a desk whose client asked for it is kept."""
        conversation = self.dialects.conversation
        if isinstance(conversation, Desk) and conversation.is_resumable:
            self._read_answers()
            conversation.detach()
        else:
            self._close()

    def finish(self) -> None:
        """End the input, and read what is still answered."""
        self._hear(self.dialects.finish())
        self._close()

    def _close(self) -> None:
        conversation = self.dialects.conversation
        if conversation is None:
            return
        conversation.close()
        self._machine.finish()
        self._read_answers()
        _check_rest(conversation)
        kept = self._machine.kept
        for name in [name for name, other in kept.items() if other is conversation]:
            del kept[name]


def _check_rest(conversation: Conversation) -> None:
    assert conversation.mailbox.size == 0
    assert conversation.mailbox.take(1) == b""
    assert not conversation.is_waiting
    assert conversation.is_closing
    assert not isinstance(conversation, Desk) or conversation.is_idle


class Stack:
    """One client, who may lose its connection and come back."""

    def __init__(self, settings: Settings) -> None:
        self.machine = Machine(settings)
        self.record = Record()
        self._was_lost = False
        self._connection = Connection(self.machine, self.record)

    @property
    def is_closing(self) -> bool:
        """Whether the connection is about to end."""
        return self._connection.is_closing

    def say(self, data: bytes) -> None:
        """Send bytes."""
        self._connection.say(data)
        assert self.machine.sessions <= self.machine.settings.quota.sessions
        if not self._was_lost and not self._connection.has_mail:
            quota = self.machine.settings.quota
            assert self.record.open <= MOST_QUEUED + quota.searches + quota.waiting

    def lose(self) -> None:
        """Lose the connection, and make another one."""
        self._was_lost = True
        self._connection.lose()
        self._connection = Connection(self.machine, self.record)

    def finish(self) -> None:
        """End the input, and check what has come of it all."""
        machine = self.machine
        self._connection.finish()
        for desk in machine.kept.values():
            desk.close()
        machine.finish()
        for desk in machine.kept.values():
            _check_rest(desk)
        assert (machine.sessions, machine.tables) == (0, {}), (machine.sessions, machine.tables)
        self.record.check(is_whole=not self._was_lost)


def run(data: bytes) -> None:
    """Drive the stack by bytes; raises `AssertionError`, or what was raised, for a fault."""
    drive(data)


def drive(data: bytes) -> Record:
    """Do what `run` does, and give what was said and answered."""
    stack = Stack(Settings(data[:HEAD]))
    *lost, last = data[HEAD:].split(LOST)
    for said in lost:
        stack.say(said)
        stack.lose()
    stack.say(last)
    stack.finish()
    return stack.record
