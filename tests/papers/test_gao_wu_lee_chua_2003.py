"""The printed numbers of gao-wu-lee-chua-2003, and how its tables and recipes hang together."""

from __future__ import annotations

import pytest

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import TOP_TEN
from postil_papers.gao_wu_lee_chua_2003 import comparison, criteria, dimensions, trees
from postil_papers.gao_wu_lee_chua_2003.methods import (
    BPA_TREE,
    DIMENSIONS,
    F1,
    FULL,
    MCE,
    MFOM_TREE,
    MULTI,
    REDUCED,
    STOPS,
    USUAL,
    learning,
    linear_svm,
)
from postil_papers.gao_wu_lee_chua_2003.multi import RULED, formed, ruled
from postil_papers.gao_wu_lee_chua_2003.solvers import by_lbfgs
from postil_papers.loading import load_paper

from .printed import printed, printed_numbers


@pytest.fixture(scope="module")
def paper():
    return load_paper("gao-wu-lee-chua-2003")


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


@pytest.fixture(scope="module")
def tables(paper):
    return {table.id: table for table in paper.tables}


def test_exhibits(paper, tables):
    printed_ids = [name for name in tables if name.startswith("table") and "-" not in name]
    assert printed_ids == ["table1", "table2", "table3", "table4"]
    assert [figure.id for figure in paper.figures] == ["figure2", "figure3", "figure4"]
    for name in ("table2", "table3"):
        assert tables[name].rows == tuple(map(str, DIMENSIONS))
        assert tables[name].columns == tuple(STOPS)
    assert tables["table4"].rows == (*TOP_TEN, comparison.MICRO_ROW)
    assert tables["table4"].columns == tuple(comparison.DECIDED)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "Top-10, micro-avg", "MCE, 400"), 0.9099),
        (("table1", "Other 80, macro-avg", "F1, 1613"), 0.5124),
        (("table2", "1200", "1000ite"), 0.5660),
        (("table2", "100", "3000ite"), 0.4612),
        (("table3", "400", "1000ite"), 0.8723),
        (("table3", "1613", "2000ite"), 0.8842),
        (("table4", "grain", "Linear SVM"), 0.931),
        (("table4", "corn", "MFoM"), 0.891),
        (("table4", "trade", "Baseline"), 0.730),
        (("table4-macro", "macro-avg (all 90)", "Baseline"), 0.519),
        (("figure3", "acq", "0"), 0.362),
        (("figure3", "acq", "150"), 0.960),
        (("collection", "Reuters-21578", "terms"), 10118),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


def test_what_a_reproduction_is_held_to(tables):
    micro = tables["table4"].tolerance
    assert (micro.rows, micro.columns) == (("micro-avg (all 90)",), ("Baseline", "MFoM"))
    assert micro.each == tables["table3-trend"].tolerance.each == 0.015
    for name in ("table4-macro", "table4-mean", "table2-trend"):
        assert tables[name].tolerance.each == 0.03


def test_table_4_rounds_table_2_and_table_3(values):
    full = str(FULL)
    micro = values["table4", comparison.MICRO_ROW, comparison.MFOM]
    macro = values["table4-macro", comparison.MACRO_ROW, comparison.MFOM]
    assert micro == pytest.approx(values["table3", full, USUAL], abs=5e-4)
    assert macro == pytest.approx(values["table2", full, USUAL], abs=5e-4)


@pytest.mark.parametrize("trend", dimensions.TRENDS)
def test_trends_are_differences_of_rows(values, trend):
    table = dimensions.TRENDS[trend]
    for span, (first, last) in dimensions.SPANS.items():
        for stop in STOPS:
            growth = values[table, str(last), stop] - values[table, str(first), stop]
            assert values[trend, span, stop] == pytest.approx(growth, abs=1e-9)
    early, late = ([values[trend, span, stop] for stop in STOPS] for span in dimensions.SPANS)
    assert min(early) > 3 * max(late)


@pytest.mark.parametrize(
    ("other", "table"),
    [("table1-mean", "table1"), ("table2-mean", "table2"), ("table4-mean", "table4-macro")],
)
def test_means_of_f1_stand_beside_the_same_numbers(paper, values, other, table):
    cells = {place: value for place, value in printed(paper).items() if place[0] == other}
    assert cells
    for (_, row, column), value in cells.items():
        assert value.value == values[table, row, column]
        assert value.source == "derived"


def test_studies_stand_beside_table_4(values):
    for kind, method in (("perceptrons", comparison.BASELINE), ("F1", comparison.MFOM)):
        for shape in trees.SHAPES:
            row = trees.row_of(kind, shape)
            assert (
                values["trees", row, "micro F1"] == values["table4", comparison.MICRO_ROW, method]
            )


def test_what_is_of_another_paper_says_so(paper):
    for place, value in printed(paper).items():
        if place[0].startswith("multi"):
            assert "not this one" in value.where


# ------------------------------------------------------------------------------------ recipes


def test_recipes_have_the_paper_s_numbers():
    for name, figure in ((F1, "f1"), (MCE, "balanced-error")):
        method = load_recipe(name).method()
        options = method.solver_options
        assert (method.figure, method.solver) == (figure, "gpd")
        assert (options.rate, options.steepness, options.iterations) == (0.05, 20.0, STOPS[USUAL])


def test_all_on_directions_share_them():
    found = {load_recipe(name).representation for name in (F1, MCE, MFOM_TREE, BPA_TREE)}
    assert len(found) == 1
    assert found.pop().lsi == FULL


def test_the_svm_sees_the_same_texts_without_directions():
    recipe = load_recipe(F1)
    svm = linear_svm(recipe)
    assert svm.representation.lsi is None
    assert svm.representation.analyzer == recipe.representation.analyzer
    assert svm.representation.weights == recipe.representation.weights
    method = svm.method()
    assert (method.loss, method.regularization.C) == ("hinge", 1.0)


def test_f1_of_table_1_is_the_run_of_tables_2_and_3():
    for directions in (REDUCED, FULL):
        row = dimensions.grid_descent(load_recipe(F1), directions)
        column = criteria.descent_for(load_recipe, "F1", directions)
        assert row.to_dict() == column.to_dict()


def test_entries_of_none_are_left_out():
    recipe = load_recipe(F1)
    assert by_lbfgs(recipe).method().solver == "l-bfgs"
    assert "options" not in by_lbfgs(recipe).learn
    assert learning(recipe).learn == recipe.learn


def test_only_ruled_forms_tune_thresholds():
    recipe = load_recipe(MULTI)
    for form, figure in RULED:
        assert ruled(recipe, form, figure).decide == recipe.decide
        assert formed(recipe, form, figure).decide.rule == "default"
    assert ruled(recipe, "rivals", "f1").decide.rule == "default"


def test_the_recipe_is_a_row_and_others_have_as_many_steps():
    recipe = load_recipe(MULTI)
    own = ruled(recipe, "unclaimed", "balanced-error")
    assert RULED["unclaimed", "balanced-error"] == recipe.name
    assert (own.learn, own.decide) == (recipe.learn, recipe.decide)
    steps = own.learn["options"]["iterations"]
    assert formed(recipe, "rivals", "f1").learn["options"]["iterations"] == steps
    assert formed(recipe, "binary", "f1").learn["options"]["iterations"] == 2 * steps
