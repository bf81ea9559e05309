"""Lists of Krepost moves: settings, steps, jumps, and the prisoners that go with them.

Compiled; the C types are in `turns.pxd`. Without a due capture the lists are made from whole
sets. With one, a stone that leaves its square may open a way for a surrounded squad, so each
move has prisoners of its own: `openers` are the few stones that may do so, and only for
their moves is the surrounding looked at again.
"""

from kibitz.engine import bits
from kibitz.engine.krepost import field, layout
from kibitz.engine.krepost.field import KrepostField


def add_moves(position: KrepostField, first: int) -> int:
    """Write all legal moves of an ongoing position to `moves[first:]`; return their end."""
    us = position.side
    field.survey(position)
    field.chart_jumps(position, us)
    count = find_due(position)
    if count:
        return add_captures(position, first, count)
    n = first
    if position.hand[us]:
        for word in range(3):
            squares = position.zone[3 * us + word] & position.empty[word]
            while squares:
                to = 64 * word + bits.lowest(squares)
                squares &= squares - 1
                position.moves[n] = to * layout.BOTH_UNITS + layout.SETTING
                n += 1
    e0, e1, e2 = position.empty[0], position.empty[1], position.empty[2]
    return add_jumps(position, add_steps(position, n, e0, e1, e2))


def find_due(position: KrepostField) -> int:
    """Set `due` and `prisoners` to what may be taken now; return how many stones that is."""
    them = 3 * (position.side ^ 1)
    count = 0
    for word in range(3):
        squares = position.caught[them + word]
        position.due[word] = squares
        while squares:
            square = 64 * word + bits.lowest(squares)
            squares &= squares - 1
            position.prisoners[count] = (square + 1) << layout.PRISONER_SHIFT
            count += 1
    return count


def add_steps(position: KrepostField, n: int, e0: int, e1: int, e2: int) -> int:
    """Write the steps to squares of a set of empty ones, without prisoners."""
    us = 3 * position.side
    s0, s1, s2 = position.stones[us], position.stones[us + 1], position.stones[us + 2]
    east0, east1, east2 = position.east[0], position.east[1], position.east[2]
    n0, n1, n2 = position.north[0], position.north[1], position.north[2]
    n = add_hits(position, n, ((s0 & east0) << 1) & e0, 0, -1)
    n = add_hits(position, n, ((s1 & east1) << 1) & e1, 64, -1)
    n = add_hits(position, n, ((s2 & east2) << 1) & e2, 128, -1)
    n = add_hits(position, n, (s0 >> 1) & east0 & e0, 0, 1)
    n = add_hits(position, n, (s1 >> 1) & east1 & e1, 64, 1)
    n = add_hits(position, n, (s2 >> 1) & east2 & e2, 128, 1)
    n = add_hits(position, n, ((s0 & n0 & layout.LOWER_RANKS) << 16) & e0, 0, -16)
    n = add_hits(
        position, n, (((s1 & n1 & layout.LOWER_RANKS) << 16) | ((s0 & n0) >> 48)) & e1, 64, -16
    )
    n = add_hits(
        position, n, (((s2 & n2 & layout.LOWER_RANKS) << 16) | ((s1 & n1) >> 48)) & e2, 128, -16
    )
    n = add_hits(position, n, ((s0 >> 16) | (s1 << 48)) & n0 & e0, 0, 16)
    n = add_hits(position, n, ((s1 >> 16) | (s2 << 48)) & n1 & e1, 64, 16)
    return add_hits(position, n, (s2 >> 16) & n2 & e2, 128, 16)


def add_hits(position: KrepostField, n: int, hits: int, base: int, back: int) -> int:
    """Write a move to each square of a word, from the square `back` squares further."""
    shift = base * layout.BOTH_UNITS + back * layout.FROM_UNIT
    while hits:
        position.moves[n] = bits.lowest(hits) * layout.BOTH_UNITS + shift
        hits &= hits - 1
        n += 1
    return n


def add_jumps(position: KrepostField, n: int) -> int:
    """Write the moves by chains of jumps, without prisoners."""
    for word in range(3):
        jumpers = position.jumpers[word]
        while jumpers:
            start = 64 * word + bits.lowest(jumpers)
            jumpers &= jumpers - 1
            count = follow_jumps(position, start, 0)
            for i in range(count):
                position.moves[n] = position.targets[i] + (start << layout.FROM_SHIFT)
                n += 1
    return n


def follow_jumps(position: KrepostField, start: int, count: int) -> int:
    """Add to the `count` targets the squares that a stone can jump to; return the new count.

    The stone has left its square, so it does not jump over itself further on.
    """
    one = 1
    square = start
    place = count
    seen0, seen1, seen2 = 0, 0, 0
    while True:
        word = square >> 6
        bit = one << (square & 63)
        for i in range(4):
            if position.jumps[3 * i + word] & bit:
                step = 1 if i == 0 else -1 if i == 1 else 16 if i == 2 else -16
                to = square + 2 * step
                if square + step == start:
                    continue
                there = one << (to & 63)
                if to < 64:
                    if seen0 & there:
                        continue
                    seen0 |= there
                elif to < 128:
                    if seen1 & there:
                        continue
                    seen1 |= there
                else:
                    if seen2 & there:
                        continue
                    seen2 |= there
                position.targets[count] = to
                count += 1
        if place == count:
            return count
        square = position.targets[place]
        place += 1


def add_captures(position: KrepostField, first: int, due: int) -> int:
    """Write all legal moves where `due` enemy stones may be taken."""
    us = position.side
    n = first
    if position.hand[us]:
        for word in range(3):
            squares = position.zone[3 * us + word] & position.empty[word]
            while squares:
                to = 64 * word + bits.lowest(squares)
                squares &= squares - 1
                for i in range(due):
                    position.moves[n] = (
                        to * layout.BOTH_UNITS + layout.SETTING + position.prisoners[i]
                    )
                    n += 1
    find_openers(position)
    open_fort = fort_is_empty(position, us ^ 1)
    for word in range(3):
        stones = position.stones[3 * us + word]
        while stones:
            bit = stones & -stones
            start = 64 * word + bits.lowest(stones)
            stones ^= bit
            count = find_steps(position, start)
            if position.jumpers[word] & bit:
                count = follow_jumps(position, start, count)
            opens = (position.openers[word] & bit) != 0
            for i in range(count):
                to = position.targets[i]
                move = to + (start << layout.FROM_SHIFT)
                if open_fort and is_in_fort(position, us ^ 1, to):
                    position.moves[n] = move
                    n += 1
                elif opens and lets_escape(position, start, to):
                    n = add_rest(position, n, move)
                else:
                    for k in range(due):
                        position.moves[n] = move + position.prisoners[k]
                        n += 1
    return n


def add_rest(position: KrepostField, n: int, move: int) -> int:
    """Write a move with each prisoner that it does not let escape, or alone if none is left."""
    end = n
    for word in range(3):
        squares = position.due[word] & ~position.freed[word]
        while squares:
            square = 64 * word + bits.lowest(squares)
            squares &= squares - 1
            position.moves[end] = move + ((square + 1) << layout.PRISONER_SHIFT)
            end += 1
    if end == n:
        position.moves[n] = move
        end += 1
    return end


def find_steps(position: KrepostField, start: int) -> int:
    """Set `targets` to the squares that a stone can step to; return their number."""
    one = 1
    word = start >> 6
    place = start & 63
    bit = one << place
    empty = position.empty[word]
    count = 0
    if bit & position.east[word] & (empty >> 1):
        position.targets[count] = start + 1
        count += 1
    if (bit >> 1) & position.east[word] & empty:
        position.targets[count] = start - 1
        count += 1
    if bit & position.north[word]:
        to = start + 16
        if (position.empty[to >> 6] >> (to & 63)) & 1:
            position.targets[count] = to
            count += 1
    if start >= 16:
        to = start - 16
        if ((position.north[to >> 6] & position.empty[to >> 6]) >> (to & 63)) & 1:
            position.targets[count] = to
            count += 1
    return count


def find_openers(position: KrepostField) -> None:
    """Set `openers` to the own stones whose leaving may give a surrounded squad a way out.

    Such a stone is on the edge or beside a free square, and beside a surrounded stone or
    an empty square that is not free.
    """
    us = 3 * position.side
    field.touch(position, position.free[0], position.free[1], position.free[2])
    for i in range(3):
        position.openers[i] = position.stones[us + i] & (position.edge[i] | position.region[i])
    field.touch(
        position,
        position.due[0] | (position.empty[0] ^ position.free[0]),
        position.due[1] | (position.empty[1] ^ position.free[1]),
        position.due[2] | (position.empty[2] ^ position.free[2]),
    )
    for i in range(3):
        position.openers[i] &= position.region[i]


def lets_escape(position: KrepostField, start: int, to: int) -> bool:
    """Whether an opener's move lets squads escape; if it does, `freed` are their stones.

    Only what is connected to the square it leaves can get out, and only if that square
    itself has a way to the edge.
    """
    one = 1
    m0 = position.empty[0] ^ position.free[0]
    m1 = position.empty[1] ^ position.free[1]
    m2 = position.empty[2] ^ position.free[2]
    there = one << (to & 63)
    if to < 64:
        m0 &= ~there
    elif to < 128:
        m1 &= ~there
    else:
        m2 &= ~there
    s0, s1, s2 = 0, 0, 0
    here = one << (start & 63)
    if start < 64:
        s0 = here
    elif start < 128:
        s1 = here
    else:
        s2 = here
    field.spread(position, s0, s1, s2, m0 | s0, m1 | s1, m2 | s2)
    field.touch(position, position.region[0], position.region[1], position.region[2])
    m0, m1, m2 = position.due[0], position.due[1], position.due[2]
    s0 = position.region[0] & m0
    s1 = position.region[1] & m1
    s2 = position.region[2] & m2
    if not (s0 | s1 | s2):
        return False
    if not field.escapes(position, start, to):
        return False
    field.spread(position, s0, s1, s2, m0, m1, m2)
    for i in range(3):
        position.freed[i] = position.region[i]
    return True


def fort_is_empty(position: KrepostField, side: int) -> bool:
    """Whether a side has no garrison."""
    at = 3 * side
    return (
        (position.stones[at] & position.fort[at])
        | (position.stones[at + 1] & position.fort[at + 1])
        | (position.stones[at + 2] & position.fort[at + 2])
    ) == 0


def is_in_fort(position: KrepostField, side: int, square: int) -> bool:
    """Whether a square is inside the fortress of a side."""
    return ((position.fort[3 * side + (square >> 6)] >> (square & 63)) & 1) != 0


def add_noisy(position: KrepostField, first: int) -> int:
    """Write winning entries and a choice of prisoners to `moves[first:]`; return their end.

    Where a capture is due, nearly every move takes a prisoner. Which prisoner matters most, so
    each surrounded squad offers one of its stones, always with the same other half of the turn.
    """
    them = position.side ^ 1
    field.survey(position)
    n = first
    if fort_is_empty(position, them):
        n = add_entries(position, n)
    if find_due(position):
        n = add_prisoners(position, n)
    return n


def add_entries(position: KrepostField, n: int) -> int:
    """Write the moves into the enemy fortress, which has no garrison."""
    at = 3 * (position.side ^ 1)
    e0 = position.empty[0] & position.fort[at]
    e1 = position.empty[1] & position.fort[at + 1]
    e2 = position.empty[2] & position.fort[at + 2]
    n = add_steps(position, n, e0, e1, e2)
    field.chart_jumps(position, position.side)
    for word in range(3):
        jumpers = position.jumpers[word]
        while jumpers:
            start = 64 * word + bits.lowest(jumpers)
            jumpers &= jumpers - 1
            count = follow_jumps(position, start, 0)
            for i in range(count):
                if is_in_fort(position, position.side ^ 1, position.targets[i]):
                    position.moves[n] = position.targets[i] + (start << layout.FROM_SHIFT)
                    n += 1
    return n


def add_prisoners(position: KrepostField, n: int) -> int:
    """Write a move for the last stone of the garrison and for a stone of each squad due."""
    companion = find_companion(position)
    if companion == 0:
        return n
    at = 3 * (position.side ^ 1)
    last = -1
    stones = 0
    for word in range(3):
        squares = position.stones[at + word] & position.fort[at + word]
        stones += bits.popcount(squares)
        if squares & position.due[word]:
            last = 64 * word + bits.lowest(squares & position.due[word])
    if stones == 1 and last >= 0:
        position.moves[n] = companion + ((last + 1) << layout.PRISONER_SHIFT)
        n += 1
    else:
        last = -1
    end = n + layout.MOST_NOISY
    r0, r1, r2 = position.due[0], position.due[1], position.due[2]
    while (r0 | r1 | r2) and n < end:
        if r0:
            square = bits.lowest(r0)
            field.spread(position, r0 & -r0, 0, 0, r0, r1, r2)
        elif r1:
            square = 64 + bits.lowest(r1)
            field.spread(position, 0, r1 & -r1, 0, r0, r1, r2)
        else:
            square = 128 + bits.lowest(r2)
            field.spread(position, 0, 0, r2 & -r2, r0, r1, r2)
        r0 ^= position.region[0]
        r1 ^= position.region[1]
        r2 ^= position.region[2]
        if square != last:
            position.moves[n] = companion + ((square + 1) << layout.PRISONER_SHIFT)
            n += 1
    return n


def find_companion(position: KrepostField) -> int:
    """Find a turn's first half that neither wins nor lets a squad escape; 0 if there is none."""
    us = position.side
    if position.hand[us]:
        for word in range(3):
            squares = position.zone[3 * us + word] & position.empty[word]
            if squares:
                return (64 * word + bits.lowest(squares)) * layout.BOTH_UNITS + layout.SETTING
    find_openers(position)
    open_fort = fort_is_empty(position, us ^ 1)
    for word in range(3):
        stones = position.stones[3 * us + word]
        while stones:
            bit = stones & -stones
            start = 64 * word + bits.lowest(stones)
            stones ^= bit
            opens = (position.openers[word] & bit) != 0
            count = find_steps(position, start)
            for i in range(count):
                to = position.targets[i]
                if open_fort and is_in_fort(position, us ^ 1, to):
                    continue
                if not (opens and lets_escape(position, start, to)):
                    return to + (start << layout.FROM_SHIFT)
    return 0
