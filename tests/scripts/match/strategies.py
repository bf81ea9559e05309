"""Game records at random."""

from datetime import UTC

from hypothesis import strategies as st

from kibitz.scripts.match.records.records import (
    FORFEITS,
    MOST_DEAL,
    MOST_NUMBER,
    GameRecord,
    MoveRecord,
    Outcome,
    PlayerRecord,
    Result,
    Side,
)
from kibitz.search.info import Score

# Half of the characters are those that a format stumbles over.
AWKWARD = '"\\{}[]()\n\r\t\x00\x0b\x0c\x1c\x85\u2028\u2029\ufeff \u00a0#.;%/*-01n u'
texts = st.text(
    st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"]),
    max_size=12,
)
numbers = st.integers(0, MOST_NUMBER)
counts = st.integers(1, MOST_NUMBER)
scores = st.builds(Score, cp=st.integers(-30_000, 30_000)) | st.builds(
    Score, mate=st.integers(-MOST_NUMBER, MOST_NUMBER)
)
tokens = texts | st.sampled_from(["a1a2", "@f6", "SNe4e6^", "1.", "12...", "1-0", "*", "{", "-"])
moves = st.builds(
    MoveRecord,
    side=st.sampled_from(Side),
    token=tokens,
    score=st.none() | scores,
    depth=st.none() | numbers,
    nodes=st.none() | numbers,
    time=st.none() | numbers,
    book=st.booleans(),
)
players = st.builds(PlayerRecord, name=texts, engine=texts, clock=texts, illegal_pvs=numbers)
moments = st.datetimes(timezones=st.just(UTC))
points = st.floats(allow_nan=False, allow_infinity=False)
ends = st.tuples(
    st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.ILLEGAL_PV]),
    st.none() | st.sampled_from(Side),
).filter(lambda end: end[0] not in FORFEITS or end[1] is not None)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Give any record."""
    outcome, guilty = draw(ends)
    return GameRecord(
        number=draw(counts),
        pair=draw(counts),
        leg=draw(counts),
        round=draw(counts),
        event=draw(texts),
        game=draw(texts),
        white=draw(players),
        black=draw(players),
        result=draw(st.sampled_from(Result)),
        outcome=outcome,
        reason=draw(texts),
        started=draw(moments),
        ended=draw(moments),
        options=draw(st.dictionaries(texts, texts, max_size=3)),
        start=draw(st.none() | texts),
        deal=draw(st.none() | st.integers(0, MOST_DEAL)),
        moves=tuple(draw(st.lists(moves, max_size=6))),
        guilty=guilty,
        points=draw(st.none() | st.tuples(points, points)),
    )
