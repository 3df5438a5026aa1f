"""Designs, labels and sample weights of a job."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import InputError, UsageError
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Regularization

from .samples import (
    EVERY_METHOD,
    design_of,
    labels_of,
    method_of,
    problem_of,
    sample,
    theta_of,
)

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0]])
NAMES = st.text(max_size=3) | st.sampled_from(
    ["earn", "acq", "Earn", " earn", "é", "e\u0301", "油"]
)
DOCUMENTS = st.lists(st.lists(NAMES, max_size=5), max_size=12)
TWICE = np.where(np.arange(50) % 3 == 0, 2.0, 1.0)
SOME = np.where(np.arange(50) % 4 == 2, 0.0, 1.0)
UNEVEN = np.random.default_rng(2).uniform(0, 3, 50)
LOGISTIC = ("logistic", "gaussian", "primal-coordinate", "penalised")


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_matrix])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, bool])
def test_any_sparse_matrix_of_numbers(form, kind):
    values = DENSE.astype(kind)
    design = Design(form(values))
    assert (design.documents, design.terms) == (2, 3)
    assert design.rows.dtype == np.float32
    np.testing.assert_array_equal(design.rows.toarray(), values.astype(float))
    np.testing.assert_array_equal(design.columns.toarray(), values.astype(float))


def test_canonical_single_precision_rows_are_not_copied():
    matrix = sp.csr_matrix(DENSE.astype(np.float32))
    assert np.shares_memory(Design(matrix).rows.data, matrix.data)


def test_the_order_of_entries_does_not_matter_and_twins_add_up():
    matrix = sp.csr_matrix(
        (np.array([2.0, 0.5, 0.5, -3.0]), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), (2, 3)
    )
    np.testing.assert_array_equal(Design(matrix).rows.toarray(), DENSE)
    assert len(matrix.data) == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_its_place(value):
    with pytest.raises(InputError, match="document 1, term 2"):
        Design(sp.csr_matrix(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, value]])))


def test_what_is_not_finite_in_single_precision_is_refused():
    with pytest.raises(InputError, match="document 0, term 1"):
        Design(sp.csr_matrix(np.array([[0.0, 1e300]])))


def test_a_dense_matrix_is_refused():
    with pytest.raises(UsageError, match="scipy sparse matrix"):
        Design(DENSE)


def back(labels):
    """The label set of each document."""
    dense = labels.members.toarray()
    return [{labels.names[c] for c in np.flatnonzero(row)} for row in dense]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_labels_hold_the_sets_they_were_made_of(documents):
    labels = Labels.of(documents)
    assert labels.names == tuple(sorted({name for document in documents for name in document}))
    assert back(labels) == [set(document) for document in documents]
    assert labels.documents == len(documents)
    assert len(labels) == len(labels.names)
    assert labels.members.shape == (len(documents), len(labels))


@settings(max_examples=25)
@given(DOCUMENTS)
def test_one_stored_true_for_each_membership(documents):
    members = Labels.of(documents).members
    assert members.dtype == bool
    assert members.data.all()
    assert members.has_canonical_format
    assert members.nnz == sum(len(set(document)) for document in documents)


@settings(max_examples=25)
@given(DOCUMENTS, st.lists(NAMES, unique=True, max_size=6))
def test_given_names_keep_their_order_and_leave_others_out(documents, names):
    labels = Labels.of(documents, names)
    assert labels.names == tuple(names)
    assert back(labels) == [set(document) & set(names) for document in documents]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_sizes_count_members(documents):
    labels = Labels.of(documents)
    sizes = [sum(name in document for document in documents) for name in labels.names]
    assert labels.sizes().tolist() == sizes
    assert labels.sizes().dtype == np.int64


@settings(max_examples=25)
@given(DOCUMENTS)
def test_by_category_holds_the_same_memberships(documents):
    labels = Labels.of(documents)
    columns = labels.by_category()
    assert columns.format == "csc"
    np.testing.assert_array_equal(columns.toarray(), labels.members.toarray())


@settings(max_examples=25)
@given(DOCUMENTS, st.data())
def test_labels_of_some_documents(documents, data):
    labels = Labels.of(documents)
    places = st.integers(0, max(len(documents) - 1, 0))
    chosen = data.draw(st.lists(places, max_size=6)) if documents else []
    some = labels.of_documents(np.array(chosen, dtype=int))
    assert some.names == labels.names
    assert back(some) == [set(documents[place]) for place in chosen]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_any_iterables_will_do(documents):
    lazy = Labels.of(iter(document) for document in documents)
    assert back(lazy) == back(Labels.of([frozenset(document) for document in documents]))


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(UsageError, match="one is given twice"):
        Labels(("a", "a"), sp.csr_matrix((3, 2), dtype=bool))
    with pytest.raises(UsageError):
        Labels.of([["a"]], names=["a", "a"])


def test_names_and_columns_must_agree():
    with pytest.raises(UsageError, match="1 category names, and have 2 columns"):
        Labels(("a",), sp.csr_matrix((3, 2), dtype=bool))


def assert_same_fit(found, expected):
    # To a gap g weights are known up to √(g/λ).
    np.testing.assert_allclose(found.weights.toarray(), expected.weights.toarray(), atol=1e-4)
    for a, b in zip(found.reports, expected.reports, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-8)
        assert a.lam == b.lam


@EVERY_METHOD
def test_weight_two_is_a_document_twice(parts):
    x, truth, design, labels = sample()
    method = method_of(parts, tolerance=1e-10)
    weighted = method.fit(Job(design, labels, sample_weights=SampleWeights(TWICE)))
    rows = np.repeat(np.arange(50), TWICE.astype(int))
    assert_same_fit(weighted, method.fit(Job(design_of(x[rows]), labels_of(truth[rows]))))


@EVERY_METHOD
def test_weight_zero_is_a_document_absent(parts):
    x, truth, design, labels = sample()
    method = method_of(parts, tolerance=1e-10)
    weighted = method.fit(Job(design, labels, sample_weights=SampleWeights(SOME)))
    rows = np.flatnonzero(SOME)
    alone = method.fit(Job(design_of(x[rows]), labels_of(truth[rows])))
    assert_same_fit(weighted, alone)
    assert [r.members for r in weighted.reports] == [r.members for r in alone.reports]


@EVERY_METHOD
def test_the_objective_is_the_weighted_one(parts):
    for documents, classes in (
        (UNEVEN, None),
        (None, (4.0, 0.5)),
        (UNEVEN, (4.0, 0.5)),
        (None, "balanced"),
        (UNEVEN, "balanced"),
    ):
        check_weighted_objective(parts, SampleWeights(documents, classes))


def check_weighted_objective(parts, sample_weights):
    x, truth, design, labels = sample()
    method = method_of(parts)
    found = method.fit(Job(design, labels, sample_weights=sample_weights))
    for category, report in enumerate(found.reports):
        problem = problem_of(x, truth[:, category], method, sample_weights=sample_weights)
        objective = problem.objective(theta_of(problem, found, category))
        assert report.stopped == "certified"
        assert report.objective == pytest.approx(objective, rel=1e-6)
        if problem.is_smooth:
            assert report.objective == pytest.approx(problem.minimum(), rel=1e-5)


@EVERY_METHOD
def test_class_weights_may_differ_by_category(parts):
    _, _, design, labels = sample()
    pairs = [(2.0, 1.0), (0.5, 3.0)]
    together = method_of(parts).fit(
        Job(design, labels, sample_weights=SampleWeights(classes=pairs))
    )
    for category, pair in enumerate(pairs):
        alone = method_of(parts).fit(
            Job(design, labels, sample_weights=SampleWeights(classes=pair))
        )
        report = alone.reports[category]
        assert together.reports[category].objective == pytest.approx(report.objective, rel=1e-9)


@EVERY_METHOD
def test_one_factor_for_all_documents_changes_nothing(parts):
    # n is the sum of the weights, so that λ keeps its meaning.
    _, _, design, labels = sample()
    method = method_of(parts, tolerance=1e-8)
    plain = method.fit(Job(design, labels))
    scaled = method.fit(Job(design, labels, sample_weights=SampleWeights(np.full(50, 7.0))))
    for a, b in zip(plain.reports, scaled.reports, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-7)


def test_balanced_sides_weigh_half_of_all_each():
    inside = np.array([1.0, 25.0, 40.0])
    members, others = SampleWeights(classes="balanced").of_classes(inside, 50.0)
    np.testing.assert_allclose(members * inside, 25.0)
    np.testing.assert_allclose(others * (50.0 - inside), 25.0)


def test_balanced_survives_categories_without_one_side():
    _, _, design, _ = sample()
    truth = np.zeros((50, 3), bool)
    truth[:, 1] = True
    truth[:7, 2] = True
    found = method_of(LOGISTIC).fit(
        Job(design, labels_of(truth), sample_weights=SampleWeights(classes="balanced"))
    )
    assert [report.stopped for report in found.reports] == ["constant", "constant", "certified"]


def test_the_strength_goes_by_the_sum_of_the_weights():
    _, _, design, labels = sample()
    method = Method("logistic", regularization=Regularization(C=2.0))
    found = method.fit(Job(design, labels, sample_weights=SampleWeights(TWICE)))
    assert found.reports[0].lam == pytest.approx(1 / (2 * 2.0 * TWICE.sum()))


@pytest.mark.parametrize(
    "weights", [np.full(50, np.nan), np.full(50, np.inf), np.full(50, -1.0), np.zeros(50)]
)
def test_document_weights_that_mean_nothing_are_refused(weights):
    _, _, design, labels = sample()
    with pytest.raises(
        UsageError, match="document weights must be finite, at least 0, and not all 0"
    ):
        method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(weights)))


def test_too_few_document_weights_are_refused():
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match=r"50 documents, and have the shape .49"):
        method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(np.ones(49))))


@pytest.mark.parametrize("classes", [(np.nan, 1.0), (np.inf, 1.0), (-1.0, 1.0)])
def test_class_weights_that_mean_nothing_are_refused(classes):
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="class weights must be finite and at least 0"):
        method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(classes=classes)))


def test_an_unknown_word_for_class_weights_is_refused():
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="numbers or 'balanced', not 'even'"):
        method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(classes="even")))


@pytest.mark.parametrize("classes", [(1.0, 2.0, 3.0), [(1.0, 2.0)] * 3, [(1.0,), (2.0,)]])
def test_class_weights_that_are_no_pairs_are_refused(classes):
    _, _, design, labels = sample()
    with pytest.raises(UsageError):
        method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(classes=classes)))
