import gc
import sys
from collections.abc import Callable

import pytest

from kibitz.protocol.server.scheduler import Scheduler, Ticket
from tests.protocol.server.turns import SLICE, Task, World


def test_tickets_start_while_there_are_cores() -> None:
    world = World(cores=2)
    assert world.scheduler.next_tick(world.now) is None
    assert world.add("a1") == ["start a1"]
    assert world.add("b1") == ["start b1"]
    assert world.scheduler.next_tick(world.now) is None
    assert world.add("c1") == []
    assert world.scheduler.next_tick(world.now) == SLICE
    world.check()
    assert world.remove("a1") == ["start c1"]
    assert world.scheduler.next_tick(world.now) is None
    assert world.remove("b1") == world.remove("c1") == []
    world.check()


def test_accounts_take_turns() -> None:
    world = World()
    world.add("a1")
    world.add("b1")
    assert world.pass_time(3.5) == [
        "pause a1", "start b1", "pause b1", "resume a1", "pause a1", "resume b1",
    ]  # fmt: skip
    world.check()


def test_a_ticket_beyond_its_slice_gives_way_at_once() -> None:
    world = World()
    world.add("a1")
    assert world.pass_time(100) == []
    assert world.add("b1") == ["pause a1", "start b1"]
    assert world.remove("b1") == ["resume a1"]


def test_an_account_does_not_get_more_by_asking_for_more() -> None:
    world = World(cores=2)
    for number in range(50):
        world.add(f"a{number}")
    world.add("b1")
    world.add("c1")
    before = world.services()
    world.pass_time(300)
    had = world.services() - before
    assert had["a"] == pytest.approx(200, abs=3)
    assert had["b"] == pytest.approx(200, abs=3)
    assert had["c"] == pytest.approx(200, abs=3)


def test_a_higher_priority_does_not_wait() -> None:
    world = World()
    world.add("a1")
    assert world.add("b1", priority=1) == ["pause a1", "start b1"]
    assert world.pass_time(10) == []
    assert world.add("c1", priority=-1) == []
    assert world.remove("b1") == ["resume a1"]
    assert world.remove("a1") == ["start c1"]


def test_the_lowest_priority_is_paused_first() -> None:
    world = World(cores=3)
    for name, priority in (("a1", 1), ("b1", 0), ("c1", 2)):
        world.add(name, priority=priority)
    assert world.add("d1", priority=3) == ["pause b1", "start d1"]
    assert world.add("e1", priority=1) == []
    assert world.add("f1", priority=4, threads=2) == ["pause a1", "pause c1", "start f1"]


def test_the_newcomer_starts_where_the_others_are() -> None:
    world = World()
    world.add("a1")
    world.add("b1")
    world.pass_time(1000)
    world.add("c1")
    before = world.services()
    world.pass_time(300)
    had = world.services() - before
    assert all(had[account] == pytest.approx(100, abs=2) for account in "abc")


def serve_one_after_the_other(world: World, account: Callable[[int], str], seconds: int) -> float:
    """Give what tasks had of which each needs two seconds, and the next comes at its end."""
    had = 0.0
    number = 0
    world.add("next 0", account=account(0))
    end = world.now + seconds
    while world.now < end:
        world.pass_time(SLICE / 4)
        task = world.tasks[f"next {number}"]
        if task.service >= 2:
            had += task.service
            world.remove(task.name)
            number += 1
            world.add(f"next {number}", account=account(number))
    return had


def test_going_away_and_coming_back_gains_nothing() -> None:
    world = World()
    world.add("a1")
    world.add("a2")
    had = serve_one_after_the_other(world, lambda number: "b", 400)
    assert had == pytest.approx(200, rel=0.1)


def test_ever_more_newcomers_do_not_keep_others_waiting() -> None:
    world = World()
    world.add("a1")
    world.add("a2")
    had = serve_one_after_the_other(world, lambda number: f"new {number}", 400)
    assert had == pytest.approx(200, rel=0.2)


def test_the_past_is_forgotten_when_nobody_waits() -> None:
    """Free cores that nobody else wanted are held against nobody."""
    world = World(cores=4)
    world.add("a1")
    for number in range(3):
        world.add(f"b{number}")
    world.pass_time(1000)
    for number in range(2, 9):
        world.add(f"a{number}")
    before = world.services()
    world.pass_time(100)
    had = world.services() - before
    assert had["a"] == pytest.approx(200, abs=5)
    assert had["b"] == pytest.approx(200, abs=5)


def test_one_that_could_not_use_more_is_owed_little() -> None:
    world = World(cores=4)
    world.add("a1", searches=1)
    world.add("a2", searches=1)
    for number in range(8):
        world.add(f"b{number}")
    world.pass_time(1000)
    assert world.services()["a"] == pytest.approx(1000, abs=1)
    # With three cores taken away there is not enough for both.
    world.add("c1", priority=1, threads=3)
    before = world.services()
    world.pass_time(200)
    had = world.services() - before
    assert had["b"] > 50


def test_searches_of_an_account() -> None:
    world = World(cores=4)
    for number in range(4):
        world.add(f"a{number}", searches=2)
    assert world.running() == "a0 a1"
    # They do not take turns: a search that has begun should get on.
    assert world.pass_time(50) == []
    assert world.add("b0") == ["start b0"]
    assert world.remove("a0") == ["start a2"]
    world.check()


@pytest.mark.parametrize("order", ["abcd", "dcba", "bdac", "cabd"])
@pytest.mark.parametrize("searches", [1, 2])
def test_searches_of_an_account_begin_in_the_order_they_were_asked_for(
    order: str, searches: int
) -> None:
    """Whichever of them is ready first: it is added later, or much later."""
    world = World(cores=2)
    for name in ("x0", "x1")[:searches]:
        world.add(name, searches=searches)
    asked = world.now
    for name in order:
        world.pass_time(5)
        world.add(name, account="x", searches=searches, asked=asked + "abcd".index(name))
    begun = []
    for name in ("x0", "x1")[:searches]:
        begun += world.remove(name)
    for name in "abcd":
        begun += world.remove(name)
    assert begun == ["start a", "start b", "start c", "start d"]
    world.check()


def test_those_asked_for_at_once_begin_as_they_were_added() -> None:
    world = World()
    world.add("x0", searches=1)
    for name in "dbca":
        world.add(name, account="x", searches=1, asked=world.now - 1)
    assert world.remove("x0") == ["start d"]
    assert world.remove("d") == ["start b"]
    assert world.hurry("a") == ["start a"]
    assert world.remove("b") == ["start c"]
    world.check()


def test_what_was_asked_for_early_gains_nothing_over_other_accounts() -> None:
    world = World()
    world.add("b0")
    for number in range(3):
        world.add(f"a{number}", asked=0.0)
    before = world.services()
    world.pass_time(100)
    had = world.services() - before
    assert had["a"] == pytest.approx(had["b"], abs=2)
    # Nor does one that comes again and again: those that are paused have their turn.
    assert "resume a0" in world.pass_time(10)


def test_nobody_is_asked_for_in_the_future() -> None:
    world = World()
    world.add("x0", searches=1)
    world.add("a", account="x", searches=1, asked=world.now + 1000)
    world.pass_time(1)
    world.add("b", account="x", searches=1)
    assert world.remove("x0") == ["start a"]


def test_one_that_is_entered_begins_in_its_order_with_the_next_call() -> None:
    world = World()
    late, early = (
        Task(name, "x", world.events, searches=1, asked=asked)
        for name, asked in (("late", 2.0), ("early", 1.0))
    )
    for task in (late, early):
        world.scheduler.enter(task.ticket, world.now)
        assert world.take_events() == []
    world.scheduler.tick(world.now)
    assert world.take_events() == ["start early"]
    world.scheduler.remove(early.ticket, world.now)
    assert world.take_events() == ["start late"]


def test_a_higher_priority_of_the_same_account_takes_the_place_of_one() -> None:
    world = World(cores=4)
    for name in ("a0", "a1", "a2"):
        world.add(name, searches=2)
    assert world.add("a3", searches=2, priority=1) == ["pause a0", "start a3"]
    assert world.add("a4", searches=2, priority=1) == ["pause a1", "start a4"]
    assert world.add("a5", searches=2, priority=2) == []
    assert world.scheduler.paused == 2
    assert world.remove("a3") == ["start a5"]
    assert world.remove("a4") == ["resume a0"]
    world.check()


def test_tickets_of_one_account_take_turns_within_its_searches() -> None:
    world = World()
    for number in range(5):
        world.add(f"a{number}", searches=2)
    assert world.pass_time(3.5) == [
        "pause a0", "start a1", "pause a1", "resume a0", "pause a0", "resume a1",
    ]  # fmt: skip


def test_more_threads_than_cores() -> None:
    world = World(cores=2)
    assert world.add("a1", threads=64) == ["start a1"]
    assert world.tasks["a1"].ticket.cores == 2
    assert world.add("b1") == []
    assert world.pass_time(1) == ["pause a1", "start b1"]
    world.check()


def test_service_is_seconds_of_cores() -> None:
    world = World(cores=4)
    world.add("a1", threads=4)
    world.add("b1", threads=1)
    before = world.services()
    world.pass_time(1000)
    had = world.services() - before
    assert had["a"] == pytest.approx(had["b"], rel=0.02)


def test_a_wide_ticket_is_not_kept_out_by_narrow_ones() -> None:
    world = World(cores=3)
    for name in ("a1", "b1"):
        world.add(name)
    world.pass_time(0.5)
    assert world.add("w1", threads=3) == []
    # A core is free that is not enough for the first in turn. Whoever takes it has no slice.
    assert world.add("c1") == ["start c1"]
    assert world.pass_time(0.4) == []
    events = world.pass_time(0.2)
    assert events[-1] == "start w1"
    assert sorted(events[:-1]) == ["pause a1", "pause b1", "pause c1"]


def test_hurrying() -> None:
    world = World()
    world.add("a1")
    world.add("b1")
    world.add("c1")
    world.pass_time(1)
    assert world.running() == "b1"
    assert world.hurry("a1") == ["resume a1"]
    assert world.hurry("c1") == ["start c1"]
    assert world.hurry("c1") == []
    assert world.running() == "a1 b1 c1"
    world.check()
    # The hurried ones have no part in anything any more.
    assert world.scheduler.next_tick(world.now) is None
    assert world.add("d1") == []
    assert world.hurry("b1") == ["start d1"]
    assert world.remove("a1") == world.remove("b1") == world.remove("c1") == []
    assert world.running() == "d1"
    world.check()


def test_only_so_many_are_begun() -> None:
    world = World(cores=2, most_begun=10)
    for account in "abcdefghijkl":
        for number in range(3):
            world.add(f"{account}{number}")
    world.pass_time(50)
    # Two slots are kept for higher priorities.
    assert world.scheduler.running + world.scheduler.paused == 8
    for number in range(5):
        world.add(f"x{number}", priority=1)
    world.pass_time(50)
    assert world.running() == "x0 x1"
    assert world.scheduler.running + world.scheduler.paused == 10
    assert world.hurry("a2") == ["start a2"]
    world.check()


def test_a_greedy_account_leaves_slots_for_others() -> None:
    world = World(cores=2, most_begun=8)
    for number in range(100):
        world.add(f"a{number}")
    world.pass_time(50)
    assert world.scheduler.running + world.scheduler.paused == 4
    assert world.add("b0") == []
    assert "start b0" in world.pass_time(1)
    for account in "cdefg":
        world.add(f"{account}0")
    world.pass_time(10)
    assert world.scheduler.running + world.scheduler.paused == 6


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("per_core", [3, 4, 5, 16])
@pytest.mark.parametrize("searches", [1, 2, 1000])
def test_a_greedy_account_never_takes_the_last_slots(
    cores: int, per_core: int, searches: int
) -> None:
    """However few may be begun, and however often others came and went before."""
    world = World(cores, most_begun=per_core * cores)
    for number in range(30):
        world.add(f"a{number}", searches=searches)
    world.pass_time(30)
    others = [f"b{number}" for number in range(cores)]
    for round_number in range(4):
        events = []
        for name in others:
            events += world.add(name, account=f"{name} {round_number}")
        events += world.pass_time(2)
        assert {f"start {name}" for name in others} <= set(events)
        for name in others:
            world.remove(name)
        world.pass_time(3)
    world.check()


def test_ended_while_paused_or_waiting() -> None:
    world = World()
    for name in ("a1", "b1", "c1"):
        world.add(name)
    world.pass_time(1)
    assert world.remove("a1") == []
    assert world.remove("c1") == []
    world.check()
    assert world.scheduler.next_tick(world.now) is None
    gone = Task("z", "z", world.events)
    world.scheduler.remove(gone.ticket, world.now)
    world.scheduler.hurry(gone.ticket, world.now)
    assert world.running() == "b1"


def test_calls_that_call_the_scheduler() -> None:
    """A ticket may be removed by its own start; the next one then has its turn."""
    scheduler = Scheduler(1, SLICE)
    events: list[str] = []

    def ticket(name: str, account: str, priority: int = 0) -> Ticket:
        return Ticket(
            account,
            priority=priority,
            start=lambda: events.append(f"start {name}"),
            pause=lambda: events.append(f"pause {name}"),
            resume=lambda: events.append(f"resume {name}"),
        )

    def fail() -> None:
        events.append("fail")
        scheduler.remove(failing, 0)
        scheduler.add(urgent, 0)

    failing = Ticket("f", start=fail, pause=fail, resume=fail)
    waiting, urgent = ticket("waiting", "w"), ticket("urgent", "u", priority=1)
    blocking = ticket("blocking", "b", priority=1)
    scheduler.add(blocking, 0)
    scheduler.add(failing, 0)
    scheduler.add(waiting, 0)
    scheduler.remove(blocking, 0)
    assert events == ["start blocking", "fail", "start waiting", "pause waiting", "start urgent"]


def test_a_call_that_fails_does_not_stop_the_others() -> None:
    scheduler = Scheduler(1, SLICE)
    events: list[str] = []

    def fail() -> None:
        raise RuntimeError("no")

    failing = Ticket("a", start=fail, pause=fail, resume=fail)
    other = Ticket("b", start=lambda: events.append("start"), pause=fail, resume=fail)
    with pytest.raises(RuntimeError):
        scheduler.add(failing, 0)
    scheduler.add(other, 0)
    scheduler.remove(failing, 0)
    assert events == ["start"]


def test_nothing_is_kept_of_those_who_went() -> None:
    world = World(cores=2)
    world.add("a1")
    world.add("b1")
    for number in range(5000):
        world.add("c1", account=f"account{number}")
        world.add("d1", account=f"other{number}", priority=number % 7)
        world.pass_time(0.25)
        world.remove("c1")
        world.remove("d1")
    scheduler = world.scheduler
    assert len(scheduler._accounts) == 2
    assert len(scheduler._levels) == 1
    assert len(scheduler._levels[0]._shares) <= 1100
    task = world.tasks["a1"]
    world.remove("a1")
    gc.collect()
    assert sys.getrefcount(task.ticket) <= 4


def test_work_does_not_grow_with_those_who_wait() -> None:
    """Counted in the calls that Python makes, which do not depend on the machine."""

    def calls(accounts: int, tickets: int) -> int:
        world = World(cores=2)
        count = 0

        def trace(*_: object) -> None:
            nonlocal count
            count += 1

        for number in range(tickets):
            world.add(f"t{number}", account=f"account{number % accounts}", searches=2)
        sys.setprofile(trace)
        try:
            for number in range(100):
                world.scheduler.add(
                    Task(f"x{number}", f"x{number % 5}", world.events).ticket, world.now
                )
                world.now += SLICE
                world.scheduler.tick(world.now)
        finally:
            sys.setprofile(None)
        return count

    few = calls(20, 100)
    assert calls(20, 10_000) < 1.5 * few
    assert calls(500, 10_000) < 2 * few
