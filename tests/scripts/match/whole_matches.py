"""Finished games of whole matches, at will and at random."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

from kibitz.scripts.match.records.records import (
    FORFEITS,
    GameRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)

NAMES = ("delta", "alpha", "charlie", "bravo")
START = datetime(2030, 1, 1, tzinfo=UTC)


def game(number: int, white: str, black: str, result: Result, **more: Any) -> GameRecord:
    """Give a game of paired games as the schedule numbers them, unless `more` says otherwise."""
    illegal_pvs = more.pop("illegal_pvs", (0, 0))
    given: dict[str, Any] = {
        "pair": (number + 1) // 2,
        "leg": 2 - number % 2,
        "round": 1,
        "outcome": Outcome.RULES,
        "reason": "no stones left",
    }
    return GameRecord(
        number=number,
        event="20 ms against 60 ms",
        game="jarmo",
        white=PlayerRecord(white, illegal_pvs=illegal_pvs[0]),
        black=PlayerRecord(black, illegal_pvs=illegal_pvs[1]),
        result=result,
        started=START + timedelta(minutes=number),
        ended=START + timedelta(minutes=number, seconds=30),
        **(given | more),
    )


def pair(number: int, first: str, second: str, results: str, **more: Any) -> list[GameRecord]:
    """Give the two games of a pair; results are letters, W, D, L or *, of the first player's."""
    white = {"W": Result.WHITE_WINS, "D": Result.DRAW, "L": Result.BLACK_WINS, "*": Result.NONE}
    black = white | {"W": Result.BLACK_WINS, "L": Result.WHITE_WINS}
    return [
        game(2 * number - 1, first, second, white[results[0]], **more),
        game(2 * number, second, first, black[results[1]], **more),
    ]


class WholeMatch(NamedTuple):
    """Who plays, how many games are a pair, and the games that are finished, in some order."""

    players: tuple[str, ...]
    legs: int
    records: list[GameRecord]


_points = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-9, 2.5, 7.0, 1e15])


@st.composite
def _ends(draw: st.DrawFn) -> dict[str, Any]:
    outcomes = [outcome for outcome in Outcome if outcome is not Outcome.ILLEGAL_PV]
    outcome = draw(st.sampled_from(outcomes))
    guilty = draw(st.sampled_from(Side) if outcome in FORFEITS else st.none())
    if outcome is Outcome.DISAGREEMENT:
        guilty = draw(st.none() | st.sampled_from(Side))
    return {
        "outcome": outcome,
        "guilty": guilty,
        "points": draw(st.none() | st.tuples(_points, _points)),
        "illegal_pvs": draw(st.tuples(st.integers(0, 3), st.integers(0, 3))),
    }


@st.composite
def whole_matches(
    draw: st.DrawFn, most_players: int = 4, legs: st.SearchStrategy[int] | None = None
) -> WholeMatch:
    """Give any match, finished or not."""
    players = NAMES[: draw(st.integers(2, most_players))]
    per_pair = draw(legs or st.sampled_from([1, 2]))
    names = st.permutations(players).map(lambda order: order[:2])
    records = []
    for number in range(1, draw(st.integers(0, 12)) + 1):
        sides = draw(names)
        for leg in range(1, per_pair + 1):
            white, black = sides if leg == 1 else sides[::-1]
            records.append(
                game(
                    (number - 1) * per_pair + leg,
                    white,
                    black,
                    draw(st.sampled_from(Result)),
                    **(draw(_ends()) | {"pair": number, "leg": leg}),
                )
            )
    order = draw(st.permutations(records))
    return WholeMatch(players, per_pair, order[: draw(st.integers(0, len(order)))])
