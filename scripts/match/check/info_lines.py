"""What a search may say: `info` lines whose numbers are numbers, the line of play last."""

from collections.abc import Iterable, Sequence

from kibitz.scripts.match.check.outcomes import CheckFailed, shown
from kibitz.scripts.match.check.talk import Heard

WHOLE = frozenset(
    {"depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "tbhits", "sbhits"}
    | {"cpuload", "currmovenumber", "tthits"}
)
"""The fields with one number, which is not negative."""
TO_THE_END = ("pv", "string", "refutation", "currline")


def check(lines: Iterable[Heard]) -> None:
    """See that all lines of a search can be read; raises `CheckFailed`, which shows one."""
    for line in lines:
        if line.trouble:
            raise CheckFailed(f"a line of the search is {line.trouble}")
        if line.word != "info":
            raise CheckFailed(f"{shown(line.text)} is not part of the answer to a search")
        reason = _trouble(line.text.split()[1:])
        if reason:
            raise CheckFailed(f"{reason}: {shown(line.text)}")


def _trouble(words: Sequence[str]) -> str:
    """Say what is wrong with an info, which is empty when nothing is."""
    place = 0
    if not words:
        return "an info says nothing"
    while place < len(words):
        word = words[place]
        if word in WHOLE:
            if not _is_number(words[place + 1 : place + 2], least=0):
                return f"behind {word} there is no whole number"
            place += 2
        elif word == "score":
            kind = words[place + 1 : place + 2]
            if kind not in (["cp"], ["mate"]) or not _is_number(words[place + 2 : place + 3]):
                return "behind score there is not cp or mate and a whole number"
            place += 3
        elif word == "wdl":
            if not all(_is_number([text]) for text in words[place + 1 : place + 4]):
                return "behind wdl there are not three whole numbers"
            place += 4
        elif word in ("lowerbound", "upperbound"):
            place += 1
        elif word == "currmove":
            place += 2
        elif word in TO_THE_END:
            if word == "pv":
                return _trouble_of_line(words[place + 1 :])
            return ""
        else:
            # A field of its own; what it is nobody can say, and it may have a value.
            place += 1
    return ""


def _trouble_of_line(moves: Sequence[str]) -> str:
    for move in moves:
        if move in WHOLE or move == "score":
            return f"the pv is not the last field, {move} comes behind it"
    return ""


def _is_number(words: Sequence[str], least: int | None = None) -> bool:
    if not words:
        return False
    digits = words[0].removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return False
    return least is None or digits == words[0]


def has_score(lines: Sequence[Heard]) -> bool:
    """Tell whether the last info that is no text for people has a score."""
    infos = [words for words in _infos(lines) if words[:1] != ["string"]]
    # What is looked at now may be told last, and has no score.
    infos = [words for words in infos if "currmove" not in words]
    return bool(infos) and any("score" in words for words in infos[-1:])


def last_line(lines: Sequence[Heard]) -> list[str]:
    """Give the last line of play of the best line; empty when there is none."""
    found: list[str] = []
    for words in _infos(lines):
        if "pv" not in words or words[:1] == ["string"]:
            continue
        place = words.index("pv")
        if "multipv" in words[:place] and words[words.index("multipv") + 1] != "1":
            continue
        found = words[place + 1 :]
    return found


def _infos(lines: Sequence[Heard]) -> list[list[str]]:
    return [line.text.split()[1:] for line in lines if line.word == "info"]
