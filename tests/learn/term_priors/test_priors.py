"""Per-term priors against a general solver: means, variances, bounds and variance rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.priors import PRIORS
from postil.learn.search.search import LambdaSearch
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Regularization
from postil.learn.term_priors.priors import VARIANCE_RULES, TermPrior, TermPriors, ruled_priors
from postil.recipes.recipe import Recipe

from ..reference_priors import Paid
from ..samples import EVERY, LEGAL, each, method_of, paid_by, pair_of, problem_of, sample, theta_of

ABLE = [parts for parts in EVERY if "term priors" in SOLVERS[parts[2]].provides]
# One for each loss, prior and solver, and every intercept of the logistic loss.
SOME = [p for p in ABLE if p[0] == "logistic" or p[3] == "penalised"]
LOGISTIC = [p for p in ABLE if p[0] == "logistic" and p[3] == "penalised"]
INFINITE = float("inf")
TIGHT = {"tolerance": 1e-10, "iterations": 100_000}
PRIMAL = Method("logistic", "laplace", "primal-coordinate", Regularization(lam=1e-2), options=TIGHT)


def paid_with(method, documents, terms, priors: TermPriors, category=0) -> Paid:
    """Return the penalty of every term with its own prior, written out."""
    paid = paid_by(method, documents, terms)
    if priors.factors is not None:
        factors = np.append(priors.factors, 1.0)
        paid = Paid(
            paid.absolute / np.sqrt(factors), paid.squared / factors, paid.mean, paid.low, paid.high
        )
    usual = paid_by(method, documents, 0)
    for term, own in {**priors.every, **priors.own.get(category, {})}.items():
        absolute = usual.absolute[0] / np.sqrt(own.factor)
        squared = usual.squared[0] / own.factor
        low, high = own.low, own.high
        if own.variance == 0:
            low = high = own.mean
        elif own.variance == INFINITE:
            absolute = squared = 0.0
        elif own.variance is not None:
            absolute, squared = pair_of(
                method.prior, method.share, "prior_variance", own.variance, documents
            )
        paid = paid.put(term, absolute=absolute, squared=squared, mean=own.mean, low=low, high=high)
    return paid


def check(parts, priors, shape="many documents", lam=1e-2, rel=1e-6):
    """A fit with these priors is at the reference's minimum, and certified."""
    x, truth, design, labels = sample(shape)
    method = method_of(parts, lam=lam, iterations=20_000)
    found = method.fit(Job(design, labels, term_priors=priors))
    thetas = []
    for category, report in enumerate(found.reports):
        paid = paid_with(method, len(x), x.shape[1], priors, category)
        problem = problem_of(x, truth[:, category], method, paid=paid)
        theta = theta_of(problem, found, category)
        assert report.stopped == "certified"
        assert (theta >= problem.paid.low).all()
        assert (theta <= problem.paid.high).all()
        assert report.objective == pytest.approx(problem.objective(theta), rel=1e-9)
        assert report.objective == pytest.approx(problem.minimum(), rel=rel)
        thetas.append(theta)
    return thetas


@each(SOME)
def test_means(parts):
    priors = TermPriors(8, every={1: TermPrior(0.7), 2: TermPrior(-2.0), 8: TermPrior(0.4)})
    strong = check(parts, priors, lam=10.0)
    # A strong prior holds weights at its means.
    np.testing.assert_allclose(strong[0][[1, 2]], [0.7, -2.0], atol=0.06)
    check(parts, priors)


@each(SOME)
def test_variances_of_their_own(parts):
    variances = {0: 0.5, 3: 1e-3, 5: 100.0}
    own = {term: TermPrior(variance=variance) for term, variance in variances.items()}
    check(parts, TermPriors(8, every=own))


@each(SOME)
def test_factors_widen_the_common_prior(parts):
    factors = np.geomspace(0.1, 50, 8)
    by_factors = check(parts, TermPriors(8, factors=factors))
    by_terms = {j: TermPrior(factor=float(factor)) for j, factor in enumerate(factors)}
    for a, b in zip(by_factors, check(parts, TermPriors(8, every=by_terms)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@each(SOME)
def test_signs(parts):
    up, down = TermPrior(low=0.0), TermPrior(high=0.0)
    plain = check(parts, TermPriors(8))[0]
    # All but three weights are forbidden to be what they would be.
    against = {j: down if plain[j] > 0 else up for j in range(5)}
    for theta in check(parts, TermPriors(8, every=against))[:1]:
        np.testing.assert_array_equal(theta[:5], 0.0)
    for theta in check(parts, TermPriors(8, every=dict.fromkeys(range(8), up))):
        assert (theta[:8] >= 0).all()
    for theta in check(parts, TermPriors(8, every=dict.fromkeys(range(8), down))):
        assert (theta[:8] <= 0).all()


@each(SOME)
def test_bounds_that_do_not_touch_the_mean(parts):
    box = TermPrior(0.1, low=-0.05, high=0.15)
    priors = TermPriors(8, every=dict.fromkeys(range(0, 8, 2), box))
    theta = check(parts, priors)[0]
    assert (np.isin(theta[:8:2], [-0.05, 0.15])).any()


@each(SOME)
def test_variance_zero_keeps_the_mean(parts):
    fixed = {0: TermPrior(0.5, variance=0.0), 4: TermPrior(variance=0.0)}
    for theta in check(parts, TermPriors(8, every=fixed)):
        assert theta[0] == 0.5
        assert theta[4] == 0.0


@each(SOME)
def test_infinite_variance_lets_go(parts):
    x, truth, design, labels = sample()
    method = method_of(parts, lam=0.3, iterations=5000)
    priors = TermPriors(8, every={2: TermPrior(variance=INFINITE)})
    found = method.fit(Job(design, labels, term_priors=priors, quiet=True))
    for category, report in enumerate(found.reports):
        paid = paid_with(method, len(x), 8, priors, category)
        problem = problem_of(x, truth[:, category], method, paid=paid)
        theta = theta_of(problem, found, category)
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-6)
        assert problem.violations(theta).max() <= 1e-4
        assert report.stopped == "certified"


@each(SOME)
def test_a_free_term_with_bounds(parts):
    free = TermPrior(variance=INFINITE, low=-0.3, high=0.3)
    check(parts, TermPriors(8, every={2: free, 7: free}))


@each(LOGISTIC)
def test_a_category_may_have_its_own(parts):
    _, _, design, labels = sample()
    both = {0: TermPrior(1.0), 1: TermPrior(high=0.0)}
    mine = {1: {1: TermPrior(low=0.0), 6: TermPrior(variance=0.0)}}
    priors = TermPriors(8, every=both, own=mine)
    first, second = check(parts, priors)
    assert first[1] <= 0 <= second[1]
    assert second[6] == 0
    # Own priors of one category are no matter for the other, whatever the threads.
    alone = method_of(parts).fit(Job(design, labels, term_priors=TermPriors(8, every=both)))
    for threads in (1, 3):
        found = method_of(parts).fit(Job(design, labels, term_priors=priors, threads=threads))
        np.testing.assert_array_equal(found.weights[[0]].toarray(), alone.weights[[0]].toarray())
        np.testing.assert_allclose(found.weights[[1]].toarray().ravel(), second[:8], rtol=1e-12)
    # And own priors need no common ones.
    check(parts, TermPriors(8, own=mine))


@each(LOGISTIC)
def test_the_constant_may_have_its_own(parts):
    fixed = check(parts, TermPriors(8, every={8: TermPrior(-0.25, variance=0.0)}))
    assert [theta[8] for theta in fixed] == [-0.25, -0.25]
    check(parts, TermPriors(8, every={8: TermPrior(factor=1e4)}))
    check(parts, TermPriors(8, own={1: {8: TermPrior(2.0, low=1.0)}}))


@each([p for p in ABLE if p[0] == "logistic" and p[3] != "penalised"])
def test_a_constant_that_pays_nothing_has_no_prior(parts):
    _, _, design, labels = sample()
    plain = method_of(parts).fit(Job(design, labels))
    own = TermPriors(8, every={8: TermPrior(3.0, variance=1e-6, low=2.0)})
    found = method_of(parts).fit(Job(design, labels, term_priors=own))
    np.testing.assert_allclose(found.weights.toarray(), plain.weights.toarray(), atol=1e-12)
    np.testing.assert_allclose(found.intercepts, plain.intercepts, atol=1e-12)


@each(LOGISTIC)
def test_priors_go_by_the_term_where_there_is_a_selection(parts):
    x, truth, design, labels = sample()
    chosen = [np.array([1, 4, 6], np.int32), np.array([0, 4], np.int32)]
    selection = Selection.of(chosen, 8)
    priors = TermPriors(8, every={4: TermPrior(0.8, variance=0.05), 6: TermPrior(low=0.0)})
    method = method_of(parts)
    found = method.fit(Job(design, labels, term_priors=priors, selection=selection))
    for category, terms in enumerate(chosen):
        paid = paid_with(method, len(x), 8, priors).of(np.append(terms, 8))
        problem = problem_of(x[:, terms], truth[:, category], method, paid=paid)
        assert found.reports[category].objective == pytest.approx(problem.minimum(), rel=1e-6)


@each(SOME)
def test_usual_priors_change_nothing(parts):
    _, _, design, labels = sample()
    plain = method_of(parts).fit(Job(design, labels))
    for priors in (TermPriors(8), TermPriors(8, factors=np.ones(8))):
        found = method_of(parts).fit(Job(design, labels, term_priors=priors))
        np.testing.assert_array_equal(found.weights.toarray(), plain.weights.toarray())
        np.testing.assert_array_equal(found.intercepts, plain.intercepts)


@each(LOGISTIC)
@settings(max_examples=10)
@given(data=st.data())
def test_any_priors_at_all(parts, data):
    number = st.sampled_from([0.0, 0.0, 0.5, -1.0, 3.0])
    every = {}
    for term in data.draw(st.sets(st.integers(0, 10), max_size=6)):
        mean = data.draw(number)
        every[term] = TermPrior(
            mean,
            variance=data.draw(st.sampled_from([None, None, 0.0, 1e-2, 1.0])),
            factor=data.draw(st.sampled_from([1.0, 0.1, 30.0])),
            low=data.draw(st.sampled_from([-INFINITE, mean, mean - 0.1])),
            high=data.draw(st.sampled_from([INFINITE, mean, mean + 0.1])),
        )
    check(parts, TermPriors(10, every=every), "empty documents", rel=2e-6)


@pytest.mark.parametrize("solver", [s for s in SOLVERS if "term priors" not in SOLVERS[s].provides])
def test_solvers_that_take_none_refuse_them(solver):
    _, _, design, labels = sample()
    parts = next(p for p in LEGAL if p[2] == solver)
    with pytest.raises(UsageError, match="no per-term priors: use primal-coordinate or new"):
        method_of(parts).fit(Job(design, labels, term_priors=TermPriors(8)))


def test_priors_of_other_terms_are_refused():
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="9 terms, and the design has 8"):
        method_of(LOGISTIC[0]).fit(Job(design, labels, term_priors=TermPriors(9)))
    for places in ({9: TermPrior()}, {-1: TermPrior()}):
        with pytest.raises(UsageError, match="there is no term"):
            TermPriors(8, every=places)
        with pytest.raises(UsageError, match="there is no term"):
            TermPriors(8, own={0: places})


@pytest.mark.parametrize("factors", [np.ones(7), np.zeros(8), np.full(8, np.nan), np.full(8, -1.0)])
def test_factors_that_mean_nothing_are_refused(factors):
    with pytest.raises(UsageError, match="factors must be 8 finite numbers above 0"):
        TermPriors(8, factors=factors)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mean": float("nan")}, "the mean of a prior must be from -1e+06 to 1e+06, got nan"),
        ({"mean": INFINITE}, "the mean of a prior must be from -1e+06 to 1e+06, got inf"),
        (
            {"variance": -1.0},
            "the variance of a prior must be 0, from 1e-30 to 1e+30, or inf, got -1.0",
        ),
        (
            {"variance": float("nan")},
            "the variance of a prior must be 0, from 1e-30 to 1e+30, or inf, got nan",
        ),
        ({"factor": 0.0}, "the factor of a variance must be from 1e-30 to 1e+30, got 0.0"),
        ({"factor": INFINITE}, "the factor of a variance must be from 1e-30 to 1e+30, got inf"),
        (
            {"low": 1.0},
            "the mean of a prior must lie between its bounds, got 0 and bounds from 1 to inf",
        ),
        (
            {"high": -1.0},
            "the mean of a prior must lie between its bounds, got 0 and bounds from -inf to -1",
        ),
        (
            {"low": float("nan")},
            "the mean of a prior must lie between its bounds, got 0 and bounds from nan",
        ),
    ],
    ids=str,
)
def test_priors_that_mean_nothing_are_refused(values, words):
    with pytest.raises(UsageError) as caught:
        TermPrior(**values)
    assert str(caught.value).startswith(words)


def test_every_prior_of_the_registry_is_tried():
    assert {parts[1] for parts in LOGISTIC} == {
        p.name for p in PRIORS.values() if "step" in p.provides
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({0: 1.0}, "must be TermPriors, not dict"),
        (TermPriors(8, own={2: {0: TermPrior(mean=1.0)}}), "category 2: categories are numbered"),
        (TermPriors(8, own={"c0": {0: TermPrior()}}), "category 'c0': categories are numbered"),
    ],
)
def test_priors_that_belong_to_nothing_are_refused(given, message):
    _, _, design, labels = sample()
    method = Method("logistic", "laplace", "newton-coordinate")
    with pytest.raises(UsageError, match=message):
        method.fit(Job(design, labels, term_priors=given))


def test_a_prior_is_a_term_prior():
    with pytest.raises(UsageError, match="must map terms to TermPrior"):
        TermPriors(4, every={0: (3, 1)})


def small_design(documents=30, terms=6, seed=0) -> Design:
    rng = np.random.default_rng(seed)
    present = rng.random((documents, terms)) < np.linspace(0.1, 0.9, terms)
    return Design(sp.csr_matrix((rng.random((documents, terms)) * present).astype(np.float32)))


def small_labels(documents=30) -> Labels:
    return Labels.of([["a"] * (i % 3 == 0) + ["b"] * (i % 2) for i in range(documents)])


def expected_factors(rows: np.ndarray) -> np.ndarray:
    """By the formula, term by term."""
    squares = []
    for column in rows.T:
        held = sum(1 for value in column if value != 0)
        squares.append((np.log((len(rows) + 1) / (held + 1)) + 1) ** 2)
    return np.array(squares) / (sum(squares) / len(squares))


@given(
    st.integers(0, 1000), st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=30, max_size=30)
)
def test_factors_are_those_of_the_formula(seed, weights):
    design = small_design(seed=seed)
    weights = np.array(weights)
    if not weights.any():
        weights[0] = 1.0
    found = ruled_priors("idf", design, SampleWeights(weights), None)
    rows = design.rows.toarray()[weights > 0]
    assert found.factors == pytest.approx(expected_factors(rows))
    assert found.factors.mean() == pytest.approx(1.0)
    assert (found.factors > 0).all()


def test_rare_words_are_wider():
    factors = ruled_priors("idf", small_design(), None, None).factors
    held = np.diff(small_design().columns.indptr)
    assert (np.diff(factors[np.argsort(held)]) <= 0).all()


def test_equal_is_nothing_at_all():
    given_priors = TermPriors(6, every={0: TermPrior(1)})
    assert ruled_priors("equal", small_design(), None, None) is None
    assert ruled_priors("equal", small_design(), None, given_priors) is given_priors
    assert set(VARIANCE_RULES) == {"equal", "idf"}


def test_what_is_given_stands_in_place_of_the_rule():
    given_priors = TermPriors(6, every={0: TermPrior(factor=7)})
    found = ruled_priors("idf", small_design(), None, given_priors)
    assert found.every == given_priors.every
    assert found.factors is not None
    own = TermPriors(6, factors=np.full(6, 2.0))
    assert ruled_priors("idf", small_design(), None, own) is own


def test_a_rule_is_a_wider_column():
    """σ²f on a weight is σ² on that of the column times √f."""
    design, labels = small_design(), small_labels()
    fit = replace(PRIMAL, variance_rule="idf").fit(Job(design, labels))
    scale = np.sqrt(expected_factors(design.rows.toarray()))
    wide = PRIMAL.fit(Job(Design(sp.csr_matrix(design.rows @ sp.diags(scale))), labels))
    assert fit.weights.toarray() == pytest.approx(wide.weights.toarray() * scale, abs=1e-4)
    assert fit.intercepts == pytest.approx(wide.intercepts, abs=1e-4)
    assert abs(fit.weights - PRIMAL.fit(Job(design, labels)).weights).max() > 1e-2


def test_a_search_goes_by_the_rule_of_each_fold():
    design, labels = small_design(), small_labels()
    learner = method_from(
        {
            "loss": "logistic",
            "prior": "gaussian",
            "solver": "primal-coordinate",
            "variance_rule": "idf",
        }
    )
    search = LambdaSearch([1e-1, 1e-2], folds=3, measure="log-likelihood")
    ruled = search.run(Job(design, labels), learner)
    plain = search.run(Job(design, labels), replace(learner, variance_rule="equal"))
    assert not np.allclose(ruled.values, plain.values)


def test_a_recipe_has_a_rule_its_solver_can_follow():
    learn = {"loss": "logistic", "solver": "primal-coordinate", "variance_rule": "idf"}
    learner = Recipe("x", learn=learn).method(3)
    assert isinstance(learner, Method)
    assert learner.variance_rule == "idf"
    with pytest.raises(UsageError, match=r"\[learn\].*takes no per-term priors"):
        Recipe("x", learn={"variance_rule": "idf"})
    with pytest.raises(UsageError, match="variance_rule"):
        Recipe("x", learn={**learn, "variance_rule": "ifd"})
    with pytest.raises(UsageError, match="there is no variance rule 'x'"):
        replace(PRIMAL, variance_rule="x")
