"""Small maximisation problems: documents, exact products, and the formulas written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.naming import EXAMPLES, OwnFigure, figure_named
from postil.learn.merit.objective import Merit, Weights
from postil.learn.merit.options import FORMS
from postil.learn.merit.starts import MeritTask

from ..samples import design_of

Floats = NDArray[np.float64]

OWN = OwnFigure(lambda tp, fp, fn, tn: np.log1p(tp) - 0.3 * fp - 0.01 * fn * tn, "own-measure")
FIGURES: dict[str, Figure] = {
    **{name: figure_named(name) for name in (*EXAMPLES, "f0.5", "micro-recall>=0.9")},
    OWN.name: OWN,
}
EVERY_FIGURE = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
EVERY_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
SHARPNESS = 3.0


class ExactProducts:
    """Products in double precision, for differences that single precision would drown."""

    def __init__(self, points: Any) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.documents, self.features = self.points.shape

    def scores(self, weights: Any) -> Any:
        return self.points @ weights

    def gradient(self, slopes: Any) -> Any:
        return self.points.T @ slopes


class Problems:
    """Documents of some weight that lean to problems, some of them no part of one."""

    def __init__(self, documents=30, features=4, problems=3, parts=True, seed=0):
        rng = np.random.default_rng(seed)
        self.x = rng.normal(size=(documents, features))
        scores = self.x @ rng.normal(size=(features, problems))
        noise = 0.7 * rng.normal(size=scores.shape)
        self.cases = np.where(scores + noise > 0.5, 1, -1).astype(np.int8)
        self.cases[0], self.cases[1] = 1, -1
        if parts:
            self.cases[rng.random(self.cases.shape) < 0.15] = 0
        self.documents = rng.choice([0.0, 0.5, 1.0, 2.0], documents, p=[0.1, 0.3, 0.3, 0.3])
        self.documents[:2] = 1.0
        self.start = Weights(rng.normal(size=(features, problems)), 0.3 * rng.normal(size=problems))
        self.steepness = rng.uniform(0.5, 2.0, problems)
        self.products = ExactProducts(self.x)

    def merit(self, figure, form=FORMS["binary"], absent=0) -> Merit:
        return Merit(
            figure,
            self.cases,
            self.documents,
            sharpness=SHARPNESS if form.has_rivals else None,
            capped=form.capped,
            absent=absent if form.has_rivals else 0,
        )

    def task(self, figure, **given) -> MeritTask:
        design = design_of(self.x)
        return MeritTask(design, self.products, self.merit(figure), 1, **given)


def margins_by_formula(scores: Floats, form, absent: int) -> Floats:
    """Equations 4.8 and 4.13, the latter with its cap where the form has one."""
    if not form.has_rivals:
        return scores
    margins = np.empty_like(scores)
    rivals = scores.shape[1] - 1 + absent
    for j in range(scores.shape[1]):
        others = np.delete(scores, j, axis=1)
        bar = (logsumexp(SHARPNESS * others, axis=1) - np.log(rivals)) / SHARPNESS
        if form.capped:
            bar = -np.logaddexp(0.0, -SHARPNESS * bar) / SHARPNESS
        margins[:, j] = scores[:, j] - bar
    return margins


def losses_by_formula(problems: Problems, figure, form, place, lam, absent=0) -> Floats:
    """Return the loss of each problem, or of all where they are joint."""
    scores = problems.x @ place[:-1] + place[-1]
    accepted = expit(problems.steepness * margins_by_formula(scores, form, absent))
    inside = problems.documents[:, None] * (problems.cases > 0)
    outside = problems.documents[:, None] * (problems.cases < 0)
    counts = SmoothCounts(
        (inside * accepted).sum(axis=0),
        (outside * accepted).sum(axis=0),
        inside.sum(axis=0),
        outside.sum(axis=0),
    )
    values = figure.values(counts)
    squares = (place[:-1] ** 2).sum(axis=0)
    if form.has_rivals or figure.pooled:
        return np.full_like(values, lam * squares.sum() - values.sum())
    return np.asarray(lam * squares - values)
