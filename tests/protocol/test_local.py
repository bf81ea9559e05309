import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.protocol.faults import Refusal
from kibitz.protocol.jobs import Job, PerftJob
from kibitz.protocol.local import LocalService
from kibitz.protocol.quota import LOCAL
from kibitz.protocol.replies import Total
from kibitz.protocol.service import JobOwner, Service
from kibitz.search.info import Outcome
from tests.protocol.host import ManualHost, info


@pytest.fixture
def service() -> LocalService:
    return LocalService()


def test_it_is_a_service_without_bounds(service: LocalService) -> None:
    as_service: Service = service
    assert as_service.is_admitted
    assert as_service.admit("anything") == "local"
    assert as_service.quota is LOCAL


def test_jobs_start_at_once(service: LocalService) -> None:
    started: list[Job] = []

    def run(owner: JobOwner, job: Job) -> None:
        started.append(job)

    service.run = run
    job = PerftJob(Play(find_game("jasir"), {}), 3)
    service.start(ManualHost().session, job)
    assert started == [job]
    assert service.is_busy
    service.stop(job)
    assert job.run(lambda report: None).stopped
    service.ended(job, None)
    assert not service.is_busy


def test_calls_wait_in_order(service: LocalService) -> None:
    told: list[int] = []
    made: list[int] = []
    service.notify = lambda: told.append(len(service.calls))
    service.later(lambda: made.append(1))
    service.later(lambda: made.append(2))
    assert (told, made) == ([1, 2], [])
    assert service.is_busy
    while service.calls:
        service.calls.popleft()()
    assert made == [1, 2]


def test_a_table_is_its_holders(service: LocalService) -> None:
    holder = ManualHost().session
    table = service.table(holder, 2)
    assert table.megabytes == 2
    service.use_table(holder, True)
    service.use_table(holder, False)
    service.drop_table(holder)
    assert service.table(holder, 2) is not table


def test_stats(service: LocalService) -> None:
    service.run = lambda owner, job: None
    service.open_session()
    service.open_session()
    service.close_session()
    play = Play(find_game("jasir"), {})
    search, perft = PerftJob(play, 1), PerftJob(play, 1)
    owner = ManualHost().session
    service.start(owner, search)
    service.start(owner, perft)
    service.reported(search, [info(1), info(2)])
    service.reported(perft, "something else")
    stats = service.stats()
    assert (stats.connections, stats.sessions, stats.running, stats.waiting) == (1, 1, 2, 0)
    assert (stats.nodes, stats.nps) == (0, 1)
    assert stats.memory > 1_000_000
    assert stats.uptime >= 0
    service.ended(search, Outcome(None, None, nodes=9, nps=1, time=1))
    service.ended(perft, Total(5, 1))
    stats = service.stats()
    assert (stats.running, stats.nodes, stats.nps) == (0, 14, 0)


def test_nobody_comes_back(service: LocalService) -> None:
    assert service.grace_seconds == 0
    with pytest.raises(Refusal):
        service.offer_resume(None)
    with pytest.raises(Refusal):
        service.resume("token", None, None)


def test_memory_without_the_systems_page(
    service: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_page(*given: object, **named: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", no_page)
    assert service.stats().memory > 1_000_000
