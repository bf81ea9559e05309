import math

import msgspec
import pytest

from kibitz.scripts.match.statistics.counts import Pentanomial, Points, Tally
from kibitz.scripts.match.statistics.elo import (
    elo_difference,
    likelihood_of_superiority,
    normalized_elo,
)
from kibitz.scripts.match.statistics.report import Report, make_report, report_lines
from kibitz.scripts.match.statistics.sprt import Decision, Model, Sprt


def test_report_of_pairs() -> None:
    pairs = Pentanomial((34, 54, 63, 64, 75))
    report = make_report(
        pairs.tally(drawn_pairs=31),
        pairs,
        sprt=Sprt(elo0=0, elo1=5, model=Model.LOGISTIC),
        points=Points(580, 5800, 5075),
    )
    assert report.elo == elo_difference(pairs)
    assert report.normalized == normalized_elo(pairs)
    assert report.superiority == likelihood_of_superiority(pairs)
    assert report.score == pairs.score / 580
    assert report.state is not None
    assert report.state.decision is Decision.CONTINUE
    # The values of Elo and nElo are those that fastchess publishes for these counts.
    assert report_lines(report) == [
        "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 29.23",
        "LOS: 100.00 %, draws: 31.03 %, even pairs: 21.72 %, pairs ratio: 1.58",
        "Games: 580, wins: 246, losses: 154, draws: 180, score: 336.0 (57.93 %)",
        "Ptnml(0-2): [34, 54, 63, 64, 75]",
        "Points a game: 10.00 for, 8.75 against",
        "LLR: 1.34 (45.4 %) (-2.94, 2.94) [0.00, 5.00] logistic",
    ]


def test_report_of_unpaired_games() -> None:
    tally = Tally(880, 1863, 759)
    report = make_report(tally, sprt=Sprt(elo0=0, elo1=5, model=Model.LOGISTIC))
    assert report.pairs is None
    assert report.elo == elo_difference(tally)
    assert report.even is None
    assert report.ratio is None
    lines = report_lines(report)
    assert lines[0].startswith("Elo: 12.01 +/- 7.87")
    assert lines[1] == "LOS: 99.86 %, draws: 53.20 %"
    assert lines[-1].endswith("[0.00, 5.00] logistic, H1 accepted")
    assert not any("Ptnml" in line or "Points" in line for line in lines)


def test_report_of_nothing() -> None:
    report = make_report(Tally(), Pentanomial(), sprt=Sprt(elo0=0, elo1=5), points=Points())
    assert report_lines(report) == [
        "Elo: -, nElo: -",
        "LOS: -, draws: -, even pairs: -, pairs ratio: -",
        "Games: 0, wins: 0, losses: 0, draws: 0, score: 0.0 (-)",
        "Ptnml(0-2): [0, 0, 0, 0, 0]",
        "LLR: 0.00 (0.0 %) (-2.94, 2.94) [0.00, 5.00] normalized",
    ]


@pytest.mark.parametrize(
    ("tally", "line"),
    [
        (Tally(wins=4), "Elo: inf +/- -, nElo: inf +/- -"),
        (Tally(losses=4), "Elo: -inf +/- -, nElo: -inf +/- -"),
        (Tally(draws=4), "Elo: 0.00 +/- -, nElo: 0.00 +/- -"),
        (Tally(wins=9, losses=1), "Elo: 381.70 (158.99 to inf), nElo: 463.25 +/- 598.16"),
        (Tally(wins=1, losses=9), "Elo: -381.70 (-inf to -158.99), nElo: -463.25 +/- 598.16"),
        (Tally(wins=10_000_001, losses=10_000_000), "Elo: 0.00 +/- 0.15, nElo: 0.00 +/- 0.15"),
        (Tally(wins=10_000_000, losses=10_000_001), "Elo: 0.00 +/- 0.15, nElo: 0.00 +/- 0.15"),
    ],
)
def test_numbers_that_are_not_plain(tally: Tally, line: str) -> None:
    assert report_lines(make_report(tally))[0] == line


def test_a_game_of_an_unfinished_pair_counts_in_the_tally_only() -> None:
    report = make_report(Tally(3, 0, 0), Pentanomial((0, 0, 0, 0, 1)))
    assert report.tally.games == 3
    assert report.elo == elo_difference(Pentanomial((0, 0, 0, 0, 1)))
    with pytest.raises(ValueError, match="2 pairs"):
        make_report(Tally(3, 0, 0), Pentanomial((0, 0, 0, 0, 2)))


def test_report_as_json() -> None:
    report = make_report(Tally(16, 8, 10), Pentanomial((1, 4, 5, 4, 3)), sprt=Sprt(elo0=0, elo1=5))
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    won = make_report(Tally(wins=2), Pentanomial((0, 0, 0, 0, 1)))
    assert won.elo is not None
    assert won.elo.value == math.inf
    assert msgspec.json.decode(msgspec.json.encode(won))["elo"]["value"] is None
