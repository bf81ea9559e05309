"""The games: rules, position texts, move tokens, evaluations and drawings.

Knows no search and no protocol. Start at `kibitz.engine.registry` to get a game by
its name and at `kibitz.engine.play` to play one.
"""

from kibitz.engine import sources

sources.honour_environment()
