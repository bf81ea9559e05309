"""What all connections of a server share."""

from typing import TYPE_CHECKING

from kibitz.protocol.faults import describe_bug
from kibitz.protocol.logs import Logger
from kibitz.protocol.server.accounts import Accounts, Anonymous
from kibitz.protocol.server.alarms import Alarms
from kibitz.protocol.server.machine import Machine
from kibitz.protocol.server.parking import Parking
from kibitz.protocol.server.pump import Pump
from kibitz.protocol.server.settings import Settings
from kibitz.protocol.service import Stats

if TYPE_CHECKING:
    from kibitz.protocol.server.connection import Connection
    from kibitz.protocol.server.share import Share


class Common:
    """The parts of a server, and the counts that its connections keep."""

    def __init__(
        self,
        settings: Settings,
        accounts: Accounts,
        log: Logger,
        alarms: Alarms,
        pump: Pump,
        machine: Machine,
    ) -> None:
        self.settings = settings
        self.accounts = accounts
        self.anonymous = Anonymous(settings.quota)
        self.log = log
        self.alarms = alarms
        self.pump = pump
        self.machine = machine
        self.parking: Parking[Share] = Parking(
            alarms, settings.grace_seconds, settings.connections.most
        )
        self.strangers: dict[Connection, None] = {}
        """The connections that are not admitted yet, the oldest first."""
        self.connections = 0
        self.sessions = 0

    def stats(self) -> Stats:
        """Tell what the server is doing."""
        return self.machine.stats(self.connections, self.sessions)

    def report_bug(self, error: Exception) -> None:
        """Log an error of ours."""
        self.log.error("internal_error", error=describe_bug(error))
