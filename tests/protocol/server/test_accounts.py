import gc

import pytest

from kibitz.protocol.quota import Quota
from kibitz.protocol.server.accounts import (
    Account,
    Accounts,
    Anonymous,
    Bucket,
    digest_of,
    read_tokens,
)

TOKEN = "a-long-and-secret-word"


def test_an_account_is_found_by_its_token_only() -> None:
    ann, bob = Account("ann", Quota()), Account("bob", Quota())
    accounts = Accounts([(digest_of(TOKEN), ann), (digest_of(TOKEN + "x"), bob)])
    assert accounts.find(TOKEN) is ann
    assert accounts.find(TOKEN + "x") is bob
    for wrong in ("", TOKEN[:-1], TOKEN + "y", "ann", digest_of(TOKEN).hex(), "\udcff", "é"):
        assert accounts.find(wrong) is None
    assert not accounts.is_empty


def test_no_token_is_kept() -> None:
    token = "".join(["only", "made", "here", "at", "run", "time"])
    accounts = Accounts([(digest_of(token), Account("ann", Quota()))])
    assert accounts.find(token) is not None
    texts: list[str] = []
    for thing in gc.get_referents(accounts, *gc.get_referents(accounts)):
        texts += [repr(thing), str(getattr(thing, "__dict__", ""))]
    assert not any(token in text for text in texts)


def test_a_bucket_lets_a_rate_through() -> None:
    bucket = Bucket(10)
    assert [bucket.take(100.0) for _ in range(10)] == [0.0] * 10
    assert bucket.take(100.0) == pytest.approx(0.1)
    assert bucket.take(100.05) == pytest.approx(0.05)
    assert bucket.take(100.1001) == 0.0
    assert bucket.take(100.1001) > 0.0
    # A long pause gives no more than a second's worth.
    assert sum(bucket.take(1000.0) == 0.0 for _ in range(50)) == 10


def test_a_bucket_without_bound() -> None:
    bucket = Bucket(0)
    assert all(bucket.take(1.0) == 0.0 for _ in range(1000))


def test_strangers_are_clients_of_their_own() -> None:
    anonymous = Anonymous(Quota(hash=3))
    one, two = anonymous.account(), anonymous.account()
    assert one.name != two.name
    assert one.quota == two.quota == Quota(hash=3)
    assert one.turns is not two.turns


def test_tokens_of_the_environment() -> None:
    assert read_tokens("ann=x=y, bob=z") == [("ann", "x=y"), ("bob", "z")]
    assert read_tokens("ann,=x,ann=,bob=z,") == [None, None, None, ("bob", "z"), None]
