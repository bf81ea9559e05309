"""Players that are servers: their games, and what becomes of them when the server is killed."""

from pathlib import Path

import anyio

from kibitz.scripts.match.events import Event, GameBegan, GameEnded
from kibitz.scripts.match.play.runner import run_match
from kibitz.scripts.match.records.records import GameRecord, Outcome
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    EngineSettings,
    MatchSettings,
    RunSettings,
)
from tests.protocol.server.serving import Certificates, Serving
from tests.scripts.match.matches import HANGS_AFTER, Played, match_of, random_mover

TOKEN = "a-long-and-secret-word"
SHORT = AdjudicationSettings(maxmoves=6)


def remote(serving: Serving, scheme: str = "tcp", **given: object) -> EngineSettings:
    url = f"{scheme}://localhost:{serving.port}"
    settings = {"depth": 2, "timeout": HANGS_AFTER} | given
    return EngineSettings(name="remote", url=url, **settings)  # type: ignore[arg-type]


def test_a_server_plays_with_tls_and_a_token(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    with Serving(*certificates.arguments, KIBITZ_TOKENS=f"ann={TOKEN}") as serving:
        player = remote(serving, "tls", ca=str(certificates.authority), token_file=str(token))
        engines = [player, random_mover("near", "jarmo")]
        records = Played(match_of("jarmo", engines, adjudication=SHORT)).records
    assert [record.outcome for record in records] == [Outcome.LENGTH] * 2
    for record in records:
        far = record.white if record.white.name == "remote" else record.black
        assert far.engine.startswith("kibitz")
    assert {move.depth for move in records[0].moves if move.side == "white"} == {2}


def test_a_server_that_is_killed_loses_by_a_disconnect() -> None:
    records: list[GameRecord] = []
    with Serving() as serving:
        settings: MatchSettings = match_of(
            "jarmo",
            # The server thinks as long as it is let, and is killed meanwhile.
            [remote(serving, depth=None, tc=f"{HANGS_AFTER}"), random_mover("near", "jarmo")],
            RunSettings(recover=False),
        )

        def watch(event: Event) -> None:
            if isinstance(event, GameBegan):
                serving.process.kill()
            elif isinstance(event, GameEnded):
                records.append(event.record)

        async def run() -> None:
            with anyio.fail_after(HANGS_AFTER):
                end = await run_match(settings, None, watch)
                assert not end.is_complete
                assert "remote failed" in end.reason

        anyio.run(run)
    (record,) = records
    assert record.guilty == "white"
    # Also when it is noticed only as the game's connection is to be made.
    assert record.outcome is Outcome.DISCONNECT
