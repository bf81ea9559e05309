"""Every game through JSON lines, with the real search, and any requests at random."""

import json
import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.json.codec import BLANKS
from kibitz.protocol.json.messages import AnyAnswer
from kibitz.search.driver import Search
from tests.protocol.json.json_host import Answer, JsonHost

DECODER = msgspec.json.Decoder(AnyAnswer)
MOVES = 12


def random_moves(game: Game, seed: int) -> list[str]:
    chance = random.Random(seed)
    play = Play(game, {})
    for _ in range(MOVES):
        if not play.is_over:
            play.push(chance.choice(play.legal_tokens()))
    return play.tokens


@pytest.mark.parametrize("seed", range(2))
def test_answers_are_what_the_rules_say(game: Game, seed: int) -> None:
    moves = random_moves(game, seed)
    play = Play(game, {})
    texts = []
    for token in moves:
        play.push(token)
        texts.append(play.text)
    host = JsonHost(make=Search)
    about = {"game": game.name, "moves": moves}
    host.send(
        {"type": "legal", "id": "legal"} | about,
        {"type": "play", "id": "play"} | about,
        {"type": "render", "id": "render"} | about,
        {"type": "legal", "id": "text", "game": game.name, "position": play.text},
        {"type": "perft", "id": "perft", "depth": 1} | about,
        {"type": "analyze", "id": "analyze", "limit": {"nodes": 300}, "multipv": 2} | about,
    )
    answers = {answer["id"]: answer for answer in host.finish()}
    for answer in answers.values():
        DECODER.decode(msgspec.json.encode(answer))
    assert answers["play"]["positions"] == texts
    assert answers["play"]["start"] == Play(game, {}).text
    assert answers["play"]["legal"] == len(play.legal_tokens())
    for name in ("legal", "text"):
        assert answers[name]["moves"] == play.legal_tokens()
        assert answers[name]["side"] == ("p1", "p2")[play.position.side]
        assert answers[name]["points"] == list(play.points)
    assert answers["render"]["drawing"] == game.draw(play.position)
    assert list(answers["perft"]["counts"]) == play.legal_tokens()
    assert answers["analyze"]["best"] in play.legal_tokens()
    assert play.line([play.read_legal(answers["analyze"]["best"])])


def test_a_whole_game_by_analyses(game: Game) -> None:
    """Each request has the whole game in it; the other side moves at random."""
    chance = random.Random(1)
    host = JsonHost(make=Search)
    moves: list[str] = []
    for turn in range(40):
        about: Answer = {"game": game.name, "options": {"QuietLimit": 10}, "moves": moves}
        host.send({"type": "analyze", "id": str(turn), "limit": {"nodes": 50}} | about)
        done = host.finish()[-1]
        assert done["type"] == "done"
        if done["best"] is None:
            assert done["result"] != "none"
            break
        legal = host.ask({"type": "legal", "id": "legal"} | about)[0]["moves"]
        assert done["best"] in legal
        moves.append(done["best"] if turn % 2 else chance.choice(legal))
    # One table for all of it.
    assert len(host.service.tables) == 1


TOKENS = {name: random_moves(find_game(name), 0) for name in GAME_NAMES}


@st.composite
def requests(draw: st.DrawFn) -> Answer:
    """Requests that are often right."""
    name = draw(st.sampled_from(GAME_NAMES))
    kind = draw(st.sampled_from(["analyze", "legal", "play", "perft", "render", "ping", "cancel"]))
    request: Answer = {"type": kind, "id": draw(st.sampled_from("abc"))}
    if kind == "cancel":
        request["target"] = draw(st.sampled_from("abc"))
    if kind in ("ping", "cancel"):
        return request
    request |= {"game": name, "moves": TOKENS[name][: draw(st.integers(0, 3))]}
    if kind == "analyze":
        request["limit"] = {"nodes": draw(st.integers(1, 50))}
    if kind == "perft":
        request["depth"] = draw(st.integers(0, 1))
    return request


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        5,
        2**64,
        1.5,
        "",
        "a",
        "\x00",
        "é" * 70,
        [],
        ["a"],
        [[]],
        {},
        {"a": 1},
    ]
)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Lines of requests in which something was changed."""
    request = draw(requests())
    for _ in range(draw(st.integers(0, 2))):
        where = request
        limit = request.get("limit")
        if isinstance(limit, dict) and draw(st.booleans()):
            where = limit
        names = [*where, "ack", "options", "position", "deal", "searchmoves", "token", "x", "wdl"]
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            where.pop(name, None)
        else:
            where[name] = draw(ODD)
    line = json.dumps(request)
    if draw(st.integers(0, 3)) == 0:
        start = draw(st.integers(0, len(line)))
        line = line[:start] + draw(st.text(max_size=3)) + line[start + draw(st.integers(0, 3)) :]
    return line


@given(st.lists(mutations(), max_size=8), st.randoms(use_true_random=False))
def test_every_line_has_one_final_answer(lines: list[str], chance: random.Random) -> None:
    host = JsonHost(make=Search)
    answers: list[Answer] = []
    asked = 0
    for line in lines:
        host.send(line)
        asked += bool(line.strip(BLANKS))
        for _ in range(chance.randrange(3)):
            host.service.do_piece()
        if host.service.jobs and chance.random() < 0.3:
            host.service.run_job()
        answers += host.take()
    answers += host.finish()
    assert host.desk.is_idle
    finals = [answer for answer in answers if answer["type"] != "info"]
    assert len(finals) == asked
    for answer in answers:
        DECODER.decode(msgspec.json.encode(answer))
        assert answer.get("code") != "internal", answer
    assert not any(host.service.tables.values())


@given(st.lists(st.text(max_size=30), max_size=5))
def test_rubbish_is_answered_line_by_line(lines: list[str]) -> None:
    host = JsonHost()
    host.send(*lines)
    kinds = Counter(answer["type"] for answer in host.finish())
    assert kinds["error"] == sum(bool(line.strip(BLANKS)) for line in lines)
