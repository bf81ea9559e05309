"""Clients of both kinds of dialect that make mistakes and lose their connections, step by step.

Most of what they say makes sense, so that much is under way when something does not.
"""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.json.codec import TYPES
from kibitz.protocol.options import all_options
from kibitz.protocol.table import BY_NAME, QUERIES
from kibitz.scripts.fuzz.service import HEAD, RESUME, TOKEN, Settings
from kibitz.scripts.fuzz.stack import Stack

NAMES = st.sampled_from(["0", "a", "b", "c", "d"])
ODD_NAMES = NAMES | st.sampled_from(["\N{LATIN SMALL LETTER E WITH ACUTE}", "x" * 65, ""])
GAMES = st.sampled_from(GAME_NAMES)
ODD_GAMES = GAMES | st.sampled_from(["JARMO", "chess"])
OPTIONS = st.sampled_from([option.name for option in all_options()] + ["UCI_Variant", "Nothing"])
MOVES = st.sampled_from([[], ["a"], ["a", "s"], ["a", "s", "b"], ["b", "b"], ["a1a2"], ["?"]])
NUMBERS = st.one_of(st.integers(-2, 4), st.sampled_from([10**6, 2**63, 2**64, 10**30]))
WORDS = st.one_of(
    st.sampled_from([*BY_NAME, *QUERIES, "xboard", "startpos", "fen", "deal", "moves", "name"]),
    ODD_NAMES, ODD_GAMES, NUMBERS.map(str), st.text(max_size=6),
)  # fmt: skip
LIMIT_WORDS = st.sampled_from(
    ["depth", "nodes", "movetime", "wtime", "p2time", "binc", "movestogo", "mate", "perft"]
)
LIMITS = st.lists(st.tuples(LIMIT_WORDS, NUMBERS.map(str)).map(" ".join), max_size=3)
PREFIXES = st.sampled_from(["", "", "@0 ", "@a ", "@b "])
FLAGS = st.sampled_from(["", "infinite", "ponder", "infinite ponder", "searchmoves a b1b2"])

ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=4,
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": NAMES, "ack": st.integers(0, 9), "game": GAMES, "moves": MOVES, "deal": NUMBERS,
    "options": st.dictionaries(OPTIONS, NUMBERS | st.sampled_from(["true", "house"]), max_size=2),
    "limit": st.sampled_from([{"infinite": True}, {"depth": 2}, {"nodes": 50}, {"mate": 1}, {}]),
    "multipv": st.integers(0, 4), "searchmoves": MOVES, "wdl": st.booleans(),
    "every_ms": st.integers(0, 9), "priority": st.integers(-3, 3), "depth": st.integers(0, 101),
    "format": st.just("text"), "target": NAMES, "final": st.integers(0, 9), "name": NAMES,
    "token": st.sampled_from([TOKEN, RESUME + "0", RESUME + "1", "wrong"]),
    "resume": st.booleans(),
}  # fmt: skip
NEEDED = {
    "analyze": ("game", "limit"), "legal": ("game",), "play": ("game", "moves"),
    "perft": ("game", "depth"), "render": ("game",), "cancel": ("target",),
    "resume": ("token", "final"), "hello": ("token", "resume"),
}  # fmt: skip


def message(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})


@st.composite
def requests(draw: st.DrawFn, kinds: tuple[str, ...], mutations: int) -> str:
    """A request with as many fields that should be another way."""
    kind = draw(st.sampled_from(kinds))
    names = ["id", *NEEDED.get(kind, ())]
    request = {name: draw(FIELDS[name]) for name in names}
    for _ in range(mutations):
        name = draw(st.sampled_from([*FIELDS, "type", "nonsense"]))
        request[name] = draw(FIELDS.get(name, ANYTHING) | ANYTHING)
    return json.dumps({"type": kind} | request)


class Client(RuleBasedStateMachine):
    greeting = ""

    @initialize(head=st.binary(min_size=HEAD, max_size=HEAD))
    def connect(self, head: bytes) -> None:
        self.stack = Stack(Settings(head))
        self.say(self.greeting)

    def say(self, line: str) -> None:
        self.stack.say(line.encode(errors="surrogatepass") + b"\n")

    @rule(data=st.binary(max_size=40), ends=st.booleans())
    def rubbish(self, data: bytes, ends: bool) -> None:
        self.stack.say(data + b"\n" * ends)

    @rule(count=st.integers(1, 5))
    def time_passes(self, count: int) -> None:
        for _ in range(count):
            self.stack.machine.step()

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.finish()


class TextClient(Client):
    greeting = f"auth {TOKEN}"

    @rule(prefix=st.none() | ODD_NAMES, words=st.lists(WORDS, max_size=4))
    def words(self, prefix: str | None, words: list[str]) -> None:
        self.say(" ".join([*([] if prefix is None else [f"@{prefix}"]), *words]))

    @rule(prefix=PREFIXES, command=st.sampled_from([*BY_NAME, "perft 1", "bench 1", "go depth 2"]))
    def command(self, prefix: str, command: str) -> None:
        # What ends the connection would make most of them short.
        self.say(prefix + (command if command != "quit" else "isready"))

    @rule(prefix=PREFIXES, limits=LIMITS, flags=FLAGS)
    def go(self, prefix: str, limits: list[str], flags: str) -> None:
        self.say(f"{prefix}go {' '.join(limits)} {flags}")

    @rule(prefix=PREFIXES, subject=st.sampled_from([*QUERIES, "islegal a", "islegal", "?"]))
    def query(self, prefix: str, subject: str) -> None:
        self.say(f"{prefix}query {subject}")

    @rule(prefix=PREFIXES, name=OPTIONS, value=WORDS | st.sampled_from(["true", "a1a2 b1b2", "2"]))
    def set_option(self, prefix: str, name: str, value: str) -> None:
        self.say(f"{prefix}setoption name {name} value {value}")

    @rule(prefix=PREFIXES, moves=MOVES, many=st.sampled_from([1, 1, 1, 300]))
    def position(self, prefix: str, moves: list[str], many: int) -> None:
        self.say(" ".join([f"{prefix}position startpos moves", *moves * many]))

    @rule(prefix=PREFIXES, game=GAMES)
    def game(self, prefix: str, game: str) -> None:
        self.say(f"{prefix}setoption name Game value {game}")

    @rule(word=st.sampled_from(["open", "open", "close", "list"]), name=NAMES, game=ODD_GAMES)
    def session(self, word: str, name: str, game: str) -> None:
        self.say({"open": f"session open {name} game {game}"}.get(word, f"session {word} {name}"))

    @precondition(lambda self: self.stack.is_closing)
    @rule()
    def come_again(self) -> None:
        self.stack.lose()
        self.say(self.greeting)


FINALS = st.sampled_from([0, 0, 0, 1, 2, 5, 20])
"""Numbers of final answers: more than were sent is refused."""


class JsonClient(Client):
    greeting = message("hello", id="h", token=TOKEN, resume=True)

    @rule(request=requests(TYPES, 0))
    def request(self, request: str) -> None:
        self.say(request)

    @rule(request=requests(("analyze", "perft", "play", "legal", "render"), 0))
    def question(self, request: str) -> None:
        self.say(request)

    @rule(request=requests(TYPES, 1) | requests(TYPES, 2))
    def mutated(self, request: str) -> None:
        self.say(request)

    @rule(request=requests(TYPES, 0), start=st.integers(0, 200), data=st.binary(max_size=3))
    def spoiled(self, request: str, start: int, data: bytes) -> None:
        line = request.encode()
        self.stack.say(line[:start] + data + line[start + len(data) :] + b"\n")

    @rule(name=NAMES, final=st.none() | FINALS)
    def cancel(self, name: str, final: int | None) -> None:
        self.say(message("cancel", id=f"cancel {name}", target=name, ack=final))

    @rule(token=st.integers(0, 2), final=FINALS)
    def lose_and_resume(self, token: int, final: int) -> None:
        self.stack.lose()
        self.say(self.greeting)
        self.say(message("resume", id="r", token=f"{RESUME}{token}", final=final))


TestText = TextClient.TestCase
TestText.settings = settings(max_examples=100, stateful_step_count=30)
TestJson = JsonClient.TestCase
TestJson.settings = settings(max_examples=100, stateful_step_count=30)
