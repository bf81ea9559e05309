import pytest

from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.scripts.match.planning import book_maker
from kibitz.scripts.match.planning.book_maker import BookMaker, BookPlan, Found, make_book
from kibitz.scripts.match.planning.openings import Opening, read_book, write_opening
from kibitz.search.driver import Search
from kibitz.search.info import Info
from kibitz.search.limits import Limit
from kibitz.search.table import Table


def plan(**changes: object) -> BookPlan:
    usual = {"plies": 5, "count": 6, "balance": 60, "limit": Limit(depth=2), "seed": 3}
    return BookPlan(**(usual | changes))  # type: ignore[arg-type]


def test_openings_are_legal_distinct_and_balanced(game: Game) -> None:
    book = make_book(game, {}, plan())
    assert len(book) == 6
    keys = set()
    for found in book:
        assert len(found.opening.moves) == 5
        assert (found.opening.deal is not None) == game.is_dealt
        play = Play(game, {}, deal=found.opening.deal)
        play.push_all(found.opening.moves)
        assert not play.is_over
        keys.add(play.position.key)
        infos: list[Info] = []
        Search(play.position, Table(1), Limit(depth=2), report=infos.extend).run()
        assert infos[-1].score.cp == found.cp
        assert abs(found.cp) <= 60
    assert len(keys) == 6
    text = "\n".join(write_opening(found.opening) for found in book)
    read = read_book(text, game, {})
    assert [(opening.deal, opening.moves) for opening in read] == [
        (found.opening.deal, found.opening.moves) for found in book
    ]


def test_the_score_is_that_of_the_last_whole_iteration(game: Game) -> None:
    cut_short = 0
    limit = Limit(nodes=700)
    for found in make_book(game, {}, plan(count=12, balance=300, limit=limit)):
        play = Play(game, {}, deal=found.opening.deal)
        play.push_all(found.opening.moves)
        infos: list[Info] = []
        Search(play.position, Table(1), limit, report=infos.extend).run()
        cut_short += bool(infos[-1].bound)
        assert [info.score.cp for info in infos if not info.bound][-1] == found.cp
    assert cut_short


def test_the_same_plan_makes_the_same_book(game: Game) -> None:
    for limit in (Limit(depth=2), Limit(nodes=300)):
        book = make_book(game, {}, plan(limit=limit))
        assert make_book(game, {}, plan(limit=limit)) == book
        # A longer book begins with the shorter one.
        assert make_book(game, {}, plan(limit=limit, count=3)) == book[:3]
        assert make_book(game, {}, plan(limit=limit, seed=4)) != book


def test_when_there_are_no_more_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_maker, "PATIENCE", 200)
    jarmo = find_game("jarmo")
    first = Play(jarmo, {}).legal_tokens()
    book = make_book(jarmo, {}, plan(plies=1, count=100, balance=10_000))
    assert sorted(found.opening.moves[0] for found in book) == first
    assert [found.opening for found in make_book(jarmo, {}, plan(plies=0))] == [Opening()]
    # Random games are over long before this.
    talisman = find_game("talisman")
    monkeypatch.setattr(book_maker, "PATIENCE", 5)
    assert make_book(talisman, {}, plan(plies=1000)) == []


def test_balance_is_kept_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_maker, "PATIENCE", 100)
    jasir = find_game("jasir")
    scores = {abs(found.cp) for found in make_book(jasir, {}, plan(count=50, balance=10_000))}
    assert max(scores) > 20
    narrow = {abs(found.cp) for found in make_book(jasir, {}, plan(count=50, balance=20))}
    assert narrow
    assert max(narrow) <= 20


def test_deals_alone_are_openings() -> None:
    book = make_book(find_game("trollchess"), {}, plan(plies=0, balance=10_000))
    assert len({found.opening.deal for found in book}) == 6
    assert not any(found.opening.moves for found in book)


def test_options_of_the_game_count() -> None:
    krepost = find_game("krepost")
    book = make_book(krepost, {"BoardSize": "8"}, plan())
    for found in book:
        play = Play(krepost, {"BoardSize": "8"})
        play.push_all(found.opening.moves)
    with pytest.raises(OptionError):
        make_book(krepost, {"BoardSize": "9"}, plan())


def test_it_can_be_stopped() -> None:
    jarmo = find_game("jarmo")
    found: list[Found] = []

    def report(one: Found) -> None:
        found.append(one)
        if len(found) == 2:
            maker.stop()

    maker = BookMaker(jarmo, {}, plan())
    assert maker.run(report) == 2
    maker = BookMaker(jarmo, {}, plan(limit=Limit(depth=90)))
    maker.stop()
    assert maker.run(report) == 0
