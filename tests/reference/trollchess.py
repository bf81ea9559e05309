"""Troll chess, the simple way: squares are names, what stands on one is a string of letters.

Everything is worked out from those strings on every call: which groups may leave, and what
becomes of a square where a group arrives.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from tests.reference.talisman import write_row

FILES = "abcdefghij"
SQUARES = [file + str(rank) for rank in range(1, 11) for file in FILES]
STACK_ORDER = "DdSNsn"
OTHER = {"w": "b", "b": "w"}
WORD = 2**64
DARK_CARDS = ("dark", "dark castle", "black goal", *"sndrmp")

AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
CORNERS = [(x, y) for x, y in AROUND if x and y]
TWO_STEPS = AROUND + [(2 * x, 2 * y) for x, y in AROUND]
LEAPS = [(x, y) for x in (-3, -2, 2, 3) for y in (-3, -2, 2, 3) if abs(x) != abs(y)]


def beyond(square: str, step: tuple[int, int]) -> str | None:
    """Give the square a step away, if it is on the board."""
    file = FILES.index(square[0]) + step[0]
    rank = int(square[1:]) + step[1]
    return FILES[file] + str(rank) if 0 <= file < 10 and 1 <= rank <= 10 else None


def stack(letters: str) -> str | None:
    """Put letters in the order of a stack; none when the rules know no such stack."""
    here = set(letters)
    if len(here) != len(letters) or not here <= set(STACK_ORDER) or {"D", "d"} <= here:
        return None
    if ("N" in here and "S" not in here) or ("n" in here and "s" not in here):
        return None
    if not here & {"S", "s"}:
        return None
    return "".join(sorted(letters, key=STACK_ORDER.index))


def may_stand(letters: str) -> bool:
    """Whether a square may hold the letters: nothing, one piece or a stack."""
    return len(letters) <= 1 or stack(letters) is not None


def deal(number: int) -> str:
    """Give the position text of a deal."""
    cards = ["light"] * 30 + ["dark"] * 30 + ["light castle"] * 2 + ["dark castle"] * 2
    cards += ["white goal", "black goal", *"SNDDRRM", *"P" * 10, *"snddrrm", *"p" * 10]
    state = number
    for i in range(99, 0, -1):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        j = (z ^ (z >> 31)) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    on = dict(zip(SQUARES, cards, strict=True))
    board = []
    colours = []
    for rank in range(10, 0, -1):
        row = [on[file + str(rank)] for file in FILES]
        board.append(write_row([card if len(card) == 1 else "." for card in row]))
        dark = [card in DARK_CARDS for card in row]
        bits = "".join(str(int(bit)) for bit in dark)
        colours.append(f"{int(bits, 2):03x}")
    castles = "".join(square for square in SQUARES if on[square].endswith("castle"))
    places = [castles, *(q for g in ("white goal", "black goal") for q in SQUARES if on[q] == g)]
    return f"{'/'.join(board)} w {'/'.join(colours)} {'/'.join(places)} 0/0 - 0"


def read_board(text: str) -> dict[str, str]:
    """Give what stands on each square that is not empty."""
    on = {}
    for rank, row in zip(range(10, 0, -1), text.split("/"), strict=True):
        file = 0
        while row:
            if row[0] == "(":
                letters, _, row = row[1:].partition(")")
                on[FILES[file] + str(rank)] = letters
                file += 1
            elif row[0].isdigit():
                run = row[:2] if row[:2].isdigit() else row[0]
                file += int(run)
                row = row[len(run) :]
            else:
                on[FILES[file] + str(rank)] = row[0]
                file += 1
                row = row[1:]
        assert file == 10
    return on


def split_squares(text: str) -> list[str]:
    """Split squares that are written without anything between them."""
    for file in FILES:
        text = text.replace(file, " " + file)
    return text.split()


class Trollchess:
    """A position and the standings before it."""

    START = deal(1)

    def __init__(self, text: str, options: Mapping[str, str]) -> None:
        board, self.side, self.colours, self.places, visited, resting, quiet = text.split()
        self.on = read_board(board)
        self.dark = {
            file + str(10 - i): bool(int(row, 16) >> (9 - j) & 1)
            for i, row in enumerate(self.colours.split("/"))
            for j, file in enumerate(FILES)
        }
        castles, white_goal, black_goal = self.places.split("/")
        self.castles = split_squares(castles)
        self.goal = {"w": white_goal, "b": black_goal}
        self.visited = {
            side: {castle for i, castle in enumerate(self.castles) if int(digit, 16) >> i & 1}
            for side, digit in zip("wb", visited.split("/"), strict=True)
        }
        entries = [] if resting == "-" else resting.split(",")
        self.rest = {entry.split(":")[0]: int(entry.split(":")[1]) for entry in entries}
        self.quiet = int(quiet)
        limit = int(options.get("QuietLimit", "-1"))
        self.limit = 100 if limit < 0 else limit
        self.stood = Counter([self.standing()])

    def text(self) -> str:
        return f"{self.standing()} {self.quiet}"

    def standing(self) -> str:
        rows = []
        for rank in range(10, 0, -1):
            cells = [self.on.get(file + str(rank), ".") for file in FILES]
            text = ""
            empty = 0
            for cell in [*cells, ""]:
                if cell == ".":
                    empty += 1
                    continue
                text += str(empty or "")
                empty = 0
                text += cell if len(cell) < 2 else f"({cell})"
            rows.append(text)
        visited = [
            sum(1 << i for i, castle in enumerate(self.castles) if castle in self.visited[side])
            for side in "wb"
        ]
        resting = [f"{square}:{self.rest[square]}" for square in SQUARES if square in self.rest]
        return (
            f"{'/'.join(rows)} {self.side} {self.colours} {self.places} "
            f"{visited[0]:x}/{visited[1]:x} {','.join(resting) or '-'}"
        )

    def own(self, letters: str) -> str:
        """Give those of the letters that are pieces of the side to move, as capitals."""
        return "".join(x.upper() for x in letters if x.isupper() == (self.side == "w"))

    def enemy(self, letters: str) -> str:
        """Give those of the letters that are the other side's pieces, as capitals."""
        return "".join(x.upper() for x in letters if x.isupper() != (self.side == "w"))

    def groups(self, square: str) -> Iterator[tuple[str, str]]:
        """Give the groups that may leave a square, each with the letters of its token."""
        here = self.on[square]
        resting = square in self.rest
        if len(here) == 1:
            if self.own(here) and not resting:
                yield "", here
            return
        mine = str.upper if self.side == "w" else str.lower
        for letters in ("S", "N", "SN"):
            group = mine(letters)
            if all(letter in here for letter in group):
                left = "".join(letter for letter in here if letter not in group)
                if may_stand(left):
                    yield letters, group
        dragon = here[0]
        if dragon in "Dd" and not resting and (self.own(dragon) or mine("S") in here):
            yield "D", here

    def reach(self, square: str, group: str) -> Iterator[str]:
        """Give the squares that a group may go to by its way of moving, whatever is there."""
        letters = group.upper()
        if letters in ("R", "M"):
            for step in CORNERS if letters == "R" else AROUND:
                to = beyond(square, step)
                while to:
                    yield to
                    to = None if to in self.on else beyond(to, step)
            return
        if "D" in letters:
            steps = LEAPS
        elif "N" in letters:
            steps = TWO_STEPS
        elif letters == "S":
            steps = AROUND
        else:
            for step in ((0, 1), (0, -1)):
                to = beyond(square, step)
                if to and to not in self.on:
                    yield to
            for step in CORNERS:
                to = beyond(square, step)
                if to and self.on.get(to) and not self.own(self.on[to]):
                    yield to
            return
        for step in steps:
            to = beyond(square, step)
            if to:
                yield to

    def arrivals(self, group: str, to: str) -> Iterator[tuple[str, str, str]]:
        """Give what may happen where a group arrives.

        Each is the mark at the token's end, the letters that stand there afterwards, and the
        letters of the square that die.
        """
        there = self.on.get(to, "")
        if not there:
            yield "", group, ""
            return
        own_group, own_there, enemy_there = self.own(group), self.own(there), self.enemy(there)
        together = stack(group + there)
        with_wanderer = "S" in own_group and (
            "N" in own_there or "D" in there.upper() or "S" in enemy_there
        )
        to_wanderer = own_group in ("N", "D") and "S" in own_there
        joins = together is not None and (with_wanderer or to_wanderer)
        mounts = enemy_there == "D" and not own_there and "D" not in group.upper() and joins
        if joins and together is not None and not mounts:
            yield "", together, ""
        if mounts and together is not None:
            yield "^", together, ""
        if own_there or (joins and not mounts):
            return
        if "S" in enemy_there:
            if "S" in own_group:
                return
            mercenary = "n" if self.side == "w" else "N"
            if mercenary in there:
                yield "", there.replace(mercenary, ""), mercenary
            elif self.dark[to] != (self.side == "w"):
                yield "", group, there
            return
        yield "", group, there

    def turns(self) -> dict[str, tuple[str, str, str, str, str]]:
        """Give each legal token with from, to, group, what then stands there, and who dies."""
        found = {}
        for square in list(self.on):
            for letters, group in self.groups(square):
                for to in self.reach(square, group):
                    for mark, after, dead in self.arrivals(group, to):
                        found[letters + square + to + mark] = (square, to, group, after, dead)
        return found or {"pass": ("", "", "", "", "")}

    def legal(self) -> list[str]:
        return sorted(self.turns()) if self.result() == "none" else []

    def after(self, token: str) -> "Trollchess":
        square, to, group, after, dead = self.turns()[token]
        new = object.__new__(Trollchess)
        new.colours, new.places, new.dark = self.colours, self.places, self.dark
        new.castles, new.goal, new.limit = self.castles, self.goal, self.limit
        new.on = dict(self.on)
        new.visited = {side: set(castles) for side, castles in self.visited.items()}
        new.rest = {place: turns - 1 for place, turns in self.rest.items() if turns > 1}
        new.quiet = self.quiet + 1
        new.side = OTHER[self.side]
        if group:
            left = "".join(letter for letter in self.on[square] if letter not in group)
            del new.on[square]
            if left:
                new.on[square] = left
            new.on[to] = after
            if dead:
                new.quiet = 0
                if set(dead) & {"D", "d"}:
                    new.rest.pop(to, None)
            if "D" in group.upper() and len(group) > 1:
                new.rest[to] = 2 * (len(group) - 1)
            for side, wanderer in (("w", "S"), ("b", "s")):
                if wanderer in group and to in self.castles and to not in self.visited[side]:
                    new.visited[side].add(to)
                    new.quiet = 0
        new.stood = self.stood + Counter([new.standing()])
        return new

    def points(self) -> tuple[float, float]:
        return len(self.visited["w"]), len(self.visited["b"])

    def result(self) -> str:
        for side, wanderer, win in (("w", "S", "p1win"), ("b", "s", "p2win")):
            if len(self.visited[side]) == 4 and wanderer in self.on.get(self.goal[side], ""):
                return win
        if not any(set(here) & {"S", "s"} for here in self.on.values()):
            return "draw"
        if self.stood[self.standing()] >= 3 or 0 < self.limit <= self.quiet:
            return "draw"
        return "none"
