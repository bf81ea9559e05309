"""Rules, texts, deals and words that only Troll chess has."""

import random
import re
from itertools import product
from pathlib import Path

import pytest

from kibitz.engine.codes import RESULT_WORDS
from kibitz.engine.errors import MoveError, PositionError
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game
from kibitz.engine.trollchess import board, contents, layout
from tests.contract.walks import COMPILED
from tests.reference.trollchess import Trollchess as Reference
from tests.trollchess_positions import GROUND, place, rich_text

TROLLCHESS = find_game("trollchess")


def position_of(text: str, **options: str) -> Position:
    return TROLLCHESS.parse(text, TROLLCHESS.settings(options))


def play(position: Position, *tokens: str) -> Position:
    for token in tokens:
        position.push(TROLLCHESS.read_token(position, token))
    return position


def tokens(position: Position) -> set[str]:
    return {TROLLCHESS.token(position, move) for move in position.legal_moves()}


def why_not(position: Position, token: str) -> str:
    move = TROLLCHESS.read_token(position, token)
    assert move not in position.legal_moves()
    return TROLLCHESS.why_illegal(position, move)


def ending(position: Position) -> tuple[str, str]:
    return RESULT_WORDS[position.status], TROLLCHESS.endings[position.ending]


def field(position: Position, name: str) -> str:
    names = ("board", "side", "colours", "places", "visited", "resting", "quiet")
    return TROLLCHESS.text(position).split(" ")[names.index(name)]


# The tables.


def test_layout_constants_are_the_same_compiled() -> None:
    text = Path(layout.__file__).with_suffix(".pxd").read_text()
    compiled = {
        name: int(value) for name, value in re.findall(r"^    ([A-Z_]+) = (-?\d+)$", text, re.M)
    }
    source = {name: value for name, value in vars(layout).items() if name.isupper()}
    assert compiled == source


def test_contents_are_what_squares_can_hold() -> None:
    singles = [content for content in contents.CONTENTS if len(content) == 1]
    assert sorted(singles) == sorted("SNDRMPsndrmp")
    assert len(set(contents.CONTENTS)) == 1 + 12 + 2 + 4 + 16
    for content in contents.CONTENTS:
        assert "".join(sorted(content, key="DdSNsnRrMmPp".index)) == content


def test_nothing_is_lost_or_made_where_groups_arrive() -> None:
    for side, group, there in product(range(2), contents.CONTENTS[1:], contents.CONTENTS):
        arrival = contents.arrival(side, group, there)
        if arrival is None or any(letter in there for letter in group if letter in "SNsn"):
            continue
        lost = arrival.dead + (group if arrival.spent else "")
        assert sorted(arrival.after + lost) == sorted(group + there)
        own = contents.LETTERS[side]
        assert not set(arrival.dead) & set(own)
        assert arrival.kills == bool(set(arrival.dead) & {"S", "s"})
        assert not (arrival.spent and contents.LETTERS[side][0] in group)


# Deals.


def test_a_deal_has_all_cards() -> None:
    for number in (0, 1, 2, 12345, 2**63, 2**64 - 1):
        dealt = board.deal(number)
        assert sorted("".join(dealt.letters)) == sorted("SNDDRRM" + 10 * "P" + "snddrrm" + 10 * "p")
        ground = dealt.ground
        assert ground.dark.bit_count() == 50
        for square, letter in enumerate(dealt.letters):
            if letter:
                assert bool(ground.dark >> square & 1) == letter.islower()
            if square in (*ground.castles, *ground.goals):
                assert not letter


def test_deals_differ_and_repeat() -> None:
    texts = {TROLLCHESS.start_text({"Deal": str(number)}) for number in range(300)}
    assert len(texts) == 300
    assert TROLLCHESS.start_text({"Deal": "7"}) in texts


def test_play_remembers_its_deal() -> None:
    assert Play(TROLLCHESS, {}).deal == 1
    assert Play(TROLLCHESS, {"Deal": "40512275"}).deal == 40512275
    named = Play(TROLLCHESS, {"Deal": "5"}, deal=2**64 - 1)
    assert named.deal == 2**64 - 1
    assert named.text == TROLLCHESS.start_text({"Deal": str(2**64 - 1)})
    assert named.settings["Deal"] == "5"
    assert Play(TROLLCHESS, {}, named.text).deal is None
    assert Play(find_game("talisman"), {}).deal is None


# Moves.


def test_pairs_move_as_the_mercenary_does() -> None:
    position = position_of(place("d4=SN a9=p"))
    assert {"SNd4b2", "SNd4d6", "SNd4e5", "Nd4f6", "Sd4e5"} <= tokens(position)
    assert not {"SNd4e6", "Sd4d6", "Nd4e6"} & tokens(position)
    assert why_not(position, "Sd4d6") == "a Wanderer does not go from d4 to d6"
    assert why_not(position, "SNd4e6") == "a Mercenary does not go from d4 to e6"


def test_what_stays_behind_must_be_able_to() -> None:
    position = position_of(place("d4=DSNsn a9=p"))
    assert "Sd4e5" not in tokens(position)
    assert why_not(position, "Sd4e5") == "DNsn cannot stay behind on d4"
    play(position, "SNd4e5")
    assert field(position, "board").startswith("10/p9/10/10/10/4(SN)5/3(Dsn)6/")


def test_either_side_moves_a_dragon_that_both_ride() -> None:
    for side, dragon in product("wb", "Dd"):
        position = position_of(place(f"d4={dragon}Ss a9=p j1=P", side))
        assert "Dd4g6" in tokens(position)
        play(position, "Dd4g6")
        assert field(position, "resting") == "g6:4"
        # Whoever owns it, nobody moves it for the next four turns.
        assert "Dg6d4" not in tokens(position)
        one, other = ("a9a8", "j1j2") if side == "w" else ("j1j2", "a9a8")
        play(position, one, other)
        assert field(position, "resting") == "g6:2"
        assert "rests for 2 more turns" in why_not(position, "Dg6d4")
        back, forth = ("a8a9", "j2j1") if side == "w" else ("j2j1", "a8a9")
        play(position, back, forth)
        assert field(position, "resting") == "-"
        assert "Dg6d4" in tokens(position)


def test_a_rider_moves_the_enemy_dragon_against_its_side() -> None:
    position = position_of(place("d4=dS f7=p g6=P a9=s", "w"))
    assert "Dd4f7" in tokens(position)
    assert "Dd4g6" not in tokens(position)
    play(position, "Dd4f7")
    assert field(position, "board").startswith("10/s9/10/5(dS)4/")
    # Its owner cannot move it while it carries only the enemy.
    blacks = position_of(place("d4=dS a9=s j1=p", "b"))
    assert "Dd4f7" in tokens(blacks)


def test_a_dragon_with_an_enemy_rider_joins_its_own_wanderer() -> None:
    position = position_of(place("d4=Ds f7=SN g6=n a9=p", "w"))
    play(position, "Dd4f7")
    assert field(position, "board").startswith("10/p9/10/5(DSNs)4/")
    assert field(position, "resting") == "f7:2"
    position.pop()
    play(position, "Dd4g6")
    assert field(position, "board").startswith("10/p9/10/5(SN)4/6(Ds)3/")


def test_mercenaries_join_only_their_wanderer() -> None:
    position = position_of(place("d4=N d5=S e5=D c3=Ds", "w"))
    assert "d4d5" in tokens(position)
    assert why_not(position, "d4e5") == "what goes to e5 cannot join D there"
    assert why_not(position, "d4c3") == "what goes to c3 cannot join Ds there"


def test_attack_on_a_ridden_dragon_with_a_mercenary() -> None:
    for attacker, move in (("d9=R", "d9g6"), ("g9=M", "g9g6"), ("h6=N", "h6g6"), ("f5=P", "f5g6")):
        position = position_of(place(f"g6=dsn {attacker} a1=S", "w", resting="g6:3", quiet=8))
        play(position, move)
        assert field(position, "board") == "10/10/10/10/6(ds)3/10/10/10/10/S9"
        assert field(position, "resting") == "g6:2"
        assert field(position, "quiet") == "0"
        assert "S" in TROLLCHESS.draw(position)
        position.pop()
        assert field(position, "quiet") == "8"


def test_wanderers_die_only_off_their_own_colour() -> None:
    # d4 is light, h5 dark; a Wanderer is safe on its own colour and in a meeting.
    dark = board.deal(1).ground.dark
    assert [dark >> board.SQUARE_OF[square] & 1 for square in ("d4", "h5")] == [0, 1]
    for content in ("s", "ds"):
        position = position_of(place(f"d4={content} d9=M h5=P h9=N"))
        assert "d9d4" in tokens(position)
        position = position_of(place(f"h5={content} h9=M"))
        assert why_not(position, "h9h5") == (
            "Black's Wanderer is safe on h5, a square of its own colour"
        )
    for content in ("Ss", "dSs", "DSNsn"):
        for side, mage in (("w", "M"), ("b", "m")):
            position = position_of(place(f"d4={content} d9={mage}", side))
            assert "d9d4" not in tokens(position)
    killing = play(position_of(place("d4=ds d9=M a1=S", resting="d4:4")), "d9d4")
    assert field(killing, "board") == "10/10/10/10/10/10/3M6/10/10/S9"
    assert field(killing, "resting") == "-"
    assert ending(killing) == ("none", "none")


def test_plain_token_attacks_and_mark_mounts() -> None:
    for group, letters in (("S", ""), ("SN", "SN")):
        position = position_of(place(f"d4={group} e5=d a9=s j1=p", resting="e5:5"))
        attack, mount = f"{letters}d4e5", f"{letters}d4e5^"
        assert {attack, mount} <= tokens(position)
        play(position, attack)
        assert field(position, "resting") == "-"
        assert field(position, "quiet") == "0"
        position.pop()
        play(position, mount)
        assert field(position, "resting") == "e5:4"
        assert field(position, "quiet") == "1"
        assert f"(d{group})" in field(position, "board")
    ridden = position_of(place("d4=S e5=ds j1=p"))
    assert "d4e5" in tokens(ridden)
    assert why_not(ridden, "d4e5^").startswith("only a Wanderer that goes to a lone enemy Dragon")


def test_one_turn_counts_for_both_wanderers() -> None:
    position = position_of(place("f1=DSs a9=P j9=p", "b", visited="1/2", quiet=40))
    play(position, "Df1i3")
    assert field(position, "visited") == "5/6"
    assert field(position, "quiet") == "0"
    assert TROLLCHESS.points(position) == (2, 2)


def test_who_is_joined_does_not_arrive() -> None:
    position = position_of(place("i3=s h3=S j9=p a1=P", "w", visited="0/0"))
    play(position, "h3i3")
    assert field(position, "visited") == "4/0"


def test_the_win_goes_to_the_wanderer_that_arrives() -> None:
    position = position_of(place("e8=DSs j1=P", "w", visited="7/f"))
    play(position, "De8h10")
    assert ending(position) == ("none", "none")
    both = position_of(place("e8=DSs j1=P", "b", visited="f/f"))
    play(both, "De8h10")
    assert ending(both) == ("p1win", "arrived")
    # The last castle and then the goal take two turns.
    last = position_of(place("i5=S a9=s", "w", visited="7/0"))
    play(last, "i5i4")
    assert (ending(last), field(last, "visited")) == (("none", "none"), "f/0")


def test_resting_is_part_of_the_position() -> None:
    texts = [place("d4=DS a9=s j1=p", resting=resting) for resting in ("-", "d4:1", "d4:2")]
    assert len({position_of(text).key for text in texts}) == 3


def test_passing() -> None:
    position = position_of(place("a1=D a9=s", resting="a1:1"))
    assert tokens(position) == {"pass"}
    assert TROLLCHESS.read_token(position, "PASS") in position.legal_moves()
    play(position, "pass")
    assert field(position, "resting") == "-"
    assert field(position, "quiet") == "1"
    assert why_not(position, "pass") == "a side passes only when it has no other move"


def test_both_dead_comes_before_the_quiet_limit() -> None:
    position = position_of(place("c3=S c8=m j1=P", "b", quiet=99))
    assert ending(play(position, "c8c3")) == ("draw", "dead")
    assert ending(position_of(place("c8=m j1=P", "b", quiet=100))) == ("draw", "dead")
    assert ending(position_of(place("c8=m j1=s", "b", quiet=100))) == ("draw", "quiet")
    won = position_of(place("h10=S j1=s", "b", visited="f/f", quiet=100))
    assert ending(won) == ("p1win", "arrived")


# Against the reference implementation.


@pytest.mark.core
@pytest.mark.parametrize("part", range(4))
def test_positions_rich_in_stacks_agree_with_the_reference(part: int) -> None:
    count = 300 if COMPILED else 40
    stacks = 0
    for seed in range(part * count, (part + 1) * count):
        chance = random.Random(seed)
        text = rich_text(chance)
        stacks += text.count("(")
        game, reference = Play(TROLLCHESS, {}, text), Reference(text, {})
        for _ in range(5):
            legal = reference.legal()
            assert game.text == reference.text()
            assert game.legal_tokens() == legal, game.text
            assert game.result == reference.result(), game.text
            assert game.points == reference.points(), game.text
            if not legal:
                break
            # Moves of stacks, mounts and attacks rather than those of Robbers.
            token = chance.choice([t for t in legal if t[0] in "SND" or t[-1] == "^"] or legal)
            game.push(token)
            reference = reference.after(token)
            assert game.position.key == game.position.recomputed_key()
    assert 2 * stacks > count


# Texts.

GOOD = place("d4=S a9=s f6=r e5=D j1=P")


def replaced(number: int, new: str) -> str:
    fields = GOOD.split(" ")
    return " ".join([*fields[:number], new, *fields[number + 1 :]])


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (GOOD.rpartition(" ")[0], "text", "6 fields instead of 7"),
        (place("d4=S d5=S"), "board", "White's Wanderer is there 2 times, which is more than 1"),
        (place("d4=n d5=n"), "board", "Black's Mercenary is there 2 times"),
        (place("a1=D a2=D a3=D"), "board", "White's Dragon is there 3 times"),
        (place("a1=r a2=r a3=r"), "board", "Black's Knight is there 3 times"),
        (place("a1=M a2=M"), "board", "White's Mage is there 2 times"),
        (
            place(" ".join(f"{f}1=P" for f in "abcdefghij") + " a2=P"),
            "board",
            "Robber is there 11 times",
        ),
        (place("d4=DN"), "board", "White's Mercenary shares a square only with its Wanderer"),
        (place("d4=Sn"), "board", "Black's Mercenary shares a square only with its Wanderer"),
        (place("d4=SP"), "board", "White's Robber does not share its square"),
        (place("d4=mS"), "board", "Black's Mage does not share its square"),
        (place("d4=DdS"), "board", "two Dragons do not share a square"),
        (place("d4=DDS"), "board", "White's Dragon is there twice"),
        (place("d4=Dd"), "board", "two Dragons do not share a square"),
        (place("d4=SD"), "board", "the order of a stack is DdSNsn"),
        (GOOD.replace("10/", "(S)9/", 1), "board", "not a stack of two or more"),
        (GOOD.replace("10/", "()9/", 1), "board", "not a stack of two or more"),
        (GOOD.replace("10/", "(S9/", 1), "board", "'('"),
        (GOOD.replace("10/", "(xy)9/", 1), "board", "something that is not a piece"),
        (GOOD.replace("10/", "11/", 1), "board", "more instead of 10"),
        (GOOD.replace("10/", "x9/", 1), "board", "'x'"),
        (GOOD.replace("10/", "", 1), "board", "9 rows instead of 10"),
        (replaced(1, "x"), "side", "'x'"),
        (replaced(2, GOOD.split(" ")[2].replace("0db", "0da")), "colours", "49 squares are dark"),
        (replaced(2, GOOD.split(" ")[2].replace("0db", "4db")), "colours", "000 to 3ff"),
        (replaced(2, "0db/327"), "colours", "2 rows instead of 10"),
        (replaced(3, "a2b2i3/h10/j10"), "places", "3 castles instead of 4"),
        (replaced(3, "a2b2c2i3i4/h10/j10"), "places", "5 castles instead of 4"),
        (replaced(3, "b2a2i3i4/h10/j10"), "places", "not in order"),
        (replaced(3, "a2a2i3i4/h10/j10"), "places", "not in order"),
        (replaced(3, "a2b2i3i4/b2/j10"), "places", "White's goal b2 is on a castle"),
        (replaced(3, "a2b2i3i4/h10/a2"), "places", "Black's goal a2 is on a castle"),
        (replaced(3, "a2b2i3i4/g10/j10"), "places", "White's goal g10 is not light"),
        (replaced(3, "a2b2i3i4/h10/h9h8"), "places", "a side has one goal"),
        (replaced(3, "a2b2i3i4/h10/h10"), "places", "both goals are on one square"),
        (replaced(3, "b1a2b2i4/h10/j10"), "places", "3 of the castles are dark instead of 2"),
        (replaced(3, "a2b2i3i4/h10"), "places", "is not castles/goal/goal"),
        (replaced(3, "a2b2i3k4/h10/j10"), "places", "not a list of squares"),
        (replaced(4, "0"), "visited", "not two values"),
        (replaced(4, "g/0"), "visited", "not one hexadecimal digit"),
        (replaced(4, "00/0"), "visited", "not one hexadecimal digit"),
        (place("h10=S j10=s", visited="f/f"), "visited", "both Wanderers"),
        (replaced(5, "d4:2"), "resting", "there is no Dragon on d4"),
        (replaced(5, "c1:2"), "resting", "there is no Dragon on c1"),
        (replaced(5, "e5:9"), "resting", "9 is more than 8"),
        (replaced(5, "e5:0"), "resting", "no turn to rest"),
        (replaced(5, "e5:1,e5:2"), "resting", "e5 is there twice"),
        (replaced(5, "e5"), "resting", "an entry such as e4:2"),
        (replaced(5, ""), "text", "6 fields"),
        (replaced(6, "101"), "quiet", "101 is more than the quiet limit of 100"),
        (replaced(6, "-1"), "quiet", "not a whole number"),
    ],
)
def test_text_refused(text: str, name: str, words: str) -> None:
    with pytest.raises(PositionError, match=re.escape(words)) as raised:
        position_of(text)
    assert raised.value.field == name


def test_texts_in_other_letter_case_and_order() -> None:
    text = place("d4=DS e5=d a9=s", resting="d4:2,e5:1")
    board_field, rest = text.split(" ", 1)
    swapped = rest.upper().replace("D4:2,E5:1", "E5:1,D4:2")
    assert TROLLCHESS.text(position_of(f"{board_field} {swapped}")) == text


@pytest.mark.parametrize(
    "token",
    ["", "d4", "d4d4", "d4d11", "Rd4d5", "NSd4d5", "d4d5^^", "d4-d5", "d4k5", "d0d1", "pas"],
)
def test_token_refused(token: str) -> None:
    with pytest.raises(MoveError):
        TROLLCHESS.read_token(position_of(GOOD), token)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("c4c5", "there is nothing on c4"),
        ("f6e5", "Black's Knight on f6 is not a piece of the side to move"),
        ("Sd4d5", "there is no stack on d4, so no letters stand before the move"),
        ("j1i2", "a Robber goes diagonally only to capture"),
        ("j1h1", "a Robber does not go from j1 to h1"),
        ("e5e6", "a Dragon does not go from e5 to e6"),
        ("b1b3", "b2 is in the way from b1 to b3"),
        ("b1c3", "a Mage does not go from b1 to c3"),
        ("h8h9", "a Knight does not go from h8 to h9"),
        ("b2b3", "a Robber moves straight only to an empty square"),
        ("h8f6", "what goes to f6 cannot join R there"),
        ("c8c7", "there is a stack on c8, so the letters of the group stand before the move"),
        ("Dc8a5", "White's Wanderer is not on c8"),
    ],
)
def test_reasons_of_illegal_moves(token: str, words: str) -> None:
    text = place("d4=S f6=r e5=D j1=P b1=M b2=P b3=r h8=R c8=ds")
    if token == "h8f6":
        text = place("d4=S f6=R h8=R")
    if token == "Dc8a5":
        words = "Black's Dragon on c8 does not carry White's Wanderer"
    assert why_not(position_of(text), token) == words


def test_drawing() -> None:
    text = place("d4=DSNsn e5=d a9=P", visited="5/0", resting="d4:2,e5:1")
    lines = TROLLCHESS.draw(position_of(text)).splitlines()
    assert max(map(len, lines)) <= 80
    assert "DSNsn" in lines[7]
    assert "White: visited 2 of 4 castles (a2 i3), goal h10" in lines
    assert "resting Dragons, with turns of the game: d4 2, e5 1" in lines
    assert GROUND in TROLLCHESS.text(position_of(text))
