r"""Text of engines and players, made safe to be shown: an engine may say anything.

What a terminal would obey or a reader could not see (control characters, ends of lines,
marks that turn the direction of writing, half of a surrogate pair) is written as its code,
`\u(HEX)`, as in game files. There `game_syntax.escape` does more, so that text can be read back;
this here is for eyes.
"""

MOST_SHOWN = 200


def visible(text: str, most: int = MOST_SHOWN) -> str:
    """Give text on one line, with codes for what cannot be printed, and cut after `most`."""
    shown = "".join(
        letter if letter.isprintable() else f"\\u({ord(letter):x})" for letter in text[: most + 1]
    )
    return shown if len(shown) <= most else shown[: most - 3] + "..."
