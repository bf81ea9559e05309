"""Games between real engines: what is in their records, by the rules and by the engines."""

import pytest

from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.scripts.match.play.game_faults import MatchError
from kibitz.scripts.match.play.referee import RESULTS
from kibitz.scripts.match.records.records import GameRecord, Outcome, Result, Side
from kibitz.scripts.match.settings.match_settings import AdjudicationSettings, CountSettings
from tests.scripts.match.matches import KIBITZ, Played, command, match_of, player, random_mover


def replayed(record: GameRecord) -> Play:
    """Play a recorded game again, and compare whose turn it was."""
    play = Play(find_game(record.game), record.options, record.start, record.deal)
    for move in record.moves:
        assert move.side is (Side.WHITE, Side.BLACK)[play.position.side]
        play.push(move.token)
        assert play.tokens[-1] == move.token
    return play


@pytest.mark.parametrize("game", GAME_NAMES)
def test_games_are_what_the_rules_say(game: str) -> None:
    engines = [random_mover(name, game, "--seed", seed) for name, seed in (("a", "1"), ("b", "2"))]
    long = AdjudicationSettings(maxmoves=60)
    played = Played(match_of(game, engines, adjudication=long))
    assert played.end.is_complete
    assert [(r.white.name, r.black.name) for r in played.records] == [("a", "b"), ("b", "a")]
    for record in played.records:
        play = replayed(record)
        assert record.points == play.points
        if record.outcome is Outcome.RULES:
            assert record.result is RESULTS[play.result]
            assert record.reason == play.reason
        else:
            assert record.outcome is Outcome.LENGTH
            assert record.result is Result.DRAW
        assert record.guilty is None
        assert all(move.time is not None for move in record.moves)
        assert record.started <= record.ended


def test_both_games_of_a_pair_have_the_same_deal() -> None:
    game = "trollchess"
    engines = [random_mover(name, game) for name in "ab"]
    short = AdjudicationSettings(maxmoves=2)
    records = Played(match_of(game, engines, rounds=3, adjudication=short)).records
    deals = [record.deal for record in records]
    assert deals[::2] == deals[1::2]
    assert len(set(deals)) == 3
    again = Played(match_of(game, engines, rounds=3, adjudication=short)).records
    assert [record.deal for record in again] == deals


def test_options_of_the_game_reach_engines_and_record() -> None:
    short = AdjudicationSettings(maxmoves=2)
    settings = match_of(
        "krepost",
        [player("a", KIBITZ), player("b", KIBITZ)],
        options={"BoardSize": 8},
        adjudication=short,
    )
    for record in Played(settings).records:
        assert record.options == {"BoardSize": "8"}
        assert replayed(record).text.split()[0].count("/") == 7


def test_an_engine_without_the_options_of_the_game_does_not_fit() -> None:
    settings = match_of(
        "krepost",
        [player("a", KIBITZ), random_mover("b", "krepost")],
        options={"BoardSize": 8},
    )
    with pytest.raises(MatchError, match=r"b: .*BoardSize"):
        Played(settings)


def test_krepost_counts_on_agreement() -> None:
    rule = CountSettings(movenumber=2, movecount=1, score=1_000_000)
    settings = match_of(
        "krepost",
        [player(name, KIBITZ) for name in "ab"],
        games=1,
        adjudication=AdjudicationSettings(count=rule),
    )
    (record,) = Played(settings).records
    assert record.outcome is Outcome.AGREEMENT
    white, black = replayed(record).points
    expected = (
        Result.DRAW
        if white == black
        else Result.won_by(Side.WHITE if white > black else Side.BLACK)
    )
    assert record.result is expected
    assert len(record.moves) == 4


STONES = command("stones", "--strength", "0", "--seed")


def test_a_game_that_we_do_not_know_is_refereed_by_the_engines() -> None:
    engines = [player("a", f"{STONES} 1"), player("b", f"{STONES} 2 --strict")]
    played = Played(match_of("stones", engines, rounds=3))
    assert played.end.is_complete
    assert len(played.records) == 6
    for record in played.records:
        assert record.outcome is Outcome.RULES
        assert record.result is not Result.NONE
        assert record.points is None
        assert [move.side for move in record.moves[:3]] == [Side.WHITE, Side.BLACK, Side.WHITE]
        assert 7 <= len(record.moves) <= 25


@pytest.mark.parametrize("game", GAME_NAMES)
def test_engines_referee_as_the_rules_would(game: str) -> None:
    """kibitz against an engine that is not, in a game that the match knows nothing about."""
    engines = [
        player("kibitz", KIBITZ, options={"Game": game}),
        random_mover("other", game, "--seed", "3"),
    ]
    long = AdjudicationSettings(maxmoves=12)
    for record in Played(match_of(f"not-{game}", engines, adjudication=long)).records:
        play = Play(find_game(game), {})
        for move in record.moves:
            assert move.side is (Side.WHITE, Side.BLACK)[play.position.side]
            play.push(move.token)
        if record.outcome is Outcome.RULES:
            assert record.result is RESULTS[play.result]
        else:
            assert record.outcome is Outcome.LENGTH
            assert not play.is_over


def test_an_engine_that_answers_no_query_is_refereed_by_the_other() -> None:
    engines = [player("a", f"{STONES} 1"), player("b", f"{STONES} 2 --uci")]
    records = Played(match_of("stones", engines)).records
    assert [record.outcome for record in records] == [Outcome.RULES] * 2


def test_nobody_can_referee() -> None:
    engines = [player(name, f"{STONES} 1 --uci") for name in "ab"]
    played = Played(match_of("stones", engines))
    assert not played.end.is_complete
    assert "nobody can referee" in played.end.reason
    assert not played.records
