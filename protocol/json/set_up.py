"""Sets up the positions that requests are about, in pieces that each take a few milliseconds.

The functions here are generators: each `yield` ends a piece, so that whoever drives them
can let others have their turn. Mistakes of the client are raised as `RequestRefusal`.
"""

from collections.abc import Collection, Generator, Mapping, Sequence

from kibitz.engine.errors import InputError, MoveError, OptionError, PositionError
from kibitz.engine.game import DEAL, Game
from kibitz.engine.options import Option
from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.protocol.faults import ErrorCode
from kibitz.protocol.json.message_types import OptionValue
from kibitz.protocol.json.messages import PositionRequest
from kibitz.protocol.json.request_faults import RequestRefusal, refusal_of
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
        raise refusal_of("game", str(error)) from None


def checked_options(
    game: Game, given: Mapping[str, OptionValue | None], others: Sequence[Option] = ()
) -> dict[str, str]:
    """Give the canonical values of options by their names, of those that were given.

    They are options of the game or of `others`. One that is null is not given.
    """
    known = {option.name.lower(): option for option in (*others, *game.options)}
    values: dict[str, str] = {}
    seen: set[str] = set()
    for name, value in given.items():
        field = f"options.{name}"
        option = known.get(name.lower())
        if option is None:
            raise refusal_of(field, _why_unknown(game, name))
        if option.name in seen:
            raise refusal_of(field, "is there twice")
        seen.add(option.name)
        if value is None:
            continue  # as if it were left out
        try:
            values[option.name] = option.canonical(_text_of(value))
        except OptionError as error:
            raise refusal_of(field, str(error).removeprefix(f"{option.name}: ")) from None
    return values


def _why_unknown(game: Game, name: str) -> str:
    if (where := _FIELDS.get(name.lower())) is not None:
        return f"is no option here: {where}"
    if any(option.name.lower() == name.lower() for option in all_options()):
        return f"is no option of this request about {game.name}"
    return "there is no such option"


def _text_of(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def start_of(request: PositionRequest, game: Game, options: Mapping[str, str]) -> Play:
    """Make the start that a request names, without its moves."""
    if request.deal is not None:
        if request.position is not None:
            raise refusal_of("deal", "a position text is given already")
        if not game.is_dealt:
            raise refusal_of("deal", f"{game.name} is not dealt")
        if DEAL.name in options:
            raise refusal_of("deal", f"options.{DEAL.name} says that too; only one of them can")
        try:
            DEAL.canonical(str(request.deal))
        except OptionError as error:
            raise refusal_of("deal", str(error).removeprefix(f"{DEAL.name}: ")) from None
    try:
        return Play(game, options, request.position, request.deal)
    except PositionError as error:
        # The number of its fields is wrong, not one of them.
        raise refusal_of("position", str(error).removeprefix("text: ")) from None
    except InputError as error:
        name, colon, why = str(error).partition(": ")
        field = f"options.{name}" if colon and name in options else "options"
        raise refusal_of(field, why if field != "options" else str(error)) from None


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
        raise refusal_of("searchmoves", "none of the moves is legal")
    return moves
