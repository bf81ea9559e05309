"""A registered game brings its data, and the data are sound."""

import re
from typing import Any

import pytest

from kibitz.engine import codes
from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from tests.contract import data
from tests.reference.interface import reference_of


def test_has_vectors(game: Game) -> None:
    vectors = data.vectors_of(game.name)
    assert vectors.game == game.name
    assert vectors.positions
    assert vectors.games
    assert vectors.endings
    assert vectors.corners


def test_has_perft_numbers_of_its_start(game: Game) -> None:
    start = game.start_text(game.settings({}))
    counts = [line.counts for line in data.perft_lines_of(game.name) if line.text == start]
    assert counts
    assert all(len(line.counts) > 0 for line in data.perft_lines_of(game.name))


def test_perft_numbers_include_the_vectors(game: Game) -> None:
    counts = {line.text: line.counts for line in data.perft_lines_of(game.name) if not line.options}
    for known in data.vectors_of(game.name).positions:
        assert counts[known.position][: len(known.perft)] == tuple(known.perft)


@pytest.mark.core
def test_has_samples_from_opening_to_ending(game: Game) -> None:
    settings = game.settings({})
    assert len(set(game.samples)) == len(game.samples)
    assert len(game.samples) >= 3
    for text in game.samples:
        position = game.parse(text, settings)
        assert position.status == codes.ONGOING
        assert game.text(position) == text


def test_has_a_reference_implementation(game: Game) -> None:
    reference = reference_of(game.name)
    assert game.start_text(game.settings({})) == reference.START


def test_has_a_rule_page(game: Game) -> None:
    page = data.rule_page_of(game).read_text(encoding="utf-8")
    for heading in ("## Board", "## Play", "## End", "## Decisions", "## Position text"):
        assert f"\n{heading}" in page
    assert f"```replay {game.name}\n" in page
    assert len(data.documented_fields(game)) >= 3
    assert data.rule_page_of(game).name in (data.RULES / "README.md").read_text(encoding="utf-8")


def test_rule_page_gives_every_decision_once_and_in_order(game: Game) -> None:
    page = data.rule_page_of(game).read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^- \*\*D(\d+)", page, re.MULTILINE)]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))


def test_rule_page_names_every_option(game: Game) -> None:
    page = data.rule_page_of(game).read_text(encoding="utf-8")
    assert game.options
    for option in game.options:
        assert f"`{option.name}`" in page


@pytest.mark.core
@pytest.mark.parametrize("value", [0, 1, True, None, 0.5, b"0", ["0"]])
def test_option_values_that_are_no_texts(game: Game, value: Any) -> None:
    """Programs in Python may pass anything: the error is that of any wrong value."""
    for option in game.options:
        with pytest.raises(OptionError, match=f"^{option.name}: values are texts, such as '"):
            Play(game, {option.name: value})


def test_describes_itself(game: Game) -> None:
    assert game.title.isprintable()
    assert game.__doc__
    assert game.endings[0] == "none"
    assert len(set(game.endings)) == len(game.endings)
    for word in game.endings:
        assert re.fullmatch("[a-z]+", word)
    for option in game.options:
        assert option.about
        assert option.canonical(option.default) == option.default
        assert not set(option.name.lower().split()) & {
            "name",
            "type",
            "default",
            "min",
            "max",
            "var",
        }
