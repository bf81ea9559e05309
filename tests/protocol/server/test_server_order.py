"""First come, first served among the searches of one client, over dialects and connections."""

import random
from pathlib import Path

import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from tests.protocol.server.serving import Client, Serving

TOKEN = "the-secret-word-of-ann"
SETTINGS = 'log_level = "debug"\nquota = { searches = 1 }\n'
JOBS = {"json": "LazyJob", "text": "SearchJob"}


def long_game() -> list[str]:
    """Give more moves than are looked at in one piece, so that a request needs several."""
    chance = random.Random(1)
    play = Play(find_game("krepost"), {"QuietLimit": "1000000"})
    while len(play.tokens) < 600:
        play.push(chance.choice(play.legal_tokens()))
    return play.tokens


MOVES = long_game()


class Ann:
    """One client with a connection in each dialect; the quota lets one search run."""

    def __init__(self, serving: Serving) -> None:
        self.json: Client = serving.connect()
        self.text: Client = serving.connect()
        assert self.json.ask("hello", token=TOKEN)["type"] == "hello"
        assert self.text.ask_line(f"auth {TOKEN}") == "authok ann"
        self.asked = 0

    def ask(self, dialect: str, count: int) -> None:
        """Ask for searches, and see to it that they have arrived, but not that they are ready."""
        if dialect == "json":
            for _ in range(count):
                self.json.post(
                    "analyze",
                    game="krepost",
                    options={"QuietLimit": 1_000_000},
                    limit={"nodes": 100},
                    moves=MOVES,
                )
            assert self.json.ask("ping")["type"] == "pong"
        for _ in range(count if dialect == "text" else 0):
            self.asked += 1
            self.text.send(f"session open {self.asked}\n@{self.asked} go nodes 100\nisready")
            self.text.lines("readyok")


@pytest.mark.parametrize(
    "order",
    [
        [("json", 20), ("text", 2)],
        [("text", 1), ("json", 10), ("text", 1), ("json", 5), ("text", 2), ("json", 1)],
    ],
    ids=str,
)
def test_searches_begin_in_the_order_they_were_asked_for(
    order: list[tuple[str, int]], tmp_path: Path
) -> None:
    """Those in JSON lines take long to be set up, those in text are ready at once."""
    serving = Serving(settings=SETTINGS, folder=tmp_path, KIBITZ_TOKENS=f"ann={TOKEN}")
    with serving:
        ann = Ann(serving)
        first = ann.json.analyze()
        for dialect, count in order:
            ann.ask(dialect, count)
        wanted = [JOBS[dialect] for dialect, count in order for _ in range(count)]
        while ann.json.ask("stats")["waiting"] < len(wanted):
            pass
        ann.json.ask("cancel", target=first)
        while ann.json.ask("stats")["waiting"]:
            pass
        serving.finish()
        begun = [event["job"] for event in serving.log if event["event"] == "job_started"]
        assert begun == ["LazyJob", *wanted]
