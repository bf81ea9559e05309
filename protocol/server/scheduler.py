"""Which searches run: many clients' searches take turns on few cores.

Without threads, clocks or input and output: the time is given in, and what is to be done
comes out as calls of a ticket's `start`, `pause` and `resume`. The same calls at the same
times give the same turns.

The order: of two priorities the higher is always first. In one priority the next core goes
to the account that has had least of them, so that it does not matter how many searches an
account asks for; and within an account to the ticket that has waited longest. A new one has
waited since it was asked for, so they begin in that order. A ticket that runs keeps its cores
for a slice of time at least, unless one of a higher priority needs them, and as long as nobody
comes before it.

The bounds: an account has never more than its `searches` running. Its other tickets do not
take turns with those, unless they have a higher priority, but wait until one ends. A paused
ticket keeps its memory, so only so many are begun at once (`_may_begin`); as many as there
are cores of these are kept for priorities higher than the lowest that is begun.

A ticket whose threads find no room yet lets narrower ones behind it have the free cores,
but these have no slice: it takes them as soon as there are enough.
"""

from bisect import insort
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from kibitz.protocol.server.shares import Account, Level, Share, Since, State, Ticket

__all__ = ["Scheduler", "State", "Ticket"]

BEGUN_PER_CORE = 16
"""How many tickets are begun at once for each core, if nothing else was said."""

LEAST_BEGUN_PER_CORE = 3
"""With fewer a core could be free while the tickets that might use it cannot be begun."""

MOST_CREDIT = 8
"""So many slices of all cores an account can be owed."""


class _Turn(NamedTuple):
    """A ticket that is to run, and what that means for others."""

    ticket: Ticket
    to_pause: list[Ticket]
    is_stopgap: bool


class Scheduler:
    """Shares `cores` among tickets. All calls come from one thread, with times in seconds.

    Tickets that were hurried are about to end. They are outside of all bounds and counted
    only as running.
    """

    def __init__(self, cores: int, slice_seconds: float, most_begun: int | None = None) -> None:
        """Begin with nothing; at least `LEAST_BEGUN_PER_CORE` for each core can be begun."""
        assert cores > 0
        assert slice_seconds > 0
        self._cores = cores
        self._slice = slice_seconds
        most = BEGUN_PER_CORE * cores if most_begun is None else most_begun
        self._most_begun = max(most, LEAST_BEGUN_PER_CORE * cores)
        self._free = cores
        self._accounts: dict[str, Account] = {}
        self._levels: dict[int, Level] = {}
        # The priorities that there are, negated: the highest is first.
        self._order: list[int] = []
        self._running: dict[Ticket, None] = {}
        self._paused: set[Ticket] = set()
        self._hurried: set[Ticket] = set()
        self._unbegun = 0
        self._began_to_wait = 0
        self._charged_at = 0.0
        self._shared_at = 0.0
        self._calls: deque[tuple[Ticket, Callable[[], None]]] = deque()
        self._is_calling = False

    @property
    def running(self) -> int:
        """How many tickets run."""
        return len(self._running) + len(self._hurried)

    @property
    def paused(self) -> int:
        """How many tickets are begun but have to wait."""
        return len(self._paused)

    @property
    def waiting(self) -> int:
        """How many tickets were not begun yet."""
        return self._unbegun

    # What happens to tickets.

    def add(self, ticket: Ticket, now: float) -> None:
        """Take a new ticket; it may be started within this call."""
        self.enter(ticket, now)
        self._share_out(now)

    def enter(self, ticket: Ticket, now: float) -> None:
        """Take a new ticket that need not be started before the next call, such as `tick`.

        So those that were asked for earlier, and are ready a little later, can come first.
        """
        assert ticket.state is State.NEW
        self._charge(now)
        account = self._accounts.setdefault(ticket.account, Account())
        account.searches = ticket.searches
        account.tickets += 1
        level = self._levels.get(ticket.priority)
        if level is None:
            credit = MOST_CREDIT * self._cores * self._slice
            level = self._levels[ticket.priority] = Level(ticket.priority, credit)
            insort(self._order, -ticket.priority)
        ticket.state = State.WAITING
        ticket.cores = min(max(ticket.threads, 1), self._cores)
        ticket.since = self._since(now if ticket.asked is None else min(ticket.asked, now))
        self._unbegun += 1
        level.add(ticket, account)

    def remove(self, ticket: Ticket, now: float) -> None:
        """Forget a ticket, which has ended or is not wanted any more; if it is there."""
        if ticket.state in (State.NEW, State.GONE):
            return
        self._charge(now)
        if ticket.state is State.HURRIED:
            self._hurried.remove(ticket)
        else:
            self._withdraw(ticket)
        ticket.state = State.GONE
        self._share_out(now)

    def hurry(self, ticket: Ticket, now: float) -> None:
        """Start a ticket, or let it go on, at once: it was stopped and is about to end.

        One that was not begun, and whose answer nobody waits for, is better removed.
        """
        if ticket.state in (State.NEW, State.HURRIED, State.GONE):
            return
        self._charge(now)
        before = ticket.state
        self._withdraw(ticket)
        ticket.state = State.HURRIED
        self._hurried.add(ticket)
        if before is State.WAITING:
            self._calls.append((ticket, ticket.start))
        elif before is State.PAUSED:
            self._calls.append((ticket, ticket.resume))
        self._share_out(now)

    def tick(self, now: float) -> None:
        """Let others have their turn, if it is time for that."""
        self._charge(now)
        self._share_out(now)

    def next_tick(self, now: float) -> float | None:
        """Tell in how many seconds `tick` should be called; None if there is no need."""
        if not self._running or not any(level.is_wanted for level in self._levels.values()):
            return None
        times = [ticket.slice_end for ticket in self._running]
        # A ticket beyond its slice runs on while it has had less than those who wait.
        times.append(self._shared_at + self._slice)
        return max(min(time for time in times if time > self._shared_at) - now, 0.0)

    def _withdraw(self, ticket: Ticket) -> None:
        """Take a ticket out of all books but `_hurried`."""
        level = self._levels[ticket.priority]
        account = self._accounts[ticket.account]
        if ticket.state is State.RUNNING:
            del self._running[ticket]
            self._free += ticket.cores
            account.running -= 1
        else:
            level.take(ticket)
            if ticket.state is State.PAUSED:
                self._paused.remove(ticket)
            else:
                self._unbegun -= 1
        account.begun.discard(ticket)
        level.remove(ticket)
        if not level.present:
            del self._levels[level.priority]
            self._order.remove(-level.priority)
        account.tickets -= 1
        if not account.tickets:
            del self._accounts[ticket.account]

    def _since(self, when: float) -> Since:
        self._began_to_wait += 1
        return when, self._began_to_wait

    # Sharing out.

    def _charge(self, now: float) -> None:
        """Note what those who run have had until now."""
        passed = max(now - self._charged_at, 0.0)
        self._charged_at = now
        for ticket in self._running:
            self._levels[ticket.priority].charge(ticket, passed * ticket.cores)

    def _share_out(self, now: float) -> None:
        """Let those run whose turn it is, and make the calls that follow."""
        self._shared_at = now
        while (turn := self._next_turn(now)) is not None:
            for ticket in turn.to_pause:
                self._pause(ticket, now)
            self._run(turn, now)
        self._make_calls()

    def _pause(self, ticket: Ticket, now: float) -> None:
        ticket.state = State.PAUSED
        ticket.since = self._since(now)
        del self._running[ticket]
        self._paused.add(ticket)
        self._free += ticket.cores
        self._accounts[ticket.account].running -= 1
        self._levels[ticket.priority].wait(ticket)
        self._calls.append((ticket, ticket.pause))

    def _run(self, turn: _Turn, now: float) -> None:
        ticket = turn.ticket
        self._levels[ticket.priority].take(ticket)
        if ticket.state is State.PAUSED:
            self._paused.remove(ticket)
            self._calls.append((ticket, ticket.resume))
        else:
            self._unbegun -= 1
            self._calls.append((ticket, ticket.start))
        account = self._accounts[ticket.account]
        account.begun.add(ticket)
        account.running += 1
        ticket.state = State.RUNNING
        ticket.slice_end = now if turn.is_stopgap else now + self._slice
        self._running[ticket] = None
        self._free -= ticket.cores

    def _make_calls(self) -> None:
        """Make the calls that are due, in order, also when one of them brings about more."""
        if self._is_calling:
            return
        self._is_calling = True
        try:
            while self._calls:
                ticket, call = self._calls.popleft()
                if ticket.state is not State.GONE:
                    call()
        finally:
            self._is_calling = False

    # Whose turn it is.

    def _next_turn(self, now: float) -> _Turn | None:
        """Find the first ticket in the order that can run, and does not run yet."""
        is_stopgap = False
        for negated in self._order:
            level = self._levels[-negated]
            can_begin = self._begun < self._slots(level.priority)
            for share in level.in_turn(with_unbegun=can_begin):
                if not self._can_change(level.priority, now, is_stopgap):
                    return None
                account = share.account
                ticket = share.oldest(self._may_begin(account, level))
                yielding = self._yielding(level, share, now, is_stopgap)
                if ticket is None or (account.is_full and account.begun.isdisjoint(yielding)):
                    continue  # for a reason of its own
                to_pause = self._make_room(ticket, account, yielding)
                if to_pause is not None:
                    return _Turn(ticket, to_pause, is_stopgap)
                is_stopgap = True
        return None

    @property
    def _begun(self) -> int:
        return len(self._running) + len(self._paused)

    def _slots(self, priority: int) -> int:
        """How many tickets may be begun, for one more of a priority to be begun."""
        slots = self._most_begun - self._cores
        if self._begun >= slots and self._begun_from(priority) < self._begun:
            return self._most_begun
        return slots

    def _may_begin(self, account: Account, level: Level) -> bool:
        """Whether an account may have one more ticket of a level begun.

        It has its `searches`, and as many again if those begun are of lower priorities. So
        that slots are left for others, it takes those that it needs for its part of the
        cores, or to use a free one; more, for all its tickets to take turns, only while less
        than half of the slots are taken, and never one of the last, of which there are as many
        as cores: who has none begun has to find one.
        """
        of_account = account.begun_from(level.priority)
        if of_account >= account.searches or len(account.begun) >= 2 * account.searches:
            return False
        slots = self._slots(level.priority)
        if self._begun >= slots:
            return False
        if of_account * level.present < self._cores or not of_account:
            return True
        if self._free and len(account.begun) == account.running:
            return True
        most = min(max(self._most_begun // 2, 2 * self._cores), slots - self._cores)
        return self._begun_from(level.priority) < most

    def _begun_from(self, priority: int) -> int:
        """Count the tickets begun, of a priority and those above it."""
        begun = (*self._running, *self._paused)
        return sum(ticket.priority >= priority for ticket in begun)

    def _can_change(self, priority: int, now: float, is_stopgap: bool) -> bool:
        """Whether a ticket of a priority could find any room at all."""
        return self._free > 0 or any(
            other.priority < priority
            or (other.priority == priority and now >= other.slice_end and not is_stopgap)
            for other in self._running
        )

    def _yielding(self, level: Level, share: Share, now: float, is_stopgap: bool) -> list[Ticket]:
        """Give those that would be paused for a ticket of a share, the first to go first.

        A stopgap only takes what those before it cannot have.
        """
        lower = [other for other in self._running if other.priority < level.priority]
        lower.sort(key=lambda other: other.priority)
        if is_stopgap:
            return lower
        equal = [
            other
            for other in self._running
            if other.priority == level.priority
            and now >= other.slice_end
            and level.share(other).service >= share.service
        ]
        equal.sort(key=lambda other: level.share(other).service, reverse=True)
        return lower + equal

    def _make_room(
        self, ticket: Ticket, account: Account, yielding: list[Ticket]
    ) -> list[Ticket] | None:
        """Choose those to pause so that a ticket can run; None if all were not enough."""
        room = self._free
        to_pause: list[Ticket] = []
        if account.is_full:
            yielding.sort(key=lambda other: other not in account.begun)
            to_pause.append(yielding.pop(0))
            room += to_pause[0].cores
        for other in yielding:
            if room >= ticket.cores:
                break
            to_pause.append(other)
            room += other.cores
        return to_pause if room >= ticket.cores else None
