"""A UGI engine with faults to order, for the tests of matches.

    python faulty.py [--game NAME] [--seed N] [--first] [--fault FAULT]... [--when OCCASION]
                     [--at N] [--side white|black|both] [--once FILE] [--ms N]

Without a fault it is a `random_mover.py`. A fault comes on its occasion, each time or, with
`--at`, only the Nth time. `go` and `idle` (just after the bestmove) count the moves of the
engine in one game, all other occasions count over the life of the process. `--side` says with
which colour it is faulty on these two. With `--once` there is no fault when FILE exists, and
the first one makes it: of many processes, and games, just one is faulty.

`FAULTS` lists the faults with their occasions; for those in `ANYWHERE` it can be chosen.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    # Started as a script, by its path alone.
    sys.path[:0] = [str(Path(__file__).parents[4])]

from tests.scripts.match.engines.random_mover import Board, RandomMover, parser

COMMANDS = {
    "ugi": "hello",
    "isready": "ready",
    "setoption": "option",
    "uginewgame": "new",
    "position": "position",
    "go": "go",
    "stop": "stop",
    "ponderhit": "hit",
    "query": "query",
}
"""The occasions that are commands; all other commands are `unknown`."""

ANYWHERE = {
    "crash": "go",  # words on standard error, status 1
    "killed": "go",  # by a signal
    "stall": "go",  # answers nothing any more, and heeds only `quit`
    "slow": "go",  # answers --ms late
    "closes-output": "go",  # and lives on as when it stalls
    "junk": "go",  # writes bytes that are no text, NULs, a very long line, half commands
    "stderr": "go",  # writes more to standard error than a pipe holds
    "unasked": "ready",  # answers `bestmove` to nobody
}
FAULTS = ANYWHERE | {
    # The process.
    "child": "start",  # starts a process that would outlive it, and names it as its author
    "child-holds-output": "start",  # which keeps the standard output open as well
    "never-quits": "start",  # heeds neither `quit`, nor the end of its input, nor SIGTERM
    "quit-waits": "go",  # heeds `quit` and the end of its input only when it does not search
    "ignores-end": "end",  # the end of its input
    "exit-status": "quit",  # ends with status 7
    "short-lines": "start",  # dies of lines with more than 4095 bytes
    "strict-lines": "start",  # wants words with single blanks between, and no carriage return
    # The greeting.
    "no-id": "hello",
    "bad-greeting": "hello",  # has more words behind `ugiok`
    "bad-option": "hello",  # lists a default that is out of bounds
    "ready-twice": "ready",
    "late-ready": "go",  # no `readyok` before the search has ended
    # Moves.
    "malformed": "go",
    "illegal": "go",  # well formed
    "no-move": "go",  # `bestmove (none)` although there are moves
    "empty-move": "go",  # `bestmove` alone
    "ponder": "go",  # `bestmove X ponder Y`, which is no fault but in UGI
    "twice": "go",  # two bestmoves
    "plays-on": "go",  # has moves in a finished game
    # What a search says.
    "illegal-pv": "go",
    "bad-info": "go",  # words where numbers should be
    "no-score": "go",
    "flood": "go",  # infos without an end, until `stop`
    # When a search ends.
    "ignores-stop": "stop",
    "stop-answered": "stop",  # with a bestmove, although there is no search
    "ends-infinite": "go",  # at once
    "ends-ponder": "go",  # at once
    "ignores-ponderhit": "hit",
    "ignores-movetime": "go",
    "ignores-depth": "go",
    "ignores-nodes": "go",
    "ignores-clocks": "go",
    "ignores-searchmoves": "go",
    # Positions and questions.
    "ignores-fen": "position",  # takes the start for it
    "ignores-position": "position",  # goes on where it stands
    "no-queries": "query",
    "two-answers": "query",
    "wrong-turn": "query",
    "wrong-second-turn": "query",  # answers `p2turn` as if it were `p1turn`
    "early-end": "query",  # says that the game is over, and White has won
    "denies-end": "query",  # says that it is not
    "wrong-result": "query",  # the other side's win; a win for a draw
    "no-result": "query",  # none, although the game is over
}
OCCASIONS = sorted({*COMMANDS.values(), "start", "idle", "unknown", "quit", "end"})
CLOCKS = {"p1time", "p2time"}
MALFORMED = "?!"
OFF_BOARD = "f6"
JUNK = (
    b"\xff\xfe\0junk\r\n\n\0\0\0\nreadyo\nid\noption name\ninfo depth score cp\nresponse\n"
    + b"x" * 1_500_000
    + b"\n"
)


class Faulty(RandomMover):
    """A random mover that goes wrong as it was told."""

    def __init__(self, given: argparse.Namespace) -> None:
        super().__init__(given)
        self.faults = {
            fault: given.when if given.when and fault in ANYWHERE else FAULTS[fault]
            for fault in given.fault
        }
        self.at: int | None = given.at
        self.side: str = given.side
        self.once: str | None = given.once
        self.ms: int = given.ms
        self.counts: Counter[str] = Counter()
        self.due: dict[str, bool] = {}
        self.child: subprocess.Popen[bytes] | None = None
        self.late: list[str] = []

    def begin(self, occasion: str) -> None:
        """Count an occasion, find out whether its faults are due, and do those of anywhere."""
        self.counts[occasion] += 1
        is_due = self.at in (None, self.counts[occasion])
        if occasion == "go":
            mine = "white" if self.board.first_moves else "black"
            self.is_mine = self.side in ("both", mine)
        if occasion in ("go", "idle"):
            is_due = is_due and self.is_mine
        if is_due and self.once is not None and occasion in self.faults.values():
            try:
                Path(self.once).touch(exist_ok=False)
            except FileExistsError:
                is_due = False
        self.due[occasion] = is_due
        for fault in ANYWHERE:
            if self.faults.get(fault) == occasion and is_due:
                getattr(self, fault.replace("-", "_"))()

    def has(self, *faults: str) -> bool:
        """Tell whether one of the faults is due, as its last occasion was."""
        return any(self.due.get(self.faults.get(fault, ""), False) for fault in faults)

    # Faults that can come anywhere.

    def crash(self) -> NoReturn:
        sys.stderr.write("first words\nthe reason why\n")
        sys.stderr.flush()
        os._exit(1)

    def killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def stall(self) -> NoReturn:
        while (line := self.input.wait()) is not None:
            if line.strip() == "quit":
                break
        if "never-quits" in self.faults:
            self.hang()
        os._exit(0)

    def hang(self) -> NoReturn:
        while True:
            signal.pause()

    def slow(self) -> None:
        time.sleep(self.ms / 1000)

    def closes_output(self) -> None:
        os.close(1)
        self.stall()

    def junk(self) -> None:
        self.write(JUNK)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def stderr(self) -> None:
        data = b"much to say\n" * 100_000
        while data:
            data = data[os.write(2, data) :]

    def unasked(self) -> None:
        self.say(f"bestmove {(self.board.legal() or [MALFORMED])[0]}")

    # The process.

    def run(self) -> None:
        self.begin("start")
        if self.has("never-quits"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.has("child", "child-holds-output"):
            self.child = subprocess.Popen(
                [sys.executable, "-S", "-E", "-c", "import signal; signal.pause()"],
                stdin=subprocess.DEVNULL,
                stdout=None if "child-holds-output" in self.faults else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        super().run()
        sys.stdout.flush()
        # Without a word about the child.
        os._exit(7 if self.has("exit-status") else 0)

    def leave(self, reason: str) -> None:
        self.begin(reason)
        waits = self.held is not None and self.has("quit-waits")
        if waits or self.has("never-quits", "ignores-end"):
            self.hang()
        super().leave(reason)

    def split(self, line: str) -> list[str]:
        if self.has("short-lines") and len(line) > 4095:
            self.crash()
        return line.split(" ") if self.has("strict-lines") else line.split()

    def handle(self, words: list[str]) -> None:
        occasion = COMMANDS.get(words[0], "unknown")
        if occasion == "new":
            self.counts["go"] = 0
        self.begin(occasion)
        if occasion == "ready" and self.held is not None and self.has("late-ready"):
            self.late.append("readyok")
            return
        super().handle(words)
        if occasion == "ready" and self.has("ready-twice"):
            self.say("readyok")

    # The greeting.

    def say(self, line: str) -> None:
        if self.has("no-id") and line.startswith("id "):
            return
        if line == "ugiok" and self.has("bad-option"):
            super().say("option name Level type spin default 11 min 1 max 10")
        if line == "ugiok" and self.has("bad-greeting"):
            line += " and so on"
        if line.startswith("id name"):
            line = f"id name Faulty {os.getpid()}"
        if line.startswith("id author") and self.child is not None:
            line = f"id author {self.child.pid}"
        super().say(line)

    # Searches.

    def go(self, words: list[str]) -> None:
        if self.has("flood"):
            self.flood()
        ignored = {
            "movetime": self.has("ignores-movetime"),
            "depth": self.has("ignores-depth"),
            "nodes": self.has("ignores-nodes"),
            "p1time": self.has("ignores-clocks"),
        }
        if any(is_ignored and word in words for word, is_ignored in ignored.items()):
            self.held = ["infinite", *words]
        elif ("infinite" in words and self.has("ends-infinite")) or (
            "ponder" in words and self.has("ends-ponder")
        ):
            self.search(words)
        else:
            super().go(words)

    def flood(self) -> None:
        """Write without waiting for anything, until something is said or nobody reads."""
        line = b"info depth 9 score cp 1 nodes 1 time 0\n" * 100
        while not self.input.lines and not self.input.is_over:
            with contextlib.suppress(BlockingIOError):
                os.write(1, line)
            self.input.poll()

    def ponderhit(self) -> None:
        if not self.has("ignores-ponderhit"):
            super().ponderhit()

    def end_search(self) -> None:
        is_idle = self.held is None
        if is_idle and self.has("stop-answered"):
            self.due["stop"] = False
            self.unasked()
        if not self.has("ignores-stop"):
            super().end_search()
        while not is_idle and self.late:
            self.say(self.late.pop())

    def choose(self, words: list[str]) -> str | None:
        moves = self.board.legal()
        if not moves:
            return OFF_BOARD if self.has("plays-on") else None
        if self.has("malformed"):
            return MALFORMED
        if self.has("illegal"):
            return self.illegal(self.board)
        if self.has("no-move"):
            return None
        if self.has("ignores-searchmoves") and "searchmoves" in words:
            return next((move for move in moves if move not in words), None)
        return super().choose(words)

    def illegal(self, board: Board) -> str:
        """Find a move that is well formed and not legal."""
        legal = set(board.legal())
        other = self.start(None)
        while moves := other.legal():
            found = [move for move in moves if move not in legal]
            if found:
                return found[0]
            other.push(self.random.choice(moves))
        return OFF_BOARD

    def tell(self, move: str | None) -> None:
        if self.has("no-score"):
            self.say(f"info depth 1 nodes 1 time 0 pv {move}")
        elif self.has("bad-info"):
            self.say(f"info depth one score cp 0.5 pv {move} nodes 1k")
        elif self.has("illegal-pv") and move is not None:
            after = self.start(self.board.text)
            after.push(move)
            self.say(f"info depth 2 score cp 0 nodes 1 time 0 pv {move} {self.illegal(after)}")
        else:
            super().tell(move)

    def decide(self, move: str | None) -> None:
        if self.has("empty-move"):
            self.say("bestmove")
        elif self.has("ponder"):
            self.say(f"bestmove {move} ponder {move}")
        else:
            super().decide(move)
        if self.has("twice"):
            super().decide(move)
        # As many as moves, also after a new game.
        self.counts["idle"] = self.counts["go"] - 1
        self.begin("idle")

    # Positions and questions.

    def set_position(self, kind: str, words: list[str]) -> None:
        if self.has("ignores-position"):
            return
        if kind == "fen" and self.has("ignores-fen"):
            kind = "startpos"
        super().set_position(kind, words)

    def query(self, subject: list[str]) -> None:
        if self.has("no-queries"):
            return
        super().query(subject)
        if self.has("two-answers"):
            super().query(subject)

    def answer(self, subject: list[str]) -> str:
        answer = super().answer(subject)
        if subject == ["p1turn"] and self.has("wrong-turn"):
            return "false" if answer == "true" else "true"
        if subject == ["p2turn"] and self.has("wrong-second-turn"):
            return super().answer(["p1turn"])
        if subject == ["gameover"]:
            if self.has("early-end"):
                return "true"
            if self.has("denies-end"):
                return "false"
        if subject == ["result"]:
            if self.has("denies-end", "no-result"):
                return "none"
            if self.has("early-end"):
                return "p1win"
            if self.has("wrong-result"):
                return {"p1win": "p2win", "p2win": "p1win", "draw": "p1win"}.get(answer, answer)
        return answer


def main() -> None:
    reader = parser()
    reader.add_argument("--fault", choices=FAULTS, action="append", default=[])
    reader.add_argument("--when", choices=OCCASIONS)
    reader.add_argument("--at", type=int)
    reader.add_argument("--side", choices=("white", "black", "both"), default="both")
    reader.add_argument("--once", metavar="FILE")
    reader.add_argument("--ms", type=int, default=100)
    Faulty(reader.parse_args()).run()


if __name__ == "__main__":
    main()
