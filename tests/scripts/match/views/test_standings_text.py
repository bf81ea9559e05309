from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kibitz.scripts.match.records.records import Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import PairsBy
from kibitz.scripts.match.statistics.sprt import Model, Sprt
from kibitz.scripts.match.statistics.standings import FAULTS, Standings
from kibitz.scripts.match.views.standings_text import (
    FAULT_WORDS,
    final_lines,
    match_lines,
    rating_lines,
)
from kibitz.scripts.match.views.text_table import Column, cut, table_lines
from kibitz.scripts.match.views.visible import MOST_SHOWN, visible
from tests.scripts.match.strategies import texts
from tests.scripts.match.whole_matches import WholeMatch, game, pair, whole_matches


def tournament() -> Standings:
    standings = Standings(["kibitz", "über 20", "将棋"])
    standings.add_all(pair(1, "kibitz", "über 20", "WW"))
    standings.add_all(pair(2, "kibitz", "将棋", "WD"))
    standings.add_all(pair(3, "über 20", "将棋", "D*"))
    lost = game(
        7,
        "将棋",
        "kibitz",
        Result.BLACK_WINS,
        outcome=Outcome.TIME,
        guilty=Side.WHITE,
        points=(3, 8),
    )
    standings.add(lost)
    standings.add(game(8, "kibitz", "将棋", Result.DRAW, illegal_pvs=(0, 2), points=(2.5, 2)))
    return standings


def test_a_tournament() -> None:
    assert final_lines(tournament()) == [
        "Ratings, with errors of 95 %:",
        "#  name        Elo  error  games  won  drawn  lost  score     %   for  against"
        "  no result  faults",
        "1  kibitz    201.4  142.4      6    4      2     0    5.0  83.3  10.5        5"
        "          0       0",
        "2  将棋      -33.6  139.2      5    0      3     2    1.5  30.0     5     10.5"
        "          1       3",
        "3  über 20  -167.8  187.9      3    0      1     2    0.5  16.7     -        -"
        "          1       0",
        "",
        "Score of games between players:",
        "   name       1      2      3",
        "1  kibitz     .    3/4    2/2",
        "2  将棋     1/4      .  0.5/1",
        "3  über 20  0/2  0.5/1      .",
        "",
        "Games without a result: 1",
        "Faults of 将棋: illegal pvs 2, time losses 1",
    ]


def test_a_match_of_two() -> None:
    test = Sprt(elo0=0, elo1=5, model=Model.LOGISTIC)
    standings = Standings(["a", "b"], sprt=test)
    for number, results in enumerate(("WW", "WD", "WL", "LD", "WD", "D*"), 1):
        standings.add_all(pair(number, "a", "b", results))
    assert final_lines(standings) == [
        "Score of a vs b: 5 - 2 - 4 [0.636] 11",
        "Elo: 107.54 +/- 193.52, nElo: 144.54 +/- 240.03",
        "LOS: 90.58 %, draws: 36.36 %, even pairs: 20.00 %, pairs ratio: 3.00",
        "Games: 11, wins: 5, losses: 2, draws: 4, score: 7.0 (63.64 %)",
        "Ptnml(0-2): [0, 1, 1, 2, 1]",
        "LLR: 0.07 (2.4 %) (-2.94, 2.94) [0.00, 5.00] logistic",
        "Games without a result: 1",
    ]
    assert final_lines(standings)[:6] == match_lines(standings)


def test_before_the_first_game() -> None:
    two = Standings(["a", "b"])
    assert final_lines(two)[:2] == ["Score of a vs b: 0 - 0 - 0 [-] 0", "Elo: -, nElo: -"]
    three = Standings(["a", "b", "c"])
    assert rating_lines(three)[1:] == [
        f"1  {name}       -      -      0    0      0     0    0.0  -" for name in "abc"
    ]


def test_pairs_by_points_are_counted_as_pairs() -> None:
    standings = Standings(["a", "b", "c"], decide=PairsBy.POINTS)
    standings.add_all(pair(1, "a", "b", "WL", points=(7, 2)))
    standings.add_all(pair(2, "c", "b", "WW"))
    titles, first, *_ = rating_lines(standings)
    assert titles.split()[4:9] == ["pairs", "won", "drawn", "lost", "score"]
    assert first.split()[1:2] + first.split()[4:9] == ["c", "1", "1", "0", "0", "1.0"]
    assert "Score of pairs between players:" in final_lines(standings)


def test_players_whom_no_games_connect_are_told_apart() -> None:
    standings = Standings(["a", "b", "c", "d", "e"])
    standings.add_all(pair(1, "a", "c", "WD"))
    assert not any("Comparable" in line for line in final_lines(standings))
    standings.add_all(pair(2, "b", "d", "LL"))
    assert [line for line in final_lines(standings) if "Comparable" in line] == [
        "Comparable only with each other: a, c",
        "Comparable only with each other: d, b",
    ]


def test_a_test_in_a_tournament_is_reported() -> None:
    standings = Standings(["a", "b", "c"], sprt=Sprt(elo0=0, elo1=5))
    standings.add_all(pair(1, "a", "c", "WD"))
    lines = final_lines(standings)
    assert "Score of a vs b: 0 - 0 - 0 [-] 0" in lines
    assert any(line.startswith("LLR:") for line in lines)


def test_every_fault_has_a_word() -> None:
    assert set(FAULT_WORDS) == set(FAULTS)


@given(whole_matches(), st.integers(0, 90))
def test_tables_fit(match: WholeMatch, width: int) -> None:
    standings = Standings(match.players, legs=match.legs)
    standings.add_all(match.records)
    lines = rating_lines(standings, width)
    assert len(lines) == 1 + len(match.players)
    assert all(cell_len(line) <= width for line in lines)
    if width >= 20:
        assert all(any(name in line for line in lines) for name in match.players)
    if width >= 28:
        assert lines[0].split()[:2] == ["#", "name"]
        assert "score" in lines[0]


def test_narrow_tables_leave_out_what_matters_least() -> None:
    titles = {" ".join(rating_lines(tournament(), width)[0].split()) for width in range(4, 100)}
    assert sorted(titles, key=len)[-5:] == [
        "# name Elo games score %",
        "# name Elo error games score %",
        "# name Elo error games won drawn lost score %",
        "# name Elo error games won drawn lost score % for against",
        "# name Elo error games won drawn lost score % for against no result faults",
    ]


@given(st.lists(texts.map(visible), min_size=1, max_size=3), st.integers(0, 30))
def test_wide_characters_take_their_room(names: list[str], width: int) -> None:
    columns = [
        Column("name", tuple(names), 1, is_left=True),
        Column("n", tuple(str(len(name)) for name in names)),
    ]
    whole = table_lines(columns)
    ends = {cell_len(line) for line in whole}
    assert len(ends) == 1
    assert all(cell_len(line) <= width for line in table_lines(columns, width))
    assert all(cell_len(cut(name, width)) <= width for name in names)


@given(texts | st.text(st.characters()))
def test_nothing_is_shown_that_a_terminal_obeys(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert len(shown) <= MOST_SHOWN
    if text.isprintable() and len(text) <= MOST_SHOWN:
        assert shown == text


def test_what_cannot_be_seen_is_shown_as_its_code() -> None:
    assert visible("a\x1b[2J\n\u202e\ud800b") == r"a\u(1b)[2J\u(a)\u(202e)\u(d800)b"
    assert visible("x" * 201) == "x" * 197 + "..."
    assert visible("x" * 200) == "x" * 200
    assert visible("\n" * 9, 12) == r"\u(a)\u(a..."
