"""Searches over one model for all classes, against a loop over folds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.metrics import f1_score, zero_one_loss

from postil.errors import InputError, UsageError
from postil.features.select import select_terms
from postil.learn.all_classes import PolychotomousMethod
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Job, Labels, SampleWeights
from postil.learn.methods import method_from
from postil.learn.search.folds import make_parts
from postil.learn.search.grids import WAYS, usual_grid, weaker
from postil.learn.search.search import LambdaSearch
from postil.learn.search.squeezer import Squeezer
from postil.learn.search.strongest import WORTH_HAVING
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from ..multinomial import design_of, labels_of, names, sample
from .samples import Searched

CLASSES = 3
GRIDS = {"lam": (1e-3, 1.0, 1e-2), "C": (0.1, 10.0, 1.0), "prior_variance": (0.1, 10.0, 1.0)}
STRONG_FIRST = {"lam": [1.0, 1e-2, 1e-3], "C": [0.1, 1.0, 10.0], "prior_variance": [0.1, 1.0, 10.0]}
FINE = {"tolerance": 1e-9}
PRIORS = [("laplace", None), ("elastic-net", 0.4)]
TIGHT = {"tolerance": 1e-13, "iterations": 10_000}


def method_of(prior="gaussian", **rest):
    return PolychotomousMethod(prior, **{"options": FINE, **rest})


@pytest.fixture(scope="module")
def data():
    return sample(3, documents=90, terms=12)


def searched(data, search, method=None, selection_of=None, **rest):
    x, y = data
    job = Job(design_of(x), labels_of(y, CLASSES), **rest)
    return search.run(job, method or method_of(), selection_of=selection_of)


def held_out_scores(data, method, way, strength, part, rounds=None, weights=None, **rest):
    """Fits on copies of the training rows; the documents of folds that are not run stay nan."""
    x, y = data
    scores = np.full((len(y), CLASSES), np.nan)
    for fold in range(part.max() + 1 if rounds is None else rounds):
        held, rows = part == fold, np.flatnonzero(part != fold)
        fit = method.fit(
            Job(
                design_of(x[rows]),
                labels_of(y[rows], CLASSES),
                strengths=Strengths(way, np.full(CLASSES, strength)),
                sample_weights=SampleWeights(None if weights is None else weights[rows]),
                **rest,
            )
        )
        scores[held] = fit.scores(sp.csr_matrix(x[held]))
    return scores


def log_likelihoods(scores, y):
    return log_softmax(scores, axis=1)[np.arange(len(y)), y]


class TestValues:
    @pytest.mark.parametrize("prior", ["gaussian", "laplace"])
    @pytest.mark.parametrize("way", list(GRIDS))
    def test_they_are_those_of_a_loop_over_folds(self, data, prior, way):
        method = method_of(prior)
        result = searched(data, LambdaSearch(GRIDS[way], folds=4, seed=3, over=way), method)
        assert result.measure == "log-likelihood"
        assert result.grid.tolist() == STRONG_FIRST[way]
        y = data[1]
        part = make_parts(labels_of(y, CLASSES), 4, 3)
        means = []
        for at, strength in enumerate(result.grid):
            scores = held_out_scores(data, method, way, strength, part)
            each = log_likelihoods(scores, y)
            means.append(each.mean())
            assert result.values[at] == pytest.approx(each.mean(), rel=1e-4)
            for c in range(CLASSES):
                own = each[y == c].mean()
                assert result.values_by_category[at, c] == pytest.approx(own, rel=1e-4)
        assert result.best == int(np.argmax(means))
        assert (result.chosen == result.grid[result.best]).all()
        assert len(result.chosen) == CLASSES

    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            ("loss", lambda y, scores: -log_likelihoods(scores, y).mean()),
            ("error", lambda y, scores: zero_one_loss(y, scores.argmax(axis=1))),
            ("f1", lambda y, scores: f1_score(y, scores.argmax(axis=1), average="micro")),
        ],
    )
    def test_by_other_measures(self, data, measure, expected):
        method = method_of("laplace")
        result = searched(data, LambdaSearch(GRIDS["lam"], folds=3, measure=measure), method)
        part = make_parts(labels_of(data[1], CLASSES), 3, 0)
        values = [
            expected(data[1], held_out_scores(data, method, "lam", lam, part))
            for lam in result.grid
        ]
        np.testing.assert_allclose(result.values, values, rtol=1e-4)
        best = np.argmax(values) if measure == "f1" else np.argmin(values)
        assert result.shared_strength == result.grid[best]

    def test_f1_of_a_class(self, data):
        method = method_of()
        result = searched(data, LambdaSearch((1e-2,), folds=3, measure="f1"), method)
        part = make_parts(labels_of(data[1], CLASSES), 3, 0)
        best = held_out_scores(data, method, "lam", 1e-2, part).argmax(axis=1)
        expected = f1_score(data[1], best, average=None)
        np.testing.assert_allclose(result.values_by_category[0], expected)

    def test_only_some_folds_are_run(self, data):
        method = method_of("laplace")
        search = LambdaSearch(GRIDS["C"], folds=10, rounds=2, over="C")
        result = searched(data, search, method)
        assert (result.folds, result.rounds) == (10, 2)
        part = make_parts(labels_of(data[1], CLASSES), 10, 0)
        scores = held_out_scores(data, method, "C", 10.0, part, rounds=2)
        run = part < 2
        expected = log_likelihoods(scores[run], data[1][run]).mean()
        assert result.values[-1] == pytest.approx(expected, rel=1e-4)

    def test_documents_weigh_in_learning_and_in_measuring(self, data):
        weights = np.random.default_rng(1).uniform(0.2, 3.0, len(data[1]))
        method = method_of()
        search = LambdaSearch((1.0,), folds=3, over="C")
        result = searched(data, search, method, sample_weights=SampleWeights(weights))
        part = make_parts(labels_of(data[1], CLASSES), 3, 0)
        scores = held_out_scores(data, method, "C", 1.0, part, weights=weights)
        expected = np.average(log_likelihoods(scores, data[1]), weights=weights)
        assert result.values[0] == pytest.approx(expected, rel=1e-4)

    def test_a_reference_class_and_priors_of_terms(self, data):
        method = method_of(reference="b")
        priors = TermPriors(12, own={0: {1: TermPrior(mean=2.0, variance=0.5)}})
        search = LambdaSearch((1.0,), folds=3, over="prior_variance")
        result = searched(data, search, method, term_priors=priors)
        part = make_parts(labels_of(data[1], CLASSES), 3, 0)
        scores = held_out_scores(data, method, "prior_variance", 1.0, part, term_priors=priors)
        expected = log_likelihoods(scores, data[1]).mean()
        assert result.values[0] == pytest.approx(expected, rel=1e-4)

    def test_terms_are_selected_anew_in_each_fold(self, data):
        x, y = data
        members = labels_of(y, CLASSES).members.astype(np.float32)
        chosen = []

        def selection_of(rows):
            chosen.append(
                select_terms(sp.csr_matrix(x[rows]), members[rows], measure="chi-square", k=4)
            )
            return chosen[-1]

        method = method_of()
        result = searched(
            data, LambdaSearch((1e-2, 1e-3), folds=3), method, selection_of=selection_of
        )
        assert len(chosen) == 3
        part = make_parts(labels_of(y, CLASSES), 3, 0)
        scores = np.vstack(
            [
                held_out_scores(data, method, "lam", 1e-3, part, selection=kept)[part == fold]
                for fold, kept in enumerate(chosen)
            ]
        )
        truth = np.concatenate([y[part == fold] for fold in range(3)])
        expected = log_likelihoods(scores, truth).mean()
        assert result.values[1] == pytest.approx(expected, rel=1e-4)

    def test_documents_of_a_class_that_a_fold_has_not_seen_have_no_likelihood(self):
        x, y = sample(4, documents=41)
        y[-1] = 3  # the only one
        labels = labels_of(y, 4)
        result = LambdaSearch(GRIDS["lam"], folds=4).run(Job(design_of(x), labels), method_of())
        assert np.isnan(result.values_by_category[:, 3]).all()
        assert (result.values > -10).all()
        error = LambdaSearch(GRIDS["lam"], folds=4, measure="error")
        found = error.run(Job(design_of(x), labels), method_of()).values_by_category[:, 3]
        assert found.tolist() == [1.0, 1.0, 1.0]


class TestChoice:
    def test_one_standard_error(self, data):
        grid = tuple(10.0 ** (-k / 4) for k in range(14))
        careful = searched(data, LambdaSearch(grid, folds=5, one_standard_error=True))
        best = int(np.argmax(careful.values))
        within = careful.values >= careful.values[best] - careful.standard_errors[best]
        assert careful.shared_strength == careful.grid[within].max()
        assert careful.shared_strength > careful.grid[best]
        assert searched(data, LambdaSearch(grid, folds=5)).shared_strength == careful.grid[best]

    def test_the_standard_error_is_that_of_the_documents_together(self, data):
        method = method_of()
        result = searched(data, LambdaSearch((1e-2,), folds=4), method)
        part = make_parts(labels_of(data[1], CLASSES), 4, 0)
        each = log_likelihoods(held_out_scores(data, method, "lam", 1e-2, part), data[1])
        without = np.array([each[part != fold].mean() for fold in range(4)])
        expected = np.sqrt(3 / 4 * ((without - without.mean()) ** 2).sum())
        assert result.standard_errors[0] == pytest.approx(expected, rel=1e-3)

    @pytest.mark.parametrize("prior", ["gaussian", "laplace"])
    @pytest.mark.parametrize("way", list(GRIDS))
    def test_the_usual_grids(self, data, prior, way):
        method = method_of(prior, options={"tolerance": 1e-2})
        result = searched(data, LambdaSearch(folds=2, rounds=1, over=way), method)
        assert sorted(result.grid) == sorted(usual_grid(way, method.share))

    def test_what_is_found_can_be_learned_with_and_told(self, data):
        x, y = data
        learner = method_from({"learner": "polychotomous", "prior": "laplace"})
        result = searched(data, LambdaSearch(GRIDS["C"], folds=3, over="C"), learner)
        fit = learner.fit(Job(design_of(x), labels_of(y, CLASSES), strengths=result.strengths()))
        assert fit.reports[0].lam == pytest.approx(1 / (len(y) * result.shared_strength))
        told = json.loads(json.dumps(result.to_dict()))
        assert (told["measure"], told["C"]) == ("log-likelihood", result.shared_strength)
        assert [row["categories"] for row in told["grid"]].count(CLASSES) == 1
        assert "log-likelihood" in result.to_text()

    def test_another_seed_cuts_other_folds(self, data):
        values = [searched(data, LambdaSearch((1e-2,), seed=seed)).values[0] for seed in (0, 0, 1)]
        assert values[0] == values[1] != values[2]


class TestProgress:
    @pytest.mark.parametrize("grid", [(1e-1, 1e-2, 1e-3), "auto"])
    def test_it_rises_to_the_end(self, data, grid):
        told = []
        search = LambdaSearch(grid, folds=3, points=5)
        searched(data, search, method_of("laplace"), progress=lambda *at: told.append(at))
        assert told == sorted(told)
        points = 3 if grid != "auto" else 5 + 4
        assert told[-1] == (points * 3 * CLASSES,) * 2

    def test_a_fit_that_ran_out_of_iterations_is_counted_once(self, data):
        method = method_of("laplace", options={"iterations": 1, "tolerance": 1e-9})
        with pytest.warns(NotConvergedWarning, match="4 fits of the search ran out"):
            result = searched(data, LambdaSearch((1e-3, 1e-4), folds=2), method)
        assert result.unfinished.tolist() == [2, 2]


class TestRefusals:
    @pytest.mark.parametrize(
        ("search", "told"),
        [
            (LambdaSearch(shared=False), "shared = false needs a strength for each category"),
            (Squeezer(5), "most_terms needs a strength for each category"),
            (
                LambdaSearch(measure="break-even"),
                "break-even needs a threshold for each category.*use log-likelihood, loss, error",
            ),
        ],
    )
    def test_what_one_model_for_all_does_not_have(self, data, search, told):
        with pytest.raises(UsageError, match=told):
            search.check(method_of("laplace"))
        with pytest.raises(UsageError, match=told):
            searched(data, search, method_of("laplace"))

    def test_chance_may_leave_out_the_reference(self, data):
        method = method_of("laplace", reference="b")
        with pytest.raises(UsageError, match="may leave a fold without the reference class"):
            searched(data, LambdaSearch(cut="random"), method)
        assert searched(data, LambdaSearch((1.0, 0.1), cut="random"), method_of("laplace")).cut

    def test_documents_that_cannot_be_learned_from(self, data):
        x, y = data
        with pytest.raises(UsageError, match="90 documents, and the labels have 89"):
            LambdaSearch().run(Job(design_of(x), labels_of(y[1:], CLASSES)), method_of())
        several = Labels.of([["a", "b"], *[[names(CLASSES)[k]] for k in y[1:]]], names(CLASSES))
        with pytest.raises(InputError, match="1 have more than one"):
            LambdaSearch().run(Job(design_of(x), several), method_of())
        alone = np.where(np.arange(len(y)) == 7, 3, y)
        with pytest.raises(InputError, match="the reference class d has one member"):
            LambdaSearch().run(Job(design_of(x), labels_of(alone, 4)), method_of(reference="d"))
        with pytest.raises(UsageError, match="there is no class 'e'"):
            LambdaSearch().run(Job(design_of(x), labels_of(alone, 4)), method_of(reference="e"))

    def test_a_strength_that_is_given(self):
        learner = method_from({"learner": "polychotomous", "C": 2.0})
        with pytest.raises(UsageError, match=r"\[learn\] gives C and \[search\] looks for λ"):
            learner.check_searchable()


def problems_of(prior="laplace", mix=None, *, seed=3, intercept="penalised", **rest):
    x, y = sample(seed, documents=60, terms=15, classes=4)
    y[::3] = 0  # classes of unequal size, so that constants have something to say
    method = PolychotomousMethod(
        prior, intercept=intercept, constant=2.0, mix=mix, options=TIGHT, **rest
    )
    return Searched(method, Job(design_of(x), labels_of(y, 4)))


def check(problems, way="lam"):
    found = problems.strongest(way)

    def terms_at(factor):
        strengths = weaker(found, factor, way, problems.method.share)
        return sum(report.nonzeros for report in problems.cold(way, strengths).reports)

    assert terms_at(1.0001) == 0
    assert terms_at(0.999) > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
@pytest.mark.parametrize(("prior", "mix"), PRIORS)
def test_nothing_above_and_something_below(prior, mix, intercept, way):
    check(problems_of(prior, mix, intercept=intercept), way)


@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
def test_with_a_reference(intercept):
    check(problems_of(intercept=intercept, reference="a"))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(PRIORS), st.sampled_from(["penalised", "free"]))
def test_whatever_the_documents(seed, prior, intercept):
    check(problems_of(*prior, seed=seed, intercept=intercept))


@pytest.mark.parametrize("classes", [None, "balanced"])
def test_with_weights_of_documents_and_classes(classes):
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    weights[::7] = 0.0
    check(problems_of().but(sample_weights=SampleWeights(weights, classes)))


def test_with_selected_terms():
    problems = problems_of()
    members = sp.csr_matrix(problems.job.labels.members, dtype=np.float32)
    selection = select_terms(problems.job.design.rows, members, measure="gini", k=4)
    check(problems.but(selection=selection))


def test_with_terms_of_different_width():
    factors = np.random.default_rng(1).uniform(0.1, 9.0, 15)
    wide = problems_of().but(term_priors=TermPriors(15, factors=factors))
    check(wide)
    assert wide.strongest("lam")[0] != problems_of().strongest("lam")[0]


def test_a_free_constant_by_hand():
    """With free constants, λ is the largest |mean of (p - y) x|, p the shares of the classes."""
    problems = problems_of(intercept="free")
    x, truth = problems.job.design.rows.toarray(), problems.job.labels.members.toarray()
    expected = np.abs((truth.mean(axis=0) - truth).T @ x).max() / len(x)
    np.testing.assert_allclose(problems.strongest("lam"), np.full(4, expected), rtol=1e-9)


def test_a_class_without_members_changes_nothing():
    problems = problems_of()
    truth = problems.job.labels.members.argmax(axis=1)
    more = problems.but(labels=labels_of(np.asarray(truth).ravel(), 5))
    np.testing.assert_allclose(more.strongest("lam"), np.full(5, problems.strongest("lam")[0]))


def test_where_there_is_nothing_to_learn_it_is_1():
    problems = problems_of()
    one = problems.but(labels=labels_of(np.zeros(60, dtype=int), 4))
    no_terms = problems.but(design=design_of(np.zeros((60, 15))))
    for nothing in (one, no_terms, replace(no_terms, method=PolychotomousMethod())):
        assert nothing.strongest("lam").tolist() == [1.0] * 4


@pytest.mark.parametrize("intercept", ["none", "free"])
@pytest.mark.parametrize("reference", [None, "b"])
def test_a_gaussian_path_begins_where_there_is_little_to_gain(intercept, reference):
    problems = problems_of("gaussian", intercept=intercept, reference=reference)
    found = problems.strongest("lam")
    best = problems.cold("lam", found).reports[0].objective
    alone = problems.cold("lam", np.full(4, 1e12)).reports[0].objective
    assert 0 < 1 - best / alone <= WORTH_HAVING
    np.testing.assert_allclose(
        Strengths("prior_variance", problems.strongest("prior_variance")).pairs(60.0, 0.0),
        Strengths("lam", found).pairs(60.0, 0.0),
    )


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_a_search_goes_down_from_there(prior):
    problems = problems_of(prior)
    method = replace(problems.method, options={"tolerance": 1e-6})
    automatic = LambdaSearch("auto", folds=3, points=8, over="C")
    result = automatic.run(Job(problems.job.design, problems.job.labels), method)
    assert result.automatic
    assert result.grid[0] == pytest.approx(problems.strongest("C")[0])
    assert (np.diff(result.grid) > 0).all()
    assert (result.chosen == result.shared_strength).all()
    assert result.values[result.best] == np.nanmax(result.values)
    given_grid = LambdaSearch(tuple(result.grid), folds=3, over="C")
    same = given_grid.run(Job(problems.job.design, problems.job.labels), method)
    np.testing.assert_allclose(result.values, same.values, rtol=1e-6)
