"""The multi-class SVM of Weston and Watkins, by MMLR-CG (zhang-jin-yang-hauptmann-2003)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from postil import _native
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.all_classes import MulticlassSvmMethod
from postil.learn.job import Job, SampleWeights
from postil.learn.methods import method_from
from postil.learn.search.search import LambdaSearch
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .samples import LAM, design_of, labels_of, method_of, sparse_values

INTERCEPTS = pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
ALL_STEPS = {"tolerance": 0.0}


def svm(intercept="free", lam=LAM, constant=1.0, **options):
    return MulticlassSvmMethod(Regularization(lam=lam), intercept, constant, options)


def classes_of(y, count=None):
    return labels_of(np.eye(count or y.max() + 1, dtype=bool)[y])


def planted(seed, documents=40, terms=10, classes=4):
    rng = np.random.default_rng(seed)
    x = sparse_values(rng, documents, terms)
    scores = x @ rng.normal(size=(terms, classes)) + rng.normal(size=(documents, classes))
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return x, y


class Problem:
    """All pairs of all documents and classes, one after the other."""

    def __init__(self, x, y, classes, lam=LAM, intercept="free", constant=1.0, weights=None):
        self.x, self.y, self.classes, self.lam = np.asarray(x, float), y, classes, lam
        self.c = np.ones(len(y)) if weights is None else weights
        self.n = float(self.c.sum())
        self.intercept, self.constant = intercept, constant

    @property
    def features(self):
        if self.intercept == "none":
            return self.x
        return np.column_stack([self.x, np.full(len(self.y), self.constant)])

    @property
    def held(self):
        held = np.full(self.features.shape[1], self.lam)
        if self.intercept == "free":
            held[-1] = 0.0
        return held

    def theta(self, found):
        weights = found.weights.toarray()
        if self.intercept == "none":
            assert not found.intercepts.any()
            return weights
        return np.column_stack([weights, found.intercepts / self.constant])

    def pairs(self, theta):
        """Margins of all (document, other class), the naive way."""
        scores = self.features @ theta.T
        for i, own in enumerate(self.y):
            for k in range(self.classes):
                if k != own:
                    yield i, k, scores[i, own] - scores[i, k]

    def objective(self, theta, loss=lambda m: max(0.0, 2 - m)):
        total = sum(self.c[i] * loss(m) for i, _, m in self.pairs(theta)) / self.n
        return total + (self.held * theta**2).sum()

    def gradient(self, theta, slope):
        out = np.zeros_like(theta)
        for i, k, m in self.pairs(theta):
            pull = self.c[i] * slope(m) / self.n * self.features[i]
            out[self.y[i]] += pull
            out[k] -= pull
        return out + 2 * self.held * theta

    def smooth_minimum(self, gamma):
        shape = (self.classes, self.features.shape[1])

        def at(flat):
            theta = flat.reshape(shape)
            value = self.objective(theta, lambda m: np.logaddexp(0, -gamma * (m - 2)) / gamma)
            slopes = self.gradient(theta, lambda m: -expit(-gamma * (m - 2)))
            return value, slopes.ravel()

        start = np.zeros(shape).ravel()
        options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 5000, "maxcor": 30}
        found = scipy.optimize.minimize(at, start, jac=True, method="L-BFGS-B", options=options)
        return float(found.fun)

    def dual_maximum(self):
        """D(a) over the box, by L-BFGS-B; where no intercept is free."""
        pairs = [(i, k) for i, k, _ in self.pairs(np.zeros((self.classes, len(self.held))))]

        def negated(duals):
            pull = np.zeros((self.classes, len(self.held)))
            for (i, k), a in zip(pairs, duals, strict=True):
                pull[self.y[i]] += self.c[i] * a / self.n * self.features[i]
                pull[k] -= self.c[i] * a / self.n * self.features[i]
            theta = pull / (2 * self.lam)
            value = 2 * sum(self.c[i] * a for (i, _), a in zip(pairs, duals, strict=True)) / self.n
            scores = self.features @ theta.T
            slopes = [self.c[i] * (2 - scores[i, self.y[i]] + scores[i, k]) for i, k in pairs]
            return -(value - self.lam * (theta**2).sum()), -np.array(slopes) / self.n

        found = scipy.optimize.minimize(
            negated,
            np.full(len(pairs), 0.5),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * len(pairs),
            options={"ftol": 1e-13, "gtol": 1e-8, "maxiter": 2000},
        )
        return -float(found.fun)


@INTERCEPTS
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_the_objective_is_that_of_all_pairs(intercept, classes):
    x, y = planted(1, documents=30, terms=6, classes=classes)
    for constant in (1.0, 3.0):
        method = svm(intercept, constant=constant, iterations=25, tolerance=0.0)
        found = method.fit(Job(design_of(x), classes_of(y)))
        problem = Problem(x, y, classes, intercept=intercept, constant=constant)
        expected = problem.objective(problem.theta(found))
        for report in found.reports:
            assert report.objective == pytest.approx(expected, rel=1e-9)
            assert report.shared
            assert (report.stopped, report.iterations) == ("iterations", 25)


@INTERCEPTS
def test_one_gamma_is_solved_to_its_minimum(intercept):
    # γ that does not grow: plain conjugate gradients on the smooth problem.
    x, y = planted(2, documents=25, terms=5, classes=3)
    gamma = 5.0
    method = svm(intercept, tolerance=0.0, iterations=300, first_gamma=gamma, gamma_step=0.0)
    found = method.fit(Job(design_of(x), classes_of(y)))
    problem = Problem(x, y, 3, intercept=intercept)
    smooth = problem.objective(
        problem.theta(found), lambda m: np.logaddexp(0, -gamma * (m - 2)) / gamma
    )
    assert smooth == pytest.approx(problem.smooth_minimum(gamma), rel=1e-7)
    assert found.reports[0].smoothing == pytest.approx(2 * np.log(2) / gamma)


@pytest.mark.parametrize("intercept", ["none", "penalised"])
def test_the_gap_is_to_the_minimum(intercept):
    x, y = planted(3, documents=18, terms=5, classes=3)
    problem = Problem(x, y, 3, intercept=intercept)
    minimum = problem.dual_maximum()
    before = np.inf
    for iterations in (5, 40, 200, 2000):
        method = svm(intercept, tolerance=0.0, iterations=iterations)
        report = method.fit(Job(design_of(x), classes_of(y))).reports[0]
        assert report.kind == "duality gap"
        assert report.objective >= minimum * (1 - 1e-6)
        assert report.objective * (1 - report.certificate) <= minimum * (1 + 1e-6)
        assert report.certificate <= before
        before = report.certificate
    assert before <= 1e-3


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), classes=st.integers(2, 5))
def test_minima_are_as_near_as_the_bound_says(seed, classes):
    x, y = planted(seed, documents=12, terms=4, classes=classes)
    problem = Problem(x, y, classes, intercept="none", lam=0.1)
    method = svm("none", lam=0.1, tolerance=0.0, iterations=200)
    report = method.fit(Job(design_of(x), classes_of(y))).reports[0]
    assert report.smoothing == pytest.approx((classes - 1) * np.log(2) / 191)
    assert problem.smooth_minimum(20.0) <= problem.dual_maximum() + (classes - 1) * np.log(2) / 20
    assert report.objective - problem.dual_maximum() <= report.smoothing + 1e-3


def test_the_gap_of_free_intercepts_is_to_the_minimum():
    x, y = planted(4, documents=25, terms=5, classes=4)
    smooth = Problem(x, y, 4).smooth_minimum(200.0)
    before = np.inf
    for iterations in (10, 50, 200, 3000):
        method = svm("free", tolerance=0.0, iterations=iterations)
        report = method.fit(Job(design_of(x), classes_of(y))).reports[0]
        assert report.kind == "duality gap"
        assert report.objective * (1 - report.certificate) <= smooth * (1 + 1e-9)
        assert report.objective >= smooth - 3 * np.log(2) / 200
        assert report.certificate <= before
        before = report.certificate
    assert before <= 3e-3


@INTERCEPTS
def test_two_classes_are_one_svm(intercept):
    # With ±w and ±b the loss of a document is max(0, 2 - 2z), and λ counts twice.
    x, y = planted(5, classes=2)
    method = svm(intercept, tolerance=1e-3, iterations=20_000)
    found = method.fit(Job(design_of(x), classes_of(y)))
    solver = "smo" if intercept == "free" else "dual-coordinate"
    binary = method_of(("hinge", "gaussian", solver, intercept), lam=LAM).fit(
        Job(design_of(x), classes_of(y))
    )
    assert found.reports[0].objective == pytest.approx(2 * binary.reports[0].objective, rel=3e-3)


@INTERCEPTS
def test_threads_change_no_bit(intercept):
    x, y = planted(6, documents=900, terms=40, classes=21)
    for selection in (None, Selection.of([np.arange(0, 40, 3, dtype=np.int32)] * 21, 40)):
        one, three = (
            svm(intercept, tolerance=0.0, iterations=15).fit(
                Job(design_of(x), classes_of(y), selection=selection, threads=threads)
            )
            for threads in (1, 3)
        )
        np.testing.assert_array_equal(one.weights.toarray(), three.weights.toarray())
        np.testing.assert_array_equal(one.intercepts, three.intercepts)
        assert replace(one.reports[0], seconds=0.0) == replace(three.reports[0], seconds=0.0)


@INTERCEPTS
def test_a_selection_for_all_is_the_copied_columns(intercept):
    x, y = planted(7)
    terms = np.array([0, 3, 4, 8], dtype=np.int32)
    method = svm(intercept, **ALL_STEPS)
    found = method.fit(Job(design_of(x), classes_of(y), selection=Selection.of([terms] * 4, 10)))
    copied = method.fit(Job(design_of(x[:, terms]), classes_of(y)))
    np.testing.assert_array_equal(found.weights.toarray()[:, terms], copied.weights.toarray())
    assert not np.delete(found.weights.toarray(), terms, axis=1).any()
    assert found.reports[0].objective == copied.reports[0].objective


def test_classes_may_have_terms_of_their_own():
    x, y = planted(8)
    lists = [np.array(ids, np.int32) for ids in ([0, 1, 2], [], [5, 9], [2, 3, 4, 5])]
    method = svm("penalised", tolerance=0.0, iterations=1000)
    found = method.fit(Job(design_of(x), classes_of(y), selection=Selection.of(lists, 10)))
    for category, terms in enumerate(lists):
        assert not np.delete(found.weights.toarray()[category], terms).any()
    # No other weights of those terms are below the certified bound.
    problem = Problem(x, y, 4, intercept="penalised")
    theta = problem.theta(found)
    report = found.reports[0]
    bound = report.objective * (1 - report.certificate)
    assert report.certificate < 1e-2
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = theta + 0.05 * rng.normal(size=theta.shape) * (theta != 0)
        assert problem.objective(other) >= bound * (1 - 1e-9)


def test_documents_that_weigh_nothing_and_balanced_classes():
    x, y = planted(9)
    weights = np.where(np.arange(40) % 5 == 0, 0.0, 1.0 + np.arange(40) % 3)
    sample_weights = SampleWeights(weights)
    kept = weights > 0
    found = svm("none", **ALL_STEPS).fit(
        Job(design_of(x), classes_of(y), sample_weights=sample_weights)
    )
    problem = Problem(x[kept], y[kept], 4, intercept="none", weights=weights[kept])
    assert found.reports[0].objective == pytest.approx(
        problem.objective(problem.theta(found)), rel=1e-9
    )
    balanced = svm("none", **ALL_STEPS).fit(
        Job(design_of(x), classes_of(y), sample_weights=SampleWeights(classes="balanced"))
    )
    sizes = np.bincount(y)
    problem = Problem(x, y, 4, intercept="none", weights=40 / (4 * sizes[y]))
    assert balanced.reports[0].objective == pytest.approx(
        problem.objective(problem.theta(balanced)), rel=1e-9
    )
    assert balanced.reports[0].smoothing == pytest.approx(3 * np.log(2) / 191)


def test_a_strength_for_each_class():
    x, y = planted(10)
    lam = np.array([1e-2, 1e-1, 1.0, 10.0])
    found = svm("none", **ALL_STEPS).fit(
        Job(design_of(x), classes_of(y), strengths=Strengths("lam", lam))
    )
    norms = np.linalg.norm(found.weights.toarray(), axis=1)
    assert norms[0] > norms[1] > norms[2] > norms[3] > 0
    with pytest.raises(UsageError, match="one number for each of 4 classes"):
        svm().fit(Job(design_of(x), classes_of(y), strengths=Strengths("lam", lam[:2])))


def test_classes_without_members_and_one_that_has_all():
    x, y = planted(11, classes=3)
    labels = classes_of(np.where(y == 1, 2, y), 4)
    found = svm(**ALL_STEPS).fit(Job(design_of(x), labels))
    assert [report.stopped for report in found.reports] == [
        "iterations",
        "constant",
        "iterations",
        "constant",
    ]
    assert set(found.scores(design_of(x).rows).argmax(axis=1)) <= {0, 2}
    alone = svm().fit(Job(design_of(x), classes_of(np.ones(40, int), 2)))
    assert [report.stopped for report in alone.reports] == ["constant", "constant"]
    assert (alone.scores(design_of(x).rows).argmax(axis=1) == 1).all()


@pytest.mark.parametrize("shape", [(2, 3), (3, 0), (5, 1)])
@INTERCEPTS
def test_little_data(shape, intercept):
    documents, terms = shape
    x = np.zeros(shape)
    x[:1, :1] = 1.0
    y = np.arange(documents) % 2
    found = svm(intercept, **ALL_STEPS).fit(Job(design_of(x), classes_of(y)))
    problem = Problem(x, y, 2, intercept=intercept)
    assert found.reports[0].objective == pytest.approx(problem.objective(problem.theta(found)))
    assert found.weights.shape == (2, terms)


@pytest.mark.parametrize("lam", [1e-100, 1e-12, 1e12, 1e100])
@INTERCEPTS
def test_any_strength_gives_finite_and_honest_numbers(intercept, lam):
    x, y = planted(12)
    found = svm(intercept, lam=lam).fit(Job(design_of(x), classes_of(y), quiet=True))
    assert np.isfinite(found.weights.data).all()
    report = found.reports[0]
    assert np.isfinite([report.objective, report.certificate]).all()
    assert report.certificate >= 0


@pytest.mark.parametrize("options", [{"scaling": "diagonal"}, {"direction": "polak-ribiere"}])
def test_options_lead_to_the_same(options):
    x, y = planted(13)
    plain, other = (
        svm("penalised", tolerance=1e-3, iterations=5000, **given)
        .fit(Job(design_of(x), classes_of(y)))
        .reports[0]
        for given in ({}, options)
    )
    assert plain.stopped == other.stopped == "certified"
    assert plain.objective == pytest.approx(other.objective, rel=1e-3)


def test_progress_and_interruption():
    x, y = planted(14, documents=300, terms=30, classes=12)
    given = design_of(x), classes_of(y)
    calls = []
    svm(**ALL_STEPS).fit(Job(*given, progress=lambda *call: calls.append(call)))
    assert calls[-1] == (100, 100)
    assert calls == sorted(calls)

    def interrupt(*_):
        raise KeyboardInterrupt

    endless = svm(tolerance=0.0, iterations=2**31)
    for threads in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            endless.fit(Job(*given, threads=threads, progress=interrupt))


def test_documents_of_no_class_or_several_are_refused():
    x, y = planted(15)
    truth = np.eye(4, dtype=bool)[y]
    truth[3] = False
    with pytest.raises(InputError, match=r"multiclass-svm learning needs exactly one.*\"hinge\""):
        svm().fit(Job(design_of(x), labels_of(truth)))


def test_it_is_searched_by_decisions():
    x, y = planted(16, documents=60)
    method = MulticlassSvmMethod(options={"iterations": 50, "tolerance": 0.0})
    for measure in (None, "f1", "error"):
        search = LambdaSearch((1.0, 1e-1, 1e-2), folds=3, measure=measure)
        found = search.run(Job(design_of(x), classes_of(y)), method)
        assert len(set(found.chosen.tolist())) == 1
    search = LambdaSearch("auto", folds=3, points=4)
    assert len(set(search.run(Job(design_of(x), classes_of(y)), method).chosen.tolist())) == 1
    for measure in ("log-likelihood", "loss"):
        with pytest.raises(UsageError, match="needs probabilities, and multiclass-svm gives none"):
            LambdaSearch((1.0,), measure=measure).check(method)
    with pytest.raises(UsageError, match="needs a threshold for each category"):
        LambdaSearch((1.0,), measure="break-even").check(method)
    with pytest.raises(UsageError, match="multiclass-svm has one model"):
        LambdaSearch((1.0,), shared=False).check(method)


def test_as_a_learner():
    x, y = planted(17)
    learner = method_from({"learner": "multiclass-svm", "lam": 1e-2, "options": ALL_STEPS})
    assert learner.compares_scores
    assert learner.calibrations == ()
    found = learner.fit(Job(design_of(x), classes_of(y)))
    assert (found.scores(design_of(x).rows).argmax(axis=1) == y).mean() > 0.6
    priors = TermPriors(10, every={0: TermPrior(1.0)})
    with pytest.raises(UsageError, match="takes no per-term priors"):
        learner.fit(Job(design_of(x), classes_of(y), term_priors=priors))
    with pytest.raises(UsageError, match="has no entry 'loss'"):
        method_from({"learner": "multiclass-svm", "loss": "hinge"})
    with pytest.raises(UsageError, match="learner multiclass-svm has no option 'passes'"):
        MulticlassSvmMethod(options={"passes": 3})


def test_the_core_refuses_beliefs_and_references():
    x, y = planted(18)
    classes = _native.Classes(y.astype(np.int32), np.ones(40), 40.0, np.ones((4, 2)), None, None, 1)
    with pytest.raises(ValueError, match="and no reference"):
        _native.train_multiclass_svm(
            design_of(x).native, classes, _native.MulticlassSvmOptions(), 1, None
        )
