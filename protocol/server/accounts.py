"""Who may use the server: names, the digests of their tokens, and what they use now.

A token itself is never kept, so that it cannot come out in a log, an error or a dump.
Several connections of one client share its account, and so its quota.
"""

import hashlib
import hmac
from collections.abc import Iterable

from kibitz.protocol.quota import Quota
from kibitz.protocol.server.pump import Group


def digest_of(token: str) -> bytes:
    """Give what is kept in the place of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


class Bucket:
    """Lets so many requests a second through, and as many at once after a pause."""

    def __init__(self, rate: int) -> None:
        """Let `rate` a second through; 0 for no bound."""
        self._rate = rate
        self._left = float(rate)
        self._at = -float("inf")

    def take(self, now: float) -> float:
        """Take leave for one request: 0 if it is given, else the seconds to wait before."""
        if not self._rate:
            return 0.0
        if now > self._at:
            self._left = min(self._left + (now - self._at) * self._rate, float(self._rate))
            self._at = now
        if self._left < 1:
            return (1 - self._left) / self._rate
        self._left -= 1
        return 0.0


class Account:
    """A client: its quota, and what all its connections use of it."""

    def __init__(self, name: str, quota: Quota) -> None:
        self.name = name
        self.quota = quota
        self.connections = 0
        self.sessions = 0
        self.searches = 0
        """Those that run and those that wait."""
        self.requests = Bucket(quota.requests)
        self.turns = Group()

    def __repr__(self) -> str:
        return f"Account({self.name!r})"


class Accounts:
    """The accounts that are found by a token."""

    def __init__(self, clients: Iterable[tuple[bytes, Account]]) -> None:
        """Take the digest of a token with each account."""
        self._clients = list(clients)

    @property
    def is_empty(self) -> bool:
        """Whether there are no tokens, so that nobody has to show one."""
        return not self._clients

    def find(self, token: str) -> Account | None:
        """Give the account of a token.

        All digests are compared, each in constant time, so that the time this takes tells
        nothing about any of them.
        """
        shown = digest_of(token)
        found = None
        for digest, account in self._clients:
            if hmac.compare_digest(digest, shown):
                found = account
        return found


class Anonymous:
    """Makes accounts for connections that need no token: each is a client of its own."""

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self._made = 0

    def account(self) -> Account:
        """Make one more."""
        self._made += 1
        return Account(f"connection {self._made}", self._quota)


def read_tokens(text: str) -> list[tuple[str, str] | None]:
    """Read `NAME=TOKEN,NAME=TOKEN`, as the environment has it; None for entries that are not so."""
    found: list[tuple[str, str] | None] = []
    for piece in text.split(","):
        name, equals, token = piece.strip().partition("=")
        found.append((name, token) if name and equals and token else None)
    return found
