"""What a client is told when something is wrong: a closed list of codes, and a text.

The codes are for programs, the text, in words of the rules where it can be, for people.
"""

import os
from enum import StrEnum


class ErrorCode(StrEnum):
    """Every code that an error can have."""

    BAD_COMMAND = "bad_command"
    BAD_POSITION = "bad_position"
    BAD_MOVE = "bad_move"
    BAD_OPTION = "bad_option"
    BAD_LIMIT = "bad_limit"
    BUSY = "busy"
    NO_SESSION = "no_session"
    OVER_LIMIT = "over_limit"
    DENIED = "denied"
    INTERNAL = "internal"


MEANINGS = {
    ErrorCode.BAD_COMMAND: "a line that is no command: an unknown word, a missing or needless "
    "argument, bytes that are not UTF-8, or more of them than a line may have; or a command "
    "that makes no sense where it stands, such as `quit` behind the name of a session",
    ErrorCode.BAD_POSITION: "a position text that does not parse or cannot be played, or a deal "
    "of a game that has none; the position stays as it was",
    ErrorCode.BAD_MOVE: "a move that is malformed or not legal; the moves before it were made, "
    "and the side that made it has forfeited the game",
    ErrorCode.BAD_OPTION: "an option that does not exist, or a value that it cannot take; the "
    "option stays as it was",
    ErrorCode.BAD_LIMIT: "a `go`, `perft` or `bench` with a word or number that makes no sense, "
    "or with `searchmoves` of which none is legal; a `go` is then answered by `bestmove (none)`",
    ErrorCode.BUSY: "the name is in use, such as that of a session that is open already",
    ErrorCode.NO_SESSION: "there is no session of that name; or, from `kibitz connect`, which says "
    "so on the way to its end: the server where all sessions would be is lost, or was not reached",
    ErrorCode.OVER_LIMIT: "more than this client or this machine can have, such as a hash table "
    "that there is no memory for, or one more session or search than its quota allows; a `go` is "
    "then answered by `bestmove (none)`",
    ErrorCode.DENIED: "the client has not said who it is, or its token is wrong; only servers "
    "that ask for tokens say it",
    ErrorCode.INTERNAL: "a bug in kibitz; the text says where, the program goes on",
}


class Refusal(Exception):  # noqa: N818 - it is the client's mistake, not an error of ours
    """A command that cannot be carried out, with what to tell the client."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


def describe_bug(error: BaseException) -> str:
    """Say in one line what went wrong in our own code, and where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
    return f"{type(error).__name__}: {error}{place}"
