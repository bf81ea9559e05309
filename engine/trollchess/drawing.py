"""The Troll chess board in plain text: colours, places, pieces and stacks.

     a      b      c
2 |   P   |:::::::|*  SN  |     dark squares are filled with colons; a mark before the
1 |^      |::DSn::|       |     letters is a place; a stack shows all its letters
"""

from kibitz.engine.trollchess import board, layout
from kibitz.engine.trollchess.record import SIDE_NAMES, Record

FILL = (" ", ":")
CASTLE_MARK = "*"
GOAL_MARKS = ("^", "v")
LEGEND = (
    "capitals: White, small letters: Black, together: a stack",
    "S Wanderer, N Mercenary, D Dragon, R Knight, M Mage, P Robber",
    ":: dark square, * castle, ^ White's goal, v Black's goal",
)

_WIDTH = 5
"""Letters of the largest stack."""


def draw(record: Record) -> str:
    """Draw the board and say what the text holds besides."""
    files = "".join(f"   {file}   " for file in board.FILES)
    lines = [f"    {files}".rstrip()]
    for rank in reversed(range(layout.SIZE)):
        cells = [_cell(record, layout.SIZE * rank + file) for file in range(layout.SIZE)]
        lines.append(f"{rank + 1:>3}|{'|'.join(cells)}|{rank + 1}")
    lines += [lines[0], ""]
    lines += [_side_line(record, side) for side in range(2)]
    resting = [f"{board.SQUARE_NAMES[square]} {turns}" for square, turns in record.resting]
    lines += [f"resting Dragons, with turns of the game: {', '.join(resting) or 'none'}", ""]
    lines += LEGEND
    return "\n".join(lines)


def _cell(record: Record, square: int) -> str:
    ground = record.ground
    fill = FILL[ground.dark >> square & 1]
    mark = fill
    if square in ground.castles:
        mark = CASTLE_MARK
    elif square in ground.goals:
        mark = GOAL_MARKS[ground.goals.index(square)]
    return mark + record.letters[square].center(_WIDTH, fill)


def _side_line(record: Record, side: int) -> str:
    castles = record.ground.castles
    visited = [
        board.SQUARE_NAMES[castle]
        for i, castle in enumerate(castles)
        if record.visited[side] >> i & 1
    ]
    goal = board.SQUARE_NAMES[record.ground.goals[side]]
    return (
        f"{SIDE_NAMES[side]}: visited {len(visited)} of {layout.CASTLES} castles "
        f"({' '.join(visited) or 'none'}), goal {goal}"
    )
