from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.options import Option
from kibitz.protocol import commands as c
from kibitz.protocol import replies as r
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.framing import MOST_LINE, LineSplitter, Trouble
from kibitz.protocol.ugi import Addressed, Item, UgiCodec
from kibitz.search.info import Score
from kibitz.search.limits import Limit


class Feeder(UgiCodec):
    """The codec behind what cuts lines, as a connection has it."""

    def __init__(self, most_line: int = MOST_LINE) -> None:
        super().__init__(most_line)
        self._splitter = LineSplitter(most_line)

    def feed(self, data: bytes) -> Iterator[Item]:
        yield from self._read_all(self._splitter.feed(data))

    def finish(self) -> Iterator[Item]:
        yield from self._read_all(self._splitter.finish())

    def _read_all(self, lines: Iterator[str | Trouble]) -> Iterator[Item]:
        for line in lines:
            item = self.read(line)
            if item is not None:
                yield item


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
    ("session list", c.ListSessions()),
    ("session  open\ta", c.OpenSession("a")),
    ("session open game game jarmo", c.OpenSession("game", "jarmo")),
    ("session open " + "x" * 64, c.OpenSession("x" * 64)),
    ("session open @\u017elu\u0165", c.OpenSession("@\u017elu\u0165")),
    ("session close a", c.CloseSession("a")),
    ("auth  secret ", c.Authenticate("secret")),
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
    ("session", ErrorCode.BAD_COMMAND),
    ("session open", ErrorCode.BAD_COMMAND),
    ("session open a b", ErrorCode.BAD_COMMAND),
    ("session open a game", ErrorCode.BAD_COMMAND),
    ("session open a game jarmo now", ErrorCode.BAD_COMMAND),
    ("session open " + "x" * 65, ErrorCode.BAD_COMMAND),
    ("session open a\x07", ErrorCode.BAD_COMMAND),
    ("session open a\u00a0b", ErrorCode.BAD_COMMAND),
    ("session close", ErrorCode.BAD_COMMAND),
    ("session list all", ErrorCode.BAD_COMMAND),
    ("auth", ErrorCode.BAD_COMMAND),
    ("auth secret words", ErrorCode.BAD_COMMAND),
    ("xboard", ErrorCode.BAD_COMMAND),
    ("@", ErrorCode.BAD_COMMAND),
    ("@ isready", ErrorCode.BAD_COMMAND),
    ("@" + "x" * 65 + " isready", ErrorCode.BAD_COMMAND),
    ("@" + "x" * 9999, ErrorCode.BAD_COMMAND),
    ("@a\x1b[0m isready", ErrorCode.BAD_COMMAND),
]

PREFIXED: list[tuple[str, Addressed]] = [
    ("@a isready", Addressed("a", c.IsReady())),
    (" \t@a\tisready ", Addressed("a", c.IsReady())),
    ("@0 moves b c", Addressed("0", c.MakeMoves(("b", "c")))),
    ("@@ isready", Addressed("@", c.IsReady())),
    ("@" + "x" * 64 + " isready", Addressed("x" * 64, c.IsReady())),
    ("@a setoption name Board value  x  y", Addressed("a", c.SetOption("Board", "x  y"))),
    ("@a ugi", Addressed("a", c.Handshake("ugi"))),
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
    assert list(Feeder().feed(line.encode() + b"\n")) == [command]


@pytest.mark.parametrize(("line", "code"), FAULTS)
def test_a_bad_line_becomes_a_fault(line: str, code: ErrorCode) -> None:
    (fault,) = Feeder().feed(line.encode() + b"\n")
    assert isinstance(fault, r.Fault)
    assert fault.code is code
    assert len(fault.text) < 200


def test_no_error_shows_a_token() -> None:
    for line in ("auth secret words", "@a auth secret words"):
        assert "secret" not in str(UgiCodec().read(line))
    assert "secret" not in repr(UgiCodec().read("auth secret"))


@pytest.mark.parametrize(("line", "item"), PREFIXED)
def test_a_prefix_names_a_session(line: str, item: Addressed) -> None:
    assert list(Feeder().feed(line.encode() + b"\n")) == [item]


def test_a_fault_keeps_its_prefix() -> None:
    item = UgiCodec().read("@a nonsense")
    assert isinstance(item, Addressed)
    assert isinstance(item.item, r.Fault)
    assert item.item.code is ErrorCode.BAD_COMMAND
    # A second prefix is a word like any other that is no command.
    item = UgiCodec().read("@a @b isready")
    assert isinstance(item, Addressed)
    assert isinstance(item.item, r.Fault)


def test_every_line_of_an_answer_has_the_prefix() -> None:
    codec = UgiCodec()
    board = r.Board("x\ny", "t w", 255, 1, (1.0, 2.5), "p1win", "lead", 0)
    lines = codec.encode(board).decode().splitlines()
    assert codec.encode(board, "a").decode().splitlines() == [f"@a {line}" for line in lines]
    assert codec.encode(r.Variant("a", 5, 6, "x w"), "a") == b""


@pytest.mark.parametrize("line", REFUSED)
def test_a_bad_go_keeps_its_turn(line: str) -> None:
    (command,) = Feeder().feed(line.encode() + b"\n")
    assert isinstance(command, c.RefusedGo)
    assert command.code is ErrorCode.BAD_LIMIT


@pytest.mark.parametrize(
    "line", ["", "   ", "\t", "# isready", "  # isready", "@a", "@a ", "@a # isready"]
)
def test_a_line_that_says_nothing(line: str) -> None:
    assert list(Feeder().feed(line.encode() + b"\n")) == []


def test_the_last_line_needs_no_end() -> None:
    codec = Feeder()
    assert list(codec.feed(b"stop\nquit")) == [c.Stop()]
    assert list(codec.finish()) == [c.Quit()]


def test_a_long_line_is_one_fault() -> None:
    codec = Feeder(most_line=20)
    events = list(codec.feed(b"isready" * 9)) + list(codec.feed(b"\nstop\n"))
    text = "the line has more than 20 bytes and was skipped"
    assert events == [r.Fault(ErrorCode.BAD_COMMAND, text), c.Stop()]


def test_mates_are_counted_as_the_handshake_said() -> None:
    codec = Feeder()
    events = codec.feed(b"go mate 3\nuci\ngo mate 3\nugi\ngo mate 3\n")
    assert [e.limit.mate for e in events if isinstance(e, c.Go)] == [3, 5, 3]


@given(st.binary(max_size=200))
def test_any_bytes_give_commands_or_faults(data: bytes) -> None:
    codec = Feeder(most_line=50)
    for event in [*codec.feed(data), *codec.finish()]:
        assert isinstance(event, c.Command | r.Fault | Addressed)
        if isinstance(event, r.Fault):
            assert codec.encode(event).count(b"\n") == 1


@given(st.sampled_from([line.split()[0] for line, _ in COMMANDS]), st.text(max_size=60))
def test_any_arguments_give_commands_or_faults(name: str, rest: str) -> None:
    for event in Feeder().feed(f"{name} {rest}\n".encode("utf-8", "surrogatepass")):
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
    (r.Note("Hash is 8"), "info string Hash is 8\n"),
    (r.Admitted("me\nand you"), "authok me and you\n"),
    (r.Sessions("opened", ("a",)), "session opened a\n"),
    (r.Sessions("list", ("0", "a")), "session list 0 a\n"),
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
    assert Feeder().encode(reply).decode() == text


def test_every_reply_is_tried() -> None:
    tried = {type(reply) for reply, _ in REPLIES}
    assert tried == set(r.Reply.__subclasses__())


@pytest.mark.parametrize(("score", "ugi", "uci"), SCORES)
def test_scores(score: Score, ugi: str, uci: str) -> None:
    codec = Feeder()
    reply = r.Progress(score=score)
    assert f" score {ugi} nodes" in codec.encode(reply).decode()
    list(codec.feed(b"uci\n"))
    assert f" score {uci} nodes" in codec.encode(reply).decode()


def test_uci_habits() -> None:
    codec = Feeder()
    list(codec.feed(b"uci\n"))
    assert codec.encode(r.BestMove("a", "b")) == b"bestmove a ponder b\n"
    assert codec.encode(r.BestMove("a")) == b"bestmove a\n"
    variant = b"info string variant a files 5 ranks 6 pocket 0 template fairy startpos x w\n"
    assert codec.encode(r.Variant("a", 5, 6, "x w")) == variant
