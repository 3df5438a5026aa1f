"""The printed numbers of zhang-2000, and its recipes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.recipes.parts import TermSelection
from postil.recipes.recipe import load_recipe
from postil_papers.experiment import TOP_TEN
from postil_papers.loading import load_paper
from postil_papers.zhang_2000.methods import COUNTERPARTS, RECIPES, without_selection
from postil_papers.zhang_2000.sensitivity import row_of
from postil_papers.zhang_2000.tables import ALL, TOP

from .printed import printed_numbers

METHODS = ("Perceptron", "SVM", "UWin", "LM-UWin", "NWin", "LM-NWin")
# Test documents of Mod-Apte in each of the ten largest categories, and memberships in all.
SIZES = dict(zip(TOP_TEN, (1087, 719, 179, 149, 189, 117, 131, 89, 71, 56), strict=True))
MEMBERSHIPS = 3747


@pytest.fixture(scope="module")
def paper():
    return load_paper("zhang-2000")


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


def test_exhibits(paper):
    assert [table.id for table in paper.tables if "-" not in table.id] == [
        "table1",
        "table2",
        "webkb",
    ]
    assert [figure.id for figure in paper.figures] == ["figure1"]
    for table in paper.tables:
        if table.id in ("table1", "table2"):
            assert table.columns == METHODS == tuple(RECIPES)
            assert table.rows == (*TOP_TEN, TOP, ALL)
            assert (table.tolerance.rows, table.tolerance.each) == ((TOP, ALL), 1.5)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "earn", "UWin"), 98.6),
        (("table1", "trade", "LM-UWin"), 71.8),
        (("table1", "interest", "Perceptron"), 68.4),
        (("table1", ALL, "LM-NWin"), 87.0),
        (("table2", "ship", "NWin"), 69.4),
        (("table2", "corn", "SVM"), 87.5),
        (("table2", TOP, "LM-UWin"), 91.8),
        (("table2", ALL, "Perceptron"), 78.5),
        (("webkb", "SVM", "accuracy"), 88),
        (("webkb", "Naive Bayes", "accuracy"), 66),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


@pytest.mark.parametrize("table", ["table1", "table2"])
def test_micro_averages_are_means_weighted_by_size(values, table):
    """The printed micro-averages agree with the printed categories, up to rounding."""
    for method in METHODS:
        mean = sum(SIZES[name] * values[table, name, method] for name in TOP_TEN)
        assert mean / sum(SIZES.values()) == pytest.approx(values[table, TOP, method], abs=0.11)


@pytest.mark.parametrize("table", ["table1", "table2"])
def test_both_winnows_are_printed_alike(values, table):
    for row in (*TOP_TEN, TOP, ALL):
        assert values[table, row, "UWin"] == values[table, row, "NWin"]


def test_changes_are_differences_of_the_tables(values):
    top = sum(SIZES.values())
    for method in METHODS:
        change = {
            row: values["table2", row, method] - values["table1", row, method] for row in (TOP, ALL)
        }
        others = (MEMBERSHIPS * change[ALL] - top * change[TOP]) / (MEMBERSHIPS - top)
        wanted = {"top 10": change[TOP], "all 118": change[ALL], "other 108": others}
        for column, value in wanted.items():
            assert values["table2-change", method, column] == pytest.approx(value, abs=0.06)


def test_the_finding_is_a_difference_of_changes(values):
    for method, rival in COUNTERPARTS.items():
        for column in ("top 10", "all 118", "other 108"):
            lead = values["table2-change", method, column] - values["table2-change", rival, column]
            assert values["table2-finding", row_of(method), column] == pytest.approx(lead, abs=0.11)


def test_the_points_of_figure_1_are_those_of_table_1(paper, values):
    (figure,) = paper.figures
    assert [series.line for series in figure.series] == ["solid", "dashed", "dotted"]
    for point in figure.values:
        assert point.value == float(point.column) == values["table1", TOP, point.row]


@pytest.mark.parametrize("name", RECIPES.values())
def test_recipes_have_the_settings_of_section_4(name):
    recipe = load_recipe(name)
    assert recipe.paper == "zhang-2000"
    assert "stop" not in recipe.representation.analyzer
    assert "stem(porter)" in recipe.representation.analyzer
    assert (recipe.representation.weights, recipe.representation.norm) == ("binary", "none")
    assert recipe.selection == TermSelection("gini", 10000, scope="bar")
    options = recipe.learn["options"]
    assert (options["rate"], options["iterations"], options["shuffle"]) == (0.01, 200, False)
    if "winnow" in name:
        assert recipe.learn["prior_options"] == {"mu": 0.01, "signs": "balanced"}
    method = recipe.method(0).method
    assert (method.intercept, method.constant) == ("penalised", 1.0)
    assert (recipe.search is None) == (recipe.learn["solver"] == "mistake-driven")
    if recipe.search is not None:
        assert (recipe.search.over, recipe.search.shared) == ("C", True)


@pytest.mark.parametrize("method", RECIPES)
def test_recipes_expect_what_table_1_prints(values, method):
    (expected,) = load_recipe(RECIPES[method]).expect
    assert (expected.corpus, expected.measure) == ("reuters-modapte", "micro-break-even")
    assert expected.value == values["table1", ALL, method]


def test_without_selection_all_else_stays():
    recipe = load_recipe("lm-winnow-u")
    plain = without_selection(recipe)
    assert plain.selection.measure is None
    assert plain.representation == replace(recipe.representation, min_occurrences=1)
    assert (plain.learn, plain.search) == (recipe.learn, recipe.search)
