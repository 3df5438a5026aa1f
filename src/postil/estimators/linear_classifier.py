"""A scikit-learn classifier over every loss, prior and solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from postil.common.types import Floats
from postil.errors import UsageError
from postil.estimators.targets import (
    ClassWeights,
    Target,
    check_same_classes,
    class_weights,
    first_target,
    labels_for,
    merged_rows,
    plain_target,
    positive,
    read_target,
    share,
    solver_options,
    steps_of_a_pass,
    threads_of,
)
from postil.learn.fit import FitReport, LinearFit, NotConvergedWarning, warn_of_unfinished
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.resume import depends_on_number, document_strengths, exponents
from postil.learn.solvers import SOLVERS, InterceptKind
from postil.learn.strength import NORM_BASED, Regularization, Strengths
from postil.learn.term_priors.priors import TermPriors
from postil.vectors.matrices import check_indices


class UnfinishedFitWarning(NotConvergedWarning, ConvergenceWarning):  # type: ignore[misc]
    """A fit stopped before its certificate reached ``tol``; also scikit-learn's warning."""


def _can_resume(model: LinearClassifier) -> bool:
    solver = SOLVERS.get(model.solver)
    return solver is not None and "updates" in solver.provides


def _gives_probabilities(model: LinearClassifier) -> bool:
    loss = LOSSES.get(model.loss)
    return loss is not None and "probability" in loss.provides


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Regularized linear classification of two classes, many classes, or many labels.

    ::

        (1/n) Σ cᵢ loss(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)     y in {-1, +1}, n = Σ sample weights

    for each class against the rest. ``y`` holds one class for each row (two classes, or more: the
    highest score decides), or an indicator, dense or sparse, with a column for each label.

    Weights do not depend on the order of the rows, and a row that occurs twice is a row of weight
    2. Solvers that learn from one row after the other, ``"mistake-driven"`` (Perceptron and Winnow)
    and ``"dual-gradient"``, follow the order of the rows instead, and have ``partial_fit``.

    Cost: a pass is linear in the non-zeros of ``X``, for each class. Learning uses float32; memory
    is 16 bytes for each non-zero and 8 for each weight of the dense ``coef_``.

    Parameters
    ----------
    loss, prior, solver : str
        Parts of :mod:`postil.learn`. ``fit`` raises UsageError for parts that do not go together,
        and names those that do: ``prior="laplace"`` (the lasso) and ``"elastic-net"`` take
        ``solver="newton-coordinate"``.
    lam, C, prior_variance : float, optional
        The strength of regularization, given in one of three ways
        (:class:`~postil.learn.strength.Strengths`); the default is ``C=1``, as in LIBLINEAR.
        ``prior_variance="norm"`` takes it from the data.
    intercept : {"penalised", "free", "none"}
        The intercept is the weight of a feature of value ``constant``, penalised like the others
        or not. ``solver="smo"`` needs ``"free"``.
    constant : float
        The value of that feature.
    class_weight : mapping or "balanced", optional
        The weight of the members of each class (of each column number, for an indicator), 1 by
        default. Other rows weigh 1; of two classes, each has its own weight. ``"balanced"`` gives
        both sides of every class n/2.
    tol : float
        The bound of the certificate in ``reports_``: the duality gap over the objective, or the
        largest violation of optimality over that of zero weights.
    max_iter : int
        The most passes over the rows (``"smo"``: as many pairs as there are rows).
    random_state : int or RandomState, optional
        The order of the passes; None is 0, so that fits repeat bit by bit.
    n_jobs : int, optional
        The number of threads; None and -1 use every processor. Results do not depend on it.
    solver_options, loss_options, prior_options : mapping, optional
        Further options of the parts, such as ``shrink`` and ``mu``.
    mix : float, optional
        The share of the absolute value in ``prior="elastic-net"``.
    term_priors : TermPriors, optional
        Per-term priors of single columns: means, variances, and bounds such as 0 for a weight that
        must not be negative.

    Attributes
    ----------
    classes_, coef_, intercept_
        As in scikit-learn; ``coef_`` is 1 × features for two classes, else classes × features.
    reports_ : tuple of FitReport
        A :class:`~postil.learn.fit.FitReport` for each row of ``coef_``.
    n_iter_ : int
        The most passes that a class took.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    def __init__(
        self,
        loss: str = "modified-squared",
        prior: str = "gaussian",
        solver: str = "dual-coordinate",
        lam: float | None = None,
        C: float | None = None,  # noqa: N803 - its name everywhere
        prior_variance: float | Literal["norm"] | None = None,
        intercept: InterceptKind = "penalised",
        constant: float = 1.0,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
        mix: float | None = None,
        term_priors: TermPriors | None = None,
        loss_options: Mapping[str, Any] | None = None,
        prior_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.loss = loss
        self.prior = prior
        self.solver = solver
        self.lam = lam
        self.C = C
        self.prior_variance = prior_variance
        self.intercept = intercept
        self.constant = constant
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.solver_options = solver_options
        self.mix = mix
        self.term_priors = term_priors
        self.loss_options = loss_options
        self.prior_options = prior_options

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ANN401, N803
        """Learn the weights of every class."""
        y = plain_target(y)
        check_indices(X, "X")
        check_indices(y, "y")
        X, y = validate_data(  # noqa: N806
            self, X, y, accept_sparse=["csr", "csc"], dtype=np.float32, multi_output=True
        )
        weights = _sample_weights(sample_weight, X)
        target, labels = read_target(y)
        X = Design(sp.csr_matrix(X)).rows  # noqa: N806
        sizes = labels.sizes() if weights is None else (weights > 0) @ labels.members.astype(int)
        if (weights is None or weights.any()) and not self._follows_order():
            X, labels, weights = merged_rows(X, labels, weights)  # noqa: N806
        pass_steps = steps_of_a_pass(self.solver, X.shape[0])
        method = self._method(pass_steps)
        found = self._learn(X, labels, target, method, weights)
        found = replace(found, reports=_with_sizes(found.reports, sizes))
        warn_of_unfinished(found.reports, self.tol, UnfinishedFitWarning)
        self._keep(found, target)
        self._row_strengths = _row_strengths(method, found.reports, _total(weights, X))
        most = max(report.iterations for report in found.reports)
        self.n_iter_ = -(-most // pass_steps)
        return self

    @available_if(_can_resume)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,  # noqa: ANN401, N803
        y: Any,  # noqa: ANN401
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from more rows in one pass, and resume from the weights learned before.

        Dual variables of earlier rows stay as they are. λ is that of the rows of the first call; C
        and the prior variance belong to each row. Cost: linear in the non-zeros of ``X``, and in
        the features once, for each class.

        Parameters
        ----------
        X, y
            The rows.
        classes : array, optional
            All classes that will occur. The first call needs them, unless ``y`` is an indicator.
        sample_weight : array, optional
            The weight of each row.
        """
        first = not hasattr(self, "coef_")
        y = plain_target(y)
        check_indices(X, "X")
        check_indices(y, "y")
        X, y = validate_data(  # noqa: N806
            self,
            X,
            y,
            accept_sparse=["csr", "csc"],
            dtype=np.float32,
            multi_output=True,
            reset=first,
        )
        weights = _sample_weights(sample_weight, X)
        _check_not_balanced(self.class_weight)
        target = first_target(y, classes) if first else self._fitted_target()
        check_same_classes(target, classes)
        labels = labels_for(target, y)
        method = self._method(1, passes=1)
        resume_from = [np.zeros(X.shape[1] + 1)] * len(labels)
        strengths = None
        if not first:
            resume_from = _resume_exponents(
                method, self.coef_, self.intercept_, self._units, self.reports_
            )
            strengths = self._row_strengths
        found = self._learn(X, labels, target, method, weights, resume_from, strengths)
        self._keep(found, target)
        if first:
            self._row_strengths = _row_strengths(method, found.reports, _total(weights, X))
        self.n_iter_ = 1
        return self

    def _learn(
        self,
        X: Any,  # noqa: ANN401, N803
        labels: Labels,
        target: Target,
        method: Method,
        weights: Floats | None,
        resume_from: Sequence[Floats] = (),
        strengths: Strengths | None = None,
    ) -> LinearFit:
        job = Job(
            Design(sp.csr_matrix(X)),
            labels,
            sample_weights=SampleWeights(weights, class_weights(self.class_weight, target)),
            term_priors=self.term_priors,
            resume_from=resume_from,
            strengths=strengths,
            threads=threads_of(self.n_jobs),
            quiet=True,
        )
        return method.fit(job)

    def _follows_order(self) -> bool:
        """Return True if the solver takes the rows in the order of ``X``, not in one of its own."""
        return _can_resume(self) or not (self.solver_options or {}).get("shuffle", True)

    def _keep(self, found: LinearFit, target: Target) -> None:
        self._target = target
        self.classes_ = target.classes
        self.coef_: Any = found.weights.toarray()
        self.intercept_ = _intercepts(found, target, class_weights(self.class_weight, target))
        self.reports_ = found.reports
        self._units = found.units

    def decision_function(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Return scores: one for each row for two classes, else rows × classes."""
        return self._fitted_target().scores(self._scores(X))

    def predict(self, X: Any) -> Any:  # noqa: ANN401, N803
        """Return the class of each row, or the indicator of labels (sparse if ``y`` was)."""
        return self._fitted_target().answers(self._scores(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Return probabilities, rows × classes, with a loss that has them, such as logistic.

        For more than two classes, these are the one-vs-rest probabilities over their sum.
        """
        return self._fitted_target().probabilities(self._scores(X))

    def sparsify(self) -> Self:
        """Turn ``coef_`` into CSR, which is smaller if over half of it is zero."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Turn ``coef_`` back into an array."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_).toarray()
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _fitted_target(self) -> Target:
        check_is_fitted(self)
        return self._target

    def _scores(self, X: Any) -> Floats:  # noqa: ANN401, N803
        check_indices(X, "X")
        X = validate_data(  # noqa: N806
            self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=False
        )
        products = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return np.asarray(products, dtype=np.float64) + self.intercept_

    def _regularization(self) -> Regularization:
        if isinstance(self.prior_variance, str) and self.prior_variance == NORM_BASED:
            return Regularization(self.lam, self.C, NORM_BASED)
        given = {"lam": self.lam, "C": self.C, "prior_variance": self.prior_variance}
        words = {"prior_variance": NORM_BASED}
        said = {
            name: positive(name, value, words.get(name))
            for name, value in given.items()
            if value is not None
        }
        return Regularization(**said)

    def _method(self, pass_steps: int, passes: int | None = None) -> Method:
        return Method(
            self.loss,
            self.prior,
            self.solver,
            self._regularization(),
            self.intercept,
            positive("constant", self.constant),
            solver_options(
                tol=self.tol,
                max_iter=self.max_iter if passes is None else passes,
                random_state=self.random_state,
                pass_steps=pass_steps,
                further=self.solver_options,
            ),
            None if self.mix is None else share("mix", self.mix),
            self.loss_options or {},
            self.prior_options or {},
        )


def _sample_weights(given: ArrayLike | None, X: Any) -> Floats | None:  # noqa: ANN401, N803
    if given is None:
        return None
    checked: Floats = _check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)
    return checked


def _with_sizes(reports: tuple[FitReport, ...], sizes: ArrayLike) -> tuple[FitReport, ...]:
    """Return reports that count each row, also those that were merged."""
    counts = np.asarray(sizes).tolist()
    return tuple(
        replace(report, members=count) for report, count in zip(reports, counts, strict=True)
    )


def _total(weights: Floats | None, X: Any) -> float:  # noqa: ANN401, N803
    return float(X.shape[0] if weights is None else weights.sum())


def _intercepts(found: LinearFit, target: Target, classes: ClassWeights) -> Floats:
    """Return the intercepts; a category without members of any weight has ``never``."""
    intercepts = found.intercepts.copy()
    for category, report in enumerate(found.reports):
        weightless = isinstance(classes, list) and classes[category][0] == 0
        if report.stopped == "constant" and (report.members == 0 or weightless):
            intercepts[category] = target.never
    return intercepts


def _resume_exponents(
    method: Method,
    weights: Any,  # noqa: ANN401 - dense or sparse
    intercepts: Floats,
    units: Floats | None,
    reports: tuple[FitReport, ...],
) -> list[Floats]:
    """Return the exponents of each category to resume from; 0 for a constant category."""
    dense = sp.csr_matrix(weights).toarray()
    found = []
    for category, row in enumerate(dense):
        if reports[category].stopped == "constant":
            found.append(np.zeros(len(row) + 1))
            continue
        unit = None if units is None else float(units[category])
        found.append(exponents(method, row, float(intercepts[category]), unit))
    return found


def _row_strengths(method: Method, reports: tuple[FitReport, ...], rows: float) -> Strengths | None:
    """Return the C of each category after a fit, if the method has a λ for all rows."""
    if not method.can_resume or not depends_on_number(method):
        return None
    return document_strengths(method, [report.lam for report in reports], rows)


def _check_not_balanced(class_weight: Any) -> None:  # noqa: ANN401 - whatever was given
    """Raise UsageError for class weights that depend on all rows."""
    if isinstance(class_weight, str):
        raise UsageError(
            f"class_weight={class_weight!r} needs all rows at once, and partial_fit has some: "
            "give a mapping of classes to weights"
        )
