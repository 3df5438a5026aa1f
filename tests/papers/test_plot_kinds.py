"""Scatter plots, parallel coordinates, places; columns with decimals and tolerances of theirs."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest
from tests.papers.samples import SMALL, experiment, small_paper

from postil.errors import InputError, UsageError
from postil.plots.drawing import COLOURS, look, svg_bytes
from postil.plots.figure import Axis, Figure, Line, Panel, Place
from postil_papers.experiment import Fill, by_name
from postil_papers.loading import parse_paper
from postil_papers.plotting import (
    Curve,
    histogram_cells,
    histograms_of,
    line_figure,
    members_of,
    parallel_figure,
    scatter_figure,
)
from postil_papers.render.html import html_page
from postil_papers.render.view import view
from postil_papers.runner import reproduce

drawing = pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs postil[plots]")


@pytest.fixture
def facts():
    return small_paper().figures[0]


def texts(figure):
    root = ElementTree.fromstring(svg_bytes(figure))
    return [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_points_of_a_scatter_are_not_joined(facts):
    figure = scatter_figure(facts, {"a": Curve((1.0, 20.0), (3.0, 4.0))})
    (line,) = figure.marks()
    assert (line.joined, line.marked, figure.legend) == (False, True, False)
    assert scatter_figure(facts, {"a": Curve((), ()), "b": Curve((), ())}).legend


def test_a_member_of_parallel_coordinates_is_a_thin_line(facts):
    figure = parallel_figure(facts, ("left", "right"), {"one": [(1, 2), (3, 4)], "two": [(5, 6)]})
    assert [panel.title for panel in figure.panels] == ["one", "two"]
    assert [line.x for line in figure.marks()] == [(0.0, 1.0)] * 3
    assert [line.y for line in figure.marks()] == [(1, 2), (3, 4), (5, 6)]
    assert all(line.thin and not line.marked for line in figure.marks())
    assert figure.names() == ["one", "two"]


@drawing
def test_names_stand_on_the_axis(facts):
    figure = parallel_figure(facts, ("left", "right"), {"one": [(1, 2)]})
    assert {"left", "right"} <= set(texts(figure))


def test_an_axis_names_every_tick_or_none():
    with pytest.raises(UsageError, match="a name for each tick, got 1 for 2"):
        Axis("x", ticks=(0.0, 1.0), names=("one",))


@drawing
def test_a_place_has_words_and_no_series(facts):
    place = Place(10.0, "here it is")
    figure = line_figure(facts, {"One": Curve((1.0, 100.0), (1.0, 2.0))}, places=(place,))
    assert (figure.names(), figure.origins()) == (["One"], ["ours"])
    assert "here it is" in texts(figure)


def test_a_place_on_a_log_axis_is_above_0():
    with pytest.raises(UsageError, match="'zero', horizontally: a log axis"):
        Figure("f", "t", Axis("x", "log"), Axis("y"), (Panel((Place(0.0, "zero"),)),))


def test_curves_may_go_unmarked(facts):
    (line,) = line_figure(facts, {"One": Curve((1.0,), (1.0,))}, marked=False).marks()
    assert isinstance(line, Line)
    assert not line.marked


def test_no_two_of_many_series_look_the_same():
    assert len({look(position) for position in range(3 * len(COLOURS))}) == 3 * len(COLOURS)


def test_unmarked_curves_beyond_the_colours_are_dashed(facts):
    curves = {f"term {n}": Curve((1.0, 2.0), (n, n)) for n in range(len(COLOURS) + 1)}
    lines = list(line_figure(facts, curves, marked=False).marks())
    assert [line.stroke for line in lines] == [*["solid"] * len(COLOURS), "dashed"]


def test_members_need_every_column():
    values = {
        ("figure1", "One", "x"): 1.0,
        ("figure1", "One", "y"): 2.0,
        ("figure1", "Two", "x"): 3.0,
    }
    table = reproduce(
        small_paper(), by_name(experiment("x", values, (Fill("figure1"),))), only=["figure1"]
    ).tables[0]
    assert members_of(table, ("y", "x")) == {"One": (2.0, 1.0)}
    assert members_of(table, ("x",)) == {"One": (1.0,), "Two": (3.0,)}


def test_one_number_makes_a_histogram():
    values = histogram_cells("figure1", {"One": [3.0]}, 10)
    found = reproduce(small_paper(), by_name(experiment("x", values, (Fill("figure1", ("One",)),))))
    histogram = histograms_of(found.tables[-1])["One"]
    assert (histogram.edges, histogram.counts) == ((0.0, 10.0, 20.0), (1.0, 0.0))


def test_many_rows_stand_below_each_other_in_the_page():
    values = {("figure1", f"row {n}", column): 1.0 for n in range(9) for column in "ab"}
    found = reproduce(
        small_paper(), by_name(experiment("x", values, (Fill("figure1"),))), only=["figure1"]
    )
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


def test_decimals_of_a_column_that_is_not_there_are_refused():
    with pytest.raises(InputError, match="no column called 'Too'"):
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


def test_the_committed_looks_have_not_changed():
    """The first series of a figure keep the colours they have always had."""
    assert [look(position)[0] for position in range(len(COLOURS))] == list(COLOURS)
    assert replace(Line("a", (), ()), thin=False) == Line("a", (), ())
