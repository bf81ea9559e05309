"""Checks of searches: that they end when they should, and what they say."""

import anyio

from kibitz.scripts.match.check import info_lines
from kibitz.scripts.match.check.outcomes import CheckFailed, CheckSkipped, shown
from kibitz.scripts.match.check.subject import CHESS, Subject
from kibitz.scripts.match.check.talk import Heard

MOVETIME = 100
"""The milliseconds of a search by time."""
CLOCK = 200
NODES = 1000


async def answers_while_searching(subject: Subject) -> None:
    """Raise unless `isready` is answered during a search."""
    talk = await subject.place()
    await talk.send("go infinite")
    lines = await talk.sync("go infinite")
    _see_no_move(lines, "before 'stop' after 'go infinite'")
    begun = anyio.current_time()
    await talk.send("stop")
    await subject.answer("stop", talk.patience.margin, begun)


async def moves_in_time(subject: Subject) -> None:
    """Raise unless `go movetime` gives one legal move in time."""
    go = f"go movetime {MOVETIME}"
    await subject.place()
    played = await subject.search(go, MOVETIME / 1000 + subject.patience.margin)
    await subject.check_legal(played, go)


async def tells_well(subject: Subject) -> None:
    """Raise unless what a search says can be read, and the last says a score."""
    await subject.place()
    played = await subject.search("go depth 2", subject.patience.answer)
    info_lines.check(played.lines)
    if played.move is not None and not info_lines.has_score(played.lines):
        raise CheckFailed("there is no info with a score before bestmove")


async def foresees_legal_moves(subject: Subject) -> None:
    """Raise unless the line of play is made of legal moves."""
    await subject.place()
    played = await subject.search("go depth 3", subject.patience.answer)
    line = info_lines.last_line(played.lines)
    if not line:
        raise CheckSkipped("no info has a pv")
    for number, move in enumerate(line):
        await subject.place(line[:number])
        legal = await subject.is_legal(move)
        if legal is None:
            raise CheckSkipped("the engine cannot be asked what is legal")
        if not legal:
            raise CheckFailed(f"{shown(move)} in the pv {shown(' '.join(line))} is not legal")


async def keeps_to_depth(subject: Subject) -> None:
    """Raise unless `go depth 1` ends by itself."""
    await subject.place()
    played = await subject.search("go depth 1", subject.patience.answer)
    await subject.check_legal(played, "go depth 1")


async def keeps_to_nodes(subject: Subject) -> None:
    """Raise unless `go nodes` ends by itself."""
    go = f"go nodes {NODES}"
    await subject.place()
    await subject.check_legal(await subject.search(go, subject.patience.answer), go)


async def keeps_to_clocks(subject: Subject) -> None:
    """Raise unless a move comes before the clock is down, whoever moves and however much it is."""
    one = await subject.search_once("go depth 1")
    moves = () if one.move is None else (one.move,)
    for clocks, before in (
        (subject.clocks(CLOCK, CLOCK, CLOCK), ()),
        (subject.clocks(CLOCK, CLOCK), moves),
        (subject.clocks(CLOCK, 100 * CLOCK, 1), ()),
        (subject.clocks(CLOCK, CLOCK) + " movestogo 2", ()),
    ):
        go = f"go {clocks}"
        await subject.place(before)
        played = await subject.search(go, CLOCK / 1000 + subject.patience.margin)
        await subject.check_legal(played, go)


async def goes_on_until_stop(subject: Subject) -> None:
    """Raise unless `go infinite` ends at `stop`, soon, and not before."""
    talk = await subject.place()
    await talk.send("go infinite")
    heard = await talk.sync("go infinite")
    _see_no_move([*heard, *await talk.listen()], "before 'stop' after 'go infinite'")
    begun = anyio.current_time()
    await talk.send("stop")
    played = await subject.answer("stop", talk.patience.margin, begun)
    await subject.check_legal(played, "stop")


async def stops_nothing(subject: Subject) -> None:
    """Raise if `stop` is answered when nothing is searched."""
    talk = await subject.place()
    await talk.send("stop")
    _see_no_move(await talk.sync("stop"), "after 'stop' when nothing was searched")
    played = await subject.search_once("go depth 1")
    await talk.send("stop")
    _see_no_move(await talk.sync("stop"), "after 'stop' when the search had ended")
    await subject.check_legal(played, "go depth 1")


async def keeps_to_moves(subject: Subject) -> None:
    """Raise unless `searchmoves` gives one of the moves."""
    await subject.place()
    moves = await subject.legal_moves()
    if moves is None and await subject.plays_chess():
        moves = list(CHESS)
    if not moves:
        raise CheckSkipped("the engine cannot be asked what is legal")
    for wanted in dict.fromkeys((moves[0], moves[len(moves) // 2], moves[-1])):
        go = f"go depth 1 searchmoves {wanted}"
        await subject.place()
        played = await subject.search(go, subject.patience.answer)
        if played.move != wanted:
            raise CheckFailed(f"'{go}' is answered by {shown(played.move or '(none)')}")


async def ponders(subject: Subject) -> None:
    """Raise unless `go ponder` waits for `ponderhit` or `stop`, and then answers once."""
    if not subject.options.has("Ponder"):
        raise CheckSkipped("the engine has no option Ponder")
    for go, then in (
        ("go ponder depth 1", "ponderhit"),
        (f"go ponder movetime {MOVETIME}", "ponderhit"),
        (f"go ponder {subject.clocks(CLOCK, CLOCK)}", "stop"),
    ):
        talk = await subject.place()
        await talk.send(go)
        heard = await talk.sync(go)
        _see_no_move([*heard, *await talk.listen()], f"before '{then}' after '{go}'")
        begun = anyio.current_time()
        await talk.send(then)
        longest = talk.patience.margin + (MOVETIME / 1000 if then == "ponderhit" else 0.0)
        played = await subject.answer(then, longest, begun)
        await subject.check_legal(played, go)


def _see_no_move(lines: list[Heard], when: str) -> None:
    for line in lines:
        if line.word == "bestmove":
            raise CheckFailed(f"there is a bestmove {when}")
