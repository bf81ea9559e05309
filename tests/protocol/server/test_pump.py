"""Turns: the clock goes on only in the pieces of work."""

import anyio
import pytest

from kibitz.protocol.server.pump import HALF_LIFE, SLICE, Group, Lane, Pump


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Worker:
    """Has pieces of work that take their time, and keeps the order of all."""

    def __init__(self, clock: Clock, done: list[str], name: str, seconds: float) -> None:
        self.clock = clock
        self.done = done
        self.name = name
        self.seconds = seconds
        self.pieces = 0

    def step(self) -> bool:
        self.clock.now += self.seconds
        self.done.append(self.name)
        self.pieces -= 1
        return self.pieces > 0


class Table:
    """A pump with workers, each in a group of its own unless one is given."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pump = Pump(self.clock)
        self.done: list[str] = []

    def work(self, name: str, pieces: int, seconds: float, group: Group | None = None) -> Lane:
        worker = Worker(self.clock, self.done, name, seconds)
        worker.pieces = pieces
        lane = Lane(group or Group(), worker.step)
        self.pump.wake(lane)
        return lane

    def run(self, slices: int) -> list[str]:
        self.done.clear()
        for _ in range(slices):
            self.pump.run_slice()
        return list(self.done)


def test_a_slice_is_short() -> None:
    table = Table()
    table.work("a", 1000, SLICE / 4)
    assert table.run(1) == ["a"] * 4
    assert table.run(2) == ["a"] * 8


def test_the_slice_ends_with_the_work() -> None:
    table = Table()
    table.work("a", 2, 0.0)
    assert table.run(5) == ["a", "a"]


def test_clients_share_the_time_and_not_the_pieces() -> None:
    table = Table()
    table.work("short", 10_000, SLICE)
    table.work("long", 10_000, 4 * SLICE)
    done = table.run(500)
    assert 300 < done.count("short") < 500
    assert done.count("long") == pytest.approx(done.count("short") / 4, rel=0.2)


def test_who_asks_for_little_is_served_next() -> None:
    table = Table()
    for number in range(200):
        table.work(f"busy {number}", 10_000, SLICE / 2)
    table.run(500)
    table.work("modest", 1, 0.0)
    assert table.run(1)[0] == "modest"


def test_what_was_used_long_ago_is_forgiven() -> None:
    table = Table()
    greedy = table.work("greedy", 300, SLICE)
    table.run(300)
    table.clock.now += 30 * HALF_LIFE
    table.work("again", 100, SLICE, greedy.group)
    table.work("new", 100, SLICE)
    done = table.run(40)
    assert done.count("again") == pytest.approx(20, abs=2)


def test_an_account_has_one_share_however_many_connections() -> None:
    table = Table()
    account = Group()
    for number in range(9):
        table.work(f"greedy {number}", 10_000, SLICE, account)
    table.work("modest", 10_000, SLICE)
    done = table.run(200)
    assert done.count("modest") == pytest.approx(100, abs=2)
    # Within the account each connection gets the same.
    assert max(map(done.count, {f"greedy {n}" for n in range(9)})) <= 13


def test_waking_twice_is_waking_once() -> None:
    table = Table()
    lane = table.work("a", 1, 0.0)
    table.pump.wake(lane)
    assert table.run(3) == ["a"]


def test_what_comes_after_a_slice_comes_once() -> None:
    table = Table()
    calls: list[str] = []

    def send() -> None:
        calls.append(f"sent {len(table.done)}")

    lane = table.work("a", 6, 0.6 * SLICE)
    step = lane.step

    def step_and_send() -> bool:
        table.pump.afterwards(send)
        return step()

    lane.step = step_and_send
    table.run(4)
    assert calls == ["sent 2", "sent 4", "sent 6"]


def test_marks_hold_for_years() -> None:
    table = Table()
    table.clock.now = 1e9
    lane = table.work("a", 3, SLICE)
    table.run(3)
    table.clock.now += 1e8
    table.work("b", 2, SLICE)
    table.pump.wake(lane)
    assert sorted(set(table.run(5))) == ["a", "b"]


@pytest.mark.asyncio
async def test_the_loop_has_its_turn_between_slices() -> None:
    pump = Pump(anyio.current_time)
    stopped = False
    steps = 0

    def step() -> bool:
        nonlocal steps
        steps += 1
        return not stopped

    lane = Lane(Group(), step)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump.run)
            pump.wake(lane)
            while not steps:
                await anyio.lowlevel.checkpoint()
            stopped = True
            tasks.cancel_scope.cancel()
    assert steps
