"""Troll chess played: composed positions for the engine, random games, a weak opponent."""

import random
from collections import Counter

import pytest

from kibitz.engine import codes
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from kibitz.engine.registry import find_game
from kibitz.engine.sources import is_compiled
from kibitz.engine.trollchess import board
from kibitz.search.driver import Search
from kibitz.search.info import Info
from kibitz.search.limits import Limit
from kibitz.search.table import Table
from tests.contract.test_invariants import check_invariants
from tests.trollchess_positions import place

TROLLCHESS = find_game("trollchess")
COMPILED = pytest.mark.skipif(not is_compiled(), reason="takes minutes when not compiled")

RANDOM_GAMES = 500
NODES = 300


def position_of(text: str) -> Position:
    return TROLLCHESS.parse(text, TROLLCHESS.settings({}))


def best_move(position: Position, limit: Limit, table: Table | None = None) -> int:
    outcome = Search(position, table or Table(1), limit, report=lambda infos: None).run()
    assert outcome.best is not None
    return outcome.best


def best_token(text: str, depth: int) -> str:
    position = position_of(text)
    return TROLLCHESS.token(position, best_move(position, Limit(depth=depth)))


# Composed positions. Goals are h10 and j10; c3 and h9 are dark, b2 and d4 light.


@pytest.mark.core
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("text", "token"),
    [
        (place("g9=S a9=s b7=r j1=P", visited="f/3"), "g9h10"),
        (place("e8=DS a9=s b7=r j1=P", visited="f/3"), "De8h10"),
        (place("e8=dSs b7=r j1=P", visited="f/3"), "De8h10"),
        (place("h8=SN a9=s b7=r j1=P", visited="f/3"), "SNh8h10"),
        (place("j8=sn b2=S c3=M", "b", visited="1/f"), "SNj8j10"),
    ],
)
def test_wins_in_one(text: str, token: str, depth: int) -> None:
    position = position_of(text)
    move = best_move(position, Limit(depth=depth))
    assert TROLLCHESS.token(position, move) == token
    position.push(move)
    assert position.status in (codes.P1_WIN, codes.P2_WIN)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_saves_the_wanderer_on_its_own_colour(depth: int) -> None:
    """A Knight attacks dark c3, the other Knight and the Mage the dark squares beside it."""
    text = place("c3=S f6=r h6=r b8=m a9=s b9=p j1=P")
    token = best_token(text, depth)
    assert token.startswith("c3")
    assert not board.deal(1).ground.dark >> board.SQUARE_OF[token[2:]] & 1


@pytest.mark.parametrize("depth", [3, 4])
def test_kills_the_wanderer_with_the_right_piece(depth: int) -> None:
    """Robber, Mage and Mercenary can kill on light d4, but the Knight takes back there."""
    text = place("d4=s g7=r c3=P d9=M f4=N b10=S a5=p")
    assert {"c3d4", "d9d4", "f4d4"} <= set(Play(TROLLCHESS, {}, text).legal_tokens())
    assert best_token(text, depth) == "c3d4"


@pytest.mark.parametrize("depth", [2, 3])
def test_kills_instead_of_meeting(depth: int) -> None:
    text = place("d4=s c4=S d6=N a5=p h1=r")
    assert best_token(text, depth) == "d6d4"


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_does_not_ride_into_a_rest_that_loses_the_race(depth: int) -> None:
    """Both need two turns on foot. Every ride leads away, and the Dragon rests before the next."""
    text = place("h8=DS j8=s a1=p c1=P", visited="f/f")
    assert best_token(text, depth) in ("Sh8g9", "Sh8h9")
    ridden = position_of(text)
    ridden.push(TROLLCHESS.read_token(ridden, "Dh8e10"))
    found: list[Info] = []
    Search(ridden, Table(1), Limit(depth=4), report=found.extend).run()
    assert found[-1].score.mate == 3


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_avoids_a_loss_in_sight(depth: int) -> None:
    """Black's Wanderer would ride home next; on light h7 it can be killed with its Dragon."""
    text = place("h7=ds e7=M b2=S a1=P", visited="0/f")
    assert best_token(text, depth) == "e7h7"


@pytest.mark.core
def test_the_evaluation_knows_who_can_still_win() -> None:
    """A side without a Wanderer is behind, whatever else it has."""
    robbers = " ".join(f"{file}8=p" for file in "abcdefghij")
    alone = position_of(place(f"b2=S a9=m b9=r c9=r d9=d e9=d f9=n {robbers}"))
    assert alone.value() > 0
    both = position_of(place("b2=S a9=s b9=P"))
    assert abs(both.value()) < 1000


@pytest.mark.core
def test_the_evaluation_counts_the_turns_that_are_left() -> None:
    far = position_of(place("a1=S a9=s", visited="f/0")).value()
    near = position_of(place("f8=S a9=s", visited="f/0")).value()
    paired = position_of(place("a1=SN a9=s", visited="f/0")).value()
    fewer = position_of(place("a1=S a9=s", visited="7/0")).value()
    assert near > far > fewer
    assert paired > far
    # A Dragon that can carry it brings the end nearer; one that rests first, less so.
    ready = position_of(place("e5=DS a9=s", visited="f/0")).value()
    resting = position_of(place("e5=DS a9=s", visited="f/0", resting="e5:8")).value()
    assert ready > resting


# Whole games.


def pieces_in(text: str) -> int:
    return sum(letter.isalpha() for letter in text.split(" ")[0])


def check_text(play: Play, before: tuple[str, tuple[float, float]]) -> None:
    """The text is read as it is written; pieces and castles change in one way only."""
    text, points = before
    again = position_of(play.text)
    assert TROLLCHESS.text(again) == play.text
    assert again.key == play.position.key
    assert pieces_in(play.text) <= pieces_in(text)
    assert all(new >= old for new, old in zip(play.points, points, strict=True))
    changed = pieces_in(play.text) < pieces_in(text) or play.points != points
    assert changed == (play.position.quiet < 8)


@COMPILED
def test_random_games_end() -> None:
    endings: Counter[str] = Counter()
    for number in range(RANDOM_GAMES):
        chance = random.Random(number)
        play = Play(TROLLCHESS, {}, deal=chance.getrandbits(64))
        position = play.position
        turns = 0
        before = (play.text, play.points)
        while position.status == codes.ONGOING:
            position.push(chance.choice(position.legal_moves()))
            turns += 1
            assert position.key == position.recomputed_key()
            assert position.side == turns % 2
            if turns % 8 == 0:
                check_text(play, before)
                before = (play.text, play.points)
            if turns % 40 == 0:
                check_invariants(TROLLCHESS, position)
        check_invariants(TROLLCHESS, position)
        endings[play.reason] += 1
    assert sum(endings.values()) == RANDOM_GAMES
    assert set(endings) <= {"arrived", "dead", "quiet", "repetition"}


@COMPILED
def test_beats_a_player_that_chooses_at_random() -> None:
    """Each of ten deals from both sides, with few nodes a turn instead of a clock."""
    results: Counter[str] = Counter()
    for deal in range(100, 110):
        for side in range(2):
            chance = random.Random(2 * deal + side)
            play = Play(TROLLCHESS, {}, deal=deal)
            table = Table(1)
            while not play.is_over:
                if play.position.side == side:
                    move = best_move(play.position, Limit(nodes=NODES), table)
                else:
                    move = chance.choice(play.legal_moves())
                play.push(TROLLCHESS.token(play.position, move))
            won = play.result == ("p1win" if side == 0 else "p2win")
            results["won" if won else play.result] += 1
    assert results["won"] + results["draw"] == 20
    assert results["won"] >= 15
