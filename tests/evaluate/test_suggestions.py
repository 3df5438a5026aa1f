"""Measures of ranked suggestions, against counts by hand, scikit-learn and plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.metrics import ndcg_score

from postil.decide.scores import top_columns
from postil.errors import UsageError
from postil.evaluate import Options, measure_run, suggestions
from postil.evaluate.counts import Counted
from postil.evaluate.suggestions import measure_suggestions, propensities

from .samples import SOME, random_run, rankings


def test_the_first_labels_of_three_documents_by_hand():
    # Ranked: c b a d, a b c d, d c b a; the last document has no label.
    scores = np.array([[2, 3, 4, 1], [4, 3, 2, 1], [1, 2, 3, 4], [1, 2, 3, 4.0]])
    truth = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
    found = measure_suggestions(sp.csr_matrix(truth), scores, (1, 3))
    assert found.documents == 3
    one, three = found.at
    assert (one.k, one.precision) == (1, pytest.approx(2 / 3))
    assert one.recall == pytest.approx((1 / 2 + 0 + 1 / 4) / 3)
    assert three.precision == pytest.approx((2 / 3 + 1 / 3 + 1) / 3)
    assert three.recall == pytest.approx((1 + 1 + 3 / 4) / 3)
    second, third = 1 / math.log2(3), 1 / 2
    gains = [(1 + third) / (1 + second), second, 1]
    assert three.ndcg == pytest.approx(sum(gains) / 3)
    assert found.r_precision == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert one.propensity_scored_precision is None


@pytest.mark.parametrize("k", [1, 3, 5, 40])
def test_ndcg_is_that_of_scikit_learn(k, monkeypatch):
    monkeypatch.setattr(suggestions, "CELLS", 700)  # several chunks
    truth, _, scores, _ = random_run()
    truth = truth[truth.getnnz(axis=1) > 0]
    scores = scores[: truth.shape[0]]
    (found,) = measure_suggestions(truth, scores, (k,)).at
    assert found.ndcg == pytest.approx(ndcg_score(truth.toarray(), scores, k=k), abs=1e-12)


@given(run=rankings())
@SOME
def test_all_measures_are_those_of_a_plain_reading_of_their_definitions(run):
    truth, scores = run
    sizes = np.arange(truth.shape[1]) * 7
    found = measure_suggestions(
        sp.csr_matrix(truth), scores, (1, 2, 5), training_sizes=sizes, training_documents=50
    )
    labelled = [row for row in range(len(truth)) if truth[row].any()]
    assert found.documents == len(labelled)
    if not labelled:
        assert math.isnan(found.r_precision)
        assert math.isnan(found.at[0].propensity_scored_precision)
        return
    c = (math.log(50) - 1) * 2.5**0.55
    worth = [1 + c * (size + 1.5) ** -0.55 for size in sizes]
    for at in found.at:
        hits, recalls, got, best = [], [], 0.0, 0.0
        for row in labelled:
            order = sorted(range(truth.shape[1]), key=lambda j, r=row: (-scores[r, j], j))
            right = [j for j in order[: at.k] if truth[row, j]]
            own = sorted((worth[j] for j in np.flatnonzero(truth[row])), reverse=True)
            hits.append(len(right) / at.k)
            recalls.append(len(right) / truth[row].sum())
            got += sum(worth[j] for j in right) / at.k
            best += sum(own[: at.k]) / at.k
        assert at.precision == pytest.approx(np.mean(hits))
        assert at.recall == pytest.approx(np.mean(recalls))
        assert at.propensity_scored_precision == pytest.approx(got / best)


@given(run=rankings())
@SOME
def test_top_columns_is_a_stable_sort(run):
    _, scores = run
    whole = np.argsort(-scores, axis=1, kind="stable")
    for most in range(1, scores.shape[1] + 2):
        np.testing.assert_array_equal(top_columns(scores, most), whole[:, :most])


def test_rare_labels_have_low_propensities():
    found = propensities([0, 1, 10, 1000], 10_000)
    assert (np.diff(found) > 0).all()
    c = (math.log(10_000) - 1) * 2.5**0.55
    assert found[2] == pytest.approx(1 / (1 + c * 11.5**-0.55))
    assert (propensities([0, 1], 2) == 1).all()


def test_a_report_ranks_by_probability_and_shows_the_measures_of_several_labels():
    truth, decisions, scores, probabilities = random_run()
    sizes = np.arange(20)
    given = {"training_sizes": sizes, "training_documents": 400}
    report = measure_run(truth, decisions, scores=-scores, probabilities=probabilities, **given)
    assert report.suggestions == measure_suggestions(truth, probabilities, **given)
    text = report.to_text()
    row = next(line for line in text.splitlines() if "propensity-scored" in line).split()
    assert row[2:] == [
        f"{100 * at.propensity_scored_precision:.1f}" for at in report.suggestions.at
    ]
    described = report.to_dict()["suggestions"]
    assert [at["k"] for at in described["at"]] == [1, 3, 5]
    one_label = sp.identity(20, dtype=bool, format="csr")
    options = (Options(), Options(at=(2,)))
    single = [
        measure_run(one_label, one_label, scores=np.eye(20), options=each).to_text()
        for each in options
    ]
    assert ["suggestions" in each for each in single] == [False, True]
    with pytest.raises(UsageError, match="at least 1"):
        Options(at=(0,))


def test_labels_that_a_document_may_have_are_not_suggested():
    truth = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 0]], bool))
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    known = np.array([[False, True, True], [True, True, True]])
    found = measure_run(truth, truth, scores=scores, counted=Counted(known=known)).suggestions
    assert found.at[0].precision == 1.0
    weighed = measure_run(truth, truth, scores=scores, counted=Counted(weights=np.ones(2)))
    assert weighed.suggestions is None
