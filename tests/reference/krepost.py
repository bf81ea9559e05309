"""Krepost, the simple way: squares are pairs of file and rank, stones are sets of squares."""

import re
from collections.abc import Iterator, Mapping

from tests.reference.talisman import read_row, write_row

Square = tuple[int, int]

FILES = "abcdefghijkl"
DIRECTIONS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
OTHER = {"w": "b", "b": "w"}
WIN = {"w": "p1win", "b": "p2win"}
ZONE_DEPTHS = {12: 4, 10: 3, 8: 2}


def square(name: str) -> Square:
    return FILES.index(name[0]), int(name[1:]) - 1


def name(place: Square) -> str:
    return FILES[place[0]] + str(place[1] + 1)


def beyond(place: Square, direction: Square) -> Square:
    return place[0] + direction[0], place[1] + direction[1]


class Board:
    """Squares, zones and fortresses of a game, and which squares are connected."""

    def __init__(self, size: int, fortresses: str) -> None:
        self.size = size
        self.squares = [(file, rank) for rank in range(size) for file in range(size)]
        self.edge = {place for place in self.squares if {0, size - 1} & set(place)}
        depth = ZONE_DEPTHS[size]
        self.zone = {
            "w": {place for place in self.squares if place[1] < depth},
            "b": {place for place in self.squares if place[1] >= size - depth},
        }
        self.fort: dict[str, set[Square]] = {}
        gates = set()
        for side, text in zip("wb", fortresses.split("/"), strict=True):
            lower, upper, gate = text.split(":")
            (left, bottom), (right, top) = square(lower), square(upper)
            self.fort[side] = {
                (file, rank) for file in range(left, right + 1) for rank in range(bottom, top + 1)
            }
            inner = square(gate[:-1])
            gates.add(frozenset((inner, beyond(inner, DIRECTIONS[gate[-1]]))))
        self.near: dict[Square, list[Square]] = {}
        for place in self.squares:
            self.near[place] = []
            for direction in DIRECTIONS.values():
                other = beyond(place, direction)
                if other not in self.squares:
                    continue
                walled = any((place in fort) != (other in fort) for fort in self.fort.values())
                if not walled or frozenset((place, other)) in gates:
                    self.near[place].append(other)


class Krepost:
    """A position. What stood before does not matter in this game."""

    START = "12/12/12/12/12/12/12/12/12/12/12/12 w 48/48/48 a1:c3:b3n/j10:l12:k10s - 0"

    def __init__(self, text: str, options: Mapping[str, str]) -> None:
        rows, self.side, stones, self.fortresses, self.half, quiet = text.split()
        lines = rows.split("/")
        self.board = Board(len(lines), self.fortresses)
        self.on: dict[str, set[Square]] = {"w": set(), "b": set()}
        for rank, line in enumerate(reversed(lines)):
            for file, cell in enumerate(read_row(line)):
                if cell != ".":
                    self.on[cell].add((file, rank))
        white, black, started = stones.split("/")
        self.hand = {"w": int(white), "b": int(black)}
        self.started = int(started)
        number, _, self.winner = quiet.partition("!")
        self.quiet = int(number)
        limit = int(options.get("QuietLimit", "-1"))
        self.limit = limit if limit >= 2 else 200

    def text(self) -> str:
        rows = []
        for rank in reversed(range(self.board.size)):
            row = [self.cell((file, rank)) for file in range(self.board.size)]
            rows.append(write_row(row))
        mark = f"!{self.winner}" if self.winner else ""
        return (
            f"{'/'.join(rows)} {self.side} {self.hand['w']}/{self.hand['b']}/{self.started} "
            f"{self.fortresses} {self.half} {self.quiet}{mark}"
        )

    def cell(self, place: Square) -> str:
        return "w" if place in self.on["w"] else "b" if place in self.on["b"] else "."

    def squads(self, side: str) -> list[set[Square]]:
        left = set(self.on[side])
        found = []
        while left:
            squad = {left.pop()}
            waiting = list(squad)
            while waiting:
                for other in self.board.near[waiting.pop()]:
                    if other in left:
                        left.remove(other)
                        squad.add(other)
                        waiting.append(other)
            found.append(squad)
        return found

    def has_way_out(self, squad: set[Square]) -> bool:
        """Whether some empty square beside a squad has a way to the edge over empty squares."""
        seen = set()
        waiting = list(squad)
        while waiting:
            for other in self.board.near[waiting.pop()]:
                if other not in seen and self.cell(other) == ".":
                    if other in self.board.edge:
                        return True
                    seen.add(other)
                    waiting.append(other)
        return False

    def surrounded(self, side: str) -> list[set[Square]]:
        return [squad for squad in self.squads(side) if not self.has_way_out(squad)]

    def jumps(self, start: Square) -> set[Square]:
        """The squares where a chain of jumps of a stone can stop, its own included."""
        stones = self.on[self.side] - {start}
        seen: set[Square] = set()
        waiting = [start]
        while waiting:
            place = waiting.pop()
            for direction in DIRECTIONS.values():
                over = beyond(place, direction)
                to = beyond(over, direction)
                if over not in stones or over not in self.board.near[place]:
                    continue
                if to not in self.board.near[over] or to in seen:
                    continue
                if to == start or self.cell(to) == ".":
                    seen.add(to)
                    waiting.append(to)
        return seen

    def first_halves(self) -> Iterator[tuple[Square | None, Square]]:
        """Give all settings and movements, as from (None for the hand) and to."""
        if self.hand[self.side]:
            for to in self.board.zone[self.side]:
                if self.cell(to) == ".":
                    yield None, to
        for start in self.on[self.side]:
            goals = {to for to in self.board.near[start] if self.cell(to) == "."}
            for to in (goals | self.jumps(start)) - {start}:
                yield start, to

    def moved(self, start: Square | None, to: Square) -> "Krepost":
        """Give the position after a first half, the same side still at its turn."""
        new = object.__new__(Krepost)
        new.__dict__.update(self.__dict__)
        new.on = {side: set(stones) for side, stones in self.on.items()}
        new.hand = dict(self.hand)
        if start is None:
            new.hand[self.side] -= 1
        else:
            new.on[self.side].remove(start)
        new.on[self.side].add(to)
        return new

    def enters(self, to: Square) -> bool:
        """Whether a stone that arrives wins by it."""
        fort = self.board.fort[OTHER[self.side]]
        return to in fort and not fort & self.on[OTHER[self.side]]

    def legal(self) -> list[str]:
        return sorted(self.turns()) if self.result() == "none" else []

    def turns(self) -> list[str]:
        found = []
        enemy = OTHER[self.side]
        before = self.surrounded(enemy)
        for start, to in self.first_halves():
            token = ("@" if start is None else name(start)) + name(to)
            new = self.moved(start, to)
            due = [squad for squad in before if not new.has_way_out(squad)]
            if not due or self.enters(to):
                found.append(token)
            else:
                found += [f"{token}x{name(prisoner)}" for squad in due for prisoner in squad]
        return found

    def after(self, token: str) -> "Krepost":
        first, _, taken = token.partition("x")
        hit = re.fullmatch(r"(@|[a-l]\d+)([a-l]\d+)", first)
        assert hit
        to = square(hit[2])
        new = self.moved(None if hit[1] == "@" else square(hit[1]), to)
        enemy = OTHER[self.side]
        new.quiet = self.quiet + 1
        new.side = enemy
        if self.enters(to):
            new.winner = self.side
        if taken:
            prisoner = square(taken)
            if {prisoner} in self.squads(enemy):
                new.side = self.side
            new.on[enemy].remove(prisoner)
            new.quiet = 0
            fort = self.board.fort[enemy]
            if prisoner in fort and not fort & new.on[enemy]:
                new.winner = self.side
        return new

    def count(self, side: str) -> float:
        enemy = OTHER[side]
        prisoners = self.started - self.hand[enemy] - len(self.on[enemy])
        return prisoners + self.hand[enemy] + (0.5 if self.half == side else 0)

    def points(self) -> tuple[float, float]:
        return self.count("w"), self.count("b")

    def result(self) -> str:
        if self.winner:
            return WIN[self.winner]
        if next(self.first_halves(), None) is None:
            return WIN[OTHER[self.side]]
        if self.quiet >= self.limit:
            white, black = self.points()
            return "draw" if white == black else WIN["w" if white > black else "b"]
        return "none"
