"""Every kind of training for a figure of merit, as one function from a design to a fit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from postil.learn.job import Job
from postil.learn.merit.method import MfomMethod, TreeMethod

from ..samples import design_of, labels_of, sparse_values

GPD = {"iterations": 30, "rate": 0.3, "steepness": 4.0}
MFOM = {
    "f1": MfomMethod(),
    "gpd": MfomMethod(solver="gpd", options=GPD),
    "gpd of offsets": MfomMethod(solver="gpd", options=GPD | {"offset": "mean"}),
    "held back": MfomMethod("balanced-error", lam=1e-3),
    "two starts": MfomMethod(starts=("svm", "members-mean")),
    "perceptron start": MfomMethod(starts=("batch-perceptron",)),
    "in stages": MfomMethod("recall>=0.9", options={"stages": 3, "iterations": 5}),
    "micro": MfomMethod("micro-f1"),
    "rivals": MfomMethod("balanced-error", form="rivals"),
    "rivals by gpd": MfomMethod(form="rivals", solver="gpd", options=GPD),
    "unclaimed": MfomMethod("balanced-error", form="unclaimed", sharpness=20.0, lam=1e-4),
    "unclaimed micro": MfomMethod("micro-f1", form="unclaimed", starts=("logistic",)),
}
TREES = {
    "tree": TreeMethod(folds=3),
    "perceptron tree": TreeMethod(solver="batch-perceptron", options={"iterations": 20}, folds=3),
    "gpd tree": TreeMethod(solver="gpd", options=GPD, folds=2),
    "tree left as grown": TreeMethod("f2", folds=0, least=1, depth=4, starts=("svm",), lam=1e-3),
}


def learned(method, design, labels, **given):
    return method.fit(Job(design, labels, **given))


LEARNING = {name: partial(learned, method, threads=1) for name, method in (MFOM | TREES).items()}
# Those whose categories are learned each for itself. Trees are cut by folds that all categories
# make, and a convex start is as near as its tolerance says, in an order by the category's place.
ALONE = ("f1", "gpd", "gpd of offsets", "held back", "perceptron start", "in stages")
EVERY = pytest.mark.parametrize("learn", LEARNING.values(), ids=LEARNING)
EVERY_ALONE = pytest.mark.parametrize("learn", [LEARNING[name] for name in ALONE], ids=ALONE)


def leaning(seed=0, documents=80, terms=25, categories=4, density=0.2):
    """Documents and memberships that lean on the terms: rare categories and frequent ones."""
    rng = np.random.default_rng(seed)
    x = np.abs(sparse_values(rng, documents, terms, density))
    scores = x @ rng.normal(size=(terms, categories)) + 0.4 * rng.normal(
        size=(documents, categories)
    )
    shares = np.linspace(0.1, 0.5, categories)
    truth = scores > [np.quantile(scores[:, c], 1 - share) for c, share in enumerate(shares)]
    return x, truth


def both(x, truth):
    return design_of(x), labels_of(truth)
