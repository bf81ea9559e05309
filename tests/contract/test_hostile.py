"""Malformed and hostile input gives the documented error and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.engine import codes
from kibitz.engine.errors import InputError, MoveError, OptionError, PositionError
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.position import Position
from tests.contract import data, hostile
from tests.contract.test_invariants import check_invariants
from tests.contract.walks import COMPILED, thinned, view

EXAMPLES = 400 if COMPILED else 60


def check_error(error: InputError) -> None:
    """An error's text is one line of fair length that a dialect can pass on as it stands."""
    words = str(error)
    assert words.strip()
    assert words.isprintable()
    assert len(words) < 400


def check_field(game: Game, field: str) -> None:
    """An error about a position names a field of the rule page, or the whole text."""
    assert field in data.documented_fields(game) | {"text"}


def check_text(game: Game, text: str, options: data.Options) -> None:
    complete = game.settings(options)
    try:
        position = game.parse(text, complete)
    except PositionError as error:
        check_error(error)
        check_field(game, error.field)
        return
    check_accepted(game, position, options)


def check_accepted(game: Game, position: Position, options: data.Options) -> None:
    """A position that was let in is as good as any other."""
    text = game.text(position)
    again = game.parse(text, game.settings(options))
    assert game.text(again) == text
    assert again.key == position.key == position.recomputed_key()
    check_invariants(game, position)
    before = view(game, position)
    for move in thinned(before.moves):
        token = game.token(position, move)
        assert game.read_token(position, token) == move
        position.push(move)
        check_invariants(game, position)
        assert position.key == position.recomputed_key()
        position.pop()
    assert view(game, position) == before


@pytest.mark.core
@settings(max_examples=EXAMPLES)
@given(choice=st.data())
def test_position_texts(game: Game, choice: st.DataObject) -> None:
    texts = data.known_texts(game.name) + game.samples
    text = choice.draw(
        hostile.mutated(texts, " /") | hostile.mutated(texts, " ") | hostile.rubbish, "text"
    )
    options = choice.draw(st.sampled_from(data.known_options(game.name)), "options")
    check_text(game, text, options)


@pytest.mark.core
def test_every_field_replaced(game: Game) -> None:
    """Each field, and each part between bars, with each awkward value in its place."""
    values = ["", "-", "/", "w", "W", "0", "x", "\0", "\u0661", "1" * 5000, "9" * 19, "-1", "1.0"]
    values += ["1000000000", "1000000001", "2147483648", "4294967295", "-/-", "0/0", "1000/1000"]
    for text in game.samples:
        fields = text.split(" ")
        for place, field in enumerate(fields):
            parts = field.split("/")
            for value in values:
                changed = [value]
                changed += [
                    "/".join([*parts[:i], value, *parts[i + 1 :]]) for i in range(len(parts))
                ]
                for new in changed:
                    mixed = " ".join([*fields[:place], new, *fields[place + 1 :]])
                    check_text(game, mixed, {})


@pytest.mark.core
def test_long_texts(game: Game) -> None:
    for text in ("", " ", "\n", "a" * 100_000, " ".join("w" * 50_000), "/" * 100_000, "9" * 10_000):
        with pytest.raises(PositionError) as caught:
            game.parse(text, game.settings({}))
        check_error(caught.value)
    sample = game.samples[0]
    with pytest.raises(PositionError):
        game.parse(sample * 1000, game.settings({}))
    with pytest.raises(PositionError):
        game.parse(sample + " extra", game.settings({}))


@pytest.mark.core
@settings(max_examples=EXAMPLES)
@given(choice=st.data())
def test_move_tokens(game: Game, choice: st.DataObject) -> None:
    texts = (game.start_text(game.settings({})), *game.samples)
    tokens = [token for known in data.vectors_of(game.name).games[:2] for token in known.moves]
    play = Play(game, {}, choice.draw(st.sampled_from(texts), "position"))
    nearly = st.sampled_from(tokens) | hostile.mutated(tokens, "+") | hostile.rubbish
    token = choice.draw(nearly, "token")
    legal = play.legal_tokens()
    before = view(game, play.position)
    try:
        move = game.read_token(play.position, token)
    except MoveError as error:
        check_error(error)
        assert token not in legal
    else:
        if move in before.moves:
            assert game.token(play.position, move).lower() == token.lower()
            assert game.token(play.position, move) in legal
        else:
            words = game.why_illegal(play.position, move)
            assert words.strip()
            assert words.isprintable()
    assert view(game, play.position) == before
    try:
        play.push(token)
    except MoveError as error:
        check_error(error)
        assert view(game, play.position) == before
    else:
        assert play.tokens[0] in legal


@pytest.mark.core
def test_damaged_tokens_are_not_taken_for_legal_ones(game: Game) -> None:
    for text in game.samples:
        play = Play(game, {}, text)
        legal = play.legal_tokens()
        for token in legal:
            middle = len(token) // 2
            damaged = [token + token[-1], token[0] + token, token + "\0", "\u200b" + token]
            damaged += [token[:middle] + extra + token[middle:] for extra in ("a", "x", "+", " ")]
            damaged += [token[:-1], token[1:], token[::-1], token + token]
            for other in damaged:
                if other not in legal:
                    with pytest.raises(MoveError):
                        play.read_legal(other)


def test_every_token_of_the_vectors_everywhere(game: Game) -> None:
    """Tokens that are legal somewhere, tried on every known position."""
    vectors = data.vectors_of(game.name)
    tokens = sorted({token for known in vectors.positions for token in known.moves})
    for text in game.samples:
        play = Play(game, {}, text)
        if play.is_over:
            continue
        legal = set(play.legal_tokens())
        moves = set(play.legal_moves())
        for token in tokens:
            move = game.read_token(play.position, token)
            assert (move in moves) == (token in legal)
            if token not in legal:
                words = game.why_illegal(play.position, move)
                assert words.strip()
                assert words.isprintable()


@settings(max_examples=EXAMPLES)
@given(choice=st.data())
def test_option_values(game: Game, choice: st.DataObject) -> None:
    option = choice.draw(st.sampled_from(game.options), "option")
    known = [option.default, *option.choices]
    known += [
        options[option.name] for options in data.known_options(game.name) if option.name in options
    ]
    value = choice.draw(hostile.mutated(known, " ,") | hostile.numbers | hostile.rubbish, "value")
    try:
        canonical = option.canonical(value)
    except OptionError as error:
        check_error(error)
        with pytest.raises(OptionError):
            game.settings({option.name: value})
        return
    assert option.canonical(canonical) == canonical
    assert canonical.isprintable()
    complete = game.settings({option.name: value, "NoSuchOption": "1"})
    assert set(complete) == {each.name for each in game.options}
    assert complete[option.name] == canonical
    try:
        start = game.start_text(complete)
    except OptionError as error:
        # A value that does not go with those of other options.
        check_error(error)
        return
    position = game.parse(start, complete)
    assert position.status in (codes.ONGOING, codes.P1_WIN, codes.P2_WIN, codes.DRAW)
    check_accepted(game, position, {option.name: value})
