from collections import Counter

import pytest

from kibitz.engine.errors import OptionError
from kibitz.engine.game import Game
from kibitz.engine.play import Play
from kibitz.engine.registry import find_game
from kibitz.scripts.match.planning.openings import (
    Book,
    BookError,
    Opening,
    Order,
    read_book,
    write_opening,
)

JARMO = find_game("jarmo")
START = "bbbbb/5/5/5/wwwww w 0/0 -/- 0"


def test_every_form(game: Game) -> None:
    play = Play(game, {})
    first = play.legal_tokens()[0]
    play.push(first)
    second = play.legal_tokens()[-1]
    start = play.start
    text = "\n".join(
        [
            "# a book",
            "",
            f"fen {start}",
            f"{start} # a comment",
            f"fen {start} moves {first}  {second}",
            f"\t{start} moves {first} ",
            f"moves {first} {second}\t# another",
            f"{first}",
            "startpos",
            f"startpos moves {first}\r",
        ]
    )
    assert read_book(text, game, {}) == (
        Opening(text=start, line=3),
        Opening(text=start, line=4),
        Opening(text=start, moves=(first, second), line=5),
        Opening(text=start, moves=(first,), line=6),
        Opening(moves=(first, second), line=7),
        Opening(moves=(first,), line=8),
        Opening(line=9),
        Opening(moves=(first,), line=10),
    )


def test_samples_are_openings(game: Game) -> None:
    openings = read_book("\n".join(game.samples), game, {})
    assert [opening.text for opening in openings] == list(game.samples)


def test_written_and_read(game: Game) -> None:
    first = Play(game, {}).legal_tokens()[0]
    openings = [
        Opening(line=1),
        Opening(moves=(first,), line=2),
        Opening(text=game.samples[0], line=3),
        Opening(text=Play(game, {}).start, moves=(first,), line=4),
    ]
    if game.is_dealt:
        openings.append(Opening(deal=7, line=5))
        moves = (Play(game, {}, deal=2**64 - 1).legal_tokens()[0],)
        openings.append(Opening(deal=2**64 - 1, moves=moves, line=6))
    text = "\n".join(write_opening(opening) for opening in openings)
    assert read_book(text, game, {}) == tuple(openings)
    assert read_book(text, None, {}) == tuple(openings)


def test_options_of_the_game_count() -> None:
    krepost = find_game("krepost")
    line = "@a1 @h7"
    assert read_book(line, krepost, {"BoardSize": "8"})[0].moves == ("@a1", "@h7")
    with pytest.raises(BookError, match="line 1: @h7: "):
        read_book(line, krepost, {})
    with pytest.raises(OptionError, match="BoardSize"):
        read_book(line, krepost, {"BoardSize": "9"})


def test_tokens_and_texts_become_canonical() -> None:
    (opening,) = read_book("A1A2 B5B4", JARMO, {})
    assert opening.moves == ("a1a2", "b5b4")
    (opening,) = read_book(f"  {START.replace(' ', '   ')}", JARMO, {})
    assert opening.text == START


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a1a2 a1a2", "a1a2: "),
        ("a1a2 x", "x: "),
        ("moves", "there are no moves"),
        ("startpos moves", "there are no moves"),
        ("startpos x", "'startpos x': the form is"),
        ("fen", "'fen': the form is"),
        ("fen moves a1a2", "'fen moves a1a2': the form is"),
        ("deal 1", "deal: jarmo is not dealt"),
        ("deal x", "deal: 'x' is not a number"),
        ("deal", "'deal': the form is"),
        ("bbbbb/5/5/5/wwwww w", "text: 2 fields instead of"),
        ("fen bbbbb", "text: 1 fields instead of"),
        (START.replace("5", "6"), "board: "),
        (f"{START} moves x", "x: "),
        ("fen 5/5/5/5/wwwww w 0/0 -/- 0", "the game is over (p1win, "),
    ],
)
def test_errors_name_the_line(line: str, said: str) -> None:
    with pytest.raises(BookError) as raised:
        read_book(f"# first\na1a2\n{line} # comment\nnonsense", JARMO, {})
    assert str(raised.value).startswith(f"line 3: {said}")
    assert raised.value.line == 3


def test_deals() -> None:
    game = find_game("trollchess")
    assert read_book("deal 5", game, {}) == (Opening(deal=5, line=1),)
    with pytest.raises(BookError, match=r"line 1: Deal: .* is not from 0 to"):
        read_book("deal 18446744073709551616", game, {})
    with pytest.raises(BookError, match="line 1: Deal: -1 is not from 0"):
        read_book("deal -1", game, {})


def test_games_that_are_not_ours() -> None:
    text = "fen any thing # a\nmoves d1d7/g7 Qh7#\nstartpos\nfen x/y moves 1 2"
    assert read_book(text, None, {"any": "option"}) == (
        Opening(text="any thing", line=1),
        Opening(moves=("d1d7/g7", "Qh7#"), line=2),
        Opening(line=3),
        Opening(text="x/y", moves=("1", "2"), line=4),
    )
    with pytest.raises(BookError, match="line 2: 'e2e4' is not one of fen, deal, startpos, moves"):
        read_book("startpos\ne2e4", None, {})


@pytest.mark.parametrize("text", ["", "\n \n# nothing\n"])
def test_an_empty_book_is_an_error(text: str) -> None:
    with pytest.raises(BookError, match="the book has no openings"):
        read_book(text, JARMO, {})
    with pytest.raises(BookError, match="the book has no openings"):
        Book(())


OPENINGS = tuple(Opening(line=number) for number in range(1, 8))


def test_in_sequence() -> None:
    book = Book(OPENINGS)
    assert [book.opening_of(pair).line for pair in range(1, 10)] == [1, 2, 3, 4, 5, 6, 7, 1, 2]
    assert len(book) == 7
    assert tuple(book) == OPENINGS


def test_at_random() -> None:
    book = Book(OPENINGS, Order.RANDOM, seed=1)
    lines = [book.opening_of(pair).line for pair in range(1, 71)]
    # Each lap is a permutation, and they differ.
    laps = [lines[start : start + 7] for start in range(0, 70, 7)]
    assert all(sorted(lap) == list(range(1, 8)) for lap in laps)
    assert len(Counter(map(tuple, laps))) > 5
    # It does not matter in which order it is asked, or by which of two equal books.
    again = Book(OPENINGS, Order.RANDOM, seed=1)
    assert [again.opening_of(pair).line for pair in range(70, 0, -1)] == lines[::-1]
    other = Book(OPENINGS, Order.RANDOM, seed=2)
    assert [other.opening_of(pair).line for pair in range(1, 71)] != lines
    # A match that is resumed by another version has to find the same ones.
    assert lines[:7] == [3, 2, 5, 6, 4, 1, 7]
