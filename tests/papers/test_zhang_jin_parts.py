"""Parts of the experiments of zhang-jin-yang-hauptmann-2003: documents, terms, splits, growth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.papers.zhang_jin_samples import CORPORA

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.recipes.parts import Representation, TermSelection
from postil_papers.zhang_jin_yang_hauptmann_2003 import (
    collections,
    growth,
    loss_shapes,
    multiclass,
    studies,
    trainers,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import vectors_of


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
    assert {each.documents for each in studies.VARIANTS.values()} <= set(collections.READERS)
    assert studies.VARIANTS["as in table 2"].documents == collections.REUTERS.documents


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
    assert reading in multiclass.READINGS
    pages = list(collections.READERS[reading](CORPORA[collections.UNIV_6.corpus]))
    assert len({label for page in pages for label in page.labels}) == classes
    assert all(len(page.labels) == 1 for page in pages)
    assert any("/misc/" in page.id for page in pages) == everywhere


def test_every_reading_of_the_study_is_tried():
    assert len(multiclass.READINGS) == 4


# --------------------------------------------------------------------------------------- terms

chances = st.integers(0, 2**32 - 1)


def test_a_task_has_the_terms_of_its_own_category():
    documents = [
        Document(str(n), {"body": f"{name} common {name}x"}, (name,), split)
        for n, (name, split) in enumerate([("a", "train"), ("b", "train"), ("a", "test")] * 4)
    ]
    vectors = vectors_of(documents, Representation(analyzer="words lower", fields=("body",)))
    task = vectors.task("a", TermSelection("information-gain", 2))
    assert (task.documents, task.design.terms, task.category) == (8, 2, "a")
    assert task.truth.tolist() == [True] * 4
    assert sorted(set(task.signs.tolist())) == [-1.0, 1.0]
    assert (
        vectors.task("b", TermSelection("information-gain", 2), vectors.learned[:3]).documents == 3
    )
    with pytest.raises(UsageError, match="no document is in c"):
        vectors.task("c", TermSelection())


# -------------------------------------------------------------------------------------- splits


@given(st.integers(5, 200), st.integers(2, 7), chances)
def test_parts_are_equal_and_hold_every_document_once(documents, parts, seed):
    found = list(multiclass.equal_parts(documents, parts, seed))
    assert sorted(np.concatenate(found).tolist()) == list(range(documents))
    lengths = [len(part) for part in found]
    assert max(lengths) - min(lengths) <= 1
    again = multiclass.equal_parts(documents, parts, seed)
    assert all((one == two).all() for one, two in zip(found, again, strict=True))


@given(st.integers(1, 60), st.integers(1, 60), chances)
def test_fewer_rows_are_among_more(fewer, more, seed):
    rows = np.arange(100, 160)
    few, many = (growth.first_rows(rows, size, seed) for size in sorted((fewer, more)))
    assert len(few) == min(fewer, more)
    assert set(few) <= set(many) <= set(rows)


# -------------------------------------------------------------------------------------- growth


@given(st.floats(0.2, 3), st.floats(1e-6, 10))
def test_the_exponent_of_a_power(power, factor):
    sizes = [2000, 4000, 100_000]
    assert growth.exponent(sizes, [factor * n**power for n in sizes]) == pytest.approx(power)


def test_growth_is_of_two_sizes_or_more():
    assert growth.sizes_within([10, 20, 40], 25) == [10, 20]
    with pytest.raises(UsageError, match="two sizes or more, and there are 15"):
        growth.sizes_within([10, 20, 40], 15)
    with pytest.raises(UsageError, match="raise the cap"):
        growth.exponent([10], [1.0])


def test_a_method_that_took_too_long_takes_no_more(monkeypatch):
    monkeypatch.setattr(growth, "_seconds", lambda trainer, task: trainer(task))
    source = CORPORA[collections.ARXIV.corpus]
    representation = Representation(analyzer="words lower", fields=("title", "body"))
    vectors = vectors_of(source, representation)
    both = {"slow": lambda task: task.documents**2 / 10, "fast": lambda task: task.documents / 10}
    terms = TermSelection("information-gain", 5)
    taken = growth.seconds_by_size(vectors, "math.*", terms, [10, 40, 80, 160], both, 100)
    assert list(taken["slow"]) == [10, 40]
    assert list(taken["fast"]) == [10, 40, 80, 160]


def test_short_work_is_timed_thrice_and_long_work_once(monkeypatch):
    done = []
    clock = iter([0.0, 1.0, 10.0, 15.0, 20.0, 22.0, 100.0, 150.0])
    monkeypatch.setattr(trainers.time, "perf_counter", lambda: next(clock))
    assert trainers.timed(lambda: done.append(1) or len(done)) == (2.0, 1)
    assert trainers.timed(lambda: done.append(1) or len(done)) == (50.0, 4)


# -------------------------------------------------------------------------------------- losses


@given(st.floats(-1e3, 1e3))
def test_losses_come_down_to_that_of_the_svm(margin):
    """Proposition 1: they fall with γ, and are above the SVM's by ln 2/γ at most."""
    z = np.array([margin])
    least = loss_shapes.svm_loss(z)[0]
    values = [loss_shapes.smoothed_loss(gamma, z)[0] for gamma in (1.0, 10.0, 100.0, 1e4)]
    for gamma, value in zip((1.0, 10.0, 100.0, 1e4), values, strict=True):
        assert least - 1e-9 <= value <= least + np.log(2) / gamma + 1e-9
    assert (np.diff(values) <= 1e-9).all()


def test_the_loss_of_gamma_1_is_that_of_logistic_regression_moved_by_1():
    z = np.linspace(-4, 4, 9)
    np.testing.assert_allclose(loss_shapes.smoothed_loss(1.0, z), np.log1p(np.exp(1 - z)))
