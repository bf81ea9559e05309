"""Sets up the positions that requests are about, in pieces that each take a few milliseconds.

The functions here are generators: each `yield` ends a piece, so that whoever drives them
can let others have their turn. Mistakes of the client are raised as `RequestRefusal`.
"""

from collections.abc import Collection, Generator, Mapping, Sequence

from kibitz.engine.errors import InputError, MoveError, OptionError, PositionError
from kibitz.engine.game import DEAL, Game
from kibitz.engine.options import Option, shorten
from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.json.message_types import OptionValue
from kibitz.protocol.json.messages import PositionRequest
from kibitz.protocol.json.request_faults import RequestRefusal
from kibitz.protocol.options import HASH, SEARCHER, THREADS, all_options
from kibitz.protocol.pieces import MOST_MOVES, Pieces, legal_among

MOVES_A_PIECE = MOST_MOVES
POSITIONS_A_PIECE = 40
"""Fewer when the text of each position is wanted, which takes longer than the move."""

ANALYSIS_OPTIONS = (HASH, THREADS, SEARCHER)
"""The options of an analysis besides those of its game."""

_FIELDS = {
    "game": "the field `game` says that",
    "uci_variant": "the field `game` says that",
    "multipv": "the field `multipv` says that",
    "uci_showwdl": "the field `wdl` says that",
}
"""Options of the text dialects that are fields of requests here."""


def game_of(request: PositionRequest) -> Game:
    """Find the game that a request is about."""
    try:
        return find_game(request.game)
    except OptionError as error:
        raise RequestRefusal(ErrorCode.BAD_OPTION, f"game: {error}", "game") from None


def checked_options(
    game: Game, given: Mapping[str, OptionValue], others: Sequence[Option] = ()
) -> dict[str, str]:
    """Give the canonical values of options by their names, of those that were given.

    They are options of the game or of `others`.
    """
    known = {option.name.lower(): option for option in (*others, *game.options)}
    values: dict[str, str] = {}
    for name, value in given.items():
        field = f"options.{name}"
        option = known.get(name.lower())
        if option is None:
            text = f"options: {_why_unknown(game, name)}"
            raise RequestRefusal(ErrorCode.BAD_OPTION, text, field)
        if option.name in values:
            text = f"options: {shorten(name)} is there twice"
            raise RequestRefusal(ErrorCode.BAD_OPTION, text, field)
        try:
            values[option.name] = option.canonical(_text_of(value))
        except OptionError as error:
            raise RequestRefusal(ErrorCode.BAD_OPTION, f"options: {error}", field) from None
    return values


def _why_unknown(game: Game, name: str) -> str:
    if (where := _FIELDS.get(name.lower())) is not None:
        return f"{shorten(name)} is no option here: {where}"
    if any(option.name.lower() == name.lower() for option in all_options()):
        return f"{shorten(name)} is no option of this request about {game.name}"
    return f"there is no option {shorten(name)}"


def _text_of(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def start_of(request: PositionRequest, game: Game, options: Mapping[str, str]) -> Play:
    """Make the start that a request names, without its moves."""
    if request.deal is not None:
        if request.position is not None:
            text = "deal: a position text is given already"
            raise RequestRefusal(ErrorCode.BAD_POSITION, text, "deal")
        if not game.is_dealt:
            text = f"deal: {game.name} is not dealt"
            raise RequestRefusal(ErrorCode.BAD_POSITION, text, "deal")
        try:
            DEAL.canonical(str(request.deal))
        except OptionError as error:
            raise RequestRefusal(ErrorCode.BAD_POSITION, str(error), "deal") from None
    try:
        return Play(game, options, request.position, request.deal)
    except PositionError as error:
        # The number of its fields is wrong, not one of them.
        text = f"position: {str(error).removeprefix('text: ')}"
        raise RequestRefusal(ErrorCode.BAD_POSITION, text, "position") from None
    except InputError as error:
        raise RequestRefusal(ErrorCode.BAD_OPTION, f"options: {error}", "options") from None


def make_moves(play: Play, tokens: Sequence[str]) -> Pieces:
    """Make moves; who makes an illegal one has forfeited the game."""
    for index, token in enumerate(tokens):
        if index % MOVES_A_PIECE == MOVES_A_PIECE - 1:
            yield
        _push(play, token, index)


def follow_moves(play: Play, tokens: Sequence[str], positions: list[str]) -> Pieces:
    """Make moves in the same way, and add the text of the position after each."""
    for index, token in enumerate(tokens):
        if index % POSITIONS_A_PIECE == POSITIONS_A_PIECE - 1:
            yield
        _push(play, token, index)
        positions.append(play.text)


def _push(play: Play, token: str, index: int) -> None:
    try:
        play.push_all([token])
    except MoveError as error:
        raise RequestRefusal(ErrorCode.BAD_MOVE, str(error), "moves", index) from None


def moves_to_search(play: Play, tokens: Collection[str]) -> Generator[None, None, tuple[int, ...]]:
    """Give those of some moves that are legal, each once; refuses when none is."""
    moves = yield from legal_among(play, tokens, MOVES_A_PIECE)
    if not moves:
        text = "searchmoves: none of the moves is legal"
        raise RequestRefusal(ErrorCode.BAD_LIMIT, text, "searchmoves")
    return moves
