"""The answers to `query`, and the longer ones about a position: board, evaluation, moves."""

from collections.abc import Callable

from kibitz.engine.errors import MoveError
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES
from kibitz.protocol.options import Options
from kibitz.protocol.replies import Board, Evaluation, LegalMoves, TermLine
from kibitz.protocol.ugi_lines import number

UNKNOWN = "unknown"


def answer_query(play: Play, options: Options, subject: str, argument: str) -> str:
    """Give what follows `response`."""
    if subject == "islegal":
        return _is_legal(play, argument)
    if subject == "options":
        return "; ".join(f"{name}={value}" for name, value in options.values.items())
    answer = _ANSWERS.get(subject)
    return UNKNOWN if answer is None or argument else answer(play)


def _is_legal(play: Play, token: str) -> str:
    if not token or " " in token:
        return "false a move is one word"
    try:
        play.read_legal(token)
    except MoveError as error:
        return f"false {error}"
    return "true"


def _truth(value: bool) -> str:
    return "true" if value else "false"


_ANSWERS: dict[str, Callable[[Play], str]] = {
    "p1turn": lambda play: _truth(play.position.side == 0),
    "p2turn": lambda play: _truth(play.position.side == 1),
    "gameover": lambda play: _truth(play.is_over),
    "result": lambda play: play.result,
    "reason": lambda play: play.reason,
    "score": lambda play: " ".join(number(points) for points in play.points),
    "fen": lambda play: play.text,
    "legalmoves": lambda play: " ".join(play.legal_tokens()),
    "game": lambda play: play.game.name,
    "games": lambda play: " ".join(GAME_NAMES),
    "startpos": lambda play: play.game.start_text(play.settings),
    "deal": lambda play: "none" if play.deal is None else str(play.deal),
}


def legal_moves(play: Play) -> LegalMoves:
    """List the legal moves."""
    return LegalMoves(tuple(play.legal_tokens()))


def show_board(play: Play) -> Board:
    """Gather what there is to know about the position."""
    return Board(
        drawing=play.game.draw(play.position),
        text=play.text,
        key=play.position.key,
        side=play.position.side,
        score=play.points,
        result=play.result,
        reason=play.reason,
        legal_moves=len(play.legal_moves()),
    )


def show_evaluation(play: Play) -> Evaluation:
    """Gather the terms of the evaluation; none when the game is over."""
    if play.is_over:
        return Evaluation((), 0, play.position.side, play.result)
    terms = tuple(TermLine(*term) for term in play.game.terms(play.position))
    return Evaluation(terms, play.position.value(), play.position.side, play.result)
