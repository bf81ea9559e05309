"""One session's side of the talk: which answer belongs to which question. Sans-IO.

Questions are asked in batches that end with `isready`; all that comes before the `readyok`
is the answer. `readyok`s come in the order of their `isready`s, so a batch whose asker has
gone is still counted. A search runs beside: from `go` to its `bestmove`.

An error belongs to the oldest open batch that wants errors and to the search that runs:
nobody can tell the two apart, and a search heeds it only when it ends without a move.
"""

from collections import deque
from collections.abc import Callable

import anyio

from kibitz.protocol.client import lines
from kibitz.protocol.client.link import Failure
from kibitz.protocol.client.options import OptionList
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.values import Side
from kibitz.protocol.faults import ErrorCode

_MOST_ANSWERS = 1000


class Batch:
    """Questions that were asked together, and what was answered."""

    def __init__(self, wants_answers: bool) -> None:
        self.wants_answers = wants_answers
        self.is_complete = False
        self.done = anyio.Event()
        """Set when everything was answered, or never will be."""
        self.failed: list[lines.Failed] = []
        self.responses: list[str] = []
        self.sessions: list[lines.SessionSaid] = []

    def take(self, event: lines.Event) -> None:
        """Keep what belongs to the answer; a flood is cut off."""
        if isinstance(event, lines.Failed) and len(self.failed) < _MOST_ANSWERS:
            self.failed.append(event)
            if event.code == ErrorCode.DENIED:
                # Who is not admitted is not answered `readyok`.
                self.done.set()
        elif isinstance(event, lines.Answered) and len(self.responses) < _MOST_ANSWERS:
            self.responses.append(event.text)
        elif isinstance(event, lines.SessionSaid) and len(self.sessions) < _MOST_ANSWERS:
            self.sessions.append(event)


class Dialogue:
    """The talk with one engine."""

    def __init__(self, send: Callable[[str], None]) -> None:
        """Write lines by `send`."""
        self.lost: Failure | None = None
        """Makes the exception that says how the talk ended, once it has."""
        self.uci = False
        """Whether the engine has the habits of UCI."""
        self.name = ""
        self.author = ""
        self.client_name = ""
        """The name that a server knows this client by."""
        self.options = OptionList()
        self.greeted = {"ugi": anyio.Event(), "uci": anyio.Event()}
        self.heard = 0
        """The number of lines that came."""
        self.search: RunningSearch | None = None
        self._send_line = send
        self._batches: deque[Batch] = deque()

    @property
    def is_owed(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._batches) or self.search is not None

    # What is said.

    def say(self, line: str) -> None:
        """Send a line; raises what `lost` makes when nobody is there any more."""
        if self.lost is not None:
            raise self.lost()
        self._send_line(line)

    def ask(self, *questions: str, wants_answers: bool = True) -> Batch:
        """Ask questions, together."""
        batch = Batch(wants_answers)
        for question in questions:
            self.say(question)
        self.say("isready")
        self._batches.append(batch)
        return batch

    def forget_batches(self) -> None:
        """Wait no more for what was asked until now: the engine has passed over it."""
        self._batches.clear()

    def go(self, line: str, side: Side | None, *, is_confirmed: bool = True) -> RunningSearch:
        """Begin a search; none may run. `side` is whose turn it is, if that is known.

        `is_confirmed` is whether the engine has taken the position, as far as that can be known.
        """
        assert self.search is None
        self.say(line)
        self.search = RunningSearch(side, is_confirmed=is_confirmed)
        return self.search

    def stop(self) -> None:
        """Ask the search that runs, if one does, to end; once is enough."""
        if self.search is not None and not self.search.is_stopping:
            self.say("stop")
            self.search.is_stopping = True

    def ponder_hit(self) -> None:
        """Tell that the expected move was made, and measure the search's time from now on."""
        if self.search is not None:
            self.say("ponderhit")
            self.search.begin_again()

    # What is heard.

    def receive(self, line: str) -> None:
        """Take a line of the engine."""
        self.heard += 1
        event = lines.read_line(line, self.uci)
        if event is None:
            return
        if isinstance(event, lines.Told):
            if self.search is not None:
                self.search.told(event.info)
        elif isinstance(event, lines.Decided):
            # Without a search it is an answer to nobody.
            search, self.search = self.search, None
            if search is not None:
                search.decided(event)
        elif isinstance(event, lines.Ready):
            if self._batches:
                batch = self._batches.popleft()
                batch.is_complete = True
                batch.done.set()
        else:
            self._receive_other(event)

    def _receive_other(self, event: lines.Event) -> None:
        if isinstance(event, lines.Identity):
            if event.field == "name":
                self.name = event.text
            else:
                self.author = event.text
        elif isinstance(event, lines.Listed):
            self.options[event.option.name] = event.option
        elif isinstance(event, lines.Greeted):
            self.greeted[event.dialect].set()
        elif isinstance(event, lines.Admitted):
            self.client_name = event.name
        else:
            batch = next((batch for batch in self._batches if batch.wants_answers), None)
            if batch is not None:
                batch.take(event)
            if isinstance(event, lines.Failed) and self.search is not None:
                self.search.failed(event)

    def end(self, lost: Failure) -> None:
        """Wake everyone who waits: nothing will come any more."""
        if self.lost is None:
            self.lost = lost
        while self._batches:
            self._batches.popleft().done.set()
        for greeting in self.greeted.values():
            greeting.set()
        if self.search is not None:
            self.search.end()

    def copy_identity(self, other: "Dialogue") -> None:
        """Take over what another session of the same engine was told at its handshake."""
        self.uci, self.name, self.author = other.uci, other.name, other.author
        self.client_name, self.options = other.client_name, other.options
