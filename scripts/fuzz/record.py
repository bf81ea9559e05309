"""What was asked for and what was answered when the stack is fuzzed, and whether that agrees."""

import re
from collections import Counter
from typing import Any

import msgspec

from kibitz.protocol.commands import Bench, Display, Evaluate, Go, Help, Perft, RefusedGo
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.json.codec import Unread
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.json.messages import (
    AnyAnswer,
    CancelAnswer,
    CancelRequest,
    ErrorAnswer,
    FinalAnswer,
    Request,
)
from kibitz.protocol.json.open_request import Stage
from kibitz.protocol.service import Conversation
from kibitz.protocol.ugi import Addressed

_PREFIX = re.compile(r"@\S+ ")
_ERROR = re.compile(r"info string error (\w+): .")
_NUMBERS = r"(?: (?:seldepth|multipv|nodes|nps|hashfull|time) \d+| lowerbound| upperbound)"
_KINDS = re.compile(
    r"id (name|author) .+|option name .+ type .+|(ugi|uci|ready)ok"
    rf"|info depth \d+(?: score (?:cp|mate) -?\d+| wdl \d+ \d+ \d+|{_NUMBERS})+( pv \S.*)?"
    r"|info string .+|bestmove \S+( ponder \S+)?|response.*|legalmoves \d+:.*"
    r"|session (opened|closed) \S+|session list 0.*|authok \S+"
)
_LONG_ANSWERS = (Bench, Display, Evaluate, Help, Perft)
"""What is answered by lines for people, or by counts."""
_ANSWERS = msgspec.json.Decoder(AnyAnswer)


class Record:
    """What was asked for and what was answered, on all connections together."""

    def __init__(self) -> None:
        self.searches = 0
        self.best_moves = 0
        self.requests: Counter[str | None] = Counter()
        self.finals: Counter[str | None] = Counter()
        self.cancels: Counter[Stage] = Counter()
        """The cancellations of requests that were open, by how far those were."""
        self._cancel_answers = 0
        self._is_for_people = False
        self._numbered: dict[tuple[Conversation, int], bytes] = {}

    def note(self, item: Any, conversation: Conversation) -> None:
        """Take what a conversation is about to receive."""
        if isinstance(conversation, Desk):
            if isinstance(item, Unread):
                self.requests[item.id] += 1
            else:
                self.requests[item.request.id] += 1
                self._note_cancel(item.request, conversation)
            return
        said = item.item if isinstance(item, Addressed) else item
        self.searches += isinstance(said, Go | RefusedGo)
        self._is_for_people |= isinstance(said, _LONG_ANSWERS)

    def _note_cancel(self, request: Request, desk: Desk) -> None:
        sent = 0 if desk._finals is None else desk._finals.sent
        if (request.ack or 0) > sent:
            return  # it is refused
        if isinstance(request, CancelRequest) and request.id not in desk._open:
            target = desk._open.get(request.target)
            if target is not None:
                self.cancels[target.stage] += 1

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
        assert line.isprintable(), line
        assert self._is_for_people or _KINDS.fullmatch(line), line
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
        self._cancel_answers += isinstance(answer, CancelAnswer)

    @property
    def open(self) -> int:
        """The requests whose final answers have not been read."""
        return self.requests.total() - self.finals.total()

    def check(self, *, is_whole: bool) -> None:
        """Compare both sides; `is_whole` says that no connection was lost."""
        assert self.best_moves == self.searches, (self.best_moves, self.searches)
        for name, count in self.finals.items():
            # An error that could be taken for the end of another request has no id.
            assert name is None or count <= self.requests[name], (name, count)
        for asked, answered in (
            (self.requests.total(), self.finals.total()),
            (self.cancels.total(), self._cancel_answers),
        ):
            assert answered == asked if is_whole else answered <= asked, (asked, answered)
