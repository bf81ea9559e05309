from collections.abc import Hashable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kibitz.protocol.mailbox import Mailbox

OWNERS = ("a", "b")
LINES = (1, 2)
DATA = st.binary(max_size=6)


class Letter:
    """What the model knows of a letter: nothing but a list keeps their order."""

    def __init__(self, data: bytes, place: tuple[Hashable, int] | None, tag: int) -> None:
        self.data = data
        self.place = place
        self.tag = tag


class MailboxAgainstAModel(RuleBasedStateMachine):
    """The model is one list, searched from end to end each time."""

    def __init__(self) -> None:
        super().__init__()
        self.mailbox = Mailbox()
        self.letters: list[Letter] = []
        self.told = 0
        self.mailbox.notify = self.tell

    def tell(self) -> None:
        self.told += 1

    def found(self, owner: str, line: int) -> Letter | None:
        held = [letter for letter in self.letters if letter.place == (owner, line)]
        assert len(held) <= 1
        return held[0] if held else None

    @rule(data=DATA)
    def put(self, data: bytes) -> None:
        before = self.told
        self.mailbox.put(data)
        self.letters.append(Letter(data, None, 0))
        assert self.told == before + 1

    @rule(owner=st.sampled_from(OWNERS), line=st.sampled_from(LINES), data=DATA, tag=st.integers())
    def put_newest(self, owner: str, line: int, data: bytes, tag: int) -> None:
        self.mailbox.put_newest(owner, line, data, tag)
        letter = self.found(owner, line)
        if letter is None:
            self.letters.append(Letter(data, (owner, line), tag))
        else:
            letter.data, letter.tag = data, tag

    @rule(owner=st.sampled_from(OWNERS))
    def close(self, owner: str) -> None:
        self.mailbox.close(owner)
        for letter in self.letters:
            if letter.place is not None and letter.place[0] == owner:
                letter.place = None

    @rule(most=st.integers(0, 30))
    def take(self, most: int) -> None:
        expected = b""
        first = True
        while self.letters and (first or len(expected) + len(self.letters[0].data) <= most):
            # An empty letter at the front leaves room for the next one just as well.
            expected += self.letters.pop(0).data
            first = False
        assert self.mailbox.take(most) == expected

    @invariant()
    def agrees(self) -> None:
        assert self.mailbox.size == sum(len(letter.data) for letter in self.letters)
        for owner in OWNERS:
            for line in LINES:
                letter = self.found(owner, line)
                tag = None if letter is None else letter.tag
                assert self.mailbox.unsent_tag(owner, line) == tag

    def teardown(self) -> None:
        data = b"".join(letter.data for letter in self.letters)
        assert self.mailbox.take(10**9) == data
        assert self.mailbox.take(10**9) == b""
        assert self.mailbox.size == 0


TestMailboxAgainstAModel = MailboxAgainstAModel.TestCase


def test_a_writer_that_takes_at_once_sees_everything() -> None:
    """What is taken while it is put leaves no place behind that newer progress could take."""
    mailbox = Mailbox()
    written: list[bytes] = []
    mailbox.notify = lambda: written.append(mailbox.take(100))
    for text in (b"1", b"2", b"3"):
        mailbox.put_newest("a", 1, text)
    assert written == [b"1", b"2", b"3"]
    assert mailbox.size == 0
    assert mailbox.unsent_tag("a", 1) is None
