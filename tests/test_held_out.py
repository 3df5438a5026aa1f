"""What a way of training attains on documents that had no part in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.decide import Folds, OutOfFoldScores, fit_rule
from postil.train.choice import Standing, held_out_counts


class TestStanding:
    def test_more_is_better_and_equal_is_not(self):
        assert Standing(0.5).beats(Standing(0.4))
        assert not Standing(0.5).beats(Standing(0.5))

    def test_it_has_to_be_better_by_more_than_the_error_bar(self):
        own = Standing(0.4, (0.4, 0.4, 0.4, 0.4))
        other = Standing(0.45, (0.44, 0.46, 0.45, 0.45))
        assert other.error_bar(own) == pytest.approx(np.sqrt(3 / 4 * 2e-4))
        assert other.beats(own)
        assert not replace(other, value=0.412).beats(own)

    def test_the_error_bar_of_a_mean_is_its_standard_error(self):
        """Where the value is the mean over folds, the jackknife is the textbook's formula."""
        folds = np.random.default_rng(2).normal(size=7)
        mine = Standing(folds.mean(), tuple(np.delete(folds, i).mean() for i in range(7)))
        nothing = Standing(0.0, (0.0,) * 7)
        assert mine.error_bar(nothing) == pytest.approx(folds.std(ddof=1) / np.sqrt(7))

    def test_a_floor_has_to_hold_as_well(self):
        own = Standing(0.4, (), True, 5, 6)
        assert Standing(0.5, (), True, 5, 6).beats(own)
        assert not Standing(0.5, (), True, 4, 6).beats(own)
        assert not Standing(0.5, (), False, 6, 6).beats(own)
        assert Standing(0.5, (), False, 5, 6).beats(replace(own, holds=False))


class TestHeldOutCounts:
    def test_thresholds_are_tuned_on_the_other_folds(self):
        rng = np.random.default_rng(3)
        truth = rng.random((60, 3)) < 0.4
        scores = truth + rng.normal(0, 0.7, truth.shape)
        folds = Folds(np.arange(60) % 4)
        found = held_out_counts(OutOfFoldScores(scores, folds), sp.csr_matrix(truth), "f1 fbr.1(0)")
        assert len(found) == 4
        for fold, counts in enumerate(found):
            held = folds.part == fold
            rest = OutOfFoldScores(scores[~held], Folds(np.arange((~held).sum()) % 2))
            rule = fit_rule("f1 fbr.1(0)", rest, sp.csr_matrix(truth[~held]))
            accepted, belongs = rule.accept(scores[held]), truth[held]
            assert counts.true_positives.tolist() == (accepted & belongs).sum(axis=0).tolist()
            assert counts.false_positives.tolist() == (accepted & ~belongs).sum(axis=0).tolist()
            assert counts.members.tolist() == belongs.sum(axis=0).tolist()
            assert (counts.members + counts.others == held.sum()).all()

    def test_scores_that_say_nothing_are_not_dressed_up(self):
        """Tuned on what they are measured on, thresholds make something of noise."""
        rng = np.random.default_rng(5)
        truth = rng.random((200, 20)) < 0.1
        scores = rng.normal(size=truth.shape)
        held = OutOfFoldScores(scores, Folds(np.arange(200) % 5))
        members = sp.csr_matrix(truth)
        spec = "cost(1) fbr.1(0)"
        honest = sum(
            (counts.true_positives - counts.false_positives).sum()
            for counts in held_out_counts(held, members, spec)
        )
        accepted = fit_rule(spec, held, members).accept(scores)
        hopeful = int((accepted & truth).sum()) - int((accepted & ~truth).sum())
        assert honest < hopeful
