"""The parts of docs/protocol.md that are made from tables and from the structs of JSON lines.

A part stands between two marks in the page; `update` writes the parts anew, and a test
fails when that would change anything. To update: `python -m kibitz.protocol.reference`.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from kibitz.engine.options import Option
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.faults import MEANINGS
from kibitz.protocol.json.message_tables import answer_tables, request_tables
from kibitz.protocol.options import OWN, all_options
from kibitz.protocol.table import QUERIES, TABLE

PAGE = Path("docs/protocol.md")

# What commands do during a search that do not always do the same.
_DURING = {
    "setoption": "stops it first when the new value matters to it",
    "session": "is answered; `close` stops that of its session first",
}


def _commands() -> list[str]:
    lines: list[str] = []
    for entry in TABLE:
        lines += [f"### `{entry.syntax}`", ""]
        also = "".join(f" Also: `{alias}`." for alias in entry.aliases)
        usual = "stops it first" if entry.stops_search else "is answered"
        during = _DURING.get(entry.name, usual)
        summary = entry.summary[0].upper() + entry.summary[1:]
        lines += [f"{summary}.{also} During a search: {during}.", "", entry.details, ""]
    return lines[:-1]


def _queries() -> list[str]:
    rows = [f"| `{query}` | {meaning} |" for query, meaning in QUERIES.items()]
    return ["| subject | answer |", "| --- | --- |", *rows]


def _options() -> list[str]:
    rows = [_option_row(option) for option in all_options()]
    return [
        "| option | type | default | of | what it is |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]


def _option_row(option: Option) -> str:
    kind = option.kind
    if kind == "spin":
        kind += f" {option.least} to {option.most}"
    if kind == "combo":
        kind += ": " + ", ".join(option.choices)
    owners = [name for name in GAME_NAMES if option in find_game(name).options]
    owner = "the engine" if option in OWN else ", ".join(owners)
    return f"| `{option.name}` | {kind} | `{option.default}` | {owner} | {option.about} |"


def _errors() -> list[str]:
    rows = [f"| `{code}` | {meaning} |" for code, meaning in MEANINGS.items()]
    return ["| code | meaning |", "| --- | --- |", *rows]


PARTS: dict[str, Callable[[], list[str]]] = {
    "commands": _commands,
    "queries": _queries,
    "options": _options,
    "errors": _errors,
    "requests": request_tables,
    "answers": answer_tables,
}


def update(page: str) -> str:
    """Give the page with all its parts written anew; raises `ValueError` if one has no place."""
    for name, make in PARTS.items():
        begin, end = f"<!-- {name}: made from the tables -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = page.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"{PAGE} has no place for the {name}")
        body = "\n".join(make())
        page = f"{before}{begin}\n{body}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(update(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE} is up to date\n")
