"""Hypothesis strategies for input that nobody should send, and for input that is nearly right."""

from collections.abc import Sequence

from hypothesis import strategies as st

# Letters and digits that games use, and characters that look like them or break parsers.
_NEAR = "wbWB-/+:.,|0123456789acdehklsDSNRMP()"
_STRANGE = "\0\t\n\r\x1b\x7f \u00a0\u2003\u202e\u00df\u0130\u0131\ufb01\U0001f600"
_DIGITS = "\u0663\uff11\u00b2\U0001d7d9"
_NUMBERS = ("0", "00", "01", "-0", "-1", "+1", "1e3", "1_0", "255", "256", "65536", "2147483647")
_HUGE = ("2147483648", "4294967296", "1000000000", "1000000001", "18446744073709551616", "9" * 25)

near_characters = st.sampled_from(_NEAR + _STRANGE + _DIGITS) | st.characters()
rubbish = st.text(near_characters, max_size=30) | st.text(max_size=60)
numbers = st.sampled_from(_NUMBERS + _HUGE)


@st.composite
def mutated(draw: st.DrawFn, valid: Sequence[str], separators: str = " ") -> str:
    """Draw a valid text that was damaged in one to three ways."""
    text = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(1, 3))):
        separator = draw(st.sampled_from(separators))
        parts = text.split(separator)
        place = draw(st.integers(0, len(parts) - 1))
        other = draw(st.integers(0, len(parts) - 1))
        how = draw(st.integers(0, 10))
        if how == 0:
            parts[place], parts[other] = parts[other], parts[place]
        elif how == 1:
            del parts[place]
        elif how == 2:
            parts.insert(other, parts[place])
        elif how == 3:
            parts[place] = draw(numbers)
        elif how == 4:
            parts[place] = draw(rubbish)
        elif how == 5:
            donor = draw(st.sampled_from(valid)).split(separator)
            parts[place] = donor[min(place, len(donor) - 1)]
        elif how == 6:
            parts[place] = parts[place] * draw(st.sampled_from((0, 2, 3, 5000)))
        elif how == 7:
            parts[place] = parts[place].swapcase()
        else:
            parts[place] = draw(one_character_changed(parts[place]))
        text = separator.join(parts)
    return text


@st.composite
def one_character_changed(draw: st.DrawFn, text: str) -> str:
    """Draw the text with one character replaced, left out or put in."""
    place = draw(st.integers(0, len(text)))
    width = draw(st.integers(0, 1))
    new = draw(near_characters | numbers | st.just(""))
    return text[:place] + new + text[place + width :]
