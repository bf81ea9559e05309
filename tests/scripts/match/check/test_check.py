"""`kibitz check` finds what is wrong with an engine, and nothing wrong with a sound one."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.client import CannotOpen
from kibitz.protocol.client import process as process_module
from kibitz.scripts.match.check import talk as talk_module
from kibitz.scripts.match.check.catalogue import CHECKS
from kibitz.scripts.match.check.examination import examine
from kibitz.scripts.match.check.game_checks import START_ANSWERS
from kibitz.scripts.match.check.greeting import Greeting, check_options
from kibitz.scripts.match.check.outcomes import CheckFailed, CheckResult, Status, Summary
from kibitz.scripts.match.check.subject import NoSuchGame, Target
from kibitz.scripts.match.check.talk import Heard, Patience
from kibitz.scripts.match.settings.match_settings import Dialect
from tests.protocol.client.programs import HANGS_AFTER, is_alive, no_hang
from tests.scripts.match.engine_programs import KIBITZ, faulty, noting, random_mover, stones
from tests.scripts.match.engines.faulty import FAULTS

pytestmark = pytest.mark.asyncio
PAGE = Path(__file__).parents[4] / "docs" / "check.md"
PATIENT = Patience(
    start=HANGS_AFTER, answer=HANGS_AFTER, margin=HANGS_AFTER, quit=HANGS_AFTER, silence=0.05
)
# For engines that never do what they are asked: only that is not waited for.
NO_MOVE = Patience(start=HANGS_AFTER, answer=HANGS_AFTER, margin=0.3, quit=0.3, silence=0.05)
NO_ANSWER = Patience(start=HANGS_AFTER, answer=0.3, margin=HANGS_AFTER, silence=0.05)


async def made(
    command: Sequence[str],
    *numbers: int,
    patience: Patience = PATIENT,
    proto: Dialect = Dialect.UGI,
    game: str | None = None,
) -> tuple[dict[int, CheckResult], Summary]:
    """Make checks, all of them when no number is given."""
    results: list[CheckResult] = []
    target = Target(command=tuple(command), proto=proto, game=game)
    chosen = [check for check in CHECKS if not numbers or check.number in numbers]
    async with no_hang():
        summary = await examine(target, chosen, patience, results.append)
    assert [result.number for result in results] == [check.number for check in chosen]
    return {result.number: result for result in results}, summary


def failures(results: dict[int, CheckResult]) -> dict[int, str]:
    return {n: result.why for n, result in results.items() if result.status is Status.FAILED}


def skipped(results: dict[int, CheckResult]) -> set[int]:
    return {n for n, result in results.items() if result.status is Status.SKIPPED}


# Sound engines.


@pytest.mark.parametrize("game", GAME_NAMES)
async def test_kibitz_passes_in_each_game(game: str) -> None:
    # The others are about no game, or a whole game of one that is long.
    about_games = (8, 9, 10, 11, 12, 16, 18, 19, 22, 23)
    short = (20, 21, 24) if game in ("talisman", "jarmo", "jasir") else ()
    results, summary = await made(KIBITZ, *about_games, *short, game=game)
    assert (failures(results), skipped(results)) == ({}, set())
    assert summary.ok == len(about_games) + len(short)
    assert summary.engine.startswith("kibitz ")


@pytest.mark.parametrize("proto", [Dialect.UGI, Dialect.UCI])
async def test_kibitz_passes_what_is_about_no_game(proto: Dialect) -> None:
    results, summary = await made(
        KIBITZ, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 17, 25, 26, 27, 28, proto=proto
    )
    assert (failures(results), skipped(results)) == ({}, set())
    assert summary.proto == proto


async def test_an_engine_of_another_game_passes() -> None:
    """It cannot be asked which moves are legal."""
    results, summary = await made(stones("--seed", "7"), proto=Dialect.AUTO)
    assert (failures(results), skipped(results)) == ({}, {10, 16})
    assert (summary.engine, summary.proto) == ("Stones 1.0", "ugi")
    assert (summary.ok, summary.failed, summary.skipped) == (len(CHECKS) - 2, 0, 2)


async def test_an_engine_that_speaks_uci_alone_passes() -> None:
    results, summary = await made(stones("--uci"), proto=Dialect.AUTO)
    assert (failures(results), skipped(results)) == ({}, {10, 16, 18, 19, 21})
    assert summary.proto == "uci"


async def test_without_faults_everything_is_checked() -> None:
    """What the faults of the others are found against."""
    results, _ = await made(random_mover())
    assert (failures(results), skipped(results)) == ({}, set())
    results, _ = await made(faulty())
    assert (failures(results), skipped(results)) == ({}, set())


# Faults: the check that finds them, how they are ordered, and a word of the reason.

FOUND: list[tuple[int, tuple[str, ...], str]] = [
    (1, ("crash", "--when", "start"), "exit status 1"),
    (1, ("killed", "--when", "hello"), "signal 9"),
    (1, ("bad-greeting",), "not alone"),
    (1, ("no-id",), "id name"),
    (2, ("bad-option",), "from 1 to 10"),
    (3, ("ready-twice",), "more than one readyok"),
    (3, ("crash", "--when", "ready"), "exit status 1"),
    (4, ("crash", "--when", "option"), "setoption"),
    (5, ("crash", "--when", "unknown"), "xyzzy"),
    (8, ("crash",), "the reason why"),
    (8, ("killed",), "signal 9"),
    (8, ("illegal",), "not legal"),
    (8, ("malformed",), "not legal"),
    (8, ("no-move",), "there is no move"),
    (8, ("empty-move",), "no move behind bestmove"),
    (8, ("twice",), "second bestmove"),
    (8, ("ponder",), "more than a move"),
    (8, ("unasked",), "second bestmove"),
    (9, ("junk",), "is not UTF-8"),
    (9, ("bad-info",), "no whole number"),
    (9, ("no-score",), "no info with a score"),
    (10, ("illegal-pv",), "is not legal"),
    (14, ("ends-infinite",), "before 'stop'"),
    (15, ("stop-answered",), "nothing was searched"),
    (16, ("ignores-searchmoves",), "is answered by"),
    (17, ("ends-ponder",), "before 'ponderhit'"),
    (18, ("ignores-fen",), "the position is"),
    (19, ("wrong-turn",), "'query p1turn' at the start is answered by 'false'"),
    (19, ("early-end",), "'query gameover' at the start is answered by 'true'"),
    (19, ("no-queries",), "not answered"),
    (19, ("two-answers",), "answered 2 times"),
    (19, ("wrong-second-turn",), "'query p2turn' at the start is answered by 'true'"),
    (20, ("early-end",), "the game is over at the start"),
    (20, ("illegal", "--at", "7"), "at move '7' is not legal"),
    (20, ("crash", "--at", "7"), "exit status 1"),
    (20, ("denies-end",), "although the game is not over"),
    (20, ("no-result",), "its result is 'none'"),
    (21, ("plays-on",), "in a game that is over"),
    (22, ("crash", "--when", "new"), "uginewgame"),
    (23, ("crash", "--when", "new", "--at", "2"), "uginewgame"),
    (22, ("ignores-position",), "the position is the start"),
    (24, ("short-lines",), "exit status 1"),
    (25, ("exit-status",), "exit status 7"),
]
# The same for faults that are silence.
STUCK: list[tuple[int, tuple[str, ...], str]] = [
    (6, ("strict-lines",), "no readyok"),
    (7, ("late-ready",), "no readyok"),
    (7, ("ignores-stop",), "no bestmove"),
    (8, ("stall",), "no bestmove"),
    (8, ("flood",), "no bestmove"),
    (8, ("closes-output",), "closed its output"),
    (8, ("ignores-movetime",), "no bestmove"),
    (8, ("slow", "--ms", "60000"), "no bestmove"),
    (11, ("ignores-depth",), "no bestmove"),
    (12, ("ignores-nodes",), "no bestmove"),
    (13, ("ignores-clocks",), "no bestmove"),
    (14, ("ignores-stop",), "no bestmove"),
    (17, ("ignores-ponderhit",), "no bestmove"),
    (25, ("never-quits",), "has not ended"),
    (25, ("child-holds-output",), "has not ended"),
    (26, ("quit-waits",), "has not ended"),
    (27, ("ignores-end",), "has not ended"),
    (28, ("quit-waits",), "has not ended"),
    (28, ("ignores-end",), "has not ended"),
]


@pytest.mark.parametrize(("number", "order", "reason"), FOUND)
async def test_faults_are_found(number: int, order: tuple[str, ...], reason: str) -> None:
    results, summary = await made(faulty(*order), number)
    assert results[number].status is Status.FAILED
    assert reason in results[number].why
    assert (summary.ok, summary.failed) == (0, 1)


@pytest.mark.parametrize(("number", "order", "reason"), STUCK)
async def test_silence_is_found(
    number: int, order: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    # These wait for answers, the others for moves and ends.
    patience = NO_ANSWER if reason == "no readyok" or number in (11, 12) else NO_MOVE
    results, _ = await made(faulty(*order), number, patience=patience)
    assert results[number].status is Status.FAILED
    assert reason in results[number].why


async def test_the_page_names_each_query_about_the_start() -> None:
    (text,) = re.findall(r"^19\. .*?^20\. ", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    asked = {word for word in re.findall(r"`(\w+)`", text) if word != "none"}
    assert asked == set(START_ANSWERS)


async def test_each_check_can_fail() -> None:
    assert {row[0] for row in FOUND + STUCK} == {check.number for check in CHECKS}


# What is no failure, and what comes after one.


async def test_words_on_standard_error_are_no_failure() -> None:
    results, _ = await made(faulty("stderr"), 8, 11)
    assert not failures(results)


async def test_a_check_that_failed_does_not_spoil_the_next() -> None:
    results, summary = await made(faulty("crash", "--when", "unknown"), 4, 5, 6, 11)
    assert list(failures(results)) == [5]
    assert (summary.ok, summary.failed) == (3, 1)


@pytest.mark.parametrize("fault", [fault for fault, when in FAULTS.items() if when == "query"])
async def test_no_answer_to_a_query_ends_the_examination(fault: str) -> None:
    results, summary = await made(faulty(fault), *range(18, 25))
    # Who has won a game that is over nobody else can say.
    assert bool(failures(results)) == (fault != "wrong-result")
    assert summary.ok + summary.failed + summary.skipped == 7


async def test_a_game_that_is_over_at_the_start_has_no_moves_to_check() -> None:
    results, summary = await made(faulty("early-end"), *range(19, 25))
    assert set(failures(results)) == {19, 20, 21, 23, 24}
    assert (summary.ok, summary.failed) == (1, 5)


def spin(default: str) -> Greeting:
    lines = (f"option name Level type spin default {default} min 1 max 10", "ugiok")
    return Greeting(Dialect.UGI, tuple(Heard(text=line, at=0.0) for line in lines))


@pytest.mark.parametrize("digits", [2, 10_000])
async def test_a_default_of_many_digits_is_out_of_bounds(digits: int) -> None:
    check_options(spin("10"))
    with pytest.raises(CheckFailed, match="is not from 1 to 10"):
        check_options(spin("1" * digits))


@pytest.mark.parametrize("proto", list(Dialect))
async def test_who_does_not_answer_fails_once(
    proto: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    patience = Patience(start=0.2, quit=0.1)
    results, summary = await made(
        faulty("stall", "--when", "start"), 1, 2, 3, 25, patience=patience, proto=proto
    )
    assert list(failures(results)) == [1]
    assert (summary.failed, summary.skipped) == (1, 3)


async def test_who_is_never_ready_fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    # It has said hello when it dies.
    order = faulty("crash", "--when", "ready")
    assert list(failures((await made(order, 1, 2, 3, 4))[0])) == [3]
    assert list(failures((await made(order, 1, 2, 4, 5))[0])) == [4]
    results, summary = await made(order, 2)
    assert (failures(results), summary.ok) == ({}, 1)


LIVES_ON = ["never-quits", "child-holds-output", "closes-output", "stall", "flood", "ignores-stop"]


@pytest.mark.parametrize("fault", LIVES_ON)
async def test_no_process_is_left(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    patience = Patience(start=HANGS_AFTER, answer=0.3, margin=0.3, quit=0.3)
    command = noting(tmp_path, faulty(fault))
    results, _ = await made(command, 1, 7, 8, 25, patience=patience, proto=Dialect.AUTO)
    assert failures(results)
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) > 1
    assert not any(is_alive(pid) for pid in pids)


async def test_a_flood_that_nobody_reads_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk_module, "MOST_UNREAD", 100_000)
    monkeypatch.setattr(process_module, "_TERMINATION", 0.1)
    results, _ = await made(faulty("junk"), 9)
    assert "UTF-8" in results[9].why
    results, _ = await made(faulty("flood"), 8, patience=NO_MOVE)
    assert failures(results)


async def test_what_cannot_be_checked() -> None:
    with pytest.raises(CannotOpen, match="nowhere"):
        await made(("/nowhere/engine",))
    with pytest.raises(NoSuchGame, match="no option"):
        await made(stones(), game="chess")
    with pytest.raises(NoSuchGame, match="'chess'"):
        await made(faulty(), game="chess")


async def test_the_game_is_chosen_again_after_the_options() -> None:
    """The options are all tried, the game's among them."""
    results, _ = await made(KIBITZ, 4, 18, game="jarmo", proto=Dialect.UCI)
    assert not failures(results)
