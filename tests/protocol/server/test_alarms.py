import anyio
import pytest

from kibitz.protocol.server.alarms import Alarms


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_calls_come_in_time_and_in_order() -> None:
    clock = Clock()
    alarms = Alarms(clock)
    rung: list[str] = []
    alarms.after(2, lambda: rung.append("b"))
    alarms.after(1, lambda: rung.append("a"))
    cancelled = alarms.after(1.5, lambda: rung.append("x"))
    alarms.after(2, lambda: rung.append("c"))
    assert alarms.next_due() == 1
    alarms.ring_due()
    assert rung == []
    cancelled.cancel()
    cancelled.cancel()
    clock.now = 1
    alarms.ring_due()
    assert rung == ["a"]
    assert alarms.next_due() == 2
    clock.now = 3
    alarms.ring_due()
    assert rung == ["a", "b", "c"]
    assert alarms.next_due() is None


def test_a_call_can_set_and_cancel_alarms() -> None:
    clock = Clock()
    alarms = Alarms(clock)
    rung: list[str] = []
    victim = alarms.after(1, lambda: rung.append("victim"))

    def kill() -> None:
        victim.cancel()
        alarms.after(0, lambda: rung.append("new"))

    killer = alarms.after(0.5, kill)
    clock.now = 5
    alarms.ring_due()
    killer.cancel()
    assert rung == ["new"]
    assert alarms.next_due() is None


def test_cancelled_alarms_are_not_kept() -> None:
    alarms = Alarms(Clock())
    alarms.after(10, lambda: None)
    for _ in range(10_000):
        alarms.after(1000, lambda: None).cancel()
    assert len(alarms._heap) < 500
    assert alarms.next_due() == 10


@pytest.mark.asyncio
async def test_the_task_waits_for_the_earliest() -> None:
    """An alarm that is set while another is waited for comes first, if it is earlier."""
    alarms = Alarms(anyio.current_time)
    rung: list[str] = []
    done = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(alarms.run)
        await anyio.lowlevel.checkpoint()
        alarms.after(10_000, lambda: rung.append("late"))
        await anyio.lowlevel.checkpoint()
        alarms.after(0.01, done.set)
        with anyio.fail_after(60):
            await done.wait()
        tasks.cancel_scope.cancel()
    assert rung == []
