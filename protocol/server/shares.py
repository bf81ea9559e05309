"""Who waits for cores, and what each account has had: the bookkeeping of the scheduler.

A `Level` is all of one priority. In it each account has a `Share`: its tickets that wait,
and its service, the seconds of cores that it had. Who has had least is the next. Services
count only while somebody waits in the level: what a core did that nobody else wanted is
held against nobody, and whatever was before is forgotten.

Knows the rules of the order, but not who runs or may run: that is the scheduler's.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Callable, Iterator
from enum import Enum
from heapq import merge
from operator import itemgetter

from kibitz.protocol.server.ranking import Rank, Ranking

NO_BOUND = 1_000_000

MOST_ABSENT = 1000
"""Of so many accounts that have nothing here now a level remembers what they had."""


Since = tuple[float, int]
"""When a ticket began to wait: the second, and a number that tells those of one second apart."""


class State(Enum):
    """Where a ticket is."""

    NEW = "new"
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    HURRIED = "hurried"
    GONE = "gone"


class Ticket:
    """One search, or something like it, that wants to run.

    `account` is the name of who shares; `searches` is how many of its searches may run at
    once, and is taken from its newest ticket. Of two priorities the higher is first.
    `start` is called once at most, and `pause` and `resume` after it, in turn; they may
    call the scheduler. Nothing is called any more once a ticket was removed. `asked` is the
    second at which somebody asked for it, if that was before it was ready: within its account
    it comes before those that were asked for later.
    """

    def __init__(
        self,
        account: str,
        *,
        start: Callable[[], None],
        pause: Callable[[], None],
        resume: Callable[[], None],
        priority: int = 0,
        threads: int = 1,
        searches: int = NO_BOUND,
        asked: float | None = None,
    ) -> None:
        self.account = account
        self.priority = priority
        self.threads = threads
        self.searches = max(searches, 1)
        self.start = start
        self.pause = pause
        self.resume = resume
        self.asked = asked
        # The scheduler's own.
        self.state = State.NEW
        self.cores = threads
        self.since: Since = (0.0, 0)
        self.slice_end = 0.0


class Account:
    """What an account has going on, over all priorities."""

    def __init__(self) -> None:
        self.searches = NO_BOUND
        self.tickets = 0
        self.running = 0
        self.begun: set[Ticket] = set()

    @property
    def is_full(self) -> bool:
        """Whether none can run beside those that do."""
        return self.running >= self.searches

    def begun_from(self, priority: int) -> int:
        """Count the tickets that run or are paused, of a priority and those above it."""
        return sum(ticket.priority >= priority for ticket in self.begun)


class Share:
    """An account's part of a level."""

    def __init__(self, account: Account, number: int) -> None:
        self.account = account
        self.number = number
        self.service = 0.0
        self.tickets = 0
        # Both in the order in which they began to wait. Who was asked for long ago comes late.
        self.unbegun: list[tuple[Since, Ticket]] = []
        self.paused: OrderedDict[Ticket, None] = OrderedDict()

    @property
    def rank(self) -> Rank:
        """What shares are ordered by: of equals the older account is first."""
        return self.service, self.number

    @property
    def is_waiting(self) -> bool:
        """Whether the account wants more cores than it has."""
        return bool(self.unbegun or self.paused)

    def oldest(self, may_begin: bool) -> Ticket | None:
        """Give the ticket that has waited longest, leaving out those that may not begin."""
        first = next(iter(self.paused), None)
        if may_begin and self.unbegun:
            since, ticket = self.unbegun[0]
            if first is None or since < first.since:
                return ticket
        return first


class Level:
    """All tickets of one priority.

    `credit` is the most service that an account can be owed. One that for a long time did
    not want its part, or found no room for its many threads, would else one day have all
    cores to itself for as long.
    """

    def __init__(self, priority: int, credit: float) -> None:
        self.priority = priority
        self._credit = credit
        self.present = 0
        """How many accounts have tickets here."""
        self._shares: dict[str, Share] = {}
        self._unbegun: Ranking[Share] = Ranking()
        # Few, because few tickets may be begun; so they need no ranking.
        self._paused: set[Share] = set()
        self._made = 0
        # What an account would have had that always had its part, and the most that one had.
        self._due = 0.0
        self._most = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether a ticket waits."""
        return bool(self._unbegun or self._paused)

    def share(self, ticket: Ticket) -> Share:
        """Give the share that a ticket is of."""
        return self._shares[ticket.account]

    def in_turn(self, with_unbegun: bool) -> Iterator[Share]:
        """Give the shares with waiting tickets, the next first; some may come twice.

        Nothing may be changed meanwhile. Without the unbegun ones, only few shares count.
        """
        paused = sorted(self._paused, key=lambda share: share.rank)
        if not with_unbegun:
            return iter(paused)
        return merge(paused, self._unbegun.in_order(), key=lambda share: share.rank)

    # Tickets come and go.

    def add(self, ticket: Ticket, account: Account) -> None:
        """Take a new ticket, which waits.

        An account that has come, or come back, starts where the others are: it is not owed
        the past, and those who are there are not kept waiting by ever more newcomers.
        """
        share = self._shares.get(ticket.account)
        if share is None:
            self._made += 1
            share = self._shares[ticket.account] = Share(account, self._made)
        if not share.tickets:
            share.account = account
            share.service = max(share.service, self._due, self._least_service())
            self.present += 1
        share.tickets += 1
        self.wait(ticket)

    def remove(self, ticket: Ticket) -> None:
        """Let go of a ticket that no longer waits."""
        share = self._shares[ticket.account]
        share.tickets -= 1
        if not share.tickets:
            self.present -= 1
            if len(self._shares) - self.present > MOST_ABSENT:
                self._forget_absent()

    def wait(self, ticket: Ticket) -> None:
        """Put a ticket where it belongs in its account; its state tells whether it is begun."""
        share = self._shares[ticket.account]
        if ticket.state is State.PAUSED:
            share.paused[ticket] = None
            self._paused.add(share)
        else:
            insort(share.unbegun, (ticket.since, ticket))
        self._rank(share)

    def take(self, ticket: Ticket) -> None:
        """Take out a ticket that waits."""
        share = self._shares[ticket.account]
        if ticket.state is State.PAUSED:
            del share.paused[ticket]
            if not share.paused:
                self._paused.discard(share)
        else:
            place = bisect_left(share.unbegun, ticket.since, key=itemgetter(0))
            assert share.unbegun[place][1] is ticket
            del share.unbegun[place]
            if not share.unbegun:
                self._unbegun.discard(share)
        if not self.is_wanted:
            self._forget_services()

    # What they have had.

    def charge(self, ticket: Ticket, service: float) -> None:
        """Note that a ticket had cores, for so many seconds times cores."""
        if self.is_wanted:
            share = self._shares[ticket.account]
            share.service = max(share.service + service, self._most - self._credit)
            self._most = max(self._most, share.service)
            self._due += service / self.present
            self._rank(share)

    def _least_service(self) -> float:
        """Give what the next has had, 0 if nobody waits."""
        first = next(self.in_turn(with_unbegun=True), None)
        return 0.0 if first is None else first.service

    def _rank(self, share: Share) -> None:
        if share.unbegun:
            self._unbegun.put(share, share.rank)

    def _forget_services(self) -> None:
        self._forget_absent()
        self._due = self._most = 0.0
        for share in self._shares.values():
            share.service = 0.0

    def _forget_absent(self) -> None:
        self._shares = {name: share for name, share in self._shares.items() if share.tickets}
