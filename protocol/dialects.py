"""The choice of the dialect: the first line that says something makes it. Sans-IO.

A line that begins with `{` chooses JSON lines; any other one, also one that cannot be read,
chooses text. From then on each line belongs to the conversation that was begun.
"""

from collections.abc import Callable, Iterator
from typing import Any

from kibitz.protocol.arguments import chooses_json, says_something
from kibitz.protocol.framing import LineSplitter, Trouble
from kibitz.protocol.service import Conversation

Heard = Iterator[tuple[Conversation, Any]]
"""What was said: to whom, and an item for its `receive`."""


class Dialects:
    """The bytes of one connection, on their way to the conversation that they belong to.

    `conversation` is None before the choice. It can be replaced while `feed` or `finish`
    is at work; the lines that follow then go to the new one.
    """

    def __init__(
        self,
        most_line: int,
        make_text: Callable[[], Conversation],
        make_json: Callable[[], Conversation],
    ) -> None:
        """Allow lines of at most `most_line` bytes."""
        self.conversation: Conversation | None = None
        self._splitter = LineSplitter(most_line)
        self._make_text = make_text
        self._make_json = make_json

    def feed(self, data: bytes) -> Heard:
        """Take bytes, and give what they say; all are taken only when this has been used up."""
        yield from self._read(self._splitter.feed(data))

    def finish(self) -> Heard:
        """Take the end of the input, and give what a last line without an end says."""
        yield from self._read(self._splitter.finish())

    def _read(self, lines: Iterator[str | Trouble]) -> Heard:
        for line in lines:
            if self.conversation is None:
                if isinstance(line, str) and not says_something(line):
                    continue
                self.conversation = self._choose(line)
            conversation = self.conversation
            item = conversation.read(line)
            if item is not None:
                yield conversation, item

    def _choose(self, line: str | Trouble) -> Conversation:
        is_json = isinstance(line, str) and chooses_json(line)
        return self._make_json() if is_json else self._make_text()
