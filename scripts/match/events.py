"""What a running match tells those who watch it: frozen structs, in the order of what happens."""

import msgspec

from kibitz.scripts.match.records.records import GameRecord, Outcome


class MatchBegan(msgspec.Struct, frozen=True, kw_only=True, tag="match_began"):
    """The first event. `records` are the games that count already, of a match that is resumed."""

    event: str
    game: str
    players: tuple[str, ...]
    games: int
    """The games of the whole match."""
    records: tuple[GameRecord, ...] = ()


class GameBegan(msgspec.Struct, frozen=True, kw_only=True, tag="game_began"):
    """A game is being played now."""

    number: int
    pair: int
    round: int
    white: str
    black: str


class GameEnded(msgspec.Struct, frozen=True, kw_only=True, tag="game_ended"):
    """A game ended and counts: it is in the journal."""

    record: GameRecord


class EngineFailed(msgspec.Struct, frozen=True, kw_only=True, tag="engine_failed"):
    """An engine misbehaved, or could not be started; `outcome` is None for the latter."""

    player: str
    reason: str
    outcome: Outcome | None = None


class MatchEnded(msgspec.Struct, frozen=True, kw_only=True, tag="match_ended"):
    """The last event. `reason` says in words why: all games are played, or the test is decided."""

    reason: str
    is_complete: bool
    """Whether nothing is left to play."""


Event = MatchBegan | GameBegan | GameEnded | EngineFailed | MatchEnded
