"""What can stand on a square, and what becomes of it: groups leaving, joins, attacks.

The whole table of joining and attacking is the function `arrival`; generation and making
of moves read the tables that are made from it here. Contents are strings of letters here,
capitals for White, in the order of a stack's letters; their numbers are their places in
`CONTENTS`.
"""

from itertools import product
from typing import NamedTuple

from kibitz.engine.trollchess import layout

LETTERS = ("SNDRMP", "sndrmp")
STACK_ORDER = "DdSNsn"

_PAIRS = ("SN", "sn")
_RIDERS = [
    white + black for white, black in product(("", "S", "SN"), ("", "s", "sn")) if white or black
]
CONTENTS = (
    "",
    *LETTERS[0],
    *LETTERS[1],
    *_PAIRS,
    *(riders for riders in _RIDERS if "S" in riders and "s" in riders),
    *(dragon + riders for dragon, riders in product("Dd", _RIDERS)),
)
NUMBER_OF = {letters: number for number, letters in enumerate(CONTENTS)}
assert len(CONTENTS) == layout.CONTENTS

GROUP_LETTERS = ("", "S", "N", "SN", "D")
"""The letters of a token for each kind of group."""


class Arrival(NamedTuple):
    """What a group does to a square where it arrives.

    `after` stands there then; `dead` are the letters of the square that die, and `spent`
    tells that the attacker dies with them. An attack that `kills` a Wanderer is possible only on a
    square that is not the Wanderer's own colour. `mounts` tells that a Wanderer may, instead
    of this attack, mount the Dragon.
    """

    after: str
    dead: str = ""
    spent: bool = False
    kills: bool = False
    mounts: bool = False


def arrival(side: int, group: str, there: str) -> Arrival | None:
    """Give what happens when a side moves a group to where `there` stands, None for nothing.

    This is the rule page's table of joining and attacking.
    """
    wanderer, mercenary, dragon = list(LETTERS[side][:3])
    enemy_wanderer, enemy_mercenary, enemy_dragon = list(LETTERS[side ^ 1][:3])
    own_there = any(letter in LETTERS[side] for letter in there)
    if not there:
        return Arrival(after=group)

    # Join.
    together = joined(group, there)
    if wanderer in group:
        meets = {mercenary, dragon, enemy_dragon, enemy_wanderer} & set(there)
    elif group == mercenary or dragon in group:
        meets = {wanderer} & set(there)
    else:
        meets = set()
    joins = together is not None and bool(meets)
    mounts = joins and there == enemy_dragon
    if joins and not mounts:
        return Arrival(after=together or "")

    # Attack.
    if own_there:
        return None
    if enemy_wanderer in there:
        if wanderer in group:
            return None
        if enemy_mercenary in there:
            left = there.replace(enemy_mercenary, "")
            return Arrival(after=left, dead=enemy_mercenary, spent=True)
        return Arrival(after=group, dead=there, kills=True)
    return Arrival(after=group, dead=there, mounts=mounts)


def joined(group: str, there: str) -> str | None:
    """Give the stack that a group and a square's content make, None when there is none."""
    together = "".join(letter for letter in STACK_ORDER if letter in group + there)
    whole = len(together) == len(group) + len(there) and len(together) > 1
    return together if whole and together in NUMBER_OF else None


def group_of(side: int, kind: int, content: str) -> str | None:
    """Give the letters of a kind of group that a side may move out of a content, or None.

    Whether a Dragon rests is not known here.
    """
    wanderer, _, dragon = list(LETTERS[side][:3])
    if kind == layout.ALONE:
        return content if len(content) == 1 and content in LETTERS[side] else None
    if len(content) < 2:
        return None
    if kind == layout.GROUP_D:
        ridden = content[0] in "Dd" and wanderer in content
        return content if dragon in content or ridden else None
    group = GROUP_LETTERS[kind]
    if side:
        group = group.lower()
    if any(letter not in content for letter in group):
        return None
    return group if left_by(group, content) in NUMBER_OF else None


def left_by(group: str, content: str) -> str:
    """Give what stays behind when a group leaves."""
    return "".join(letter for letter in content if letter not in group)


def _arrival_table() -> list[int]:
    """Give arrivals at [SIDE_STRIDE * side + STRIDE * group + content], 0 where there is none."""
    table = [0] * (2 * layout.SIDE_STRIDE)
    for side in range(2):
        for group, there in product(CONTENTS[1:], CONTENTS):
            # A letter that moves is not where it arrives; Dragons and others are there twice.
            if any(letter in "SNsn" and letter in there for letter in group):
                continue
            found = arrival(side, group, there)
            if found is not None:
                table[
                    layout.SIDE_STRIDE * side + layout.STRIDE * NUMBER_OF[group] + NUMBER_OF[there]
                ] = (
                    NUMBER_OF[found.after]
                    | (layout.TAKES if found.dead else 0)
                    | (layout.SPENDS if found.spent else 0)
                    | (layout.KILLS if found.kills else 0)
                    | (layout.MOUNTS if found.mounts else 0)
                )
    return table


def _joined_table() -> list[int]:
    """Give joined contents at [STRIDE * group + content], 0 where there is none."""
    table = [0] * layout.SIDE_STRIDE
    for group, there in product(CONTENTS, CONTENTS):
        table[layout.STRIDE * NUMBER_OF[group] + NUMBER_OF[there]] = NUMBER_OF[
            joined(group, there) or ""
        ]
    return table


def _group_table() -> list[int]:
    """Give groups at [STRIDE * (KINDS * side + kind) + content], 0 where there is none."""
    table = [0] * (2 * layout.KINDS * layout.STRIDE)
    for side, kind, content in product(range(2), range(layout.KINDS), CONTENTS):
        place = layout.STRIDE * (layout.KINDS * side + kind) + NUMBER_OF[content]
        table[place] = NUMBER_OF[group_of(side, kind, content) or ""]
    return table


def _left_table() -> list[int]:
    """Give what stays at [STRIDE * group + content], 0 also where the group is not there."""
    table = [0] * layout.SIDE_STRIDE
    for group, content in product(CONTENTS[1:], CONTENTS):
        left = left_by(group, content)
        if len(left) + len(group) == len(content) and left in NUMBER_OF:
            table[layout.STRIDE * NUMBER_OF[group] + NUMBER_OF[content]] = NUMBER_OF[left]
    return table


def _padded(numbers: list[int]) -> list[int]:
    return numbers + [0] * (layout.STRIDE - len(numbers))


def _seats(letters: str) -> int:
    """Give a word with 1 in the seat of each Wanderer and Mercenary among the letters."""
    return sum(1 << (layout.SEAT_BITS * i) for i, letter in enumerate("SsNn") if letter in letters)


ARRIVALS = _arrival_table()
JOINED = _joined_table()
GROUPS = _group_table()
LEFT = _left_table()
# For each content: bit 0 when White has a piece there, bit 1 when Black has.
OWNERS = _padded(
    [int(any(map(str.isupper, c))) + 2 * int(any(map(str.islower, c))) for c in CONTENTS]
)
# For each content: its Wanderers, and its Wanderers and Mercenaries, in their seats.
SEATS = _padded([_seats(c) for c in CONTENTS])
# For each content with a Dragon: 1 and the number of riders.
RIDERS = _padded([len(c) if "D" in c.upper() else 0 for c in CONTENTS])
