"""A client that talks in any dialect, makes mistakes and loses its connection, step by step."""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.json.codec import TYPES
from kibitz.protocol.options import all_options
from kibitz.protocol.table import BY_NAME, QUERIES
from kibitz.scripts.fuzz.service import HEAD, RESUME, TOKEN, Settings
from kibitz.scripts.fuzz.stack import Stack

NAMES = st.sampled_from(["0", "a", "b", "c", "d", "\N{LATIN SMALL LETTER E WITH ACUTE}", "x" * 65])
GAMES = st.sampled_from([*GAME_NAMES, "JARMO", "chess"])
OPTIONS = st.sampled_from([option.name for option in all_options()] + ["UCI_Variant", "Nothing"])
MOVES = st.lists(st.sampled_from(["a", "b", "s", "a1a2", "b1b2", "c1b2", "a5a4", "?"]), max_size=4)
NUMBERS = st.one_of(st.integers(-2, 4), st.sampled_from([10**6, 2**63, 2**64, 10**30]))
WORDS = st.one_of(
    st.sampled_from([*BY_NAME, *QUERIES, "xboard", "startpos", "fen", "deal", "moves", "name"]),
    NAMES, GAMES, NUMBERS.map(str), st.text(max_size=6),
)  # fmt: skip
LIMIT_WORDS = st.sampled_from(
    ["depth", "nodes", "movetime", "wtime", "p2time", "binc", "movestogo", "mate", "perft"]
)
LIMITS = st.lists(st.tuples(LIMIT_WORDS, NUMBERS.map(str)).map(" ".join), max_size=3)
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
    "multipv": NUMBERS, "searchmoves": MOVES, "wdl": st.booleans(), "every_ms": st.integers(0, 9),
    "priority": st.integers(-3, 3), "depth": st.integers(0, 101), "format": st.just("text"),
    "target": NAMES, "token": st.sampled_from([TOKEN, RESUME + "0", RESUME + "1", "wrong"]),
    "final": st.integers(0, 9), "name": NAMES, "resume": st.booleans(),
}  # fmt: skip
NEEDED = {
    "analyze": ("game", "limit"), "legal": ("game",), "play": ("game", "moves"),
    "perft": ("game", "depth"), "render": ("game",), "cancel": ("target",),
    "resume": ("token", "final"), "hello": ("token", "resume"),
}  # fmt: skip


@st.composite
def requests(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(TYPES))
    names = ["id", *NEEDED.get(kind, ())]
    if draw(st.integers(0, 3)) == 0:
        names.append(draw(st.sampled_from(list(FIELDS))))
    request: dict[str, Any] = {"type": kind, **{name: draw(FIELDS[name]) for name in names}}
    if draw(st.integers(0, 5)) == 0:
        request[draw(st.sampled_from([*request, "limit", "nonsense"]))] = draw(ANYTHING)
    return json.dumps(request)


class Client(RuleBasedStateMachine):
    @initialize(head=st.binary(min_size=HEAD, max_size=HEAD), is_json=st.booleans())
    def connect(self, head: bytes, is_json: bool) -> None:
        self.stack = Stack(Settings(head))
        self.greeting = (
            f'{{"id": "h", "type": "hello", "token": "{TOKEN}", "resume": true}}'
            if is_json
            else f"auth {TOKEN}"
        )
        self.say(self.greeting)

    def say(self, line: str) -> None:
        self.stack.say(line.encode(errors="surrogatepass") + b"\n")

    @rule(prefix=st.none() | NAMES, words=st.lists(WORDS, max_size=4))
    def command(self, prefix: str | None, words: list[str]) -> None:
        self.say(" ".join([*([] if prefix is None else [f"@{prefix}"]), *words]))

    @rule(prefix=st.sampled_from(["", "", "@0 ", "@a "]), limits=LIMITS, flags=FLAGS)
    def go(self, prefix: str, limits: list[str], flags: str) -> None:
        self.say(f"{prefix}go {' '.join(limits)} {flags}")

    @rule(prefix=st.sampled_from(["", "@a "]), word=st.sampled_from(["stop", "ponderhit", "d"]))
    def during(self, prefix: str, word: str) -> None:
        self.say(prefix + word)

    @rule(name=OPTIONS, value=WORDS | st.sampled_from(["true", "a1a2 b1b2", "none"]))
    def set_option(self, name: str, value: str) -> None:
        self.say(f"setoption name {name} value {value}")

    @rule(moves=MOVES, many=st.sampled_from([1, 1, 1, 300]))
    def position(self, moves: list[str], many: int) -> None:
        self.say(" ".join(["position startpos moves", *moves * many]))

    @rule(word=st.sampled_from(["open", "open", "close", "list"]), name=NAMES, game=GAMES)
    def session(self, word: str, name: str, game: str) -> None:
        self.say({"open": f"session open {name} game {game}"}.get(word, f"session {word} {name}"))

    @rule(request=requests())
    def request(self, request: str) -> None:
        self.say(request)

    @rule(data=st.binary(max_size=40), ends=st.booleans())
    def rubbish(self, data: bytes, ends: bool) -> None:
        self.stack.say(data + b"\n" * ends)

    @rule(count=st.integers(1, 5))
    def time_passes(self, count: int) -> None:
        for _ in range(count):
            self.stack.machine.step()

    @rule(token=st.integers(0, 2), final=st.integers(0, 5))
    def lose_and_resume(self, token: int, final: int) -> None:
        self.stack.lose()
        self.say(self.greeting)
        if self.greeting.startswith("{"):
            resume = {"type": "resume", "id": "r", "token": f"{RESUME}{token}", "final": final}
            self.say(json.dumps(resume))

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.finish()


TestClient = Client.TestCase
TestClient.settings = settings(max_examples=150, stateful_step_count=25)
