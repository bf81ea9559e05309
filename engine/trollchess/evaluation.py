"""What a Troll chess position is worth: the terms, each for one side.

Compiled; the types are in `evaluation.pxd`. Hundredths, about a Robber's worth being 30.
The race is the game: most of a side's worth is how few turns its Wanderer still needs. A
side whose Wanderer is dead has no race and can only hope to stop the other.
"""

from kibitz.engine.trollchess import contents

# A living Wanderer outweighs all the pieces that a side can have more.
ALIVE_WORTH = 2000
# The race to the end, by the turns that are left; the nearer the end, the more a turn counts.
RACE_START = 1400
MOST_TURNS = 63
RACE_WORTH = [round(RACE_START * 0.94**turns) for turns in range(MOST_TURNS + 1)]

# What pieces are worth for stopping the enemy and for guarding, by their letters.
PIECE_WORTH = {"S": 0, "N": 130, "D": 260, "R": 170, "M": 310, "P": 30}
WHITE_WORTH = [sum(PIECE_WORTH[x] for x in content if x.isupper()) for content in contents.CONTENTS]
BLACK_WORTH = [
    sum(PIECE_WORTH[x.upper()] for x in content if x.islower()) for content in contents.CONTENTS
]
MERCENARY_WORTH = PIECE_WORTH["N"]

# A Wanderer with its Mercenary; one on a square of the enemy's colour; one that is attacked there.
GUARD_WORTH = 30
EXPOSED_COST = 12
GUARD_ATTACKED_COST = 40
ATTACKED_COST = 160
# An own piece that cannot be joined, on a castle or goal that the Wanderer still aims at.
BLOCKED_COST = 40
# An own Dragon that can come for the Wanderer.
DRAGON_NEAR_WORTH = 14
TEMPO_WORTH = 12

# What a move wins at once; these order moves and are not summed.
VISIT_GAIN = 400
KILL_GAIN = 5000
WIN_GAIN = 20000


def race_value(turns: int) -> int:
    """Worth of a race that takes so many more turns."""
    return RACE_WORTH[turns if turns < MOST_TURNS else MOST_TURNS]


def material_value(worth: int, enemy_alive: int) -> int:
    """Worth of the pieces; with no enemy Wanderer left there is nobody to stop."""
    return worth if enemy_alive else worth >> 1


def safety_value(guarded: int, exposed: int, attacked: int) -> int:
    """Worth of a Wanderer's guard, less the cost of danger on the enemy's colour."""
    worth = GUARD_WORTH if guarded else 0
    if exposed:
        worth -= EXPOSED_COST
        if attacked:
            worth -= GUARD_ATTACKED_COST if guarded else ATTACKED_COST
    return worth
