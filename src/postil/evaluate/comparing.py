"""Two runs on the same documents, side by side, with tests of their difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postil.evaluate.bootstrap import Difference, Plan, bootstrap_difference
from postil.evaluate.comparisons import (
    Comparison,
    discordant_decisions,
    discordant_documents,
    mcnemar,
    micro_sign_test,
    wilcoxon,
)
from postil.evaluate.counts import count
from postil.evaluate.measuring import run_statistics
from postil.evaluate.report import Options
from postil.evaluate.undefined import plain_fields
from postil.features.inputs import Sparse


@dataclass(frozen=True)
class RunComparison:
    """The tests of two runs, by name, and the differences of their measures.

    ``wilcoxon_f1``, ``wilcoxon_error`` and so on compare categories; ``mcnemar_documents``
    compares documents, right or wrong as a whole; ``mcnemar_decisions`` and ``micro_sign``
    compare pairs of document and category. ``differences`` are left minus right.
    """

    left: str
    right: str
    tests: Mapping[str, Comparison]
    differences: Mapping[str, Difference]
    level: float = 0.05

    def significant(self) -> tuple[str, ...]:
        """Name the tests and differences whose p-value is below ``level``.

        Each p-value stands alone: none is corrected for the number of tests.
        """
        p_values = {name: test.p_value for name, test in self.tests.items()}
        p_values |= {name: each.p_value for name, each in self.differences.items()}
        return tuple(name for name, p_value in p_values.items() if p_value < self.level)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON."""
        return plain_fields(
            {
                "left": self.left,
                "right": self.right,
                "tests": {name: test.to_dict() for name, test in self.tests.items()},
                "differences": {n: each.to_dict() for n, each in self.differences.items()},
                "level": self.level,
                "significant": self.significant(),
            }
        )

    def to_text(self, width: int = 100) -> str:
        """Give tables a person can read."""
        from postil.evaluate.rendering import as_text, comparison_tables

        return as_text(comparison_tables(self), width)


def compare_runs(
    truth: Sparse,
    left: Sparse,
    right: Sparse,
    *,
    names: tuple[str, str] = ("left", "right"),
    options: Options | None = None,
    zeros: str = "drop",
    level: float = 0.05,
) -> RunComparison:
    """Test two runs' decisions on the same documents against each other.

    Costs the non-zeros of the three matrices, and for the bootstrap (``options.plan``, 1000
    resamples unless told) resamples × (non-zeros + documents + categories).
    """
    options = options or Options()
    first, second = count(truth, left), count(truth, right)
    tests = {
        f"wilcoxon_{name}": wilcoxon(
            measure.formula(first),
            measure.formula(second),
            more_is_better=measure.more_is_better,
            zeros=zeros,
        )
        for name, measure in options.measures().items()
    }
    tests["mcnemar_documents"] = mcnemar(discordant_documents(truth, left, right))
    tests["mcnemar_decisions"] = mcnemar(discordant_decisions(truth, left, right))
    tests["micro_sign"] = micro_sign_test(truth, left, right)
    plan = options.plan or Plan()
    statistics = run_statistics(options)
    differences = bootstrap_difference(truth, left, right, statistics, plan)
    return RunComparison(*names, tests, differences, level)
