"""What a recipe's ``[learn]`` table can ask for, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.one_vs_rest import fit
from postil.learn.regularization import Regularization
from postil.text.suggest import advice

Floats = NDArray[np.float64]


class Learner(Protocol):
    """Learns the weights of all categories from a matrix."""

    @property
    def gives_probabilities(self) -> bool:
        """Whether 1/(1 + exp(-score)) is a probability."""

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for; 0 where none is."""

    def searched(self) -> Method:
        """The method whose λ a search may choose; refused where there is none to choose."""

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        emphasis: Emphasis | None = None,
        lambdas: Floats | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn every category; ``lambdas``, one for each, are what a search has chosen.

        ``quiet`` leaves it to the caller to warn of fits that ran out of iterations.
        """


@dataclass(frozen=True, slots=True)
class LinearLearner:
    """A regularized linear method, one category against the rest."""

    method: Method = field(default_factory=Method)

    @property
    def gives_probabilities(self) -> bool:
        """Whether 1/(1 + exp(-score)) is a probability."""
        return self.method.gives_probabilities

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for."""
        return self.method.solver_options().tolerance

    def searched(self) -> Method:
        """The method, unless it says its own strength of regularization."""
        given = self.method.regularization.given()
        if given:
            raise UsageError(
                f"[learn] gives {' and '.join(given)} and [search] looks for λ: leave one out"
            )
        return self.method

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        emphasis: Emphasis | None = None,
        lambdas: Floats | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn every category."""
        return fit(
            design,
            labels,
            self.method,
            selection=selection,
            emphasis=emphasis,
            lambdas=lambdas,
            threads=threads,
            progress=progress,
            quiet=quiet,
        )


@dataclass(frozen=True, slots=True)
class NaiveBayesLearner:
    """Naive Bayes in one of its two forms."""

    model: NaiveBayes = field(default_factory=NaiveBayes)

    @property
    def gives_probabilities(self) -> bool:
        """Its scores are log odds, but of a model too naive to believe."""
        return False

    @property
    def tolerance(self) -> float:
        """None is asked for: there is nothing to iterate."""
        return 0.0

    def searched(self) -> Method:
        """There is none: Naive Bayes is counted, not regularized."""
        raise UsageError(
            "Naive Bayes has no λ to search for: leave [search] out and give smoothing in [learn]"
        )

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        emphasis: Emphasis | None = None,
        lambdas: Floats | None = None,
        threads: int | None = None,  # noqa: ARG002 - over before a thread has started
        progress: Progress | None = None,  # noqa: ARG002
        quiet: bool = False,  # noqa: ARG002
    ) -> LinearFit:
        """Learn every category."""
        if lambdas is not None:
            self.searched()
        return self.model.fit(design, labels, selection=selection, emphasis=emphasis)


def _linear(table: Mapping[str, Any]) -> Learner:
    strengths = {f.name for f in fields(Regularization)}
    regularization = {name: table[name] for name in table if name in strengths}
    rest = {name: table[name] for name in table if name not in strengths}
    _refuse_unknown(rest, {f.name for f in fields(Method)} - {"regularization"} | strengths)
    return LinearLearner(Method(regularization=Regularization(**regularization), **rest))


def _naive_bayes(table: Mapping[str, Any]) -> Learner:
    _refuse_unknown(table, {f.name for f in fields(NaiveBayes)})
    return NaiveBayesLearner(NaiveBayes(**table))


LEARNERS: Mapping[str, Callable[[Mapping[str, Any]], Learner]] = {
    "linear": _linear,
    "naive-bayes": _naive_bayes,
}


def learner_from(table: Mapping[str, Any]) -> Learner:
    """The learner that a ``[learn]`` table describes; ``learner`` names its kind."""
    rest = dict(table)
    kind = rest.pop("learner", "linear")
    if kind not in LEARNERS:
        raise UsageError(f"there is no learner {kind!r}{advice(str(kind), sorted(LEARNERS))}")
    return LEARNERS[kind](rest)


def _refuse_unknown(table: Mapping[str, Any], known: set[str]) -> None:
    for name in table:
        if name not in known:
            raise UsageError(f"[learn] has no entry {name!r}{advice(name, sorted(known))}")
