"""Events in words, as testing programs have them: one line each, safe to print."""

from kibitz.scripts.match.events import EngineFailed, GameBegan, MatchEnded
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.views.visible import visible


def began_line(event: GameBegan, games: int) -> str:
    """Say that a game of so many began."""
    return f"Started game {event.number} of {games} ({_players(event.white, event.black)})"


def ended_line(record: GameRecord) -> str:
    """Say how a game ended."""
    players = _players(record.white.name, record.black.name)
    reason = visible(record.reason)
    return f"Finished game {record.number} ({players}): {record.result} {{{reason}}}"


def failure_line(event: EngineFailed) -> str:
    """Say what an engine did wrong."""
    kind = "could not be started" if event.outcome is None else event.outcome.value
    return f"Warning: {visible(event.player)}: {kind}: {visible(event.reason)}"


def match_ended_line(event: MatchEnded) -> str:
    """Say that the match is over, or that it stopped."""
    return f"{'Finished' if event.is_complete else 'Stopped'} match: {visible(event.reason)}"


def duration(seconds: float) -> str:
    """Write a time as hours, minutes and seconds."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _players(white: str, black: str) -> str:
    return f"{visible(white)} vs {visible(black)}"
