"""Folds, and scores for each document by a model that had not seen it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_predict

from postil.decide import Folds
from postil.decide.folds import make_folds, out_of_fold_scores
from postil.errors import InputError, UsageError

from .samples import random_problem


class TestMakeFolds:
    @settings(max_examples=25, deadline=None)
    @given(documents=st.integers(2, 60), seed=st.integers(0, 100), data=st.data())
    def test_partition(self, documents, seed, data):
        _, truth = random_problem(documents, seed=seed)
        count = data.draw(st.integers(2, min(documents, 7)))
        folds = make_folds(truth, count, seed)
        assert len(folds) == count
        sizes = np.bincount(folds.part, minlength=count)
        assert sizes.max() - sizes.min() <= 1
        held_out_rows = []
        for train, held_out in folds:
            assert len(np.intersect1d(train, held_out)) == 0
            assert len(train) + len(held_out) == documents
            held_out_rows.extend(held_out.tolist())
        assert sorted(held_out_rows) == list(range(documents))

    def test_every_category_keeps_its_share(self):
        rng = np.random.default_rng(0)
        truth = rng.random((500, 4)) < np.array([0.02, 0.05, 0.2, 0.5])
        folds = make_folds(sp.csr_matrix(truth), 5)
        for category in truth.T:
            counts = [category[held_out].sum() for _, held_out in folds]
            assert max(counts) - min(counts) <= 2

    def test_the_seed_decides(self):
        _, truth = random_problem(100)
        parts = [make_folds(truth, 5, seed).part.tolist() for seed in (0, 0, 1)]
        assert parts[0] == parts[1] != parts[2]

    def test_documents_without_categories_and_no_categories(self):
        for truth in (sp.csr_matrix((10, 3), dtype=bool), sp.csr_matrix((10, 0), dtype=bool)):
            assert np.bincount(make_folds(truth, 5).part).tolist() == [2] * 5

    @pytest.mark.parametrize(("documents", "count"), [(0, 2), (3, 4), (10, 1), (10, 0)])
    def test_impossible_numbers(self, documents, count):
        with pytest.raises(UsageError, match=f"{documents} documents cannot be cut in {count}"):
            make_folds(sp.csr_matrix((documents, 2), dtype=bool), count)

    @pytest.mark.parametrize("count", ["a", 2.5, True, None])
    def test_what_is_no_number_of_folds(self, count):
        with pytest.raises(UsageError, match="a whole number of at least 2"):
            make_folds(sp.csr_matrix((10, 2), dtype=bool), count)

    def test_one_document_is_one(self):
        with pytest.raises(UsageError, match=r"^1 document cannot be cut in 1 fold:"):
            make_folds(sp.csr_matrix((1, 2), dtype=bool), 1)


class TestFolds:
    @pytest.mark.parametrize("part", [[], [0, 0], [1, 2], [0, 2], [-1, 0, 1]])
    def test_gaps_and_single_folds_are_refused(self, part):
        with pytest.raises(UsageError, match="numbered from 0"):
            Folds(np.array(part, int))

    @pytest.mark.parametrize("part", [np.zeros((2, 2), int), np.array([0.0, 1.0])])
    def test_other_arrays_are_refused(self, part):
        with pytest.raises(UsageError, match="one whole number per document"):
            Folds(part)

    def test_cannot_be_written_to(self):
        folds = Folds(np.array([0, 1]))
        with pytest.raises(ValueError, match="read-only"):
            folds.part[0] = 1


class TestOutOfFold:
    def test_no_model_sees_what_it_scores(self):
        folds = make_folds(random_problem(30)[1], 4)
        seen = []

        def fit_and_score(train, held_out):
            seen.append((set(train.tolist()), set(held_out.tolist())))
            return np.column_stack([held_out, held_out * 10.0])

        scores = out_of_fold_scores(fit_and_score, folds, 30, 2)
        assert scores.values[:, 0].tolist() == list(range(30))
        assert scores.values[:, 1].tolist() == [10.0 * row for row in range(30)]
        assert scores.folds is folds
        assert len(seen) == 4
        assert all(not train & held_out for train, held_out in seen)
        assert all(train | held_out == set(range(30)) for train, held_out in seen)

    def test_agrees_with_scikit_learn(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(60, 4))
        y = (x @ np.array([1.0, -1, 0.5, 0]) + rng.normal(size=60)) > 0
        folds = make_folds(sp.csr_matrix(y[:, np.newaxis]), 5)

        def fit_and_score(train, held_out):
            model = RidgeClassifier().fit(x[train], y[train])
            return model.decision_function(x[held_out])[:, np.newaxis]

        ours = out_of_fold_scores(fit_and_score, folds, 60, 1).values.ravel()
        theirs = cross_val_predict(
            RidgeClassifier(), x, y, cv=PredefinedSplit(folds.part), method="decision_function"
        )
        np.testing.assert_allclose(ours, theirs)

    def test_wrong_answers_are_refused(self):
        folds = Folds(np.array([0, 1, 0]))
        with pytest.raises(UsageError, match="folds are of 3 documents, not of 4"):
            out_of_fold_scores(lambda _, held_out: np.zeros((len(held_out), 1)), folds, 4, 1)
        with pytest.raises(
            UsageError, match=r"fold 1 of 2: expected 2 documents × 2.*received 2 × 1"
        ):
            out_of_fold_scores(lambda _, held_out: np.zeros((len(held_out), 1)), folds, 3, 2)
        with pytest.raises(InputError, match="fold 1 of 2, document 0, category 0"):
            out_of_fold_scores(lambda _, rows: np.full((len(rows), 1), np.nan), folds, 3, 1)
