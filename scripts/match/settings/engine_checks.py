"""Whether the engines of a match can be what their settings say, as far as this machine knows.

Each engine by itself: its program is there, its address is one, its files can be read, its
processors exist. Nothing is started and nothing is connected to.
"""

import os
import shlex
import shutil
from collections.abc import Set as AbstractSet
from pathlib import Path

from kibitz.engine.options import shorten
from kibitz.protocol.client.sockets import read_url
from kibitz.scripts.match.settings.faults import Faults
from kibitz.scripts.match.settings.match_settings import EngineSettings
from kibitz.scripts.match.settings.settings_file import Reading

_MOST_TOKEN = 4096
_MOST_STRANGE = 8
"""The processors that are named when there are none such."""


def check_engines(reading: Reading, faults: Faults, processors: AbstractSet[int]) -> None:
    """Add what is wrong with each engine to `faults`; `processors` are those of the machine."""
    for number, engine in enumerate(reading.settings.engines):
        here = f"engines[{number + 1}]"
        if faults.is_clean(here, "each"):
            _check_one(engine, here, faults)
        for key, check in _CHECKS.items():
            place = reading.place(number, key)
            if getattr(engine, key) and faults.is_clean(place):
                what = check(engine, processors)
                if what is not None:
                    faults.add(place, what)


def _check_one(engine: EngineSettings, here: str, faults: Faults) -> None:
    """Look for what is missing, and for what excludes each other."""
    if engine.cmd is not None and engine.url is not None:
        faults.add(here, "it has a cmd and a url, and can have one of them only")
    elif engine.cmd is None and engine.url is None:
        faults.add(here, "it has neither a cmd nor a url")
    if engine.tc is not None and engine.st is not None:
        faults.add(here, "it has tc and st, and can have one of them only")
    elif not (engine.tc or engine.st or engine.depth or engine.nodes):
        faults.add(here, "nothing bounds its searches: give it tc, st, depth or nodes")


def read_token(path: str) -> str:
    """Read the token that is the first line of a file.

    Raises `ValueError`, whose text says what is wrong and does not hold the token.
    """
    fault = unreadable(path)
    if fault is not None:
        raise ValueError(fault)
    with open(path, encoding="utf-8") as file:
        token = file.readline(_MOST_TOKEN).strip()
    if not token:
        raise ValueError(f"{shorten(path)}: its first line is empty")
    if len(token.split()) != 1 or not token.isprintable():
        raise ValueError(f"{shorten(path)}: the token is not one word")
    return token


def unreadable(path: str) -> str | None:
    """Say why a file of text cannot be read, or None when it can be."""
    try:
        with open(path, encoding="utf-8") as file:
            file.read()
    except OSError as error:
        return f"{shorten(path)} cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        return f"{shorten(path)} cannot be read: it is not UTF-8"
    return None


def command_of(engine: EngineSettings) -> list[str]:
    """Split the command of a program as a shell would; raises `ValueError`."""
    try:
        return shlex.split(engine.cmd or "")
    except ValueError as error:
        reason = str(error).lower()
        raise ValueError(f"{shorten(engine.cmd or '')} is not a command: {reason}") from None


def _check_cmd(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    try:
        words = command_of(engine)
    except ValueError as error:
        return str(error)
    if not words or not words[0]:
        return f"{shorten(engine.cmd or '')} names no program"
    program = words[0]
    if "/" not in program:
        found = shutil.which(program) is not None
        where = "in PATH"
    else:
        path = Path(engine.cwd or "", program)
        found = shutil.which(path.absolute()) is not None
        where = f"in {shorten(engine.cwd)}" if engine.cwd and not path.is_absolute() else "here"
        if not found and os.path.isfile(path):
            return f"{shorten(program)} is not a program: it may not be executed"
    if found:
        return None
    if len(words) > 1 and os.path.isfile(Path(engine.cwd or "", engine.cmd or "")):
        return f"there is no program {shorten(program)}; a path with blanks needs quotes in it"
    return f"there is no program {shorten(program)} {where}"


def _check_url(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    try:
        read_url(engine.url or "")
    except ValueError as error:
        return str(error)
    return None


def _check_cwd(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    if engine.url is not None:
        return "a server is not started here; this is for a cmd"
    return (
        None
        if Path(engine.cwd or "").is_dir()
        else f"there is no folder {shorten(engine.cwd or '')}"
    )


def _check_affinity(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    if engine.url is not None:
        return "a server has its own processors; this is for a cmd"
    if len(set(engine.affinity)) < len(engine.affinity):
        return "a processor is there twice"
    strange = [str(number) for number in engine.affinity if number not in processors]
    if strange:
        usable = ", ".join(map(str, sorted(processors)))
        if len(strange) > _MOST_STRANGE:
            strange[_MOST_STRANGE:] = [f"... {strange[-1]}"]
        return f"there is no processor {', '.join(strange)} for us (there are {usable})"
    return None


def _check_token_file(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    if engine.cmd is not None:
        return "a program is not asked for a token; this is for a url"
    try:
        read_token(engine.token_file or "")
    except ValueError as error:
        return str(error)
    return None


def _check_ca(engine: EngineSettings, processors: AbstractSet[int]) -> str | None:
    if engine.cmd is not None:
        return "a program has no certificate; this is for a url"
    if not (engine.url or "").startswith("tls://"):
        return "only tls:// has certificates"
    return unreadable(engine.ca or "")


_CHECKS = {
    "cmd": _check_cmd,
    "url": _check_url,
    "cwd": _check_cwd,
    "affinity": _check_affinity,
    "token_file": _check_token_file,
    "ca": _check_ca,
}


def processors_of_machine() -> frozenset[int]:
    """Give the processors that we and what we start may use."""
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))
