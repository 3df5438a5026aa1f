"""A ranking, cut wherever a threshold can cut it.

Documents are sorted by falling score. A threshold accepts those that score at least that much,
so documents of equal score are accepted together: they are one block, and a cut lies at the end
of a block or before the first. Everything a threshold can trade (break-even points, ROC and
precision-recall curves) is read off these cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from postil.evaluate.inputs import Flags, checked_indicator, checked_scores
from postil.evaluate.undefined import ratio
from postil.features.inputs import Csr, Floats, Sparse


@dataclass(frozen=True)
class Cuts:
    """All cuts of a ranking, from accepting nothing to accepting everything.

    ``lowest`` is the lowest score a cut accepts (infinite for the first, which accepts none),
    ``accepted`` how many it accepts, ``found`` how many of those are members. A micro-average
    may make ``accepted`` and ``found`` fractional.
    """

    lowest: Floats
    accepted: Floats
    found: Floats
    members: float
    cases: float

    @property
    def precision(self) -> Floats:
        """``found / accepted``: undefined at the first cut."""
        return ratio(self.found, self.accepted)

    @property
    def recall(self) -> Floats:
        """``found / members``: undefined where there are none."""
        return ratio(self.found, self.members)

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the non-members that are accepted: undefined where there are none."""
        return ratio(self.accepted - self.found, self.cases - self.members)

    def threshold(self, cut: int) -> float:
        """A score that accepts, by ``score ≥ threshold``, exactly what the cut accepts.

        Half way between the last accepted and the first rejected score where that is a number
        apart from both (so that ``score > threshold`` does the same), else the last accepted
        one; infinite where nothing is accepted.
        """
        above = float(self.lowest[cut])
        if cut + 1 == len(self.lowest):
            return above
        below = float(self.lowest[cut + 1])
        middle = below + (above - below) / 2 if np.isfinite(above - below) else above
        return middle if below < middle < above else above


def cuts_of(scores: Floats, members: Flags) -> Cuts:
    """Cut one ranking; sorts the documents."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last_of_block = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    ends = np.flatnonzero(last_of_block)
    found = np.cumsum(members[order], dtype=np.float64)
    return Cuts(
        np.append(np.inf, ranked[ends]),
        np.append(0.0, ends + 1.0),
        np.append(0.0, found[ends]),
        float(np.count_nonzero(members)),
        float(len(scores)),
    )


def cuts_of_categories(truth: Sparse, scores: Floats) -> Iterator[Cuts]:
    """Cut the ranking of each category in turn; memory for one at a time."""
    indicator = checked_indicator(truth, "truth")
    ranked = checked_scores(scores, indicator.shape)
    for category, members in enumerate(columns_of(indicator)):
        yield cuts_of(ranked[:, category], members)


def columns_of(indicator: Csr) -> Iterator[Flags]:
    """Give each column of an indicator in turn, as a dense array of its own."""
    columns = indicator.tocsc()
    for start, end in pairwise(columns.indptr):
        members = np.zeros(columns.shape[0], np.bool_)
        members[columns.indices[start:end]] = True
        yield members
