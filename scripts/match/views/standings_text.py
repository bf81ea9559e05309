"""Standings as text: the table of players, who played whom, what engines did wrong, and all of it.

Names are shown with codes for what cannot be printed.
"""

from collections.abc import Callable, Sequence

from kibitz.scripts.match.records.records import Outcome
from kibitz.scripts.match.settings.match_settings import PairsBy
from kibitz.scripts.match.statistics.counts import Tally
from kibitz.scripts.match.statistics.report import report_lines
from kibitz.scripts.match.statistics.standings import FAULTS, Row, Standings
from kibitz.scripts.match.views.text_table import Column, table_lines
from kibitz.scripts.match.views.visible import visible

MOST_NAME = 32

FAULT_WORDS = {
    Outcome.ILLEGAL_MOVE: "illegal moves",
    Outcome.ILLEGAL_PV: "illegal pvs",
    Outcome.CRASH: "crashes",
    Outcome.STALL: "stalls",
    Outcome.DISCONNECT: "disconnects",
    Outcome.TIME: "time losses",
    Outcome.DISAGREEMENT: "disagreements",
}


def rating_lines(standings: Standings, width: int | None = None) -> list[str]:
    """Write the table of players, best first, on lines of at most `width` characters.

    Ratings are only for more than two: for two, the report has their difference.
    """
    rows = standings.rows()

    def column(title: str, cell: Callable[[Row], str], weight: int) -> Column:
        return Column(title, tuple(map(cell, rows)), weight)

    ratings = (
        column("Elo", lambda row: _or_dash(row.rating, "{:.1f}"), 7),
        column("error", lambda row: _or_dash(row.error, "{:.1f}"), 4),
    )
    columns = [
        column("#", lambda row: str(row.rank), 8),
        Column("name", tuple(visible(row.name, MOST_NAME) for row in rows), 9, is_left=True),
        *(ratings if len(rows) > 2 else ()),
        column(_unit(standings), lambda row: str(row.counted.games), 6),
        column("won", lambda row: str(row.counted.wins), 3),
        column("drawn", lambda row: str(row.counted.draws), 3),
        column("lost", lambda row: str(row.counted.losses), 3),
        column("score", lambda row: f"{row.counted.score:.1f}", 8),
        column("%", lambda row: _or_dash(row.share, "{:.1%}").rstrip("%"), 5),
    ]
    if any(row.points for row in rows):
        columns += [
            column("for", lambda row: _points(row, 0), 2),
            column("against", lambda row: _points(row, 1), 2),
        ]
    if any(row.without_result for row in rows):
        columns.append(column("no result", lambda row: str(row.without_result), 1))
    if any(_fault_count(row) for row in rows):
        columns.append(column("faults", lambda row: str(_fault_count(row)), 1))
    return table_lines(columns, width)


def cross_lines(standings: Standings) -> list[str]:
    """Write the cross table: what each player (a row) scored against each (a column), of what."""
    rows = standings.rows()
    numbers = {row.name: number for number, row in enumerate(rows)}
    cells = [["." if one is other else "" for one in rows] for other in rows]
    for meeting in standings.meetings():
        first, second = numbers[meeting.first], numbers[meeting.second]
        cells[first][second] = _of(meeting.counted)
        cells[second][first] = _of(meeting.counted.flipped())
    columns = [
        Column("", tuple(str(number) for number in range(1, len(rows) + 1))),
        Column("name", tuple(visible(row.name, MOST_NAME) for row in rows), is_left=True),
        *(
            Column(str(number), tuple(row[number - 1] for row in cells))
            for number in range(1, len(rows) + 1)
        ),
    ]
    return table_lines(columns)


def fault_lines(rows: Sequence[Row]) -> list[str]:
    """Say what the engines did wrong, a line for each that did."""
    lines = []
    for row in rows:
        found = [f"{FAULT_WORDS[kind]} {row.faults[kind]}" for kind in FAULTS if row.faults[kind]]
        if found:
            lines.append(f"Faults of {visible(row.name)}: {', '.join(found)}")
    return lines


def match_lines(standings: Standings) -> list[str]:
    """Write how the first player did against the second: the score and the report.

    The score is wins, losses, draws, the share of the score, and games, as testing programs
    write it.
    """
    report = standings.report()
    tally = report.tally
    names = " vs ".join(map(visible, standings.players[:2]))
    score = f"{tally.wins} - {tally.losses} - {tally.draws}"
    share = "-" if report.score is None else f"{report.score:.3f}"
    return [f"Score of {names}: {score} [{share}] {tally.games}", *report_lines(report)]


def final_lines(standings: Standings) -> list[str]:
    """Write a whole report: for two players the match, for more the tables; then the faults."""
    rows = standings.rows()
    lines = []
    if len(rows) == 2:
        lines += match_lines(standings)
    else:
        lines += ["Ratings, with errors of 95 %:", *rating_lines(standings), ""]
        groups = {row.group for row in rows if row.group}
        for group in sorted(groups) if len(groups) > 1 else ():
            names = ", ".join(visible(row.name) for row in rows if row.group == group)
            lines.append(f"Comparable only with each other: {names}")
        lines += [f"Score of {_unit(standings)} between players:", *cross_lines(standings)]
        if standings.sprt is not None:
            lines += ["", *match_lines(standings)]
    without = sum(row.without_result for row in rows) // 2
    faults = fault_lines(rows)
    if len(rows) > 2 and (without or faults):
        lines.append("")
    if without:
        lines.append(f"Games without a result: {without}")
    return lines + faults


def _unit(standings: Standings) -> str:
    return "games" if standings.decide is PairsBy.RESULTS else "pairs"


def _or_dash(value: float | None, form: str) -> str:
    # Adding 0 takes the minus sign off a zero.
    return "-" if value is None else form.format(round(value, 4) + 0.0)


def _points(row: Row, side: int) -> str:
    return "-" if row.points is None else f"{row.points[side]:g}"


def _fault_count(row: Row) -> int:
    return sum(row.faults.values())


def _of(tally: Tally) -> str:
    return f"{tally.score:g}/{tally.games}"
