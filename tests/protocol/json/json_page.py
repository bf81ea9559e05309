"""The JSON examples of docs/protocol.md: reading them, sending them, comparing the answers.

An example is a fenced block of `json` whose lines begin with `> ` (sent) or `< ` (answered).
A line that begins with `#` is where the connection is lost and another one made. `"..."` at
the end of a list stands for any more items.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from kibitz.search.driver import Search
from tests.protocol.json.json_host import Answer, JsonHost, ThreadedService, read_answers

PAGE = Path(__file__).parent.parent.parent.parent / "docs" / "protocol.md"

MORE = "..."

# What depends on the machine, its load, or on where the server runs.
FLOATING = {
    "seq", "nodes", "nps", "elapsed_ms", "hashfull", "limits", "version", "resume", "memory",
    "uptime", "running", "waiting", "connections", "sessions",
}  # fmt: skip
# What a search that was cancelled happened to have found.
FOUND = {"best", "expected", "depth", "score", "pv"}

Example = list[str]


def examples() -> list[Example]:
    blocks = PAGE.read_text(encoding="utf-8").split("```")[1::2]
    return [
        block.removeprefix("json\n").strip("\n").splitlines()
        for block in blocks
        if block.startswith("json\n> ")
    ]


def shown_answers(example: Example) -> list[Answer]:
    return [msgspec.json.decode(line[2:]) for line in example if line.startswith("< ")]


class Replay:
    """Sends the lines of an example, and keeps the answers.

    After each line everything that was sent is let come to its end, but for analyses
    without end, of which two depths or, when there are none, the begin is waited for.
    """

    def __init__(self) -> None:
        self.host = JsonHost(make=Search)
        self.service = ThreadedService()
        self.host.service = self.service
        self.host.desk = self.host.new_desk()
        self.answers: list[Answer] = []
        self.endless: set[str] = set()

    def run(self, example: Example) -> list[Answer]:
        """Replay an example; gives all answers in order."""
        try:
            self._run(example)
        finally:
            self.service.join()
        return self.answers

    def _run(self, example: Example) -> None:
        for line in example:
            if line.startswith("> "):
                self._send(line[2:])
            elif line.startswith("#"):
                self._lose_connection()

    def _send(self, line: str) -> None:
        before = len(self.answers)
        self.host.send(line)
        request = _object(line)
        if request.get("limit", {}).get("infinite"):
            self.endless.add(request["id"])
            self._wait(lambda: self._has("info", request["id"]))
        elif request.get("type") == "cancel" and request["target"] in self.endless:
            self._wait(lambda: self._has("cancelled", request["target"]))
        else:
            self._wait(lambda: any(a["type"] != "info" for a in self.answers[before:]))
            self._wait(lambda: not self._at_work())

    def _wait(self, is_done: Callable[[], bool]) -> None:
        self._take()
        while not is_done():
            self.service.wait()
            self._take()

    def _at_work(self) -> bool:
        return bool(self.service.pieces) or len(self.service.jobs) > len(
            self.endless - {a["id"] for a in self.answers if a["type"] == "cancelled"}
        )

    def _take(self) -> None:
        self.answers += self.host.take()
        kept = self.service.resumed
        if kept and kept[-1][0] is self.host.desk:
            self.host.desk = kept[-1][1]
            self.answers += self.host.take()

    def _has(self, kind: str, request_id: str) -> bool:
        return any((a["type"], a["id"]) == (kind, request_id) for a in self.answers)

    def _lose_connection(self) -> None:
        """Lose the connection, and the final answers that were on their way."""
        self.answers = [answer for answer in self.answers if "final" not in answer]
        self.host.desk.detach()
        self.host.desk = self.host.new_desk()


def _object(line: str) -> Answer:
    try:
        request = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return request if isinstance(request, dict) else {}


def without_infos(answers: list[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer["type"] != "info"]


def agree(shown: Any, given: Any, *, found: bool = True) -> bool:
    """Tell whether an answer is what the page shows, as far as that is always the same."""
    if isinstance(shown, dict) and isinstance(given, dict):
        if shown.get("type") == "cancelled":
            found = False
        passed = FLOATING if found else FLOATING | FOUND
        return shown.keys() - passed == given.keys() - passed and all(
            agree(value, given[name], found=found)
            for name, value in shown.items()
            if name not in passed
        )
    if isinstance(shown, list) and isinstance(given, list):
        if shown and shown[-1] == MORE:
            shown = shown[:-1]
            given = given[: len(shown)]
        return len(shown) == len(given) and all(
            agree(one, other, found=found) for one, other in zip(shown, given, strict=True)
        )
    return bool(shown == given)


__all__ = ["Replay", "agree", "examples", "read_answers", "shown_answers", "without_infos"]
