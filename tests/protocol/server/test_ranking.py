import random

from kibitz.protocol.server.ranking import FEW, Ranking


def test_order_of_things_that_move() -> None:
    ranking: Ranking[str] = Ranking()
    assert ranking.first() is None
    for number, thing in enumerate("abcd"):
        ranking.put(thing, (1.0, number))
    assert list(ranking.in_order()) == ["a", "b", "c", "d"]
    ranking.put("a", (3.0, 0))
    ranking.put("d", (0.5, 9))
    ranking.discard("c")
    ranking.discard("c")
    assert list(ranking.in_order()) == ["d", "b", "a"]
    assert ranking.first() == "d"
    assert len(ranking) == 3


def test_the_same_as_sorting() -> None:
    chooser = random.Random(1)
    ranking: Ranking[int] = Ranking()
    ranks: dict[int, tuple[float, int]] = {}
    for step in range(3000):
        thing = chooser.randrange(60)
        if chooser.random() < 0.3:
            ranking.discard(thing)
            ranks.pop(thing, None)
        else:
            ranks[thing] = (chooser.randrange(8), step)
            ranking.put(thing, ranks[thing])
        assert list(ranking.in_order()) == sorted(ranks, key=lambda thing: ranks[thing])


def test_old_entries_do_not_pile_up() -> None:
    ranking: Ranking[str] = Ranking()
    ranking.put("first", (0.0, 0))
    for step in range(10_000):
        ranking.put("other", (1.0 + step, 0))
    assert len(ranking._heap) <= 2 * 2 + FEW
    assert list(ranking.in_order()) == ["first", "other"]
