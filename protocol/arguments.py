"""Reads the arguments of commands: from the words of a line to a command.

Each function gets what follows the command's name and raises `Refusal` when that makes
no sense. Whether positions, moves and options exist is not known here.
"""

from collections.abc import Callable, Iterator

from kibitz.engine.options import shorten, whole_number
from kibitz.protocol import commands
from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.search.limits import Limit

BLANKS = " \t"
PREFIX = "@"
MOST_NAME = 64
"""The characters that the name of a session may have."""
MOST_PERFT = 100
MOST_BENCH = 100

# Bounds that no sensible client passes, and that leave room for arithmetic.
_MOST_DEPTH = 1_000_000
_MOST_NODES = 10**18
_MOST_TIME = 10**12

# Words of `go` with a number: the least and the most that are taken as they are written.
_GO_NUMBERS = {
    "depth": (0, _MOST_DEPTH),
    "nodes": (0, _MOST_NODES),
    "movetime": (0, _MOST_TIME),
    "p1time": (-_MOST_TIME, _MOST_TIME),
    "p2time": (-_MOST_TIME, _MOST_TIME),
    "p1inc": (0, _MOST_TIME),
    "p2inc": (0, _MOST_TIME),
    "movestogo": (0, _MOST_DEPTH),
    "mate": (0, _MOST_DEPTH),
    "perft": (0, MOST_PERFT),
}
_GO_SPELLINGS = {"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}
_GO_FLAGS = ("infinite", "ponder")


def words_of(text: str) -> list[str]:
    """Split a text at its blanks and tabs, and only there."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


def says_something(text: str) -> bool:
    """Tell whether a line is neither empty nor a comment."""
    text = text.lstrip(BLANKS)
    return bool(text) and not text.startswith("#")


def chooses_json(text: str) -> bool:
    """Tell whether a line, the first that says something, chooses JSON lines, or else text."""
    return text.lstrip(BLANKS).startswith("{")


def without(make: Callable[[], commands.Command]) -> Callable[[str], commands.Command]:
    """Make a reader for a command that takes no arguments."""

    def read(rest: str) -> commands.Command:
        if rest:
            raise Refusal(ErrorCode.BAD_COMMAND, f"{shorten(rest)}: the command takes no arguments")
        return make()

    return read


def split_prefix(line: str) -> tuple[str | None, str]:
    """Split a line into the name of the session that it is for, None for no prefix, and a rest.

    Raises `Refusal` for a prefix that can be no name.
    """
    line = line.lstrip(BLANKS)
    if not line.startswith(PREFIX):
        return None, line
    name = words_of(line[: MOST_NAME + 2])[0]
    return session_name(name.removeprefix(PREFIX)), line[len(name) :]


def session_name(word: str) -> str:
    """Check the name of a session; raises `Refusal`."""
    if not (0 < len(word) <= MOST_NAME and word.isprintable()):
        raise Refusal(
            ErrorCode.BAD_COMMAND,
            f"{shorten(word)}: the name of a session has 1 to {MOST_NAME} printable characters",
        )
    return word


def read_session(rest: str) -> commands.Command:
    """Read `open ID [game G]`, `close ID` or `list`."""
    action, *words = words_of(rest) or [""]
    if action == "list" and not words:
        return commands.ListSessions()
    if action == "close" and len(words) == 1:
        return commands.CloseSession(session_name(words[0]))
    if action == "open" and len(words) == 1:
        return commands.OpenSession(session_name(words[0]))
    if action == "open" and len(words) == 3 and words[1] == "game":
        return commands.OpenSession(session_name(words[0]), words[2])
    raise Refusal(
        ErrorCode.BAD_COMMAND,
        "the form is session open ID [game G], session close ID or session list",
    )


def read_token(rest: str) -> commands.Command:
    """Read `TOKEN`; what was written is never shown."""
    if len(words_of(rest)) != 1:
        raise Refusal(ErrorCode.BAD_COMMAND, "the form is auth TOKEN, the token being one word")
    return commands.Authenticate(rest)


def read_help(rest: str) -> commands.Command:
    """Read `[COMMAND]`."""
    return commands.Help(rest or None)


def read_set_option(rest: str) -> commands.Command:
    """Read `name N [value V]`: N may contain blanks, V is the rest of the line."""
    words = words_of(rest)
    if not words or words[0] != "name":
        raise Refusal(ErrorCode.BAD_OPTION, "the form is setoption name NAME [value VALUE]")
    end = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:end])
    if not name:
        raise Refusal(ErrorCode.BAD_OPTION, "the option has no name")
    value = _after_words(rest, end + 1)
    return commands.SetOption(name, "" if value == "<empty>" else value)


def _after_words(text: str, count: int) -> str:
    """Give what follows the first `count` words, its inner blanks as they are."""
    for _ in range(count):
        text = text.lstrip(BLANKS)
        ends = [end for blank in BLANKS if (end := text.find(blank)) >= 0]
        text = text[min(ends) :] if ends else ""
    return text.strip(BLANKS)


def read_position(rest: str) -> commands.Command:
    """Read `startpos | fen TEXT | deal N`, and `[moves M...]`."""
    words = words_of(rest)
    end = words.index("moves") if "moves" in words else len(words)
    moves = tuple(words[end + 1 :])
    given = words[1:end]
    kind = words[0] if words else ""
    if kind == "startpos" and not given:
        return commands.SetPosition(moves=moves)
    if kind == "fen" and given:
        return commands.SetPosition(text=" ".join(given), moves=moves)
    if kind == "deal" and len(given) == 1:
        deal = whole_number(given[0])
        if deal is None:
            raise Refusal(ErrorCode.BAD_POSITION, f"deal: {shorten(given[0])} is not a number")
        return commands.SetPosition(deal=deal, moves=moves)
    raise Refusal(
        ErrorCode.BAD_COMMAND,
        "the form is position startpos, position fen TEXT or position deal N, then [moves M...]",
    )


def read_moves(rest: str) -> commands.Command:
    """Read `M...`."""
    return commands.MakeMoves(tuple(words_of(rest)))


def read_go(rest: str) -> commands.Command:
    """Read the words of `go`, in any order; a bad one makes a `RefusedGo`."""
    words = iter(words_of(rest))
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    search_moves: tuple[str, ...] | None = None
    try:
        for word in words:
            if word == "searchmoves":
                search_moves = tuple(words)
            elif word in _GO_FLAGS:
                flags.add(word)
            else:
                name = _GO_SPELLINGS.get(word, word)
                numbers[name] = _go_number(word, name, words)
    except Refusal as refusal:
        if "perft" in words_of(rest):
            raise
        return commands.RefusedGo(refusal.code, refusal.text)
    if "perft" in numbers:
        return commands.Perft(numbers["perft"])
    return _go(numbers, flags, search_moves)


def _go_number(word: str, name: str, words: Iterator[str]) -> int:
    """Read the number after a word of `go`."""
    bounds = _GO_NUMBERS.get(name)
    if bounds is None:
        raise Refusal(ErrorCode.BAD_LIMIT, f"{shorten(word)} is not a word of go")
    text = next(words, "")
    number = whole_number(text)
    if number is None:
        raise Refusal(ErrorCode.BAD_LIMIT, f"{word}: {shorten(text)} is not a whole number")
    least, most = bounds
    if not least <= number <= most:
        raise Refusal(ErrorCode.BAD_LIMIT, f"{word}: {number} is not from {least} to {most}")
    return number


def _go(numbers: dict[str, int], flags: set[str], moves: tuple[str, ...] | None) -> commands.Go:
    def at_least_one(name: str) -> int | None:
        # Zero asks for the least search there is, which is one of something; clocks
        # that have run out, even below zero, are sent by programs that do not mind.
        return max(numbers[name], 1) if name in numbers else None

    limit = Limit(
        depth=at_least_one("depth"),
        nodes=at_least_one("nodes"),
        movetime=at_least_one("movetime"),
        clocks=(at_least_one("p1time"), at_least_one("p2time")),
        increments=(numbers.get("p1inc", 0), numbers.get("p2inc", 0)),
        moves_to_go=numbers.get("movestogo") or None,
        mate=at_least_one("mate"),
    )
    bounds = (limit.depth, limit.nodes, limit.movetime, *limit.clocks, limit.mate)
    return commands.Go(
        limit=limit,
        infinite="infinite" in flags or all(bound is None for bound in bounds),
        ponder="ponder" in flags,
        search_moves=moves,
    )


def read_perft(rest: str) -> commands.Command:
    """Read `N`."""
    return commands.Perft(_depth(rest, 0, MOST_PERFT, "perft"))


def read_bench(rest: str) -> commands.Command:
    """Read `[DEPTH]`."""
    return commands.Bench(_depth(rest, 1, MOST_BENCH, "bench") if rest else None)


def _depth(text: str, least: int, most: int, command: str) -> int:
    number = whole_number(text)
    if number is None or not least <= number <= most:
        raise Refusal(
            ErrorCode.BAD_LIMIT,
            f"{command}: {shorten(text)} is not a whole number from {least} to {most}",
        )
    return number


def read_query(rest: str) -> commands.Command:
    """Read `Q [ARGUMENT]`."""
    words = words_of(rest)
    return commands.Query(words[0] if words else "", " ".join(words[1:]))
