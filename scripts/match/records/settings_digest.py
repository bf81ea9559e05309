"""Whether two matches have the same settings: a digest, and the differences in words.

Settings are what JSON can hold: dicts with texts as keys, lists, texts, numbers, None.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from kibitz.engine.options import shorten

_NOTHING = object()


def plain(settings: Any) -> dict[str, Any]:
    """Give settings (a dict or a struct) as they are when they come back from JSON.

    Raises `TypeError` for what JSON cannot hold.
    """
    return msgspec.json.decode(msgspec.json.encode(settings), type=dict[str, Any])


def digest_of(settings: dict[str, Any], seed: int) -> str:
    """Give the SHA-256, in hexadecimal digits, of plain settings and the seed."""
    text = msgspec.json.encode({"seed": seed, "settings": settings}, order="deterministic")
    return hashlib.sha256(text).hexdigest()


def differences(there: Any, now: Any, place: str = "") -> Iterator[str]:
    """Say in words where plain settings differ: `engines[1].name is 'a' there and 'b' now`."""
    if isinstance(there, dict) and isinstance(now, dict):
        for key in [*there, *(key for key in now if key not in there)]:
            inner = f"{place}.{key}" if place else key
            yield from differences(there.get(key, _NOTHING), now.get(key, _NOTHING), inner)
    elif isinstance(there, list) and isinstance(now, list):
        for index in range(max(len(there), len(now))):
            inner = f"{place}[{index + 1}]"
            yield from differences(_item(there, index), _item(now, index), inner)
    elif there != now:
        yield f"{place} is {_words(there)} there and {_words(now)} now"


def _item(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else _NOTHING


def _words(value: Any) -> str:
    if value is _NOTHING:
        return "not set"
    return shorten(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
