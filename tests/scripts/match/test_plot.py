import itertools
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from kibitz.scripts.match.counts import Pentanomial
from kibitz.scripts.match.elo import elo_difference
from kibitz.scripts.match.plot import PlotError, check_plot, write_plot
from kibitz.scripts.match.progress import progress
from kibitz.scripts.match.sprt import Model, Sprt

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
    "results", [RESULTS, [4], [4, 4, 4], [0, 0, 1], [2, 2], [2, 4] * 900], ids=len
)
@pytest.mark.parametrize("sprt", [None, SPRT])
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
