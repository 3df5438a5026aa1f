"""Calibrations in which categories share evidence, and the decisions that follow from them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from postil.decide import fit_rule
from postil.decide.calibration import (
    calibration_from_parts,
    calibration_to_parts,
    fit_calibration,
)

from .samples import out_of_fold

SIZES = (600, 300, 100, 40, 12, 6, 3, 3, 3, 3)
DOCUMENTS = 4000


def graded(seed, slope=3.0):
    """Return scores, true probabilities and memberships of categories from large to rare."""
    rng = np.random.default_rng(seed)
    offsets = np.log(np.array(SIZES) / DOCUMENTS)
    scores = rng.normal(size=(DOCUMENTS, len(SIZES))) - 1.0
    p = expit(slope * scores + offsets - 1.5)
    return scores, p, rng.random(p.shape) < p


def calibrated(kind, scores, inside, asked):
    truth = sp.csr_matrix(inside)
    return fit_calibration(kind, out_of_fold(scores), truth).probabilities(asked)


class TestHierarchical:
    def test_rare_categories_learn_from_the_others(self):
        rare = slice(4, None)
        better = []
        for seed in range(5):
            scores, _, inside = graded(seed)
            fresh, p, _ = graded(seed + 100)
            for kind in ("hierarchical", "platt"):
                found = calibrated(kind, scores, inside, fresh)
                better.append(np.abs(found - p)[:, rare].mean())
        together, alone = np.reshape(better, (-1, 2)).mean(axis=0)
        assert together < 0.8 * alone

    def test_a_large_category_keeps_its_own_sigmoid(self):
        scores, p, inside = graded(0)
        scores[:, 0] = 7 * scores[:, 0] + 2  # a scale of its own
        found = calibrated("hierarchical", scores, inside, scores)
        assert np.abs(found[:, 0] - p[:, 0]).mean() < 0.02

    def test_perfect_scores_make_no_claim_to_certainty(self):
        inside = np.eye(4, dtype=bool)[np.repeat(np.arange(4), 3)]
        scores = np.where(inside, 1.0, -1.0)
        found = calibrated("hierarchical", scores, inside, scores)
        assert (found[inside] > 0.5).all()
        assert (found[inside] < 0.999).all()

    def test_high_scores_claim_no_more_than_labels_that_err_allow(self):
        rng = np.random.default_rng(6)
        scores, p, _ = graded(6, slope=10.0)
        p = 0.9 * p  # every tenth label is missing
        fresh, fresh_p, _ = graded(106, slope=10.0)
        found = calibrated("hierarchical", scores, rng.random(p.shape) < p, fresh)
        sure = fresh_p > 0.99
        assert sure.sum() > 100
        assert 0.85 < found[sure].mean() < 0.95

    @pytest.mark.parametrize("probability", [0.001, 0.05, 0.5, 0.97, 0.9999])
    def test_thresholds_are_where_a_probability_is_reached(self, probability):
        scores, _, inside = graded(4)
        calibration = fit_calibration(
            "hierarchical", out_of_fold(scores), sp.csr_matrix(inside)
        ).resized(len(SIZES) + 1, {len(SIZES): 0.25})
        thresholds = calibration.thresholds(probability)
        found = calibration.probabilities(np.append(thresholds[:-1], 0.0)[np.newaxis])
        np.testing.assert_allclose(found[0, :-1], probability, rtol=1e-6)
        assert found[0, -1] == pytest.approx(0.25)
        assert thresholds[-1] == (-np.inf if probability <= 0.25 else np.inf)

    def test_a_category_that_no_fold_knew_is_harmless(self):
        scores, _, inside = graded(1)
        inside[:, -1] = False
        inside[7, -1] = True
        scores[:, -1] = -1e6  # its only member was held out
        found = calibrated("hierarchical", scores, inside, scores)
        assert np.isfinite(found).all()
        assert found[:, -1].max() < 0.01


class TestProbabilityRule:
    def test_decisions_agree_with_probabilities(self):
        scores, _, inside = graded(2)
        truth = sp.csr_matrix(inside)
        p = fit_calibration("hierarchical", out_of_fold(scores), truth).probabilities(scores)
        rule = fit_rule("probability(0.4)", out_of_fold(scores), truth)
        assert (rule.accept(scores) == (p >= 0.4)).mean() > 0.99999
        tuned = fit_rule("probability", out_of_fold(scores), truth).accept(scores)
        assert p[tuned].min() > p[~tuned].max() - 1e-9

    def test_no_other_probability_has_a_higher_f1(self):
        scores, _, inside = graded(3)
        truth = sp.csr_matrix(inside)

        def f1(spec):
            given = fit_rule(spec, out_of_fold(scores), truth).accept(scores)
            return 2 * (given & inside).sum() / (given.sum() + inside.sum())

        assert f1("probability") >= max(f1(f"probability({t})") for t in (0.2, 0.3, 0.4, 0.5))


class TestJoint:
    @pytest.mark.parametrize("form", ["softmax", "sigmoid"])
    def test_it_finds_the_probabilities_that_made_the_labels(self, form):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=(6000, 7))
        p = np.exp(2 * scores) if form == "softmax" else expit(4 * scores + 1)
        p /= p.sum(axis=1, keepdims=True)
        label = (rng.random((len(p), 1)) > p.cumsum(axis=1)).sum(axis=1)
        inside = np.eye(7, dtype=bool)[np.minimum(label, 6)]
        found = calibrated("joint", scores, inside, scores)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert np.abs(found - p).mean() < 0.01
        assert (found.argmax(axis=1) == scores.argmax(axis=1)).all()

    @pytest.mark.parametrize("documents", [4, 40])
    def test_few_documents_decided_rightly_are_no_proof(self, documents):
        inside = np.arange(documents)[:, np.newaxis] % 2 == [0, 1]
        found = calibrated("joint", inside - 0.5, inside, inside - 0.5)
        assert found[inside] == pytest.approx(1 - 1 / (documents + 1), rel=0.01)

    def test_it_survives_a_file(self):
        scores, _, inside = graded(4)
        fitted = fit_calibration("joint", out_of_fold(scores), sp.csr_matrix(inside))
        restored = calibration_from_parts(*calibration_to_parts(fitted))
        assert (restored.probabilities(scores) == fitted.probabilities(scores)).all()
