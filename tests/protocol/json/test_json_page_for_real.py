"""The JSON examples of docs/protocol.md once more, sent to the real program.

What needs a server, which is a lost connection, is sent to one; all else to `kibitz` on
standard input and output.
"""

import msgspec
import pytest

from tests.protocol.dialogue import Program
from tests.protocol.json.json_host import Answer
from tests.protocol.json.json_page import Example, agree, examples, shown_answers, without_infos
from tests.protocol.server.serving import Client, Serving

EXAMPLES = examples()
NEEDS_SERVER = [example for example in EXAMPLES if any(line[0] == "#" for line in example)]
OTHERS = [example for example in EXAMPLES if example not in NEEDS_SERVER]


def kind_and_id(line: str) -> tuple[str, str]:
    answer = msgspec.json.decode(line[2:])
    return answer["type"], answer["id"]


def check(example: Example, given: list[Answer]) -> None:
    shown = without_infos(shown_answers(example))
    given = without_infos(given)
    assert len(shown) == len(given)
    for one, other in zip(shown, given, strict=True):
        assert agree(one, other), f"the page has {one}, but it is {other}"


@pytest.mark.parametrize("example", OTHERS, ids=lambda example: example[0])
def test_on_standard_input_and_output(example: Example) -> None:
    """After each line as much is read as the page shows, but for how many infos there are."""
    with Program() as program:
        given: list[Answer] = []
        for line in example:
            if line.startswith("> "):
                program.send(line[2:])
            elif kind_and_id(line)[0] == "info":
                # At least one; the others are passed over.
                while not given or (given[-1]["type"], given[-1]["id"]) != kind_and_id(line):
                    given.append(msgspec.json.decode(program.read()))
            else:
                given.append(msgspec.json.decode(program.read()))
                while given[-1]["type"] == "info":
                    given.append(msgspec.json.decode(program.read()))
        program.close_input()
        assert program.finish() == 0
    check(example, given)


@pytest.mark.parametrize("example", NEEDS_SERVER, ids=lambda example: example[0])
def test_with_a_server(example: Example) -> None:
    """The answer that is lost on the page is not read; the token is the one that was given."""
    with Serving() as serving:
        client: Client = serving.connect()
        given: list[Answer] = []
        token = ""
        for line in example:
            if line.startswith("#"):
                client.reset()
                client = serving.connect()
            elif line.startswith("> "):
                request = msgspec.json.decode(line[2:])
                if request["type"] == "resume":
                    request["token"] = token
                client.send(msgspec.json.encode(request) + b"\n")
            else:
                kind, name = kind_and_id(line)
                while True:
                    given.append(client.message())
                    if "final" in given[-1] and given[-1]["id"] not in line:
                        given.pop()  # it gets lost
                    elif (given[-1]["type"], given[-1]["id"]) == (kind, name):
                        break
                token = given[-1].get("resume", token)
        client.close()
        serving.finish()
    check(example, given)


def test_there_are_both() -> None:
    assert NEEDS_SERVER
    assert len(OTHERS) >= 7
