"""Ways through the games: what is seen of a position, random games, all lines of play."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kibitz.engine import codes, sources
from kibitz.engine.game import Game, Settings, Term
from kibitz.engine.position import Position

COMPILED = sources.is_compiled()
MOST_WORK = 30_000 if COMPILED else 5000


class View(NamedTuple):
    """All that shows from outside of a position at a moment."""

    text: str
    key: int
    side: int
    status: int
    ending: int
    quiet: int
    ply: int
    points: tuple[float, float]
    value: int | None
    terms: tuple[Term, ...]
    moves: tuple[int, ...]
    noisy: tuple[int, ...]
    gains: tuple[int, ...]
    history: tuple[object, ...]


def view(game: Game, position: Position) -> View:
    """Look at everything; `history` shows only where the position is not compiled."""
    moves = position.legal_moves()
    return View(
        text=game.text(position),
        key=position.key,
        side=position.side,
        status=position.status,
        ending=position.ending,
        quiet=position.quiet,
        ply=position.ply,
        points=game.points(position),
        value=position.value() if position.status == codes.ONGOING else None,
        terms=game.terms(position),
        moves=tuple(moves),
        noisy=tuple(position.noisy_moves()),
        gains=tuple(position.gain_of(move) for move in moves),
        history=()
        if COMPILED
        else (tuple(position.keys[: position.ply + 1]), tuple(position.standings)),
    )


def without_quiet(text: str) -> str:
    """Give a position text less its counter of quiet turns, the last field in every game."""
    return text.rpartition(" ")[0]


def start_of(game: Game, settings: Settings) -> Position:
    """Give the start of a game under complete settings."""
    return game.parse(game.start_text(settings), settings)


def random_turns(
    position: Position, seed: int, homing: float = 0.0, most: int = 1000
) -> Iterator[int]:
    """Make random moves until the game is over or `most` were made, giving each once made.

    With the chance `homing` a move goes to a position that stood before, if any does, so
    that games repeat themselves.
    """
    chance = random.Random(seed)
    seen = {position.key}
    for _ in range(most):
        moves = position.legal_moves()
        if not moves:
            return
        move = chance.choice(moves)
        if chance.random() < homing:
            move = next((back for back in moves if _key_after(position, back) in seen), move)
        position.push(move)
        seen.add(position.key)
        yield move


def _key_after(position: Position, move: int) -> int:
    position.push(move)
    key = position.key
    position.pop()
    return key


def thinned(moves: Sequence[int], most: int = 60) -> Sequence[int]:
    """Give all moves of a list of usual length, and evenly spread ones of a long list."""
    return moves[:: 1 + len(moves) // most]


def fair_share(game: Game, count: int) -> int:
    """Give how many games of `count` to play: fewer where each has many turns and moves."""
    moves = len(start_of(game, game.settings({})).legal_moves())
    return count if moves < 30 else max(count // 8, 1)


def all_lines(position: Position, depth: int) -> Iterator[int]:
    """Stand on every position that `depth` or fewer turns lead to, as perft does.

    Where turns are many, the depth is less: about `MOST_WORK` moves are listed in all. Gives
    the number of turns made; the position is as it was when the iteration ends.
    """
    turns = len(position.legal_moves())
    while depth > 1 and turns ** (depth + 1) > MOST_WORK:
        depth -= 1
    yield from _lines(position, depth)


def _lines(position: Position, depth: int) -> Iterator[int]:
    yield 0
    if depth:
        for move in position.legal_moves():
            position.push(move)
            for turns in _lines(position, depth - 1):
                yield turns + 1
            position.pop()
