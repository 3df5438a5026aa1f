"""Polychotomous logistic regression against scikit-learn, SciPy and formulas, and in use."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.all_classes import PolychotomousMethod
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.strength import Regularization, Strengths
from postil.learn.tasks import NO_MEMBER
from postil.learn.term_priors.priors import TermPrior, TermPriors

from .multinomial import (
    TIGHT,
    Multinomial,
    design_of,
    labels_of,
    learned,
    method_of,
    names,
    sample,
    whole,
)


@pytest.mark.parametrize(
    ("prior", "saga"), [("gaussian", {}), ("laplace", {"solver": "saga", "l1_ratio": 1})]
)
@pytest.mark.parametrize("intercept", ["none", "penalised"])
def test_it_finds_the_weights_of_scikit_learn(prior, saga, intercept):
    # With an even number of classes the median, and so the lasso, is not unique.
    x, y = sample(0, documents=80, classes=5)
    c = 0.7
    method = PolychotomousMethod(prior, Regularization(C=c), intercept, constant=2.0, options=TIGHT)
    fit = learned(x, y, 5, method)
    constant = 2.0 if intercept == "penalised" else None
    columns = x if constant is None else np.column_stack([x, np.full(len(x), constant)])
    theirs = LogisticRegression(C=c, fit_intercept=False, tol=1e-10, max_iter=20_000, **saga)
    theirs.fit(columns, y)
    np.testing.assert_allclose(whole(fit, constant), theirs.coef_, atol=2e-6)
    assert {report.kind for report in fit.reports} == {"duality gap"}


def test_a_free_intercept_is_that_of_scikit_learn():
    x, y = sample(1, documents=80, classes=3)
    fit = learned(x, y, 3, method_of(lam=1e-2, intercept="free"))
    theirs = LogisticRegression(C=1 / (2 * 1e-2 * len(y)), tol=1e-10, max_iter=20_000).fit(x, y)
    np.testing.assert_allclose(fit.weights.toarray(), theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(fit.intercepts, theirs.intercept_, atol=1e-6)
    assert fit.intercepts.sum() == pytest.approx(0.0, abs=1e-12)
    assert {report.kind for report in fit.reports} == {"duality gap"}


@pytest.mark.parametrize("prior", ["gaussian", "laplace", "elastic-net"])
@pytest.mark.parametrize("shape", [(60, 8), (15, 40)])
def test_the_certificate_is_that_of_the_formulas(prior, shape):
    x, y = sample(2, *shape, classes=3)
    options = {"tolerance": 1e-4}
    fit = learned(x, y, 3, method_of(prior, options=options))
    mix = {"gaussian": 0.0, "laplace": 1.0, "elastic-net": 0.5}[prior]
    problem = Multinomial.of(x, y, 3, absolute=1e-2 * mix, squared=1e-2 * (1 - mix), constant=1.0)
    w = whole(fit, 1.0)
    (report, *_) = fit.reports
    assert report.objective == pytest.approx(problem.objective(w), rel=1e-9)
    gap = problem.gap(w) / problem.objective(w)
    assert 0 <= gap <= report.certificate + 1e-12
    assert report.certificate <= 1e-4
    least = problem.objective(problem.minimum())
    assert report.objective - least <= report.certificate * report.objective + 1e-12


def test_the_certificate_of_a_few_steps_is_exactly_that_of_the_formulas():
    x, y = sample(3, classes=4)
    for prior, mix in (("laplace", 1.0), ("elastic-net", 0.5)):
        method = method_of(prior, lam=3e-3, options={"iterations": 2})
        with pytest.warns(NotConvergedWarning, match="4 of 4 categories ran out"):
            fit = learned(x, y, 4, method)
        problem = Multinomial.of(x, y, 4, absolute=3e-3 * mix, squared=3e-3 * (1 - mix), constant=1)
        w = whole(fit, 1.0)
        assert fit.reports[0].certificate == pytest.approx(problem.gap(w) / problem.objective(w))


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", [1.0, 2e4])
def test_the_gap_of_free_intercepts_bounds_the_distance_to_the_minimum(prior, scale):
    # However large a column is beside the others.
    x, y = sample(4, classes=3)
    x[:, 0] = scale
    mix = 1.0 if prior == "laplace" else 0.0
    held = np.array([*[1e-2] * 8, 0.0])
    problem = Multinomial.of(x, y, 3, absolute=held * mix, squared=held * (1 - mix), constant=1.0)
    least = np.inf
    for iterations in (1000, 20, 5, 2, 1):
        options = {"iterations": iterations, "tolerance": 1e-6}
        fit = learned(x, y, 3, method_of(prior, intercept="free", options=options), quiet=True)
        report = fit.reports[0]
        least = min(least, report.objective)
        assert report.kind == "duality gap"
        assert report.objective == pytest.approx(problem.objective(whole(fit, 1.0)), rel=1e-9)
        assert report.objective * (1 - report.certificate) <= least * (1 + 1e-9)
    weights = problem.minimum()
    assert least <= problem.objective(weights) * (1 + 1e-5)


@pytest.mark.parametrize("mix", [0.0, 0.4, 1.0])
def test_priors_of_classes_and_terms_against_scipy(mix):
    x, y = sample(5, documents=50, terms=6, classes=3)
    priors = TermPriors(
        6,
        every={0: TermPrior(low=0.0), 3: TermPrior(mean=0.5, factor=4.0)},
        own={
            0: {1: TermPrior(variance=2.0), 2: TermPrior(mean=-1.0, high=0.0)},
            2: {
                0: TermPrior(high=0.0),
                4: TermPrior(variance=0.0, mean=0.25),
                6: TermPrior(factor=9.0),
            },
        },
    )
    strengths = Strengths("lam", np.array([1e-2, 2e-2, 5e-3]))
    method = PolychotomousMethod("elastic-net", mix=mix, options=TIGHT)
    fit = learned(x, y, 3, method, term_priors=priors, strengths=strengths)
    absolute, squared = (np.repeat(strengths.values[:, None], 7, axis=1) for _ in range(2))
    absolute, squared = mix * absolute, (1 - mix) * squared
    mean, low, high = np.zeros((3, 7)), np.full((3, 7), -np.inf), np.full((3, 7), np.inf)
    low[:, 0], mean[:, 3] = 0.0, 0.5
    absolute[:, 3] /= 2.0
    squared[:, 3] /= 4.0
    n = len(y)
    absolute[0, 1], squared[0, 1] = mix * np.sqrt(2 / 2.0) / n, (1 - mix) / (2 * n * 2.0)
    mean[0, 2], high[0, 2] = -1.0, 0.0
    low[2, 0], high[2, 0] = -np.inf, 0.0
    mean[2, 4] = low[2, 4] = high[2, 4] = 0.25
    absolute[2, 6] /= 3.0
    squared[2, 6] /= 9.0
    problem = Multinomial.of(x, y, 3, absolute=absolute, squared=squared, mean=mean, constant=1.0)
    expected = problem.minimum(low, high)
    w = whole(fit, 1.0)
    assert problem.objective(w) <= problem.objective(expected) + 1e-9
    np.testing.assert_allclose(w, expected, atol=5e-4)
    assert ((w >= low) & (w <= high)).all()
    assert w[2, 4] == 0.25


def test_a_weight_without_a_prior_needs_a_reference_to_be_settled():
    x, y = sample(6, documents=200, terms=3, classes=3)
    free = {term: TermPrior(variance=np.inf) for term in range(4)}
    method = method_of(reference="b")
    fit = learned(x, y, 3, method, term_priors=TermPriors(3, every=free))
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=20_000).fit(x, y)
    ours = whole(fit, 1.0)
    expected = np.column_stack([theirs.coef_, theirs.intercept_])
    np.testing.assert_allclose(ours, expected - expected[1], atol=1e-4)
    assert fit.reports[0].kind == "KKT residual"
    assert fit.reports[0].stopped == "certified"


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("intercept", ["penalised", "free", "none"])
def test_two_classes_with_a_reference_are_binary_logistic_regression(prior, intercept):
    x, y = sample(7, classes=2)
    fit_of_two = learned(x, y, 2, method_of(prior, intercept=intercept, reference="a"))
    binary = Method(
        "logistic", prior, "primal-coordinate", Regularization(lam=1e-2), intercept,
        options={"tolerance": 1e-10, "iterations": 100_000},
    )  # fmt: skip
    one = binary.fit(Job(design_of(x), labels_of(y, 2)))
    assert fit_of_two.weights[[0]].nnz == 0
    assert fit_of_two.intercepts[0] == 0.0
    np.testing.assert_allclose(
        fit_of_two.weights[[1]].toarray(), one.weights[[1]].toarray(), atol=1e-5
    )
    assert fit_of_two.intercepts[1] == pytest.approx(one.intercepts[1], abs=1e-5)
    assert fit_of_two.reports[1].objective == pytest.approx(one.reports[1].objective, rel=1e-8)


def test_two_classes_without_a_reference_share_the_weights_of_half_the_strength():
    # λ(w² + w²) with w = v/2 is (λ/2) v².
    x, y = sample(8, classes=2)
    both = learned(x, y, 2, method_of(lam=2e-2))
    one = learned(x, y, 2, method_of(lam=1e-2, reference="a"))
    w = whole(both, 1.0)
    np.testing.assert_allclose(w[0], -w[1], atol=1e-7)
    np.testing.assert_allclose(w[1] - w[0], whole(one, 1.0)[1], atol=1e-6)


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_the_reference_is_an_optimum_of_the_others(prior):
    x, y = sample(9, classes=4)
    fit = learned(x, y, 4, method_of(prior, reference="c"))
    mix = float(prior == "laplace")
    problem = Multinomial.of(x, y, 4, absolute=1e-2 * mix, squared=1e-2 * (1 - mix), constant=1.0)
    low, high = np.full((4, 9), -np.inf), np.full((4, 9), np.inf)
    low[2] = high[2] = 0.0
    expected = problem.objective(problem.minimum(low, high))
    assert fit.reports[0].objective == pytest.approx(expected, rel=1e-8)
    assert not whole(fit, 1.0)[2].any()


def test_documents_weigh_what_they_are_said_to():
    x, y = sample(10)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weights[:3] = 1.0
    one = learned(x, y, 3, method_of("laplace"), sample_weights=SampleWeights(weights))
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    other = learned(x[again], y[again], 3, method_of("laplace"))
    np.testing.assert_allclose(whole(one, 1.0), whole(other, 1.0), atol=1e-6)


def test_balanced_classes_weigh_the_same():
    x, y = sample(11)
    each = len(y) / (3 * np.bincount(y))
    one = learned(x, y, 3, method_of(), sample_weights=SampleWeights(classes="balanced"))
    problem = Multinomial.of(x, y, 3, squared=1e-2, constant=1.0, weights=each[y])
    np.testing.assert_allclose(whole(one, 1.0), problem.minimum(), atol=1e-5)
    with pytest.raises(UsageError, match="class weights must be 'balanced' or None"):
        learned(x, y, 3, method_of(), sample_weights=SampleWeights(classes=(2.0, 1.0)))


def test_a_class_uses_the_terms_that_were_selected_for_it():
    x, y = sample(12)
    kept = [[0, 1, 2], [2, 3], [5]]
    selection = Selection.of([np.array(k, dtype=np.int32) for k in kept], 8)
    fit = learned(x, y, 3, method_of(), selection=selection)
    low, high = np.zeros((3, 9)), np.zeros((3, 9))
    for k, terms in enumerate(kept):
        low[k, [*terms, 8]], high[k, [*terms, 8]] = -np.inf, np.inf
    problem = Multinomial.of(x, y, 3, squared=1e-2, constant=1.0)
    np.testing.assert_allclose(whole(fit, 1.0), problem.minimum(low, high), atol=1e-5)


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_the_same_bits_with_any_number_of_threads(prior):
    x, y = sample(13, documents=1500, terms=30, classes=5)
    fits = [learned(x, y, 5, method_of(prior), threads=threads) for threads in (1, 2, 5)]
    for other in fits[1:]:
        assert (fits[0].weights != other.weights).nnz == 0
        assert (fits[0].intercepts == other.intercepts).all()
        assert fits[0].reports[0].certificate == other.reports[0].certificate


@pytest.mark.parametrize("intercept", ["penalised", "free", "none"])
def test_documents_and_terms_without_anything(intercept):
    x, y = sample(14)
    x[::4] = 0.0
    x[:, 3] = 0.0
    fit = learned(x, y, 3, method_of("laplace", intercept=intercept))
    assert not fit.weights[:, [3]].nnz
    assert np.isfinite(fit.intercepts).all()
    assert fit.reports[0].certificate <= 1e-8
    nothing = learned(np.zeros((9, 2)), np.arange(9) % 3, 3, method_of(intercept=intercept))
    np.testing.assert_allclose(softmax(nothing.intercepts), 1 / 3)


def test_a_class_without_members_is_left_out():
    x, y = sample(15, classes=3)
    fit = learned(x, y, 4, method_of("laplace", intercept="free"))
    without = learned(x, y, 3, method_of("laplace", intercept="free"))
    assert fit.intercepts[3] == NO_MEMBER
    assert (fit.intercepts[:3] == without.intercepts).all()
    assert (fit.weights[:3] != without.weights).nnz == 0
    assert fit.reports[3].stopped == "constant"
    assert fit.reports[3].note == "the category has no member: never chosen"
    assert softmax(fit.scores(sp.csr_matrix(x)), axis=1)[:, 3].max() < 1e-300


def test_one_class_alone_is_always_chosen():
    x, _ = sample(16)
    fit = learned(x, np.ones(len(x), dtype=int), 3, method_of())
    assert fit.intercepts.tolist() == [NO_MEMBER, 0.0, NO_MEMBER]
    assert [report.stopped for report in fit.reports] == ["constant"] * 3
    assert "always" in fit.reports[1].note


def test_separable_classes_under_a_faint_prior():
    x = np.eye(6).repeat(5, axis=0)
    y = np.arange(6).repeat(5) // 2
    for prior in ("gaussian", "laplace"):
        fit = learned(x, y, 3, method_of(prior, lam=1e-7, options={"tolerance": 1e-3}))
        assert fit.reports[0].stopped == "certified"
        assert (fit.scores(sp.csr_matrix(x)).argmax(axis=1) == y).all()


def test_very_large_and_very_small_values():
    x, y = sample(17)
    for scale in (1e-6, 1e6):
        fit = learned(x * scale, y, 3, method_of("laplace", options={"tolerance": 1e-3}))
        assert np.isfinite(fit.weights.data).all()
        assert fit.reports[0].certificate <= 1e-3


def test_documents_with_no_class_or_several_are_refused_with_a_way_out():
    design = design_of(np.ones((5, 2)))
    labels = Labels.of([["a"], ["b"], [], ["a", "b"], []])
    with pytest.raises(InputError, match="2 have none and 1 have more than one") as caught:
        method_of().fit(Job(design, labels))
    assert "the first is number 3" in str(caught.value)
    assert 'learner = "linear"' in str(caught.value)
    counted = SampleWeights(np.array([1.0, 1.0, 0.0, 0.0, 0.0]))
    assert method_of().fit(Job(design, labels, sample_weights=counted)).names == (
        "a",
        "b",
    )


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"prior": "lapalce"}, "did you mean 'laplace'"),
        ({"mix": 0.5}, "mix is an option of the prior elastic-net"),
        ({"prior": "elastic-net", "mix": 2.0}, "mix must be from 0"),
        ({"intercept": "fixed"}, "intercept must be none or penalised or free"),
        ({"constant": 0.0}, "constant must be a finite number above 0"),
        ({"options": {"passses": 3}}, "no option 'passses'"),
        ({"options": {"passes": 0}}, "passes must be a whole number"),
        ({"options": {"tolerance": -1.0}}, "tolerance must be at least 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, told):
    with pytest.raises(UsageError, match=told):
        PolychotomousMethod(**settings)


def test_data_that_does_not_fit_is_refused():
    x, y = sample(18)
    with pytest.raises(UsageError, match="60 documents, and the labels have 59"):
        method_of().fit(Job(design_of(x), labels_of(y[1:], 3)))
    with pytest.raises(UsageError, match="there is no class 'd'"):
        learned(x, y, 3, method_of(reference="d"))
    with pytest.raises(InputError, match="the reference class d has no member"):
        learned(x, y, 4, method_of(reference="d"))
    with pytest.raises(UsageError, match="3 terms, and the design has 8"):
        learned(x, y, 3, method_of(), term_priors=TermPriors(3))
    priors = TermPriors(8, own={0: {0: TermPrior(mean=1.0)}})
    with pytest.raises(UsageError, match="the reference class a stay at 0"):
        learned(x, y, 3, method_of(reference="a"), term_priors=priors)
    with pytest.raises(UsageError, match="one number for each of 3 classes"):
        learned(x, y, 3, method_of(), strengths=Strengths("lam", np.ones(2)))
    with pytest.raises(UsageError, match="selection has 2 categories"):
        learned(x, y, 3, method_of(), selection=Selection.of([[0], [1]], 8))


def test_the_norm_based_variance_is_that_of_all_terms():
    x, y = sample(19)
    method = PolychotomousMethod(regularization=Regularization(prior_variance="norm"))
    variance = 9 / (x**2).sum(axis=1).mean()
    expected = 1 / (2 * len(y) * variance)
    assert learned(x, y, 3, method).reports[0].lam == pytest.approx(expected)


def test_the_learner_of_a_recipe():
    learner = method_from(
        {"learner": "polychotomous", "prior": "laplace", "C": 2.0, "options": {"tolerance": 1e-5}}
    )
    x, y = sample(20)
    fit = learner.fit(Job(design_of(x), labels_of(y, 3)))
    assert learner.tolerance == 1e-5
    assert learner.calibrations == ("softmax",)
    fixed = TermPriors(x.shape[1], own={1: {0: TermPrior(mean=2.0, variance=0.0)}})
    believed = learner.fit(Job(design_of(x), labels_of(y, 3), term_priors=fixed))
    assert believed.weights[1, 0] == 2.0
    assert fit.weights[1, 0] != 2.0
    assert fit.reports[0].lam == pytest.approx(1 / (2.0 * len(y)))
    with pytest.raises(UsageError, match="has no entry 'loss'"):
        method_from({"learner": "polychotomous", "loss": "logistic"})


def test_progress_rises_to_the_end():
    x, y = sample(21, documents=2000, terms=60, classes=8)
    told = []
    method = method_of("laplace", lam=1e-4, options={"tolerance": 1e-4})
    learned(x, y, 8, method, progress=lambda *at: told.append(at))
    assert told == sorted(told)
    assert told[-1] == (100, 100)


# In a process of its own: an interrupt that comes too early or too late would hit the tests
# themselves.
INTERRUPTED = textwrap.dedent(
    """
    import os, signal, threading
    import numpy as np
    import scipy.sparse as sp
    from postil.learn.all_classes import PolychotomousMethod
    from postil.learn.job import Design, Job, Labels
    from postil.learn.strength import Regularization

    signal.signal(signal.SIGINT, signal.default_int_handler)
    numbers = np.random.default_rng(22)
    x = sp.random(20_000, 300, 0.2, "csr", np.float32, random_state=numbers)
    labels = Labels.of([str(number)] for number in numbers.integers(0, 10, 20_000))
    endless = {"tolerance": 0.0, "iterations": 2**32 - 1}
    method = PolychotomousMethod(regularization=Regularization(lam=1e-9), options=endless)
    design = Design(x)
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        method.fit(Job(design, labels, threads=2))
    except KeyboardInterrupt:
        print("stopped")
    """
)


def test_an_interrupt_stops_it():
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("stopped\n", "")


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    shape=st.tuples(st.integers(3, 25), st.integers(1, 12), st.integers(2, 5)),
    mix=st.sampled_from([0.0, 0.3, 1.0]),
    lam=st.sampled_from([1e-3, 1e-2, 1.0]),
    intercept=st.sampled_from(["penalised", "free", "none"]),
)
def test_every_problem_is_as_good_as_certified(seed, shape, mix, lam, intercept):
    documents, terms, classes = shape
    documents = max(documents, classes)
    x, y = sample(seed, documents, terms, classes)
    method = PolychotomousMethod(
        "elastic-net", Regularization(lam=lam), intercept, mix=mix, options={"tolerance": 1e-4}
    )
    fit = learned(x, y, classes, method)
    (report, *_) = fit.reports
    assert report.stopped in ("certified", "precision")
    assert report.certificate <= 1e-4
    strengths = np.full(terms + (intercept != "none"), lam)
    if intercept == "free":
        strengths[-1] = 0.0
    constant = None if intercept == "none" else 1.0
    problem = Multinomial.of(
        x, y, classes, absolute=mix * strengths, squared=(1 - mix) * strengths, constant=constant
    )
    w = whole(fit, constant)
    assert report.objective == pytest.approx(problem.objective(w), rel=1e-7)
    if intercept == "free":
        least = problem.objective(problem.minimum())
        assert report.objective * (1 - report.certificate) <= least * (1 + 1e-9)
    else:
        assert problem.gap(w) <= report.certificate * report.objective + 1e-12


def test_design_and_names_are_kept():
    x, y = sample(23)
    fit = method_of("laplace").fit(Job(Design(sp.csr_matrix(x)), labels_of(y, 3)))
    assert fit.names == names(3)
    assert [r.members for r in fit.reports] == np.bincount(y).tolist()
    assert [r.nonzeros for r in fit.reports] == np.diff(fit.weights.indptr).tolist()
