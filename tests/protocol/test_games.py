"""Whole games, engine against engine, through the text protocol alone.

The rules of Talisman let two sides take each other's pieces in turn for ever, and engines
do. So each game opens with a few random moves, and from a certain turn on the referee
makes some moves at random, until the game has ended by its rules.
"""

import random

import pytest

from kibitz.engine.registry import GAME_NAMES
from tests.protocol.dialogue import Program

GAMES_EACH = 3
RANDOM_OPENING = 4
PATIENCE = 150
MOST_TURNS = 1000


class Player(Program):
    """An engine that knows which game it plays."""

    def __init__(self, game: str, nodes: int) -> None:
        super().__init__()
        self._nodes = nodes
        self.send(f"setoption name Game value {game}")
        self.send("setoption name QuietLimit value 30")
        self.send("uginewgame")

    def query(self, subject: str) -> str:
        answer = self.ask(f"query {subject}")
        assert answer.startswith("response")
        return answer.removeprefix("response").strip()

    def best_move(self, position: str) -> str:
        self.send(position)
        self.send(f"go nodes {self._nodes}")
        infos = 0
        while (line := self.read()).startswith("info depth"):
            infos += 1
        assert infos >= 1
        word, move = line.split()
        assert word == "bestmove"
        return move


@pytest.mark.parametrize("number", range(GAMES_EACH))
@pytest.mark.parametrize("name", GAME_NAMES)
def test_whole_game(name: str, number: int) -> None:
    """The two engines differ in strength, and change sides from game to game."""
    with Player(name, 200) as strong, Player(name, 60 + number) as weak:
        sides: list[Player] = [strong, weak] if number % 2 == 0 else [weak, strong]
        chance = random.Random(number)
        moves: list[str] = []
        while strong.query("gameover") == "false":
            assert len(moves) < MOST_TURNS
            mover = sides[0] if strong.query("p1turn") == "true" else sides[1]
            position = " ".join(["position startpos moves", *moves])
            if len(moves) < RANDOM_OPENING or (len(moves) > PATIENCE and chance.random() < 0.3):
                move = chance.choice(strong.query("legalmoves").split())
            else:
                move = mover.best_move(position)
            assert strong.query(f"islegal {move}") == "true"
            moves.append(move)
            for player in sides:
                player.send(f"{position} {move}")
        for player in sides:
            assert player.query("gameover") == "true"
            assert player.query("result") in ("p1win", "p2win", "draw")
            assert player.query("reason") not in ("none", "forfeit")
            points = [float(text) for text in player.query("score").split()]
            assert len(points) == 2
            assert min(points) >= 0
            assert max(points) > 0
            assert player.query("legalmoves") == ""
        facts = ("result", "reason", "score", "fen")
        assert [weak.query(fact) for fact in facts] == [strong.query(fact) for fact in facts]
        for player in sides:
            player.send("quit")
            assert player.finish() == 0
