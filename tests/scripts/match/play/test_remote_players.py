"""Players that are servers: their games, and what becomes of them when the server is killed."""

from pathlib import Path

import anyio

from kibitz.scripts.match.events import Event, GameEnded, MatchEnded
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


def killed_after_a_game(*, recover: bool) -> tuple[list[GameRecord], MatchEnded]:
    """Play a match with a server that is killed when the first game has ended."""
    records: list[GameRecord] = []
    with Serving() as serving:
        settings: MatchSettings = match_of(
            "jarmo",
            [remote(serving, timeout=3.0), random_mover("near", "jarmo")],
            RunSettings(recover=recover),
            rounds=3,
            adjudication=SHORT,
        )

        def watch(event: Event) -> None:
            if isinstance(event, GameEnded):
                records.append(event.record)
                serving.process.kill()
                serving.process.wait()

        async def run() -> MatchEnded:
            with anyio.fail_after(HANGS_AFTER):
                return await run_match(settings, None, watch)

        end = anyio.run(run)
    return records, end


def test_a_server_that_is_killed_loses_one_game_by_a_disconnect() -> None:
    (first, second), end = killed_after_a_game(recover=False)
    assert first.outcome is Outcome.LENGTH
    assert second.outcome is Outcome.DISCONNECT
    assert second.guilty is not None
    assert second.player(second.guilty).name == "remote"
    assert not end.is_complete
    assert "remote failed" in end.reason


def test_a_server_that_does_not_come_back_stops_the_match() -> None:
    """It is not that all other games are lost."""
    records, end = killed_after_a_game(recover=True)
    assert [record.outcome for record in records] == [Outcome.LENGTH, Outcome.DISCONNECT]
    assert not end.is_complete
    assert "remote cannot be opened: " in end.reason
