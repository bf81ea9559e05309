"""A conversation in JSON lines: requests that stand alone, many at once, answered as they end.

Some requests are answered at once: `hello`, `cancel`, `resume`, `stats`, `ping`. All others
are opened: their work is done in pieces, one request after the other, and what needs a
worker thread then goes to the service as a job. Every request, and every line that is none,
has exactly one final answer, whatever goes wrong.

A desk whose client asked for it outlives its connection. `detach` leaves it without one:
what was not sent is forgotten, jobs go on, and final answers are kept, as always for such a
client, until they are acknowledged. When the client has come back, `attach` sends those
that it has not received, and then how far the open requests are.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE, Trouble
from kibitz.protocol.jobs import Job, SearcherMaker
from kibitz.protocol.json.codec import JsonLines, Received, Unread
from kibitz.protocol.json.errands import AnalysisErrand, Errand
from kibitz.protocol.json.error_answers import failed, refused, wrong
from kibitz.protocol.json.finals import MOST_FINALS, Finals
from kibitz.protocol.json.introduction import introduce
from kibitz.protocol.json.messages import (
    CancelAnswer,
    CancelledAnswer,
    CancelRequest,
    FinalAnswer,
    HelloRequest,
    PingRequest,
    PongAnswer,
    PositionRequest,
    Request,
    ResumedAnswer,
    ResumeRequest,
    StatsAnswer,
    StatsRequest,
)
from kibitz.protocol.json.open_request import OpenRequest, Stage
from kibitz.protocol.json.request_faults import RequestRefusal, refusal_of
from kibitz.protocol.json.workshop import Workshop
from kibitz.protocol.mailbox import Mailbox
from kibitz.protocol.service import Service
from kibitz.protocol.session import SEARCHERS
from kibitz.search.info import Info

MOST_QUEUED = 64
"""With so many requests, or `MOST_QUEUED_SIZE` of them, not set up no more should be read."""

MOST_QUEUED_SIZE = 64 * 1024

MOST_OPEN_SIZE = 2 << 20
"""The characters that all open requests can have together: each of them needs memory."""


@contextmanager
def _named(field: str, code: ErrorCode) -> Iterator[None]:
    """Have a service's refusal of a code name the field that it is about."""
    try:
        yield
    except Refusal as refusal:
        if refusal.code is not code:
            raise
        raise RequestRefusal(code, f"{field}: {refusal.text}", field) from None


class Desk:
    """One client's requests."""

    def __init__(
        self,
        service: Service,
        searchers: Mapping[str, SearcherMaker] = SEARCHERS,
        most_line: int = MOST_LINE,
    ) -> None:
        """Say to the client that lines have at most `most_line` bytes."""
        self.mailbox = Mailbox()
        self.client_name: str | None = None
        """What the client's program is called, if it said so."""
        self._service = service
        self._codec = JsonLines(most_line)
        self._workshop = Workshop(service, searchers)
        self._open: dict[str, OpenRequest] = {}
        self._open_size = 0
        self._queue: deque[OpenRequest] = deque()
        self._queued_size = 0
        self._is_stepping = False
        self._at_work: dict[Job, OpenRequest] = {}
        self._is_closing = False
        self._is_attached = True
        self._resume_token: str | None = None
        self._finals: Finals | None = None
        self._at_once: dict[type[Request], Callable[[Any], FinalAnswer | None]] = {
            HelloRequest: self._hello,
            CancelRequest: self._cancel,
            ResumeRequest: self._resume,
            StatsRequest: self._stats,
            PingRequest: lambda request: PongAnswer(id=request.id, seq=0),
        }

    @property
    def is_waiting(self) -> bool:
        """Whether so much waits to be set up that no more should be read for now."""
        return len(self._queue) >= MOST_QUEUED or self._queued_size >= MOST_QUEUED_SIZE

    @property
    def is_closing(self) -> bool:
        """Whether the conversation is over."""
        return self._is_closing

    @property
    def is_idle(self) -> bool:
        """Whether every request has been answered."""
        return not self._open

    @property
    def is_resumable(self) -> bool:
        """Whether the desk should be kept when its connection is lost."""
        return self._resume_token is not None and not self._is_closing

    # What a connection calls.

    def read(self, line: str | Trouble) -> Received | Unread | None:
        """Make a request of a line; None if there is nothing in it."""
        return self._codec.read(line)

    def receive(self, item: Received | Unread) -> None:
        """Answer a request, or open it."""
        request_id = item.id if isinstance(item, Unread) else item.request.id
        try:
            self._take(item)
        except Refusal as refusal:
            self._send_at_once(refused(self._id_of_error(request_id), refusal))
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            self._send_at_once(failed(self._id_of_error(request_id), error))

    def _id_of_error(self, request_id: str | None) -> str | None:
        """Give the id for an error: with that of an open request it would be taken for its end."""
        return None if request_id in self._open else request_id

    def close(self) -> None:
        """Cancel what has a job, or will have; what is quick is still answered."""
        self._is_closing = True
        for entry in list(self._open.values()):
            self._end(entry)
        self._workshop.close()

    def detach(self) -> None:
        """Go on without a connection: what it did not take is forgotten."""
        self._is_attached = False
        self.mailbox.notify = lambda: None
        self._forget_mail()

    def attach(self, final: int, request_id: str) -> None:
        """Go on with a new connection, whose client has received the final answers to `final`.

        `request_id` is that of its `resume`, which is answered first.
        """
        assert self._finals is not None
        self._is_attached = True
        self._finals.acknowledge(final)
        missed = self._finals.unacknowledged()
        self._put(ResumedAnswer(id=request_id, seq=0, open=list(self._open), finals=len(missed)))
        for data in missed:
            self.mailbox.put(data)
        self._finals.sent = self._finals.last
        for entry in self._open.values():
            for info in entry.newest():
                self._send_info(entry, info)

    # Requests.

    def _take(self, item: Received | Unread) -> None:
        if isinstance(item, Unread):
            raise item.refusal
        request = item.request
        if not self._service.is_admitted and not isinstance(request, HelloRequest):
            raise RequestRefusal(ErrorCode.DENIED, "say hello with a token first")
        self._acknowledge(request)
        if request.id in self._open:
            text = f"id: there is an open request {request.id!r} already"
            raise RequestRefusal(ErrorCode.BAD_COMMAND, text, "id")
        if isinstance(request, PositionRequest):
            self._open_request(request, item.size)
        elif (answer := self._at_once[type(request)](request)) is not None:
            self._send_at_once(answer)

    def _acknowledge(self, request: Request) -> None:
        """Forget the answers that a request says were received; none that was never sent.

        A `resume`, and the `hello` before it, speak of the conversation that is lost yet.
        """
        if not request.ack or isinstance(request, ResumeRequest):
            return
        if self._finals is not None:
            self._check_sent("ack", request.ack)
            self._finals.acknowledge(request.ack)
        elif not isinstance(request, HelloRequest):
            raise refusal_of("ack", "no final answer here has a number, without resume")

    def _check_sent(self, field: str, number: int) -> None:
        """Refuse the number of a final answer that no connection was ever given."""
        sent = 0 if self._finals is None else self._finals.sent
        if number > sent:
            text = f"{number} was never sent; the last final answer was number {sent}"
            raise refusal_of(field, text)

    def _open_request(self, request: PositionRequest, size: int) -> None:
        if self._finals is not None and self._finals.is_full:
            text = "too many final answers are not acknowledged; ack says which were received"
            raise RequestRefusal(ErrorCode.OVER_LIMIT, text, "ack")
        if self._open_size + size > MOST_OPEN_SIZE:
            text = f"the open requests have more than {MOST_OPEN_SIZE} characters together"
            raise RequestRefusal(ErrorCode.OVER_LIMIT, text)
        entry = OpenRequest(request, size, self._workshop.begin(request), self._service.asked)
        self._open[entry.id] = entry
        self._open_size += size
        self._queue.append(entry)
        self._queued_size += size
        self._go_on()

    def _hello(self, request: HelloRequest) -> FinalAnswer | None:
        client = None
        if request.token is not None:
            # Also of one that is admitted: a wrong token must not be taken for a right one.
            with _named("token", ErrorCode.DENIED):
                client = self._service.admit(request.token)
        elif not self._service.is_admitted:
            raise RequestRefusal(ErrorCode.DENIED, "token: is missing", "token")
        self.client_name = request.name
        answer = introduce(request.id, self._service.quota, self._codec.most_line)
        answer = msgspec.structs.replace(answer, client=client)
        if request.resume and self._can_be_kept():
            answer = msgspec.structs.replace(
                answer,
                resume=self._resume_token,
                grace_seconds=self._service.grace_seconds,
                unacknowledged_most=MOST_FINALS,
            )
        # It is not numbered: who has not received it cannot come back.
        self._put(answer)
        return None

    def _can_be_kept(self) -> bool:
        """Ask the service to keep this desk if its connection is lost."""
        if self._resume_token is None:
            try:
                self._resume_token = self._service.offer_resume(self)
            except Refusal:
                return False
            self._finals = Finals()
        return True

    def _cancel(self, request: CancelRequest) -> FinalAnswer | None:
        entry = self._open.get(request.target)
        if entry is None:
            text = f"target: no request {request.target!r} is open"
            raise RequestRefusal(ErrorCode.BAD_COMMAND, text, "target")
        self._send_at_once(CancelAnswer(id=request.id, seq=0, target=request.target))
        self._end(entry, even_if_quick=True)
        return None

    def _stats(self, request: StatsRequest) -> FinalAnswer:
        stats = msgspec.structs.asdict(self._service.stats())
        return StatsAnswer(id=request.id, seq=0, **stats)

    def _resume(self, request: ResumeRequest) -> FinalAnswer | None:
        if request.token == self._resume_token:
            text = "token: this connection goes on with that already"
            raise RequestRefusal(ErrorCode.BUSY, text, "token")
        if self._open:
            raise RequestRefusal(ErrorCode.BUSY, "resume comes before requests that take time")
        with _named("token", ErrorCode.NO_SESSION):
            desk = self._service.resume(request.token, self, lambda kept: kept.check(request))
        desk.take_over(self, request)
        self._is_closing = True
        return None

    def check(self, request: ResumeRequest) -> None:
        """Refuse a `resume` that has received what was never sent."""
        self._check_sent("final", request.final)
        self._check_sent("ack", request.ack or 0)

    def take_over(self, asking: "Desk", request: ResumeRequest) -> None:
        """Go on with the connection of another desk, after what that had still to send."""
        self._forget_mail()
        if asking.mailbox.size:
            self.mailbox.put(asking.mailbox.take(asking.mailbox.size))
        self.attach(max(request.final, request.ack or 0), request.id)

    # Work in pieces, and jobs.

    def _go_on(self) -> None:
        if self._queue and not self._is_stepping:
            self._is_stepping = True
            self._service.later(self._step)

    def _step(self) -> None:
        """Do a piece of the oldest request that is not set up."""
        self._is_stepping = False
        while self._queue and self._queue[0].stage is Stage.ENDED:
            self._dequeue()
        if self._queue:
            entry = self._queue[0]
            try:
                next(entry.work)
            except StopIteration as end:
                self._dequeue()
                self._set_up(entry, end.value)
            except Exception as error:  # noqa: BLE001 - an answer is owed
                self._dequeue()
                self._finish(entry, wrong(entry.id, error))
        self._go_on()

    def _dequeue(self) -> None:
        self._queued_size -= self._queue.popleft().size

    def _set_up(self, entry: OpenRequest, done: FinalAnswer | Errand) -> None:
        """Answer a request whose work is done, or have its job run."""
        if not isinstance(done, Errand):
            self._finish(entry, done)
            return
        entry.errand = done
        entry.stage = Stage.AT_WORK
        self._at_work[done.job] = entry
        try:
            self._service.start(
                self,
                done.job,
                threads=done.threads,
                priority=done.priority,
                asked=entry.asked,
            )
        except Exception as error:  # noqa: BLE001 - an answer is owed
            del self._at_work[done.job]
            self._finish(entry, wrong(entry.id, error))

    def _end(self, entry: OpenRequest, even_if_quick: bool = False) -> None:
        """Cancel an open request, unless it is done soon anyway."""
        if entry.errand is not None:
            if not entry.is_cancelled:
                entry.is_cancelled = True
                self._service.stop(entry.errand.job)
        elif even_if_quick or entry.needs_job:
            entry.work.close()
            self._finish(entry, CancelledAnswer(id=entry.id, seq=0))

    def reported(self, job: Job, report: Any) -> None:
        """Take a report of a job."""
        entry = self._at_work[job]
        assert entry.errand is not None
        if entry.failure is not None:
            return
        try:
            for info in entry.errand.read(report):
                if entry.note(info) and self._is_attached:
                    self._send_info(entry, info)
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            entry.failure = error
            self._service.stop(job)

    def ended(self, job: Job, result: Any, error: BaseException | None = None) -> None:
        """Take the end of a job."""
        entry = self._at_work.pop(job)
        errand = entry.errand
        assert errand is not None
        failure = error or entry.failure
        try:
            errand.release()
            if failure is not None:
                answer: FinalAnswer = wrong(entry.id, failure)
            else:
                if self._is_attached:
                    for info in entry.held():
                        self._send_info(entry, info)
                answer = errand.cancelled(result) if entry.is_cancelled else errand.answer(result)
        except Exception as bug:  # noqa: BLE001 - an answer is owed
            answer = wrong(entry.id, bug)
        self._finish(entry, answer)

    # Answers.

    def _send_info(self, entry: OpenRequest, info: Info) -> None:
        """Send an info, in the place of an unsent one of the same line."""
        assert isinstance(entry.errand, AnalysisErrand)
        seq = self.mailbox.unsent_tag(entry, info.multipv)
        if seq is None:
            seq = entry.next_seq()
        data = self._codec.write(entry.errand.info(info, seq))
        self.mailbox.put_newest(entry, info.multipv, data, seq)

    def _finish(self, entry: OpenRequest, answer: FinalAnswer) -> None:
        """Give the final answer of an open request."""
        del self._open[entry.id]
        self._open_size -= entry.size
        entry.stage = Stage.ENDED
        self.mailbox.close(entry)
        self._send_final(msgspec.structs.replace(answer, seq=entry.next_seq()))

    def _send_at_once(self, answer: FinalAnswer) -> None:
        """Send what is never opened. It is not kept when too much is kept already."""
        if self._finals is not None and self._finals.is_full:
            self._put(answer)
        else:
            self._send_final(answer)

    def _send_final(self, answer: FinalAnswer) -> None:
        """Send a final answer, and keep it if it could get lost."""
        if self._finals is None:
            self._put(answer)
            return
        data = self._codec.write(msgspec.structs.replace(answer, final=self._finals.last + 1))
        self._finals.keep(data)
        if self._is_attached:
            self.mailbox.put(data)
            self._finals.sent = self._finals.last

    def _put(self, answer: FinalAnswer) -> None:
        self.mailbox.put(self._codec.write(answer))

    def _forget_mail(self) -> None:
        while self.mailbox.size:
            self.mailbox.take(self.mailbox.size)
