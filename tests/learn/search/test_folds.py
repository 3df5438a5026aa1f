"""Folds of a search."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from postil.errors import UsageError
from postil.features.select import select_terms
from postil.learn.job import Job
from postil.learn.search import folds
from postil.learn.search.folds import make_parts
from postil.learn.search.search import LambdaSearch

from ..samples import method_of
from .samples import GRID, HINGE, LOGISTIC, held_out_scores


def select(data, rows, categories=None):
    """Ten terms of each category, by the documents of some rows."""
    members = data.labels.members[rows]
    members = members if categories is None else members[:, categories]
    return select_terms(data.design.rows[rows], members, measure="chi-square", k=10)


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
        with pytest.raises(
            UsageError, match="cut must be one of stratified, random, by-category, not"
        ):
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

    def test_each_category_has_folds_of_its_own(self, data):
        parts = [
            make_parts(data.labels.of_categories([c]), 4, 0, "by-category")
            for c in range(len(data.labels))
        ]
        assert all(np.bincount(part).tolist() == [20, 20, 20, 20] for part in parts)
        assert all((a != b).any() for a, b in combinations(parts, 2))

    @pytest.mark.parametrize("grid", [GRID, "auto"])
    def test_a_category_is_searched_as_if_it_were_alone(self, data, grid):
        # Alone, with the same documents held out, by one cut for all categories.
        search = LambdaSearch(grid, folds=4, rounds=2, shared=False, measure="loss", points=8)
        own = replace(search, cut="by-category")
        selected = partial(select, data)
        found = own.run(Job(data.design, data.labels), method_of(LOGISTIC), selection_of=selected)
        chosen = set()
        for c in range(len(data.labels)):
            only = np.array([c])
            alone = Job(data.design, data.labels.of_categories(only))
            with pytest.MonkeyPatch.context() as patch:
                part = make_parts(alone.labels, 4, 0, "by-category")
                patch.setitem(folds.CUTS, "random", lambda *_, part=part: part)
                expected = replace(search, cut="random").run(
                    alone,
                    method_of(LOGISTIC),
                    selection_of=lambda rows, _=None, only=only: select(data, rows, only),
                )
            known = expected.values_by_category[:, 0]
            values = found.values_by_category[:, c]
            np.testing.assert_array_equal(values[: len(known)], known)
            assert found.chosen[c] == expected.chosen[0]
            chosen.add(found.chosen[c])
        assert not (found.fell_back | found.tied).any()
        assert len(chosen) > 1

    def test_held_out_scores_are_of_the_category_s_own_folds(self, data):
        method, only = method_of(LOGISTIC), np.array([1])
        part = make_parts(data.labels.of_categories(only), 4, 0, "by-category")
        scores = held_out_scores(data, method, 0.1, part)[:, 1]
        signs = np.where(data.truth[:, 1], 1.0, -1.0)
        search = LambdaSearch((0.1,), folds=4, shared=False, measure="loss", cut="by-category")
        found = search.run(Job(data.design, data.labels), method)
        expected = np.log1p(np.exp(-signs * scores)).mean()
        assert found.values_by_category[0, 1] == pytest.approx(expected, rel=1e-3)

    def test_threads_and_other_categories_change_nothing(self, data):
        search = LambdaSearch(GRID, folds=4, shared=False, measure="loss", cut="by-category")
        jobs = [Job(data.design, data.labels, threads=threads) for threads in (1, 3)]
        jobs.append(Job(data.design, data.labels.of_categories([2, 0, 1])))
        one, three, turned = (search.run(job, method_of(LOGISTIC)) for job in jobs)
        assert (one.values_by_category == three.values_by_category).all()
        assert (one.values_by_category[:, [2, 0, 1]] == turned.values_by_category).all()

    def test_ctrl_c_ends_a_search_by_category(self, data):
        def progress(_done, _total):
            raise KeyboardInterrupt

        search = LambdaSearch(GRID, folds=4, shared=False, cut="by-category")
        with pytest.raises(KeyboardInterrupt):
            search.run(Job(data.design, data.labels, progress=progress), method_of(LOGISTIC))

    def test_too_few_documents(self, data):
        with pytest.raises(UsageError, match="80 documents cannot be cut in 81 folds"):
            LambdaSearch(folds=81).run(Job(data.design, data.labels), method_of(HINGE))
