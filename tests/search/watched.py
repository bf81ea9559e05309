"""Gates that tell a test when threads sleep at them."""

import threading

import pytest

from kibitz.search.gate import Gate


class Watch:
    """Stands for the class `Gate`, and watches all gates that were made since."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._arrivals = threading.Semaphore(0)
        self._gates: list[Gate] = []
        monkeypatch.setattr("kibitz.search.driver.Gate", self._make)
        monkeypatch.setattr("kibitz.search.perft.Gate", self._make)

    def _make(self) -> Gate:
        gate = Gate()
        gate._changed = WatchedCondition(self._arrivals)
        self._gates.append(gate)
        return gate

    def has_arrival(self, timeout: float) -> bool:
        """Take the next arrival; whoever calls a method of the gate then finds it asleep."""
        return self._arrivals.acquire(timeout=timeout)

    def await_threads(self, count: int) -> None:
        """Return when so many threads have gone to sleep."""
        for _ in range(count):
            assert self.has_arrival(30), "a thread did not come to the gate"

    def end(self) -> None:
        """Let all threads go: a failed test must leave none behind."""
        for gate in self._gates:
            gate.take_away()


class WatchedCondition(threading.Condition):
    """Has an arrival each time that a thread goes to sleep."""

    def __init__(self, arrivals: threading.Semaphore) -> None:
        super().__init__()
        self._arrivals = arrivals

    def wait(self, timeout: float | None = None) -> bool:
        self._arrivals.release()
        return super().wait(timeout)
