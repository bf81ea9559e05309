"""Carries out the requests about positions: at once as far as that is quick, else by a job.

`begin` gives a generator for a request. It is driven piece by piece, and returns the final
answer, or an `Errand` whose job has to be run for it.
"""

from collections.abc import Callable, Generator, Hashable, Mapping
from typing import Any

import msgspec

from kibitz.engine.options import Option
from kibitz.engine.play import Play
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.jobs import SearcherMaker, SearchSettings, finished_line
from kibitz.protocol.json.errands import AnalysisErrand, Clamped, Errand, PerftErrand, score_of
from kibitz.protocol.json.error_answers import refused
from kibitz.protocol.json.message_types import PLAYERS, Played, SearchLimit
from kibitz.protocol.json.messages import (
    AnalyzeRequest,
    DoneAnswer,
    FinalAnswer,
    LegalAnswer,
    LegalRequest,
    PerftRequest,
    PlayAnswer,
    PlayRequest,
    PositionRequest,
    RenderAnswer,
    RenderRequest,
)
from kibitz.protocol.json.request_faults import RequestRefusal
from kibitz.protocol.json.set_up import (
    ANALYSIS_OPTIONS,
    checked_options,
    follow_moves,
    game_of,
    make_moves,
    moves_to_search,
    start_of,
)
from kibitz.protocol.json.starts import Starts
from kibitz.protocol.json.warm_tables import WarmTables
from kibitz.protocol.options import HASH, SEARCHER, THREADS
from kibitz.protocol.service import Service
from kibitz.search.driver import processors
from kibitz.search.limits import Limit

Work = Generator[None, None, FinalAnswer | Errand]


class Workshop:
    """What one client's requests are carried out with."""

    def __init__(self, service: Service, searchers: Mapping[str, SearcherMaker]) -> None:
        self._service = service
        self._searchers = searchers
        self._starts = Starts()
        self._tables = WarmTables(service)
        self._makers: dict[type[PositionRequest], Callable[[Any], Work]] = {
            AnalyzeRequest: self._analyze,
            LegalRequest: self._legal,
            PlayRequest: self._play,
            PerftRequest: self._perft,
            RenderRequest: self._render,
        }

    def begin(self, request: PositionRequest) -> Work:
        """Give the work that a request asks for; nothing is done yet."""
        return self._makers[type(request)](request)

    def close(self) -> None:
        """Free the tables, those in use as soon as they are not."""
        self._tables.close()

    # What is quick.

    def _legal(self, request: LegalRequest) -> Work:
        def answer(play: Play) -> FinalAnswer:
            return LegalAnswer(
                id=request.id,
                seq=0,
                position=play.text,
                moves=play.legal_tokens(),
                **_standing(play),
            )

        return self._after_moves(request, answer)

    def _render(self, request: RenderRequest) -> Work:
        def answer(play: Play) -> FinalAnswer:
            drawing = play.game.draw(play.position)
            return RenderAnswer(id=request.id, seq=0, format=request.format, drawing=drawing)

        return self._after_moves(request, answer)

    def _after_moves(self, request: PositionRequest, answer: Callable[[Play], FinalAnswer]) -> Work:
        """Make the moves of a request on a play that is lent, and answer by it."""
        key, play = self._lend(request)
        try:
            yield from make_moves(play, request.moves)
            return answer(play)
        finally:
            self._starts.take_back(key, play)

    def _play(self, request: PlayRequest) -> Work:
        key, play = self._lend(request)
        positions: list[str] = []
        try:
            yield from follow_moves(play, request.moves, positions)
            return PlayAnswer(
                id=request.id,
                seq=0,
                start=play.start,
                positions=positions,
                legal=len(play.legal_moves()),
                **_standing(play),
            )
        except RequestRefusal as refusal:
            played = Played(start=play.start, positions=positions, **_standing(play))
            return msgspec.structs.replace(refused(request.id, refusal), played=played)
        finally:
            self._starts.take_back(key, play)

    def _lend(self, request: PositionRequest) -> tuple[Hashable, Play]:
        """Give a play of the start that a request names, and the key to take it back by."""
        game = game_of(request)
        options = checked_options(game, request.options)
        key = (game.name, tuple(sorted(options.items())), request.position, request.deal)
        return key, self._starts.lend(key) or start_of(request, game, options)

    # What takes a job.

    def _analyze(self, request: AnalyzeRequest) -> Work:
        limit = _limit_of(request.limit)
        game = game_of(request)
        options = checked_options(game, request.options, ANALYSIS_OPTIONS)
        play = start_of(request, game, options)
        yield from make_moves(play, request.moves)
        if play.is_over:
            return _finished(request, play)
        root_moves = None
        if request.searchmoves is not None:
            root_moves = yield from moves_to_search(play, request.searchmoves)
        quota = self._service.quota
        clamped: Clamped = {}
        settings = SearchSettings(
            limit=limit,
            root_moves=root_moves,
            multipv=request.multipv,
            threads=_at_most(THREADS, options, min(quota.threads, processors()), clamped),
            show_wdl=request.wdl,
        )
        searcher = options.get(SEARCHER.name, SEARCHER.default)
        return AnalysisErrand(
            request.id,
            play,
            self._searchers[searcher],
            settings,
            self._tables,
            _at_most(HASH, options, quota.hash, clamped),
            searcher,
            priority=self._priority(request.priority, clamped),
            clamped=clamped,
        )

    def _perft(self, request: PerftRequest) -> Work:
        game = game_of(request)
        play = start_of(request, game, checked_options(game, request.options))
        yield from make_moves(play, request.moves)
        clamped: Clamped = {}
        priority = self._priority(request.priority, clamped)
        return PerftErrand(request.id, play, request.depth, priority=priority, clamped=clamped)

    def _priority(self, wanted: int, clamped: Clamped) -> int:
        most = self._service.quota.priority
        if wanted > most:
            clamped["priority"] = most
        return min(wanted, most)


def _at_most(option: Option, options: Mapping[str, str], most: int, clamped: Clamped) -> int:
    """Give the value of an option, or the most that there can be, and note that."""
    wanted = int(options.get(option.name, option.default))
    if wanted > most:
        clamped[option.name] = most
    return min(wanted, most)


def _limit_of(given: SearchLimit) -> Limit:
    """Make the limit of a search; refuses one that bounds nothing and does not say so."""
    bounds = msgspec.structs.asdict(given)
    infinite = bounds.pop("infinite")
    if infinite == any(bound is not None for bound in bounds.values()):
        text = (
            "limit: infinite goes alone, without any other bound"
            if infinite
            else "limit: say depth, nodes, movetime or mate, or that it is infinite"
        )
        raise RequestRefusal(ErrorCode.BAD_LIMIT, text, "limit")
    return Limit(**bounds)


def _standing(play: Play) -> dict[str, Any]:
    """Give the fields that say how a game stands."""
    return {
        "side": PLAYERS[play.position.side],
        "result": play.result,
        "reason": play.reason,
        "points": play.points,
    }


def _finished(request: AnalyzeRequest, play: Play) -> FinalAnswer:
    """Say that there is nothing to search."""
    line = finished_line(play, request.wdl)
    standing = _standing(play)
    return DoneAnswer(
        id=request.id,
        seq=0,
        best=None,
        depth=0,
        score=score_of(line.score),
        wdl=line.wdl,
        nodes=0,
        nps=0,
        elapsed_ms=0,
        pv=[],
        side=standing["side"],
        result=standing["result"],
        reason=standing["reason"],
    )
