"""A search over one problem for all classes: one strength, whatever learns them.

What a search over one model for all classes can go by.

As with :mod:`postil.learn.search.measures`, what is counted may be added up over folds and classes.
A document counts for its own class: the sums of all classes are those of all documents.

A search over one model for all classes: one problem, one strength.

A search over a multi-class SVM: one problem, one strength.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

from postil.common.progress import Progress
from postil.common.types import Flags, Floats, Ints
from postil.errors import InputError, UsageError
from postil.learn.all_classes import HUNDREDTHS, NEVER, SingleClass
from postil.learn.fit import LinearFit, unfinished
from postil.learn.multiclass_svm import MULTICLASS_SVM, MulticlassSvmMethod, fit_multiclass_svm
from postil.learn.options import Part, registry
from postil.learn.polychotomous import PolychotomousMethod, fit_polychotomous
from postil.learn.search.grids import of_lambda
from postil.learn.search.measures import confusion, f1_of, search_measure, share_of
from postil.learn.search.methods import SearchedMethod
from postil.learn.search.problems import Measure, SearchedProblems, Unseen
from postil.learn.search.strongest import WORTH_HAVING
from postil.learn.search.strongest_classes import strongest_together
from postil.learn.strength import Strengths, Way


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutClasses:
    """Documents a fit has not seen: scores and memberships, documents × classes.

    Each has exactly one class. ``weights`` are the documents' own.
    """

    scores: Floats
    members: Flags
    weights: Floats

    def by_class(self, values: Floats, weights: Floats) -> Floats:
        """Σ weight × value of each class's documents, and Σ weight."""
        return self.members.T.astype(np.float64) @ np.stack([weights * values, weights], axis=-1)


@dataclass(frozen=True, slots=True)
class SoftmaxMeasure(Part):
    """A measure of scores that are compared with each other."""

    tally: Callable[[HeldOutClasses], Floats]
    value: Callable[[Floats], Floats]
    higher_is_better: bool = True


def softmax_measure(name: str) -> SoftmaxMeasure:
    """The measure of that name, refused where it wants thresholds."""
    known = search_measure(name).name
    if known not in SOFTMAX_MEASURES:
        raise UsageError(
            f"the measure {name} needs a threshold for each category, and scores of one model for "
            f"all are compared with each other: use {', '.join(SOFTMAX_MEASURES)}"
        )
    return SOFTMAX_MEASURES[known]


def _log_likelihoods(held: HeldOutClasses) -> Floats:
    """Σ ln P(own class), P = exp(score) over the sum of all classes' exp.

    Documents of a class that the fit has seen no member of are left out: their probability is 0,
    whatever the strength.
    """
    learned = ~(held.scores == NEVER).all(axis=0)
    own = log_softmax(held.scores, axis=1)[held.members]
    return held.by_class(own, held.weights * (held.members @ learned))


def _losses(held: HeldOutClasses) -> Floats:
    """The polychotomous loss is the negative logarithm of the likelihood."""
    return _log_likelihoods(held) * (-1.0, 1.0)


def _best(held: HeldOutClasses) -> Flags:
    """The decision: the class of the highest score."""
    best = np.zeros_like(held.members)
    best[np.arange(len(best)), held.scores.argmax(axis=1)] = True
    return best


def _errors(held: HeldOutClasses) -> Floats:
    """The weight of documents whose class is not found, and of all."""
    found = (held.members & _best(held)).any(axis=1)
    return held.by_class(np.where(found, 0.0, 1.0), held.weights)


def _counts(held: HeldOutClasses) -> Floats:
    """TP, FP and FN of each class."""
    return confusion(held.weights, held.members, _best(held))


_NONE: frozenset[str] = frozenset()

SOFTMAX_MEASURES: Mapping[str, SoftmaxMeasure] = MappingProxyType(
    registry(
        SoftmaxMeasure(
            "log-likelihood", "average ln P of the own class", _NONE, _log_likelihoods, share_of
        ),
        SoftmaxMeasure("loss", "its negative", _NONE, _losses, share_of, False),
        SoftmaxMeasure("error", "share of documents not found", _NONE, _errors, share_of, False),
        SoftmaxMeasure("f1", "F1 of the best class; micro over classes", _NONE, _counts, f1_of),
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class TogetherProblems(SearchedProblems):
    """The one problem of some documents that have exactly one class each.

    ``kind`` is the learner's, ``instead`` the loss of the nearest one-vs-rest.
    """

    kind: ClassVar[str]
    instead: ClassVar[str]

    @classmethod
    def check_apart(cls, wanted: str) -> None:
        """Refuse it: there is one strength for all classes."""
        raise UsageError(
            f"{wanted} wants a strength for each category, and {cls.kind} has one model with "
            f'one strength for all: leave it out, or learn one-vs-rest (learner = "linear", loss = '
            f'"{cls.instead}")'
        )

    def of(self, chosen: Ints) -> TogetherProblems:
        """All classes, as they are one problem."""
        if len(chosen) != len(self.labels):
            self.check_apart("a choice of categories")
        return self

    def tallies(
        self,
        measure: str,
        unseen: Unseen,
        way: Way,
        values: Floats,
        progress: Progress | None = None,
    ) -> tuple[Floats, Ints]:
        """One fit for each point, from nothing: the solver takes no start.

        Only one fit's weights are held at a time. A fit that ran out of iterations is counted
        once, with the first class.
        """
        tolerance = self.method.solver_options().tolerance
        tally: Callable[[HeldOutClasses], Floats] = softmax_measure(measure).tally
        left = np.zeros(values.shape, dtype=np.int64)
        counts = []
        for point, strengths in enumerate(values):
            fit = self.learned(way, strengths, _offset(progress, point, len(values)))
            scores = fit.scores(unseen.rows)
            counts.append(tally(HeldOutClasses(scores, unseen.members, unseen.weights)))
            left[point, :1] = bool(unfinished(fit.reports, tolerance))
        return np.stack(counts), left

    def cold(self, way: Way, values: Floats) -> LinearFit:
        """The fit with one strength for each class, as a training makes it."""
        return self.learned(way, values, None)

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        raise NotImplementedError


def measure_of_decisions(name: str, kind: str) -> SoftmaxMeasure:
    """The measure of that name, refused where it wants probabilities or thresholds."""
    found = softmax_measure(name)
    able = ("error", "f1")
    if found.name not in able:
        raise UsageError(
            f"the measure {name} needs probabilities, and {kind} gives none: use "
            f"{' or '.join(able)}"
        )
    return found


def _offset(progress: Progress | None, point: int, points: int) -> Progress | None:
    if progress is None:
        return None

    def tell(done: int, of: int) -> None:
        progress(point * HUNDREDTHS + HUNDREDTHS * done // max(1, of), points * HUNDREDTHS)

    return tell


@dataclass(frozen=True, slots=True, eq=False)
class PolychotomousProblems(TogetherProblems):
    """The one problem of some documents that have exactly one class each."""

    method: PolychotomousMethod

    usual_measure: ClassVar[str] = "log-likelihood"
    kind: ClassVar[str] = "polychotomous"
    instead: ClassVar[str] = "logistic"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:  # noqa: ARG003
        """The measure of that name; all of them suit all such methods."""
        return softmax_measure(cls.usual_measure if name is None else name)

    def check(self) -> None:
        """Refuse documents with no class or several, and a reference that a fold would lack."""
        SearchedProblems.check(self)
        sizes = SingleClass.of(self.labels, self.sample_weights).sizes
        name = self.method.reference
        if name in self.labels.names and sizes[self.labels.names.index(name)] == 1:
            raise InputError(
                f"the reference class {name} has one member, and the fold that holds it out has "
                "none to learn against: take another reference, or none"
            )

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        return fit_polychotomous(
            self.design,
            self.labels,
            self.method,
            selection=self.selection,
            sample_weights=self.sample_weights,
            strengths=Strengths(way, values),
            priors=self.priors,
            threads=self.threads,
            progress=progress,
            quiet=True,
        )

    def strongest(self, way: Way) -> Floats:
        """The same for all classes: where the first weight of any begins to move."""
        found = strongest_together(
            self.design,
            self.labels,
            self.method,
            self.sample_weights,
            self.selection,
            self.priors,
            way,
        )
        return np.full(len(self.labels), found)


@dataclass(frozen=True, slots=True, eq=False)
class MulticlassSvmProblems(TogetherProblems):
    """The one problem of some documents that have exactly one class each."""

    method: MulticlassSvmMethod

    usual_measure: ClassVar[str] = "f1"
    kind: ClassVar[str] = MULTICLASS_SVM
    instead: ClassVar[str] = "hinge"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:  # noqa: ARG003
        """The measure of that name; refused where it wants probabilities."""
        return measure_of_decisions(cls.usual_measure if name is None else name, cls.kind)

    def check(self) -> None:
        """Refuse documents with no class or several."""
        SearchedProblems.check(self)
        SingleClass.of(self.labels, self.sample_weights, MULTICLASS_SVM)

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        return fit_multiclass_svm(
            self.design,
            self.labels,
            self.method,
            selection=self.selection,
            sample_weights=self.sample_weights,
            strengths=Strengths(way, values),
            threads=self.threads,
            progress=progress,
            quiet=True,
        )

    def strongest(self, way: Way) -> Floats:
        """The same for all classes: λ = ‖g‖²/(4 · 0.01 · L), by the slopes g at zero weights.

        With L the loss there, no weights of terms lower the objective by more than 1 % of it.
        Costs one pass over the non-zeros.
        """
        classes = SingleClass.of(self.labels, self.sample_weights, MULTICLASS_SVM)
        lam = _little_to_gain(self, classes)
        values = np.full(len(self.labels), lam if lam > 0 else 1.0)
        return of_lambda(values, way, classes.total, 0.0)


def _little_to_gain(problems: MulticlassSvmProblems, classes: SingleClass) -> float:
    """At zero weights each document pulls its class C - 1 times, and every other once."""
    count = len(classes.learnable)
    if count < 2:
        return 0.0
    shares = classes.weights / classes.total
    places = np.arange(len(shares))
    own = sp.csr_matrix((shares, (classes.of_document, places)), shape=(count, len(shares)))
    sums = (own @ problems.design.rows).toarray()
    slopes = sums.sum(axis=0) - count * sums
    if problems.selection is not None:
        for at, category in enumerate(classes.learnable.tolist()):
            unused = np.ones(problems.design.terms, dtype=bool)
            unused[problems.selection[category]] = False
            slopes[at, unused] = 0.0
    loss = 2.0 * (count - 1) * float(shares.sum())
    return float((slopes**2).sum()) / (4 * WORTH_HAVING * loss) if loss > 0 else 0.0
