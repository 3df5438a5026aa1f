"""A scikit-learn classifier over every loss, prior and solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from postil.estimators.partial import (
    check_same_classes,
    first_target,
    labels_for,
    refuse_balanced,
    resume_exponents,
    row_strengths,
)
from postil.estimators.targets import (
    ClassWeights,
    Target,
    class_weights,
    positive,
    read_target,
    refuse_label_lists,
    share,
    solver_options,
    steps_of_a_pass,
    threads_of,
)
from postil.learn.fit import LinearFit, NotConvergedWarning, warn_of_unfinished
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS, InterceptKind
from postil.learn.strength import NORM_BASED, Regularization, Strengths
from postil.learn.term_priors.priors import TermPriors
from postil.vectors.matrices import check_indices


class UnfinishedFitWarning(NotConvergedWarning, ConvergenceWarning):  # type: ignore[misc]
    """A fit stopped before its certificate was as small as ``tol``; scikit-learn's kind too."""


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

    for each class against the rest. ``y`` is one class for each row (two, or more: the highest
    score decides), or an indicator, dense or sparse, with a column for each label.

    ``loss``, ``prior``, ``solver``: the parts of :mod:`postil.learn`; what does not fit together
    is refused by ``fit``, which says what does: ``prior="laplace"`` (the lasso) and
    ``"elastic-net"``, whose share of the absolute value is ``mix``, take
    ``solver="newton-coordinate"``. At most one of ``lam`` (λ), ``C`` and ``prior_variance``, which
    :class:`~postil.learn.strength.Strengths` explains for each prior; none is ``C=1``, as in
    LIBLINEAR, and ``prior_variance="norm"`` takes it from the data. ``term_priors``
    (:class:`~postil.learn.term_priors.priors.TermPriors`) says what is believed of single
    columns: means, variances, bounds such as 0 for a weight that must not be negative.
    ``intercept``: b is the weight of a feature of value ``constant`` that is
    ``"penalised"`` like the others, ``"free"``, or there is ``"none"``. ``solver="smo"``
    needs ``intercept="free"``.

    ``class_weight``: a mapping of classes (of column numbers, for an indicator) to the weight of
    their members, 1 where absent; the others weigh 1, but for two classes each has its own.
    ``"balanced"`` makes both sides of every class weigh n/2.

    ``tol`` bounds the certificate of ``reports_``: the duality gap over the objective, or the
    largest violation of optimality over that of zero weights. ``max_iter`` counts passes over the
    documents (``"smo"``: as many pairs as there are documents), and so does ``n_iter_``, the most
    any class took. ``random_state`` orders the passes; None is 0, so that fits repeat bit by bit.
    ``n_jobs`` is the number of threads over classes; None and -1 use every processor. Results are
    the same. ``solver_options`` are the solver's further options, such as ``shrink``, and
    ``loss_options`` and ``prior_options`` those of a loss or a prior that has some, such as ``mu``.

    Solvers that learn from one row after the other, ``"mistake-driven"`` (Perceptron and Winnow)
    and ``"dual-gradient"``, have ``partial_fit``.

    Attributes: ``classes_``, ``coef_`` (1 × features for two classes, else classes × features),
    ``intercept_``, ``reports_`` (a :class:`~postil.learn.fit.FitReport` for each row of
    ``coef_``), ``n_iter_``, ``n_features_in_``, and ``feature_names_in_`` where ``X`` had names.

    Cost: a pass is linear in the non-zeros of ``X``, for each class. ``X`` is learned from as
    float32; memory is 16 bytes for each non-zero and 8 for each weight of the dense ``coef_``.
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
        refuse_label_lists(y)
        check_indices(X, "X")
        check_indices(y, "y")
        X, y = validate_data(  # noqa: N806
            self, X, y, accept_sparse=["csr", "csc"], dtype=np.float32, multi_output=True
        )
        weights = _sample_weights(sample_weight, X)
        pass_steps = steps_of_a_pass(self.solver, X.shape[0])
        method = self._method(pass_steps)
        target, labels = read_target(y)
        found = self._learn(X, labels, target, method, weights)
        warn_of_unfinished(found.reports, self.tol, UnfinishedFitWarning)
        self._keep(found, target)
        self._row_strengths = row_strengths(method, found.reports, _total(weights, X))
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
        """Learn from more rows, in one pass, on top of what was learned before.

        ``classes`` are all classes there will ever be; they must be given on the first call, unless
        ``y`` is an indicator, whose columns they are. After ``fit``, learning goes on from there.
        Where dual variables are learned, those of earlier rows stay as they are; λ is that of the
        rows of the first call, C and the prior variance are of each row.

        Cost: linear in the non-zeros of ``X``, and in the features once, for each class.
        """
        first = not hasattr(self, "coef_")
        refuse_label_lists(y)
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
        refuse_balanced(self.class_weight)
        target = first_target(y, classes) if first else self._fitted_target()
        check_same_classes(target, classes)
        labels = labels_for(target, y)
        method = self._method(1, passes=1)
        resume_from = [np.zeros(X.shape[1] + 1)] * len(labels)
        strengths = None
        if not first:
            resume_from = resume_exponents(
                method, self.coef_, self.intercept_, self._units, self.reports_
            )
            strengths = self._row_strengths
        found = self._learn(X, labels, target, method, weights, resume_from, strengths)
        self._keep(found, target)
        if first:
            self._row_strengths = row_strengths(method, found.reports, _total(weights, X))
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

    def _keep(self, found: LinearFit, target: Target) -> None:
        self._target = target
        self.classes_ = target.classes
        self.coef_: Any = found.weights.toarray()
        self.intercept_ = _intercepts(found, target, class_weights(self.class_weight, target))
        self.reports_ = found.reports
        self._units = found.units

    def decision_function(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Scores: rows for two classes, else rows × classes; the higher the likelier."""
        return self._fitted_target().scores(self._scores(X))

    def predict(self, X: Any) -> Any:  # noqa: ANN401, N803
        """The class of each row, or the indicator of its labels (sparse where ``y`` was)."""
        return self._fitted_target().answers(self._scores(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401, N803
        """Probabilities, rows × classes; only with a loss that has them, such as logistic.

        For more than two classes, the one-vs-rest probabilities over their sum.
        """
        return self._fitted_target().probabilities(self._scores(X))

    def sparsify(self) -> Self:
        """Keep ``coef_`` as CSR, which is smaller where over half of it is zero."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as an array again."""
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


def _total(weights: Floats | None, X: Any) -> float:  # noqa: ANN401, N803
    return float(X.shape[0] if weights is None else weights.sum())


def _intercepts(found: LinearFit, target: Target, classes: ClassWeights) -> Floats:
    """Intercepts; a category without a member that counts has the score of ``never``."""
    intercepts = found.intercepts.copy()
    for category, report in enumerate(found.reports):
        weightless = isinstance(classes, list) and classes[category][0] == 0
        if report.stopped == "constant" and (report.members == 0 or weightless):
            intercepts[category] = target.never
    return intercepts
