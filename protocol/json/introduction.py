"""What the answer to `hello` says about the server: its games, options and limits."""

import math

from kibitz.engine.game import Game
from kibitz.engine.options import Option
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.engine.version import VERSION
from kibitz.protocol.json.message_types import DIALECT, GameDescription, Limits, OptionDescription
from kibitz.protocol.json.messages import HelloAnswer
from kibitz.protocol.json.set_up import ANALYSIS_OPTIONS
from kibitz.protocol.quota import Quota

SERVER = "kibitz"


def introduce(request_id: str, quota: Quota, most_line: int) -> HelloAnswer:
    """Make the answer to a `hello`, without what is about the client alone."""
    return HelloAnswer(
        id=request_id,
        seq=0,
        server=SERVER,
        version=VERSION,
        dialect=DIALECT,
        limits=_limits(quota, most_line),
        games=[_describe(find_game(name)) for name in GAME_NAMES],
        options=[_describe_option(option) for option in ANALYSIS_OPTIONS],
    )


def _limits(quota: Quota, most_line: int) -> Limits:
    return Limits(
        searches=quota.searches,
        waiting=quota.waiting,
        over=quota.over,
        threads=quota.threads,
        hash=quota.hash,
        longest=None if math.isinf(quota.longest) else quota.longest,
        requests=quota.requests or None,
        priority=quota.priority,
        line=most_line,
    )


def _describe(game: Game) -> GameDescription:
    return GameDescription(
        name=game.name,
        title=game.title,
        startpos=game.start_text(game.settings({})),
        is_dealt=game.is_dealt,
        options=[_describe_option(option) for option in game.options],
    )


def _describe_option(option: Option) -> OptionDescription:
    is_spin = option.kind == "spin"
    if option.kind == "check":
        return OptionDescription(
            name=option.name, type="check", default=option.default == "true", about=option.about
        )
    return OptionDescription(
        name=option.name,
        type="spin" if is_spin else "combo" if option.kind == "combo" else "string",
        default=int(option.default) if is_spin else option.default,
        about=option.about,
        least=option.least if is_spin else None,
        most=option.most if is_spin else None,
        choices=list(option.choices) or None,
    )
