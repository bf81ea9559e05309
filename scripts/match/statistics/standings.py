"""Who stands where: the games of a match, added one by one in any order, and what they come to.

The numbers depend on which games were added and not on their order, so a match that is
resumed, or whose games end in another order, has the same standings. What a game without a
result is, and what decides a pair, is told in docs/statistics.md.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Self

import msgspec

from kibitz.engine.options import shorten
from kibitz.scripts.match.planning.pairings import legs_of
from kibitz.scripts.match.records.records import FORFEITS, GameRecord, Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import MatchSettings, PairsBy
from kibitz.scripts.match.statistics.counts import Pentanomial, Points, Tally
from kibitz.scripts.match.statistics.crosstable import Encounter
from kibitz.scripts.match.statistics.ratings import rate
from kibitz.scripts.match.statistics.report import Report, make_report
from kibitz.scripts.match.statistics.sprt import Sprt, SprtState

FAULTS = (
    Outcome.ILLEGAL_MOVE,
    Outcome.ILLEGAL_PV,
    Outcome.CRASH,
    Outcome.STALL,
    Outcome.DISCONNECT,
    Outcome.TIME,
    Outcome.DISAGREEMENT,
)
"""What is counted against players, in the order of tables."""

_DOUBLE_SCORES = {Result.WHITE_WINS: 2, Result.DRAW: 1, Result.BLACK_WINS: 0}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A player in the table.

    `tally` counts the games with a result, `without_result` the others. `counted` is what
    ranks and ratings are made of: the same games, or the pairs where points decide those.
    `share` is its score, from 0 to 1 of what was to be had, None without any. `points` are
    the sums for and against, None where no game has points. `rating` with its `error` of
    95 % is in Elo, around 0 for all players of one `group`; ratings of different groups, which
    no games connect, cannot be compared. `faults` has a number for each of `FAULTS`.
    """

    rank: int
    name: str
    tally: Tally
    counted: Tally
    without_result: int
    share: float | None
    points: tuple[float, float] | None
    rating: float | None
    error: float | None
    group: int
    faults: dict[Outcome, int]


class Meeting(msgspec.Struct, frozen=True, kw_only=True):
    """All games between two players; the numbers are the first one's, as in `Row`.

    `pairs` are the finished pairs with two results; None when games are not paired.
    """

    first: str
    second: str
    tally: Tally
    counted: Tally
    pairs: Pentanomial | None
    without_result: int
    points: tuple[float, float] | None


class Standings:
    """The games of a match so far."""

    def __init__(
        self,
        players: Sequence[str],
        *,
        legs: int = 2,
        sprt: Sprt | None = None,
        decide: PairsBy = PairsBy.RESULTS,
    ) -> None:
        """Begin without games.

        `players` are in the order of the match; the test, if any, is of the first against
        the second. `legs` is 2 when games are paired, else 1. ValueError when these cannot be
        together.
        """
        if len(players) < 2 or len(set(players)) < len(players):
            raise ValueError("players: there are at least two, with different names")
        if legs not in (1, 2):
            raise ValueError(f"legs: {legs} is neither 1 nor 2")
        if decide is PairsBy.POINTS and legs == 1:
            raise ValueError("decide: points decide pairs, and games are not paired")
        self.players = tuple(players)
        self.legs = legs
        self.sprt = sprt
        self.decide = decide
        self._places = {name: place for place, name in enumerate(players)}
        self._numbers: set[int] = set()
        self._waiting: dict[int, _Game] = {}
        self._pairs: dict[int, int | None] = {}
        self._sums: dict[tuple[int, int], _Sum] = {}
        self._faults = [dict.fromkeys(FAULTS, 0) for _ in players]
        self._rows: tuple[Row, ...] | None = None
        self._report: Report | None = None

    @classmethod
    def of(cls, settings: MatchSettings, players: Sequence[str]) -> Self:
        """Begin the standings of a match between players with these names.

        ValueError for what the settings cannot be together.
        """
        test = settings.sprt
        return cls(
            players,
            legs=legs_of(settings.games),
            sprt=None if test is None else Sprt(**msgspec.structs.asdict(test)),
            decide=settings.decide,
        )

    @property
    def games(self) -> int:
        """The number of finished games, with and without a result."""
        return len(self._numbers)

    def add(self, record: GameRecord) -> bool:
        """Count a game, unless its number counts already; says whether it finished its pair.

        An unpaired game is a pair of its own. ValueError, with nothing changed, for a game
        that is not of this match: other players, or a third game of a pair.
        """
        if record.number in self._numbers:
            return False
        game = self._game(record)
        other = self._waiting.get(record.pair)
        if record.pair in self._pairs or record.leg > self.legs:
            raise ValueError(f"game {record.number}: pair {record.pair} has no such game")
        if other is not None and (other.leg, other.white, other.black) != (
            3 - game.leg,
            game.black,
            game.white,
        ):
            raise ValueError(f"game {record.number}: it is no pair with the other of its pair")
        self._numbers.add(record.number)
        self._rows = self._report = None
        self._count_faults(record, game)
        total = self._sums.setdefault(game.players, _Sum())
        total.add(game)
        if other is None and self.legs == 2:
            self._waiting[record.pair] = game
            return False
        result = self._decide([game] if other is None else [self._waiting.pop(record.pair), game])
        self._pairs[record.pair] = result
        if self.legs == 2 and result is not None:
            total.pairs[result] += 1
        return True

    def add_all(self, records: Iterable[GameRecord]) -> None:
        """Count games."""
        for record in records:
            self.add(record)

    def pair_result(self, pair: int) -> int | None:
        """Twice the sum of a pair's scores, 0 to 4, or 0 to 2 for an unpaired game.

        Seen from the player that comes first in the match. None for a pair that is not finished
        or has a game without a result.
        """
        return self._pairs.get(pair)

    def sprt_state(self) -> SprtState | None:
        """Say where the test of the first player against the second stands; None without one.

        It goes by pairs when games are paired.
        """
        return self.report().state

    def report(self) -> Report:
        """Give all numbers of the first player against the second."""
        if self._report is None:
            total = self._between(0, 1)
            self._report = make_report(
                total.tally,
                Pentanomial(total.pentanomial) if self.legs == 2 else None,
                sprt=self.sprt,
                points=total.points if total.points.games else None,
            )
        return self._report

    def meetings(self) -> tuple[Meeting, ...]:
        """Give the encounters of players who met, in the order of the players."""
        return tuple(
            Meeting(
                first=self.players[first],
                second=self.players[second],
                tally=total.tally,
                counted=total.counted(self.decide),
                pairs=Pentanomial(total.pentanomial) if self.legs == 2 else None,
                without_result=total.without_result,
                points=_point_sums(total.points),
            )
            for (first, second), total in sorted(self._sums.items())
        )

    def rows(self) -> tuple[Row, ...]:
        """Give the table, best first.

        Players are ranked by the share of their score, then by their points less those of
        their enemies; equals share a rank and stand in the order of the match.
        """
        if self._rows is None:
            self._rows = self._make_rows()
        return self._rows

    def _game(self, record: GameRecord) -> "_Game":
        places = []
        for name in (record.white.name, record.black.name):
            if name not in self._places:
                raise ValueError(f"game {record.number}: no player is named {shorten(name)}")
            places.append(self._places[name])
        if places[0] == places[1]:
            raise ValueError(f"game {record.number}: {shorten(name)} plays against itself")
        points = record.points
        return _Game(
            leg=record.leg,
            white=places[0],
            black=places[1],
            double_score=_DOUBLE_SCORES.get(record.result),
            points=None if points is None else (Fraction(points[0]), Fraction(points[1])),
            is_forfeit=record.outcome in FORFEITS,
        )

    def _count_faults(self, record: GameRecord, game: "_Game") -> None:
        for side, place in ((Side.WHITE, game.white), (Side.BLACK, game.black)):
            faults = self._faults[place]
            faults[Outcome.ILLEGAL_PV] += record.player(side).illegal_pvs
            # A disagreement that is nobody's fault is counted for both who disagreed.
            if record.outcome in FAULTS and record.guilty in (side, None):
                faults[record.outcome] += 1

    def _decide(self, games: Sequence["_Game"]) -> int | None:
        """Give the result of a finished pair, as `pair_result` does."""
        scores = [game.of_first[0] for game in games]
        if None in scores:
            return None
        total = sum(score for score in scores if score is not None)
        if self.decide is PairsBy.RESULTS:
            return total
        points = [game.of_first[1] for game in games if not game.is_forfeit]
        lead = Fraction(total - len(games))
        if len(points) == len(games) and None not in points:
            lead = sum((own - other for own, other in filter(None, points)), Fraction())
        return 4 if lead > 0 else 0 if lead < 0 else 2

    def _between(self, first: int, second: int) -> "_Sum":
        return self._sums.get((first, second)) or _Sum()

    def _make_rows(self) -> tuple[Row, ...]:
        totals = [_Sum() for _ in self.players]
        for (first, second), total in self._sums.items():
            totals[first].include(total, is_flipped=False)
            totals[second].include(total, is_flipped=True)
        ratings = self._ratings()
        order = sorted(range(len(totals)), key=lambda place: self._merit(totals[place]))
        ranks = {order[0]: 1}
        for rank, (better, place) in enumerate(pairwise(order), 2):
            is_equal = self._merit(totals[better]) == self._merit(totals[place])
            ranks[place] = ranks[better] if is_equal else rank
        return tuple(self._row(ranks[place], place, totals[place], ratings) for place in order)

    def _merit(self, total: "_Sum") -> tuple[Fraction, Fraction]:
        """What players are ranked by, the least first."""
        counted = total.counted(self.decide)
        share = Fraction(counted.wins * 2 + counted.draws, 2 * counted.games or 1)
        return (-share if counted.games else Fraction(1), total.other - total.own)

    def _row(
        self, rank: int, place: int, total: "_Sum", ratings: dict[str, tuple[int, float, float]]
    ) -> Row:
        name = self.players[place]
        counted = total.counted(self.decide)
        group, rating, error = ratings.get(name, (0, None, None))
        return Row(
            rank=rank,
            name=name,
            tally=total.tally,
            counted=counted,
            without_result=total.without_result,
            share=counted.score / counted.games if counted.games else None,
            points=_point_sums(total.points),
            rating=rating,
            error=error,
            group=group,
            faults=dict(self._faults[place]),
        )

    def _ratings(self) -> dict[str, tuple[int, float, float]]:
        """Give group, from 1, rating and error of the players who have something to rate."""
        encounters = [
            Encounter(self.players[first], self.players[second], total.counted(self.decide))
            for (first, second), total in sorted(self._sums.items())
        ]
        return {
            rating.player: (number, rating.rating, rating.error)
            for number, group in enumerate(rate(encounters, players=self.players), 1)
            for rating in group.ratings
            if rating.error is not None
        }


class _Game(msgspec.Struct, frozen=True, kw_only=True):
    """What standings keep of a game; players by their places, twice White's score."""

    leg: int
    white: int
    black: int
    double_score: int | None
    points: tuple[Fraction, Fraction] | None
    is_forfeit: bool

    @property
    def players(self) -> tuple[int, int]:
        """The two players, in the order of the match."""
        return min(self.white, self.black), max(self.white, self.black)

    @property
    def of_first(self) -> tuple[int | None, tuple[Fraction, Fraction] | None]:
        """Twice the score, and the points, of the player who comes first in the match."""
        score, points = self.double_score, self.points
        if self.white < self.black:
            return score, points
        return None if score is None else 2 - score, points and points[::-1]


class _Sum:
    """Sums over games, of the player who comes first; points are exact, whatever the order."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.pairs = [0, 0, 0, 0, 0]
        self.without_result = 0
        self.games_with_points = 0
        self.own = Fraction()
        self.other = Fraction()

    def add(self, game: _Game) -> None:
        score, points = game.of_first
        if score is None:
            self.without_result += 1
            return
        self.tally += Tally.of([score / 2])
        if points is not None:
            self.games_with_points += 1
            self.own += points[0]
            self.other += points[1]

    def include(self, total: "_Sum", *, is_flipped: bool) -> None:
        step = -1 if is_flipped else 1
        self.tally += total.tally.flipped() if is_flipped else total.tally
        self.pairs = [a + b for a, b in zip(self.pairs, total.pairs[::step], strict=True)]
        self.without_result += total.without_result
        self.games_with_points += total.games_with_points
        own, other = (total.own, total.other)[::step]
        self.own += own
        self.other += other

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        lost, behind, even, ahead, won = self.pairs
        return (lost, behind, even, ahead, won)

    @property
    def points(self) -> Points:
        return Points(self.games_with_points, float(self.own), float(self.other))

    def counted(self, decide: PairsBy) -> Tally:
        if decide is PairsBy.RESULTS:
            return self.tally
        return Tally(self.pairs[4], self.pairs[2], self.pairs[0])


def _point_sums(points: Points) -> tuple[float, float] | None:
    return (points.own, points.other) if points.games else None
