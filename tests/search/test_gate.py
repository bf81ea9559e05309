import threading

import pytest

from kibitz.search import clock
from kibitz.search.gate import Gate

SECOND = 1_000_000_000


def waiter(gate: Gate) -> threading.Thread:
    thread = threading.Thread(target=gate.wait, daemon=True)
    thread.start()
    return thread


def assert_passed(thread: threading.Thread) -> None:
    thread.join(30)
    assert not thread.is_alive()


def test_an_open_gate_holds_nobody() -> None:
    gate = Gate()
    gate.wait()
    gate.open()
    gate.wait()


def test_a_closed_gate_holds_all_until_it_is_opened() -> None:
    gate = Gate()
    gate.close()
    threads = [waiter(gate) for _ in range(3)]
    assert all(thread.is_alive() for thread in threads)
    gate.open()
    for thread in threads:
        assert_passed(thread)
    gate.wait()


def test_a_gate_that_was_taken_away_stays_open() -> None:
    gate = Gate()
    gate.close()
    thread = waiter(gate)
    gate.take_away()
    assert_passed(thread)
    gate.close()
    gate.wait()


def test_nobody_waits_beyond_the_deadline() -> None:
    gate = Gate()
    gate.close()
    begun = clock.now()
    gate.set_deadline(begun + SECOND // 100)
    gate.wait()
    assert clock.now() - begun >= SECOND // 100
    gate.wait()


def test_a_deadline_that_comes_later_reaches_those_who_wait() -> None:
    gate = Gate()
    gate.close()
    gate.set_deadline(clock.now() + 3600 * SECOND)
    thread = waiter(gate)
    assert thread.is_alive()
    gate.set_deadline(clock.now())
    assert_passed(thread)


@pytest.mark.parametrize("years", [1, 10**9])
def test_a_far_deadline_is_no_error(years: int) -> None:
    gate = Gate()
    gate.close()
    gate.set_deadline(years * 365 * 86_400 * SECOND)
    thread = waiter(gate)
    gate.open()
    assert_passed(thread)
