"""Progress reports of fits, and exceptions or Ctrl-C that stop a fit."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

from postil.learn.job import Job
from postil.learn.solvers import SOLVERS

from ..samples import (
    LEGAL,
    REACHING_SOLVER,
    design_of,
    each,
    labels_of,
    method_of,
    sample,
    sparse_values,
)

MANY = 600
LONG = {"tolerance": 0.0, "iterations": 2**31}
SHORT = {"tolerance": 0.5, "iterations": 20}
LOGISTIC = ("logistic", "gaussian", "dual-coordinate", "penalised")
# One method for each solver; a squared loss would be solved by one Newton step.
ENDLESS = [next(p for p in reversed(LEGAL) if p[2] == solver) for solver in SOLVERS]


@pytest.fixture(scope="module")
def endless():
    """Noise in many categories: no solver is through with it in a tenth of a second."""
    rng = np.random.default_rng(4)
    return design_of(sparse_values(rng, 150, 40)), labels_of(rng.random((150, MANY)) < 0.4)


@REACHING_SOLVER
def test_progress_ends_with_all_that_there_was_to_learn(parts):
    _, truth, design, _ = sample()
    labels = labels_of(np.column_stack([truth, np.zeros(50, bool)]))
    calls = []
    method_of(parts).fit(Job(design, labels, progress=lambda *call: calls.append(call)))
    assert calls[-1] == (2, 2)
    assert calls == sorted(calls)
    assert all(total == 2 for _, total in calls)


@each(ENDLESS)
@pytest.mark.parametrize("threads", [1, 3])
def test_what_progress_raises_stops_the_work_and_leaves_everything_usable(parts, threads, endless):
    calls = []

    def interrupt(done, total):
        calls.append((done, total))
        raise KeyboardInterrupt

    before = method_of(parts, **SHORT).fit(Job(*endless, threads=threads, quiet=True))
    with pytest.raises(KeyboardInterrupt):
        method_of(parts, lam=1e-9, **LONG).fit(
            Job(*endless, threads=threads, progress=interrupt, quiet=True)
        )
    assert len(calls) == 1
    assert calls[0][0] < calls[0][1] == MANY
    after = method_of(parts, **SHORT).fit(Job(*endless, threads=threads, quiet=True))
    np.testing.assert_array_equal(before.weights.toarray(), after.weights.toarray())


def test_progress_is_told_while_the_work_goes_on(endless):
    calls = []

    def stop_after_three(done, total):
        calls.append((done, total))
        if len(calls) == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        method_of(LOGISTIC, **LONG).fit(Job(*endless, progress=stop_after_three, quiet=True))
    assert calls == sorted(calls)


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_ctrl_c_stops_the_work(endless):
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            method_of(LOGISTIC, **LONG).fit(Job(*endless, threads=2, quiet=True))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    assert method_of(LOGISTIC, tolerance=0.5).fit(Job(*endless)).weights.shape == (MANY, 40)
