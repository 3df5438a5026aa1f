"""zhang-2000: its printed numbers, its recipes, and its experiments in the small."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.papers.printed import ours, printed_numbers
from tests.papers.stand_ins import LARGEST, known_corpora, small_experiment, small_recipe

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.evaluate.break_even import break_even_points
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import load_recipe
from postil_papers import single_label
from postil_papers.harness import TOP_TEN, trained, vectors_of
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce
from postil_papers.zhang_2000 import runs, selections, tables
from postil_papers.zhang_2000.runs import RECIPES, unselected
from postil_papers.zhang_2000.tables import ALL_ROW as ALL
from postil_papers.zhang_2000.tables import COUNTERPARTS
from postil_papers.zhang_2000.tables import TOP_ROW as TOP

NAME = "zhang-2000"
METHODS = ("Perceptron", "SVM", "UWin", "LM-UWin", "NWin", "LM-NWin")
# Test documents of Mod-Apte in each of the ten largest categories, and memberships in all.
SIZES = dict(zip(TOP_TEN, (1087, 719, 179, 149, 189, 117, 131, 89, 71, 56), strict=True))
MEMBERSHIPS = 3747


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


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
            assert values["table2-finding", f"{method} against {rival}", column] == pytest.approx(
                lead, abs=0.11
            )


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
    method = recipe.method(0)
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
    recipe, plain = load_recipe("lm-winnow-u"), unselected("LM-UWin")
    assert plain.selection.measure is None
    assert plain.representation == replace(recipe.representation, min_occurrences=1)
    assert (plain.learn, plain.search) == (recipe.learn, recipe.search)


# -------------------------------------------------------------------------- on the demo corpus

DEMO = runs.Collection("demo", LARGEST, (50.0, 80.0, 100.0))
SELECTION = TermSelection("gini", 40, scope="bar")


@pytest.fixture(scope="module")
def small():
    return {
        name: small_experiment(each, collection=DEMO) for name, each in experiments_of(NAME).items()
    }


@pytest.fixture(scope="module")
def demo(paper, small):
    """On the demo all but web pages and the tables, whose rows are categories of Reuters."""
    without = {"table1", "table2", tables.TABLE, tables.STUDY}
    return reproduce(paper, {n: each for n, each in small.items() if not each.tables() & without})


@pytest.fixture(scope="module")
def tested():
    return trained(open_corpus("demo"), small_recipe(load_recipe("lm-winnow-u")))


@pytest.fixture(scope="module")
def facts(tested):
    return runs.run_facts(*tested, DEMO)


@pytest.fixture(scope="module")
def recipe():
    return replace(small_recipe(load_recipe("perceptron")), selection=SELECTION)


@pytest.fixture(scope="module")
def problem(recipe):
    return vectors_of(open_corpus("demo"), recipe.representation).problem()


def test_nothing_fails_on_the_demo(demo):
    assert not demo.failures


@pytest.mark.parametrize("table", ["table1", "table2"])
@pytest.mark.parametrize("method", ["Perceptron", "LM-UWin"])
def test_a_column_of_a_table(small, table, method):
    settings = small[f"{table}, {method}"].settings
    found = tables.run_column(table, method, **settings)
    assert [row for _, row, _ in found] == [*LARGEST, TOP, ALL]
    last = found[table, ALL, method]
    assert last.value == pytest.approx(runs.run_of(**settings).micro())
    assert last.remark.startswith("C = ") == (method == "LM-UWin")


def test_changes_are_differences_of_the_runs(demo, small):
    before, after = (runs.run_of(DEMO, each) for each in small["change of SVM"].settings["recipes"])
    found = ours(demo, "table2-change")
    names = list(LARGEST)
    assert found["SVM", "all 118"].ours == pytest.approx(after.micro() - before.micro())
    assert found["SVM", "top 10"].ours == pytest.approx(after.micro(names) - before.micro(names))
    assert len(found) == 3 * len(RECIPES)


def test_the_finding_compares_changes(demo):
    change, finding = ours(demo, "table2-change"), ours(demo, "table2-finding")
    assert len(finding) == 12
    for method, rival in COUNTERPARTS.items():
        for column in tables.COLUMNS:
            cell = finding[f"{method} against {rival}", column]
            lead = change[method, column].ours - change[rival, column].ours
            assert cell.ours == pytest.approx(lead)
            assert "Wilcoxon's p = " in cell.remark


def test_the_curves_are_drawn(demo):
    assert len(ours(demo, "figure1")) == 3 * len(DEMO.recalls)
    figure = figures_of(demo)["figure1"]
    assert {line.name for line in figure.series()} == {"SVM", "LM-NWin", "Perceptron"}


def test_every_reading_of_the_selection_is_measured(demo, small):
    found = ours(demo, "table1-selection")
    assert len(found) == len(selections.READINGS) * len(selections.METHODS)
    assert all(0 < cell.ours <= 100 for cell in found.values())
    folded = {method for (_, method), cell in found.items() if "5 folds: " in cell.remark}
    assert folded == {"Perceptron", "UWin"}
    run = runs.run_of(**small["table1, LM-UWin"].settings)
    reading = found["one gain for all categories", "LM-UWin"]
    assert reading.ours == pytest.approx(run.micro(), abs=0.5)


def test_facts_are_the_break_even_points(facts, tested):
    _, assessed = tested
    wanted = break_even_points(assessed.truth, assessed.scores)
    assert facts.micro() == pytest.approx(100 * wanted.micro)
    places = facts.places(LARGEST)
    assert facts.each(LARGEST) == pytest.approx(100 * wanted.values[places])
    assert facts.micro(facts.categories) == pytest.approx(facts.micro())


def test_precision_where_recall_is_first_reached():
    truth = sp.csr_matrix(np.array([[1], [0], [1], [0], [1], [1]], dtype=bool))
    scores = np.array([[6.0], [5.0], [4.0], [3.0], [2.0], [1.0]])
    found = runs.precision_at(truth, scores, (20.0, 25.0, 50.0, 60.0, 100.0))
    assert found == pytest.approx([100, 100, 100 * 2 / 3, 60, 100 * 4 / 6])


def test_the_curve_goes_through_the_break_even_point(tested):
    _, assessed = tested
    columns = [assessed.report.categories.index(name) for name in LARGEST]
    truth, scores = assessed.truth[:, columns], assessed.scores[:, columns]
    point = break_even_points(truth, scores)
    (precision,) = runs.precision_at(truth, scores, [100 * point.recall])
    assert precision >= 100 * point.precision - 1e-9


def test_losses_that_are_alike_are_no_finding():
    same = np.array([-1.0, -2.0, 0.0])
    assert "p = 1" in tables.compared(same, same)
    less = tables.compared(same + 0.5, same)
    assert less.startswith("loses less in 3 categories, more in 0, the same in 0")


def test_one_list_is_the_same_for_all(problem, recipe):
    chosen = selections.one_list(problem, recipe)
    assert all(chosen[place].tolist() == chosen[0].tolist() for place in range(len(chosen)))
    kept = np.isin(np.arange(problem.design.terms), chosen[0])
    summed = selections.gains(problem, recipe).sum(axis=0)
    assert kept.sum() == 40
    assert summed[kept].min() >= summed[~kept].max()


def test_one_gain_leaves_small_categories_few_terms(problem, recipe):
    chosen = problem.selection(recipe)
    sizes = problem.labels.sizes()
    kept = np.array([len(chosen[place]) for place in range(len(chosen))])
    gains = selections.gains(problem, recipe)
    bar = np.sort(gains, axis=1)[:, -41].max()
    assert kept.tolist() == (gains > bar).sum(axis=1).tolist()
    assert 0 < kept[sizes == sizes.min()].max() < kept[sizes == sizes.max()].max() <= 40


def test_so_many_terms_in_all_are_not_so_many_for_a_category(problem, recipe):
    chosen = selections.in_all(problem, recipe)
    kept = set(chosen.ids.tolist())
    assert 0 < len(kept) <= 40
    highest = selections.gains(problem, recipe).max(axis=0)
    others = [term for term in range(problem.design.terms) if term not in kept]
    assert highest[sorted(kept)].min() > highest[others].max()
    assert min(len(chosen[place]) for place in range(len(chosen))) < len(kept)
    each = selections.by_category(problem, recipe)
    assert {len(each[place]) for place in range(len(each))} == {40}


# ----------------------------------------------------------------------------------- web pages


@pytest.fixture(scope="module")
def pages():
    """Made-up pages in three classes that one word tells apart.

    Normalised weights add up to 0.01 a term: few terms could not reach a margin.
    """
    chance = random.Random(0)
    words = [f"word{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]
    found = []
    for number in range(60):
        kind = ("course", "staff", "student")[number % 3]
        texts = [" ".join([kind, *chance.choices(words, k=4)]) for _ in range(2)]
        fields = dict(zip(("title", "body"), texts, strict=True))
        found.append(Document(str(number), fields, (kind,), None))
    return tuple(found)


@pytest.mark.parametrize("method", tables.PAGE_METHODS)
def test_web_pages_on_made_up_ones(paper, small, pages, method, monkeypatch):
    known_corpora(monkeypatch)
    monkeypatch.setattr(single_label, "open_corpus", lambda *_, **__: pages)
    name = f"webkb, {method}"
    made_up = small_experiment(small[name], corpus="made-up pages")
    found = reproduce(paper, {name: made_up}, only=["webkb"])
    assert not found.failures
    (cell,) = ours(found, "webkb").values()
    assert cell.ours > 80  # the largest class is a third
    assert cell.ours_deviation is not None
    assert cell.remark.startswith("C of the folds: ") == (method != "Naive Bayes")


def test_each_page_is_tested_once(pages):
    marked = list(single_label.random_folds(pages, 3))
    tested = [{page.id for page in fold if page.split == "test"} for fold in marked]
    assert [len(ids) for ids in tested] == [20, 20, 20]
    assert len(set.union(*tested)) == 60
    orders = [[page.id for page in fold] for fold in marked]
    assert orders[0] == orders[1] == orders[2] != [page.id for page in pages]
    assert list(single_label.random_folds(pages, 3)) == marked
    assert list(single_label.random_folds(pages, 3, 1)) != marked


def test_pages_are_read_alike_by_all_methods():
    for table, analyzer in tables.ANALYZERS.items():
        found = [
            tables.for_pages(load_recipe(name), analyzer) for name in tables.PAGE_METHODS.values()
        ]
        assert len({recipe.representation for recipe in found}) == 1
        assert ("stop" in analyzer) == (table == tables.STUDY)
        assert {recipe.decide.rule for recipe in found} == {"best"}


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("method", ["Perceptron", "UWin", "NWin"])
def test_near_to_table_2(paper, corpus_file, method):
    corpus_file("reuters")
    name = f"table2, {method}"
    found = reproduce(paper, {name: experiments_of(NAME)[name]}, only=["table2"])
    judged = [cell for cell in found.cells() if cell.verdict is not None]
    assert [cell.verdict for cell in judged] == ["within", "within"]
