"""The scheduler under any sequence of calls, and over long times."""

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kibitz.protocol.server.scheduler import State
from tests.protocol.server.turns import SLICE, Task, World

SEARCHES = {"a": 1, "b": 2, "c": 3, "d": 100, "e": 100}
PRIORITIES = (-1, 0, 1)


class Turns(RuleBasedStateMachine):
    """Tickets come, go and are hurried, and time passes."""

    @initialize(cores=st.integers(1, 4), begun_per_core=st.sampled_from([3, 4, 16]))
    def begin(self, cores: int, begun_per_core: int) -> None:
        self.most_begun = begun_per_core * cores
        self.world = World(cores, self.most_begun)
        self.made = 0

    @rule(
        account=st.sampled_from(sorted(SEARCHES)),
        priority=st.sampled_from(PRIORITIES),
        threads=st.sampled_from([1, 1, 1, 2, 5]),
        count=st.integers(1, 4),
        earlier=st.sampled_from([None, 0.0, SLICE, 9 * SLICE]),
    )
    def add(
        self, account: str, priority: int, threads: int, count: int, earlier: float | None
    ) -> None:
        """Add tickets, which may have been asked for before those that are there."""
        for _ in range(count):
            self.made += 1
            self.world.add(
                f"{account}{self.made}",
                priority=priority,
                threads=threads,
                searches=SEARCHES[account],
                asked=None if earlier is None else self.world.now - earlier,
            )

    @precondition(lambda self: self.world.tasks)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.world.remove(data.draw(st.sampled_from(sorted(self.world.tasks))))

    @precondition(lambda self: self.world.running())
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        self.world.remove(data.draw(st.sampled_from(self.world.running().split())))

    @precondition(lambda self: self.world.tasks)
    @rule(data=st.data())
    def hurry(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.world.tasks)))
        self.world.hurry(name)
        assert self.world.tasks[name].is_running

    @rule(quarters=st.integers(1, 12))
    def pass_time(self, quarters: int) -> None:
        self.world.pass_time(quarters * SLICE / 4)

    @rule()
    def pass_long_time(self) -> None:
        """Of the highest priority, whoever was begun gets on, and somebody new begins."""
        before = self.world.services()
        self.world.pass_time(400 * SLICE)
        had = self.world.services() - before
        tasks = self.bound()
        highest = max((task.ticket.priority for task in tasks), default=0)
        for task in tasks:
            if task.is_begun and task.ticket.priority == highest:
                assert had[task.ticket.account] > 0

    def bound(self) -> list[Task]:
        """Give the tasks that were not hurried, and so have to keep to the rules."""
        tasks = self.world.tasks.values()
        return [task for task in tasks if task.ticket.state is not State.HURRIED]

    @invariant()
    def bounds(self) -> None:
        self.world.check()
        tasks = self.bound()
        assert sum(task.is_begun for task in tasks) <= self.most_begun
        running = Counter(task.ticket.account for task in tasks if task.is_running)
        begun = Counter(task.ticket.account for task in tasks if task.is_begun)
        for account, searches in SEARCHES.items():
            assert running[account] <= searches
            assert begun[account] <= 2 * searches

    @invariant()
    def ticks_are_asked_for(self) -> None:
        """A clock runs if, and only if, something runs and something waits for it."""
        tasks = self.bound()
        wanted = any(task.is_running for task in tasks)
        wanted &= any(not task.is_running for task in tasks)
        wait = self.world.scheduler.next_tick(self.world.now)
        assert (wait is not None) == wanted
        assert wait is None or 0 <= wait <= SLICE

    @invariant()
    def nobody_waits_for_less(self) -> None:
        """No core is free, and none has a lower priority, that a ticket could run on."""
        tasks = self.bound()
        running = [task for task in tasks if task.is_running]
        free = self.world.cores - sum(task.ticket.cores for task in running)
        slots_left = sum(task.is_begun for task in tasks) < self.most_begun - self.world.cores
        lines: dict[tuple[str, int], list[Task]] = defaultdict(list)
        for task in tasks:
            if not task.is_running:
                lines[task.ticket.account, task.ticket.priority].append(task)
        for (account, priority), line in lines.items():
            own = [task for task in tasks if task.ticket.account == account and task.is_begun]
            may_begin = slots_left and not own
            able = [task for task in line if task.is_begun or may_begin]
            if not able:
                continue
            first = min(able, key=lambda task: task.ticket.since)
            if any(task.ticket.since < first.ticket.since for task in line):
                continue  # it would be the turn of one that may perhaps begin
            lower = [task for task in running if task.ticket.priority < priority]
            if sum(task.is_running for task in own) < SEARCHES[account] or set(own) & set(lower):
                room = free + sum(task.ticket.cores for task in lower)
                assert room < first.ticket.cores, f"{first.name} could run"


TestTurns = Turns.TestCase
TestTurns.settings = settings(max_examples=60, stateful_step_count=40)


def parts(cores: int, wants: list[int]) -> list[float]:
    """Share cores out evenly, but to nobody more than it wants."""
    left = float(cores)
    given_out = [0.0] * len(wants)
    order = sorted(range(len(wants)), key=lambda i: wants[i])
    for place, i in enumerate(order):
        given_out[i] = min(float(wants[i]), left / (len(wants) - place))
        left -= given_out[i]
    return given_out


@settings(max_examples=25)
@given(
    cores=st.integers(1, 4),
    wants=st.lists(st.sampled_from([1, 1, 2, 3, 30]), min_size=1, max_size=3),
    seed=st.integers(0, 1000),
)
def test_equal_service_whatever_the_number_of_tickets(
    cores: int, wants: list[int], seed: int
) -> None:
    world = World(cores)
    names = [f"{'abc'[i]}{number}" for i, want in enumerate(wants) for number in range(want)]
    random.Random(seed).shuffle(names)
    for name in names:
        world.add(name)
        world.pass_time(0.3)
    world.pass_time(50)
    before = world.services()
    world.pass_time(300)
    had = world.services() - before
    for i, part in enumerate(parts(cores, wants)):
        assert had["abc"[i]] == pytest.approx(300 * part, rel=0.05, abs=4 * cores)


def test_everyone_is_served_when_tickets_end() -> None:
    """More accounts than can be begun, all greedy, but their tickets do not last for ever."""
    chooser = random.Random(7)
    world = World(cores=2, most_begun=8)
    had: Counter[str] = Counter()
    left: dict[str, float] = {}
    waiting_since: dict[str, float] = {}
    longest = 0.0
    made = 0
    accounts = [f"account {number}" for number in range(20)]

    def add(account: str) -> None:
        nonlocal made
        made += 1
        name = f"t{made}"
        world.add(name, account=account, searches=2)
        left[name] = chooser.choice([0.3, 1.0, 5.0, 20.0])
        waiting_since[name] = world.now

    for account in accounts:
        for _ in range(3):
            add(account)
    for _ in range(20_000):
        world.pass_time(0.5)
        for name in world.running().split():
            if name in waiting_since:
                longest = max(longest, world.now - waiting_since.pop(name))
            task = world.tasks[name]
            if task.service >= left[name]:
                had[task.ticket.account] += task.service  # type: ignore[assignment]
                world.remove(name)
                add(task.ticket.account)
        if world.now % 50 == 0:
            world.check()
    fair = 2 * 10_000 / len(accounts)
    for account in accounts:
        assert had[account] == pytest.approx(fair, rel=0.1)
    assert max([longest, *(world.now - since for since in waiting_since.values())]) < 1500
