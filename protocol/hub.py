"""The text side of one connection: its engines, each a session under a name of its own.

A line goes to the session that its prefix `@ID` names, or else to the session `0`, which
is there from the start. What is not about an engine is answered here: the handshake,
`help`, `auth`, `session` and `quit`. Before the client is admitted nothing is done for it.

Items are carried out in the order in which they come. While a session is being closed,
which lasts until its search has been answered, those behind wait.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from kibitz.engine.errors import OptionError
from kibitz.engine.version import AUTHORS, VERSION
from kibitz.protocol import commands, replies
from kibitz.protocol import options as names
from kibitz.protocol.commands import Command
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.framing import MOST_LINE, Trouble
from kibitz.protocol.jobs import Job, SearcherMaker
from kibitz.protocol.mailbox import Mailbox
from kibitz.protocol.quota import Quota
from kibitz.protocol.replies import BestMove, Fault, Progress, Reply, fault_of
from kibitz.protocol.service import Service
from kibitz.protocol.session import SEARCHERS, Session
from kibitz.protocol.table import help_lines
from kibitz.protocol.ugi import Addressed, Item, UgiCodec
from kibitz.search.table import Table

FIRST_SESSION = "0"


class Hub:
    """One client's conversation in UGI or UCI, and the host of its sessions."""

    def __init__(
        self,
        service: Service,
        searchers: Mapping[str, SearcherMaker] = SEARCHERS,
        most_line: int = MOST_LINE,
    ) -> None:
        self.mailbox = Mailbox()
        self.is_closing = False
        self._service = service
        self._searchers = searchers
        self._codec = UgiCodec(most_line)
        self._sessions: dict[str, Session] = {}
        self._closing: Session | None = None
        self._waiting: deque[Item] = deque()
        self._slow: set[Session] = set()
        self._handlers: dict[type[Command], Callable[[Any, str | None], None]] = {
            commands.Handshake: self._handshake,
            commands.Help: self._help,
        }
        # What concerns the whole connection and is never meant for one session.
        self._own_handlers: dict[type[Command], Callable[[Any], None]] = {
            commands.Authenticate: self._authenticate,
            commands.OpenSession: self._open,
            commands.CloseSession: self._close,
            commands.ListSessions: lambda command: self._list(),
            commands.Quit: lambda command: self._quit(),
        }

    @property
    def is_waiting(self) -> bool:
        """Whether commands wait: for a session to close, or within a session."""
        # A session begins to wait only with a command, so only those that had one count.
        self._slow = {session for session in self._slow if session.is_waiting}
        return bool(self._slow or self._waiting) or self._closing is not None

    def read(self, line: str | Trouble) -> Item | None:
        """Make a command of a line, a `Fault` of one that is none, None of an empty one."""
        return self._codec.read(line)

    def receive(self, item: Item) -> None:
        """Carry out a command; a fault in the place of one is passed on to the client."""
        if self.is_closing:
            return
        self.is_closing = isinstance(item, commands.Quit)
        self._waiting.append(item)
        self._carry_out()

    def close(self) -> None:
        """Stop and answer all searches, also those that wait to begin, and end all sessions."""
        self.receive(commands.Quit())

    # Items in turn.

    def _carry_out(self) -> None:
        while self._waiting and self._closing is None:
            item = self._waiting.popleft()
            prefix = None
            if isinstance(item, Addressed):
                prefix, item = item.session, item.item
            try:
                self._dispatch(item, prefix)
            except Exception as error:  # noqa: BLE001 - a bug must not end the process
                self._send(fault_of(error), prefix)
                if isinstance(item, commands.Go | commands.RefusedGo):
                    # Programs wait for one to every `go`, also when there is no session.
                    self._send(BestMove(), prefix)

    def _dispatch(self, item: Command | Fault, prefix: str | None) -> None:
        if not (self._service.is_admitted or isinstance(item, _BEFORE_ADMISSION)):
            raise Refusal(ErrorCode.DENIED, "say auth TOKEN first")
        if prefix is not None and not self._has(prefix):
            raise _no_session(prefix)
        if isinstance(item, Fault):
            self._send(item, prefix)
            return
        own = self._own_handlers.get(type(item))
        if own is not None:
            if prefix is not None:
                text = "this concerns the whole connection; say it without the name of a session"
                raise Refusal(ErrorCode.BAD_COMMAND, text)
            own(item)
            return
        handler = self._handlers.get(type(item))
        if handler is not None:
            handler(item, prefix)
            return
        session = self._session(FIRST_SESSION if prefix is None else prefix)
        self._pass_on(session, item, prefixed=prefix is not None)

    def _pass_on(self, session: Session, command: Command, prefixed: bool = False) -> None:
        session.receive(command, prefixed)
        if session.is_waiting:
            self._slow.add(session)

    def _send(self, reply: Reply, prefix: str | None = None) -> None:
        self.mailbox.put(self._codec.encode(reply, prefix))

    # What is answered here.

    def _handshake(self, command: commands.Handshake, prefix: str | None) -> None:
        options = names.listed_options(command.dialect == "uci", self.quota)
        identity = replies.Identity(command.dialect, f"kibitz {VERSION}", AUTHORS, options)
        self._send(identity, prefix)

    def _help(self, command: commands.Help, prefix: str | None) -> None:
        self._send(replies.HelpText(help_lines(command.topic)), prefix)

    def _authenticate(self, command: commands.Authenticate) -> None:
        self._send(replies.Admitted(self._service.admit(command.token)))

    def _open(self, command: commands.OpenSession) -> None:
        name = command.name
        if self._has(name):
            raise Refusal(ErrorCode.BUSY, f"the session {name} is open already")
        game = command.game
        try:
            game = None if game is None else names.GAME.canonical(game)
        except OptionError as error:
            raise Refusal(ErrorCode.BAD_OPTION, str(error)) from None
        self._make_session(name, game)
        self._send(replies.Sessions("opened", (name,)))

    def _close(self, command: commands.CloseSession) -> None:
        if command.name == FIRST_SESSION:
            text = f"the session {FIRST_SESSION} lasts as long as the connection"
            raise Refusal(ErrorCode.BAD_COMMAND, text)
        if not self._has(command.name):
            raise _no_session(command.name)
        self._closing = self._sessions[command.name]
        self._closing.receive(command)

    def _list(self) -> None:
        others = (name for name in self._sessions if name != FIRST_SESSION)
        self._send(replies.Sessions("list", (FIRST_SESSION, *others)))

    def _quit(self) -> None:
        for session in list(self._sessions.values()):
            self._pass_on(session, commands.CloseSession(session.name))

    # Sessions.

    def _has(self, name: str) -> bool:
        return name == FIRST_SESSION or name in self._sessions

    def _session(self, name: str) -> Session:
        """Give a session; the first one is made when it is needed: a handshake needs none."""
        if name not in self._sessions:
            self._make_session(name)
        return self._sessions[name]

    def _make_session(self, name: str, game: str | None = None) -> None:
        self._service.open_session()
        self._sessions[name] = Session(name, self, self._searchers, game)

    # What sessions ask of their host.

    @property
    def quota(self) -> Quota:
        """What the client may have."""
        return self._service.quota

    def send(self, session: Session, reply: Reply, prefixed: bool) -> None:
        """Pass on what a session answers; of progress only the newest has to arrive."""
        data = self._codec.encode(reply, session.name if prefixed else None)
        if isinstance(reply, Progress) and not reply.last:
            self.mailbox.put_newest(session.name, reply.multipv, data)
            return
        if isinstance(reply, Progress | BestMove):
            # The search is over: progress of the next one must not come before its answer.
            self.mailbox.close(session.name)
        if data:
            self.mailbox.put(data)

    def start(self, session: Session, job: Job, threads: int) -> None:
        """Have a session's job run."""
        self._service.start(session, job, threads=threads)

    def stop(self, session: Session, job: Job) -> None:
        """Have a session's job stopped."""
        self._service.stop(job)

    def later(self, session: Session) -> None:
        """Let a session go on when others have had their turn."""
        self._service.later(session.proceed)

    def table(self, session: Session, megabytes: int) -> Table:
        """Give a session a hash table."""
        return self._service.table(session, megabytes)

    def use_table(self, session: Session, in_use: bool) -> None:
        """Say whether a search uses a session's table."""
        self._service.use_table(session, in_use)

    def drop_table(self, session: Session) -> None:
        """Take back a session's table."""
        self._service.drop_table(session)

    def closed(self, session: Session) -> None:
        """Forget a session that has come to its end."""
        del self._sessions[session.name]
        self._service.drop_table(session)
        self._service.close_session()
        if session is self._closing:
            self._closing = None
            self._send(replies.Sessions("closed", (session.name,)))
            self._service.later(self._carry_out)


_BEFORE_ADMISSION = (commands.Authenticate, commands.Quit)


def _no_session(name: str) -> Refusal:
    return Refusal(ErrorCode.NO_SESSION, f"there is no session {name}; try session open {name}")
