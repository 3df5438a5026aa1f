"""The strongest useful strength of one model for all classes: where its path begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from postil.common.types import Floats
from postil.features.selection import Selection
from postil.learn.all_classes import SingleClass
from postil.learn.category_tasks import CategoryTasks
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.polychotomous import PolychotomousMethod, fit_polychotomous
from postil.learn.search.grids import of_lambda
from postil.learn.search.one_vs_rest import Problems
from postil.learn.search.strongest import NOISE, WORTH_HAVING, Slopes
from postil.learn.strength import Strengths, Way
from postil.learn.term_priors.priors import TermPriors

# Halvings of an interval whose ends are a factor of 2 apart.
HALVINGS = 24
EXACT = {"tolerance": 1e-14}


def strongest_together(
    design: Design,
    labels: Labels,
    method: PolychotomousMethod,
    sample_weights: SampleWeights,
    selection: Selection | None,
    priors: TermPriors | None,
    way: Way,
) -> float:
    """The strength at which the first weight of any class begins to move, in the given way.

    With pₖ the probabilities that constants alone give the classes, the slope of the average loss
    in the weight of term j is gₖⱼ = (1/n) Σ cᵢ (pₖ - [y(i) = k]) xᵢⱼ. Where the prior has an
    absolute value, every weight rests as long as its strength is the size of the largest slope or
    more. Free constants make pₖ the share of the class; penalised ones depend on the strength, so
    that the largest at which something moves is looked for, by halves, and found between two.

    A Gaussian prior never lets weights rest: as in ``strongest``, it is λ = ‖g‖²/(4 · 0.01 · L),
    by which no weights lower the objective by more than 1 % of L, the loss of free constants.
    λ is 1 where there is nothing to learn. Factors of terms' variances are taken into account;
    other priors of single terms are not.

    Cost: one pass over the non-zeros; with a penalised constant some 50 passes over the terms of
    each class, and as many problems of classes × classes.
    """
    classes = SingleClass.of(labels, sample_weights)
    lam = 0.0
    if len(classes.learnable) > 1:
        rest = _Rest(design, labels, method, classes, selection, priors, way)
        lam = rest.moving() if method.share > 0 else rest.worth_having()
    found = of_lambda(np.array([lam or 1.0]), way, classes.total, method.share)
    return float(found[0])


class _Rest:
    """Models of constants alone, and the slopes of all weights there.

    The slopes of a class are those of one-vs-rest logistic regression, where the constant gives it
    the same probability.
    """

    def __init__(
        self,
        design: Design,
        labels: Labels,
        method: PolychotomousMethod,
        classes: SingleClass,
        selection: Selection | None,
        priors: TermPriors | None,
        way: Way,
    ) -> None:
        self.method = method
        self.way = way
        self.total = classes.total
        # Class weights are those of the documents of a class, whichever class is looked at.
        apart = Problems(design, labels, _one_vs_rest(method), SampleWeights(classes.weights))
        apart = replace(apart, selection=selection, priors=priors)
        self.slopes = Slopes(apart, CategoryTasks(labels, classes.weights, apart.sample_weights))
        self.names = tuple(labels.names[c] for c in classes.learnable)
        self.moves = np.array([name != method.reference for name in self.names])
        counted = classes.weights > 0
        places, weights = classes.of_document[counted], classes.weights[counted]
        self.mass: Floats = np.bincount(places, weights, len(self.names)).astype(np.float64)

    def moving(self) -> float:
        """The largest λ below which a weight moves; 0 where none ever does."""
        share = self.method.share
        if self.method.intercept != "penalised":
            return self._peak(self._free()) / share
        # Here constants rest, too.
        equal = np.full(len(self.mass), 1 / len(self.mass))
        pull = float(np.abs(equal - self._shares())[self.moves].max())
        high = top = max(self._peak(equal), self.method.constant * pull) / share
        while not self._moves(high / 2):
            high /= 2
            if high < NOISE * top:
                return 0.0
        low = high / 2
        for _ in range(HALVINGS):
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if self._moves(middle) else (low, middle)
        return high

    def worth_having(self) -> float:
        """The λ of a Gaussian prior at which weights can gain little."""
        alone = self._free()
        loss = -float(self.mass @ np.log(alone)) / self.total
        squares = self.slopes.squared_norms(_log_odds(alone))[self.moves].sum()
        return float(squares) / (4 * WORTH_HAVING * loss)

    def _moves(self, lam: float) -> bool:
        return self._peak(self._penalised(lam)) > self.method.share * lam

    def _peak(self, probabilities: Floats) -> float:
        """The largest slope; the weights of a reference have none to follow."""
        return float(self.slopes.peaks(_log_odds(probabilities))[self.moves].max())

    def _shares(self) -> Floats:
        result: Floats = self.mass / self.mass.sum()
        return result

    def _free(self) -> Floats:
        """The probabilities of free constants, or without any constant."""
        if self.method.intercept == "none":
            return np.full(len(self.mass), 1 / len(self.mass))
        return self._shares()

    def _penalised(self, lam: float) -> Floats:
        """The probabilities of penalised constants: a document without terms for each class."""
        count = len(self.names)
        labels = Labels(self.names, sp.csr_matrix(np.eye(count, dtype=np.bool_)))
        strengths = of_lambda(np.full(count, lam), self.way, self.total, self.method.share)
        fit = fit_polychotomous(
            Design(sp.csr_matrix(np.zeros((count, 1), dtype=np.float32))),
            labels,
            replace(self.method, options=EXACT),
            sample_weights=SampleWeights(self.mass),
            strengths=Strengths(self.way, strengths),
            threads=1,
            quiet=True,
        )
        result: Floats = softmax(fit.intercepts)
        return result


def _one_vs_rest(method: PolychotomousMethod) -> Method:
    return Method(
        "logistic",
        method.prior,
        "newton-coordinate",
        intercept=method.intercept,
        constant=method.constant,
        mix=method.mix,
    )


def _log_odds(probabilities: Floats) -> Floats:
    others = np.maximum(probabilities.sum() - probabilities, np.finfo(np.float64).tiny)
    result: Floats = np.log(probabilities) - np.log(others)
    return result
