"""The client without `async`: `SimpleEngine` is `Engine`, `SimpleRemote` is `Remote`.

    with SimpleEngine.open_process("scripts/kibitz") as engine:
        result = engine.play(Setup("jarmo"), Limit(depth=8))

It can be used without `with`, too: then `quit` or `close` ends it.
"""

from typing import Self

from kibitz.protocol.client.analysis import Analysis
from kibitz.protocol.client.blocking import (
    Front,
    Mirror,
    Opened,
    blocking,
    entering,
    opening,
    passing,
    wrapping,
)
from kibitz.protocol.client.engine import Engine
from kibitz.protocol.client.pondering import Pondering
from kibitz.protocol.client.remote import Remote
from kibitz.protocol.client.values import Info


class SimpleAnalysis(Front[Analysis]):
    """A search that is looked on: `for info in analysis`; see `Analysis`."""

    lines = Mirror(Analysis.lines)
    is_over = Mirror(Analysis.is_over)
    stop = passing(Analysis.stop)
    wait = blocking(Analysis.wait)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Info:
        try:
            return self._run(self._target.__anext__)
        except StopAsyncIteration:
            raise StopIteration from None


class SimplePondering(Front[Pondering]):
    """A search in the enemy's time; see `Pondering`."""

    hit = passing(Pondering.hit)
    stop = passing(Pondering.stop)
    wait = blocking(Pondering.wait)


class SimpleSession(Front[Engine]):
    """An engine that is closed by whoever opened it: `with engine.session(...)`."""

    @property
    def timeout(self) -> float:
        """The seconds that whatever needs no search may take."""
        return self._target.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._target.timeout = seconds

    name = Mirror(Engine.name)
    author = Mirror(Engine.author)
    options = Mirror(Engine.options)
    dialect = Mirror(Engine.dialect)
    client_name = Mirror(Engine.client_name)
    analyse = blocking(Engine.analyse)
    analysis = entering(Engine.analysis, lambda: SimpleAnalysis)
    play = blocking(Engine.play)
    ponder = wrapping(Engine.ponder, lambda: SimplePondering)
    legal_moves = blocking(Engine.legal_moves)
    result = blocking(Engine.result)
    queries = blocking(Engine.queries)
    query = blocking(Engine.query)
    configure = blocking(Engine.configure)
    new_game = blocking(Engine.new_game)
    ping = blocking(Engine.ping)


class SimpleEngine(Opened[Engine], SimpleSession):
    """One engine, driven from ordinary code; see `Engine`."""

    open_process = staticmethod(opening(Engine.open_process, lambda: SimpleEngine))
    open_server = staticmethod(opening(Engine.open_server, lambda: SimpleEngine))
    session = entering(Engine.session, lambda: SimpleSession)

    def quit(self) -> None:
        """End the connection, and the process if there is one: with `quit`, or by force."""
        self._end()

    def close(self) -> None:
        """End the connection, and the process if there is one, without patience."""
        self._run(self._target.close)
        self._end()


class SimpleRemote(Opened[Remote]):
    """A server that is asked in JSON lines, from any number of threads; see `Remote`."""

    open_server = staticmethod(opening(Remote.open_server, lambda: SimpleRemote))
    open_process = staticmethod(opening(Remote.open_process, lambda: SimpleRemote))

    @property
    def timeout(self) -> float:
        """The seconds that whatever needs no search may take."""
        return self._target.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._target.timeout = seconds

    name = Mirror(Remote.name)
    client_name = Mirror(Remote.client_name)
    games = Mirror(Remote.games)
    options = Mirror(Remote.options)
    limits = Mirror(Remote.limits)
    can_resume = Mirror(Remote.can_resume)
    reconnections = Mirror(Remote.reconnections)
    analyse = blocking(Remote.analyse)
    analysis = entering(Remote.analysis, lambda: SimpleAnalysis)
    play = blocking(Remote.play)
    perft = blocking(Remote.perft)
    legal_moves = blocking(Remote.legal_moves)
    result = blocking(Remote.result)
    replay = blocking(Remote.replay)
    draw = blocking(Remote.draw)
    stats = blocking(Remote.stats)
    ping = blocking(Remote.ping)
    configure = passing(Remote.configure)

    def close(self) -> None:
        """End the connection."""
        self._end()
