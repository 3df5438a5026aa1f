"""Figures: what is drawn, and that the same figure gives the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from math import log
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.common.escaping import visible
from postil.errors import MissingExtraError, UsageError
from postil.plots.drawing import png_bytes, require_plots, svg_bytes
from postil.plots.figure import Axis, Bars, Figure, Level, Line, Panel, Place
from postil_papers.experiment import Experiment, Fill, by_name
from postil_papers.loading import load_paper
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Curve,
    Histogram,
    bin_edges,
    curves_of,
    histogram_cells,
    histograms_of,
    inline_svg,
)
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce
from postil_papers.zhang_oles_2001.figures import (
    FIGURES,
    figure_4,
    figure_5,
    figure_6,
    figure_7,
    figure_8,
    hinge,
    logistic,
    smoothed_hinge,
)

drawing = pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs postil[plots]")
SVG = "{http://www.w3.org/2000/svg}"


def some_figures():
    curve = Curve((100.0, 1000.0, 10000.0), (80.0, 84.0, 86.5))
    point = Curve((10000.0,), (86.9,))
    level = Level("Logistic Reg", 85.0, "the paper: about 85", "paper")
    return {
        "figure4": figure_4(),
        "figure5": figure_5({"Lin Reg": Histogram((0.0, 0.5, 1.0), (3.0, 1.0))}),
        "figure6": figure_6({"SVM": Curve((5.0, 118.0), (88.0, 50.0))}, {}),
        "figure7": figure_7({"Logistic Reg": curve}, {"Logistic Reg": point}, (level,)),
        "figure8": figure_8({"Logistic Reg": Curve((1e-6, 1e-4), (84.0, 86.0))}),
    }


@drawing
@pytest.mark.parametrize(
    "name",
    [
        "<script>x</script>",
        "--> ]]> &amp; \"'",
        "$\\bad{$",
        "\x1b]0;t\x07\u202e\uffff",
        "\ud800",
        "_a",
    ],
)
def test_any_name_is_drawn_as_text(name):
    marks = (Line(name, (0.0, 1.0), (0.0, 1.0)), Level("level", 0.5, name), Place(0.5, name))
    axis = Axis(name, ticks=(0.0, 1.0), names=(name, name))
    figure = Figure("f", name, Axis(name), axis, (Panel(marks, name),))
    assert png_bytes(figure)
    for drawn in (svg_bytes(figure).decode(), inline_svg(figure)):
        root = ElementTree.fromstring(drawn)
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        assert texts.count(visible(name)) == 9  # two titles, axes, ticks and marks, one legend
        assert not list(root.iter(f"{SVG}script"))


def test_the_losses_of_figure_4():
    z = np.array([-2.0, 0.0, 1.0, 3.0])
    assert hinge(z).tolist() == [3, 1, 0, 0]
    assert logistic(z)[1] == pytest.approx(log(2))
    assert logistic(z)[0] - logistic(-z)[0] == pytest.approx(2)
    assert smoothed_hinge(z)[2] == pytest.approx(log(2) / 3)
    assert np.isfinite(smoothed_hinge(np.array([-1e6, 1e6]))).all()
    assert (smoothed_hinge(z) >= hinge(z)).all()


def test_figure_4_draws_the_three_losses_as_the_paper_does():
    lines = list(figure_4().marks())
    assert [line.stroke for line in lines] == ["solid", "dashed", "dotted"]
    for line, loss in zip(lines, (hinge, logistic, smoothed_hinge), strict=True):
        assert np.array_equal(line.y, loss(np.array(line.x)))


@cache
def drawn(name):
    """An SVG, drawn once for all tests."""
    return svg_bytes(some_figures()[name])


@drawing
@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_gives_the_same_bytes(name):
    assert svg_bytes(some_figures()[name]) == drawn(name)


@drawing
def test_a_png_is_one_and_always_the_same():
    first = png_bytes(some_figures()["figure5"])
    assert first.startswith(b"\x89PNG")
    assert png_bytes(some_figures()["figure5"]) == first


@drawing
def test_another_process_gives_the_same_bytes():
    code = (
        "import hashlib; from postil_papers.zhang_oles_2001.figures import figure_4; "
        "from postil.plots.drawing import svg_bytes; "
        "print(hashlib.sha256(svg_bytes(figure_4())).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "SOURCE_DATE_EPOCH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == hashlib.sha256(drawn("figure4")).hexdigest()


@drawing
@pytest.mark.parametrize("name", FIGURES)
def test_drawings_are_well_formed_and_say_what_they_show(name):
    figure = some_figures()[name]
    text = drawn(name).decode("utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    words = "".join(root.itertext())
    assert figure.title in words
    assert figure.x.label in words
    assert figure.y.label in words
    assert all(name in words for name in figure.names())
    assert "dc:date" not in text


@drawing
def test_a_log_axis_has_powers_and_named_ticks_their_numbers():
    assert "10⁻⁶" in drawn("figure8").decode()
    assert ">118<" in drawn("figure6").decode()


@drawing
def test_users_settings_do_not_change_a_figure():
    import matplotlib as mpl

    with mpl.rc_context({"lines.linewidth": 9, "figure.dpi": 30}):
        assert svg_bytes(figure_4()) == drawn("figure4")
        assert mpl.rcParams["lines.linewidth"] == 9


@drawing
def test_inline_drawings_fit_on_one_page():
    figures = some_figures()
    drawings = {name: inline_svg(figures[name]) for name in ("figure4", "figure5", "figure7")}
    ids = []
    for name, text in drawings.items():
        root = ElementTree.fromstring(text)
        assert root.get("role") == "img"
        assert root.get("viewBox")
        own = [node.get("id") for node in root.iter() if node.get("id")]
        assert all(id.startswith(f"{name}-") for id in own)
        used = [node.get("{http://www.w3.org/1999/xlink}href") for node in root.iter()]
        assert all(link.removeprefix("#") in own for link in used if link)
        assert "#000000" not in text
        assert "#ffffff" not in text
        ids += own
    assert len(set(ids)) == len(ids)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=r"pip install matplotlib \(it comes with the extra plots"
    ):
        require_plots()
    with pytest.raises(MissingExtraError):
        svg_bytes(figure_4())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Line("a", (1.0,), (1.0, 2.0)), "as many x as y, got 1 and 2"),
        (lambda: Bars("a", (1.0,), (1.0,)), "one edge more than heights"),
        (lambda: Bars("a", (1.0, 1.0), (1.0,)), "edges must rise"),
        (lambda: Figure("f", "t", Axis("x"), Axis("y"), ()), "needs a panel"),
        (lambda: figure_8({"a": Curve((0.0,), (1.0,))}), "a log axis holds numbers above 0"),
        (lambda: figure_8({"a": Curve((1.0,), (float("nan"),))}), "nan cannot be drawn"),
        (
            lambda: Figure(
                "f", "t", Axis("x"), Axis("y", "log"), (Panel((Level("a", 0.0, "w"),)),)
            ),
            "vertically: a log axis",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()


numbers = st.lists(st.floats(-50, 50), min_size=1, max_size=60)


@given(numbers, numbers, st.sampled_from([0.05, 0.1, 0.25, 1.0, 3.0]))
def test_every_number_is_in_a_bin(one, other, width):
    cells = histogram_cells("figure5", {"one": one, "other": other}, width)
    for name, sample in (("one", one), ("other", other)):
        assert sum(count for key, count in cells.items() if key[1] == name) == len(sample)
    assert len(cells) == 2 * (len(bin_edges({"a": one, "b": other}, width)) - 1)


def test_bins_hold_what_they_say():
    cells = histogram_cells("figure5", {"a": [-0.1, 0.0, 0.24, 0.25, 0.9]}, 0.25)
    assert [(key[2], count) for key, count in cells.items()] == [
        ("-0.125", 1.0),
        ("0.125", 2.0),
        ("0.375", 1.0),
        ("0.625", 0.0),
        ("0.875", 1.0),
    ]


@pytest.mark.parametrize("sample", [[], [float("nan")]])
def test_a_histogram_needs_numbers(sample):
    with pytest.raises(UsageError, match="at least one number"):
        bin_edges({"a": sample}, 0.1)
    with pytest.raises(UsageError, match="above 0"):
        bin_edges({"a": [1.0]}, 0.0)


def plugged(values, *tables):
    run = by_name(
        Experiment(name="x", run=lambda _: values, fills=tuple(map(Fill, tables)), code="")
    )
    return reproduce(load_paper("zhang-oles-2001"), run, only=tables)


def test_figures_come_from_cells():
    rng = np.random.default_rng(0)
    margins = {"Lin Reg": rng.normal(1, 0.3, 500), "Mod Least Squares": rng.gamma(3, 0.5, 500)}
    found = plugged(
        {
            **histogram_cells("figure5", margins, 0.1),
            **{("figure6", "SVM", str(k)): 90.0 - k / 10 for k in (5, 10, 118)},
            ("figure7", "Logistic Reg", axis_column(100)): 80.0,
            ("figure7", "Logistic Reg", axis_column(10000)): 86.0,
            ("figure7", "Logistic Reg", "all"): 84.5,
            ("figure8", "Logistic Reg", axis_column(1e-4)): 86.0,
            ("figure8", "Lin Reg", "lambda -> 0"): 71.0,
        },
        "figure5",
        "figure6",
        "figure7",
        "figure8",
    )
    assert not found.failures
    figures = figures_of(found)
    assert list(figures) == ["figure5", "figure6", "figure7", "figure8"]
    assert [panel.title for panel in figures["figure5"].panels] == list(margins)
    bars = figures["figure5"].panels[0].marks[0]
    assert sum(bars.heights) == 500
    assert np.allclose(np.diff(bars.edges), 0.1)
    assert figures["figure6"].origins() == ["ours", "paper"]
    levels = [mark for mark in figures["figure7"].marks() if isinstance(mark, Level)]
    assert [(level.y, level.origin) for level in levels] == [(85.0, "paper"), (84.5, "ours")]
    assert figures["figure8"].names() == ["Logistic Reg"]


def test_figures_without_numbers_are_not_drawn():
    found = reproduce(load_paper("zhang-oles-2001"), {})
    assert list(figures_of(found)) == ["figure4"]


def test_curves_run_along_the_axis():
    values = {("figure8", "Logistic Reg", axis_column(x)): x for x in (1.0, 1e-6, 1e-3)}
    table = plugged(values, "figure8").tables[0]
    assert curves_of(table, "ours") == {"Logistic Reg": Curve((1e-6, 1e-3, 1.0), (1e-6, 1e-3, 1.0))}
    assert curves_of(table, "paper") == {"Logistic Reg": Curve((1e-4,), (86.9,))}


def test_a_histogram_of_uneven_bins_is_refused():
    values = {("figure5", "Lin Reg", column): 1.0 for column in ("0", "1", "3")}
    with pytest.raises(UsageError, match="bins or more of one width"):
        histograms_of(plugged(values, "figure5").tables[0])


def test_every_figure_with_a_drawing_is_in_its_paper():
    paper = load_paper("zhang-oles-2001")
    assert set(FIGURES) == {figure.id for figure in paper.figures}


@pytest.mark.parametrize("name", ["zhang-oles-2001", "no-such-paper"])
def test_experiments_can_be_asked_for(name):
    assert all(key == each.name for key, each in experiments_of(name).items())
