import itertools
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz.scripts.match.records.records import GameRecord
from kibitz.scripts.match.settings.match_settings import EngineSettings, MatchSettings, SprtSettings
from kibitz.scripts.match.statistics import plot
from kibitz.scripts.match.statistics.counts import Pentanomial, Tally
from kibitz.scripts.match.statistics.elo import elo_difference
from kibitz.scripts.match.statistics.plot import PlotError, check_plot, plot_match, write_plot
from kibitz.scripts.match.statistics.progress import progress
from kibitz.scripts.match.statistics.sprt import Model, Sprt
from tests.scripts.match.whole_matches import pair

RESULTS = [2, 3, 1, 4, 2, 2, 0, 3, 3, 4, 2, 1, 3] * 9
SPRT = Sprt(elo0=0, elo1=40, model=Model.NORMALIZED)
PNG = b"\x89PNG\r\n\x1a\n"


def test_progress_has_a_step_a_pair() -> None:
    steps = progress(RESULTS, SPRT)
    assert [step.trials for step in steps] == list(range(1, len(RESULTS) + 1))
    pairs = Pentanomial((9, 18, 36, 36, 18))
    assert steps[-1].elo == elo_difference(pairs)
    assert steps[-1].llr == SPRT.state(pairs).llr
    assert steps[2].elo == elo_difference(Pentanomial((0, 1, 1, 1, 0)))


@pytest.mark.parametrize("length", [100, 101, 117])
def test_progress_of_a_long_match_is_thinned(length: int) -> None:
    steps = progress(RESULTS[:length], most_steps=10)
    assert len(steps) <= 10
    assert len(steps) >= 9
    assert steps[-1].trials == length
    assert len({b.trials - a.trials for a, b in itertools.pairwise(steps)}) == 1
    assert all(step.llr is None for step in steps)


def test_progress_of_little() -> None:
    assert progress([]) == ()
    with pytest.raises(ValueError, match="result 5 of pair 2"):
        progress([4, 5])


@pytest.mark.parametrize("name", ["plot", "plot.pdf", "plot.jpg"])
def test_only_png_and_svg(name: str) -> None:
    with pytest.raises(PlotError, match=r"\.png or \.svg"):
        check_plot(Path(name))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match="plots need matplotlib"):
        check_plot(Path("plot.png"))
    with pytest.raises(PlotError, match="extra 'plot'"):
        write_plot(tmp_path / "plot.png", progress(RESULTS), None)
    assert not list(tmp_path.iterdir())


@pytest.fixture(name="drawing")
def _drawing() -> None:
    pytest.importorskip("matplotlib")


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    ("results", "sprt"),
    [
        (RESULTS, None),
        (RESULTS, SPRT),
        ([4], None),
        ([4, 4, 4], SPRT),
        ([0, 0, 1], None),
        ([2, 2], SPRT),
        ([2, 4] * 900, SPRT),
    ],
    ids=range(7),
)
def test_plots(tmp_path: Path, results: list[int], sprt: Sprt | None) -> None:
    steps = progress(results, sprt)
    write_plot(tmp_path / "plot.png", steps, sprt, "A match")
    assert (tmp_path / "plot.png").read_bytes().startswith(PNG)
    write_plot(tmp_path / "plot.SVG", steps, sprt, "A match")
    root = ElementTree.parse(tmp_path / "plot.SVG").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.usefixtures("drawing")
def test_same_match_same_plot(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg", "one.png", "other.png"):
        write_plot(tmp_path / name, progress(RESULTS, SPRT), SPRT)
    for kind in ("svg", "png"):
        one, other = (tmp_path / f"{name}.{kind}" for name in ("one", "other"))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.usefixtures("drawing")
def test_no_plot_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match="no finished pairs"):
        write_plot(tmp_path / "plot.svg", (), SPRT)


@pytest.mark.parametrize("results", [[0, 1, 2, 2, 1], [2]])
def test_progress_of_unpaired_games(results: list[int]) -> None:
    steps = progress(results, SPRT, legs=1)
    tally = Tally.of(result / 2 for result in results)
    assert [step.trials for step in steps] == list(range(1, len(results) + 1))
    assert steps[-1].elo == elo_difference(tally)
    assert steps[-1].llr == SPRT.state(tally).llr
    with pytest.raises(ValueError, match="result 3 of game 2"):
        progress([2, 3], legs=1)


def settings_of(*names: str, **more: Any) -> MatchSettings:
    engines = tuple(EngineSettings(name=name) for name in names)
    return MatchSettings(game="jarmo", event="a match", engines=engines, **more)


RECORDS = [
    record
    for number, results in enumerate(["WD", "LL", "D*", "WW"], 1)
    for record in pair(number, "a", "b", results)
]


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize("legs", [1, 2])
def test_a_plot_of_a_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, legs: int) -> None:
    """It is of the pairs with results, in the order in which they ended."""
    drawn: list[Any] = []
    monkeypatch.setattr(plot, "write_plot", lambda *arguments: drawn.append(arguments))
    test = SprtSettings(elo0=0, elo1=40)
    # The second pair begins before the first and ends after it.
    order = [RECORDS[place] for place in (2, 0, 1, 3, 4, 5, 7, 6)]
    if legs == 1:
        order = [msgspec.structs.replace(one, pair=one.number, leg=1) for one in order]
    path = tmp_path / "plot.svg"
    plot_match(path, order, settings_of("a", "b", games=legs, sprt=test))
    results = [3, 0, 4] if legs == 2 else [0, 2, 1, 0, 1, 2, 2]
    unit = "pairs" if legs == 2 else "games"
    assert drawn == [(path, progress(results, SPRT, legs=legs), SPRT, "a match: a against b", unit)]
    monkeypatch.undo()
    plot_match(path, order, settings_of("a", "b", games=legs, sprt=test))
    assert ElementTree.parse(path).getroot().tag.endswith("svg")


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    "name", ["$x^$ \\frac", "a\n\x1b]0;\x07", "将棋 \U0001f600", "<b>&--", "x" * 999]
)
def test_names_do_no_harm_to_plots(tmp_path: Path, name: str) -> None:
    records = pair(1, name, "b", "WD")
    for kind in ("svg", "png"):
        plot_match(tmp_path / f"plot.{kind}", records, settings_of(name, "b"))
    ElementTree.parse(tmp_path / "plot.svg")


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    ("name", "players", "records", "message"),
    [
        ("plot.svg", ("a", "b", "c"), RECORDS, "two players, and this one has 3"),
        ("plot.svg", ("a", "x"), RECORDS, "no player is named 'b'"),
        ("plot.svg", ("a", "b"), RECORDS[:1], "no finished pairs"),
        ("plot.svg", ("", ""), RECORDS, "different names"),
        ("plot.pdf", ("a", "b"), RECORDS, r"\.png or \.svg"),
        ("none/plot.svg", ("a", "b"), RECORDS, "none/plot.svg: No such file"),
    ],
)
def test_plots_that_cannot_be(
    tmp_path: Path, name: str, players: tuple[str, ...], records: list[GameRecord], message: str
) -> None:
    with pytest.raises(PlotError, match=message):
        plot_match(tmp_path / name, records, settings_of(*players))
    assert not list(tmp_path.iterdir())
