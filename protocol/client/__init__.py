"""Engines for Python programs: UGI and UCI over processes and servers, and JSON lines.

    from kibitz.protocol.client import Engine, Limit, Setup

    async with Engine.open_process("scripts/kibitz") as engine:
        result = await engine.play(Setup("jarmo"), Limit(depth=8))

`SimpleEngine` is the same without `async` and `await`. docs/client.md tells all of it.
"""

from kibitz.protocol.client.analysis import Analysis
from kibitz.protocol.client.engine import Engine
from kibitz.protocol.client.errors import (
    BadOption,
    CannotOpen,
    ConnectionLost,
    EndedEarly,
    EngineError,
    EngineRefused,
    EngineTerminated,
    EngineTimeout,
    Unsupported,
)
from kibitz.protocol.client.options import Option
from kibitz.protocol.client.pondering import Pondering
from kibitz.protocol.client.remote import Remote
from kibitz.protocol.client.setup import Setup
from kibitz.protocol.client.simple import (
    SimpleAnalysis,
    SimpleEngine,
    SimplePondering,
    SimpleRemote,
)
from kibitz.protocol.client.translation import Replay
from kibitz.protocol.client.values import Info, Limit, Result, Score, Side, Verdict

__all__ = [
    "Analysis",
    "BadOption",
    "CannotOpen",
    "ConnectionLost",
    "EndedEarly",
    "Engine",
    "EngineError",
    "EngineRefused",
    "EngineTerminated",
    "EngineTimeout",
    "Info",
    "Limit",
    "Option",
    "Pondering",
    "Remote",
    "Replay",
    "Result",
    "Score",
    "Setup",
    "Side",
    "SimpleAnalysis",
    "SimpleEngine",
    "SimplePondering",
    "SimpleRemote",
    "Unsupported",
    "Verdict",
]
