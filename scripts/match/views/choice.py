"""Which view a match gets."""

import os
from typing import TextIO

from kibitz.scripts.match.settings.match_settings import MatchSettings
from kibitz.scripts.match.views.json_view import JsonView
from kibitz.scripts.match.views.plain import PlainView
from kibitz.scripts.match.views.view import View


def make_view(settings: MatchSettings, *, json: bool, stream: TextIO) -> View:
    """Make the view that fits a stream, which stays open.

    JSON lines when they are asked for; a live picture on a terminal that can move its cursor
    and shows UTF-8; plain lines everywhere else.
    """
    if json:
        return JsonView(settings, stream)
    if not _is_able(stream):
        return PlainView(settings, stream)
    # Only here, because rich takes a while to load.
    from rich.console import Console

    from kibitz.scripts.match.views.live import LiveView

    return LiveView(settings, Console(file=stream, force_terminal=True, highlight=False))


def _is_able(stream: TextIO) -> bool:
    has_utf_8 = (stream.encoding or "").lower().replace("-", "") == "utf8"
    return stream.isatty() and has_utf_8 and os.environ.get("TERM", "dumb") not in ("dumb", "")
