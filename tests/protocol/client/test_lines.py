"""Lines of engines as a client reads them, and the lines that it writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.protocol.client import Info, Limit, Option, Score, Setup
from kibitz.protocol.client.lines import (
    Admitted,
    Answered,
    Decided,
    Event,
    Failed,
    Greeted,
    Identity,
    Listed,
    Ready,
    SessionSaid,
    Told,
    moves_of,
    read_line,
    split_session,
    turns_of,
)
from kibitz.protocol.client.wording import MOST_LINE, go, position
from kibitz.protocol.framing import MOST_LINE as MOST_OF_KIBITZ

READ: list[tuple[str, Event | None]] = [
    ("", None),
    ("nonsense", None),
    ("Unknown command: 'ugi'", None),
    ("readyok", Ready()),
    ("  readyok ", Ready()),
    ("ugiok", Greeted("ugi")),
    ("uciok", Greeted("uci")),
    ("authok some body", Admitted("some body")),
    ("id name Some Engine 1.0", Identity("name", "Some Engine 1.0")),
    ("id", None),
    ("id colour red", None),
    ("response", Answered("")),
    ("response a b  c", Answered("a b  c")),
    ("session", None),
    ("session opened x", SessionSaid("opened", ("x",))),
    ("bestmove", Decided(None)),
    ("bestmove (none)", Decided(None)),
    ("bestmove 0000", Decided(None)),
    ("bestmove e2e4", Decided("e2e4")),
    ("bestmove e2e4 ponder", Decided("e2e4")),
    ("bestmove e2e4 ponder e7e5", Decided("e2e4", "e7e5")),
    ("bestmove e2e4 ponder (none)", Decided("e2e4")),
    ("bestmove (none) ponder e7e5", Decided(None)),
    ("info string error bad_move: a: no", Failed("bad_move", "a: no")),
    ("info string error loading: no book", Told(Info(string="error loading: no book"))),
    ("info string", Told(Info(string=""))),
    ("info string depth 3", Told(Info(string="depth 3"))),
    ("info", Told(Info())),
    ("info depth", Told(Info())),
    ("info depth x seldepth 3", Told(Info(seldepth=3))),
    ("info depth --3 nodes 7", Told(Info(nodes=7))),
    ("info nodes 123456789012345678901", Told(Info())),
    ("info multipv 0 depth 1", Told(Info(depth=1))),
    ("info multipv 501 depth 1", Told(Info(depth=1))),
    ("info score cp", Told(Info())),
    ("info score depth 4", Told(Info(depth=4))),
    ("info score cp -12 upperbound", Told(Info(score=Score(cp=-12), bound="upper"))),
    ("info score cp 3 lowerbound nps 9", Told(Info(score=Score(cp=3), bound="lower", nps=9))),
    ("info score mate -2", Told(Info(score=Score(mate=-2)))),
    ("info wdl 1 2 3", Told(Info(wdl=(1, 2, 3)))),
    ("info wdl 1 2", Told(Info())),
    ("info time 1250 pv a b", Told(Info(time=1.25, pv=("a", "b")))),
    ("info pv depth nodes", Told(Info(pv=("depth", "nodes")))),
    ("info currmove a currmovenumber 3 depth 2", Told(Info(depth=2))),
    ("info currmove depth 2", Told(Info())),
    ("info depth 3 tbhits 4 string and so on", Told(Info(depth=3, string="and so on"))),
    ("info refutation a b c", Told(Info())),
    ("option", None),
    ("option name", None),
    ("option name X", None),
    ("option name X type button", Listed(Option(name="X", kind="button"))),
    (
        "option name Clear Hash type button default x",
        Listed(Option(name="Clear Hash", kind="button", default="x")),
    ),
    (
        "option name Hash type spin default 16 min 1 max 99",
        Listed(Option(name="Hash", kind="spin", default="16", least=1, most=99)),
    ),
    (
        "option name Low type spin min -5 default -1 max x",
        Listed(Option(name="Low", kind="spin", default="-1", least=-5)),
    ),
    (
        "option name Style type combo default Very Wild var Calm var Very Wild",
        Listed(
            Option(name="Style", kind="combo", default="Very Wild", choices=("Calm", "Very Wild"))
        ),
    ),
    (
        "option name Book type string default <empty>",
        Listed(Option(name="Book", kind="string")),
    ),
    (
        "option name Path type string default min and max",
        Listed(Option(name="Path", kind="string", default="min and max")),
    ),
    ("option name Path type string", Listed(Option(name="Path", kind="string"))),
]


@pytest.mark.parametrize(("line", "event"), READ, ids=[line for line, _ in READ])
def test_reading(line: str, event: Event | None) -> None:
    assert read_line(line) == event


def test_mates_of_uci_are_moves_of_one_side() -> None:
    for moves, turns in ((1, 1), (2, 3), (-1, -2), (-3, -6), (0, 0)):
        assert read_line(f"info score mate {moves}", uci=True) == Told(
            Info(score=Score(mate=turns))
        )
        assert turns_of(moves) == turns
        assert moves_of(turns) == moves
    assert moves_of(2) == 1


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("readyok", ("", "readyok")),
        ("@a readyok", ("a", "readyok")),
        ("@a", ("a", "")),
        ("@", ("", "")),
        ("@a  b", ("a", " b")),
        ("a @b", ("", "a @b")),
    ],
)
def test_sessions(line: str, parts: tuple[str, str]) -> None:
    assert split_session(line) == parts


WORDS = sorted({word for line, _ in READ for word in line.split()} | {"-1", "7", "\t", "é", "@a"})


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)), st.booleans())
def test_nothing_that_an_engine_writes_raises(line: str, uci: bool) -> None:
    session, rest = split_session(line)
    assert isinstance(session, str)
    event = read_line(rest, uci)
    assert event is None or isinstance(event, Event)


GO: list[tuple[Limit, list[str] | None, bool, str]] = [
    (Limit(), None, False, "go infinite"),
    (Limit(depth=3), None, False, "go depth 3"),
    (Limit(depth=3, nodes=9), ["a", "b"], True, "go depth 3 nodes 9 searchmoves a b"),
    (Limit(time=1.5), None, False, "go movetime 1500"),
    (Limit(time=0), None, False, "go movetime 1"),
    (Limit(mate=5), None, False, "go mate 5"),
    (Limit(mate=5), None, True, "go mate 3"),
    (
        Limit(white_clock=60, black_clock=50.25, white_increment=0.1, black_increment=0),
        None,
        False,
        "go p1time 60000 p2time 50250 p1inc 100 p2inc 0",
    ),
    (
        Limit(white_clock=1, black_clock=2, moves_to_go=40),
        None,
        True,
        "go wtime 1000 btime 2000 movestogo 40",
    ),
]


@pytest.mark.parametrize(("limit", "moves", "uci", "line"), GO, ids=[case[3] for case in GO])
def test_writing_go(limit: Limit, moves: list[str] | None, uci: bool, line: str) -> None:
    assert go(limit, moves, uci) == line


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": 0},
        {"nodes": -1},
        {"mate": 0},
        {"moves_to_go": 0},
        {"time": -0.1},
        {"time": float("nan")},
        {"white_clock": float("inf")},
    ],
)
def test_limits_that_make_no_sense(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        Limit(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setup", "line"),
    [
        (Setup(), "position startpos"),
        (Setup("jarmo"), "position startpos"),
        (Setup(moves=("a", "b")), "position startpos moves a b"),
        (Setup(text="3/4 w", moves=("a",)), "position fen 3/4 w moves a"),
        (Setup(deal=7), "position deal 7"),
    ],
)
def test_writing_positions(setup: Setup, line: str) -> None:
    assert list(position(setup, uci=False)) == [line]
    assert list(position(setup, uci=True)) == [line]


def test_long_games_are_written_in_pieces() -> None:
    moves = tuple(f"a{number}" for number in range(50_000))
    first, *others = position(Setup(moves=moves), uci=False)
    assert len(others) > 2
    assert all(len(line) <= MOST_LINE < MOST_OF_KIBITZ for line in (first, *others))
    assert first.startswith("position startpos moves a0 ")
    written = first.split()[3:]
    for line in others:
        word, *more = line.split()
        assert word == "moves"
        written += more
    assert tuple(written) == moves
    assert len(list(position(Setup(moves=moves), uci=True))) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"moves": ("a\nquit",)},
        {"moves": ("a b",)},
        {"moves": ("",)},
        {"moves": "abc"},
        {"game": "a\nquit"},
        {"text": "a\nquit"},
        {"text": "3/4 w moves a"},
        {"text": " "},
        {"text": "3/4 w", "deal": 1},
    ],
)
def test_setups_that_are_not_one_line(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong)).rstrip("s")):
        Setup(**wrong)  # type: ignore[arg-type]


def test_scores() -> None:
    order = [
        Score(mate=-1),
        Score(mate=-4),
        Score(cp=-3),
        Score(cp=9),
        Score(mate=5),
        Score(mate=2),
    ]
    assert sorted(order, key=Score.value) == order
    assert [-score for score in reversed([-score for score in reversed(order)])] == order
    assert str(Score(cp=-125)) == "-1.25"
    assert str(Score(mate=3)) == "#+3"
