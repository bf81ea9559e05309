"""How a server shares the machine between clients, and lets lost ones come back."""

import random
import threading
from pathlib import Path

import pytest

from tests.protocol.server.serving import Client, Serving

ANN = "the-secret-word-of-ann"
BOB = "the-secret-word-of-bob"
CAROL = "the-secret-word-of-carol"
TOKENS = f"ann={ANN},bob={BOB},carol={CAROL}"


def admitted(serving: Serving, token: str) -> Client:
    client = serving.connect()
    assert client.ask("hello", token=token)["type"] == "hello"
    return client


# Searches.


def test_two_greedy_clients_and_a_modest_one(tmp_path: Path) -> None:
    """The modest one's searches come between those that the greedy ones have waiting."""
    settings = "searches = { cores = 1, slice_seconds = 0.02 }\n"
    with Serving(settings=settings, folder=tmp_path, KIBITZ_TOKENS=TOKENS) as serving:
        greedy = [admitted(serving, token) for token in (ANN, BOB) for _ in range(2)]
        modest = admitted(serving, CAROL)
        for client in greedy:
            for number in range(200):
                client.post("analyze", game="jarmo", limit={"infinite": True}, id=str(number))
            assert client.ask("ping")["type"] == "pong"
        for _ in range(3):
            answer = modest.ask("analyze", game="talisman", limit={"depth": 5})
            assert (answer["type"], answer["depth"]) == ("done", 5)
        stats = modest.ask("stats")
        assert stats["running"] >= 1
        assert stats["running"] + stats["waiting"] == 800
        for client in greedy:
            client.close()
        serving.finish()


def test_more_searches_than_a_client_may_have_waiting(tmp_path: Path) -> None:
    settings = "quota = { searches = 1, waiting = 2 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        for number in range(5):
            client.post("analyze", game="jarmo", limit={"infinite": True}, id=str(number))
        codes = [client.final(str(number))["code"] for number in (3, 4)]
        assert codes == ["over_limit"] * 2
        for number in range(3):
            client.ask("cancel", target=str(number))
        serving.finish()


def test_a_client_that_would_rather_be_refused(tmp_path: Path) -> None:
    settings = 'quota = { searches = 1, over = "refuse" }\n'
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        search = client.analyze()
        answer = client.ask("analyze", game="talisman", limit={"depth": 1})
        assert answer["code"] == "over_limit"
        client.ask("cancel", target=search)
        serving.finish()


def test_without_tokens_each_connection_is_a_client(tmp_path: Path) -> None:
    """With the whole quota; with a token they share it."""
    settings = 'quota = { searches = 1, over = "refuse", sessions = 2 }\n'
    limit = {"infinite": True}
    for tokens in ("", TOKENS):
        with Serving(settings=settings, folder=tmp_path, KIBITZ_TOKENS=tokens) as serving:
            first, second = (
                admitted(serving, ANN) if tokens else serving.connect() for _ in range(2)
            )
            first.analyze()
            search = second.post("analyze", game="talisman", limit=limit)
            assert second.message()["type"] == ("error" if tokens else "info")
            if not tokens:
                second.ask("cancel", target=search)
            serving.finish()


def test_the_longest_search(tmp_path: Path) -> None:
    settings = "quota = { longest = 0.2 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        answer = client.ask("analyze", game="jarmo", limit={"infinite": True})
        assert answer["type"] == "done"
        client.send('{"id": "p", "type": "perft", "game": "jarmo", "depth": 30}')
        assert client.final("p")["type"] != "pong"
        with serving.connect() as other:
            other.send("go movetime 10000000")
            assert other.lines("bestmove ")
            # To this, a program may be told the best move only after it said stop.
            other.send("go infinite")
            while client.ask("stats")["running"]:
                pass
            other.send("stop")
            assert other.lines("bestmove ")
        serving.finish()


def test_quick_answers_while_others_ask_without_pause(tmp_path: Path) -> None:
    """Two hundred clients ask all the time; one more is not made to wait for each of them."""
    busy, rounds = 100, 30
    settings = "quota = { requests = 0, connections = 1000 }\n"
    with Serving(settings=settings, folder=tmp_path) as serving:
        clients = [serving.connect() for _ in range(busy)]
        modest = serving.connect()
        modest.ask("ping")
        over = threading.Event()

        def ask_on() -> None:
            while not over.is_set():
                for client in clients:
                    client.post("legal", game="jarmo")
                for client in clients:
                    client.message()

        asker = threading.Thread(target=ask_on)
        asker.start()
        search = modest.analyze()
        for _ in range(rounds):
            assert modest.ask("ping")["type"] == "pong"
        assert modest.ask("cancel", target=search)["type"] == "cancel"
        over.set()
        asker.join()
        for client in clients:
            client.close()
        modest.close()
        serving.finish()


# Coming back.


def test_a_lost_connection_is_resumed() -> None:
    with Serving() as serving:
        first = serving.connect()
        token = first.ask("hello", resume=True)["resume"]
        first.analyze(id="long")
        first.post("analyze", game="talisman", limit={"depth": 3}, id="short")
        assert first.final("short")["final"] == 1
        first.reset()
        with serving.connect() as second:
            second.ask("hello")
            answer = second.ask("resume", token=token, final=0)
            assert (answer["type"], answer["open"], answer["finals"]) == ("resumed", ["long"], 1)
            assert second.message()["id"] == "short"
            assert second.message()["type"] == "info"
            assert second.ask("cancel", target="long")["type"] == "cancel"
            assert second.final("long")["type"] == "cancelled"
        serving.finish()


def test_a_connection_takes_another_one_over() -> None:
    with Serving() as serving:
        with serving.connect() as first, serving.connect() as second:
            token = first.ask("hello", resume=True)["resume"]
            first.analyze(id="long")
            assert second.ask("resume", token=token, final=0)["open"] == ["long"]
            first.rest()
            serving.event("disconnected", why="taken over")
            second.ask("cancel", target="long")
            assert second.ask("ping")["type"] == "pong"
        serving.finish()


def test_tokens_of_others_and_of_nobody() -> None:
    with Serving(KIBITZ_TOKENS=TOKENS) as serving:
        with admitted(serving, BOB) as bob:
            with serving.connect() as ann:
                token = ann.ask("hello", token=ANN, resume=True)["resume"]
                for wrong in (token, token + "x", "", ANN):
                    assert bob.ask("resume", token=wrong, final=0)["code"] == "no_session"
            serving.event("disconnected", client="ann")
            assert bob.ask("resume", token=token, final=0)["code"] == "no_session"
            with serving.connect() as nobody:
                assert nobody.ask("resume", token=token, final=0)["code"] == "denied"
            with admitted(serving, ANN) as again:
                assert again.ask("resume", token=token, final=0)["type"] == "resumed"
        assert token not in str(serving.log)
        serving.finish()


def test_a_second_hello_with_the_token_of_another() -> None:
    """It is refused, and the connection stays whose it is, until there are too many of them."""
    with Serving(KIBITZ_TOKENS=TOKENS) as serving:
        with admitted(serving, ANN) as ann:
            search = ann.analyze()
            for wrong in (BOB, "nobody's"):
                answer = ann.ask("hello", token=wrong)
                assert (answer["code"], answer["field"]) == ("denied", "token")
            assert "bob" not in answer["message"]
            assert ann.ask("hello", token=ANN)["client"] == "ann"
            assert ann.ask("cancel", target=search)["type"] == "cancel"
            assert ann.ask("hello", token="")["code"] == "denied"
            ann.rest()
            assert serving.event("disconnected", client="ann")["why"] == "wrong tokens"
        serving.finish()


def test_resume_beyond_what_was_sent_leaves_the_other_connection_alone() -> None:
    with Serving() as serving, serving.connect() as first, serving.connect() as second:
        token = first.ask("hello", resume=True)["resume"]
        search = first.analyze()
        assert first.ask("ping")["final"] == 1
        for claims in ({"final": 99}, {"final": 0, "ack": 99}):
            answer = second.ask("resume", token=token, **claims)
            assert (answer["code"], answer["field"]) == ("bad_command", [*claims][-1])
            assert first.ask("stats")["type"] == "stats"
        answer = second.ask("resume", token=token, final=1)
        assert (answer["open"], answer["finals"]) == ([search], 2), "those to the two stats"
        serving.finish()


@pytest.mark.parametrize("grace", [0, 0.2])
def test_nobody_is_waited_for_longer_than_the_grace_time(grace: float, tmp_path: Path) -> None:
    settings = f"grace_seconds = {grace}\n"
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as other:
        with serving.connect() as lost:
            answer = lost.ask("hello", resume=True)
            assert ("resume" in answer) == (grace > 0)
            lost.analyze()
        while other.ask("stats")["running"]:
            pass
        answer = other.ask("resume", token=answer.get("resume", "x"), final=0)
        assert answer["code"] == "no_session"
        serving.finish()


def test_only_so_many_wait_for_their_client(tmp_path: Path) -> None:
    settings = "quota = { connections = 2 }\n"
    with Serving(settings=settings, folder=tmp_path, KIBITZ_TOKENS=TOKENS) as serving:
        tokens = []
        for number in range(4):
            with serving.connect() as lost:
                tokens.append(lost.ask("hello", token=ANN, resume=True)["resume"])
            serving.event("disconnected", connection=number + 1)
        with admitted(serving, ANN) as client:
            for token in tokens[:2]:
                assert client.ask("resume", token=token, final=0)["code"] == "no_session"
            assert client.ask("resume", token=tokens[3], final=0)["type"] == "resumed"
        serving.finish()


def test_every_final_answer_arrives_once_however_often_the_connection_is_lost() -> None:
    """Requests are sent again that are neither open nor answered when it has come back."""
    losses, requests = 200, 2000
    chance = random.Random(20_26)
    with Serving() as serving:
        client = serving.connect()
        token = client.ask("hello", resume=True)["resume"]
        answers: dict[str, int] = {}
        last = 0
        unsent = [str(number) for number in range(requests)]
        sent: list[str] = []
        lost = 0
        while len(answers) < requests:
            for name in unsent[: chance.randint(1, 20)]:
                unsent.remove(name)
                sent.append(name)
                depth = chance.randint(1, 5)
                client.post("analyze", game="talisman", limit={"depth": depth}, id=name, ack=last)
            for _ in range(chance.randint(0, 40)):
                if not sent:
                    break
                message = client.message()
                if "final" in message:
                    last = _take(message, last, answers, sent)
            if lost < losses:
                lost += 1
                chance.choice((client.reset, client.close))()
                client = serving.connect()
                client.send(f'{{"id": "r", "type": "resume", "token": "{token}", "final": {last}}}')
                answer = client.final("r")
                assert answer["type"] == "resumed", answer
                for _ in range(answer["finals"]):
                    last = _take(client.message(), last, answers, sent)
                again = [name for name in sent if name not in answer["open"]]
                unsent = again + unsent
                sent = [name for name in sent if name in answer["open"]]
        assert lost == losses
        assert sorted(answers.values()) == [1] * requests
        client.close()
        serving.finish()


def _take(message: dict[str, object], last: int, answers: dict[str, int], sent: list[str]) -> int:
    """Take a final answer; gives its number."""
    assert message["final"] == last + 1, message
    assert message["type"] == "done", message
    name = str(message["id"])
    answers[name] = answers.get(name, 0) + 1
    sent.remove(name)
    return last + 1


def test_more_searches_than_the_tables_have_room_for(tmp_path: Path) -> None:
    """The last ones get smaller tables, and none is refused."""
    settings = "quota = { searches = 6, hash = 16 }\n[searches]\ntables_megabytes = 40\n"
    with Serving(settings=settings, folder=tmp_path) as serving, serving.connect() as client:
        for number in range(6):
            client.send(f"session open {number + 1}\n@{number + 1} go infinite")
        # Each has begun, with its table, when it has reported something.
        begun: set[str] = set()
        while len(begun) < 6:
            line = client.line()
            assert line is not None
            assert "error" not in line
            begun |= {word for word in line.split()[:1] if word.startswith("@")}
        for number in range(6):
            client.send(f"@{number + 1} stop")
        for _ in range(6):
            assert "(none)" not in client.lines("@")[-1]
        serving.finish()
