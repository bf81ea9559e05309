"""Prints everything that the games compute along fixed lines of play.

    python -m tests.contract.trace [GAME...]

Run with and without `KIBITZ_PURE=1`, it must print the same: `test_pure.py` compares.
The first line says which modules ran.
"""

import re
import sys
from collections.abc import Iterator

from kibitz.engine import codes, sources
from kibitz.engine.errors import InputError
from kibitz.engine.game import Game, Settings
from kibitz.engine.position import Position
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.search.perft import Perft
from tests.contract import data
from tests.contract.walks import random_turns, start_of, thinned

SEEDS = 2
TURNS = 60
LEAVES = 1500
EXTREMES = ("1000000000", "999999999", "70000", "1")


def describe(game: Game, position: Position) -> str:
    """Write all numbers of a position on one line."""
    moves = position.legal_moves()
    value = position.value() if position.status == codes.ONGOING else None
    return " ".join(
        [
            game.text(position),
            f"key={position.key:x} fresh={position.recomputed_key():x} side={position.side}",
            f"status={position.status} ending={position.ending} quiet={position.quiet}",
            f"ply={position.ply} value={value} points={game.points(position)}",
            f"moves={moves} tokens={[game.token(position, move) for move in moves]}",
            f"noisy={position.noisy_moves()}",
            f"gains={[position.gain_of(move) for move in moves]}",
            f"terms={[tuple(term) for term in game.terms(position)]}",
        ]
    )


def random_lines(game: Game, settings: Settings) -> Iterator[str]:
    """Follow random games, half of which like to repeat themselves."""
    for seed in range(SEEDS):
        position = start_of(game, settings)
        yield describe(game, position)
        for move in random_turns(position, seed, homing=0.5 * (seed % 2), most=TURNS):
            yield f"{move}: {describe(game, position)}"


def perft_lines(game: Game) -> Iterator[str]:
    """Count below all positions of the perft file, as deep as is quick."""
    for line in data.perft_lines_of(game.name):
        perft = Perft(game.parse(line.text, game.settings(line.options)))
        for depth, count in enumerate(line.counts, start=1):
            if count <= LEAVES:
                yield f"{line.text} perft {depth} {perft.count(depth)}"


def extreme_lines(game: Game, settings: Settings) -> Iterator[str]:
    """Put very large counters into positions: what is let in must count the same."""
    for text in game.samples:
        board, _, rest = text.partition(" ")
        for number in EXTREMES:
            for hit in re.finditer(r"\d+", rest):
                changed = f"{board} {rest[: hit.start()]}{number}{rest[hit.end() :]}"
                yield from describe_text(game, settings, changed)
            everywhere = re.sub(r"(?<![a-z])\d+", number, rest)
            yield from describe_text(game, settings, f"{board} {everywhere}")
            # The last fields hold the counters of most games.
            fields = text.split(" ")
            for last in (1, 2):
                counters = [re.sub(r"\d+", number, field) for field in fields[-last:]]
                yield from describe_text(game, settings, " ".join(fields[:-last] + counters))
            if len(fields) > 2:
                fields[-2] = re.sub(r"\d+", number, fields[-2])
                yield from describe_text(game, settings, " ".join(fields))


def describe_text(game: Game, settings: Settings, text: str) -> Iterator[str]:
    """Describe a position and those one turn later, or why it was refused."""
    try:
        position = game.parse(text, settings)
    except InputError as error:
        yield f"{text}: {error}"
        return
    yield describe(game, position)
    for move in thinned(position.legal_moves(), 20):
        position.push(move)
        yield f"{move}: {describe(game, position)}"
        position.pop()


def trace(game: Game) -> Iterator[str]:
    """Give all lines of one game."""
    for options in data.known_options(game.name):
        yield from random_lines(game, game.settings(options))
    yield from perft_lines(game)
    yield from extreme_lines(game, game.settings({"QuietLimit": "0"}))


def main(names: list[str]) -> None:
    """Print the lines of the games named, or of all."""
    sys.stdout.write("compiled\n" if sources.is_compiled() else "uncompiled\n")
    for name in names or GAME_NAMES:
        for line in trace(find_game(name)):
            sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
