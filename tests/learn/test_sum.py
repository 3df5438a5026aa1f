"""The sum of two methods: its weights, its report, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.job import Design, Job, Labels
from postil.learn.methods import method_from
from postil.learn.strength import Strengths

RIDGE = {"loss": "modified-squared", "solver": "dual-coordinate", "C": 1.0}
LASSO = {"loss": "logistic", "prior": "laplace", "solver": "newton-coordinate", "C": 5.0}
SUM = {"learner": "sum", "first": RIDGE, "second": LASSO, "factor": 0.25}


@pytest.fixture(scope="module")
def job():
    rng = np.random.default_rng(3)
    rows = sp.random(60, 12, 0.4, format="csr", rng=rng, dtype=np.float32)
    members = sp.csr_matrix(rng.random((60, 3)) < 0.3)
    return Job(Design(rows), Labels(("a", "b", "c"), members), quiet=True)


def test_the_scores_are_those_of_the_first_and_a_share_of_the_second(job):
    fit, first, second = (method_from(table).fit(job) for table in (SUM, RIDGE, LASSO))
    rows = job.design.rows
    np.testing.assert_allclose(fit.scores(rows), first.scores(rows) + 0.25 * second.scores(rows))
    for joined, one, other in zip(fit.reports, first.reports, second.reports, strict=True):
        assert joined.certificate == max(one.certificate, other.certificate)
        assert joined.iterations == one.iterations + other.iterations


def test_strengths_of_a_job_are_those_of_the_first(job):
    from dataclasses import replace

    strengths = Strengths("C", np.array([0.1, 1.0, 10.0]))
    fit, first = (
        method_from(table).fit(replace(job, strengths=strengths)) for table in (SUM, RIDGE)
    )
    second = method_from(LASSO).fit(job)
    np.testing.assert_allclose(fit.intercepts, first.intercepts + 0.25 * second.intercepts)


def test_what_cannot_be_added_is_refused():
    with pytest.raises(UsageError, match="no single strength to search for"):
        method_from(SUM).check_searchable()
    with pytest.raises(UsageError, match="one category against the rest"):
        method_from({**SUM, "second": {"learner": "polychotomous"}})
