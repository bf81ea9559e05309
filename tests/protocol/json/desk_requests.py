"""What the tests of a desk share: requests, and readings of answers."""

from typing import Any

import msgspec

from kibitz.protocol.json.messages import AnyAnswer
from kibitz.protocol.quota import Quota
from kibitz.search.info import Info, Outcome
from tests.protocol.host import ScriptedSearch, info
from tests.protocol.json.json_host import Answer

SMALL = Quota(searches=2, waiting=3, threads=1, hash=8, priority=0)
DECODER = msgspec.json.Decoder(AnyAnswer)


def analyze(request_id: str = "1", **fields: Any) -> Answer:
    return {
        "type": "analyze", "id": request_id, "game": "talisman", "limit": {"depth": 3}
    } | fields  # fmt: skip


def only(answers: list[Answer]) -> Answer:
    assert len(answers) == 1
    DECODER.decode(msgspec.json.encode(answers[0]))
    return answers[0]


def error_of(answers: list[Answer]) -> tuple[str | None, str, str | None]:
    answer = only(answers)
    assert answer["type"] == "error"
    return answer["id"], answer["code"], answer.get("field")


class Reporting(ScriptedSearch):
    """A search that reports what the test has prepared."""

    reports: list[list[Info]] = []  # noqa: RUF012 - set by tests

    def run(self) -> Outcome:
        best = self.position.legal_moves()[0]
        for report in self.reports:
            self.report([msgspec.structs.replace(line, pv=(best,)) for line in report])
        return Outcome(best, None, nodes=9, nps=90, time=100)


def timed(depth: int, time: int, multipv: int = 1) -> Info:
    return msgspec.structs.replace(info(depth), time=time, multipv=multipv)
