"""Troll chess positions for tests: placed by hand, and made at random with many stacks."""

import random

FILES = "abcdefghij"
SQUARES = [file + str(rank) for rank in range(1, 11) for file in FILES]

# The ground of deal 1; castles a2 (dark), b2, i3 (light), i4 (dark), goals h10 and j10.
GROUND = "0db/327/37c/3c2/0ba/0cc/12a/181/25b/390 a2b2i3i4/h10/j10"

_STACK_ORDER = "DdSNsn"


def place(
    pieces: str, side: str = "w", visited: str = "0/0", resting: str = "-", quiet: int = 0
) -> str:
    """Give the text of a position on the ground of deal 1, from `d4=DS a9=p` and so on."""
    on = dict(piece.split("=") for piece in pieces.split())
    return f"{board_text(on)} {side} {GROUND} {visited} {resting} {quiet}"


def board_text(on: dict[str, str]) -> str:
    """Write the board field from what stands on each square."""
    rows = []
    for rank in range(10, 0, -1):
        row = ""
        empty = 0
        for file in FILES:
            letters = on.get(file + str(rank), "")
            if letters:
                row += str(empty or "") + (letters if len(letters) == 1 else f"({letters})")
                empty = 0
            else:
                empty += 1
        rows.append(row + str(empty or ""))
    return "/".join(rows)


def rich_text(chance: random.Random) -> str:
    """Make a position with riders, meetings, resting Dragons and attackers close together."""
    squares = SQUARES[:]
    chance.shuffle(squares)
    dark = set(squares[:50])
    lights = [square for square in squares if square not in dark]
    darks = squares[:50]
    castles = sorted(lights[:2] + darks[:2], key=SQUARES.index)

    centre = chance.choice(SQUARES)
    near = sorted(SQUARES, key=lambda square: _distance(square, centre) + 2 * chance.random())
    free = near[: chance.choice((16, 25, 40, 100))]
    chance.shuffle(free)
    on = dict(zip(free, _units(chance), strict=False))
    resting = [
        f"{square}:{chance.randint(1, 8)}"
        for square in SQUARES
        if "D" in on.get(square, "").upper() and chance.random() < 0.35
    ]
    colours = [
        f"{sum((FILES[9 - bit] + str(rank) in dark) << bit for bit in range(10)):03x}"
        for rank in range(10, 0, -1)
    ]
    visits = [chance.choice((chance.randrange(16), 7, 14, 15)) for _ in "wb"]
    # Not both on their goals with everything visited.
    if on.get(lights[2], "").count("S") and on.get(darks[2], "").count("s"):
        visits[1] = 0
    return (
        f"{board_text(on)} {chance.choice('wb')} {'/'.join(colours)} "
        f"{''.join(castles)}/{lights[2]}/{darks[2]} {visits[0]:x}/{visits[1]:x} "
        f"{','.join(resting) or '-'} {chance.choice((0, 5, 98))}"
    )


def _distance(one: str, other: str) -> int:
    across = abs(FILES.index(one[0]) - FILES.index(other[0]))
    return max(across, abs(int(one[1:]) - int(other[1:])))


def _units(chance: random.Random) -> list[str]:
    """Make the pieces and stacks of a position."""
    wanderers = [letter for letter in "Ss" if chance.random() < 0.93]
    dragons = [letter for letter in "DDdd" if chance.random() < 0.8]
    mercenaries = [letter for letter in "Nn" if chance.random() < 0.8]
    seats = ["Ss"] if len(wanderers) == 2 and chance.random() < 0.4 else wanderers
    units = []
    for seat in seats:
        stack = seat
        for wanderer, mercenary in ("SN", "sn"):
            if wanderer in stack and mercenary in mercenaries and chance.random() < 0.6:
                stack += mercenary
                mercenaries.remove(mercenary)
        if dragons and chance.random() < 0.55:
            stack += dragons.pop(chance.randrange(len(dragons)))
        units.append("".join(sorted(stack, key=_STACK_ORDER.index)))
    units += dragons + mercenaries
    units += [letter for letter in "RRrrMm" if chance.random() < 0.6]
    units += ["P"] * chance.randrange(5) + ["p"] * chance.randrange(5)
    chance.shuffle(units)
    return units
