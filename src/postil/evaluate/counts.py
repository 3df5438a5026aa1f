"""The four counts everything about decisions is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from postil.evaluate.inputs import Integers, checked_pair
from postil.features.inputs import Csr, Indices, Sparse


@dataclass(frozen=True)
class Counts:
    """True and false positives and negatives, one of each per category (the last axis).

    ``cases`` is how many decisions each entry counts: the documents, for a category. Arrays may
    have further axes in front, such as the resamples of a bootstrap.
    """

    true_positives: Integers
    false_positives: Integers
    false_negatives: Integers
    cases: int

    @property
    def true_negatives(self) -> Integers:
        """Cases that were rightly rejected."""
        return self.cases - self.members - self.false_positives

    @property
    def members(self) -> Integers:
        """Cases that belong to the category."""
        return self.true_positives + self.false_negatives

    @property
    def accepted(self) -> Integers:
        """Cases that were decided to belong to the category."""
        return self.true_positives + self.false_positives

    @property
    def errors(self) -> Integers:
        """Cases decided wrongly."""
        return self.false_positives + self.false_negatives

    def pooled(self) -> Counts:
        """Add the categories up: the counts of a micro-average."""
        return Counts(
            np.asarray(self.true_positives.sum(axis=-1)),
            np.asarray(self.false_positives.sum(axis=-1)),
            np.asarray(self.false_negatives.sum(axis=-1)),
            self.cases * self.true_positives.shape[-1],
        )

    def of(self, categories: Indices) -> Counts:
        """Keep some categories."""
        return Counts(
            self.true_positives[..., categories],
            self.false_positives[..., categories],
            self.false_negatives[..., categories],
            self.cases,
        )


def count(truth: Sparse, decisions: Sparse) -> Counts:
    """Count per category; costs the non-zeros of both matrices and the categories."""
    members, decided = checked_pair(truth, decisions)
    both = per_category(intersection(members, decided))
    return Counts(
        both, per_category(decided) - both, per_category(members) - both, int(members.shape[0])
    )


def intersection(left: Csr, right: Csr) -> Csr:
    """Entries that are True in both."""
    return left.multiply(right).tocsr()


def difference(left: Csr, right: Csr) -> Csr:
    """Entries that are True on exactly one side."""
    return cast("Csr", left != right)


def per_category(indicator: Csr) -> Integers:
    """Count the True entries of each column."""
    columns = np.bincount(indicator.indices, minlength=indicator.shape[1])
    return columns.astype(np.int64)


def per_document(indicator: Csr) -> Integers:
    """Count the True entries of each row."""
    return np.diff(indicator.indptr).astype(np.int64)
