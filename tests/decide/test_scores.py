"""Checks of scores, truth and weights, and the scores that each rule may see."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.decide import CALIBRATIONS, Folds, OutOfFoldScores, TrainingScores, fit_rule
from postil.decide.calibration import calibration_needs, fit_calibration
from postil.decide.decision import DecisionRule
from postil.decide.scores import Needs
from postil.errors import InputError, UsageError

from .samples import out_of_fold, random_problem

BAD_NUMBERS = pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])


def damaged(bad):
    scores, truth = random_problem()
    scores[7, 3] = bad
    return scores, truth


class TestScores:
    @BAD_NUMBERS
    def test_are_finite_wherever_they_come_in(self, bad):
        scores, truth = damaged(bad)
        with pytest.raises(InputError, match=r"training scores, document 7, category 3.*finite"):
            TrainingScores(scores)
        with pytest.raises(InputError, match="out-of-fold scores, document 7, category 3"):
            out_of_fold(scores)
        with pytest.raises(InputError, match=f"scores, document 7, category 3: the score is {bad}"):
            fit_rule("default", None, truth).decide(scores)
        clean, _ = random_problem()
        for kind in CALIBRATIONS:
            calibration = fit_calibration(kind, out_of_fold(clean), truth)
            with pytest.raises(InputError, match="document 7, category 3"):
                calibration.probabilities(scores)

    @pytest.mark.parametrize(
        "scores", [np.zeros(3), np.zeros((2, 2, 2)), np.zeros((2, 5), complex), np.array([["a"]])]
    )
    def test_are_a_table_of_real_numbers(self, scores):
        with pytest.raises(UsageError, match="documents × categories"):
            TrainingScores(scores)

    def test_may_be_whole_numbers_or_single_precision(self):
        for kind in (np.int32, np.uint8, np.float32):
            assert TrainingScores(np.ones((2, 2), kind)).values.dtype == np.float64

    def test_are_for_the_categories_of_the_rule(self):
        _, truth = random_problem()
        with pytest.raises(UsageError, match="5 categories and the scores are for 4"):
            fit_rule("default", None, truth).decide(np.zeros((2, 4)))

    def test_cannot_be_written_through_the_wrapper(self):
        values = np.zeros((4, 2))
        wrapped = TrainingScores(values)
        with pytest.raises(ValueError, match="read-only"):
            wrapped.values[0, 0] = 1
        assert np.shares_memory(wrapped.values, values)


class TestTheRightScores:
    def test_a_plain_array_is_refused(self):
        scores, truth = random_problem()
        for spec in ("default", "training-error", "f1"):
            with pytest.raises(UsageError, match="TrainingScores or OutOfFoldScores"):
                fit_rule(spec, scores, truth)
        with pytest.raises(UsageError, match=r"calibration platt.*had not seen the document"):
            fit_calibration("platt", scores, truth)

    def test_out_of_fold_rules_refuse_training_scores(self):
        scores, truth = random_problem()
        for spec in ("f1", "error", "precision(0.9)", "recall(0.9)", "break-even"):
            with pytest.raises(UsageError, match=r"had not seen the document; got TrainingScores"):
                fit_rule(spec, TrainingScores(scores), truth)
        for kind in CALIBRATIONS:
            if calibration_needs(kind) is Needs.OUT_OF_FOLD:
                with pytest.raises(UsageError, match="got TrainingScores"):
                    fit_calibration(kind, TrainingScores(scores), truth)

    def test_training_error_refuses_others(self):
        scores, truth = random_problem()
        with pytest.raises(UsageError, match=r"was trained on; got OutOfFoldScores"):
            fit_rule("training-error", out_of_fold(scores), truth)
        with pytest.raises(UsageError, match="got NoneType"):
            fit_rule("training-error", None, truth)

    def test_a_rule_without_needs_ignores_scores(self):
        scores, truth = random_problem()
        for wrapped in (TrainingScores(scores), out_of_fold(scores)):
            assert isinstance(fit_rule("rank(2)", wrapped, truth), DecisionRule)

    def test_folds_and_scores_are_of_the_same_documents(self):
        with pytest.raises(UsageError, match=r"3 documents and the scores of\s+4"):
            OutOfFoldScores(np.zeros((4, 1)), Folds(np.array([0, 1, 0])))


class TestTruth:
    def test_has_the_shape_of_the_scores(self):
        scores, truth = random_problem()
        for other in (truth[:-1], truth[:, :-1]):
            with pytest.raises(UsageError, match="same documents and categories"):
                fit_rule("f1", out_of_fold(scores), other)

    def test_is_sparse_and_holds_zeros_and_ones(self):
        scores, truth = random_problem()
        with pytest.raises(UsageError, match="scipy sparse indicator"):
            fit_rule("f1", out_of_fold(scores), truth.toarray())
        with pytest.raises(UsageError, match="0 and 1"):
            fit_rule("f1", out_of_fold(scores), truth.astype(int) * 2)

    def test_may_be_any_sparse_format_and_hold_stored_zeros(self):
        scores, truth = random_problem()
        wanted = fit_rule("f1", out_of_fold(scores), truth).thresholds.tolist()
        with_zeros = truth.astype(np.float64)
        rows, columns = np.indices(truth.shape)
        explicit = sp.coo_matrix(
            (truth.toarray().ravel().astype(float), (rows.ravel(), columns.ravel())), truth.shape
        ).tocsr()
        assert explicit.nnz > truth.nnz
        for other in (truth.tocsc(), with_zeros, explicit, sp.csr_array(truth)):
            assert fit_rule("f1", out_of_fold(scores), other).thresholds.tolist() == wanted
        assert explicit.nnz == truth.shape[0] * truth.shape[1]


class TestWeights:
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
    def test_are_finite_and_not_negative(self, bad):
        scores, truth = random_problem()
        weights = np.ones(len(scores))
        weights[5] = bad
        with pytest.raises(InputError, match="weights, document 5"):
            fit_rule("f1", out_of_fold(scores), truth, weights)
        with pytest.raises(InputError, match="weights, document 5"):
            fit_calibration("platt", out_of_fold(scores), truth, weights)

    def test_are_one_for_each_document(self):
        scores, truth = random_problem()
        for wrong in (np.ones(3), np.ones((len(scores), 1)), np.array(["a"] * len(scores))):
            with pytest.raises(UsageError, match="one number for each of 60 documents"):
                fit_rule("f1", out_of_fold(scores), truth, wrong)

    def test_have_a_finite_sum(self):
        scores, truth = random_problem()
        with pytest.raises(InputError, match="sum"):
            fit_rule("f1", out_of_fold(scores), truth, np.full(len(scores), 1e308))
