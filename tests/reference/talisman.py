"""Talisman, the simple way: points are letters, positions are dictionaries.

A point's place is its row and how far to the right it is drawn, in half steps, so that
the six neighbours of a point are the same six differences everywhere.
"""

from collections import Counter
from collections.abc import Mapping

ROWS = ("abc", "defg", "hijkl", "mnop", "qrs")
EDGE = "abcdghlmpqrs"
PLACE = {
    name: (row, abs(2 - row) + 2 * column)
    for row, names in enumerate(ROWS)
    for column, name in enumerate(names)
}
NAME = {place: name for name, place in PLACE.items()}
DIRECTIONS = ((0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))
BANDS = (
    "ADE ABE BEF BCF CFG",
    "DHI DEI EIJ EFJ FJK FGK GKL",
    "HIM IMN IJN JNO JKO KOP KLP",
    "MNQ NQR NOR ORS OPS",
)
TRIANGLES = tuple(tuple(band.lower().split()) for band in BANDS)
ALL_TRIANGLES = tuple(triangle for band in TRIANGLES for triangle in band)
OTHER = {"w": "b", "b": "w"}


def beyond(point: str, direction: tuple[int, int], steps: int = 1) -> str | None:
    """Give the point some steps away, if the board goes so far."""
    row, across = PLACE[point]
    return NAME.get((row + steps * direction[0], across + steps * direction[1]))


def find_big_triangles() -> list[frozenset[str]]:
    """List the big triangles, each as the elementary triangles that it consists of."""
    found = []
    for corner in PLACE:
        for one, two in (((1, -1), (1, 1)), ((0, 2), (1, 1))):
            middle = beyond(corner, one)
            names = [
                corner,
                middle,
                beyond(corner, two),
                beyond(corner, one, 2),
                beyond(corner, two, 2),
                beyond(middle, two) if middle else None,
            ]
            inside = {name for name in names if name}
            if len(inside) == 6:
                found.append(frozenset(t for t in ALL_TRIANGLES if set(t) <= inside))
    return found


BIG_TRIANGLES = find_big_triangles()


def read_row(row: str) -> list[str]:
    """Give the letter of each cell of a row, `.` for an empty one."""
    cells = ""
    number = ""
    for letter in row + " ":
        if letter.isdigit():
            number += letter
            continue
        cells += "." * int(number or 0) + letter
        number = ""
    return list(cells.strip())


def write_row(cells: list[str]) -> str:
    """Write a row, empty cells as numbers."""
    text = "".join(cells)
    for length in range(len(cells), 0, -1):
        text = text.replace("." * length, str(length))
    return text


class Talisman:
    """A position and the standings before it."""

    START = "3/4/5/4/3 w 5/7/7/5 0/0 0"

    def __init__(self, text: str, options: Mapping[str, str]) -> None:
        points, self.side, triangles, taken, quiet = text.split()
        self.on = {
            name: cell
            for row, names in zip(points.split("/"), ROWS, strict=True)
            for name, cell in zip(names, read_row(row), strict=True)
        }
        self.owner = {
            name: cell
            for row, names in zip(triangles.split("/"), TRIANGLES, strict=True)
            for name, cell in zip(names, read_row(row), strict=True)
        }
        white, black = taken.split("/")
        self.taken = {"w": int(white), "b": int(black)}
        self.quiet = int(quiet)
        limit = int(options.get("QuietLimit", "-1"))
        self.limit = 60 if limit < 0 else limit
        self.stood = Counter([self.standing()])

    def text(self) -> str:
        return f"{self.standing()} {self.quiet}"

    def standing(self) -> str:
        points = "/".join(write_row([self.on[name] for name in row]) for row in ROWS)
        owners = "/".join(write_row([self.owner[name] for name in band]) for band in TRIANGLES)
        return f"{points} {self.side} {owners} {self.taken['w']}/{self.taken['b']}"

    def setting(self) -> bool:
        return sum(cell != "." for cell in self.on.values()) < 12

    def moves(self) -> dict[str, str]:
        """Give each token that the rules of moving allow, with the points it turns over."""
        if self.setting():
            return {name: "" for name in EDGE if self.on[name] == "."}
        found = {}
        for name, cell in self.on.items():
            if cell != self.side:
                continue
            for direction in DIRECTIONS:
                run = ""
                to = beyond(name, direction)
                while to and self.on[to] == OTHER[self.side]:
                    run += to
                    to = beyond(to, direction)
                if to and self.on[to] == ".":
                    found[name + to] = run
        return found

    def legal(self) -> list[str]:
        return sorted(self.moves()) if self.result() == "none" else []

    def after(self, token: str) -> "Talisman":
        run = self.moves()[token]
        new = object.__new__(Talisman)
        new.on, new.owner, new.taken = dict(self.on), dict(self.owner), dict(self.taken)
        new.limit = self.limit
        if len(token) == 2:
            new.on[token[0]] = "."
        for name in token[-1] + run:
            new.on[name] = self.side
        new.taken[self.side] += len(run)
        for triangle, owner in self.owner.items():
            if owner == "." and all(new.on[name] == self.side for name in triangle):
                new.owner[triangle] = self.side
        scored = new.points() != self.points()
        new.quiet = 0 if scored or self.setting() else self.quiet + 1
        new.side = OTHER[self.side]
        new.stood = self.stood + Counter([new.standing()])
        return new

    def bigs(self, side: str) -> int:
        return sum(all(self.owner[t] == side for t in big) for big in BIG_TRIANGLES)

    def score(self, side: str) -> int:
        triangles = sum(owner == side for owner in self.owner.values())
        return self.taken[side] + 5 * triangles + 20 * self.bigs(side)

    def points(self) -> tuple[float, float]:
        return self.score("w"), self.score("b")

    def cannot_be_caught(self, side: str) -> bool:
        other = OTHER[side]
        unowned = sum(owner == "." for owner in self.owner.values())
        possible = sum(all(self.owner[t] != side for t in big) for big in BIG_TRIANGLES)
        pieces = sum(cell == side for cell in self.on.values())
        most = self.score(other) + 5 * unowned + 20 * (possible - self.bigs(other)) + pieces
        return self.score(side) > most

    def result(self) -> str:
        win = {"w": "p1win", "b": "p2win"}
        if self.setting():
            return "none"
        if not self.moves():
            return win[OTHER[self.side]]
        for side in "wb":
            if self.cannot_be_caught(side):
                return win[side]
        if self.stood[self.standing()] >= 3 or 0 < self.limit <= self.quiet:
            white, black = self.points()
            return "draw" if white == black else win["w" if white > black else "b"]
        return "none"
