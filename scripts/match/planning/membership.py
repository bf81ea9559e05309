"""Whether games that were kept can be those of a match, before it goes on with them."""

from collections.abc import Iterable
from pathlib import Path

from kibitz.scripts.match.planning.pairings import legs_of
from kibitz.scripts.match.planning.plan import schedule_of
from kibitz.scripts.match.records.journal import JournalError
from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.statistics.standings import Standings


def check_games(file: Path, settings: MatchSettings, records: Iterable[GameRecord]) -> None:
    """See that each game is one of the match: its number, pair, leg and players.

    `file` is where the games are from. Raises `JournalError`, which names the game.
    """
    players = tuple(engine.name for engine in settings.engines)
    games = schedule_of(settings).game_count
    legs = legs_of(settings.games)
    standings = Standings.of(settings, players)
    for record in records:
        number = record.number
        if number > games:
            raise JournalError(f"{file}: game {number}: the match has {games} games")
        pair, leg = divmod(number - 1, legs)
        if (record.pair, record.leg) != (pair + 1, leg + 1):
            raise JournalError(
                f"{file}: game {number}: it is game {leg + 1} of pair {pair + 1}, "
                f"not game {record.leg} of pair {record.pair}"
            )
        try:
            standings.add(record)
        except ValueError as error:
            raise JournalError(f"{file}: {error}") from None
