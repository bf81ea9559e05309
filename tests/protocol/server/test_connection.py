"""Connections whose turns the test gives, so that every race has one outcome."""

import json
import socket
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from kibitz.protocol.logs import make_logger
from kibitz.protocol.server.address import Address
from kibitz.protocol.server.alarms import Alarms
from kibitz.protocol.server.channel import Channel
from kibitz.protocol.server.common import Common
from kibitz.protocol.server.connection import Connection
from kibitz.protocol.server.machine import Machine
from kibitz.protocol.server.pump import Pump
from kibitz.protocol.server.settings import load
from kibitz.protocol.server.shelf import Shelf

# So many turns of the loop are more than any task needs to come to rest.
TURNS = 20


async def rest() -> None:
    for _ in range(TURNS):
        await checkpoint()


class Peer:
    """The client's end of a connection."""

    def __init__(self, common: Common, number: int) -> None:
        theirs, self.socket = socket.socketpair()
        self.socket.setblocking(False)
        self.connection = Connection(common, Channel(theirs), number, Address("localhost", number))

    def send(self, **fields: Any) -> None:
        self.socket.sendall(json.dumps(fields).encode() + b"\n")

    def message(self) -> dict[str, Any]:
        """Give the first of the messages that have come."""
        message: dict[str, Any] = json.loads(self.socket.recv(1 << 20).splitlines()[0])
        return message


@pytest.mark.asyncio
async def test_a_connection_that_has_ended_takes_no_mail_of_the_next_one() -> None:
    """It may have been about to send when it ended; what is sent then is for who came back."""
    configuration = load("", {})
    settings = configuration.settings
    log = make_logger("error", 2)
    alarms, pump = Alarms(anyio.current_time), Pump(anyio.current_time)
    async with anyio.create_task_group() as tasks:
        machine = Machine(settings.searches, Shelf(1), alarms, log, tasks)
        common = Common(settings, configuration.accounts, log, alarms, pump, machine)
        first, second = Peer(common, 1), Peer(common, 2)
        tasks.start_soon(first.connection.serve, None)
        first.send(id="h", type="hello", resume=True)
        await rest()
        pump.run_slice()
        token = first.message()["resume"]
        first.send(id="p", type="ping")
        first.socket.shutdown(socket.SHUT_WR)
        await rest()
        while not first.connection._is_drained:
            pump.run_slice()
        # The last thing that it is asked for before its task learns that it is over.
        mailbox = first.connection._mailboxes[0]
        mailbox.notify()
        await rest()
        tasks.start_soon(second.connection.serve, None)
        second.send(id="r", type="resume", token=token, final=0)
        await rest()
        pump.run_slice()
        assert second.message()["type"] == "resumed"
        tasks.cancel_scope.cancel()
    first.socket.close()
    second.socket.close()
