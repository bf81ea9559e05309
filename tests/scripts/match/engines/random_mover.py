"""A UGI engine that plays any of kibitz's games with random legal moves.

    python random_mover.py --game NAME [--seed N] [--first] [--expects]

It answers the queries of UGI, `legalmoves` and `islegal`, and every `go` at once, but
`infinite` and `ponder` at `stop` or `ponderhit`. With `--first` it plays the first legal move
instead, which makes every game the same; with `--expects` it says that the enemy will do so.
The game of `stones.py` is what it plays if nothing else is said.

It is the base of `faulty.py`, and so written in small methods.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Protocol

if __name__ == "__main__":
    # Started as a script, by its path alone.
    sys.path[:0] = [str(Path(__file__).parents[4])]

from tests.scripts.match.engines.stones import Input, Stones

GAMES = ("stones", "talisman", "jarmo", "jasir", "krepost", "trollchess")


class Board(Protocol):
    """A game as it stands."""

    @property
    def text(self) -> str: ...
    @property
    def result(self) -> str: ...
    @property
    def first_moves(self) -> bool: ...
    def legal(self) -> list[str]: ...
    def push(self, token: str) -> None: ...


class OurBoard:
    """One of kibitz's games; raises `ValueError` as `Stones` does."""

    def __init__(self, game: str, text: str | None) -> None:
        from kibitz.engine.errors import InputError
        from kibitz.engine.play import Play
        from kibitz.engine.registry import find_game

        self._error = InputError
        try:
            self.play = Play(find_game(game), {}, text)
        except InputError as error:
            raise ValueError(str(error)) from error

    @property
    def text(self) -> str:
        return self.play.text

    @property
    def result(self) -> str:
        return self.play.result

    @property
    def first_moves(self) -> bool:
        return self.play.position.side == 0

    def legal(self) -> list[str]:
        return self.play.legal_tokens()

    def push(self, token: str) -> None:
        try:
            self.play.push(token)
        except self._error as error:
            raise ValueError(str(error)) from error


class RandomMover:
    """The engine: one thing after another, and nothing while it waits but for input."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.input = Input()
        self.game: str = given.game
        self.first: bool = given.first
        self.expects: bool = given.expects
        self.random = random.Random(given.seed)
        self.board = self.start(None)
        self.held: list[str] | None = None
        """The `go` whose answer is held until `stop` or `ponderhit`."""

    def start(self, text: str | None) -> Board:
        if self.game == "stones":
            return Stones() if text is None else Stones.read(text)
        return OurBoard(self.game, text)

    def say(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def run(self) -> None:
        while (line := self.input.wait()) is not None:
            words = self.split(line)
            if words == ["quit"]:
                self.leave("quit")
                return
            if words:
                self.handle(words)
        self.leave("end")

    def leave(self, reason: str) -> None:
        """Do what has to be done at `quit` and at the end of the input."""
        self.end_search()

    def split(self, line: str) -> list[str]:
        return line.split()

    def handle(self, words: list[str]) -> None:
        match words:
            case ["ugi"]:
                self.greet()
            case ["isready"]:
                self.say("readyok")
            case ["setoption", "name", *rest] if "value" in rest:
                value = rest.index("value")
                self.set_option(" ".join(rest[:value]).lower(), " ".join(rest[value + 1 :]))
            case ["uginewgame"]:
                self.new_game()
            case ["position", kind, *rest] if kind in ("startpos", "fen"):
                self.end_search()
                self.set_position(kind, rest)
            case ["go", *rest]:
                self.end_search()
                self.go(rest)
            case ["stop"]:
                self.end_search()
            case ["ponderhit"]:
                self.ponderhit()
            case ["query", *subject]:
                self.query(subject)
            case _:
                self.unknown()

    def greet(self) -> None:
        self.say("id name Random")
        self.say("id author Nobody")
        games = " ".join(f"var {name}" for name in GAMES)
        self.say(f"option name Game type combo default {self.game} {games}")
        self.say("option name Seed type spin default 1 min 0 max 1000000")
        self.say("option name Ponder type check default false")
        self.say("ugiok")

    def set_option(self, name: str, value: str) -> None:
        if name == "game" and value in GAMES:
            self.game = value
            self.board = self.start(None)
        elif name == "seed" and value.isdigit():
            self.random.seed(int(value))

    def new_game(self) -> None:
        self.end_search()
        self.board = self.start(None)

    def set_position(self, kind: str, words: list[str]) -> None:
        moves = words.index("moves") if "moves" in words else len(words)
        try:
            board = self.start(" ".join(words[:moves]) if kind == "fen" else None)
            for token in words[moves + 1 :]:
                board.push(token)
        except ValueError as error:
            self.say(f"info string error bad_position: {error}")
            return
        self.board = board

    def unknown(self) -> None:
        """Pass over what is no command."""

    # Searching.

    def go(self, words: list[str]) -> None:
        if "infinite" in words or "ponder" in words:
            self.held = words
        else:
            self.search(words)

    def ponderhit(self) -> None:
        if self.held is not None and "infinite" not in self.held:
            self.end_search()

    def end_search(self) -> None:
        if self.held is not None:
            words, self.held = self.held, None
            self.search(words)

    def search(self, words: list[str]) -> None:
        move = self.choose(words)
        self.tell(move)
        self.decide(move)

    def choose(self, words: list[str]) -> str | None:
        moves = self.board.legal()
        if "searchmoves" in words:
            wanted = words[words.index("searchmoves") :]
            moves = [move for move in moves if move in wanted]
        if not moves:
            return None
        return moves[0] if self.first else self.random.choice(moves)

    def tell(self, move: str | None) -> None:
        line = "info depth 1 seldepth 1 score cp 0 nodes 1 nps 1000 time 0"
        if move is not None:
            line += f" pv {move}"
            if self.expects:
                after = self.start(self.board.text)
                after.push(move)
                line = " ".join([line, *after.legal()[:1]])
        self.say(line)

    def decide(self, move: str | None) -> None:
        self.say(f"bestmove {move or '(none)'}")

    # Questions.

    def query(self, subject: list[str]) -> None:
        self.say(f"response {self.answer(subject)}".rstrip())

    def answer(self, subject: list[str]) -> str:
        match subject:
            case ["p1turn"]:
                return str(self.board.first_moves).lower()
            case ["p2turn"]:
                return str(not self.board.first_moves).lower()
            case ["gameover"]:
                return str(self.board.result != "none").lower()
            case ["result"]:
                return self.board.result
            case ["fen"]:
                return self.board.text
            case ["legalmoves"]:
                return " ".join(self.board.legal())
            case ["islegal", move]:
                return "true" if move in self.board.legal() else "false it is not"
            case _:
                return "unknown"


def parser() -> argparse.ArgumentParser:
    """Give the parser of the arguments that faulty engines have too."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--game", choices=GAMES, default=GAMES[0])
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--first", action="store_true", help="plays the first legal move")
    reader.add_argument("--expects", action="store_true", help="expects the first legal move")
    return reader


if __name__ == "__main__":
    RandomMover(parser().parse_args()).run()
