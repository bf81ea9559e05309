"""A server for many clients: listens, and has each connection served until signals end it.

Tasks and their owners, from the outside to the inside: one group owns what serves everybody,
the pump, the alarms and the one that heeds signals; one owns the jobs; one the connections;
one those that accept connections. The first signal ends the innermost. Then each connection
is asked to end, which takes until its client has taken the last answers, but at most
`stop_seconds`. A second signal ends the process.

While nothing is asked of it, nothing in a server wakes up.
"""

import errno
import os
import signal
import socket
from collections.abc import Sequence
from ssl import SSLContext

import anyio
from anyio.abc import TaskGroup, TaskStatus
from anyio.lowlevel import checkpoint

from kibitz.protocol.logs import Logger
from kibitz.protocol.server.address import Address
from kibitz.protocol.server.alarms import Alarms
from kibitz.protocol.server.channel import Channel
from kibitz.protocol.server.common import Common
from kibitz.protocol.server.connection import Connection
from kibitz.protocol.server.machine import Machine
from kibitz.protocol.server.pump import Pump
from kibitz.protocol.server.settings import Configuration
from kibitz.protocol.server.shelf import Shelf

INTERRUPTED = 1
"""The exit status after a second signal."""

_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

_FULL_PAUSE = 0.5
"""Seconds to wait when the system has no room for one more connection."""


def serve(
    configuration: Configuration,
    listeners: Sequence[socket.socket],
    context: SSLContext | None,
    log: Logger,
) -> None:
    """Serve on listening sockets, which are closed in the end, until a signal comes."""
    anyio.run(_serve, configuration, listeners, context, log)


async def _serve(
    configuration: Configuration,
    listeners: Sequence[socket.socket],
    context: SSLContext | None,
    log: Logger,
) -> None:
    await Server(configuration, listeners, context, log).run()


class Server:
    """A server, from its first to its last connection; made in the event loop."""

    def __init__(
        self,
        configuration: Configuration,
        listeners: Sequence[socket.socket],
        context: SSLContext | None,
        log: Logger,
    ) -> None:
        self._settings = configuration.settings
        self._accounts = configuration.accounts
        self._listeners = listeners
        self._context = context
        self._log = log
        self._connections: set[Connection] = set()
        self._accepted = 0
        self._turned_away = 0
        self._listening = anyio.CancelScope()

    async def run(self) -> None:
        """Serve until a signal comes, and all clients have been told their answers."""
        settings = self._settings
        async with anyio.create_task_group() as helpers:
            # A signal that comes after the first line of the log must find its handler.
            await helpers.start(self._heed_signals)
            alarms = Alarms(anyio.current_time)
            pump = Pump(anyio.current_time)
            helpers.start_soon(alarms.run)
            helpers.start_soon(pump.run)
            async with anyio.create_task_group() as jobs:
                machine = Machine(
                    settings.searches,
                    Shelf(settings.searches.all_megabytes),
                    alarms,
                    self._log,
                    jobs,
                )
                common = Common(settings, self._accounts, self._log, alarms, pump, machine)
                await self._serve(common)
                common.parking.clear()
            helpers.cancel_scope.cancel()
        self._log.info("stopped")

    async def _serve(self, common: Common) -> None:
        async with anyio.create_task_group() as connections:
            with self._listening:
                async with anyio.create_task_group() as doors:
                    for listener in self._listeners:
                        doors.start_soon(self._accept, listener, common, connections)
                        host, port = listener.getsockname()[:2]
                        self._log.info("listening", host=host, port=port, tls=bool(self._context))
            for listener in self._listeners:
                listener.close()
            self._log.info("stopping", connections=len(self._connections))
            limit = anyio.current_time() + self._settings.stop_seconds
            connections.cancel_scope.deadline = limit
            for connection in self._connections:
                connection.end()

    async def _heed_signals(self, *, task_status: TaskStatus[None]) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                if self._listening.cancel_called:
                    os._exit(INTERRUPTED)
                self._listening.cancel()

    # Accepting connections.

    async def _accept(
        self, listener: socket.socket, common: Common, connections: TaskGroup
    ) -> None:
        while True:
            try:
                connected, peer = listener.accept()
            except BlockingIOError:
                await anyio.wait_readable(listener)
                continue
            except OSError as error:
                # One that has gone again; or the system has no room, which takes a while.
                if error.errno in _NO_ROOM:
                    self._log.error("cannot_accept", error=error.strerror)
                    await anyio.sleep(_FULL_PAUSE)
            else:
                self._meet(connected, Address(*peer[:2]), common, connections)
            await checkpoint()

    def _meet(
        self, connected: socket.socket, peer: Address, common: Common, connections: TaskGroup
    ) -> None:
        """Have a connection served, unless there are too many."""
        limits = self._settings.connections
        if len(self._connections) >= limits.most:
            connected.close()
            if not self._turned_away:
                self._log.warning("full", connections=len(self._connections))
            self._turned_away += 1
            return
        if self._turned_away:
            self._log.warning("room_again", turned_away=self._turned_away)
            self._turned_away = 0
        if len(common.strangers) >= limits.most_strangers:
            # Nobody can keep others out by connecting and saying nothing.
            next(iter(common.strangers)).lose("a newer stranger needed the place")
        self._accepted += 1
        connection = Connection(common, Channel(connected), self._accepted, peer)
        self._connections.add(connection)
        common.connections += 1
        connections.start_soon(self._attend, connection, common)

    async def _attend(self, connection: Connection, common: Common) -> None:
        try:
            await connection.serve(self._context)
        except Exception as error:  # noqa: BLE001 - a bug must not end the server
            common.report_bug(error)
        finally:
            self._connections.discard(connection)
            common.connections -= 1
