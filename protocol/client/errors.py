"""Everything that can go wrong between a program and an engine, as exceptions.

    EngineError
    +-- CannotOpen         there is no such program, no server, no trust in its certificate
    +-- EngineTerminated   the engine's process ended, or closed its output
    +-- ConnectionLost     the connection to the server ended
    +-- EngineTimeout      no answer in time; also a `TimeoutError`
    +-- EngineRefused      the engine answered with an error: its code and text
    +-- EndedEarly         the server ended a search before anything was found
    +-- BadOption          an option that the engine does not have, or a value that it cannot
    |                      take, found before anything was sent; also a `ValueError`
    +-- Unsupported        this engine cannot do that at all

Arguments that make no sense with any engine, such as a move of two words, are a plain
`ValueError`.
"""

# ruff: noqa: N818 - the names say what happened, as programs read them in `except`


class EngineError(Exception):
    """Base of all exceptions of the client."""


class CannotOpen(EngineError):
    """There is nothing to talk to: the text says what was tried and why it failed."""


class EngineTerminated(EngineError):
    """The engine's process ended, or closed its output, when it was still wanted.

    `status` is its exit status, negative for the number of a signal, None when it has not
    ended yet. `stderr` are the last lines that it wrote there.
    """

    def __init__(self, status: int | None, stderr: tuple[str, ...] = ()) -> None:
        if status is None:
            text = "the engine closed its output"
        elif status < 0:
            text = f"the engine was ended by signal {-status}"
        else:
            text = f"the engine ended with exit status {status}"
        if stderr:
            text += "; its last words: " + " / ".join(stderr)
        super().__init__(text)
        self.status = status
        self.stderr = stderr


class ConnectionLost(EngineError):
    """The connection to the server ended when it was still wanted."""


class EngineTimeout(EngineError, TimeoutError):
    """No answer came in time. The engine may be asked again, or be closed."""


class EngineRefused(EngineError):
    """The engine answered with an error.

    `code` is one of the closed list in docs/protocol.md, such as `bad_move`; `text` is in
    words for people. `field` and `index` say what of a request is wrong, and which of a list,
    where the answer was in JSON.
    """

    def __init__(
        self, code: str, text: str, field: str | None = None, index: int | None = None
    ) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.field = field
        self.index = index


class EndedEarly(EngineError):
    """The server ended a search before anything was found, perhaps because it ends itself."""


class BadOption(EngineError, ValueError):
    """An option that the engine does not have, or a value that it cannot take."""


class Unsupported(EngineError):
    """This engine cannot do that: few but kibitz and other UGI engines list legal moves."""
