"""Bootstrap intervals against a slow bootstrap, row by row."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score

from postil.errors import UsageError
from postil.evaluate.bootstrap import (
    Plan,
    bootstrap_difference,
    bootstrap_intervals,
    bootstrap_mean,
)
from postil.evaluate.counts import count, plain
from postil.evaluate.measures import macro_statistic, micro_statistic

from .samples import random_run

STATISTICS = {
    "micro": micro_statistic("f1"),
    "macro": macro_statistic("f1"),
    "skipping": macro_statistic("precision", "skip"),
}
PLAN = Plan(resamples=60, seed=7, level=0.9)


def test_counts_of_resamples_are_those_of_the_drawn_rows():
    truth, decisions, *_ = random_run(documents=50, categories=6)
    fast = bootstrap_intervals(truth, decisions, STATISTICS, PLAN)
    for name, statistic in STATISTICS.items():
        drawn = [rows for block in PLAN.draws(50) for rows in block]
        slow = np.array([float(statistic(count(truth[r], decisions[r]))) for r in drawn])
        assert fast[name].value == pytest.approx(float(statistic(count(truth, decisions))))
        low, high = np.nanquantile(slow, [0.05, 0.95])
        assert (fast[name].low, fast[name].high) == pytest.approx((low, high))
        assert fast[name].undefined == np.isnan(slow).sum()
    dense = truth.toarray().astype(int), decisions.toarray().astype(int)
    assert fast["micro"].value == pytest.approx(f1_score(*dense, average="micro"))


def test_blocks_do_not_change_the_draws(monkeypatch):
    whole = np.concatenate(list(PLAN.draws(7)))
    monkeypatch.setattr("postil.evaluate.bootstrap.BLOCK", 21)
    blocks = list(PLAN.draws(7))
    assert len(blocks) == 20
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    assert all(len(block) == 1 for block in PLAN.draws(7, width=1000))
    truth, decisions, *_ = random_run(documents=50, categories=6)
    cut = bootstrap_intervals(truth, decisions, STATISTICS, PLAN)
    monkeypatch.undo()
    assert bootstrap_intervals(truth, decisions, STATISTICS, PLAN) == cut


def test_the_seed_decides():
    truth, decisions, *_ = random_run(documents=80)
    one, again, other = (
        bootstrap_intervals(truth, decisions, STATISTICS, Plan(100, seed)) for seed in (1, 1, 2)
    )
    assert one == again
    assert one["micro"].low != other["micro"].low
    assert one["micro"].low <= one["micro"].value <= one["micro"].high
    assert one["micro"].seed == 1


def test_the_width_is_that_of_the_binomial():
    rng = np.random.default_rng(0)
    right = (rng.random(2000) < 0.8).astype(float)
    interval = bootstrap_mean(right, Plan(2000))
    width = 2 * 1.96 * math.sqrt(0.8 * 0.2 / 2000)
    assert interval.high - interval.low == pytest.approx(width, rel=0.1)
    assert interval.value == right.mean()


def test_differences_are_paired():
    truth, decisions, *_ = random_run()
    same = bootstrap_difference(truth, decisions, decisions, STATISTICS, PLAN)
    for each in same.values():
        assert (each.low, each.value, each.high) == (0, 0, 0)
        assert each.p_value == 1.0
    worse = random_run(flips=0.3)[1]
    better = bootstrap_difference(truth, decisions, worse, STATISTICS, PLAN)["micro"]
    assert better.low > 0
    assert better.p_value == pytest.approx(2 / 61)
    turned = bootstrap_difference(truth, worse, decisions, STATISTICS, PLAN)["micro"]
    assert turned.low == pytest.approx(-better.high)
    alone = bootstrap_intervals(truth, decisions, STATISTICS, PLAN)["micro"].value
    other = bootstrap_intervals(truth, worse, STATISTICS, PLAN)["micro"].value
    assert better.value == pytest.approx(alone - other)


def test_undefined_resamples_are_counted():
    truth = sp.csr_matrix(np.array([[1], [0], [0]], bool))
    interval = bootstrap_intervals(truth, truth, {"f1": micro_statistic("f1")}, PLAN)["f1"]
    assert 0 < interval.undefined < 60
    assert (interval.low, interval.high) == (1.0, 1.0)
    never = sp.csr_matrix((3, 1), dtype=bool)
    interval = bootstrap_intervals(never, never, {"f1": micro_statistic("f1")}, PLAN)["f1"]
    assert interval.undefined == 60
    assert plain(interval)["low"] is None


def test_no_document_is_undefined():
    empty = sp.csr_matrix((0, 2), dtype=bool)
    for interval in (
        bootstrap_intervals(empty, empty, STATISTICS, PLAN)["macro"],
        bootstrap_mean(np.zeros(0), PLAN),
    ):
        assert interval.undefined == 60
        assert math.isnan(interval.value)
    difference = bootstrap_difference(empty, empty, empty, STATISTICS, PLAN)["micro"]
    assert json.loads(json.dumps(plain(difference), allow_nan=False))["p_value"] is None


@pytest.mark.parametrize("arguments", [{"resamples": 0}, {"level": 1.0}, {"level": 0.0}])
def test_plans_that_make_no_sense_are_refused(arguments):
    with pytest.raises(UsageError, match="at least 1 resample"):
        Plan(**arguments)
