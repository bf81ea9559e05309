"""The examples of the rule pages are replayed, so that the pages stay true.

A fenced block that begins with three backticks and `replay GAME` is played line by line:

    option NAME VALUE     from the next position on; the value is the rest of the line
    at start | TEXT       set up a position
    refused FIELD TEXT    setting up this text fails, and the error names this field
    play TOKEN...         make moves
    then TEXT             the position text is now this
    legal TOKEN...        these are all legal moves, sorted; `legal none` when there is none
    can TOKEN...          these are among the legal moves
    illegal TOKEN...      none of these can be played
    score P1 P2           the points of White and Black
    result WORD REASON    the result and how the game ended
    draws                 the lines that follow, to the end of the block, are the drawing
"""

import re
from typing import NamedTuple

import pytest

from kibitz.engine.errors import MoveError, PositionError
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from tests.contract.data import RULES


class Example(NamedTuple):
    """A replay block of a page."""

    page: str
    line: int
    game: str
    body: str


def find_examples() -> list[Example]:
    """Find the replay blocks of all pages."""
    found = []
    for page in sorted(RULES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for hit in re.finditer(r"^```replay (\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, hit.start()) + 1
            found.append(Example(page.name, line, hit[1], hit[2]))
    return found


EXAMPLES = find_examples()


class Replay:
    """Plays the lines of a block."""

    def __init__(self, example: Example) -> None:
        self.game = find_game(example.game)
        self.options: dict[str, str] = {}
        self.play = Play(self.game, {})

    def option(self, words: str) -> None:
        name, _, value = words.partition(" ")
        assert name in {option.name for option in self.game.options}
        self.options[name] = value

    def at(self, words: str) -> None:
        self.play = Play(self.game, self.options, None if words == "start" else words)
        assert words in ("start", self.play.text)

    def refused(self, words: str) -> None:
        field, _, text = words.partition(" ")
        with pytest.raises(PositionError) as caught:
            Play(self.game, self.options, text)
        assert caught.value.field == field

    def played(self, words: str) -> None:
        for token in words.split():
            self.play.push(token)

    def then(self, words: str) -> None:
        assert self.play.text == words

    def legal(self, words: str) -> None:
        assert self.play.legal_tokens() == ([] if words == "none" else words.split())

    def can(self, words: str) -> None:
        assert set(words.split()) <= set(self.play.legal_tokens())

    def illegal(self, words: str) -> None:
        for token in words.split():
            with pytest.raises(MoveError):
                self.play.push(token)

    def score(self, words: str) -> None:
        white, black = words.split()
        assert self.play.points == (float(white), float(black))

    def result(self, words: str) -> None:
        assert f"{self.play.result} {self.play.reason}" == words


@pytest.mark.core
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.page}:{e.line}")
def test_example(example: Example) -> None:
    replay = Replay(example)
    lines = example.body.splitlines()
    assert lines
    while lines:
        command, _, words = lines.pop(0).partition(" ")
        if command == "draws":
            drawn = replay.game.draw(replay.play.position).splitlines()
            assert [line.rstrip() for line in lines] == [line.rstrip() for line in drawn]
            return
        if command == "play":
            command = "played"
        getattr(replay, command)(words.strip())


def test_every_game_has_examples() -> None:
    assert {example.game for example in EXAMPLES} == set(GAME_NAMES)
    assert all(sum(each.game == name for each in EXAMPLES) >= 2 for name in GAME_NAMES)
