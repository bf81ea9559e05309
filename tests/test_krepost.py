"""Rules, texts and options that only Krepost has; positions that the engine has to solve."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from kibitz.engine import codes
from kibitz.engine.codes import RESULT_WORDS
from kibitz.engine.errors import MoveError, OptionError, PositionError
from kibitz.engine.krepost import board, layout
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game
from kibitz.engine.sources import is_compiled
from kibitz.search.driver import Search
from kibitz.search.info import Info
from kibitz.search.limits import Limit
from kibitz.search.table import Table
from tests.reference.krepost import Krepost as Reference

KREPOST = find_game("krepost")
EIGHT = "a1:c2:b2n/f7:h8:g7s"
SIZES = ("12", "10", "8")

compiled = pytest.mark.skipif(not is_compiled(), reason="takes minutes when not compiled")


def place(rows: str, rest: str = "w 0/0/16", fortresses: str = EIGHT, end: str = "- 7") -> Play:
    return Play(KREPOST, {}, f"{rows} {rest} {fortresses} {end}")


def refused(text: str, options: dict[str, str] | None = None) -> str:
    with pytest.raises(PositionError) as caught:
        Play(KREPOST, options or {}, text)
    return str(caught.value)


def why_not(play: Play, token: str) -> str:
    with pytest.raises(MoveError) as caught:
        play.read_legal(token)
    return str(caught.value)


def best(play: Play, depth: int) -> tuple[str, int | None]:
    """Search to a depth; give the best move's token and the turns to the end, if it is seen."""
    infos: list[Info] = []
    outcome = Search(play.position, Table(1), Limit(depth=depth), report=infos.extend).run()
    assert outcome.best is not None
    return KREPOST.token(play.position, outcome.best), infos[-1].score.mate


# Moving


@pytest.mark.core
def test_no_way_through_walls_but_the_gate() -> None:
    play = place("8/6b1/8/8/8/1www4/3w4/2w5")
    legal = play.legal_tokens()
    assert "b3b2" in legal
    assert "b3b1" not in legal
    assert not {"c3c2", "d2c2", "c1d1", "d3b3"} & set(legal)
    assert why_not(play, "d2c2") == "there is a wall between d2 and c2"
    assert why_not(play, "c3c2") == "there is a wall between c3 and c2"


@pytest.mark.core
def test_chains_turn_pass_their_beginning_and_do_not_end_there() -> None:
    # Over b4, a5, b6 and c5 the stone on c4 can go round in a ring, back to where it began.
    ring = place("8/6b1/1w6/w1w5/1ww5/8/8/8", "w 0/15/16")
    assert {token for token in ring.legal_tokens() if token.startswith("c4")} == {
        *("c4a4", "c4a6", "c4c6"),
        *("c4c3", "c4d4"),
    }
    chain = place("8/6b1/8/8/8/1w1w4/w7/w7", "w 0/15/16", "e1:f2:e2n/f7:g8:g7s")
    assert {"a1a3", "a1c3", "a1e3"} <= set(chain.legal_tokens())
    with pytest.raises(MoveError, match="no step and no chain"):
        chain.read_legal("a1g3")


@pytest.mark.core
def test_a_stone_does_not_jump_over_the_square_it_left() -> None:
    # a1-c1 and on: from c1 the only stone to jump back over is b1; over a1 nothing stands.
    play = place("8/6b1/8/8/8/8/8/ww6", "w 0/15/16", "e1:f2:e2n/f7:g8:g7s")
    assert set(play.legal_tokens()) == {"a1a2", "a1c1", "b1b2", "b1c1"}


@pytest.mark.core
def test_settings_are_in_the_zone_and_need_a_stone() -> None:
    play = Play(KREPOST, {"BoardSize": "10"})
    assert len(play.legal_tokens()) == 30
    assert why_not(play, "@a4") == "a4 is outside the own zone, ranks 1 to 3"
    assert why_not(play, "@l12") == "the board has no square l12"
    assert "no stone left in hand" in why_not(place("8/6b1/8/8/8/8/8/1w6"), "@d1")
    assert why_not(place("8/6b1/8/8/8/8/8/1w6", "w 5/0/16"), "@b1") == "b1 is not empty"


# Squads and prisoners


@pytest.mark.core
def test_a_wall_parts_squads_and_shuts_in() -> None:
    # c2 and d2 are parted by the wall; d2 is shut in by it and by Black's stones.
    play = place("8/6w1/8/8/8/3b4/2wwb3/3b4", "b 3/1/16")
    taken = {token.partition("x")[2] for token in play.legal_tokens()}
    assert "d2" in taken
    assert "c2" not in taken


@pytest.mark.core
def test_empty_squares_inside_the_ring_are_no_way_out() -> None:
    play = place("8/6b1/2www3/1w2bw2/2www3/8/8/w7", "w 0/14/16")
    assert all(token.endswith("xe5") for token in play.legal_tokens() if token[:2] == "a1")
    # Opening the ring lets it escape, and then nothing is taken.
    assert "f5g5" in play.legal_tokens()
    assert "f5g5xe5" not in play.legal_tokens()
    assert "cannot be taken" in why_not(play, "f5g5xe5")
    # The stone that steps out to d7 stands in the way that it opens.
    assert "d6d7xe5" in play.legal_tokens()
    assert "d6d7" not in play.legal_tokens()
    assert "names no prisoner" in why_not(play, "a1a2")


@pytest.mark.core
def test_a_square_of_the_edge_is_a_way_itself() -> None:
    play = place("8/6b1/8/8/8/8/ww6/bw6", "w 0/14/16", "e1:f2:e2n/f7:g8:g7s")
    assert play.legal_tokens() == ["a2a3", "a2c2", "b1b3", "b1c1", "b2b3xa1", "b2c2xa1"]


@pytest.mark.core
def test_the_turn_that_closes_the_ring_takes_nothing() -> None:
    play = place("8/6b1/8/3w4/2wb4/3ww3/8/7w", "w 0/14/16")
    assert not any("x" in token for token in play.legal_tokens())
    play.push("e3e4")
    assert play.position.side == 1
    play.push("g7g6")
    assert "h1h2xd4" in play.legal_tokens()
    assert "h1h2" not in play.legal_tokens()


@pytest.mark.core
def test_one_prisoner_a_turn_from_any_squad_and_a_second_turn_after_the_last_stone() -> None:
    play = place("bw6/w5b1/8/8/8/w7/bw6/bbw4w", "w 0/11/16", "c1:d2:c2n/d7:e8:e7s")
    taken = {token.partition("x")[2] for token in play.legal_tokens() if token[:2] == "h1"}
    assert taken == {"a8", "a1", "a2", "b1"}
    play.push("h1h2xa1")
    assert (play.position.side, play.position.quiet) == (1, 0)
    again = Play(KREPOST, {}, play.start)
    again.push("h1h2xa8")
    assert again.position.side == 0
    # The squad left is still due in the second turn; each has its own prisoner.
    assert {token[-2:] for token in again.legal_tokens() if token[:2] == "h2"} == {"a1", "a2", "b1"}
    again.push("h2h3xb1")
    assert again.position.side == 1
    assert again.points == (13, 10)


@pytest.mark.core
def test_the_first_of_two_turns_can_surround_for_the_second() -> None:
    # D10: c8 is surrounded by the turn that takes a1, the last of its squad.
    play = place("1wb1w3/2w5/8/8/8/8/w5b1/bw6", "w 0/13/16", "e1:f2:e2n/f7:g8:g7s")
    play.push("e8d8xa1")
    assert play.position.side == 0
    assert any(token.endswith("xc8") for token in play.legal_tokens())


# Ends


@pytest.mark.core
def test_an_entry_wins_without_the_prisoner_that_is_due() -> None:
    play = place("8/8/6w1/8/8/8/w7/bw4b1", "w 0/14/16", "d1:f2:e2n/f7:h8:g7s")
    assert "g6g7" in play.legal_tokens()
    assert "g6g7xa1" not in play.legal_tokens()
    assert "g6f6xa1" in play.legal_tokens()
    play.push("g6g7")
    assert (play.result, play.reason) == ("p1win", "entry")
    assert play.text.endswith(" 8!w")
    assert Play(KREPOST, {}, play.text).reason == "entry"


@pytest.mark.core
def test_moving_inside_an_empty_fortress_is_an_entry() -> None:
    play = place("5w1b/8/8/8/8/8/8/1w6", "b 0/14/16")
    play.push("@a7")
    assert play.result == "none"
    play = place("5w2/7b/8/8/8/8/8/1w6", "b 0/14/16")
    play.push("h7g7")
    assert play.result == "none"
    gone = place("5w2/8/6b1/8/8/8/8/1w6", "w 0/14/16")
    assert gone.result == "none"  # the stone was inside before the garrison left
    gone.push("f8f7")
    assert gone.reason == "entry"


@pytest.mark.core
def test_blocked_comes_before_the_count_and_after_the_fortress() -> None:
    last = place("8/8/8/8/8/8/7b/5b1w", "b 0/0/16", end="w 199")
    last.push("f1g1")
    assert (last.result, last.reason) == ("p2win", "blocked")
    walled = place("6wb/7w/8/8/8/8/8/1w6", "w 2/0/16", end="- 199")
    walled.push("b1a1xh8")
    assert (walled.result, walled.reason, walled.position.quiet) == ("p1win", "garrison", 0)


@pytest.mark.core
@pytest.mark.parametrize(
    ("half", "result", "points"),
    [("none", "draw", (16, 16)), ("white", "p1win", (16.5, 16)), ("black", "p2win", (16, 16.5))],
)
def test_the_count(half: str, result: str, points: tuple[float, float]) -> None:
    play = Play(KREPOST, {"BoardSize": "8", "QuietLimit": "2", "HalfStone": half})
    assert play.points == points
    play.push_all(["@d1", "@d8"])
    assert (play.result, play.reason) == (result, "quiet")


# Options and texts


@pytest.mark.core
def test_limits_below_two_are_the_usual_one() -> None:
    for value in ("-1", "0", "1"):
        assert Play(KREPOST, {"QuietLimit": value}).position.quiet_limit == 200
    assert Play(KREPOST, {"QuietLimit": "2"}).position.quiet_limit == 2


@pytest.mark.core
def test_fortresses_of_the_option() -> None:
    wide = "A1:D2:D2E/e7:h8:e7w"
    options = {"BoardSize": "8", "Fortresses": wide}
    assert wide.lower() in Play(KREPOST, options).text
    assert EIGHT in Play(KREPOST, {"BoardSize": "8", "Fortresses": "Usual"}).text
    # On another board they wait, so that the two options can be set in either order.
    assert Play(KREPOST, {"Fortresses": wide}).text == Play(KREPOST, {}).text
    for wrong in ("a1", "a1:a2:a1n/h7:h8:h7s", "a1:c3:b3n", "a1:b9:b9n/a11:b12:a11s"):
        with pytest.raises(OptionError):
            KREPOST.settings({"Fortresses": wrong})


def test_refused_texts_name_the_field_and_the_fault() -> None:
    empty = "8/8/8/8/8/8/8/8"
    good = f"{empty} w 16/16/16 {EIGHT} - 0"
    Play(KREPOST, {}, good)
    for old, new, words in (
        (empty, "8/8/8/8/8/8/8", "board: 7 rows"),
        (empty, "8/8/8/8/8/8/8/7", "board: .*row 8"),
        (empty, "8/8/8/8/8/8/8/7x", "board"),
        (" w ", " x ", "side"),
        ("16/16/16", "16/16", "stones: .*three numbers"),
        ("16/16/16", "16/16/17", "stones: .*1 to 16"),
        ("16/16/16", "0/0/0", "stones"),
        ("16/16/16", "16/17/16", "stones: .*Black has"),
        ("a1:c2", "a1:d2", "fortresses: .*same width"),
        ("a1:c2", "a1:c3", "fortresses: .*zone"),
        ("a1:c2", "c2:a1", "fortresses: .*at least 2"),
        (":b2n", ":b1n", "fortresses: .*outline"),
        (":b2n", ":d2n", "fortresses: .*not a square inside"),
        (":b2n", ":b1s", "fortresses: .*edge"),
        (":b2n", ":b2x", "fortresses: .*not like"),
        (" - 0", " x 0", "half"),
        (" - 0", " - x", "quiet"),
        (" - 0", " - 201", "quiet: .*limit"),
        (" - 0", " - 0!x", "quiet"),
        (" - 0", " - 0!w", "quiet: .*prisoner"),
        (f"16/16/16 {EIGHT} - 0", f"0/15/16 {EIGHT} - 0!w", "quiet: .*no stone"),
        ("16/16/16", "0/0/16", "board: .*stone left"),
        (" - 0", " - 3!w", "quiet: .*no stone"),
    ):
        assert re.match(words, refused(good.replace(old, new))), (new, words)
    garrison = "6wb/8/8/8/8/8/8/8"
    assert "garrison" in refused(f"{garrison} b 15/14/16 {EIGHT} - 3!w")
    assert "not to move" in refused(f"6w1/8/8/8/8/8/8/8 w 15/14/16 {EIGHT} - 3!w")


@pytest.mark.core
def test_constants_of_the_layout_agree() -> None:
    path = Path(layout.__file__).with_suffix(".pxd")
    declared = {
        name: int(value)
        for name, value in re.findall(r"^ +(\w+) = (\d+)$", path.read_text(encoding="utf-8"), re.M)
    }
    numbers = {name: value for name, value in vars(layout).items() if isinstance(value, int)}
    assert declared == {name: numbers[name] for name in numbers if name != "LOWER_RANKS"}


# Long lists


def test_the_longest_lists_are_complete() -> None:
    # All of Black is shut in, and White's stones hop about in the lattice they stand in.
    rows = [
        "w1w1w1w1w1w1",
        "bwbwbwbwbwbw",
        "1wbbwbbwbb1w",
        "w1wwbwwbww1w",
        "w1w1w1w1w1w1",
        "12",
        "1w1w1w1w1w1w",
        *["12"] * 5,
    ]
    hard = Play(KREPOST, {}, f"{'/'.join(rows)} w 6/10/48 a1:c3:b3n/j10:l12:k10s - 0")
    reference = Reference(hard.text, {})
    assert hard.legal_tokens() == reference.legal()
    chance = random.Random(4)
    longest = 0
    for _ in range(12):
        squares = [(file, rank) for rank in range(12) for file in range(12)]
        chance.shuffle(squares)
        cells = [["1"] * 12 for _ in range(12)]
        for number, (file, rank) in enumerate(squares[:96]):
            cells[rank][file] = "wb"[number % 2]
        text = "/".join(re.sub("1+", lambda run: str(len(run[0])), "".join(row)) for row in cells)
        play = Play(KREPOST, {}, f"{text} w 0/0/48 a1:c3:b3n/j10:l12:k10s - 0")
        legal = play.legal_tokens()
        assert legal == Reference(play.text, {}).legal()
        assert len(legal) <= play.position.move_bound
        longest = max(longest, len(legal))
    assert longest > 500


# Random games


def check(play: Play, before: Position | None) -> None:
    position = play.position
    assert position.key == position.recomputed_key()
    moves = position.legal_moves()
    assert (not moves) == (position.status != codes.ONGOING)
    assert len(set(moves)) == len(moves) <= position.move_bound
    assert set(position.noisy_moves()) <= set(moves)
    white, black, rest = (play.text.split()[0].count(side) for side in "wb/")
    hands = play.text.split()[2].split("/")
    assert white + int(hands[0]) <= int(hands[2])
    assert black + int(hands[1]) <= int(hands[2])
    assert play.points == (int(hands[2]) - black, int(hands[2]) - white)
    assert rest in (7, 9, 11)
    if before is not None:
        assert position.quiet in (0, before.quiet + 1)
        assert position.side != before.side or position.quiet == 0


@compiled
@pytest.mark.parametrize("size", SIZES)
def test_two_hundred_random_games(size: str) -> None:
    endings = set()
    for seed in range(200):
        chance = random.Random(f"{size} {seed}")
        play = Play(KREPOST, {"BoardSize": size, "QuietLimit": "40" if seed % 2 else "120"})
        before = None
        for turn in range(5000):
            if turn % 16 == 0 or play.is_over:
                check(play, before if turn else None)
            if play.is_over:
                break
            before = play.position.copy() if turn % 16 == 15 else None
            play.position.push(chance.choice(play.position.legal_moves()))
        endings.add(play.reason)
        assert play.is_over
    assert endings <= set(KREPOST.endings[1:])
    assert "quiet" in endings


# Search


@compiled
def test_sees_a_win_by_entry() -> None:
    play = place("8/8/8/6w1/8/8/8/1w5b", "w 0/0/16")
    assert best(play, 3) == ("g5g6", 3)


@compiled
def test_sees_a_win_by_the_last_of_the_garrison() -> None:
    play = place("6wb/6w1/8/8/2b5/8/8/1w6", "w 0/0/16")
    assert best(play, 3) == ("g7h7", 3)


@compiled
def test_sees_a_win_by_the_count() -> None:
    """White has taken one stone more, and the quiet limit is a turn away."""
    play = Play(KREPOST, {}, f"7b/8/4b3/8/3w4/8/8/w6w w 0/0/16 {EIGHT} - 199")
    token, turns = best(play, 2)
    assert turns == 1
    play.push(token)
    assert (play.result, play.reason) == ("p1win", "quiet")


@compiled
@pytest.mark.parametrize(
    "text",
    [
        "1bww1bbbwwww/wb2bw1ww3/www2bw1bw2/2wbw1b3wb/1w3bwbwwbb/w1w2wbbbb1b/wb4bwb1ww/wwbw1bbw2ww"
        "/wbwbb1ww2bb/bbw3w2bww/bw1bwbww4/bwb2bbb1bb1 b 0/0/48 a1:c3:b3n/j10:l12:k10s b 33",
        "wbbwwbwwwwb1/bbbwwbwbbw2/wbbwbwbwwwww/wbwbwbwbb1b1/bwbbbbb1w1w1/wbbwbbwb4/bwbbbw2b3"
        "/wbww1bw5/bwbww7/bwwbww6/2bw8/12 w 0/0/48 a1:c3:b3n/j10:l12:k10s - 0",
    ],
)
def test_many_surrounded_squads_do_not_drown_the_search(text: str) -> None:
    """Where each turn can take one of dozens of stones, a shallow search still ends."""
    play = Play(KREPOST, {}, text)
    infos: list[Info] = []
    Search(play.position, Table(1), Limit(nodes=200_000), report=infos.extend).run()
    assert max(info.depth for info in infos if not info.bound) >= 1
    assert next(info.nodes for info in infos) < 100_000


@compiled
def test_sees_a_win_by_leaving_no_turn() -> None:
    play = place("8/8/8/8/8/8/6bb/4b2w", "b 0/0/16")
    token, turns = best(play, 3)
    assert (token, turns) == ("g2g1", 1)


@compiled
def test_the_only_defence_is_to_break_out() -> None:
    # The garrison on d11 is shut in by its own comrade before the gate, on d9. When that steps
    # to d8, it still is: d9 has no other way on.
    fortresses = "c2:e3:d3n/c10:e11:d10s"
    rows = "12/3b8/12/2wbw7/b11/12/12/12/12/12/3w8/12"
    play = Play(KREPOST, {}, f"{rows} b 0/0/48 {fortresses} - 7")
    defences = set()
    for token in play.legal_tokens():
        other = Play(KREPOST, {}, play.text)
        other.push(token)
        if best(other, 1)[1] != 1:
            defences.add(token)
    assert defences == {"d9d10", "d11d10"}
    for depth in (2, 3, 4):
        assert best(play, depth)[0] in defences


@compiled
def test_placing_stones_does_not_look_all_the_same() -> None:
    play = Play(KREPOST, {})
    values = set()
    for token in play.legal_tokens():
        play.position.push(play.game.read_token(play.position, token))
        values.add(play.position.value())
        play.position.pop()
    assert len(values) >= 6


@compiled
@pytest.mark.parametrize("size", ["8", "10", "12"])
def test_beats_a_random_player(size: str) -> None:
    for seed in range(10):
        chance = random.Random(f"{size} {seed}")
        play = Play(KREPOST, {"BoardSize": size, "QuietLimit": "100"})
        table = Table(1)
        while not play.is_over:
            move = chance.choice(play.legal_moves())
            if play.position.side == seed % 2:
                search = Search(play.position, table, Limit(nodes=400), report=lambda infos: None)
                outcome = search.run()
                assert outcome.best is not None
                move = outcome.best
            play.position.push(move)
        assert RESULT_WORDS.index(play.result) == 1 + seed % 2, (size, seed)


def test_geometry_joins_every_square_but_through_walls() -> None:
    for size in board.SIZES:
        fortresses = board.read_fortresses(board.DEFAULT_FORTRESSES[size])
        assert fortresses is not None
        geometry = board.geometry_of(size, fortresses)
        pairs = sum(len(geometry.neighbours(square)) for square in geometry.squares)
        width, height = fortresses[0].shape
        # In a corner, two sides of a fortress have walls, less one gate.
        assert pairs == 2 * (2 * size * (size - 1) - 2 * (width + height - 1))
        ways = geometry.ways[0]
        assert all(
            abs(ways[one] - ways[other]) <= 1
            for one, other in pairwise(geometry.squares)
            if other in geometry.neighbours(one)
        )
