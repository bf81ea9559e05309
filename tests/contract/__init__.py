"""What every registered game must do, tested through the shared interface alone.

A new game joins by being registered and by bringing its data: `tests/data/GAME.json`,
`tests/perft/GAME.txt`, a reference implementation (`tests/reference/interface.py` names
it), `samples` in its `Game` and a page in `docs/rules/`. The suite fails for what is missing.
"""
