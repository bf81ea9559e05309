"""Options: types, ranges, canonical values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.engine.errors import OptionError
from kibitz.engine.game import QUIET_LIMIT
from kibitz.engine.options import Option, shorten, whole_number

pytestmark = pytest.mark.core

CHECK = Option("Ponder", "check", "false", "about")
SPIN = Option("Size", "spin", "12", "about", least=-8, most=12)
WIDE = Option("Deal", "spin", "1", "about", least=0, most=2**64 - 1)
COMBO = Option("Variant", "combo", "House", "about", choices=("House", "Other One"))


def upper_case(value: str) -> str:
    if not value.isalpha():
        raise OptionError("Name: letters only")
    return value.upper()


CHECKED = Option("Name", "string", "X", "about", check=upper_case)
FREE = Option("Note", "string", "", "about")


@pytest.mark.parametrize(
    ("option", "value", "canonical"),
    [
        (CHECK, "TRUE", "true"),
        (CHECK, " false ", "false"),
        (SPIN, "-8", "-8"),
        (SPIN, "012", "12"),
        (SPIN, "-0", "0"),
        (WIDE, "18446744073709551615", "18446744073709551615"),
        (COMBO, "house", "House"),
        (COMBO, " OTHER one", "Other One"),
        (CHECKED, "abc", "ABC"),
        (FREE, " any thing ", "any thing"),
        (FREE, "", ""),
    ],
)
def test_canonical(option: Option, value: str, canonical: str) -> None:
    assert option.canonical(value) == canonical
    assert option.canonical(canonical) == canonical


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (CHECK, ""),
        (CHECK, "yes"),
        (SPIN, ""),
        (SPIN, "13"),
        (SPIN, "-9"),
        (SPIN, "1.5"),
        (SPIN, "1_0"),
        (SPIN, "\u0661"),
        (SPIN, "9" * 5000),
        (SPIN, "--1"),
        (WIDE, "18446744073709551616"),
        (WIDE, "99999999999999999999"),
        (WIDE, "-1"),
        (COMBO, ""),
        (COMBO, "None"),
        (CHECKED, "1"),
    ],
)
def test_values_that_an_option_cannot_take(option: Option, value: str) -> None:
    with pytest.raises(OptionError, match=f"^{option.name}: ") as caught:
        option.canonical(value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("option", [CHECK, SPIN, WIDE, COMBO, CHECKED, FREE])
@pytest.mark.parametrize("value", [0, -1, True, None, 1.5, b"1", ["1"], {}, object])
def test_values_that_are_no_texts(option: Option, value: Any) -> None:
    """They are an error like any other, and one that says what is wanted."""
    wanted = f"values are texts, such as '{option.default}', and not of the type "
    with pytest.raises(OptionError) as caught:
        option.canonical(value)
    assert str(caught.value) == f"{option.name}: {wanted}{type(value).__name__}"


@given(st.integers())
def test_spins_take_their_range_only(number: int) -> None:
    if SPIN.least <= number <= SPIN.most:
        assert SPIN.canonical(str(number)) == str(number)
    else:
        with pytest.raises(OptionError):
            SPIN.canonical(str(number))


def test_quiet_limit_takes_its_own_default() -> None:
    assert QUIET_LIMIT.canonical(QUIET_LIMIT.default) == "-1"
    assert QUIET_LIMIT.canonical("0") == "0"


def test_whole_number() -> None:
    assert whole_number("-12") == -12
    assert whole_number("0") == 0
    assert whole_number("1234", digits=4) == 1234
    assert whole_number("12345", digits=4) is None
    for text in ("", "-", "--1", "+1", " 1", "1 ", "1.", "x", "\u0661", "\u00b2", "1_000"):
        assert whole_number(text) is None


@given(st.text())
def test_whole_number_of_anything(text: str) -> None:
    number = whole_number(text)
    assert number is None or int(text) == number


def test_shorten() -> None:
    assert shorten("abc") == "'abc'"
    assert shorten("a" * 41) == "'" + "a" * 37 + "...'"
    assert shorten("a" * 40) == "'" + "a" * 40 + "'"
    assert shorten("a\nb\0") == "'a?b?'"


@given(st.text())
def test_shortened_texts_are_printable(text: str) -> None:
    short = shorten(text)
    assert short.isprintable()
    assert len(short) <= 42
