"""A UGI engine that is not kibitz and plays a game that kibitz does not know.

    python stones.py [--strength N] [--seed N] [--strict] [--uci]

It stands for all the engines that others have written, so it imports nothing of ours and knows
nothing of our extensions: of queries it has `gameover`, `result`, `p1turn`, `p2turn` and `fen`;
any other is passed over in silence, or with `--strict` answered by `response unknown`. With
`--uci` it is an engine that speaks UCI alone: it passes over `ugi` and every query.

The game: on 5x5 points, White (`x`) and then Black (`o`) puts one stone on an empty point, a
move such as `c3`. Four stones of a colour in a row, straight or diagonal, win; a full board is
a draw. Strength 0 plays at random, any other searches so many turns at most. All chance
comes from the seed, and goes on from game to game, so that no two games need be the same.
"""

import argparse
import contextlib
import itertools
import os
import random
import select
import sys
import time
from collections import deque

SIZE = 5
IN_A_ROW = 4
WIN = 10_000
POINTS = [f"{file}{rank}" for rank in range(1, SIZE + 1) for file in "abcde"]
START = "/".join(["5"] * SIZE) + " x"
VALUES = (0, 1, 4, 15)
"""What a row of four is worth in which one side alone has so many stones."""


def _rows() -> list[int]:
    """Give all rows of four points, as sets of bits."""
    rows = []
    for rank in range(SIZE):
        for file in range(SIZE):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                ranks = [rank + up * step for step in range(IN_A_ROW)]
                files = [file + right * step for step in range(IN_A_ROW)]
                if all(0 <= number < SIZE for number in ranks + files):
                    points = zip(ranks, files, strict=True)
                    rows.append(sum(1 << (r * SIZE + f) for r, f in points))
    return rows


ROWS = _rows()
ROWS_OF = [[row for row in ROWS if row >> point & 1] for point in range(SIZE * SIZE)]
FULL = (1 << SIZE * SIZE) - 1


class Stones:
    """A position of the game."""

    def __init__(self) -> None:
        self.stones = [0, 0]
        self.side = 0
        self.winner: int | None = None

    @classmethod
    def read(cls, text: str) -> "Stones":
        """Read a position text; raises `ValueError`."""
        board, _, side = text.strip().partition(" ")
        found = cls()
        ranks = board.split("/")
        if side not in ("x", "o") or len(ranks) != SIZE:
            raise ValueError("it is five ranks and a side")
        for rank, words in enumerate(reversed(ranks)):
            cells = "".join("." * int(c) if c.isdigit() else c for c in words)
            if len(cells) != SIZE or set(cells) - set("xo."):
                raise ValueError("a rank is wrong")
            for file, cell in enumerate(cells):
                if cell != ".":
                    found.stones["xo".index(cell)] |= 1 << (rank * SIZE + file)
        found.side = "xo".index(side)
        for who in (0, 1):
            if any(found.stones[who] & row == row for row in ROWS):
                found.winner = who
        return found

    @property
    def text(self) -> str:
        ranks = []
        for rank in reversed(range(SIZE)):
            words = ""
            for point in range(rank * SIZE, rank * SIZE + SIZE):
                if self.stones[0] >> point & 1 or self.stones[1] >> point & 1:
                    words += "xo"[self.stones[1] >> point & 1]
                elif words[-1:].isdigit():
                    words = words[:-1] + str(int(words[-1]) + 1)
                else:
                    words += "1"
            ranks.append(words)
        return "/".join(ranks) + " " + "xo"[self.side]

    @property
    def result(self) -> str:
        if self.winner is not None:
            return ("p1win", "p2win")[self.winner]
        return "draw" if self.stones[0] | self.stones[1] == FULL else "none"

    @property
    def first_moves(self) -> bool:
        return self.side == 0

    def empty(self) -> list[int]:
        """Give the points where a stone can be put; none when the game is over."""
        if self.winner is not None:
            return []
        taken = self.stones[0] | self.stones[1]
        return [point for point in range(SIZE * SIZE) if not taken >> point & 1]

    def legal(self) -> list[str]:
        return [POINTS[point] for point in self.empty()]

    def put(self, point: int) -> None:
        self.stones[self.side] |= 1 << point
        if any(self.stones[self.side] & row == row for row in ROWS_OF[point]):
            self.winner = self.side
        self.side = 1 - self.side

    def take(self, point: int) -> None:
        self.side = 1 - self.side
        self.stones[self.side] &= ~(1 << point)
        self.winner = None

    def push(self, token: str) -> None:
        """Make a move; raises `ValueError` and changes nothing when it is not legal."""
        if token not in self.legal():
            raise ValueError(f"{token} is not legal")
        self.put(POINTS.index(token))

    def value(self) -> int:
        """Give the worth of the position to the side to move."""
        mine, theirs = self.stones[self.side], self.stones[1 - self.side]
        value = 0
        for row in ROWS:
            if not theirs & row:
                value += VALUES[(mine & row).bit_count()]
            elif not mine & row:
                value -= VALUES[(theirs & row).bit_count()]
        return value


class Input:
    """Standard input, by lines, read without ever waiting longer than asked."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque()
        self.is_over = False
        self._partial = b""

    def wait(self) -> str | None:
        """Wait for a line; None at the end."""
        while not self.lines and not self.is_over:
            self._read()
        return self.lines.popleft() if self.lines else None

    def poll(self) -> None:
        """Read what there is."""
        while not self.is_over and select.select([0], [], [], 0)[0]:
            self._read()

    def _read(self) -> None:
        data = os.read(0, 65536)
        self.is_over = not data
        *lines, self._partial = (self._partial + data).split(b"\n")
        self.lines += (line.decode(errors="replace") for line in lines)


class Stopped(Exception):  # noqa: N818 - not an error
    """The search has to end now."""


class Limits:
    """The words of a `go`, as numbers; those that are not there are None."""

    def __init__(self, words: list[str]) -> None:
        self.numbers: dict[str, int] = {}
        for word, number in itertools.pairwise(words):
            if number.lstrip("-").isdigit():
                self.numbers[word] = int(number)
        self.is_infinite = "infinite" in words
        self.is_pondering = "ponder" in words

    def get(self, *names: str) -> int | None:
        """Give the number behind the first of the words that is there."""
        return next((self.numbers[name] for name in names if name in self.numbers), None)

    def seconds(self, side: int) -> float | None:
        """Give the time for this turn."""
        move = self.get("movetime")
        if move is not None:
            return move / 1000
        clock = self.get(*(("p1time", "wtime"), ("p2time", "btime"))[side])
        if clock is None:
            return None
        more = self.get(*(("p1inc", "winc"), ("p2inc", "binc"))[side]) or 0
        return max(min(clock / (self.get("movestogo") or 20) + more / 2, clock * 0.8), 1) / 1000


class Engine:
    """The engine: reads commands, and looks for more of them while it searches."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.input = Input()
        self.position = Stones()
        self.strength: int = given.strength
        self.seed: int = given.seed
        self.strict: bool = given.strict
        self.uci: bool = given.uci
        self.random = random.Random(self.seed)
        self.stopping = False
        self.quitting = False

    def say(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def run(self) -> None:
        while not self.quitting:
            line = self.input.wait()
            if line is None:
                return
            self.handle(line.split())

    def handle(self, words: list[str]) -> None:
        """Carry out a command, outside of a search."""
        match words:
            case ["ugi"] if not self.uci:
                self.greet("ugiok")
            case ["uci"] if self.uci:
                self.greet("uciok")
            case ["setoption", "name", name, "value", value]:
                self.set_option(name.lower(), value)
            case ["position", *rest]:
                self.set_position(rest)
            case ["go", *rest]:
                self.go(Limits(rest))
            case _:
                # Also `uginewgame`: nothing is kept from game to game.
                self.handle_anywhere(words)

    def handle_anywhere(self, words: list[str]) -> None:
        """Carry out a command that a search does not mind; unknown ones are passed over."""
        match words:
            case ["isready"]:
                self.say("readyok")
            case ["query", *subject] if not self.uci:
                self.answer(" ".join(subject))
            case ["quit"]:
                self.quitting = True

    def greet(self, last: str) -> None:
        self.say("id name Stones 1.0")
        self.say("id author Nobody In Particular")
        self.say("option name Seed type spin default 1 min 0 max 1000000")
        self.say("option name Strength type spin default 2 min 0 max 9")
        self.say("option name Ponder type check default false")
        self.say(last)

    def set_option(self, name: str, value: str) -> None:
        if name == "seed" and value.isdigit():
            self.seed = int(value)
            self.random.seed(self.seed)
        elif name == "strength" and value.isdigit():
            self.strength = min(int(value), 9)

    def set_position(self, words: list[str]) -> None:
        moves = words.index("moves") if "moves" in words else len(words)
        try:
            if words[:1] == ["startpos"]:
                position = Stones()
            elif words[:1] == ["fen"]:
                position = Stones.read(" ".join(words[1:moves]))
            else:
                return
            for move in words[moves + 1 :]:
                position.push(move)
        except ValueError as error:
            self.say(f"info string wrong position: {error}")
            return
        self.position = position

    def answer(self, subject: str) -> None:
        result = self.position.result
        answers = {
            "p1turn": str(self.position.first_moves).lower(),
            "p2turn": str(not self.position.first_moves).lower(),
            "gameover": str(result != "none").lower(),
            "result": result,
            "fen": self.position.text,
        }
        if subject in answers:
            self.say(f"response {answers[subject]}")
        elif self.strict:
            self.say("response unknown")

    # Searching.

    def go(self, limits: Limits) -> None:
        begun = time.monotonic()
        self.stopping = False
        self.is_held = limits.is_infinite or limits.is_pondering
        seconds = limits.seconds(self.position.side)
        self.most_nodes = limits.get("nodes")
        # Pondering has no end; the time counts from the `ponderhit`.
        self.seconds = seconds
        self.end = begun + seconds if seconds is not None and not limits.is_pondering else None
        self.nodes = 0
        # Queries during the search are about the game as it stands.
        self.board = Stones.read(self.position.text)
        moves = self.board.empty()
        self.random.shuffle(moves)
        best = POINTS[moves[0]] if moves else "(none)"
        deepest = min(self.strength, limits.get("depth") or 99)
        if not moves or deepest < 1:
            self.say(f"info depth 0 score cp 0 nodes 1 time 0 pv {best if moves else ''}".rstrip())
        with contextlib.suppress(Stopped):
            for depth in range(1, deepest + 1 if moves else 1):
                score, line = self.search(depth, 0, -WIN, WIN, moves)
                best = line[0]
                self.tell(depth, score, line, begun)
                if abs(score) >= WIN - depth:
                    break
        while self.is_held and not self.stopping:
            self.hear(self.input.wait())
        self.say(f"bestmove {best}")

    def search(
        self, depth: int, ply: int, alpha: int, beta: int, moves: list[int]
    ) -> tuple[int, list[str]]:
        """Give the score for the side to move, and the line of play."""
        self.nodes += 1
        if self.nodes % 32 == 0:
            self.look()
        position = self.board
        if position.winner is not None:
            return ply - WIN, []
        if not moves:
            return 0, []
        if depth == 0:
            return position.value(), []
        best: tuple[int, list[str]] = (-WIN, [])
        for point in moves:
            position.put(point)
            score, line = self.search(depth - 1, ply + 1, -beta, -alpha, position.empty())
            position.take(point)
            if -score > best[0]:
                best = -score, [POINTS[point], *line]
                alpha = max(alpha, -score)
                if alpha >= beta:
                    break
        return best

    def look(self) -> None:
        """Hear what is said, and end the search when that or the limits say so."""
        self.input.poll()
        while self.input.lines and not self.stopping:
            self.hear(self.input.lines.popleft())
        if self.input.is_over:
            self.stopping = True
        is_late = self.end is not None and time.monotonic() >= self.end
        has_all = self.most_nodes is not None and self.nodes >= self.most_nodes
        if self.stopping or is_late or has_all:
            raise Stopped

    def hear(self, line: str | None) -> None:
        """Take a line that came during a search."""
        words = line.split() if line is not None else ["quit"]
        if words[:1] == ["ponderhit"]:
            self.is_held = False
            if self.seconds is not None:
                self.end = time.monotonic() + self.seconds
        elif words[:1] in (["position"], ["go"], ["setoption"]):
            # It stops the search, and is carried out afterwards.
            self.stopping = True
            self.input.lines.appendleft(" ".join(words))
        elif words[:1] in (["stop"], ["quit"]):
            self.stopping = True
            self.quitting = words[0] == "quit"
        else:
            self.handle_anywhere(words)

    def tell(self, depth: int, score: int, line: list[str], begun: float) -> None:
        ms = int((time.monotonic() - begun) * 1000)
        mate = WIN - abs(score)
        text = f"mate {mate if score > 0 else -mate}" if mate < 100 else f"cp {score}"
        self.say(
            f"info depth {depth} score {text} nodes {self.nodes} time {ms} pv {' '.join(line)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strength", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strict", action="store_true", help="answers unknown queries")
    parser.add_argument("--uci", action="store_true", help="speaks UCI alone")
    Engine(parser.parse_args()).run()


if __name__ == "__main__":
    main()
