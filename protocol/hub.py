"""The engines of one connection: commands go to the session that they are for.

A connection has the session `0` from the start, and no others yet. What is not about an
engine, the handshake, `help` and `quit`, is answered here.
"""

from collections.abc import Mapping
from typing import Protocol

from kibitz.engine.version import AUTHORS, VERSION
from kibitz.protocol import commands
from kibitz.protocol.commands import Command
from kibitz.protocol.faults import ErrorCode, Refusal, describe_bug
from kibitz.protocol.jobs import Job, SearcherMaker
from kibitz.protocol.options import listed_options
from kibitz.protocol.replies import Fault, HelpText, Identity, Reply
from kibitz.protocol.session import SEARCHERS, Session
from kibitz.protocol.table import help_lines

FIRST_SESSION = "0"


class Transport(Protocol):
    """What a hub needs of what carries it; both calls come from the hub's own thread."""

    def send(self, reply: Reply) -> None:
        """Write a reply to the client."""

    def start(self, session: Session, job: Job) -> None:
        """Run a job in a worker thread, as `kibitz.protocol.session.Host` says."""


class Hub:
    """One connection's sessions; the host of each of them."""

    def __init__(
        self, transport: Transport, searchers: Mapping[str, SearcherMaker] = SEARCHERS
    ) -> None:
        self.is_closing = False
        self._transport = transport
        self._searchers = searchers
        self._sessions: dict[str, Session] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether a session has commands that wait for a stopped search to end."""
        return any(session.is_waiting for session in self._sessions.values())

    def receive(self, item: Command | Fault) -> None:
        """Carry out a command; a fault in the place of one is passed on to the client."""
        if isinstance(item, Fault):
            self._transport.send(item)
            return
        try:
            self._dispatch(item)
        except Refusal as refusal:
            self._transport.send(Fault(refusal.code, refusal.text))
        except Exception as error:  # noqa: BLE001 - a bug must not end the process
            self._transport.send(Fault(ErrorCode.INTERNAL, describe_bug(error)))

    def _dispatch(self, command: Command) -> None:
        if isinstance(command, commands.Handshake):
            self._transport.send(
                Identity(
                    command.dialect,
                    f"kibitz {VERSION}",
                    AUTHORS,
                    listed_options(command.dialect == "uci"),
                )
            )
        elif isinstance(command, commands.Help):
            self._transport.send(HelpText(help_lines(command.topic)))
        elif isinstance(command, commands.Quit):
            self.close()
        else:
            self._session(FIRST_SESSION).receive(command)

    def _session(self, name: str) -> Session:
        """Give a session, made when it is first needed: a handshake needs none."""
        if name not in self._sessions:
            self._sessions[name] = Session(name, self, self._searchers)
        return self._sessions[name]

    def close(self) -> None:
        """Stop all searches, also those that wait to begin, once what they wait for is done."""
        self.is_closing = True
        for session in self._sessions.values():
            session.receive(commands.Stop())

    # What sessions ask of their host.

    def send(self, session: Session, reply: Reply) -> None:
        """Pass on what a session answers."""
        self._transport.send(reply)

    def start(self, session: Session, job: Job) -> None:
        """Have a session's job run."""
        self._transport.start(session, job)
