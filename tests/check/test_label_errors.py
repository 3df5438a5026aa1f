"""Likely label errors: ranked as cleanlab ranks them, and few where labels are right."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from cleanlab.multilabel_classification.rank import get_label_quality_scores as multi_label_quality
from cleanlab.rank import get_label_quality_scores

from postil.check.label_errors import Doubts, label_quality
from postil.check.quick_model import Judged

NAMES = tuple("abcde")


def probabilities_of(count, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(len(NAMES), 0.5), count)


def judged_of(truth, probabilities, partly=None):
    truth = sp.csr_matrix(truth, dtype=bool)
    count = truth.shape[0]
    nobody = np.zeros(count, dtype=bool) if partly is None else partly
    return Judged(np.arange(count), truth, truth, probabilities, nobody)


def test_single_labels_are_ranked_as_by_cleanlab():
    probabilities = probabilities_of(200)
    given = np.random.default_rng(1).integers(len(NAMES), size=200)
    truth = sp.csr_matrix(np.eye(len(NAMES), dtype=bool)[given])
    theirs = get_label_quality_scores(given, probabilities, method="self_confidence")
    assert label_quality(truth, probabilities, single=True) == pytest.approx(theirs)


def test_several_labels_are_ranked_as_by_cleanlab():
    chance = np.random.default_rng(2)
    probabilities = chance.random((200, len(NAMES)))
    truth = chance.random((200, len(NAMES))) < 0.4
    theirs = multi_label_quality([np.flatnonzero(row).tolist() for row in truth], probabilities)
    ours = label_quality(sp.csr_matrix(truth), probabilities, single=False)
    assert ours == pytest.approx(theirs)


def confident(given, sure=0.8):
    """Probabilities of a model that is right and rather sure, a little more or less each time."""
    noise = np.random.default_rng(3).uniform(-0.1, 0.1, len(given))
    rest = (1 - sure - noise) / (len(NAMES) - 1)
    found = np.repeat(rest[:, None], len(NAMES), axis=1)
    found[np.arange(len(given)), given] = sure + noise
    return found


@pytest.mark.parametrize("single", [True, False])
def test_labels_that_agree_are_not_doubted(single):
    given = np.arange(100) % len(NAMES)
    doubts = Doubts(NAMES, single=single)
    doubts.add(judged_of(np.eye(len(NAMES), dtype=bool)[given], confident(given)))
    assert doubts.suspects() == []
    assert doubts.judged == 100


@pytest.mark.parametrize("single", [True, False])
def test_wrong_labels_are_found_in_any_block_the_worst_first(single):
    right = np.arange(100) % len(NAMES)
    given = right.copy()
    given[[7, 60]] = [0, 4]
    probabilities = confident(right, sure=0.85)
    probabilities[7] = [0.001, 0.001, 0.996, 0.001, 0.001]
    probabilities[60] = [0.97, 0.01, 0.005, 0.005, 0.01]
    judged = judged_of(np.eye(len(NAMES), dtype=bool)[given], probabilities)
    doubts = Doubts(NAMES, single=single)
    for part in (np.arange(50), np.arange(50, 100)):
        doubts.add(judged.of_documents(part))
    first, second = doubts.suspects()
    assert (first.row, second.row) == (7, 60)
    assert first.lacks == (("c", 0.996),)
    assert first.has == (("a", 0.001),)
    assert first.quality < second.quality


def test_labels_that_the_model_does_not_know_are_not_judged():
    given = np.arange(100) % len(NAMES)
    probabilities = confident(given)
    members = given == 1
    probabilities[members, 1] = 0.001  # of all its members
    doubts = Doubts(NAMES, single=False)
    doubts.add(judged_of(np.eye(len(NAMES), dtype=bool)[given], probabilities))
    assert doubts.suspects() == []


def test_nothing_is_known_of_what_partly_judged_documents_lack():
    given = np.arange(100) % len(NAMES)
    probabilities = confident(given, sure=0.85)
    probabilities[5, 1] = 0.99
    truth = np.eye(len(NAMES), dtype=bool)[given]
    for partly, count in ((False, 1), (True, 0)):
        doubts = Doubts(NAMES, single=False)
        doubts.add(judged_of(truth, probabilities, np.full(100, partly)))
        assert len(doubts.suspects()) == count
