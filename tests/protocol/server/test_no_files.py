"""Nothing that comes over the network names a file, starts a process or makes a connection.

A server runs under an audit hook of Python's. It gets every command and every request, with
paths, addresses and commands of a shell wherever there is something to say.
"""

import sys
from pathlib import Path
from typing import Any, get_args

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.json.messages import AnyRequest
from kibitz.protocol.table import QUERIES, TABLE
from tests.protocol.server.serving import Client, Serving

ALLOWED = {"open /proc/self/statm"}
"""What a server reads while it serves: how much memory it has, for `stats`."""

ROOT = Path(__file__).parent.parent.parent.parent
HOSTILE = (
    "/etc/passwd",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "\\\\127.0.0.1\\share",
    "http://127.0.0.1:9/",
    "127.0.0.1:9",
    "os.system",
    "kibitz.scripts.main",
    "$(touch_TOUCHED)",
    ";touch_TOUCHED",
    "|touch_TOUCHED",
    "%s%n{0.__class__}",
)


class Watched(Serving):
    program = (sys.executable, "-m", "tests.protocol.server.watched_server")

    def done(self) -> list[str]:
        """End the server; gives what it did."""
        self.finish()
        assert self.process.stdout is not None
        return self.process.stdout.read().decode().splitlines()


def options_of(client: Client) -> list[str]:
    client.send("ugi")
    rows = [row for row in client.lines("ugiok") if row.startswith("option name ")]
    return [row.removeprefix("option name ").partition(" type ")[0] for row in rows]


def commands(options: list[str], word: str) -> list[str]:
    """Every command, with a word where it takes arguments."""
    lines = []
    for entry in TABLE:
        for name in (entry.name, *entry.aliases):
            if name != "quit":
                lines += [name, f"{name} {word}", f"{name} {word} {word}", f"@{word} {name} {word}"]
    lines += [f"setoption name {name} value {word}" for name in [*options, "UCI_Variant", word]]
    lines += [f"query {query.split()[0]} {word}" for query in QUERIES]
    for start in ("startpos", f"fen {word}", f"deal {word}"):
        lines += [f"position {start}", f"position {start} moves {word}"]
    for limit in ("depth", "nodes", "movetime", "wtime", "mate", "searchmoves", "perft"):
        lines.append(f"go depth 1 {limit} {word}")
    lines += [f"session open {word}", f"session open s game {word}", f"session close {word}"]
    return lines


def requests(word: str) -> list[dict[str, Any]]:
    """Every request, with each of its fields in turn the word, or a list or object of it."""
    found = []
    for kind in get_args(AnyRequest):
        name = kind.__struct_config__.tag
        about: dict[str, Any] = {"type": name}
        if "game" in kind.__struct_fields__:
            about["game"] = "jarmo"
        if name == "analyze":
            about["limit"] = {"depth": 1}
        if name == "perft":
            about["depth"] = 1
        found.append(about)
        values: tuple[Any, ...] = (word, [word], {word: word}, {"Board": word}, {"Hash": word})
        for field in kind.__struct_fields__:
            if field != "id":
                found += [about | {field: value} for value in values]
    return found


def test_every_command(tmp_path: Path) -> None:
    settings = "quota = { requests = 0, longest = 0.05 }\n"
    with Watched(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        options = options_of(client)
        for game in GAME_NAMES:
            client.send(f"stop\nsetoption name Game value {game}\nposition startpos\ngo depth 2")
            client.lines("bestmove")
        for word in HOSTILE:
            for line in commands(options, word):
                client.send(f"{line}\nstop")
            client.send("isready")
            client.lines("readyok")
        client.send("quit")
        client.rest()
        assert set(serving.done()) <= ALLOWED


def test_every_request(tmp_path: Path) -> None:
    settings = "quota = { requests = 0, longest = 0.05, waiting = 100000 }\n"
    with Watched(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        for game in GAME_NAMES:
            assert client.ask("analyze", game=game, limit={"depth": 2})["type"] == "done"
        errors = 0
        for word in HOSTILE:
            for request in requests(word):
                answer = client.ask(request.pop("type"), **request)
                errors += answer["type"] == "error"
        assert errors > 100
        client.close()
        assert set(serving.done()) == ALLOWED


def test_that_it_would_be_seen(tmp_path: Path) -> None:
    """What a settings file names is opened, but before anything is served."""
    with Watched(settings="stop_seconds = 1\n", folder=tmp_path) as serving:
        with serving.connect() as client:
            assert client.ask("stats")["type"] == "stats"
        assert serving.done() == ["open /proc/self/statm"]
