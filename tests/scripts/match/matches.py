"""Matches with real engines, for tests that look at what comes out of them."""

import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from kibitz.scripts.match.events import Event, MatchEnded
from kibitz.scripts.match.play.runner import run_match
from kibitz.scripts.match.records.journal import Journal
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import EngineSettings, MatchSettings, RunSettings
from tests.scripts.match.engine_programs import ENGINES

KIBITZ = f"{sys.executable} -m kibitz.scripts.main"
HANGS_AFTER = 60.0


def command(engine: str, *arguments: str) -> str:
    """The command of one of the tests' engines."""
    return " ".join([sys.executable, str(ENGINES / f"{engine}.py"), *arguments])


def player(name: str, cmd: str, **given: object) -> EngineSettings:
    """A player that thinks to a depth of 1, unless something else is given."""
    limit = {} if {"tc", "st", "nodes"} & given.keys() else {"depth": 1}
    settings = {"timeout": HANGS_AFTER} | limit | given
    return EngineSettings(name=name, cmd=cmd, **settings)  # type: ignore[arg-type]


def random_mover(name: str, game: str, *arguments: str, **given: object) -> EngineSettings:
    """A player that moves at random."""
    return player(name, command("random_mover", "--game", game, *arguments), **given)


def match_of(
    game: str, engines: Sequence[EngineSettings], run: RunSettings | None = None, **given: object
) -> MatchSettings:
    """A match."""
    return MatchSettings(
        game=game,
        engines=tuple(engines),
        run=run or RunSettings(),
        **given,  # type: ignore[arg-type]
    )


class Played:
    """A match that was run to its end."""

    def __init__(self, settings: MatchSettings, journal: Journal | None = None) -> None:
        """Run it."""
        self.events: list[Event] = []

        async def run() -> MatchEnded:
            with anyio.fail_after(HANGS_AFTER):
                return await run_match(settings, journal, self.events.append)

        self.end = anyio.run(run)

    @property
    def records(self) -> list[GameRecord]:
        """The games in the order of their numbers."""
        found = [event.record for event in self.events if hasattr(event, "record")]
        return sorted(found, key=lambda record: record.number)


def processes_of(folder: Path) -> list[str]:
    """The commands of all processes that were started in a folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if (process / "cwd").resolve() == folder.resolve():
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
    return found
