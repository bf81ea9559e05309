from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.options import Option
from kibitz.protocol import commands as c
from kibitz.protocol import replies as r
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.ugi import UgiCodec
from kibitz.search.info import Score
from kibitz.search.limits import Limit


def go(**fields: Any) -> c.Go:
    held = {
        name: fields.pop(name) for name in ("infinite", "ponder", "search_moves") if name in fields
    }
    return c.Go(limit=Limit(**fields), **held)


COMMANDS: list[tuple[str, c.Command]] = [
    ("ugi", c.Handshake("ugi")),
    ("uci", c.Handshake("uci")),
    ("isready", c.IsReady()),
    ("  isready\t", c.IsReady()),
    ("setoption name Hash value 5", c.SetOption("Hash", "5")),
    ("setoption name Move  Overhead value 5", c.SetOption("Move Overhead", "5")),
    ("setoption name Move Overhead", c.SetOption("Move Overhead", "")),
    ("setoption name Board value", c.SetOption("Board", "")),
    ("setoption name Board value <empty>", c.SetOption("Board", "")),
    (
        "setoption name Board value a1a2  b1b2\tvalue x ",
        c.SetOption("Board", "a1a2  b1b2\tvalue x"),
    ),
    ("setoption\tname Board\tvalue\ta1a2", c.SetOption("Board", "a1a2")),
    ("uginewgame", c.NewGame()),
    ("ucinewgame", c.NewGame()),
    ("position startpos", c.SetPosition()),
    ("position startpos moves", c.SetPosition()),
    ("position startpos moves a  b", c.SetPosition(moves=("a", "b"))),
    ("position fen x  w\t0 moves a", c.SetPosition(text="x w 0", moves=("a",))),
    ("position deal 17", c.SetPosition(deal=17)),
    ("position deal 17 moves a", c.SetPosition(deal=17, moves=("a",))),
    ("moves", c.MakeMoves(())),
    ("moves a b", c.MakeMoves(("a", "b"))),
    ("go", go(infinite=True)),
    ("go infinite", go(infinite=True)),
    ("go ponder", go(infinite=True, ponder=True)),
    ("go p1inc 5 movestogo 9", go(infinite=True, increments=(5, 0), moves_to_go=9)),
    ("go depth 5", go(depth=5)),
    ("go depth 0 nodes 0 movetime 0 mate 0", go(depth=1, nodes=1, movetime=1, mate=1)),
    ("go movetime 10 infinite", go(movetime=10, infinite=True)),
    ("go mate 3", go(mate=3)),
    ("go p1time 1 p2time 2 p1inc 3 p2inc 4", go(clocks=(1, 2), increments=(3, 4))),
    ("go binc 4 wtime 1 p2time 2 winc 3", go(clocks=(1, 2), increments=(3, 4))),
    ("go btime -70", go(clocks=(None, 1))),
    ("go wtime 0", go(clocks=(1, None))),
    ("go wtime 9 movestogo 0", go(clocks=(9, None))),
    ("go depth 2 depth 3", go(depth=3)),
    ("go searchmoves a b depth 2", go(infinite=True, search_moves=("a", "b", "depth", "2"))),
    ("go depth 2 searchmoves a", go(depth=2, search_moves=("a",))),
    ("go perft 3", c.Perft(3)),
    ("go depth 5 perft 3", c.Perft(3)),
    ("perft 0", c.Perft(0)),
    ("bench", c.Bench()),
    ("bench 7", c.Bench(7)),
    ("stop", c.Stop()),
    ("ponderhit", c.PonderHit()),
    ("query", c.Query("")),
    ("query p1turn", c.Query("p1turn")),
    ("query islegal  a b", c.Query("islegal", "a b")),
    ("legal", c.Legal()),
    ("d", c.Display()),
    ("eval", c.Evaluate()),
    ("help", c.Help()),
    ("help go", c.Help("go")),
    ("quit", c.Quit()),
]

FAULTS = [
    ("nonsense", ErrorCode.BAD_COMMAND),
    ("x" * 500, ErrorCode.BAD_COMMAND),
    ("quit now", ErrorCode.BAD_COMMAND),
    ("position fen moves a", ErrorCode.BAD_COMMAND),
    ("setoption name", ErrorCode.BAD_OPTION),
    ("position deal -", ErrorCode.BAD_POSITION),
    ("perft 1.5", ErrorCode.BAD_LIMIT),
    ("perft 101", ErrorCode.BAD_LIMIT),
    ("bench x", ErrorCode.BAD_LIMIT),
    ("go perft", ErrorCode.BAD_LIMIT),
]

REFUSED = [
    "go depth",
    "go depth depth",
    "go depth 1.5",
    "go depth \u0665",
    "go depth 5 quickly",
    "go nodes -1",
    "go p1inc -1",
    "go wtime 1000000000001",
    "go infinite 5",
]


@pytest.mark.parametrize(("line", "command"), COMMANDS)
def test_a_line_becomes_a_command(line: str, command: c.Command) -> None:
    assert list(UgiCodec().feed(line.encode() + b"\n")) == [command]


@pytest.mark.parametrize(("line", "code"), FAULTS)
def test_a_bad_line_becomes_a_fault(line: str, code: ErrorCode) -> None:
    (fault,) = UgiCodec().feed(line.encode() + b"\n")
    assert isinstance(fault, r.Fault)
    assert fault.code is code
    assert len(fault.text) < 200


@pytest.mark.parametrize("line", REFUSED)
def test_a_bad_go_keeps_its_turn(line: str) -> None:
    (command,) = UgiCodec().feed(line.encode() + b"\n")
    assert isinstance(command, c.RefusedGo)
    assert command.code is ErrorCode.BAD_LIMIT


@pytest.mark.parametrize("line", ["", "   ", "\t", "# isready", "  # isready"])
def test_a_line_that_says_nothing(line: str) -> None:
    assert list(UgiCodec().feed(line.encode() + b"\n")) == []


def test_the_last_line_needs_no_end() -> None:
    codec = UgiCodec()
    assert list(codec.feed(b"stop\nquit")) == [c.Stop()]
    assert list(codec.finish()) == [c.Quit()]


def test_a_long_line_is_one_fault() -> None:
    codec = UgiCodec(most_line=20)
    events = list(codec.feed(b"isready" * 9)) + list(codec.feed(b"\nstop\n"))
    text = "the line has more than 20 bytes and was skipped"
    assert events == [r.Fault(ErrorCode.BAD_COMMAND, text), c.Stop()]


def test_mates_are_counted_as_the_handshake_said() -> None:
    codec = UgiCodec()
    events = codec.feed(b"go mate 3\nuci\ngo mate 3\nugi\ngo mate 3\n")
    assert [e.limit.mate for e in events if isinstance(e, c.Go)] == [3, 5, 3]


@given(st.binary(max_size=200))
def test_any_bytes_give_commands_or_faults(data: bytes) -> None:
    codec = UgiCodec(most_line=50)
    for event in [*codec.feed(data), *codec.finish()]:
        assert isinstance(event, c.Command | r.Fault)
        if isinstance(event, r.Fault):
            assert codec.encode(event).count(b"\n") == 1


@given(st.sampled_from([line.split()[0] for line, _ in COMMANDS]), st.text(max_size=60))
def test_any_arguments_give_commands_or_faults(name: str, rest: str) -> None:
    for event in UgiCodec().feed(f"{name} {rest}\n".encode("utf-8", "surrogatepass")):
        assert isinstance(event, c.Command | r.Fault)


LINE = r.Progress(
    score=Score(cp=-7), depth=4, seldepth=6, multipv=2, nodes=10, nps=20, hashfull=3, time=5,
    pv=("a", "bc"),
)  # fmt: skip
SCORES = [
    (Score(cp=0), "cp 0", "cp 0"),
    (Score(mate=1), "mate 1", "mate 1"),
    (Score(mate=2), "mate 2", "mate 1"),
    (Score(mate=3), "mate 3", "mate 2"),
    (Score(mate=-1), "mate -1", "mate -1"),
    (Score(mate=-2), "mate -2", "mate -1"),
    (Score(mate=-3), "mate -3", "mate -2"),
    (Score(mate=0), "mate 0", "mate 0"),
]
SPIN = Option("Big Hash", "spin", "16", "", least=1, most=9)
COMBO = Option("Game", "combo", "a", "", choices=("a", "b"))

REPLIES: list[tuple[r.Reply, str]] = [
    (r.ReadyOk(), "readyok\n"),
    (
        r.Identity("ugi", "k 1", "us", (SPIN, COMBO, Option("T", "string", "", ""))),
        "id name k 1\nid author us\noption name Big Hash type spin default 16 min 1 max 9\n"
        "option name Game type combo default a var a var b\n"
        "option name T type string default <empty>\nugiok\n",
    ),
    (r.Identity("uci", "k", "us", (Option("B", "button", "", ""),)),
     "id name k\nid author us\noption name B type button\nuciok\n"),
    (r.Fault(ErrorCode.BAD_MOVE, "a\nb\rc"), "info string error bad_move: a b c\n"),
    (r.Variant("a", 5, 6, "x w"), ""),
    (
        LINE,
        "info depth 4 seldepth 6 multipv 2 score cp -7 nodes 10 nps 20 hashfull 3 time 5 pv a bc\n",
    ),
    (r.Progress(score=Score(cp=1)), "info depth 0 score cp 1 nodes 0 nps 0 time 0\n"),
    (
        r.Progress(score=Score(cp=1), bound="upper", wdl=(1, 2, 997)),
        "info depth 0 score cp 1 upperbound wdl 1 2 997 nodes 0 nps 0 time 0\n",
    ),
    (r.BestMove("a", "b"), "bestmove a\n"),
    (r.BestMove(), "bestmove (none)\n"),
    (r.Response("3 2.5"), "response 3 2.5\n"),
    (r.Response(""), "response\n"),
    (r.LegalMoves(("a", "bc")), "legalmoves 2: a bc\n"),
    (r.LegalMoves(()), "legalmoves 0:\n"),
    (
        r.Board("x\ny", "t w", 255, 1, (1.0, 2.5), "p1win", "lead", 0),
        "x\ny\n\nposition t w\nkey 00000000000000ff\nside Black\nscore 1 2.5\n"
        "result p1win (lead)\nlegal moves 0\n",
    ),
    (
        r.Evaluation((r.TermLine("men", 250, 100),), -150, 1, "none"),
        "       White    Black   difference\nmen     2.50     1.00        +1.50\n"
        "sum     2.50     1.00        +1.50\nfor the side to move, Black: -1.50\n",
    ),
    (r.HelpText(("a", "b")), "a\nb\n"),
    (r.MoveCount("a", 5), "a: 5\n"),
    (r.BenchResult(1, 2, "g", 5, 6), "position 1 of 2, g: 5 nodes in 6 ms\n"),
    (r.Total(5, 7), "Nodes searched: 5\nNodes/second: 7\n"),
    (r.Total(5, 7, stopped=True), "info string stopped\n"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "text"), REPLIES)
def test_a_reply_becomes_lines(reply: r.Reply, text: str) -> None:
    assert UgiCodec().encode(reply).decode() == text


def test_every_reply_is_tried() -> None:
    tried = {type(reply) for reply, _ in REPLIES}
    assert tried == set(r.Reply.__subclasses__())


@pytest.mark.parametrize(("score", "ugi", "uci"), SCORES)
def test_scores(score: Score, ugi: str, uci: str) -> None:
    codec = UgiCodec()
    reply = r.Progress(score=score)
    assert f" score {ugi} nodes" in codec.encode(reply).decode()
    list(codec.feed(b"uci\n"))
    assert f" score {uci} nodes" in codec.encode(reply).decode()


def test_uci_habits() -> None:
    codec = UgiCodec()
    list(codec.feed(b"uci\n"))
    assert codec.encode(r.BestMove("a", "b")) == b"bestmove a ponder b\n"
    assert codec.encode(r.BestMove("a")) == b"bestmove a\n"
    variant = b"info string variant a files 5 ranks 6 pocket 0 template fairy startpos x w\n"
    assert codec.encode(r.Variant("a", 5, 6, "x w")) == variant
