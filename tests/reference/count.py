"""Writes lines of a perft file with the numbers of the reference implementation.

python -m tests.reference.count GAME DEPTH [NAME=VALUE...] -- POSITION-TEXT...
"""

import sys

from tests.reference.interface import count_sequences, reference_of


def main(arguments: list[str]) -> None:
    """Print a line for each position text."""
    split = arguments.index("--")
    game, depth, *options = arguments[:split]
    settings = dict(option.split("=", 1) for option in options)
    if settings:
        sys.stdout.write("options " + ", ".join(options) + "\n")
    for text in arguments[split + 1 :]:
        position = reference_of(game)(text, settings)
        counts = [count_sequences(position, d) for d in range(1, int(depth) + 1)]
        sys.stdout.write(f"{text} | {' '.join(map(str, counts))}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
