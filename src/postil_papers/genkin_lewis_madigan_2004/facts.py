"""What is kept of a run: plain numbers for each category, and the measures made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from postil.common.types import Ints
from postil.evaluate.counts import Counts
from postil.evaluate.measures import f1, macro

THRESHOLDS = ("default", "tuned")
# F1 is 1 where its denominator is 0 (section 5.4).
UNDEFINED = "one"
COUNTED = ("true_positives", "false_positives", "false_negatives")

Tally = Mapping[str, list[int]]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the tables and figures need of a run, a number for each category.

    ``positives`` counts training documents, ``features`` the terms whose weight is not 0 and
    ``parameters`` these and the constant; ``documents`` is how many were tested, and ``decided``
    what came of them at each of ``THRESHOLDS``.
    """

    categories: list[str]
    positives: list[int]
    features: list[int]
    parameters: list[int]
    documents: int
    decided: Mapping[str, Tally]
    remark: str = ""

    def counts(self, threshold: str) -> Counts:
        """The decisions at a threshold."""
        tallied = self.decided[threshold]
        found = {name: np.array(tallied[name], dtype=np.int64) for name in COUNTED}
        return Counts(**found, cases=self.documents)

    def errors(self, threshold: str) -> Ints:
        """Test documents that were decided wrongly, for each category."""
        return self.counts(threshold).errors

    def macro_f1(self, threshold: str) -> float:
        """Macro-averaged F1, in percent."""
        return 100 * macro(f1(self.counts(threshold)), UNDEFINED).value


def tally(counts: Counts, absent: int = 0) -> dict[str, list[int]]:
    """Counts as plain numbers, followed by so many categories without any."""
    return {name: [*getattr(counts, name).tolist(), *[0] * absent] for name in COUNTED}
