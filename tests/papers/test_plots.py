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
from tests.papers.samples import SMALL, experiment, small_paper

from postil.common.escaping import visible
from postil.errors import InputError, MissingExtraError, UsageError
from postil.plots.drawing import COLOURS, look, png_bytes, require_plots, svg_bytes
from postil.plots.figure import Axis, Bars, Figure, Level, Line, Panel, Place
from postil_papers.experiment import Fill, by_name
from postil_papers.loading import load_paper, parse_paper
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Curve,
    bin_edges,
    curves_of,
    draw_lines,
    hinge,
    histogram_cells,
    histograms_of,
    inline_svg,
    members_of,
    smoothed_hinge,
)
from postil_papers.registry import figures_of
from postil_papers.render.pages import html_page
from postil_papers.render.view import view
from postil_papers.runner import reproduce
from postil_papers.zhang_oles_2001 import FIGURES
from postil_papers.zhang_oles_2001.figures import LOSSES, logistic

drawing = pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs postil[plots]")
SVG = "{http://www.w3.org/2000/svg}"


def plugged(values, *tables):
    run = by_name(experiment("x", values, tuple(map(Fill, tables))))
    return reproduce(load_paper("zhang-oles-2001"), run, only=tables)


@cache
def some_figures():
    """All figures of a paper from a few numbers."""
    logistic_row = ("figure7", "Logistic Reg")
    values = {
        ("figure4", "g(z)", "0"): 1.0,
        ("figure5", "Lin Reg", "0.25"): 3.0,
        ("figure5", "Lin Reg", "0.75"): 1.0,
        ("figure6", "SVM", "5"): 88.0,
        ("figure6", "SVM", "118"): 50.0,
        **{(*logistic_row, x): y for x, y in (("100", 80.0), ("1000", 84.0), ("10000", 86.5))},
        (*logistic_row, "all"): 84.5,
        ("figure8", "Logistic Reg", "1e-6"): 84.0,
        ("figure8", "Logistic Reg", "0.0001"): 86.0,
    }
    return figures_of(plugged(values, *FIGURES))


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
    assert smoothed_hinge(3.0, z)[2] == pytest.approx(log(2) / 3)
    assert np.isfinite(smoothed_hinge(3.0, np.array([-1e6, 1e6]))).all()
    assert (smoothed_hinge(3.0, z) >= hinge(z)).all()


def test_figure_4_draws_the_three_losses_as_the_paper_does():
    lines = list(some_figures()["figure4"].marks())
    assert [line.stroke for line in lines] == ["solid", "dashed", "dotted"]
    for line, loss in zip(lines, LOSSES.values(), strict=True):
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
        "import hashlib; from postil_papers.loading import load_paper; "
        "from postil_papers.registry import figures_of; "
        "from postil_papers.runner import reproduce; "
        "from postil.plots.drawing import svg_bytes; "
        "found = reproduce(load_paper('zhang-oles-2001'), {}, only=['figure4']); "
        "print(hashlib.sha256(svg_bytes(figures_of(found)['figure4'])).hexdigest())"
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
        assert svg_bytes(some_figures()["figure4"]) == drawn("figure4")
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
        svg_bytes(some_figures()["figure4"])


zero, nothing = Line("a", (0.0,), (1.0,)), Line("a", (1.0,), (float("nan"),))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Line("a", (1.0,), (1.0, 2.0)), "as many x as y, got 1 and 2"),
        (lambda: Bars("a", (1.0,), (1.0,)), "one edge more than heights"),
        (lambda: Bars("a", (1.0, 1.0), (1.0,)), "edges must rise"),
        (lambda: Figure("f", "t", Axis("x"), Axis("y"), ()), "needs a panel"),
        (
            lambda: Figure("f", "t", Axis("x", "log"), Axis("y"), (Panel((zero,)),)),
            "a log axis holds numbers above 0",
        ),
        (
            lambda: Figure("f", "t", Axis("x"), Axis("y"), (Panel((nothing,)),)),
            "nan cannot be drawn",
        ),
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


def test_curves_run_along_the_axis():
    values = {("figure8", "Logistic Reg", axis_column(x)): x for x in (1.0, 1e-6, 1e-3)}
    table = plugged(values, "figure8").tables[0]
    assert curves_of(table, "ours") == {"Logistic Reg": Curve((1e-6, 1e-3, 1.0), (1e-6, 1e-3, 1.0))}
    assert curves_of(table, "paper") == {"Logistic Reg": Curve((1e-4,), (86.9,))}


def test_a_histogram_of_uneven_bins_is_refused():
    values = {("figure5", "Lin Reg", column): 1.0 for column in ("0", "1", "3")}
    with pytest.raises(UsageError, match="bins or more of one width"):
        histograms_of(plugged(values, "figure5").tables[0])


# ------------------------------------------------------------------ lines, members, places


def texts(figure):
    root = ElementTree.fromstring(svg_bytes(figure))
    return [each.text for each in root.iter(f"{SVG}text")]


def small_table(values):
    """Figure 1 of the small paper with these numbers."""
    plugged = by_name(experiment("x", values, (Fill("figure1"),)))
    return reproduce(small_paper(), plugged, only=["figure1"]).tables[0]


def test_an_axis_names_every_tick_or_none():
    with pytest.raises(UsageError, match="a name for each tick, got 1 for 2"):
        Axis("x", ticks=(0.0, 1.0), names=("one",))


@drawing
def test_a_place_has_words_and_no_series():
    table = small_table({("figure1", "One", "1"): 1.0, ("figure1", "One", "50"): 2.0})
    figure = draw_lines(table, places=(Place(10.0, "here it is"),))
    assert (figure.names(), figure.origins()) == (["One"], ["ours", "paper"])
    assert "here it is" in texts(figure)


def test_a_place_on_a_log_axis_is_above_0():
    with pytest.raises(UsageError, match="'zero', horizontally: a log axis"):
        Figure("f", "t", Axis("x", "log"), Axis("y"), (Panel((Place(0.0, "zero"),)),))


def test_no_two_of_many_series_look_the_same():
    assert len({look(position) for position in range(3 * len(COLOURS))}) == 3 * len(COLOURS)
    assert [look(position)[0] for position in range(len(COLOURS))] == list(COLOURS)


def test_unmarked_curves_beyond_the_colours_are_dashed():
    values = {("figure1", f"term {n}", "1"): float(n) for n in range(len(COLOURS) + 1)}
    figure = draw_lines(small_table(values), marked=False)
    lines = [line for line in figure.marks() if line.origin == "ours"]
    assert not any(line.marked for line in lines)
    assert [line.stroke for line in lines] == [*["solid"] * len(COLOURS), "dashed"]


def test_members_need_every_column():
    table = small_table(
        {("figure1", "One", "x"): 1.0, ("figure1", "One", "y"): 2.0, ("figure1", "Two", "x"): 3.0}
    )
    assert members_of(table, ("y", "x")) == {"One": (2.0, 1.0)}
    assert members_of(table, ("x",)) == {"One": (1.0,), "Two": (3.0,)}


def test_one_number_makes_a_histogram():
    histogram = histograms_of(small_table(histogram_cells("figure1", {"One": [3.0]}, 10)))["One"]
    assert (histogram.edges, histogram.heights) == ((0.0, 10.0, 20.0), (1.0, 0.0))


def test_many_rows_stand_below_each_other_in_the_page():
    values = {("figure1", f"row {n}", column): 1.0 for n in range(9) for column in "ab"}
    plugged = by_name(experiment("x", values, (Fill("figure1"),)))
    found = reproduce(small_paper(), plugged, only=["figure1"])
    assert '<th scope="row">row 8</th>' in html_page(found)


# --------------------------------------------------------------- decimals and tolerances

MIXED = SMALL.replace(
    'columns = ["One", "Two", "A Longer Name"]\n',
    'columns = ["One", "Two", "A Longer Name"]\ndecimals = 0\ndecimals_of = { Two = 3 }\n',
)


def mixed(text=MIXED):
    return parse_paper(text, "small-1999.toml")


def test_a_column_may_have_decimals_of_its_own():
    plain = MIXED.replace('rows = ["F1"]\neach = 1.5\nmean = 0.8\n', "").replace(
        "[table.tolerance]\n", ""
    )
    values = {("table2", "F1", "One"): 77.4, ("table2", "F1", "Two"): 86.1234}
    fill = Fill("table2", ("F1",), ("One", "Two"))
    found = reproduce(mixed(plain), by_name(experiment("x", values, (fill,))), only=["table2"])
    shown = view(found.tables[0])
    assert [cell.ours for cell in shown.rows[0].cells] == ["77", "86.123", "–"]
    # A mean over different units would say nothing.
    assert not any("mean" in line for line in shown.summary)
    rows = plain.replace("decimals_of = { Two = 3 }", "mixed = true")
    found = reproduce(mixed(rows), by_name(experiment("x", values, (fill,))), only=["table2"])
    assert not any("mean" in line for line in view(found.tables[0]).summary)


def test_decimals_of_a_column_that_is_not_there_are_refused():
    with pytest.raises(InputError, match="'Too' means nothing here; did you mean 'Two'"):
        mixed(MIXED.replace("{ Two = 3 }", "{ Too = 3 }"))
    with pytest.raises(InputError, match="whole number"):
        mixed(MIXED.replace("{ Two = 3 }", '{ Two = "3" }'))


def test_a_tolerance_may_judge_some_columns():
    text = SMALL.replace('rows = ["F1"]\neach', 'rows = ["F1"]\ncolumns = ["Two"]\neach')
    paper = parse_paper(text, "small-1999.toml")
    values = {("table2", "F1", name): 0.0 for name in ("One", "Two", "A Longer Name")}
    found = reproduce(paper, by_name(experiment("x", values, (Fill("table2", ("F1",)),))))
    table = found.tables[1]
    assert [cell.key.column for cell in table.judged] == ["Two"]
    assert [cell.verdict for cell in table.cells[:3]] == [None, "beyond", None]
    assert view(table).summary[0] == "F1, Two: 0 of 1 within 1.5"
    with pytest.raises(InputError, match="no column called 'Three'"):
        parse_paper(text.replace('columns = ["Two"]', 'columns = ["Three"]'), "small.toml")
