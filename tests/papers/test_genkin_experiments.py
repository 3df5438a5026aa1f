"""The experiments of genkin-lewis-madigan-2004: what they promise, and that they keep it."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from tests.papers.genkin_samples import on_demo, small_experiments, small_recipe

from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.evaluate.comparisons import Comparison
from postil.plots.drawing import svg_bytes
from postil_papers.experiment import check_experiments
from postil_papers.genkin_lewis_madigan_2004 import (
    comparisons,
    effectiveness,
    figures,
    methods,
    parameter_paths,
    sparsity,
)
from postil_papers.genkin_lewis_madigan_2004.facts import RunFacts
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.render.terminal import terminal_text
from postil_papers.runner import reproduce

NAME = "genkin-lewis-madigan-2004"
SMALLER = {"category": "health", "width": 5}


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def experiments():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(methods, "NORM", 2.0)  # a number, so that nothing depends on the rule
        return small_experiments()


@pytest.fixture(scope="module")
def whole(paper, experiments, tmp_path_factory):
    """The paper on the demo corpus in the place of ModApte; the two others are absent."""
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    small = {
        name: on_demo(each, **SMALLER) if name.startswith("ModApte") else each
        for name, each in experiments.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POSTIL_DATA", nowhere)
        patch.setenv("XDG_CACHE_HOME", nowhere)
        return reproduce(paper, small)


# ------------------------------------------------------------------------- what is promised


def test_no_two_experiments_fill_the_same_cell(paper, experiments):
    check_experiments(paper, experiments)


def test_every_cell_of_every_table_is_promised(paper, experiments):
    promised = {key for each in experiments.values() for key in each.expected(paper)}
    for table in paper.tables:
        assert {(table.id, *place) for place in table.places} <= promised, table.id


def test_every_figure_has_an_experiment_and_a_drawer(paper, experiments):
    filled = {table for each in experiments.values() for table in each.tables()}
    assert {figure.id for figure in paper.figures} <= filled
    assert {figure.id for figure in paper.figures} == set(figures.FIGURES)


def test_every_experiment_knows_its_corpus(experiments):
    for each in experiments.values():
        assert str(each.settings["corpus"]) in repr(each.data)


def test_the_recipes_are_postils_own(experiments):
    """By name and settings alone; the small ones have the same names."""
    own = experiments_of(NAME)
    assert list(own) == list(experiments)
    for name, each in own.items():
        assert each.fills == experiments[name].fills
        assert each.settings.keys() == experiments[name].settings.keys()


# ----------------------------------------------------------------------------- that it is kept


def test_all_that_is_promised_of_modapte_is_there(paper, experiments, whole):
    assert not whole.failures
    promised = {
        key
        for name, each in experiments.items()
        if name.startswith("ModApte")
        for key in each.expected(paper)
    }
    filled = {cell.key for cell in whole.cells() if cell.ours is not None}
    assert promised <= filled
    # Beyond what is promised there are only the points of figures.
    assert {key.table for key in filled - promised} == set(figures.FIGURES)


def test_absent_corpora_are_told_and_nothing_fails(whole):
    cells = {cell.key: cell for cell in whole.cells()}
    for place in (("table2", "lasso vs SVM", "p"), ("table4", "SVM, tuned", "RCV1-v2")):
        cell = cells[place]
        assert (cell.ours, cell.error, cell.verdict) == (None, "", None)
        assert "the corpus rcv1-v2-sample is absent" in cell.remark
        assert "postil corpus fetch rcv1-v2-sample" in cell.remark
    assert "postil corpus fetch ohsumed" in cells["table7", "ridge, 5", "CV"].remark
    text = terminal_text(whole, 200)
    assert "failed" not in text
    assert "not run: the corpus ohsumed is absent" in text


def test_rows_of_table_1_add_up(whole):
    cells = {cell.key: cell.ours for cell in whole.cells()}
    for id in ("table1", "table1-tuned"):
        for pair in comparisons.PAIRS:
            assert sum(cells[id, pair, each] for each in ("fewer", "more", "equal")) == 12
            assert 0 < cells[id, pair, "p"] <= 1


def test_tables_4_and_5_share_their_runs(whole):
    cells = {cell.key: cell.ours for cell in whole.cells()}
    for method in ("lasso", "ridge"):
        default = cells["table4", f"{method}, default", "ModApte"]
        assert cells["table5", f"{method}, all", "CV"] == default
    for terms in methods.SIZES:
        for choice in methods.HYPERPARAMETERS:
            bns = cells["table5", f"ridge, {terms}", choice]
            assert cells["selection", f"BNS, {terms}", choice] == bns


def test_figure_6_has_the_errors_of_every_category(whole):
    (table,) = (table for table in whole.tables if table.id == "figure6")
    found = {(cell.key.row, cell.key.column) for cell in table.cells}
    assert len(found) == 12 * 3
    assert all(row.startswith("ModApte: ") for row, _ in found)


def test_figure_7_counts_every_category_once(whole):
    (table,) = (table for table in whole.tables if table.id == "figure7")
    assert sum(cell.ours for cell in table.cells) == 12


def test_paths_shrink_with_the_variance(whole):
    for id in ("figure2", "figure3"):
        (table,) = (table for table in whole.tables if table.id == id)
        cells = {(cell.key.row, float(cell.key.column)): abs(cell.ours) for cell in table.cells}
        terms = {row for row, _ in cells}
        assert len(terms) == parameter_paths.TERMS
        least, most = min(parameter_paths.VARIANCES), max(parameter_paths.VARIANCES)
        narrow = np.array([cells[term, least] for term in terms])
        wide = np.array([cells[term, most] for term in terms])
        assert narrow.max() < 0.1 < wide.max()
        # Only the Laplace prior sets parameters to zero.
        assert bool((narrow == 0).any()) == (id == "figure3")


def test_terms_of_the_paths_are_chosen_by_training_documents(experiments):
    """Other test documents change nothing."""
    documents = list(open_corpus("demo"))
    recipe = small_recipe("ridge-logistic")
    learned = [document for document in documents if document.split != "test"]
    few = parameter_paths.few_terms(learned, recipe.representation, "health")
    assert len(few.terms) == parameter_paths.TERMS == len(set(few.terms))
    assert few.labels.names == ("health",)


def test_the_drawings(whole):
    drawn = figures_of(whole)
    assert set(drawn) == set(figures.FIGURES)
    for figure in drawn.values():
        assert ElementTree.fromstring(svg_bytes(figure)).tag.endswith("svg")
    assert [line.y[0] for line in drawn["figure6"].marks()] != sorted(
        line.y[0] for line in drawn["figure6"].marks()
    )
    assert drawn["figure6"].x.names == ("ridge", "lasso", "SVM")
    assert (drawn["figure8"].x.scale, drawn["figure8"].y.scale) == ("log", "log")


def test_a_figure_without_numbers_is_not_drawn(paper):
    assert figures_of(reproduce(paper, {})) == {}


# ------------------------------------------------------------------------------- the formulas


@pytest.mark.parametrize(
    ("left", "right", "p", "expected"),
    [(39, 20, 0.005, 1), (12, 31, 0.005, -1), (48, 40, 0.05, 0), (30, 30, 0.01, 0)],
)
def test_direction(left, right, p, expected):
    compared = Comparison("wilcoxon", left, right, 5, 0, 1.0, p)
    assert comparisons.direction(compared) == expected


def test_fewer_errors_are_better():
    def run(wrong):
        tally = {
            "true_positives": [0] * 8,
            "false_positives": wrong,
            "false_negatives": [0] * 8,
        }
        return RunFacts(list("abcdefgh"), [1] * 8, [1] * 8, [2] * 8, 20, {"tuned": tally})

    runs = {"lasso": run([1] * 8), "ridge": run(list(range(2, 10))), "SVM": run([1] * 7 + [0])}
    found = comparisons.compare(runs, "tuned")
    assert comparisons.columns(found["lasso vs ridge"])["fewer"] == 8
    assert comparisons.direction(found["lasso vs ridge"]) == 1
    assert comparisons.direction(found["ridge vs SVM"]) == -1
    assert comparisons.columns(found["lasso vs SVM"]) == {
        "fewer": 0,
        "more": 1,
        "equal": 7,
        "p": 1.0,
    }


def test_places_count_within_a_threshold():
    f1 = dict(zip(effectiveness.ROWS, (48.0, 37.0, 48.0, 52.0, 39.0, 53.0), strict=True))
    assert list(effectiveness.places(f1).values()) == [1, 3, 1, 2, 3, 1]


def test_no_feature_at_all_has_no_ratio(monkeypatch):
    nothing = RunFacts(["a"], [1], [0], [1], 1, {})
    monkeypatch.setattr(sparsity, "facts_of", lambda *_: nothing)
    with pytest.raises(UsageError, match="no category has any feature"):
        sparsity.run_ratio("ModApte", {})


def test_norm_based_leaves_the_search_out(monkeypatch):
    monkeypatch.setattr(methods, "NORM", 3.0)
    recipe = methods.norm_based(small_recipe("ridge-logistic-bns-5"))
    assert (recipe.search, recipe.learn["prior_variance"]) == (None, 3.0)
    assert recipe.selection.terms == 5
