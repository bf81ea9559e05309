"""Jarmo and Jasir, the simple way: holes are names, positions are dictionaries."""

from collections import Counter
from collections.abc import Mapping

from tests.reference.talisman import read_row, write_row

HOUSE = (
    "a1a2 b1a2 b1b2 c1b2 d1c2 e1d2 e1e2 a2a3 a2b3 b2c2 b2c3 c2c3 d2c3 e2d3 e2e3 a3a4 b3a4 "
    "b3b4 c3b4 c3c4 c3d4 d3d4 d3e3 e3d4 e3e4 a4a5 a4b4 a4b5 b4b5 b4c5 c4d4 c4d5 d4e5 e4e5"
)
RANKS = "54321"
FIRST_ROW = {"w": "1", "b": "5"}
OTHER = {"w": "b", "b": "w"}


class Jarmo:
    """A position and the standings before it."""

    START = "bbbbb/5/5/5/wwwww w 0/0 -/- 0"
    BACKWARD = True

    def __init__(self, text: str, options: Mapping[str, str]) -> None:
        board, self.side, rights, shuttle, quiet = text.split()
        self.on = {
            file + rank: cell
            for rank, row in zip(RANKS, board.split("/"), strict=True)
            for file, cell in zip("abcde", read_row(row), strict=True)
        }
        self.rights = dict(zip("wb", map(int, rights.split("/")), strict=True))
        self.shuttle = dict(zip("wb", shuttle.split("/"), strict=True))
        self.quiet = int(quiet)
        limit = int(options.get("QuietLimit", "-1"))
        self.limit = 60 if limit < 0 else limit
        lines = options.get("Board", "house")
        self.lines = [
            (line[:2], line[2:]) for line in (HOUSE if lines == "house" else lines).split()
        ]
        self.stood = Counter([self.standing()])

    def text(self) -> str:
        return f"{self.standing()} {self.quiet}"

    def standing(self) -> str:
        board = "/".join(write_row([self.on[file + rank] for file in "abcde"]) for rank in RANKS)
        return (
            f"{board} {self.side} {self.rights['w']}/{self.rights['b']} "
            f"{self.shuttle['w']}/{self.shuttle['b']}"
        )

    def archers(self, side: str) -> list[str]:
        return [hole for hole, cell in self.on.items() if cell.lower() == side]

    def at_home(self, side: str) -> list[str]:
        """Holes of a side's archers that stand on the enemy's first row."""
        return [hole for hole in self.archers(side) if hole[1] == FIRST_ROW[OTHER[side]]]

    def steps(self) -> list[tuple[str, str]]:
        """List from and to of every move of an archer, returns left aside."""
        last, _, count = self.shuttle[self.side].partition(":")
        stay = self.at_home(self.side)
        found = []
        for line in self.lines:
            for start, to in (line, line[::-1]):
                if self.on[start].lower() != self.side or start in stay:
                    continue
                if self.on[to].lower() == self.side:
                    continue
                climb = int(to[1]) - int(start[1])
                if not self.BACKWARD and (climb if self.side == "w" else -climb) < 0:
                    continue
                if count == "3" and to + start == last:
                    continue
                found.append((start, to))
        return found

    def moved(self, start: str, to: str) -> "Jarmo":
        """Give the position after a move of one archer, the other side not yet to move."""
        new = object.__new__(type(self))
        new.on, new.rights, new.shuttle = dict(self.on), dict(self.rights), dict(self.shuttle)
        new.limit, new.lines, new.side = self.limit, self.lines, self.side
        side = self.side
        archer = self.on[start]
        captures = self.on[to] != "."
        if captures:
            archer = archer.upper()
        new.on[start], new.on[to] = ".", archer
        arrives = to[1] == FIRST_ROW[OTHER[side]]
        captured = 5 - len(new.archers(side))
        if arrives and archer.isupper() and captured > self.rights[side]:
            new.rights[side] += 1
        new.quiet = 0 if captures or arrives else self.quiet + 1
        last, _, count = self.shuttle[side].partition(":")
        number = int(count) + 1 if last == to + start else 1
        new.shuttle[side] = f"{start}{to}:{number}"
        new.stood = self.stood
        return new

    def legal(self) -> list[str]:
        return sorted(self.turns()) if self.result() == "none" else []

    def turns(self) -> list[str]:
        found = []
        for start, to in self.steps():
            found.append(start + to)
            new = self.moved(start, to)
            if new.rights[self.side]:
                row = FIRST_ROW[self.side]
                found += [
                    f"{start}{to}+{hole}"
                    for hole, cell in new.on.items()
                    if cell == "." and hole[1] == row
                ]
        return found

    def after(self, token: str) -> "Jarmo":
        move, _, back = token.partition("+")
        new = self.moved(move[:2], move[2:])
        if back:
            new.on[back] = self.side
            new.rights[self.side] -= 1
            new.quiet = 0
        new.side = OTHER[self.side]
        new.stood = self.stood + Counter([new.standing()])
        return new

    def points(self) -> tuple[float, float]:
        white, black = (len(self.archers(side)) + len(self.at_home(side)) for side in "wb")
        return white, black

    def result(self) -> str:
        white, black = self.points()
        done = any(len(self.at_home(side)) == len(self.archers(side)) for side in "wb")
        if done or not self.steps():
            return "draw" if white == black else "p1win" if white > black else "p2win"
        if self.stood[self.standing()] >= 3 or 0 < self.limit <= self.quiet:
            return "draw"
        return "none"


class Jasir(Jarmo):
    """Jarmo in which no archer goes back."""

    BACKWARD = False
