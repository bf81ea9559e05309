"""Engines that misbehave: how their games end, that others' go on, and what is left behind."""

import shlex
from pathlib import Path

import pytest

from kibitz.scripts.match.events import EngineFailed
from kibitz.scripts.match.play.game_faults import MatchError
from kibitz.scripts.match.records.records import GameRecord, Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import (
    AdjudicationSettings,
    EngineSettings,
    RunSettings,
)
from tests.scripts.match.matches import (
    KIBITZ,
    Played,
    command,
    match_of,
    player,
    processes_of,
    random_mover,
)

SHORT = AdjudicationSettings(maxmoves=8)
GOES_ON = RunSettings(recover=True)
SILENT = {"timeout": 4.0, "longest": 1.0}
"""The seconds that a silent engine is waited for: at its start, and for a move."""


def faulty(fault: str, *arguments: str, game: str = "jarmo", **given: object) -> EngineSettings:
    """A player with a fault; silence is waited for only where the fault is silence."""
    silent = fault in ("stall", "flood")
    words = ("--game", game, "--fault", fault, *arguments)
    limits = SILENT if silent else {}
    return player("faulty", command("faulty", *words), **(limits | given))


def games(engine: EngineSettings, game: str = "jarmo") -> list[GameRecord]:
    """Both games of a pair, in which an engine plays another that does nothing wrong."""
    other = random_mover("good", game)
    played = Played(match_of(game, [engine, other], GOES_ON, adjudication=SHORT))
    assert played.end.is_complete
    assert len(played.records) == 2
    return played.records


ENDS = [
    ("crash", Outcome.CRASH),
    ("killed", Outcome.CRASH),
    ("closes-output", Outcome.CRASH),
    ("stall", Outcome.STALL),
    ("flood", Outcome.STALL),
    ("malformed", Outcome.ILLEGAL_MOVE),
    ("illegal", Outcome.ILLEGAL_MOVE),
    ("no-move", Outcome.ILLEGAL_MOVE),
    ("empty-move", Outcome.ILLEGAL_MOVE),
]
HARMLESS = ["junk", "stderr", "unasked", "ponder", "twice", "child", "exit-status"]


@pytest.mark.parametrize(
    ("game", "fault", "outcome"),
    # What happens is the same whoever referees; the clock of silence is waited for once.
    [("jarmo", *end) for end in ENDS]
    + [("stones", *end) for end in ENDS if end[1] is not Outcome.STALL],
)
def test_a_fault_loses_the_game(game: str, fault: str, outcome: Outcome) -> None:
    for record in games(faulty(fault, "--at", "3", game=game), game):
        guilty = Side.WHITE if record.white.name == "faulty" else Side.BLACK
        assert record.outcome is outcome, record.reason
        assert record.guilty is guilty
        assert record.result is Result.won_by(guilty.other)
        assert record.reason.startswith(guilty.capitalize())
        # The game up to the third move of that side is kept.
        assert len(record.moves) == (4 if guilty is Side.WHITE else 5)


@pytest.mark.parametrize("fault", HARMLESS)
def test_what_does_no_harm_ends_no_game(fault: str) -> None:
    for record in games(faulty(fault)):
        assert record.outcome is Outcome.LENGTH, record.reason
        assert len(record.moves) == 16


def test_an_answer_that_comes_late_loses_on_time() -> None:
    engine = faulty("slow", "--at", "2", "--ms", "400", st=0.1, margin=100)
    for record in games(engine):
        assert record.outcome is Outcome.TIME, record.reason
        assert record.guilty is not None
        assert record.player(record.guilty).name == "faulty"
        assert " of 100 ms" in record.reason
        assert len(record.moves) == (2 if record.guilty is Side.WHITE else 3)


def test_illegal_lines_of_play_are_counted() -> None:
    for record in games(faulty("illegal-pv")):
        assert record.outcome is Outcome.LENGTH
        ours, theirs = record.white, record.black
        if ours.name != "faulty":
            ours, theirs = theirs, ours
        assert (ours.illegal_pvs, theirs.illegal_pvs) == (8, 0)


@pytest.mark.parametrize("fault", ["wrong-result", "early-end", "denies-end", "no-result"])
def test_engines_that_disagree_about_the_end_have_no_result(fault: str) -> None:
    engine = faulty(fault, game="stones")
    records = games(engine, "stones")
    for record in records:
        assert record.outcome in (Outcome.DISAGREEMENT, Outcome.LENGTH), record.reason
        if record.outcome is Outcome.DISAGREEMENT:
            assert record.result is Result.NONE
            assert record.guilty is None
    if fault == "early-end":
        assert {record.outcome for record in records} == {Outcome.DISAGREEMENT}


def test_by_the_rules_the_result_stands_whatever_an_engine_says() -> None:
    engine = faulty("wrong-result", "--seed", "3")
    other = random_mover("good", "jarmo", "--seed", "4")
    for record in Played(match_of("jarmo", [engine, other], rounds=2)).records:
        assert record.outcome is Outcome.DISAGREEMENT
        assert record.guilty is not None
        assert record.player(record.guilty).name == "faulty"
        assert "by the rules" in record.reason
        assert record.result is not Result.NONE


def test_without_recovery_the_match_stops_and_keeps_its_games() -> None:
    engine = faulty("crash", "--at", "2")
    settings = match_of("jarmo", [engine, random_mover("good", "jarmo")], rounds=5)
    played = Played(settings)
    assert not played.end.is_complete
    assert "faulty failed" in played.end.reason
    assert "-recover" in played.end.reason
    assert [record.outcome for record in played.records] == [Outcome.CRASH]
    (failure,) = [event for event in played.events if isinstance(event, EngineFailed)]
    assert (failure.player, failure.outcome) == ("faulty", Outcome.CRASH)


@pytest.mark.parametrize("fault", ["crash", "stall", "closes-output", "illegal"])
def test_the_games_of_others_go_on(fault: str) -> None:
    engines = [
        faulty(fault, "--at", "2"),
        random_mover("b", "jarmo", "--seed", "1"),
        random_mover("c", "jarmo", "--seed", "2"),
    ]
    run = RunSettings(recover=True, concurrency=2)
    played = Played(match_of("jarmo", engines, run, adjudication=SHORT))
    assert played.end.is_complete
    assert [record.number for record in played.records] == [1, 2, 3, 4, 5, 6]
    for record in played.records:
        if "faulty" not in (record.white.name, record.black.name):
            assert record.guilty is None
            assert len(record.moves) == 16


@pytest.mark.parametrize(
    ("option", "value"), [("Hsh", 16), ("Hash", "much"), ("Hash", -5), ("Threads", True)]
)
def test_an_option_that_an_engine_cannot_take_is_told_before_the_first_game(
    option: str, value: str | int
) -> None:
    engines = [player("a", KIBITZ, options={option: value}), player("b", KIBITZ)]
    with pytest.raises(MatchError, match=rf"^a: .*{option}"):
        Played(match_of("jarmo", engines))


def test_a_judge_that_says_nothing_any_more_has_stalled() -> None:
    for record in games(faulty("no-queries", "--at", "9", game="stones"), "stones"):
        assert record.outcome is Outcome.STALL, record.reason
        assert record.guilty is not None
        assert record.player(record.guilty).name == "faulty"


def test_a_judge_that_answers_nonsense_is_wrong() -> None:
    mover = command("random_mover", "--game", "stones", "--first")
    words = f"{mover} | sed -u 's/^response p[12]win/response banana/'"
    engine = player("odd", f"sh -c {shlex.quote(words)}")
    for record in Played(match_of("stones", [engine, random_mover("good", "stones")])).records:
        assert record.outcome is Outcome.DISAGREEMENT, record.reason
        assert "banana" in record.reason
        assert record.guilty is not None
        assert record.player(record.guilty).name == "odd"


def test_an_engine_that_fails_once_plays_on_afterwards(tmp_path: Path) -> None:
    engine = faulty("crash", "--once", str(tmp_path / "crashed"))
    settings = match_of(
        "jarmo", [engine, random_mover("good", "jarmo")], GOES_ON, rounds=3, adjudication=SHORT
    )
    outcomes = [record.outcome for record in Played(settings).records]
    assert outcomes == [Outcome.CRASH] + [Outcome.LENGTH] * 5


@pytest.mark.parametrize("fault", ["crash", "stall"])
@pytest.mark.parametrize("occasion", ["start", "hello", "new", "ready"])
def test_an_engine_that_cannot_begin_is_told_before_the_first_game(
    fault: str, occasion: str
) -> None:
    engine = faulty(fault, "--when", occasion)
    settings = match_of("jarmo", [random_mover("good", "jarmo"), engine], GOES_ON)
    words = "did not answer|answers neither" if fault == "stall" else "ended with exit status 1"
    with pytest.raises(MatchError, match=rf"^faulty: .*({words})"):
        Played(settings)


@pytest.mark.parametrize("fault", ["child", "child-holds-output", "never-quits", "stall"])
def test_no_process_is_left_behind(fault: str, tmp_path: Path) -> None:
    assert games(faulty(fault, cwd=str(tmp_path)))
    assert processes_of(tmp_path) == []
