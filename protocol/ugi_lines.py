"""How UGI writes each reply: from a typed reply to lines of text, without their ends."""

from collections.abc import Callable
from typing import Any

from kibitz.engine.options import Option
from kibitz.protocol import replies
from kibitz.protocol.replies import Reply
from kibitz.search.info import Score

Lines = list[str]
SIDES = ("White", "Black")


def lines_of(reply: Reply, uci_habits: bool) -> Lines:
    """Write a reply."""
    if isinstance(reply, replies.Progress):
        return [_progress(reply, uci_habits)]
    if isinstance(reply, replies.BestMove):
        return [_best_move(reply, uci_habits)]
    if isinstance(reply, replies.Variant):
        return [_variant(reply)] if uci_habits else []
    return _WRITERS[type(reply)](reply)


def number(value: float) -> str:
    """Write points: whole numbers without a fraction."""
    return str(int(value)) if value == int(value) else str(value)


def _one_line(text: str) -> str:
    """Keep a text from ending its line early, whatever a user put in it."""
    return text.replace("\r", " ").replace("\n", " ")


def _option(option: Option) -> str:
    parts = [f"option name {option.name} type {option.kind}"]
    if option.kind != "button":
        parts.append(f"default {option.default or '<empty>'}")
    if option.kind == "spin":
        parts.append(f"min {option.least} max {option.most}")
    parts += [f"var {choice}" for choice in option.choices]
    return " ".join(parts)


def _identity(reply: replies.Identity) -> Lines:
    options = [_option(option) for option in reply.options]
    return [f"id name {reply.name}", f"id author {reply.author}", *options, f"{reply.dialect}ok"]


def _variant(reply: replies.Variant) -> str:
    return (
        f"info string variant {reply.name} files {reply.files} ranks {reply.ranks} "
        f"pocket 0 template fairy startpos {reply.start}"
    )


def _score(score: Score, uci_habits: bool) -> str:
    if score.mate is None:
        return f"cp {score.cp}"
    if not uci_habits:
        return f"mate {score.mate}"
    moves = (abs(score.mate) + 1) // 2
    return f"mate {moves if score.mate > 0 else -moves}"


def _progress(reply: replies.Progress, uci_habits: bool) -> str:
    parts = [f"info depth {reply.depth}"]
    # Depth 0 is no search, so that only the score says anything.
    if reply.depth:
        parts.append(f"seldepth {reply.seldepth} multipv {reply.multipv}")
    parts.append(f"score {_score(reply.score, uci_habits)}")
    if reply.bound:
        parts.append(f"{reply.bound}bound")
    if reply.wdl is not None:
        parts.append("wdl {} {} {}".format(*reply.wdl))
    parts.append(f"nodes {reply.nodes} nps {reply.nps}")
    if reply.depth:
        parts.append(f"hashfull {reply.hashfull}")
    parts.append(f"time {reply.time}")
    if reply.pv:
        parts.append("pv " + " ".join(reply.pv))
    return " ".join(parts)


def _best_move(reply: replies.BestMove, uci_habits: bool) -> str:
    line = f"bestmove {reply.move or '(none)'}"
    if uci_habits and reply.expected is not None:
        line += f" ponder {reply.expected}"
    return line


def _fault(reply: replies.Fault) -> Lines:
    return [_one_line(f"info string error {reply.code}: {reply.text}")]


def _response(reply: replies.Response) -> Lines:
    return [_one_line(f"response {reply.text}").rstrip()]


def _legal_moves(reply: replies.LegalMoves) -> Lines:
    return [" ".join([f"legalmoves {len(reply.moves)}:", *reply.moves])]


def _board(reply: replies.Board) -> Lines:
    result = reply.result if reply.reason == "none" else f"{reply.result} ({reply.reason})"
    return [
        *reply.drawing.split("\n"),
        "",
        f"position {reply.text}",
        f"key {reply.key:016x}",
        f"side {SIDES[reply.side]}",
        f"score {number(reply.score[0])} {number(reply.score[1])}",
        f"result {result}",
        f"legal moves {reply.legal_moves}",
    ]


def _hundredths(value: int) -> str:
    return f"{value / 100:.2f}"


def _evaluation(reply: replies.Evaluation) -> Lines:
    if reply.result != "none":
        return [f"the game is over: {reply.result}"]
    white = sum(term.white for term in reply.terms)
    black = sum(term.black for term in reply.terms)
    rows = [("", "White", "Black", "difference")]
    rows += [
        (t.name, _hundredths(t.white), _hundredths(t.black), f"{(t.white - t.black) / 100:+.2f}")
        for t in reply.terms
    ]
    rows.append(("sum", _hundredths(white), _hundredths(black), f"{(white - black) / 100:+.2f}"))
    widest = max(len(row[0]) for row in rows)
    lines = [f"{name:{widest}} {w:>8} {b:>8} {d:>12}" for name, w, b, d in rows]
    lines.append(f"for the side to move, {SIDES[reply.side]}: {reply.value / 100:+.2f}")
    return lines


def _bench_result(reply: replies.BenchResult) -> Lines:
    place = f"position {reply.number} of {reply.of}"
    return [f"{place}, {reply.name}: {reply.nodes} nodes in {reply.time} ms"]


def _total(reply: replies.Total) -> Lines:
    if reply.stopped:
        return ["info string stopped"]
    return [f"Nodes searched: {reply.nodes}", f"Nodes/second: {reply.nps}"]


_WRITERS: dict[type[Reply], Callable[[Any], Lines]] = {
    replies.Identity: _identity,
    replies.Note: lambda reply: [_one_line(f"info string {reply.text}")],
    replies.Admitted: lambda reply: [_one_line(f"authok {reply.name}")],
    replies.Sessions: lambda reply: [" ".join(["session", reply.event, *reply.names])],
    replies.ReadyOk: lambda _: ["readyok"],
    replies.Fault: _fault,
    replies.Response: _response,
    replies.LegalMoves: _legal_moves,
    replies.Board: _board,
    replies.Evaluation: _evaluation,
    replies.HelpText: lambda reply: list(reply.lines),
    replies.MoveCount: lambda reply: [f"{reply.move}: {reply.count}"],
    replies.BenchResult: _bench_result,
    replies.Total: _total,
}
