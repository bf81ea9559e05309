"""Drives the whole stack of a connection from bytes, without threads, clock or sockets.

The first bytes are settings, see `Settings`; the others are what the client sends. A zero
byte is where the connection is lost and another one made. What comes of it is checked: every
line that is answered is one of its dialect, there are as many answers as there should be, no
answer tells of a bug, and in the end nothing is left.
"""

import re
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import msgspec

from kibitz.protocol.commands import Go, RefusedGo
from kibitz.protocol.dialects import Dialects, Heard
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE
from kibitz.protocol.hub import Hub
from kibitz.protocol.jobs import Job
from kibitz.protocol.json.codec import Unread
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.json.messages import AnyAnswer, ErrorAnswer, FinalAnswer
from kibitz.protocol.quota import Quota
from kibitz.protocol.service import Conversation, JobOwner, Stats, TableHolder
from kibitz.protocol.ugi import Addressed
from kibitz.search.table import Table

TOKEN = "let-me-in"  # noqa: S105 - it guards nothing
RESUME = "come back "

LOST = b"\0"
"""Where a connection is lost."""

HEAD = 4
"""The bytes that are settings."""

MOST_STEPS = 200_000
"""So many steps in a row that lead to no end are a fault."""

SHORT_LINE = 300

_PREFIX = re.compile(r"@\S+ ")
_ERROR = re.compile(r"info string error (\w+):")
_ANSWERS = msgspec.json.Decoder(AnyAnswer)


class Settings:
    """What the first bytes choose; those that are missing are zero."""

    def __init__(self, head: bytes) -> None:
        flags, quota, size, eagerness = head.ljust(HEAD, b"\0")
        self.asks_for_token = bool(flags & 1)
        self.stops_late = bool(flags & 2)
        """Whether jobs are stopped when they are prepared already."""
        self.most_line = SHORT_LINE if flags & 4 else MOST_LINE
        self.reads_late = bool(flags & 8)
        """Whether the client reads only at the end of its connection."""
        self.quota = Quota(
            sessions=1 + quota % 4,
            searches=1 + quota // 4 % 4,
            waiting=quota // 16 % 4,
            hash=1 + quota // 64,
            priority=quota % 3,
        )
        self.piece_size = size or MOST_LINE
        self.eagerness = eagerness % 4
        """The steps that are done after each item."""


class Machine:
    """What all connections share: what is still to be done, and what is kept."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.jobs: deque[tuple[JobOwner, Job]] = deque()
        self.calls: deque[Callable[[], None]] = deque()
        self.tables: dict[TableHolder, bool] = {}
        self.sessions = 0
        self.kept: dict[str, Desk] = {}
        self.offered = 0

    def step(self) -> bool:
        """Make a call that is due, or run a job; gives False if there is nothing to do."""
        if self.calls:
            self.calls.popleft()()
        elif self.jobs:
            self._run_job(*self.jobs[0])
        else:
            return False
        return True

    def _run_job(self, owner: JobOwner, job: Job) -> None:
        result: Any = None
        failed: Exception | None = None
        try:
            if not self.settings.stops_late:
                job.stop()
            job.prepare()
            job.stop()
            result = job.run(lambda report: owner.reported(job, report))
        except Exception as error:  # noqa: BLE001 - told to the owner, as services do
            failed = error
        self.jobs.popleft()
        owner.ended(job, result, failed)

    def step_while(self, is_needed: Callable[[], bool]) -> None:
        """Do what there is to do as long as that is needed."""
        for _ in range(MOST_STEPS):
            if not is_needed():
                return
            assert self.step(), "it waits for nothing"
        raise AssertionError("there is no end of it")

    def finish(self) -> None:
        """Do all that there is to do."""
        self.step_while(lambda: bool(self.jobs or self.calls))


class ManualService:
    """One connection's share of the machine."""

    def __init__(self, machine: Machine, line: "Connection") -> None:
        self.quota = machine.settings.quota
        self.is_admitted = not machine.settings.asks_for_token
        self.grace_seconds = 60.0
        self._machine = machine
        self._line = line

    def admit(self, token: str) -> str:
        """Let the client in."""
        if token != TOKEN:
            raise Refusal(ErrorCode.DENIED, "the token is wrong")
        self.is_admitted = True
        return "tester"

    def open_session(self) -> None:
        """Count one more session."""
        if self._machine.sessions >= self.quota.sessions:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many sessions")
        self._machine.sessions += 1

    def close_session(self) -> None:
        """Count one less."""
        self._machine.sessions -= 1

    def start(self, owner: JobOwner, job: Job, *, threads: int = 1, priority: int = 0) -> None:
        """Keep a job until its turn comes."""
        assert threads <= self.quota.threads
        assert priority <= self.quota.priority
        if len(self._machine.jobs) >= self.quota.searches + self.quota.waiting:
            raise Refusal(ErrorCode.OVER_LIMIT, "too many searches")
        self._machine.jobs.append((owner, job))

    def stop(self, job: Job) -> None:
        """Stop a job."""
        assert any(job is started for _, started in self._machine.jobs)
        job.stop()

    def later(self, call: Callable[[], None]) -> None:
        """Keep a call until its turn comes."""
        self._machine.calls.append(call)

    def table(self, holder: TableHolder, megabytes: int) -> Table:
        """Give a table, a small one whatever was asked for."""
        assert megabytes <= self.quota.hash
        assert not self._machine.tables.get(holder, False)
        self._machine.tables[holder] = False
        return Table(1)

    def use_table(self, holder: TableHolder, in_use: bool) -> None:
        """Note whether a table is in use."""
        assert self._machine.tables[holder] != in_use
        self._machine.tables[holder] = in_use

    def drop_table(self, holder: TableHolder) -> None:
        """Take a table back."""
        assert not self._machine.tables.pop(holder, False)

    def stats(self) -> Stats:
        """Tell how much is going on."""
        return Stats(
            connections=1, sessions=self._machine.sessions, running=len(self._machine.jobs),
            waiting=0, nodes=0, nps=0, memory=0, uptime=0.0,
        )  # fmt: skip

    def offer_resume(self, desk: Desk) -> str:
        """Keep a desk if its connection is lost."""
        token = f"{RESUME}{self._machine.offered}"
        self._machine.offered += 1
        self._machine.kept[token] = desk
        return token

    def resume(self, token: str, desk: Desk) -> Desk:
        """Go on with a desk that was kept, in place of the one that asks."""
        kept = self._machine.kept
        found = kept.get(token)
        if found is None or found is desk:
            raise Refusal(ErrorCode.NO_SESSION, "there is nothing to resume")
        for name in [name for name, other in kept.items() if other is desk]:
            del kept[name]
        self._line.adopt(found)
        return found


class Record:
    """What was asked for and what was answered, on all connections together."""

    def __init__(self) -> None:
        self.searches = 0
        self.best_moves = 0
        self.requests: Counter[str | None] = Counter()
        self.finals: Counter[str | None] = Counter()
        self._numbered: dict[tuple[Conversation, int], bytes] = {}

    def note(self, item: Any, conversation: Conversation) -> None:
        """Take what a conversation is about to receive."""
        if isinstance(conversation, Desk):
            self.requests[item.id if isinstance(item, Unread) else item.request.id] += 1
            return
        said = item.item if isinstance(item, Addressed) else item
        self.searches += isinstance(said, Go | RefusedGo)

    def read(self, data: bytes, conversation: Conversation) -> None:
        """Take what a conversation answers."""
        assert not data or data.endswith(b"\n"), data
        for line in data.split(b"\n")[:-1]:
            if isinstance(conversation, Desk):
                self._read_json(line, conversation)
            else:
                self._read_text(line.decode())

    def _read_text(self, line: str) -> None:
        line = _PREFIX.sub("", line, count=1) if line.startswith("@") else line
        self.best_moves += line.split(" ")[0] == "bestmove"
        if line.startswith("info string error"):
            found = _ERROR.match(line)
            assert found is not None, line
            assert ErrorCode(found[1]) is not ErrorCode.INTERNAL, line

    def _read_json(self, line: bytes, conversation: Conversation) -> None:
        answer = _ANSWERS.decode(line)
        if isinstance(answer, ErrorAnswer):
            assert answer.code is not ErrorCode.INTERNAL, line
        if not isinstance(answer, FinalAnswer):
            return
        if answer.final is not None:
            # It may be sent once more after a lost connection, and is the same then.
            known = self._numbered.setdefault((conversation, answer.final), line)
            assert known == line, (known, line)
            if known is not line:
                return
        self.finals[answer.id] += 1

    def check(self, *, is_whole: bool) -> None:
        """Compare both sides; `is_whole` says that no connection was lost."""
        assert self.best_moves == self.searches, (self.best_moves, self.searches)
        for name, count in self.finals.items():
            # An error that could be taken for the end of another request has no id.
            assert name is None or count <= self.requests[name], (name, count)
        asked, answered = self.requests.total(), self.finals.total()
        assert answered == asked if is_whole else answered <= asked, (asked, answered)


class Connection:
    """One connection, whose conversation may be replaced by one that was kept."""

    def __init__(self, machine: Machine, record: Record) -> None:
        self._machine = machine
        self._record = record
        service = ManualService(machine, self)
        most = machine.settings.most_line
        self.dialects = Dialects(
            most,
            lambda: Hub(service, most_line=most),
            lambda: Desk(service, most_line=most),
        )

    def adopt(self, desk: Desk) -> None:
        """Go on with a desk that was kept."""
        self._read_answers()
        self.dialects.conversation = desk

    @property
    def _is_closing(self) -> bool:
        conversation = self.dialects.conversation
        return conversation is not None and conversation.is_closing

    def say(self, data: bytes) -> None:
        """Send bytes, in pieces."""
        size = self._machine.settings.piece_size
        for start in range(0, len(data), size):
            self._hear(self.dialects.feed(data[start : start + size]))

    def _hear(self, heard: Heard) -> None:
        for conversation, item in heard:
            if self._is_closing:
                return
            self._record.note(item, conversation)
            conversation.receive(item)
            for _ in range(self._machine.settings.eagerness):
                self._machine.step()
            self._machine.step_while(self._is_waiting)
            if not self._machine.settings.reads_late:
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


def run(data: bytes) -> None:
    """Drive the stack by bytes; raises `AssertionError`, or what was raised, for a fault."""
    machine = Machine(Settings(data[:HEAD]))
    record = Record()
    *lost, last = data[HEAD:].split(LOST)
    for said in lost:
        connection = Connection(machine, record)
        connection.say(said)
        connection.lose()
    connection = Connection(machine, record)
    connection.say(last)
    connection.finish()
    for desk in machine.kept.values():
        desk.close()
    machine.finish()
    for desk in machine.kept.values():
        _check_rest(desk)
    assert (machine.sessions, machine.tables) == (0, {}), (machine.sessions, machine.tables)
    record.check(is_whole=not lost)
