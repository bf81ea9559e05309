"""One connection of a server: bytes, lines, a conversation, and the way it ends.

Tasks and their owner: the server runs `serve` in a task of its own; that reads, and owns a
second task, which writes. What is read waits for its turn in the pump, where the commands
of all clients are carried out.

How a connection ends:

- `quit`, or no more input (also when only the client's sending side is closed): searches
  are stopped, all answers are written;
- the server ends: the same, and what was read but not begun is dropped;
- it is lost (reset, a client that does not read, a bug, a time limit): searches are stopped,
  nobody is told. With `resume` the conversation is kept, and no more input is a loss too.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from ssl import SSLContext
from typing import Any

import anyio
from anyio.abc import TaskGroup

from kibitz.protocol.dialects import Dialects
from kibitz.protocol.hub import Hub
from kibitz.protocol.json.desk import Desk
from kibitz.protocol.mailbox import Mailbox
from kibitz.protocol.server.accounts import Account
from kibitz.protocol.server.address import Address
from kibitz.protocol.server.bell import Bell
from kibitz.protocol.server.channel import READ_SIZE, Channel
from kibitz.protocol.server.common import Common
from kibitz.protocol.server.pump import Lane
from kibitz.protocol.server.share import Share
from kibitz.protocol.service import Conversation

MOST_UNSENT = 256 * 1024
"""With so many bytes unsent no more commands are carried out."""

MOST_UNREAD = 4 * READ_SIZE
"""With so many bytes of commands waiting nothing more is received."""

PIECE = 16 * 1024
"""The bytes that a client has to take within the limit for stuck readers."""


class Connection:
    """A client's connection, from the first byte to the last."""

    def __init__(self, common: Common, channel: Channel, number: int, peer: Address) -> None:
        """Serve the client behind a channel; number and peer are for the log."""
        self._common = common
        self._channel = channel
        self._log = common.log.bind(connection=number)
        self._log.info("connected", peer=str(peer))
        self._account = common.anonymous.account()
        self._is_counted = False
        self._share = Share(common, self._account, self)
        longest = common.settings.connections.longest_line
        self._dialects = Dialects(
            longest,
            lambda: Hub(self._share, most_line=longest),
            lambda: Desk(self._share, most_line=longest),
        )
        self._conversation: Conversation | None = None
        self._lane = Lane(self._account.turns, self._step)
        self._changed = Bell()
        self._mail = Bell()
        self._mailboxes: deque[Mailbox] = deque()
        # With the time at which they came.
        self._unread: deque[tuple[float, bytes]] = deque()
        self._unread_size = 0
        self._items: Iterator[tuple[Conversation, Any]] = iter(())
        self._next: tuple[Conversation, Any] | None = None
        self._input_ended = False
        self._is_drained = False
        self._unsent = b""
        self._is_sending = False
        self._reading = anyio.CancelScope()
        self._life = anyio.CancelScope()
        self._why = ""
        self._begun = common.alarms.clock()

    async def serve(self, context: SSLContext | None) -> None:
        """Serve the client to the end, over TLS if there is a context."""
        try:
            with self._life:
                async with anyio.create_task_group() as tasks:
                    try:
                        await self._serve(context, tasks)
                    except OSError as error:
                        self._lost(error)
                    tasks.cancel_scope.cancel()
        finally:
            self._end()

    async def _serve(self, context: SSLContext | None, tasks: TaskGroup) -> None:
        self._common.strangers[self] = None
        now = self._common.alarms.clock()
        self._reading.deadline = now + self._common.settings.connections.handshake_seconds
        with self._reading:
            if context is not None:
                await self._channel.secure(context)
            if self._share.is_admitted:
                self._settle()
            tasks.start_soon(self._write)
            await self._read()
        if self._reading.cancelled_caught and not self._why:
            self._why = "the handshake took too long"
            return
        await self._say_the_rest()

    # Reading and carrying out.

    async def _read(self) -> None:
        """Receive commands until no more come, and all are carried out."""
        while data := await self._channel.receive():
            self._unread.append((self._common.alarms.clock(), data))
            self._unread_size += len(data)
            self._common.pump.wake(self._lane)
            while self._unread_size >= MOST_UNREAD:
                await self._changed.wait()
        self._input_ended = True
        self._common.pump.wake(self._lane)
        while not self._is_drained:
            await self._changed.wait()
        self._why = "input ended"

    @property
    def _is_crowded(self) -> bool:
        """Whether more answers would need memory without bound."""
        waiting = self._conversation is not None and self._conversation.is_waiting
        return waiting or sum(mailbox.size for mailbox in self._mailboxes) >= MOST_UNSENT

    def _step(self) -> bool:
        """Carry out one command; tells whether there may be another."""
        try:
            return not self._is_crowded and self._step_freely()
        except Exception as error:  # noqa: BLE001 - a bug must not end the server
            self._common.report_bug(error)
            self.broken(error)
            return False

    def _step_freely(self) -> bool:
        if self._reading.cancel_called or self._life.cancel_called:
            return False
        if self._next is None and not self._advance():
            return False
        now = self._common.alarms.clock()
        wait = self._share.account.requests.take(now)
        if wait:
            self._common.alarms.after(wait, self._wake)
            return False
        assert self._next is not None
        (conversation, item), self._next = self._next, None
        conversation.receive(item)
        # It may be another one now, which the old one has resumed.
        if self._conversation is not None and self._conversation.is_closing:
            self._stop_reading("quit")
        return True

    def _advance(self) -> bool:
        """Find the next command; False when there is none now."""
        while True:
            self._next = next(self._items, None)
            self._meet(self._dialects.conversation)
            if self._next is not None:
                return True
            if self._unread:
                self._share.asked, data = self._unread.popleft()
                self._unread_size -= len(data)
                self._items = self._dialects.feed(data)
                self._changed.ring()
            elif self._input_ended and not self._is_drained:
                self._items = self._dialects.finish()
                self._is_drained = True
            else:
                self._changed.ring()
                return False

    def _meet(self, conversation: Conversation | None) -> None:
        """Send what a new conversation has to say, too."""
        if conversation is None or conversation is self._conversation:
            return
        self._conversation = conversation
        conversation.mailbox.notify = partial(self._common.pump.afterwards, self._flush)
        self._mailboxes.append(conversation.mailbox)
        conversation.mailbox.notify()

    def _wake(self) -> None:
        self._common.pump.wake(self._lane)

    # Writing: at the end of each slice of the pump, or, when the client takes less, by a task.

    def _flush(self) -> None:
        """Send what there is, and leave to the task what the system does not take now."""
        if self._is_sending or not (data := self._take()):
            return
        try:
            self._unsent = data[self._channel.send_now(data) :]
        except OSError as error:
            self._lost(error)
            return
        if self._unsent or self._has_mail:
            self._mail.ring()
        else:
            self._changed.ring()
            self._wake()

    async def _write(self) -> None:
        """Send what there is, as slowly as the client takes it."""
        limit = self._common.settings.connections.stuck_seconds
        try:
            while True:
                data = self._take()
                self._is_sending = bool(data)
                if not data:
                    self._changed.ring()
                    await self._mail.wait()
                    continue
                with anyio.move_on_after(limit) as patience:
                    await self._channel.send(data)
                if patience.cancelled_caught:
                    self.lose("stuck: the client does not read")
                    return
                self._wake()
        except OSError as error:
            self._lost(error)

    @property
    def _has_mail(self) -> bool:
        return bool(self._unsent) or any(mailbox.size for mailbox in self._mailboxes)

    def _take(self) -> bytes:
        """Give the next piece to send, of what comes first."""
        data, self._unsent = self._unsent, b""
        while not data and self._mailboxes:
            data = self._mailboxes[0].take(PIECE)
            if not data:
                if len(self._mailboxes) == 1:
                    break
                self._mailboxes.popleft()
        return data

    # Ending.

    def end(self) -> None:
        """Stop: the server ends. Answers are still written."""
        self._stop_reading("the server ends")

    def _stop_reading(self, why: str) -> None:
        self._why = self._why or why
        self._reading.cancel()

    async def _say_the_rest(self) -> None:
        """Stop all searches and write their answers, unless the client may come back."""
        desk = self._share.desk
        if self._why == "input ended" and desk is not None and desk.is_resumable:
            return
        if self._conversation is not None:
            self._conversation.close()
            while self._conversation.is_waiting or not self._share.is_idle:
                await self._changed.wait()
        while self._is_sending or self._has_mail:
            await self._changed.wait()
        self._share.abandon()
        await self._channel.finish()

    def _end(self) -> None:
        """Give back all that the connection had."""
        self._common.strangers.pop(self, None)
        if self._share.line is self:
            self._share.leave()
        if self._is_counted:
            self._account.connections -= 1
        self._channel.close()
        self._let_mail_go()
        seconds = round(self._common.alarms.clock() - self._begun, 3)
        self._log.info("disconnected", why=self._why, seconds=seconds)

    def _settle(self) -> None:
        """Be a stranger no more."""
        self._reading.deadline = float("inf")
        self._common.strangers.pop(self, None)

    # What the share asks of its line.

    def admitted(self, account: Account) -> None:
        """Go on as a client that is known."""
        self._account = account
        self._is_counted = True
        account.connections += 1
        self._lane.group = account.turns
        self._settle()
        self._log.info("admitted", client=account.name)
        self._log = self._log.bind(client=account.name)

    def refused(self, reason: str) -> None:
        """Tell the client what was answered, and end."""
        self._log.warning("refused", why=reason)
        self._stop_reading(reason)

    def adopt(self, share: Share, desk: Desk) -> None:
        """Go on with a conversation that another connection has lost."""
        self._log.info("resumed")
        share.asked = self._share.asked
        self._share = share
        self._dialects.conversation = desk
        self._meet(desk)

    def notice(self) -> None:
        """Look again whether there is something to do."""
        self._wake()
        self._changed.ring()

    def broken(self, error: Exception) -> None:
        """A bug of ours: end at once."""
        self.lose("internal error")

    def _lost(self, error: OSError) -> None:
        self.lose(f"lost: {error.strerror or error}")

    def lose(self, reason: str) -> None:
        """End at once; from now on nothing is taken from the conversation or given to it."""
        if not self._life.cancel_called:
            self._why = reason
        self._life.cancel()
        self._let_mail_go()

    def _let_mail_go(self) -> None:
        """Take no more mail: the conversation may go on with another connection.

        The pump may still have been asked to flush this one.
        """
        self._mailboxes.clear()
        self._unsent = b""
