"""Nothing that comes over a network names a file, starts a process, or connects elsewhere.

The server runs under an audit hook of the interpreter, which writes into its log whatever is
opened, started or connected to.
"""

import sys

import pytest

from kibitz.protocol.json.codec import TYPES
from kibitz.protocol.options import all_options
from kibitz.protocol.table import BY_NAME
from tests.protocol.server import serving as serving_module
from tests.protocol.server.serving import Serving

PATH = "/etc/passwd"

UNDER_AUDIT = """
import json, os, sys

WATCHED = ("open", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
           "os.system", "os.remove", "os.rename", "os.mkdir", "socket.connect")

def audit(event, arguments):
    if event in WATCHED:
        line = {"event": "audit", "what": event, "name": str(arguments[:1])}
        os.write(2, json.dumps(line).encode() + b"\\n")

sys.addaudithook(audit)
from kibitz.scripts.main import main
sys.exit(main())
"""

# What the interpreter loads late of our own code and its own, and where memory is told.
HARMLESS = (".py',)", ".pyc',)", ".so',)", "'/proc/self/statm',)")


def test_no_file_is_opened_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "PROGRAM", (sys.executable, "-c", UNDER_AUDIT))
    with Serving() as serving:
        with serving.connect() as client:
            for name in BY_NAME:
                if name not in ("quit", "bench"):
                    client.send(f"{name} {PATH}\n{name}")
            client.send("bench 1")
            for option in all_options():
                client.send(f"setoption name {option.name} value {PATH}")
            client.send(f"position fen {PATH}\nposition startpos moves {PATH}\nmoves {PATH}")
            client.send(f"session open {PATH}\n@{PATH} go depth 1\nsession close {PATH}\nquit")
            assert client.rest()
        with serving.connect() as client:
            fields = {"game": "jarmo", "position": PATH, "target": PATH, "token": PATH}
            for kind in TYPES:
                client.post(kind, **fields)
                client.post(kind, game="jarmo")
                client.post(kind, game="jarmo", limit={"depth": 2}, options={"Board": PATH})
            client.post("analyze", game="jarmo", limit={"depth": 2})
            assert client.ask("stats")["type"] == "stats"
            assert client.ask("ping")["type"] == "pong"
        serving.finish()
    names = [event["event"] for event in serving.log]
    events = serving.log[names.index("listening") :]
    opened = [event for event in events if event["event"] == "audit"]
    assert [event for event in opened if not event["name"].endswith(HARMLESS)] == []
    # The hook was there: what was opened before shows it.
    assert "audit" in names[: names.index("listening")]
