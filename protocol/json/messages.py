"""The JSON-lines dialect: one struct for each kind of request and of answer.

`type` on the wire says which one a line is. Requests are well formed when they have been
decoded, but not yet checked against a game: a position text may be wrong, a move illegal.
Programs that talk to a server can use the same structs.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.json.message_types import (
    AskedPart,
    Count,
    GameDescription,
    Id,
    Limits,
    Name,
    Nullable,
    OptionDescription,
    OptionValues,
    Part,
    Played,
    Player,
    Priority,
    Result,
    Score,
    SearchLimit,
    Text,
    Tokens,
)

# --- Requests ---


class Request(AskedPart, frozen=True, kw_only=True, tag_field="type"):
    """Base of all requests."""

    id: Annotated[
        Id, Meta(description="the client's choice, another one than that of any open request")
    ]
    ack: Annotated[
        Count | None,
        Meta(description="the number (`final`) of the last final answer that was received"),
    ] = None


class PositionRequest(Request, frozen=True, kw_only=True):
    """Base of the requests that are about a position: a start, and moves from there."""

    game: Annotated[Name, Meta(description="name of the game, in any letter case")]
    options: Annotated[
        Nullable[OptionValues],
        Meta(description="values of options by their names, in any letter case"),
    ] = msgspec.field(default_factory=dict)
    position: Annotated[
        Text | None, Meta(description="position text to start from, instead of the game's start")
    ] = None
    deal: Annotated[
        Count | None,
        Meta(
            description="number of the deal to start from, up to 2^64 - 1, of a game that is dealt"
        ),
    ] = None
    moves: Annotated[Nullable[Tokens], Meta(description="moves from there")] = msgspec.field(
        default_factory=list
    )


class HelloRequest(Request, frozen=True, kw_only=True, tag="hello"):
    """Say who you are, and ask what there is. The one request that needs no token before it."""

    token: Annotated[Text | None, Meta(description="lets the client in, if the server asks")] = None
    name: Annotated[Name | None, Meta(description="name of the program, for the log")] = None
    resume: Annotated[
        Nullable[bool], Meta(description="whether to be kept when the connection is lost")
    ] = False


class AnalyzeRequest(PositionRequest, frozen=True, kw_only=True, tag="analyze"):
    """Search a position. Answered by any number of `info`, then `done` or `cancelled`."""

    limit: Annotated[SearchLimit, Meta(description="when to end; at least one bound")]
    multipv: Annotated[
        Nullable[Annotated[int, Meta(ge=1, le=256)]],
        Meta(description="best lines to report; fewer when there are fewer moves"),
    ] = 1
    searchmoves: Annotated[
        Annotated[Tokens, Meta(min_length=1)] | None,
        Meta(description="the moves to look at; those that are not legal are passed over"),
    ] = None
    wdl: Annotated[Nullable[bool], Meta(description="whether to add `wdl` to scores")] = False
    every_ms: Annotated[
        Nullable[Annotated[int, Meta(ge=0, le=3_600_000)]],
        Meta(description="the least milliseconds between two `info` of one line"),
    ] = 0
    priority: Annotated[
        Nullable[Priority],
        Meta(description="analyses of a higher one go first"),
    ] = 0


class LegalRequest(PositionRequest, frozen=True, kw_only=True, tag="legal"):
    """Ask for the legal moves of a position."""


class PlayRequest(PositionRequest, frozen=True, kw_only=True, tag="play"):
    """Follow a game: ask what comes of the moves."""


class PerftRequest(PositionRequest, frozen=True, kw_only=True, tag="perft"):
    """Count the sequences of moves. Answered by `perft` or `cancelled`."""

    depth: Annotated[Annotated[int, Meta(ge=0, le=100)], Meta(description="turns")]
    priority: Annotated[
        Nullable[Priority],
        Meta(description="as in `analyze`"),
    ] = 0


class RenderRequest(PositionRequest, frozen=True, kw_only=True, tag="render"):
    """Ask for a drawing of a position."""

    format: Annotated[
        Nullable[Literal["text"]], Meta(description="what the drawing is made of")
    ] = "text"


class CancelRequest(Request, frozen=True, kw_only=True, tag="cancel"):
    """End an open request now. Answered by `cancel`; the target is by its own last answer."""

    target: Annotated[Id, Meta(description="the `id` of the request to end")]


class ResumeRequest(Request, frozen=True, kw_only=True, tag="resume"):
    """Go on with what a lost connection had begun; before any request but `hello`."""

    token: Annotated[Text, Meta(description="what the answer to `hello` had as `resume`")]
    final: Annotated[
        Count, Meta(description="the number of the last final answer that was received, or 0")
    ]


class StatsRequest(Request, frozen=True, kw_only=True, tag="stats"):
    """Ask what the server is doing."""


class PingRequest(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask whether anybody is there."""


AnyRequest = (
    HelloRequest
    | AnalyzeRequest
    | LegalRequest
    | PlayRequest
    | PerftRequest
    | RenderRequest
    | CancelRequest
    | ResumeRequest
    | StatsRequest
    | PingRequest
)

# --- Answers ---


class Answer(Part, frozen=True, kw_only=True, tag_field="type"):
    """Base of all answers."""

    id: Annotated[Id | None, Meta(description="that of the request")]
    seq: Annotated[
        Count, Meta(description="numbers the answers of a request: 0, 1, 2 ... in a connection")
    ]


class FinalAnswer(Answer, frozen=True, kw_only=True):
    """Base of the answers that are the last of their request."""

    final: Annotated[
        Count | None,
        Meta(description="numbers the final answers, from 1, if the client can resume"),
    ] = None


class InfoAnswer(Answer, frozen=True, kw_only=True, tag="info"):
    """How far a search is, for one line of play."""

    depth: Annotated[int, Meta(description="turns that were searched everywhere")]
    seldepth: Annotated[int, Meta(description="turns that were searched in the deepest line")]
    multipv: Annotated[int, Meta(description="which of the best lines this is, from 1")]
    score: Annotated[Score, Meta(description="what the line is worth")]
    wdl: Annotated[
        tuple[int, int, int] | None,
        Meta(description="chances to win, draw and lose in thousandths, if asked for"),
    ] = None
    nodes: Annotated[int, Meta(description="positions that were searched")]
    nps: Annotated[int, Meta(description="the same a second")]
    hashfull: Annotated[int, Meta(description="how full the hash table is, in thousandths")]
    elapsed_ms: Annotated[
        int, Meta(description="milliseconds since the search began, measured at the server")
    ]
    pv: Annotated[list[str], Meta(description="the line of play")]
    side: Annotated[Player, Meta(description="the player to move")]


class DoneAnswer(FinalAnswer, frozen=True, kw_only=True, tag="done"):
    """What a search found."""

    best: Annotated[str | None, Meta(description="the best move; null when the game is over")]
    expected: Annotated[str | None, Meta(description="the answer expected to it")] = None
    depth: Annotated[int, Meta(description="as in the last `info` of the best line; 0 for none")]
    score: Annotated[Score, Meta(description="what the line is worth")]
    wdl: Annotated[tuple[int, int, int] | None, Meta(description="if asked for")] = None
    nodes: Annotated[int, Meta(description="all positions that were searched")]
    nps: Annotated[int, Meta(description="the same a second")]
    elapsed_ms: Annotated[int, Meta(description="milliseconds from the begin of the search")]
    pv: Annotated[list[str], Meta(description="the line of play; begins with `best`")]
    side: Annotated[Player, Meta(description="the player to move")]
    result: Annotated[Result | None, Meta(description="if the game is over")] = None
    reason: Annotated[str | None, Meta(description="how it ended, if it is over")] = None
    clamped: Annotated[
        dict[str, int] | None,
        Meta(description="what `Hash`, `Threads`, `priority` really were, if less than asked for"),
    ] = None


class CancelledAnswer(FinalAnswer, frozen=True, kw_only=True, tag="cancelled"):
    """The request was cancelled, or ended before there was an answer; has what was found."""

    best: Annotated[str | None, Meta(description="as in `done`")] = None
    expected: Annotated[str | None, Meta(description="as in `done`")] = None
    depth: Annotated[int | None, Meta(description="as in `done`")] = None
    score: Annotated[Score | None, Meta(description="as in `done`")] = None
    wdl: Annotated[tuple[int, int, int] | None, Meta(description="as in `done`")] = None
    nodes: Annotated[int | None, Meta(description="as in `done`")] = None
    nps: Annotated[int | None, Meta(description="as in `done`")] = None
    elapsed_ms: Annotated[int | None, Meta(description="as in `done`")] = None
    pv: Annotated[list[str] | None, Meta(description="as in `done`")] = None
    side: Annotated[Player | None, Meta(description="as in `done`")] = None
    counts: Annotated[
        dict[str, int] | None, Meta(description="what `perft` had counted, by first moves")
    ] = None
    clamped: Annotated[dict[str, int] | None, Meta(description="as in `done`")] = None


class ErrorAnswer(FinalAnswer, frozen=True, kw_only=True, tag="error"):
    """The request was refused, or failed.

    `id` is null if the line had no usable one, or that of another request that is open.
    """

    code: Annotated[ErrorCode, Meta(description="one of the codes above")]
    message: Annotated[str, Meta(description="what is wrong, for people")]
    field: Annotated[str | None, Meta(description="where, such as `limit.depth`")] = None
    index: Annotated[int | None, Meta(description="which one of a list, from 0")] = None
    played: Annotated[
        Played | None, Meta(description="of `play`: the game up to the illegal move")
    ] = None


class HelloAnswer(FinalAnswer, frozen=True, kw_only=True, tag="hello"):
    """Who the server is, and what it can do."""

    server: Annotated[str, Meta(description="name of the program")]
    version: Annotated[str, Meta(description="its version")]
    dialect: Annotated[int, Meta(description="version of this dialect")]
    client: Annotated[
        str | None, Meta(description="the name that belongs to the token that was given")
    ] = None
    limits: Annotated[Limits, Meta(description="what this client may have")]
    games: Annotated[list[GameDescription], Meta(description="all games")]
    options: Annotated[
        list[OptionDescription], Meta(description="options of `analyze` besides the game's own")
    ]
    resume: Annotated[
        str | None, Meta(description="token to resume with; absent where nobody can")
    ] = None
    grace_seconds: Annotated[float | None, Meta(description="how long one can stay away")] = None
    unacknowledged_most: Annotated[
        int | None, Meta(description="final answers that are kept; with more, requests are refused")
    ] = None


class LegalAnswer(FinalAnswer, frozen=True, kw_only=True, tag="legal"):
    """The legal moves."""

    position: Annotated[str, Meta(description="position text")]
    side: Annotated[Player, Meta(description="the player to move")]
    moves: Annotated[list[str], Meta(description="all legal moves, sorted; none after the end")]
    result: Annotated[Result, Meta(description="`none` while the game goes on")]
    reason: Annotated[str, Meta(description="one word for how it ended, or `none`")]
    points: Annotated[
        tuple[float, float], Meta(description="points of both sides in the game's own count")
    ]


class PlayAnswer(FinalAnswer, frozen=True, kw_only=True, tag="play"):
    """What came of the moves, which were all legal."""

    start: Annotated[str, Meta(description="position text of the start")]
    positions: Annotated[list[str], Meta(description="position text after each move")]
    side: Annotated[Player, Meta(description="the player to move")]
    legal: Annotated[int, Meta(description="number of legal moves at the end")]
    result: Annotated[Result, Meta(description="`none` while the game goes on")]
    reason: Annotated[str, Meta(description="one word for how it ended, or `none`")]
    points: Annotated[
        tuple[float, float], Meta(description="points of both sides in the game's own count")
    ]


class PerftAnswer(FinalAnswer, frozen=True, kw_only=True, tag="perft"):
    """The sequences that were counted."""

    counts: Annotated[dict[str, int], Meta(description="by first moves; empty for depth 0")]
    total: Annotated[int, Meta(description="their sum; 1 for depth 0")]
    nps: Annotated[int, Meta(description="sequences a second")]
    clamped: Annotated[dict[str, int] | None, Meta(description="as in `done`")] = None


class RenderAnswer(FinalAnswer, frozen=True, kw_only=True, tag="render"):
    """A drawing."""

    format: Annotated[Literal["text"], Meta(description="as asked for")]
    drawing: Annotated[str, Meta(description="the board as people draw it, in lines")]


class CancelAnswer(FinalAnswer, frozen=True, kw_only=True, tag="cancel"):
    """The target will end; its own last answer comes after this."""

    target: Annotated[Id, Meta(description="the request that will end")]


class ResumedAnswer(FinalAnswer, frozen=True, kw_only=True, tag="resumed"):
    """The lost connection goes on here; its final answers follow, then the newest `info`."""

    open: Annotated[list[str], Meta(description="the requests that are still at work")]
    finals: Annotated[int, Meta(description="number of the final answers that follow")]


class StatsAnswer(FinalAnswer, frozen=True, kw_only=True, tag="stats"):
    """What the server is doing."""

    connections: Annotated[int, Meta(description="clients that are connected")]
    sessions: Annotated[int, Meta(description="engines of the text dialects")]
    running: Annotated[int, Meta(description="searches that run")]
    waiting: Annotated[int, Meta(description="searches that wait for their turn")]
    nodes: Annotated[int, Meta(description="positions that were ever searched")]
    nps: Annotated[int, Meta(description="positions a second, of all that run")]
    memory: Annotated[int, Meta(description="bytes")]
    uptime: Annotated[float, Meta(description="seconds")]


class PongAnswer(FinalAnswer, frozen=True, kw_only=True, tag="pong"):
    """Somebody is there."""


AnyAnswer = (
    InfoAnswer
    | DoneAnswer
    | CancelledAnswer
    | ErrorAnswer
    | HelloAnswer
    | LegalAnswer
    | PlayAnswer
    | PerftAnswer
    | RenderAnswer
    | CancelAnswer
    | ResumedAnswer
    | StatsAnswer
    | PongAnswer
)
