"""What is written to an engine: typed values in, lines of UGI or UCI out. Sans-IO."""

import math
from collections.abc import Iterator, Sequence

from kibitz.protocol.client.lines import moves_of
from kibitz.protocol.client.setup import Setup, one_word
from kibitz.protocol.client.values import Limit

MOST_LINE = 48 * 1024
"""kibitz takes lines of 64 KiB; a longer game is given to it in several."""


def set_option(name: str, value: str, kind: str) -> str:
    """Write a `setoption`; name and value were checked."""
    return f"setoption name {name}" if kind == "button" else f"setoption name {name} value {value}"


def position(setup: Setup, uci: bool) -> Iterator[str]:
    """Write a `position`, and `moves` for what does not fit into one line.

    UCI has no `moves`, so its one line becomes as long as it must.
    """
    if setup.text is not None:
        line = f"position fen {setup.text}"
    elif setup.deal is not None:
        line = f"position deal {setup.deal}"
    else:
        line = "position startpos"
    if not setup.moves:
        yield line
        return
    words = [line, "moves"]
    size = len(" ".join(words).encode())
    for move in setup.moves:
        size += len(move.encode()) + 1
        if size > MOST_LINE and not uci:
            yield " ".join(words)
            words, size = ["moves"], len("moves ") + len(move.encode())
        words.append(move)
    yield " ".join(words)


def go(limit: Limit, root_moves: Sequence[str] | None, uci: bool, ponder: bool = False) -> str:
    """Write a `go`."""
    words = ["go", "ponder"] if ponder else ["go"]
    first, second = ("w", "b") if uci else ("p1", "p2")
    for word, number in (("depth", limit.depth), ("nodes", limit.nodes)):
        if number is not None:
            words += [word, str(number)]
    if limit.mate is not None:
        words += ["mate", str(moves_of(limit.mate) if uci else limit.mate)]
    for word, seconds in (
        ("movetime", limit.time),
        (f"{first}time", limit.white_clock),
        (f"{second}time", limit.black_clock),
        (f"{first}inc", limit.white_increment),
        (f"{second}inc", limit.black_increment),
    ):
        if seconds is not None:
            words += [word, str(_milliseconds(seconds, 0 if word.endswith("inc") else 1))]
    if limit.moves_to_go is not None:
        words += ["movestogo", str(limit.moves_to_go)]
    if limit.is_infinite:
        words.append("infinite")
    if root_moves is not None:
        # To the end of the line, so they come last.
        words += ["searchmoves", *(one_word("root_moves", move) for move in root_moves)]
    return " ".join(words)


def _milliseconds(seconds: float, least: int) -> int:
    return max(math.floor(seconds * 1000), least)
