"""zhang-jin-yang-hauptmann-2003: its printed numbers, and its experiments in the small."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from statistics import fmean
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.papers.printed import ours, printed_numbers
from tests.papers.samples import terminal_text
from tests.papers.stand_ins import (
    Walked,
    known_corpora,
    made_up_pages,
    renamed_demo,
    small_experiment,
    small_recipe,
)

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.plots.drawing import svg_bytes
from postil.recipes.parts import Representation, TermSelection
from postil.recipes.recipe import load_recipe
from postil_papers.harness import vectors_of, with_strength
from postil_papers.loading import load_paper
from postil_papers.plotting import hinge, smoothed_hinge
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce
from postil_papers.zhang_jin_yang_hauptmann_2003 import (
    collections,
    figures,
    tables,
    tasks,
    texts,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Learned, learn, task_of

NAME = "zhang-jin-yang-hauptmann-2003"
REUTERS = ("earn", "acq", "money-fx", "grain")
RCV1 = ("CCAT", "ECAT", "GCAT", "MCAT")


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


def test_exhibits(paper):
    assert [table.id for table in paper.tables] == [
        "table1",
        "table2",
        "table2-solvers",
        "table2-texts",
        "micro",
        "macro",
        "whole-texts",
        "table3",
        "table3-readings",
        "growth-exponents",
    ]
    assert [figure.id for figure in paper.figures] == [
        "figure1",
        "figure2",
        "figure2-reuters",
        "figure2-arxiv",
        "growth",
    ]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "Reuters-21578", "training"), 7769),
        (("table1", "RCV1", "training"), 781265),
        (("table1", "RCV1", "test"), 23149),
        (("table1", "Univ-6", "classes"), 6),
        (("table2", "earn", "SVM error"), 1.66),
        (("table2", "earn", "MLR-CG error"), 1.72),
        (("table2", "grain", "SVM training"), 0.24),
        (("table2", "CCAT", "MLR-CG training"), 3696),
        (("table2", "GCAT", "SVM error"), 29.01),
        (("table2", "MCAT", "MLR-CG error"), 8.07),
        (("micro", "micro F1", "MLR-CG"), 87.17),
        (("macro", "macro F1", "SVM"), 56.74),
        (("table3", "Univ-6", "MMLR-CG macro"), 57.27),
        (("table3", "Univ-6", "SVM micro"), 85.84),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


def test_studies_stand_beside_the_numbers_of_their_tables(paper, values):
    by_id = {table.id: table for table in paper.tables}
    for row in REUTERS:
        for column in ("training", "error"):
            printed = values["table2", row, f"SVM {column}"]
            for solver in ("dual coordinate", "LIBLINEAR"):
                assert values["table2-solvers", row, f"{solver} {column}"] == printed
        for variant in by_id["table2-texts"].rows:
            assert values["table2-texts", variant, row] == values["table2", row, "SVM error"]
    for variant in by_id["whole-texts"].rows:
        for average in ("micro", "macro"):
            printed = values[average, f"{average} F1", "SVM"]
            assert values["whole-texts", variant, f"{average} F1"] == printed
    for reading in by_id["table3-readings"].rows:
        for column in by_id["table3"].columns:
            assert values["table3-readings", reading, column] == values["table3", "Univ-6", column]


@pytest.mark.parametrize(("method", "column"), [("MLR-CG", "MLR-CG"), ("SVM", "SMO")])
def test_exponents_follow_from_table_2(values, method, column):
    """Geometric means of four and of three categories, over the ratio of the documents."""

    def mean(rows):
        return exp(fmean([log(values["table2", row, f"{method} training"]) for row in rows]))

    documents = [values["table1", name, "training"] for name in ("RCV1", "Reuters-21578")]
    large = [row for row in RCV1 if row != "GCAT"]
    slope = log(mean(large) / mean(REUTERS)) / log(documents[0] / documents[1])
    for row in ("math.*", "math-ph"):
        assert values["growth-exponents", row, column] == pytest.approx(slope, abs=0.005)


def test_what_a_reproduction_is_held_to(paper):
    by_id = {table.id: table.tolerance for table in paper.tables}
    assert by_id["table2"].each == 0.3
    assert by_id["table2"].rows == REUTERS
    assert by_id["table2"].columns == ("SVM error", "MLR-CG error")
    assert (by_id["micro"].each, by_id["macro"].each) == (1.5, 3)


def test_recipes_read_as_the_experiments_do():
    for collection, name in ((collections.REUTERS, "mlr-cg"), (collections.UNIV_6, "mmlr-cg")):
        assert collection.read_by(load_recipe(name)) == load_recipe(name)


# ------------------------------------------------------------------------------ on stand-ins

SMALLER = {"sizes": [60, 120, 240], "first": 120}
CORPORA = {
    **{
        each.corpus: Walked(renamed_demo, each.categories)
        for each in (collections.REUTERS, collections.ARXIV, collections.RCV1)
    },
    collections.UNIV_6.corpus: Walked(made_up_pages),
}
ABSENT = collections.RCV1


@pytest.fixture(scope="module")
def experiments():
    """All experiments with small recipes, whose collections are those of the paper."""
    return {name: small_experiment(each, **SMALLER) for name, each in experiments_of(NAME).items()}


def is_absent(experiment):
    collection = experiment.settings.get("collection")
    return collection is not None and collection.corpus == ABSENT.corpus


@pytest.fixture(scope="module")
def whole(paper, experiments):
    """The whole paper on small stand-ins, without RCV1."""
    own = {name: each for name, each in experiments.items() if not is_absent(each)}
    with pytest.MonkeyPatch.context() as patch:
        known_corpora(patch)
        patch.setattr(collections, "open_corpus", CORPORA.__getitem__)
        return reproduce(paper, own)


@pytest.fixture(scope="module")
def cells(whole):
    return {cell.key: cell.ours for cell in whole.cells() if cell.ours is not None}


@pytest.fixture(scope="module")
def recipe():
    """Few terms of the demo, by one choice for all categories."""
    made = small_recipe(collections.REUTERS.read_by(load_recipe("mlr-cg")))
    return replace(made, selection=TermSelection("information-gain", 30, scope="corpus"))


@pytest.fixture(scope="module")
def task(recipe):
    """One category of the demo corpus."""
    vectors = vectors_of(CORPORA[collections.REUTERS.corpus], recipe.representation)
    return task_of(vectors, "earn", recipe.selection)


def test_all_that_is_promised_of_what_is_there_is_there(paper, experiments, whole, cells):
    assert not whole.failures
    promised = {
        key for each in experiments.values() if not is_absent(each) for key in each.expected(paper)
    }
    assert promised <= set(cells)


def test_variants_tell_what_training_documents_say(whole):
    remarks = [cell.remark for cell in ours(whole, "table2-texts").values()]
    assert remarks
    assert all("on training documents, 5 folds: " in remark for remark in remarks)


def test_an_absent_corpus_is_told_and_nothing_fails(paper, monkeypatch, tmp_path):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own = {name: each for name, each in experiments_of(NAME).items() if is_absent(each)}
    found = reproduce(paper, own)
    cells = {cell.key: cell for cell in found.cells()}
    for place in (("table1", "RCV1", "training"), ("table2", "CCAT", "SVM error")):
        assert cells[place].ours is None
        assert "postil corpus fetch rcv1-v2" in cells[place].remark
    text = terminal_text(found, 200)
    assert "failed" not in text
    assert "not run: the corpus rcv1-v2 is absent" in text


def test_rcv1_where_it_is_there(paper, experiments, monkeypatch):
    known_corpora(monkeypatch)
    monkeypatch.setattr(collections, "open_corpus", CORPORA.__getitem__)
    own = {name: each for name, each in experiments.items() if is_absent(each)}
    found = reproduce(paper, own)
    assert not found.failures
    cells = {cell.key: cell for cell in found.cells() if cell.ours is not None}
    sizes = [cells["table1", "RCV1", each].ours for each in ("training", "test", "classes")]
    splits = [each.split for each in CORPORA[ABSENT.corpus]]
    assert sizes == [splits.count("test"), splits.count("train"), 4]
    for category in ABSENT.categories:
        remark = cells["table2", category, "SVM error"].remark
        assert remark.startswith("by dual coordinate descent, which regularizes b too")
        assert cells["table2", category, "MLR-CG error"].ours < 30
    assert {key.row for key in cells if key.table == "figure2"} == set(ABSENT.categories)


def test_counts_of_the_stand_ins(cells):
    row = [cells["table1", "Reuters-21578", each] for each in ("training", "test", "classes")]
    labelled = [each for each in CORPORA[collections.REUTERS.corpus] if each.labels]
    wanted = [sum(each.split == split for each in labelled) for split in ("train", "test")]
    assert row == [*wanted, 12]
    pages = [page for page in CORPORA[collections.UNIV_6.corpus] if "/misc/" not in page.id]
    kept = sum(page.labels != ("department",) for page in pages)
    assert cells["table1", "Univ-6", "training"] == cells["table1", "Univ-6", "test"] == kept
    assert cells["table1", "Univ-6", "classes"] == 6
    assert cells["table1", "Univ-6", "features"] == 500


def test_all_solvers_of_one_objective_decide_alike(cells):
    for category in collections.REUTERS.categories:
        smo = cells["table2", category, "SVM error"]
        assert cells["table2", category, "MLR-CG error"] == pytest.approx(smo, abs=3)
        assert cells["table2", category, "SVM training"] > 0
        assert cells["table2-texts", "as in table 2", category] == smo


def test_classes_that_one_word_tells_are_all_found(cells):
    for column in tables.COLUMNS:
        assert cells["table3", "Univ-6", column] == 100.0


def test_the_objective_comes_down_to_the_optimum(whole):
    for id in ("figure2-reuters", "figure2-arxiv"):
        table = next(table for table in whole.tables if table.id == id)
        for series in table.exhibit.series:
            found = {c.key.column: c.ours for c in table.cells if c.key.row == series.name}
            least = found.pop(tasks.SVM)
            values = [found[seconds] for seconds in sorted(found, key=float)]
            assert values[0] > values[-1]
            assert values[-1] >= least * (1 - 1e-3)
            assert values[-1] <= least + np.log(2) / 191 + 0.05


def test_growth_has_a_row_for_each_category_and_method(cells):
    for category in collections.ARXIV.categories:
        for method in figures.GROWTH_METHODS:
            for size in SMALLER["sizes"]:
                assert cells["growth", figures.growth_row(category, method), str(size)] > 0
            assert np.isfinite(cells["growth-exponents", category, method])


def test_figures_are_drawn(whole):
    pytest.importorskip("matplotlib")
    drawn = figures_of(whole)
    assert set(drawn) == {"figure1", "figure2-reuters", "figure2-arxiv", "growth"}
    for figure in drawn.values():
        ElementTree.fromstring(svg_bytes(figure))
    titles = [panel.title for panel in drawn["figure2-reuters"].panels]
    assert [title.split(": MLR-CG 0.")[0] for title in titles] == [*collections.REUTERS.categories]
    assert all("exponents\nMLR-CG" in panel.title for panel in drawn["growth"].panels)


# ------------------------------------------------------------------------------ the learners


def test_liblinear_minimises_what_our_dual_coordinate_descent_does(task, recipe):
    """Both regularize b: λ(‖w‖² + b²)."""
    lam = 1e-2

    def objective(found):
        return figures.svm_objective(task, found, lam) + lam * found.intercept**2

    own = with_strength(tasks.svm(recipe, tasks.DUAL_LEARN), lam=lam)
    assert objective(learn(own, task)) == pytest.approx(objective(learn(lam, task)), rel=0.02)


def test_the_objective_is_the_one_that_smo_reports(task, recipe):
    own = tasks.svm(recipe, tasks.SMO_LEARN)
    (report,) = task.learn(own).reports
    found = figures.svm_objective(task, learn(own, task), tasks.LAMBDA)
    assert found == pytest.approx(report.objective, rel=1e-6)


def test_an_error_is_a_document_on_the_wrong_side(task):
    nothing, share = np.zeros(task.design.terms), task.truth.toarray().mean()
    assert task.error(Learned(nothing, -1.0)) == pytest.approx(100 * share)
    assert task.error(Learned(nothing, 0.0)) == pytest.approx(100 * (1 - share))


def test_a_remark_tells_of_work_that_was_stopped(task, recipe):
    early = {**tasks.DUAL_LEARN, "options": {"tolerance": 1e-9, "iterations": 1}}
    seconds, error = tables.measure(task, tasks.svm(recipe, early), "in short")
    assert seconds.remark == error.remark
    assert seconds.remark.startswith("in short; earn: stopped at a duality gap of ")


def test_short_work_is_timed_thrice_and_long_work_once(monkeypatch):
    done = []
    clock = iter([0.0, 1.0, 10.0, 15.0, 20.0, 22.0, 100.0, 150.0])
    monkeypatch.setattr(tasks.time, "perf_counter", lambda: next(clock))
    assert tasks.timed(lambda: done.append(1) or len(done)) == (2.0, 1)
    assert tasks.timed(lambda: done.append(1) or len(done)) == (50.0, 4)


def document(id, labels, split=None):
    return Document(str(id), {"body": "text"}, tuple(labels), split)


# ----------------------------------------------------------------------------------- documents


def test_labelled_documents_have_a_category_that_both_parts_have():
    given = [
        document(1, ["a", "only train"], "train"),
        document(2, ["only train"], "train"),
        document(3, [], "train"),
        document(4, ["a", "only test"], "test"),
        document(5, ["only test"], "test"),
        document(6, ["a"]),
    ]
    found = list(collections.labelled(given))
    assert [each.id for each in found] == ["1", "4", "6"]
    assert {each.labels for each in found} == {("a",)}


def test_signs_are_written_as_in_the_published_copy():
    fields = {"title": "A&B <AB> NET", "body": "A&B Corp <AB.O> said"}
    given = [Document(split, fields, ("a",), split) for split in ("train", "test")]
    for found in collections.as_published(given):
        assert found.fields["title"] == "A&amp;B &lt;AB> NET"
        assert found.fields["body"] == "A&amp;B Corp &lt;AB.O> said"
    for found in collections.with_titles_twice(given):
        assert found.fields["title"] == "A&B <AB> NET"
        assert found.fields["body"] == "A&B <AB> NET\nA&B Corp <AB.O> said"


def test_variants_of_texts_are_of_documents_that_can_be_read():
    assert {each.reader for each in texts.VARIANTS.values()} <= set(collections.READERS)
    assert texts.VARIANTS["as in table 2"].reader == collections.REUTERS.reader


def test_training_and_test_documents_change_places():
    given = [document(1, ["a"], "train"), document(2, ["a"], "test")]
    assert [each.split for each in collections.swapped(given)] == ["test", "train"]


def test_archives_are_labels_too_and_test_documents_are_left_out():
    given = [
        document(1, ["math.AG", "math.NT", "hep-th"], "train"),
        document(2, ["hep-th"]),
        document(3, ["math.AG"], "test"),
    ]
    found = [each.labels for each in collections.with_archives(given)]
    assert found == [("math.AG", "math.NT", "hep-th", "math.*"), ("hep-th",)]


@pytest.mark.parametrize(
    ("reading", "classes", "everywhere"),
    [
        ("four universities, without department", 6, False),
        ("four universities, department as other", 6, False),
        ("all pages, without department", 6, True),
        ("all pages, without other", 6, True),
    ],
)
def test_readings_of_univ_6(reading, classes, everywhere):
    assert reading in collections.UNIV_6_READERS
    pages = list(collections.READERS[reading](CORPORA[collections.UNIV_6.corpus]))
    assert len({label for page in pages for label in page.labels}) == classes
    assert all(len(page.labels) == 1 for page in pages)
    assert any("/misc/" in page.id for page in pages) == everywhere


def test_a_task_has_the_terms_of_its_own_category():
    documents = [
        Document(str(n), {"body": f"{name} common {name}x"}, (name,), split)
        for n, (name, split) in enumerate([("a", "train"), ("b", "train"), ("a", "test")] * 4)
    ]
    vectors = vectors_of(documents, Representation(analyzer="words lower", fields=("body",)))
    task = task_of(vectors, "a", TermSelection("information-gain", 2))
    assert (task.design.documents, task.design.terms, task.labels.names) == (8, 2, ("a",))
    assert task.truth.toarray()[:, 0].tolist() == [True] * 4
    assert sorted(set(task.signs.tolist())) == [-1.0, 1.0]
    few = task_of(vectors, "b", TermSelection("information-gain", 2), vectors.learned[:3])
    assert few.design.documents == 3
    with pytest.raises(UsageError, match="no document is in c"):
        task_of(vectors, "c", TermSelection())


chances = st.integers(0, 2**32 - 1)


@given(st.integers(5, 200), st.integers(2, 7), chances)
def test_parts_are_equal_and_hold_every_document_once(documents, parts, seed):
    found = tables.equal_parts(documents, parts, seed)
    assert sorted(np.concatenate(found).tolist()) == list(range(documents))
    lengths = [len(part) for part in found]
    assert max(lengths) - min(lengths) <= 1
    again = tables.equal_parts(documents, parts, seed)
    assert all((one == two).all() for one, two in zip(found, again, strict=True))


@given(st.integers(1, 60), st.integers(1, 60), chances)
def test_fewer_rows_are_among_more(fewer, more, seed):
    rows = np.arange(100, 160)
    few, many = (figures.first_rows(rows, size, seed) for size in sorted((fewer, more)))
    assert len(few) == min(fewer, more)
    assert set(few) <= set(many) <= set(rows)


@given(st.floats(0.2, 3), st.floats(1e-6, 10))
def test_the_exponent_of_a_power(power, factor):
    sizes = [2000, 4000, 100_000]
    assert figures.exponent(sizes, [factor * n**power for n in sizes]) == pytest.approx(power)


def test_growth_is_of_two_sizes_or_more():
    assert figures.sizes_within([10, 20, 40], 25) == [10, 20]
    with pytest.raises(UsageError, match="two sizes or more, and there are 15"):
        figures.sizes_within([10, 20, 40], 15)
    with pytest.raises(UsageError, match="raise the cap"):
        figures.exponent([10], [1.0])


def test_a_method_that_took_too_long_takes_no_more(monkeypatch):
    work = {
        1.0: lambda task: task.design.documents**2 / 10,
        2.0: lambda task: task.design.documents / 10,
    }
    monkeypatch.setattr(figures, "learn", lambda solver, task: work[solver](task))
    monkeypatch.setattr(figures, "timed", lambda learn: (learn(), None))
    representation = Representation(analyzer="words lower", fields=("title", "body"))
    vectors = vectors_of(CORPORA[collections.ARXIV.corpus], representation)
    both, terms = {"slow": 1.0, "fast": 2.0}, TermSelection("information-gain", 5)
    taken = figures.seconds_by_size(vectors, "math.*", terms, [10, 40, 80, 160], both, 100)
    assert list(taken["slow"]) == [10, 40]
    assert list(taken["fast"]) == [10, 40, 80, 160]


@given(st.floats(-1e3, 1e3))
def test_losses_come_down_to_that_of_the_svm(margin):
    """Proposition 1: they fall with γ, and are above the SVM's by ln 2/γ at most."""
    z = np.array([margin])
    least = hinge(z)[0]
    values = [smoothed_hinge(gamma, z)[0] for gamma in (1.0, 10.0, 100.0, 1e4)]
    for gamma, value in zip((1.0, 10.0, 100.0, 1e4), values, strict=True):
        assert least - 1e-9 <= value <= least + np.log(2) / gamma + 1e-9
    assert (np.diff(values) <= 1e-9).all()


def test_the_loss_of_gamma_1_is_that_of_logistic_regression_moved_by_1():
    z = np.linspace(-4, 4, 9)
    np.testing.assert_allclose(smoothed_hinge(1.0, z), np.log1p(np.exp(1 - z)))


# ------------------------------------------------------------------------------ the real thing


@pytest.mark.slow
@pytest.mark.corpus
def test_sizes_of_the_collections(paper, corpus_file):
    corpus_file("reuters")
    corpus_file("webkb")
    own = experiments_of(NAME)
    names = [f"{each.name}, counts" for each in (collections.REUTERS, collections.UNIV_6)]
    found = reproduce(paper, {name: own[name] for name in names}, only=["table1"])
    ours = {cell.key[1:]: cell.ours for cell in found.cells() if cell.ours is not None}
    assert [ours["Reuters-21578", each] for each in ("training", "test", "classes")] == [
        7770,
        3019,
        90,
    ]
    assert [ours["Univ-6", each] for each in ("training", "classes")] == [4157, 6]


@pytest.mark.slow
@pytest.mark.corpus
def test_table_2_on_reuters(paper, corpus_file):
    """MLR-CG errs as often as the SVM that it approximates."""
    corpus_file("reuters")
    name = "Reuters-21578, binary tasks"
    found = reproduce(paper, {name: experiments_of(NAME)[name]}, only=["table2"])
    cells = {cell.key[1:]: cell for cell in found.cells() if cell.ours is not None}
    for category in collections.REUTERS.categories:
        svm, mlr_cg = (cells[category, f"{method} error"] for method in ("SVM", "MLR-CG"))
        assert mlr_cg.ours == pytest.approx(svm.ours, abs=0.15)


@pytest.mark.slow
@pytest.mark.corpus
def test_the_largest_of_arxiv(corpus_file):
    corpus_file("arxiv-120k")
    sizes: dict[str, int] = {}
    for document in collections.ARXIV.documents():
        for label in document.labels:
            sizes[label] = sizes.get(label, 0) + 1
    archive, category = collections.ARXIV.categories
    assert sizes[archive] == max(sizes.values())
    single = {label: size for label, size in sizes.items() if not label.endswith(".*")}
    assert single[category] == max(single.values())
