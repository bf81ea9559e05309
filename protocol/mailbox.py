"""What is still to be sent to one client: in order, and of progress only the newest.

A client may read slowly. Answers are never dropped, so whoever fills a mailbox looks at
its `size` and takes no more commands while it is large. Progress is bounded by itself:
while a line of progress is unsent, a newer one of the same owner and number takes its
place. Knows no sockets; whoever writes takes bytes out, and is told when there are some.
"""

from collections import deque
from collections.abc import Callable, Hashable


class _Letter:
    """Bytes to send.

    `place` says which progress it is, None for what must arrive; `tag` is whatever the
    sender wants to know of it while it is unsent.
    """

    __slots__ = ("data", "place", "tag")

    def __init__(self, data: bytes, place: tuple[Hashable, int] | None, tag: int) -> None:
        self.data = data
        self.place = place
        self.tag = tag


class Mailbox:
    """Bytes on their way to a client."""

    def __init__(self) -> None:
        self.size = 0
        """The bytes that nobody has taken yet."""
        self.notify: Callable[[], None] = lambda: None
        """Called when something was put in."""
        self._letters: deque[_Letter] = deque()
        self._newest: dict[Hashable, dict[int, _Letter]] = {}

    def put(self, data: bytes) -> None:
        """Add bytes that must arrive."""
        self._add(_Letter(data, None, 0))

    def put_newest(self, owner: Hashable, line: int, data: bytes, tag: int = 0) -> None:
        """Add bytes, or put them in the place of unsent ones of the same owner and line."""
        lines = self._newest.setdefault(owner, {})
        letter = lines.get(line)
        if letter is None:
            lines[line] = letter = _Letter(data, (owner, line), tag)
            self._add(letter)
            return
        self.size += len(data) - len(letter.data)
        letter.data, letter.tag = data, tag

    def unsent_tag(self, owner: Hashable, line: int) -> int | None:
        """Give the tag of what `put_newest` would replace, None if that is nothing."""
        letter = self._newest.get(owner, {}).get(line)
        return None if letter is None else letter.tag

    def close(self, owner: Hashable) -> None:
        """What the owner puts in from now on replaces nothing that stands there now."""
        self._newest.pop(owner, None)

    def take(self, most: int) -> bytes:
        """Take out the oldest letters, about `most` bytes but one letter at least."""
        taken: list[bytes] = []
        size = 0
        while self._letters and (not taken or size + len(self._letters[0].data) <= most):
            letter = self._letters.popleft()
            self._forget(letter)
            taken.append(letter.data)
            size += len(letter.data)
        self.size -= size
        return b"".join(taken)

    def _forget(self, letter: _Letter) -> None:
        """Let newer progress begin a letter of its own."""
        if letter.place is None:
            return
        owner, line = letter.place
        lines = self._newest.get(owner, {})
        if lines.get(line) is letter:
            del lines[line]
            if not lines:
                del self._newest[owner]

    def _add(self, letter: _Letter) -> None:
        self._letters.append(letter)
        self.size += len(letter.data)
        self.notify()
