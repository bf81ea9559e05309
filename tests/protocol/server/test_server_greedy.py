"""A client that takes all it can get shuts nobody out: by tables or by waiting searches."""

from collections import Counter
from pathlib import Path

import pytest

from tests.protocol.server.serving import Client, Serving

SESSIONS = 16
IN_TIME = 30.0
"""Seconds; the modest client is answered within one, but the machine may be busy."""

SETTINGS = {
    "as it comes": "",
    "one core": "searches = { cores = 1, tables_megabytes = 256 }\n",
    "all that one can grant": (
        "quota = { searches = 100, hash = 65536 }\n"
        "searches = { cores = 1, tables_megabytes = 256 }\n"
    ),
    "few may be begun": (
        "quota = { searches = 100, hash = 1024 }\n"
        "searches = { cores = 1, begun = 3, tables_megabytes = 64 }\n"
    ),
}


def be_greedy(client: Client) -> None:
    """Open sessions with large tables, and search without end in each; the answers are not read.

    What was asked for has been taken when the last line of it is answered.
    """
    for number in range(SESSIONS):
        client.send(f"session open {number + 1}")
        client.send(f"@{number + 1} setoption name Hash value 1024")
        client.send(f"@{number + 1} go infinite")
    client.send("isready")
    while client.line() != "readyok":
        pass


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_sixteen_large_tables_and_endless_searches(settings: str, tmp_path: Path) -> None:
    settings = f'log_level = "debug"\n{settings}'
    with Serving(settings=settings, folder=tmp_path) as serving:
        greedy = serving.connect()
        be_greedy(greedy)
        for number in range(2):
            with serving.connect() as modest:
                modest.socket.settimeout(IN_TIME)
                modest.send("setoption name Hash value 1024\ngo movetime 100")
                lines = modest.lines("bestmove ")
                assert "(none)" not in lines[-1]
                assert not [line for line in lines if "error" in line]
                assert any(line.startswith("info depth ") for line in lines)
            with serving.connect() as modest:
                modest.socket.settimeout(IN_TIME)
                options, limit = {"Hash": 1024}, {"movetime": 100}
                answer = modest.ask("analyze", game="jarmo", options=options, limit=limit)
                assert (answer["type"], answer["depth"] > 0) == ("done", True)
                # Its time counts from its begin, and others had their turns in it.
                assert answer["nodes"] > 0
                stats = modest.ask("stats")
                assert stats["running"] + stats["waiting"] == SESSIONS, f"round {number}"
        # Whose turn it never was had no table either, and is answered all the same.
        for number in range(SESSIONS):
            greedy.send(f"@{number + 1} stop")
        ended: Counter[str] = Counter()
        while ended.total() < SESSIONS:
            line = greedy.line()
            assert line is not None
            assert "error" not in line
            if " bestmove " in line:
                assert "(none)" not in line
                ended[line.split()[0]] += 1
        assert set(ended.values()) == {1}
        serving.finish()


def test_many_greedy_clients_and_a_modest_one(tmp_path: Path) -> None:
    """Each of them is a client of its own, and has as much right to a core as the modest one."""
    settings = "searches = { cores = 1, slice_seconds = 0.05, tables_megabytes = 256 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving:
        clients = [serving.connect() for _ in range(2)]
        for client in clients:
            be_greedy(client)
        with serving.connect() as modest:
            modest.socket.settimeout(IN_TIME)
            for _ in range(3):
                modest.send("go movetime 100")
                assert "(none)" not in modest.lines("bestmove ")[-1]
        serving.finish()
