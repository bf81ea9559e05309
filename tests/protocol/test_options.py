import re

import pytest

from kibitz.engine.errors import OptionError
from kibitz.engine.options import Option
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol import options
from kibitz.protocol.options import Options

KEYWORDS = {"name", "type", "default", "min", "max", "var", "value"}


@pytest.mark.parametrize("option", options.all_options(), ids=lambda option: option.name)
def test_options_can_be_written_in_a_handshake(option: Option) -> None:
    assert KEYWORDS.isdisjoint(option.name.lower().split())
    assert option.name == " ".join(option.name.split())
    assert option.kind in {"check", "spin", "combo", "button", "string"}
    assert option.about
    assert "|" not in option.about
    if option.kind == "spin":
        assert option.least <= int(option.default) <= option.most
    assert option.canonical(option.default) == option.default


@pytest.mark.parametrize("name", GAME_NAMES)
def test_options_of_games_are_listed_and_the_same_in_all(name: str) -> None:
    listed = {option.name: option for option in options.all_options()}
    for option in find_game(name).options:
        assert listed[option.name] == option


def test_names_are_unique_in_any_letter_case() -> None:
    names = [option.name.lower() for option in options.all_options()]
    assert len(names) == len(set(names))


def test_the_game_has_one_name_in_each_handshake() -> None:
    ugi = [option.name for option in options.listed_options(uci=False)]
    uci = [option.name for option in options.listed_options(uci=True)]
    assert [re.sub("^Game$", "UCI_Variant", name) for name in ugi] == uci
    assert uci != ugi


def test_values() -> None:
    values = Options()
    assert values.number(options.HASH) == 16
    option, text = values.check("hASH", " 8 ")
    assert option is options.HASH
    assert text == "8"
    assert values.changes(option, text)
    values.set(option, text)
    assert not values.changes(option, text)
    assert values.number(options.HASH) == 8
    assert values.values["Hash"] == "8"
    assert not values.is_on(options.PONDER)
    values.set(*values.check("Ponder", "TRUE"))
    assert values.is_on(options.PONDER)


def test_both_names_of_the_game_are_one_option() -> None:
    values = Options()
    option, text = values.check("uci_variant", "JARMO")
    assert option is options.GAME
    assert text == "jarmo"


@pytest.mark.parametrize(
    ("name", "value"), [("", "1"), ("Nothing", "1"), ("Hash", "x"), ("Hash", "0"), ("Game", "")]
)
def test_what_is_refused(name: str, value: str) -> None:
    with pytest.raises(OptionError):
        Options().check(name, value)


def test_no_option_names_a_file() -> None:
    for option in options.all_options():
        assert not re.search("file|path|folder", option.name.lower())
