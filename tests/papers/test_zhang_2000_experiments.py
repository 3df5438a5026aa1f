"""The experiments of zhang-2000: what they promise, and that they keep it, in the small."""

from __future__ import annotations

import random
from dataclasses import asdict

import numpy as np
import pytest
import scipy.sparse as sp
from tests.papers.zhang_2000_samples import largest, on_demo, small_experiments, small_recipe

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.evaluate.break_even import break_even_points
from postil.recipes.parts import TermSelection
from postil.train.assess import assessment
from postil.train.train import train
from postil_papers.experiment import check_experiments
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce
from postil_papers.zhang_2000 import runs, selections, sensitivity, tables, web_pages
from postil_papers.zhang_2000.facts import RunFacts, precision_at
from postil_papers.zhang_2000.methods import RECIPES, with_selection
from postil_papers.zhang_oles_2001.problem import problem_of

NAME = "zhang-2000"
RECALLS = (50.0, 80.0, 100.0)
SAID = TermSelection("gini", 40, scope="bar")


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def experiments():
    return experiments_of(NAME)


@pytest.fixture(scope="module")
def small():
    return small_experiments()


@pytest.fixture(scope="module")
def demo(paper, small):
    """On the demo all but web pages and the tables, whose rows are categories of Reuters."""
    chosen = {
        name: on_demo(each)
        for name, each in small.items()
        if not each.tables() & {"table1", "table2", web_pages.TABLE, web_pages.STUDY}
    }
    return reproduce(paper, chosen)


@pytest.fixture(scope="module")
def trained():
    recipe = with_selection(small_recipe("lm-winnow-u"))
    return train(open_corpus("demo"), recipe)


@pytest.fixture(scope="module")
def tested(trained):
    return assessment(trained, open_corpus("demo").only("test"))


@pytest.fixture(scope="module")
def facts(trained, tested):
    return runs.run_facts(trained, tested, largest(), RECALLS)


@pytest.fixture(scope="module")
def problem():
    return problem_of(open_corpus("demo"), small_recipe("perceptron").representation)


def ours(reproduction, table):
    found = next(each for each in reproduction.tables if each.id == table)
    return {(c.key.row, c.key.column): c for c in found.cells if c.ours is not None}


# ------------------------------------------------------------------------- what is promised


def test_no_two_experiments_fill_the_same_cell(paper, experiments):
    check_experiments(paper, experiments)


def test_every_cell_of_every_exhibit_is_promised(paper, experiments):
    promised = {key for each in experiments.values() for key in each.expected(paper)}
    for exhibit in paper.exhibits:
        assert {(exhibit.id, *place) for place in exhibit.places} <= promised


def test_every_experiment_knows_its_corpus(experiments):
    for experiment in experiments.values():
        assert str(experiment.settings["corpus"]) in repr(experiment.data)


# ----------------------------------------------------------------------------- that it is kept


def test_nothing_fails_on_the_demo(demo):
    assert not demo.failures


@pytest.mark.parametrize("table", ["table1", "table2"])
@pytest.mark.parametrize("method", ["Perceptron", "LM-UWin"])
def test_a_column_of_a_table(small, table, method):
    settings = on_demo(small[f"{table}, {method}"]).settings
    found = tables.run_column(table, method, settings)
    assert [row for _, row, _ in found] == [*largest(), tables.TOP, tables.ALL]
    last = found[table, tables.ALL, method]
    assert last.value == pytest.approx(runs.facts_of(settings, method).micro())
    assert last.remark.startswith("C = ") == (method == "LM-UWin")


def test_changes_are_differences_of_the_runs(demo, small):
    settings = on_demo(small["change of SVM"]).settings
    by_table = {table: runs.facts_of(settings, f"SVM, {table}") for table in ("table1", "table2")}
    found = ours(demo, "table2-change")
    names = list(largest())
    before, after = by_table["table1"], by_table["table2"]
    assert found["SVM", "all 118"].ours == pytest.approx(after.micro() - before.micro())
    assert found["SVM", "top 10"].ours == pytest.approx(after.micro(names) - before.micro(names))
    assert len(found) == 3 * len(RECIPES)


def test_the_finding_is_a_difference_of_changes(demo):
    change, finding = ours(demo, "table2-change"), ours(demo, "table2-finding")
    assert len(finding) == 12
    for method, rival in sensitivity.COUNTERPARTS.items():
        for column in sensitivity.COLUMNS:
            cell = finding[sensitivity.row_of(method), column]
            lead = change[method, column].ours - change[rival, column].ours
            assert cell.ours == pytest.approx(lead)
            assert "Wilcoxon's p = " in cell.remark


def test_the_curves_are_drawn(demo):
    found = ours(demo, "figure1")
    assert len(found) == 3 * len(runs.RECALLS)
    figure = figures_of(demo)["figure1"]
    assert {line.name for line in figure.series()} == {"SVM", "LM-NWin", "Perceptron"}


def test_every_reading_of_the_selection_is_measured(demo):
    found = ours(demo, "table1-selection")
    assert len(found) == len(selections.READINGS) * len(selections.METHODS)
    assert all(0 < cell.ours <= 100 for cell in found.values())
    told = {method for (_, method), cell in found.items() if "5 folds: " in cell.remark}
    assert told == {"Perceptron", "UWin"}


def test_the_reading_of_table_1_gives_its_number(demo, small):
    settings = on_demo(small["table1, LM-UWin"]).settings
    found = ours(demo, "table1-selection")["one gain for all categories", "LM-UWin"]
    assert found.ours == pytest.approx(runs.facts_of(settings, "LM-UWin").micro(), abs=0.5)


# ------------------------------------------------------------------------------- how it is done


def test_facts_are_the_break_even_points(facts, tested):
    scored = tested.scores.max(axis=0) > tested.scores.min(axis=0)
    assert scored.all()
    wanted = break_even_points(tested.truth, tested.scores)
    assert facts.micro() == pytest.approx(100 * wanted.micro)
    for name in largest():
        place = facts.categories.index(name)
        assert facts.of_category(name) == pytest.approx(100 * wanted.values[place])
    assert facts.micro(facts.categories) == pytest.approx(facts.micro())
    assert RunFacts(**asdict(facts)) == facts


def test_some_categories_and_the_others_make_all(facts):
    points = facts.break_even()
    names = list(largest())
    rest = facts.others(names)
    assert sorted([*names, *rest]) == sorted(facts.categories)
    found = points.of(facts.places(names)).true_positives.sum()
    found += points.of(facts.places(rest)).true_positives.sum()
    assert found == points.true_positives.sum()


def test_undefined_points_stay_undefined():
    points = {name: [1.0, None] for name in ("values", "true_positives")}
    points |= {name: [0.0, 0.0] for name in ("false_positives", "false_negatives")}
    points["true_positives"] = [1.0, 0.0]
    facts = RunFacts(["a", "b"], points, [])
    assert facts.break_even().undefined == 1
    assert facts.micro() == 100.0


def test_precision_where_recall_is_first_reached():
    truth = sp.csr_matrix(np.array([[1], [0], [1], [0], [1], [1]], dtype=bool))
    scores = np.array([[6.0], [5.0], [4.0], [3.0], [2.0], [1.0]])
    found = precision_at(truth, scores, (20.0, 25.0, 50.0, 60.0, 100.0))
    assert found == pytest.approx([100, 100, 100 * 2 / 3, 60, 100 * 4 / 6])


def test_the_curve_goes_through_the_break_even_point(tested):
    columns = [tested.report.categories.index(name) for name in largest()]
    truth, scores = tested.truth[:, columns], tested.scores[:, columns]
    point = break_even_points(truth, scores)
    (precision,) = precision_at(truth, scores, [100 * point.recall])
    assert precision >= 100 * point.precision - 1e-9


def test_losses_that_are_alike_are_no_finding():
    same = np.array([-1.0, -2.0, 0.0])
    assert "p = 1" in sensitivity.tested(same, same)
    less = sensitivity.tested(same + 0.5, same)
    assert less.startswith("loses less in 3 categories, more in 0, the same in 0")


def test_parts_are_of_training_documents_alone(problem):
    parts = list(selections.parts_of(problem))
    documents = problem.design.documents
    assert len(parts) == selections.FOLDS
    assert sum(part.unseen.shape[0] for part in parts) == documents
    for part in parts:
        assert part.design.documents + part.unseen.shape[0] == documents
        assert part.labels.names == problem.labels.names
        members = part.labels.members.sum() + part.truth.sum()
        assert members == problem.labels.members.sum()


def test_one_list_is_the_same_for_all(problem):
    chosen = selections.one_list(problem, SAID)
    assert all(chosen[place].tolist() == chosen[0].tolist() for place in range(len(chosen)))
    kept = np.isin(np.arange(problem.design.terms), chosen[0])
    summed = selections.gains_of(problem, SAID).sum(axis=0)
    assert kept.sum() == 40
    assert summed[kept].min() >= summed[~kept].max()


def test_one_gain_leaves_small_categories_few_terms(problem):
    chosen = selections.as_said(problem, SAID)
    sizes = problem.labels.sizes()
    kept = np.array([len(chosen[place]) for place in range(len(chosen))])
    assert 0 < kept.max() <= 40
    gains = selections.gains_of(problem, SAID)
    bar = np.sort(gains, axis=1)[:, -41].max()
    assert kept.tolist() == (gains > bar).sum(axis=1).tolist()
    assert kept[sizes == sizes.min()].max() < kept[sizes == sizes.max()].max()


def test_so_many_terms_in_all_are_not_so_many_for_a_category(problem):
    chosen = selections.in_all(problem, SAID)
    kept = set(chosen.ids.tolist())
    assert 0 < len(kept) <= 40
    highest = selections.gains_of(problem, SAID).max(axis=0)
    others = [term for term in range(problem.design.terms) if term not in kept]
    assert highest[sorted(kept)].min() > highest[others].max()
    assert min(len(chosen[place]) for place in range(len(chosen))) < len(kept)


def test_best_of_each_category_are_so_many(problem):
    chosen = selections.for_each(problem, SAID)
    assert {len(chosen[place]) for place in range(len(chosen))} == {40}


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
        fields = dict(zip(web_pages.FIELDS, texts, strict=True))
        found.append(Document(str(number), fields, (kind,), None))
    return tuple(found)


@pytest.mark.parametrize("method", web_pages.METHODS)
def test_web_pages_on_made_up_ones(paper, small, pages, method, monkeypatch):
    monkeypatch.setitem(web_pages.READERS, "made up", lambda: pages)
    name = f"webkb, {method}"
    found = reproduce(paper, {name: on_demo(small[name], corpus="made up")}, only=["webkb"])
    assert not found.failures
    (cell,) = ours(found, "webkb").values()
    assert cell.ours > 80  # the largest class is a third
    assert cell.ours_deviation is not None
    assert cell.remark.startswith("C of the folds: ") == (method != "Naive Bayes")


def test_each_page_is_tested_once(pages):
    marked = list(web_pages.folded(pages, 3, 0))
    tested = [{page.id for page in fold if page.split == "test"} for fold in marked]
    assert [len(ids) for ids in tested] == [20, 20, 20]
    assert len(set.union(*tested)) == 60
    orders = [[page.id for page in fold] for fold in marked]
    assert orders[0] == orders[1] == orders[2] != [page.id for page in pages]
    assert list(web_pages.folded(pages, 3, 0)) == marked
    assert list(web_pages.folded(pages, 3, 1)) != marked


def test_accuracy_needs_one_category_a_page(pages):
    several = [Document(page.id, page.fields, ("a", "b"), None) for page in pages]
    recipe = web_pages.paged(small_recipe("naive-bayes-1"), web_pages.ANALYZERS["webkb"])
    with pytest.raises(UsageError, match="exactly one category"):
        web_pages.over_folds(several, recipe, 2)


def test_pages_are_read_alike_by_all_methods():
    for table, analyzer in web_pages.ANALYZERS.items():
        found = [
            web_pages.paged(small_recipe(name), analyzer) for name in web_pages.METHODS.values()
        ]
        assert len({recipe.representation for recipe in found}) == 1
        assert ("stop" in analyzer) == (table == web_pages.STUDY)
        assert {recipe.decide.rule for recipe in found} == {"best"}


# ------------------------------------------------------------------------------ the real thing


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("method", ["Perceptron", "UWin", "NWin"])
def test_near_to_table_2(paper, experiments, corpus_file, method):
    corpus_file("reuters")
    name = f"table2, {method}"
    found = reproduce(paper, {name: experiments[name]}, only=["table2"])
    judged = [cell for cell in found.cells() if cell.verdict is not None]
    assert [cell.verdict for cell in judged] == ["within", "within"]
