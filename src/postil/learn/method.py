"""Methods: what every method provides, and the linear one of a loss, a prior and a solver."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from postil import _native
from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.learn import one_vs_rest
from postil.learn.fit import LinearFit, warn_of_unfinished
from postil.learn.job import Job
from postil.learn.judged import certain_job, fit_by_category, without_partly_judged
from postil.learn.losses import LOSSES, Loss
from postil.learn.options import PartOptions, find, made_options
from postil.learn.posterior import check_has_posterior, with_variances
from postil.learn.priors import PRIORS, EntropyOptions, Prior
from postil.learn.search.measures import SearchMeasure, Unseen, measure_for
from postil.learn.search.strongest import strongest
from postil.learn.solver_options import SolverOptions
from postil.learn.solvers import SOLVERS, InterceptKind, Solver
from postil.learn.strength import Regularization, Way
from postil.learn.term_priors.priors import EQUAL, VARIANCE_RULES, TermPriors, ruled_priors

DEFAULT_MIX = 0.5
LOGISTIC, MODERATED, PROBIT = "logistic", "moderated", "probit"  # calibrations, of a later layer


class BaseMethod:
    """A way to learn all categories from a matrix, as a recipe's ``[learn]`` table asks for it.

    A subclass provides ``_fit``. One whose strength a search may choose also provides ``share``,
    ``regularization``, ``search_measure``, ``tallies`` and ``strongest``, and overrides
    ``check_takes_strengths``.
    """

    regularization: Regularization
    # True if a score has a meaning only beside those of the other categories.
    compares_scores: ClassVar[bool] = False
    # The messages of a method that has no strength to search for, or takes no per-term priors.
    no_strength: ClassVar[str] = ""
    no_term_priors: ClassVar[str] = ""

    @property
    def by_category(self) -> bool:
        """True if the fit of a category does not depend on the other categories."""
        return True

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The calibrations that turn these scores into probabilities, the preferred one first."""
        return ()

    @property
    def tolerance(self) -> float:
        """The bound of the certificate; 0 if the method has none."""
        return 0.0

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior."""
        return 0.0

    def fit(self, job: Job) -> LinearFit:
        """Learn every category, and warn of fits that ran out of iterations."""
        if job.strengths is not None:
            self.check_takes_strengths()
        job = certain_job(job)
        job = replace(job, term_priors=self.term_priors(job))
        if self.by_category:
            (found,) = fit_by_category(job, lambda own: [self._fit(own)])
        else:
            found = self._fit(without_partly_judged(job, single=self.compares_scores))
        if not job.quiet:
            warn_of_unfinished(found.reports, self.tolerance)
        return found

    def _fit(self, job: Job) -> LinearFit:
        raise NotImplementedError

    def term_priors(self, job: Job) -> TermPriors | None:
        """Return the per-term priors of a job; raise UsageError if the method takes none."""
        priors = job.term_priors
        if priors is not None:
            _check_term_priors(priors, job)
            self.check_takes_priors()
        return priors

    def check_takes_priors(self) -> None:
        """Raise UsageError if the method takes no per-term priors."""
        raise UsageError(self.no_term_priors)

    def check_takes_strengths(self, way: str | None = None) -> None:  # noqa: ARG002
        """Raise UsageError if the method has no strength, or none of this way."""
        raise UsageError(self.no_strength)

    def check_searchable(self) -> None:
        """Raise UsageError if a search cannot choose the method's strength."""
        self.check_takes_strengths()
        given = self.regularization.given()
        if given:
            raise UsageError(
                f"[learn] gives {' and '.join(given)} and [search] looks for λ: leave one out"
            )

    def check_own_strengths(self, wanted: str) -> None:
        """Raise UsageError if categories cannot have a strength each, as ``wanted`` needs."""

    def check_documents(self, count: int) -> None:
        """Raise UsageError if the method cannot learn from so many documents."""

    def check_folds(self, job: Job) -> None:
        """Raise an error if the folds of a job's documents cannot be learned from."""

    def search_measure(self, name: str | None) -> SearchMeasure:
        """Return the measure of that name, or the usual one, for a search.

        Raise UsageError if the method cannot be measured by it.
        """
        raise NotImplementedError

    def tallies(self, job: Job, measure: SearchMeasure, unseen: Unseen) -> tuple[Floats, Ints]:
        """Learn with points × categories strengths, and count on documents not learned from.

        Returns
        -------
        counts : array, points × categories × the numbers that the measure counts
        unfinished : array, points × categories
            The number of fits that ran out of iterations.
        """
        raise NotImplementedError

    def strongest(self, job: Job, way: Way) -> Floats:
        """Return the strongest useful strength of each category, where a path begins."""
        raise NotImplementedError


@dataclass(frozen=True)
class Method(BaseMethod):
    """A loss, a prior and a solver that fit together: one category against the rest.

    ::

        (1/n) Σ cᵢ loss(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)

    Parameters
    ----------
    loss, prior, solver : str
        The parts by name; parts that do not fit together raise UsageError.
    regularization : Regularization
        The strength.
    intercept : {"penalised", "free", "none"}
        Whether b is regularised like the other weights, free, or absent.
    constant : float
        The value of the constant feature that b is the weight of.
    options, loss_options, prior_options : mapping
        Options of the solver, the loss and the prior.
    mix : float, optional
        The elastic net's share ρ of the absolute value.
    variance_rule : str
        The rule for the prior variance of terms that have no prior of their own.
    posterior : bool
        Compute the variance of each weight.
    """

    loss: str = "modified-squared"
    prior: str = "gaussian"
    solver: str = "dual-coordinate"
    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "penalised"
    constant: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)
    mix: float | None = None
    loss_options: Mapping[str, Any] = field(default_factory=dict)
    prior_options: Mapping[str, Any] = field(default_factory=dict)
    variance_rule: str = EQUAL
    posterior: bool = False

    def __post_init__(self) -> None:
        loss, prior, solver = self.parts
        missing = _missing(loss, prior, solver)
        if missing:
            raise UsageError(f"{missing}; {_what_works(loss, prior)}")
        if self.intercept not in solver.intercepts:
            raise UsageError(
                f"the solver {self.solver} cannot have intercept={self.intercept!r}: it takes "
                f"{' or '.join(sorted(solver.intercepts))}"
            )
        if not (math.isfinite(self.constant) and self.constant > 0):
            raise UsageError(f"constant must be a finite number above 0, not {self.constant!r}")
        check_mix(prior, self.mix)
        self._check_strength()
        find("variance rule", VARIANCE_RULES, self.variance_rule)
        if self.variance_rule != EQUAL:
            self.check_takes_priors()
        if self.posterior:
            check_has_posterior(self)
        self.part_options  # noqa: B018 - raises an error if an option is wrong

    def _check_strength(self) -> None:
        given = self.regularization.given()
        if given and "strength" not in self.parts[1].provides:
            raise UsageError(
                f"the prior {self.prior} has no strength: leave {' and '.join(given)} out"
            )
        for way in given:
            self.check_takes_strengths(way)

    @cached_property
    def parts(self) -> tuple[Loss, Prior, Solver]:
        """The three parts."""
        return (
            find("loss", LOSSES, self.loss),
            find("prior", PRIORS, self.prior),
            find("solver", SOLVERS, self.solver),
        )

    @cached_property
    def part_options(self) -> tuple[PartOptions, PartOptions, SolverOptions]:
        """The options of loss, prior and solver."""
        loss, prior, solver = self.parts
        return (
            made_options(f"loss {loss.name}", loss.options, self.loss_options),
            made_options(f"prior {prior.name}", prior.options, self.prior_options),
            made_options(f"solver {solver.name}", solver.options, self.options),
        )

    @property
    def solver_options(self) -> SolverOptions:
        """The options of the solver."""
        return self.part_options[2]

    @property
    def tolerance(self) -> float:
        """The bound of the certificate."""
        return self.solver_options.tolerance

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior."""
        return share_of_prior(self.parts[1], self.mix)

    @property
    def has_strength(self) -> bool:
        """True if a number sets the strength of regularization."""
        _, prior, solver = self.parts
        return "strength" in prior.provides and "objective" in solver.provides

    @property
    def can_resume(self) -> bool:
        """True if the solver can resume from weights with other documents."""
        return "updates" in self.parts[2].provides

    @property
    def gives_probabilities(self) -> bool:
        """True if 1/(1 + exp(-score)) is a probability."""
        return "probability" in self.parts[0].provides

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The calibrations of these scores, the preferred one first.

        Log odds are ``logistic``; with a posterior ``moderated``, too. That comes first for a
        Laplace prior, which keeps few terms: of many terms that occur together each weight is
        uncertain, and their sum is not.
        """
        if "normal probability" in self.parts[0].provides:
            return (PROBIT,)
        if not self.gives_probabilities:
            return ()
        if not self.posterior:
            return (LOGISTIC,)
        return (MODERATED, LOGISTIC) if self.share == 1.0 else (LOGISTIC, MODERATED)

    def check_takes_strengths(self, way: str | None = None) -> None:
        """Raise UsageError if the method has no strength, or none of this way."""
        _, prior, solver = self.parts
        if "strength" not in prior.provides:
            raise UsageError(
                f"the prior {self.prior} has no strength: give none, and search for none"
            )
        if "objective" not in solver.provides:
            raise UsageError(
                f"the solver {self.solver} regularizes by its steps alone: give no strength, and "
                "search for none"
            )
        if way == "prior_variance" and "variance" not in prior.provides:
            raise UsageError(f"the prior {self.prior} has no variance: give lam or C")

    def check_takes_priors(self) -> None:
        """Raise UsageError if the solver takes no per-term priors."""
        if "term priors" not in self.parts[2].provides:
            able = [name for name, solver in SOLVERS.items() if "term priors" in solver.provides]
            raise UsageError(
                f"the solver {self.solver} takes no per-term priors: use {' or '.join(able)}"
            )

    def term_priors(self, job: Job) -> TermPriors | None:
        """Return the job's per-term priors, or else those of the variance rule."""
        given = BaseMethod.term_priors(self, job)
        return ruled_priors(self.variance_rule, job.design, job.sample_weights, given)

    def _fit(self, job: Job) -> LinearFit:
        found = one_vs_rest.fit(job, self)
        return with_variances(found, job, self) if self.posterior else found

    def search_measure(self, name: str | None) -> SearchMeasure:
        """Return the measure of that name, by default F1, if the loss gives what it needs."""
        return measure_for("f1" if name is None else name, self.parts[0])

    def tallies(self, job: Job, measure: SearchMeasure, unseen: Unseen) -> tuple[Floats, Ints]:
        """Learn paths of all categories, and count on documents not learned from."""
        return one_vs_rest.tallies(job, self, measure, unseen)

    def strongest(self, job: Job, way: Way) -> Floats:
        """Return the strongest useful strength of each category, where a path begins."""
        return strongest(job, self.to_native(), self.share, way)

    def first_units(self, categories: int) -> Floats | None:
        """Return the units of weights that have not been learned yet; None without units."""
        options = self.part_options[1]
        return np.full(categories, options.mu) if isinstance(options, EntropyOptions) else None

    def to_native(self) -> _native.LearnOptions:
        """Return the options of the native core."""
        loss, _, solver = self.parts
        options = _native.LearnOptions()
        options.loss = loss.native
        options.solver = solver.native
        options.intercept = getattr(_native.Intercept, self.intercept)
        options.constant = self.constant
        for each in self.part_options:
            each.fill(options)
        return options


def share_of_prior(prior: Prior, mix: float | None) -> float:
    """Return the share of the absolute value in a prior."""
    if prior.mix is not None:
        return prior.mix
    return DEFAULT_MIX if mix is None else mix


def check_mix(prior: Prior, mix: float | None) -> None:
    """Raise UsageError if the prior has no mix, or the mix is out of range."""
    if mix is None:
        return
    if prior.mix is not None:
        raise UsageError(f"mix is an option of the prior elastic-net, and this is {prior.name}")
    if not 0 <= mix <= 1:
        raise UsageError(f"mix must be from 0 (ridge) to 1 (lasso), not {mix!r}")


def _check_term_priors(priors: TermPriors, job: Job) -> None:
    if not isinstance(priors, TermPriors):
        raise UsageError(f"per-term priors must be TermPriors, not {type(priors).__name__}")
    unknown = [category for category in priors.own if category not in range(len(job.labels))]
    if unknown:
        raise UsageError(
            f"per-term priors are given for category {unknown[0]!r}: categories are numbered from "
            f"0 to {len(job.labels) - 1}"
        )
    if priors.terms != job.design.terms:
        raise UsageError(
            f"per-term priors are given for {priors.terms} terms, and the design has "
            f"{job.design.terms}"
        )


def _missing(loss: Loss, prior: Prior, solver: Solver) -> str:
    """Return what a solver needs and does not get as a sentence; empty if nothing."""
    for kind, part, needs in (
        ("loss", loss, solver.loss_needs),
        ("prior", prior, solver.prior_needs),
    ):
        absent = sorted(needs - part.provides)
        if absent:
            wants = f"a {absent[0]}, which the {kind} {part.name} does not have"
            return f"the solver {solver.name} needs {wants}"
    return ""


def _what_works(loss: Loss, prior: Prior) -> str:
    able = [solver.name for solver in SOLVERS.values() if not _missing(loss, prior, solver)]
    if not able:
        return f"no solver takes the loss {loss.name} with the prior {prior.name}"
    return f"{loss.name} with {prior.name} works with {' or '.join(able)}"
