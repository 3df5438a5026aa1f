"""Folds of a search."""

from __future__ import annotations

import numpy as np
import pytest

from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.search.folds import make_parts
from postil.learn.search.search import LambdaSearch

from ..samples import method_of
from .samples import HINGE


class TestFolds:
    def test_every_category_keeps_its_share(self, data):
        part = make_parts(data.labels, 4, 0)
        assert np.bincount(part).tolist() == [20, 20, 20, 20]
        for members in data.truth.T:
            counts = np.bincount(part[members], minlength=4)
            assert counts.max() - counts.min() <= 2

    def test_chance_deals_without_regard_to_categories(self, data):
        parts = [make_parts(data.labels, 4, seed, "random") for seed in range(20)]
        assert all(np.bincount(part).tolist() == [20, 20, 20, 20] for part in parts)
        spreads = [np.ptp(np.bincount(part[data.truth[:, 0]], minlength=4)) for part in parts]
        assert max(spreads) > 2
        assert (parts[0] == make_parts(data.labels, 4, 0, "random")).all()
        assert (parts[0] != parts[1]).any()

    def test_an_unknown_cut_is_refused(self):
        with pytest.raises(UsageError, match="cut must be one of stratified, random, not 'fair'"):
            LambdaSearch(cut="fair")
        with pytest.raises(UsageError, match="cut must be one of"):
            LambdaSearch(cut=["random"])

    def test_chance_wants_a_seed(self, data):
        with pytest.raises(UsageError, match="a seed of 0 or more, not -1"):
            make_parts(data.labels, 4, -1, "random")

    def test_the_seed_decides(self, data):
        first, again, other = (make_parts(data.labels, 4, seed) for seed in (0, 0, 1))
        assert (first == again).all()
        assert (first != other).any()

    def test_too_few_documents(self, data):
        with pytest.raises(UsageError, match="80 documents cannot be cut in 81 folds"):
            LambdaSearch(folds=81).run(Job(data.design, data.labels), method_of(HINGE))
