"""Conversations whose connection was lost, until their clients come back for them.

A client that asked for `resume` has a token. Only its digest is kept, as the key under
which the conversation is found; so finding it tells nothing by the time it takes.
"""

import secrets
from functools import partial
from typing import Generic, Protocol, TypeVar

from kibitz.protocol.faults import ErrorCode, Refusal
from kibitz.protocol.server.accounts import Account, digest_of
from kibitz.protocol.server.alarms import Alarm, Alarms


class Parked(Protocol):
    """What can be parked: `kibitz.protocol.server.share.Share`."""

    account: Account

    def abandon(self) -> None:
        """Nobody came."""


Share = TypeVar("Share", bound=Parked)


class Parking(Generic[Share]):
    """Finds what can be resumed, and gives up what nobody came for."""

    def __init__(self, alarms: Alarms, grace: float, most: int) -> None:
        """Wait `grace` seconds for each, and have at most so many waiting."""
        self._alarms = alarms
        self._grace = grace
        self._most = most
        self._known: dict[bytes, Share] = {}
        self._digests: dict[Share, bytes] = {}
        self._parked: dict[Share, Alarm] = {}

    def offer(self, share: Share) -> str:
        """Make the token with which a conversation can be found."""
        if not self._grace:
            raise Refusal(ErrorCode.DENIED, "this server keeps no conversations")
        self.forget(share)
        token = secrets.token_urlsafe(24)
        self._digests[share] = digest_of(token)
        self._known[self._digests[share]] = share
        return token

    def find(self, token: str) -> Share | None:
        """Give what a token is for, connected or not."""
        return self._known.get(digest_of(token))

    def park(self, share: Share) -> None:
        """Wait for the client to come back.

        When too many wait, of the same client or of all, the one that waited longest is
        given up.
        """
        self._parked[share] = self._alarms.after(self._grace, partial(share.abandon))
        account = share.account
        same = [each for each in self._parked if each.account is account]
        if len(same) > account.quota.connections:
            same[0].abandon()
        elif len(self._parked) > self._most:
            next(iter(self._parked)).abandon()

    def unpark(self, share: Share) -> None:
        """The client is there again."""
        alarm = self._parked.pop(share, None)
        if alarm is not None:
            alarm.cancel()

    def forget(self, share: Share) -> None:
        """Find a conversation no more."""
        self.unpark(share)
        digest = self._digests.pop(share, None)
        if digest is not None:
            del self._known[digest]

    def clear(self) -> None:
        """Give up all."""
        for share in list(self._parked):
            share.abandon()
