"""A scheduler with a clock of its own, and tickets that keep what was done to them."""

from collections import Counter
from typing import Any

from kibitz.protocol.server.scheduler import Scheduler, State, Ticket

SLICE = 1.0


class Task:
    """Something with a ticket; checks that the calls come in a sensible order."""

    def __init__(self, name: str, account: str, events: list[str], **given: Any) -> None:
        self.name = name
        self.is_begun = False
        self.is_running = False
        self.is_removed = False
        self.service = 0.0
        self._events = events
        self.ticket = Ticket(
            account, start=self._start, pause=self._pause, resume=self._resume, **given
        )

    def _start(self) -> None:
        assert not self.is_begun
        self.is_begun = True
        self._note("start", is_running=True)

    def _pause(self) -> None:
        assert self.is_running
        self._note("pause", is_running=False)

    def _resume(self) -> None:
        assert self.is_begun
        assert not self.is_running
        self._note("resume", is_running=True)

    def _note(self, event: str, *, is_running: bool) -> None:
        assert not self.is_removed
        self.is_running = is_running
        self._events.append(f"{event} {self.name}")


class World:
    """A scheduler, and time."""

    def __init__(self, cores: int = 1, most_begun: int | None = None) -> None:
        self.cores = cores
        self.scheduler = Scheduler(cores, SLICE, most_begun)
        self.now = 100.0
        self.tasks: dict[str, Task] = {}
        self.events: list[str] = []

    def add(self, name: str, account: str | None = None, **given: Any) -> list[str]:
        """Add a task, of an account of the same first letter; give what happened."""
        self.tasks[name] = Task(name, account or name[0], self.events, **given)
        self.scheduler.add(self.tasks[name].ticket, self.now)
        return self.take_events()

    def remove(self, name: str) -> list[str]:
        task = self.tasks.pop(name)
        self.scheduler.remove(task.ticket, self.now)
        task.is_removed = True
        return self.take_events()

    def hurry(self, name: str) -> list[str]:
        self.scheduler.hurry(self.tasks[name].ticket, self.now)
        return self.take_events()

    def take_events(self) -> list[str]:
        events, self.events[:] = list(self.events), []
        return events

    def pass_time(self, seconds: float) -> list[str]:
        """Let time pass, with the ticks that the scheduler asks for."""
        end = self.now + seconds
        while (wait := self.scheduler.next_tick(self.now)) is not None and self.now + wait <= end:
            self._go_on(wait)
            self.scheduler.tick(self.now)
        self._go_on(end - self.now)
        return self.take_events()

    def _go_on(self, seconds: float) -> None:
        self.now += seconds
        for task in self.tasks.values():
            if task.is_running:
                task.service += seconds * task.ticket.cores

    def services(self) -> Counter[str]:
        """Give what each account has had, by its tasks that are there."""
        had: Counter[str] = Counter()
        for task in self.tasks.values():
            had[task.ticket.account] += task.service  # type: ignore[assignment]
        return had

    def running(self) -> str:
        """Give the names of the tasks that run, sorted."""
        return " ".join(sorted(name for name, task in self.tasks.items() if task.is_running))

    def check(self) -> None:
        """Check what must be true at any time."""
        tasks = self.tasks.values()
        running = [task for task in tasks if task.is_running]
        begun = [task for task in tasks if task.is_begun]
        counts = self.scheduler.running, self.scheduler.paused, self.scheduler.waiting
        assert counts == (len(running), len(begun) - len(running), len(tasks) - len(begun))
        bound = [task for task in running if task.ticket.state is not State.HURRIED]
        assert sum(task.ticket.cores for task in bound) <= self.cores
        for account, count in Counter(task.ticket.account for task in bound).items():
            limits = {task.ticket.searches for task in tasks if task.ticket.account == account}
            assert count <= max(limits)
