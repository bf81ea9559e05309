"""Searchers that work on any game. Knows no game by name, no protocol and no event loop."""

import kibitz.engine  # noqa: F401 - settles first whether compiled modules are used
