"""Events of made-up matches: one that is always the same, and any."""

from typing import NamedTuple

from hypothesis import strategies as st

from kibitz.scripts.match.events import (
    EngineFailed,
    Event,
    GameBegan,
    GameEnded,
    MatchBegan,
    MatchEnded,
)
from kibitz.scripts.match.records.records import (
    GameRecord,
    MoveRecord,
    Outcome,
    Result,
    Side,
)
from kibitz.scripts.match.settings.match_settings import (
    EngineSettings,
    MatchSettings,
    PairsBy,
    RunSettings,
    SprtSettings,
)
from kibitz.scripts.match.statistics.sprt import Model
from kibitz.search.info import Score
from tests.scripts.match.strategies import texts
from tests.scripts.match.whole_matches import game, whole_matches

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07",
    "a\nFinished match: b",
    "[red]b[/red] :warning: [/]",
    "\u202egnorw\u2028\x85",
    "{}%s\\",
    "x" * 5000,
    "a\u0301" * 50 + "将棋",
)
"""Names and reasons that engines could send to do harm."""


class Match(NamedTuple):
    """The settings of a match and all its events."""

    settings: MatchSettings
    events: list[Event]


def began(record: GameRecord) -> GameBegan:
    """Give the event of the beginning of a game."""
    return GameBegan(
        number=record.number,
        pair=record.pair,
        round=record.round,
        white=record.white.name,
        black=record.black.name,
    )


def example() -> Match:
    """Give a short match of two players with everything in it, that of docs/match-output.md."""
    settings = MatchSettings(
        event="20 ms against 60 ms",
        game="jarmo",
        engines=(EngineSettings(name="slow"), EngineSettings(name="fast")),
        sprt=SprtSettings(elo0=0, elo1=5, model=Model.LOGISTIC),
        run=RunSettings(concurrency=2, report_every=2),
    )
    moves = (
        MoveRecord(Side.WHITE, "d1c2", book=True),
        MoveRecord(Side.BLACK, "b5b4", Score(cp=-12), 8, 19652, 24),
    )
    first = game(1, "slow", "fast", Result.WHITE_WINS, moves=moves, points=(3.0, 1.0))
    lost = game(
        2,
        "fast",
        "slow",
        Result.BLACK_WINS,
        outcome=Outcome.TIME,
        guilty=Side.WHITE,
        reason="White used 95 ms of 20 ms",
        illegal_pvs=(1, 0),
    )
    third = game(3, "slow", "fast", Result.DRAW, points=(2.0, 2.0))
    fault = EngineFailed(player="fast", reason="used 95 ms of 20 ms", outcome=Outcome.TIME)
    return Match(
        settings,
        [
            MatchBegan(
                event="20 ms against 60 ms", game="jarmo", players=("slow", "fast"), games=4
            ),
            began(first),
            began(lost),
            fault,
            GameEnded(record=lost),
            GameEnded(record=first),
            began(third),
            GameEnded(record=third),
            MatchEnded(reason="stopped by the user", is_complete=False),
        ],
    )


_failures = st.builds(
    EngineFailed, player=texts, reason=texts, outcome=st.none() | st.sampled_from(Outcome)
)


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """Give any match, perhaps resumed, with games at once, failures, and perhaps no end."""
    players, legs, records = draw(whole_matches())
    counted = draw(st.integers(0, len(records)))
    settings = MatchSettings(
        game="jarmo",
        engines=tuple(EngineSettings(name=name) for name in players),
        games=legs,
        sprt=draw(st.none() | st.just(SprtSettings(elo0=0, elo1=5))),
        decide=draw(st.sampled_from(PairsBy)) if legs == 2 else PairsBy.RESULTS,
        run=RunSettings(report_every=draw(st.integers(1, 4))),
    )
    events: list[Event] = draw(st.lists(_failures, max_size=1))
    events.append(
        MatchBegan(
            event=draw(texts),
            game=draw(texts),
            players=players,
            games=len(records) + draw(st.integers(0, 5)),
            records=tuple(records[:counted]),
        )
    )
    waiting = records[counted:]
    running: list[GameRecord] = []
    while waiting or running:
        events += draw(st.lists(_failures, max_size=1))
        if waiting and (not running or draw(st.booleans())):
            running.append(waiting.pop())
            events.append(began(running[-1]))
        else:
            events.append(GameEnded(record=running.pop(draw(st.integers(0, len(running) - 1)))))
    if draw(st.booleans()):
        events.append(MatchEnded(reason=draw(texts), is_complete=draw(st.booleans())))
    return Match(settings, events)


def hostile() -> Match:
    """Give a match in which all that engines can say is meant to do harm."""
    players = HOSTILE[:3]
    settings = MatchSettings(
        game="x",
        engines=tuple(EngineSettings(name=name) for name in players),
        run=RunSettings(report_every=1),
    )
    events: list[Event] = [
        MatchBegan(event=HOSTILE[0], game=HOSTILE[3], players=players, games=200)
    ]
    for number, reason in enumerate(HOSTILE):
        white, black = players[number % 3], players[(number + 1) % 3]
        record = game(2 * number + 1, white, black, Result.DRAW, reason=reason)
        events += [
            began(record),
            EngineFailed(player=white, reason=reason, outcome=Outcome.ILLEGAL_PV),
            EngineFailed(player=reason, reason="\ud800"),
            GameEnded(record=record),
            began(game(100 + number, white, black, Result.DRAW)),
        ]
    events.append(MatchEnded(reason=HOSTILE[1], is_complete=True))
    return Match(settings, events)
