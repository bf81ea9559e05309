"""Requests in JSON lines and their answers: which belongs to which, and what is still owed.

Sans-IO: bytes go out by a call, lines come in. It outlives a connection: requests that are
not answered when it breaks are kept, and when the server goes on with what it had, `resumed`
sorts them. Those that the server still has open go on; those whose final answer follows are
answered; all others never arrived, and are sent again. So every request gets one answer.

A server keeps a bounded number of final answers until they are acknowledged, so no more
requests are open at once than it can keep answers for; others wait here.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import msgspec

from kibitz.protocol.client.errors import EngineError, EngineRefused
from kibitz.protocol.client.link import Failure
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.translation import conclude, info_of
from kibitz.protocol.json.messages import (
    AnyAnswer,
    CancelledAnswer,
    CancelRequest,
    DoneAnswer,
    ErrorAnswer,
    FinalAnswer,
    InfoAnswer,
    PingRequest,
    Request,
    ResumedAnswer,
)

MOST_OPEN_SIZE = 1024 * 1024
"""Open requests with more bytes than that together are not sent."""
_RESERVE = 8
"""Final answers that are left for requests which never wait: `ping` and `cancel`."""
_ACKNOWLEDGE_EVERY = 64

RequestT = TypeVar("RequestT", bound=Request)


class Pending:
    """A request that is not answered yet."""

    def __init__(self, request: Request, search: RunningSearch | None) -> None:
        self.request = request
        self.search = search
        """Who wants the infos, if it is a search."""
        self.answer: FinalAnswer | None = None
        self.failure: Failure | None = None
        self.done = anyio.Event()
        self.is_cancelled = False
        self.size = 0
        """The bytes it was sent in; 0 if it has to be sent yet."""

    def finish(self, answer: FinalAnswer) -> None:
        """Take the final answer."""
        self.answer = answer
        if isinstance(answer, ErrorAnswer):
            error = answer
            self.fail(lambda: EngineRefused(error.code, error.message, error.field, error.index))
            return
        if self.search is not None:
            if not isinstance(answer, DoneAnswer | CancelledAnswer):
                self.fail(_unknown)
                return
            conclude(self.search, answer)
        self.done.set()

    def fail(self, failure: Failure) -> None:
        """Take an exception in the place of an answer."""
        self.failure = failure
        if self.search is not None:
            self.search.fail(failure)
        self.done.set()


class Correspondence:
    """What was asked and not yet answered."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        """Write lines by `send`."""
        self.lost: Failure | None = None
        """Makes the exception that says how all ended, once it has."""
        self.last_final = 0
        """The number of the last numbered answer that came."""
        self.heard = 0
        """The number of lines that came."""
        self.most_line = 64 * 1024
        self.most_open: int | None = None
        """The final answers that the server keeps, if it does."""
        self._send = send
        self._decoder = msgspec.json.Decoder(AnyAnswer)
        self._encoder = msgspec.json.Encoder()
        self._pending: dict[str, Pending] = {}
        self._waiting: deque[Pending] = deque()
        self._open_size = 0
        self._sent = 0
        """How many requests are open at the server, as far as we know."""
        self._last_id = 0
        self._acknowledged = 0
        self._is_connected = False
        # While the server tells what we have missed: how much is to come, and what goes on.
        self._missed = 0
        self._still_open: frozenset[str] | None = None

    def ask(
        self,
        kind: type[RequestT],
        search: RunningSearch | None = None,
        *,
        at_once: bool = False,
        **fields: Any,
    ) -> Pending:
        """Ask something, as soon as the server can take it.

        `at_once` is for what makes a connection: it is sent whatever goes on. Raises what
        `lost` makes when all is over, and `ValueError` for a request that is too long.
        """
        if self.lost is not None:
            raise self.lost()
        pending = Pending(kind(id=self._new_id(), **fields), search)
        size = len(self._encoder.encode(pending.request)) + 32
        if size > self.most_line:
            raise ValueError(f"the request has {size} bytes, the server takes {self.most_line}")
        self._pending[pending.request.id] = pending
        if at_once:
            self._send_now(pending)
        else:
            self._waiting.append(pending)
            self._send_waiting()
        return pending

    def cancel(self, pending: Pending) -> None:
        """Have the server end a request; its answer still comes."""
        if pending.done.is_set() or self.lost is not None:
            return
        pending.is_cancelled = True
        if pending.size:
            self._cancel(pending.request.id)
        else:
            self._finish(CancelledAnswer(id=pending.request.id, seq=0))

    def cancel_all(self) -> None:
        """Have the server end everything that is open."""
        for pending in list(self._pending.values()):
            self.cancel(pending)

    def forget(self, pending: Pending) -> None:
        """Have the server end a request whose answer nobody wants any more."""
        self.cancel(pending)
        self._drop(pending)

    def ping(self) -> None:
        """Ask whether the server is there; that anything comes is the answer."""
        if self._is_connected:
            self._write(PingRequest(id=self._new_id()))

    # Connections come and go.

    def connected(self, most_open: int | None) -> None:
        """Begin to send: a first connection was greeted."""
        self.most_open = most_open
        self._is_connected = True
        self._send_waiting()

    def disconnected(self) -> None:
        """Keep everything until the server is there again."""
        self._is_connected = False
        self._missed = 0
        self._still_open = None

    def end(self, lost: Failure) -> None:
        """Fail all that is not answered: nothing will come any more."""
        if self.lost is None:
            self.lost = lost
        pending, self._pending = self._pending, {}
        self._waiting.clear()
        for each in pending.values():
            each.fail(self.lost)

    # What comes.

    def receive(self, line: str) -> None:
        """Take a line of the server."""
        self.heard += 1
        if not line.strip():
            return
        try:
            answer = self._decoder.decode(line)
        except msgspec.DecodeError:
            self._receive_unreadable(line)
            return
        if isinstance(answer, InfoAnswer):
            pending = self._pending.get(answer.id or "")
            if pending is not None and pending.search is not None:
                pending.search.told(info_of(answer))
            return
        if answer.final is not None:
            if answer.final <= self.last_final:
                return  # we have it
            self.last_final = answer.final
        self._finish(answer)
        if self._missed and answer.final is not None:
            self._missed -= 1
        if isinstance(answer, ResumedAnswer):
            self._missed = answer.finals
            self._still_open = frozenset(answer.open)
        if self._still_open is not None and not self._missed:
            self._settle(self._still_open)
        if self.last_final - self._acknowledged >= _ACKNOWLEDGE_EVERY:
            self.ping()

    def _finish(self, answer: FinalAnswer) -> None:
        pending = self._pending.get(answer.id or "")
        if pending is not None:
            self._drop(pending)
            pending.finish(answer)
            self._send_waiting()

    def _receive_unreadable(self, line: str) -> None:
        """Take a line that is no answer we know: whoever it is for has to know."""
        try:
            head = msgspec.json.decode(line, type=_Head)
        except msgspec.DecodeError:
            return
        pending = self._pending.get(head.id)
        if pending is not None:
            self._drop(pending)
            pending.fail(_unknown)

    def _settle(self, still_open: frozenset[str]) -> None:
        """Go on after a lost connection, now that we know what has arrived."""
        self._still_open = None
        self._is_connected = True
        for request_id in still_open:
            known = self._pending.get(request_id)
            if known is None or known.is_cancelled:
                self._cancel(request_id)
        for pending in list(self._pending.values()):
            if pending.size and pending.request.id not in still_open:
                self._unsent(pending)
                self._waiting.append(pending)
                if pending.is_cancelled:
                    self.cancel(pending)
        self._send_waiting()

    # What goes.

    def _send_waiting(self) -> None:
        while self._waiting and self._is_connected and self._has_room():
            self._send_now(self._waiting.popleft())

    def _has_room(self) -> bool:
        if self._open_size > MOST_OPEN_SIZE:
            return False
        return self.most_open is None or self._sent < max(self.most_open - _RESERVE, 1)

    def _send_now(self, pending: Pending) -> None:
        pending.size = self._write(pending.request)
        self._open_size += pending.size
        self._sent += 1

    def _unsent(self, pending: Pending) -> None:
        self._open_size -= pending.size
        self._sent -= 1
        pending.size = 0

    def _drop(self, pending: Pending) -> None:
        if self._pending.pop(pending.request.id, None) is None:
            return
        if pending.size:
            self._unsent(pending)
        elif pending in self._waiting:
            self._waiting.remove(pending)

    def _cancel(self, target: str) -> None:
        """Cancel by id; while there is no connection nothing is sent, and it is done later."""
        if self._is_connected:
            self._write(CancelRequest(id=self._new_id(), target=target))

    def _write(self, request: Request) -> int:
        if self.last_final:
            request = msgspec.structs.replace(request, ack=self.last_final)
            self._acknowledged = self.last_final
        data = self._encoder.encode(request) + b"\n"
        self._send(data)
        return len(data)

    def _new_id(self) -> str:
        self._last_id += 1
        return str(self._last_id)


def _unknown() -> EngineError:
    return EngineError("the server answered in a way that we do not know")


class _Head(msgspec.Struct):
    """As much of an answer as says whom it is for."""

    id: str
