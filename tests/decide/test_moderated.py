"""Probabilities that know how uncertain a score is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from postil.decide.calibration import Logistic, Moderated, moderated_scores, needs_variances
from postil.errors import InputError, UsageError
from postil.learn.job import Design, Job, Labels
from postil.learn.methods import method_from

SCORE = st.floats(-30, 30).map(lambda score: round(score, 6))  # the least have no half
VARIANCE = st.floats(0, 1e6)


@pytest.mark.parametrize("score", [-4.0, -1.0, 0.0, 0.5, 3.0])
@pytest.mark.parametrize("variance", [0.1, 1.0, 5.0, 20.0])
def test_it_is_near_the_mean_probability(score, variance):
    spread = variance**0.5
    mean, _ = quad(
        lambda at: expit(at) * norm.pdf(at, score, spread),
        score - 12 * spread,
        score + 12 * spread,
    )
    moderated = moderated_scores([[score]], [[variance]])
    assert Moderated(1).probabilities(moderated)[0, 0] == pytest.approx(mean, abs=0.02)


@given(score=SCORE, variance=VARIANCE, more=VARIANCE)
def test_uncertainty_draws_to_a_half_and_keeps_the_side(score, variance, more):
    near, far = (
        moderated_scores([[score]], [[spread]])[0, 0] for spread in (variance, variance + more)
    )
    assert abs(far) <= abs(near) <= abs(score)
    assert np.sign(far) == np.sign(near) == np.sign(score)


@given(score=SCORE)
def test_a_certain_score_is_as_it_was(score):
    assert moderated_scores([[score]], [[0.0]])[0, 0] == score


def test_the_order_of_documents_may_change():
    sure, unsure = moderated_scores([[2.0], [3.0]], [[0.0], [25.0]]).ravel()
    assert sure > unsure


def test_bad_variances_are_refused():
    with pytest.raises(UsageError, match="need the variances of the scores"):
        moderated_scores([[1.0]], None)
    with pytest.raises(UsageError, match="0 or more, one for each of 1 × 2 scores"):
        moderated_scores([[1.0, 2.0]], [[1.0, -2.0]])
    with pytest.raises(UsageError, match="one for each of 1 × 2 scores"):
        moderated_scores([[1.0, 2.0]], [[1.0]])
    with pytest.raises(InputError, match="variances of scores, document 0, category 0"):
        moderated_scores([[1.0]], [[np.nan]])


def test_who_needs_variances():
    found = needs_variances(None), needs_variances(Logistic(2)), needs_variances(Moderated(2))
    assert found == (False, False, True)


def log_loss(scores, inside):
    return np.logaddexp(0, np.where(inside, -scores, scores)).mean()


# A Laplace prior as wide as the weights holds those of rare words at 0; one that is wider, as a
# search for the best decisions may choose it, does not.
@pytest.mark.parametrize(
    ("prior", "used", "gain"), [("gaussian", 9.0, 0.004), ("laplace", 36.0, 0.02)]
)
@pytest.mark.parametrize("seed", range(3))
def test_it_pays_where_evidence_is_sparse(prior, used, gain, seed):
    """Plain probabilities of rare words are too sure if weights are drawn from the prior."""
    rng = np.random.default_rng(seed)
    terms, variance = 600, 9.0
    draw = rng.normal if prior == "gaussian" else rng.laplace
    scale = variance**0.5 if prior == "gaussian" else (variance / 2) ** 0.5
    truth = draw(0.0, scale, terms)

    def sample(documents):
        words = rng.integers(0, terms, (documents, 2))
        x = np.zeros((documents, terms), dtype=np.float32)
        np.put_along_axis(x, words, 1.0, axis=1)
        return x, rng.random(documents) < expit(x @ truth)

    learned, inside = sample(900)  # three documents a word, in the mean
    learner = method_from(
        {
            "loss": "logistic",
            "prior": prior,
            "solver": "newton-coordinate",
            "prior_variance": used,
            "intercept": "none",
            "posterior": True,
        }
    )
    labels = Labels(("a",), sp.csr_matrix(inside[:, np.newaxis]))
    fit = learner.fit(Job(Design(sp.csr_matrix(learned)), labels))
    asked, answer = sample(4000)
    seen = np.asarray(learned.sum(axis=0))
    rare = (asked @ (seen <= 2)) == 2  # both words were seen twice at most
    asked, answer = asked[rare], answer[rare]
    plain = fit.scores(sp.csr_matrix(asked))
    variances = np.asarray((sp.csr_matrix(asked**2) @ fit.variances.T).todense())
    moderated = moderated_scores(plain, variances)
    before, after = (log_loss(scores.ravel(), answer) for scores in (plain, moderated))
    assert after < before - gain
