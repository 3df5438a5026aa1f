"""The sum of two linear methods, folded into one model.

A Gaussian prior spreads weight over the many words of a category, a Laplace prior picks the few
that decide, and the sum of their scores is better than either where categories are small. It is
linear again: one row of weights for each category, and prediction costs no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Job
from postil.learn.method import BaseMethod

LASSO: Mapping[str, Any] = {
    "loss": "logistic",
    "prior": "laplace",
    "solver": "newton-coordinate",
    "C": 10.0,
}


@dataclass(frozen=True)
class SumMethod(BaseMethod):
    """A method, and a share of the scores of another: ``score = first + factor · second``.

    Parameters
    ----------
    first, second : mapping
        The ``[learn]`` tables of the two methods, both linear. By default they are modified least
        squares and a lasso.
    factor : float
        The factor of the second method's weights.
    """

    first: Mapping[str, Any] = field(default_factory=dict)
    second: Mapping[str, Any] = field(default_factory=lambda: dict(LASSO))
    factor: float = 0.05
    no_strength: ClassVar[str] = (
        "a sum of two methods has no single strength to search for: leave [search] out and give "
        "C in [learn.first] and [learn.second]"
    )
    no_term_priors: ClassVar[str] = "a sum of two methods takes no per-term priors"

    def __post_init__(self) -> None:
        for method in self.methods:
            if method.compares_scores:
                raise UsageError("a sum takes two linear methods of one category against the rest")

    @cached_property
    def methods(self) -> tuple[BaseMethod, BaseMethod]:
        """The two methods."""
        from postil.learn.methods import method_from

        return method_from(self.first), method_from(self.second)

    @property
    def tolerance(self) -> float:
        """The bound of the larger certificate."""
        return max(method.tolerance for method in self.methods)

    def check_takes_strengths(self, way: str | None = None) -> None:
        """Raise UsageError if the first method has no strength of this way."""
        self.methods[0].check_takes_strengths(way)

    def check_searchable(self) -> None:
        """Raise UsageError: two strengths are not searched for together."""
        raise UsageError(self.no_strength)

    def _fit(self, job: Job) -> LinearFit:
        """Learn both; strengths of a job are those of the first."""
        first, second = (
            method.fit(replace(job, strengths=strengths, keep_starts=False, quiet=True))
            for method, strengths in zip(self.methods, (job.strengths, None), strict=True)
        )
        weights = sp.csr_matrix(first.weights + self.factor * second.weights)
        weights.sort_indices()
        reports = zip(first.reports, second.reports, np.diff(weights.indptr), strict=True)
        return LinearFit(
            first.names,
            weights,
            first.intercepts + self.factor * second.intercepts,
            tuple(_joined(*each) for each in reports),
        )


def _joined(first: FitReport, second: FitReport, nonzeros: int) -> FitReport:
    """Return the report of the first method with the worse certificate and the work of both."""
    worse = max(first, second, key=lambda report: report.certificate)
    return replace(
        first,
        certificate=worse.certificate,
        kind=worse.kind,
        stopped=worse.stopped,
        iterations=first.iterations + second.iterations,
        seconds=first.seconds + second.seconds,
        nonzeros=int(nonzeros),
    )
