"""Checks of positions and whole games."""

import random
from collections.abc import Mapping

from kibitz.scripts.match.check.outcomes import CheckFailed, CheckSkipped, shown
from kibitz.scripts.match.check.subject import Subject

MOST_PLIES = 600
"""The moves after which a game that the engine plays against itself is left."""
STEADY_PLIES = 30
"""The moves after which others than the engine's are made, where the legal ones are known."""
BLIND_PLIES = 40
"""The moves of a game when nobody can say whether it is over."""
SHORT = 6
"""The moves of each of two games in a row."""
LONG_LINE = 32 * 1024
"""The bytes of a line that is only to be survived."""
GO = "go depth 1"
START_ANSWERS: Mapping[str, tuple[str | None, ...]] = {
    "p1turn": ("true",),
    "gameover": ("false",),
    "result": ("none",),
    "p2turn": ("false", None),
}
"""What can be said of the start; None is no answer."""
RESULTS = ("p1win", "p2win", "draw")
CHESS_TEXT = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


async def takes_texts(subject: Subject) -> None:
    """Raise unless a position that was told as a text can be set by it."""
    first = (await subject.search_once(GO)).move
    moves = [] if first is None else [first]
    talk = await subject.place(moves)
    if await subject.ask("fen") is None and await subject.plays_chess():
        await talk.send(f"position fen {CHESS_TEXT}")
        played = await subject.search(GO, subject.patience.answer)
        if played.move is None:
            raise CheckFailed(f"there is no move after 'position fen {CHESS_TEXT}'")
        return
    await subject.place(moves)
    text = await subject.needs("fen")
    turn = await subject.ask("p1turn")
    await subject.place()
    await talk.send(f"position fen {text}")
    again = await subject.ask("fen")
    if again != text or await subject.ask("p1turn") != turn:
        raise CheckFailed(f"after 'position fen {text}' the position is {shown(again or '')}")
    played = await subject.search(GO, subject.patience.answer)
    await subject.check_legal(played, f"position fen {text}")


async def answers_queries(subject: Subject) -> None:
    """Raise unless the engine says of the start that White moves and the game is not over."""
    await subject.place()
    for question, right in START_ANSWERS.items():
        answer = await subject.ask(question)
        if answer is None and None not in right and subject.is_uci:
            raise CheckSkipped(f"'query {question}' is not answered, which UCI does not ask for")
        if answer not in right:
            said = "not answered" if answer is None else f"answered by {shown(answer)}"
            raise CheckFailed(f"'query {question}' at the start is {said}")
    moves = [move for move in [(await subject.search_once(GO)).move] if move is not None]
    await subject.place(moves)
    if await subject.ask("p1turn") not in ("true", "false"):
        raise CheckFailed("'query p1turn' is not answered by true or false after a move")


async def plays_a_game(subject: Subject) -> None:
    """Raise unless a game of the engine against itself is made of moves and comes to an end."""
    moves, is_over = await _play(subject, MOST_PLIES)
    subject.game = tuple(moves)
    if is_over is None:
        return
    if not is_over:
        raise CheckSkipped(f"its game against itself is not over after {MOST_PLIES} moves")
    result = await subject.ask("result")
    if result not in RESULTS:
        raise CheckFailed(f"the game is over, but its result is {shown(result or 'not told')}")
    # Move by move, the same game says the same.
    await subject.place(moves[:-1])
    if await subject.ask("gameover") == "true":
        raise CheckFailed("the game is over before its last move, when it is set again")


async def knows_the_end(subject: Subject) -> None:
    """Raise if the engine moves in a game that is over."""
    moves = await _game(subject)
    talk = await subject.place(moves)
    if await subject.needs("gameover") != "true":
        raise CheckSkipped("there is no game that is over")
    await talk.send(GO)
    heard = await talk.sync(GO)
    if not any(line.word == "bestmove" for line in heard):
        # It may search all the same, or have nothing to say.
        await talk.send("stop")
        heard += await talk.listen()
        heard += await talk.sync("stop")
    found = [line.text.split()[1:2] for line in heard if line.word == "bestmove"]
    if len(found) > 1:
        raise CheckFailed(f"'{GO}' in a finished game is answered by {len(found)} bestmoves")
    if found and found[0] not in ([], ["(none)"], ["0000"]):
        raise CheckFailed(f"{shown(found[0][0])} is its move in a game that is over")
    if await subject.ask("gameover") != "true":
        raise CheckFailed(f"after '{GO}' in a finished game the game is not over any more")


async def begins_anew(subject: Subject) -> None:
    """Raise unless moves change the position, and a new game brings that of the start back."""
    talk = await subject.place()
    start = await subject.ask("fen")
    played = await subject.search(GO, subject.patience.answer)
    move = await subject.check_legal(played, GO)
    await subject.place([move])
    if start is not None and await subject.ask("fen") == start:
        raise CheckFailed(f"after 'position startpos moves {move}' the position is the start")
    await talk.send(subject.new_game)
    await talk.sync(subject.new_game)
    await subject.place()
    after = await subject.ask("fen")
    if after != start:
        raise CheckFailed(f"the new game does not begin at the start, but at {shown(after or '')}")
    played = await subject.search(GO, subject.patience.answer)
    await subject.check_legal(played, f"{subject.new_game}', '{GO}")


async def plays_two_games(subject: Subject) -> None:
    """Raise unless there can be two games in a row, each with moves of its own."""
    for _ in range(2):
        talk = await subject.talk()
        await talk.send(subject.new_game)
        await talk.sync(subject.new_game)
        await _play(subject, SHORT)


async def takes_long_games(subject: Subject) -> None:
    """Raise unless a long list of moves is read to its end, and a very long line survived."""
    moves = list(await _game(subject))
    await subject.place(moves)
    if await _is_over(subject):
        del moves[-1:]
        await subject.place(moves)
    played = await subject.search(GO, subject.patience.answer)
    await subject.check_legal(played, f"a game of {len(moves)} moves")
    line = "position startpos moves"
    words = " " + " ".join(moves or ["a"])
    line += words * (LONG_LINE // len(words) + 1)
    talk = await subject.talk()
    await talk.send(line)
    await talk.sync(f"a line of {len(line)} bytes")
    await subject.place()
    played = await subject.search(GO, subject.patience.answer)
    await subject.check_legal(played, f"a line of {len(line)} bytes")


async def _play(subject: Subject, most: int) -> tuple[list[str], bool | None]:
    """Play a game; gives its moves and whether it is over, None when nobody can say so.

    Raises `CheckFailed` when there is no first move: each game that is given has one.
    """
    chance = random.Random(1)  # noqa: S311 - the same game again is what is wanted
    moves: list[str] = []
    while True:
        await subject.place(moves)
        is_over = await _is_over(subject)
        if is_over and not moves:
            raise CheckFailed("the game is over at the start, says 'query gameover'")
        if is_over or len(moves) >= (min(most, BLIND_PLIES) if is_over is None else most):
            return moves, is_over
        played = await subject.search(GO, subject.patience.answer)
        if is_over is None and played.move is None and len(moves) > 1:
            # The move before has ended the game, it seems.
            return moves[:-1], None
        move = await subject.check_legal(played, f"{GO}' at move '{len(moves) + 1}")
        if len(moves) >= STEADY_PLIES:
            # Two engines that always play their best could go round in circles.
            move = chance.choice(await subject.legal_moves() or [move])
        moves.append(move)


async def _is_over(subject: Subject) -> bool | None:
    answer = await subject.ask("gameover")
    return answer == "true" if answer in ("true", "false") else None


async def _game(subject: Subject) -> tuple[str, ...]:
    """Give a game that the engine has played against itself."""
    if subject.game is None:
        subject.game = tuple((await _play(subject, MOST_PLIES))[0])
    return subject.game
