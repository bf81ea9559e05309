"""From the words of JSON lines to the values of the client, and back."""

import msgspec

from kibitz.protocol.client.errors import EndedEarly, Unsupported
from kibitz.protocol.client.lines import Decided
from kibitz.protocol.client.options import Option, OptionList
from kibitz.protocol.client.search import RunningSearch
from kibitz.protocol.client.values import Info, Limit, Score, Side
from kibitz.protocol.json.message_types import OptionDescription, SearchLimit
from kibitz.protocol.json.message_types import Score as WireScore
from kibitz.protocol.json.messages import CancelledAnswer, DoneAnswer, HelloAnswer, InfoAnswer


def side_of(player: str) -> Side:
    """Read `p1` or `p2`."""
    return Side.WHITE if player == "p1" else Side.BLACK


def score_of(score: WireScore) -> Score:
    """Read a score."""
    return Score(cp=score.cp, mate=score.mate_turns)


def info_of(answer: InfoAnswer) -> Info:
    """Read how far a search is."""
    return Info(
        depth=answer.depth,
        seldepth=answer.seldepth,
        multipv=answer.multipv,
        score=score_of(answer.score),
        bound=answer.score.bound or "",
        wdl=answer.wdl,
        nodes=answer.nodes,
        nps=answer.nps,
        hashfull=answer.hashfull,
        time=answer.elapsed_ms / 1000,
        pv=tuple(answer.pv),
        side=side_of(answer.side),
    )


def conclude(search: RunningSearch, answer: DoneAnswer | CancelledAnswer) -> None:
    """Tell a search its end: what was found, or that nothing was."""
    if answer.score is None or answer.side is None:
        search.fail(lambda: EndedEarly("the search was ended before anything was found"))
        return
    search.told(
        Info(
            depth=answer.depth,
            score=score_of(answer.score),
            bound=answer.score.bound or "",
            wdl=answer.wdl,
            nodes=answer.nodes,
            nps=answer.nps,
            time=None if answer.elapsed_ms is None else answer.elapsed_ms / 1000,
            pv=tuple(answer.pv or ()),
            side=side_of(answer.side),
        )
    )
    for name, value in (answer.clamped or {}).items():
        search.note(f"{name} was {value}, the most that this client can have")
    search.decided(Decided(answer.best, answer.expected))


def limit_of(limit: Limit) -> SearchLimit:
    """Write a limit; raises `Unsupported` for clocks, which requests cannot have."""
    clocks = (limit.white_clock, limit.black_clock, limit.white_increment, limit.black_increment)
    if limit.moves_to_go is not None or any(clock is not None for clock in clocks):
        raise Unsupported("a request has no clocks: give it a time")
    return SearchLimit(
        depth=limit.depth,
        nodes=limit.nodes,
        movetime=None if limit.time is None else max(int(limit.time * 1000), 1),
        mate=limit.mate,
        infinite=limit.is_infinite,
    )


def options_of(hello: HelloAnswer) -> OptionList:
    """Read the options of analyses."""
    return OptionList((option.name, _option_of(option)) for option in hello.options)


def _option_of(option: OptionDescription) -> Option:
    default = option.default
    return Option(
        name=option.name,
        kind=option.type,
        default=str(default).lower() if isinstance(default, bool) else str(default),
        least=option.least,
        most=option.most,
        choices=tuple(option.choices or ()),
    )


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was followed: the texts of its start and of the position after each move.

    `legal` is the number of legal moves at the end.
    """

    start: str
    positions: tuple[str, ...]
    legal: int
    result: str
    reason: str | None
    points: tuple[float, float]
    side: Side
