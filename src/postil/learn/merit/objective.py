"""The objective: a figure of merit of smooth counts, for many problems over shared documents.

The scores of all problems, and the gradients of all, are one matrix product each. Sparse documents
are multiplied by the native core, dense ones (as LSI makes them) by BLAS, in pieces of a fixed size
with one thread each, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.threads import one_blas_thread
from postil.common.types import Floats, Singles
from postil.learn.job import Design
from postil.learn.merit.figures import Figure, SmoothCounts

Cases = NDArray[np.int8]
Table = NDArray[Any]  # documents × problems

ROUNDING = 1e-6  # of means of single precision, as a share of the largest score
# Where more than this share of the entries is not 0, a dense product is faster.
DENSE_SHARE = 0.25
PIECE = 1024  # documents of a piece of a dense product
SLICE = 128  # features of one


class SparseProducts:
    """Products of a sparse matrix with tables, at a cost of non-zeros × problems."""

    def __init__(self, design: Design, threads: int) -> None:
        self.documents, self.features = design.documents, design.terms
        self._design = design.native
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Return documents × features times features × problems."""
        return _native.document_products(self._design, _singles(weights), self._threads)

    def gradient(self, slopes: Table) -> Singles:
        """Return features × documents times documents × problems."""
        return _native.term_products(self._design, _singles(slopes), self._threads)


class DenseProducts:
    """Products of a dense matrix with tables, at a cost of documents × features × problems."""

    def __init__(self, points: Singles, threads: int) -> None:
        self.documents, self.features = points.shape
        self._points = np.ascontiguousarray(points, dtype=np.float32)
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Return documents × features times features × problems."""
        return self._product(self._points, _singles(weights), PIECE)

    def gradient(self, slopes: Table) -> Singles:
        """Return features × documents times documents × problems."""
        return self._product(self._points.T, _singles(slopes), SLICE)

    def _product(self, matrix: Singles, table: Singles, size: int) -> Singles:
        found = np.empty((matrix.shape[0], table.shape[1]), dtype=np.float32)

        def multiply(rows: slice) -> None:
            np.matmul(matrix[rows], table, out=found[rows])

        _for_each_piece(multiply, matrix.shape[0], size, self._threads)
        return found


def _for_each_piece(work: Callable[[slice], None], count: int, size: int, threads: int) -> None:
    pieces = [slice(*ends) for ends in pairwise([*range(0, count, size), count])]
    if threads == 1 or len(pieces) == 1:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, pieces):
            pass


def _singles(table: Table) -> Singles:
    return np.ascontiguousarray(table, dtype=np.float32)


Products: TypeAlias = SparseProducts | DenseProducts


@contextmanager
def products_of(design: Design, threads: int) -> Iterator[Products]:
    """Give products of a shared matrix; within the context, BLAS uses one thread a piece."""
    entries = design.documents * design.terms
    if design.rows.nnz <= DENSE_SHARE * entries:
        yield SparseProducts(design, threads)
        return
    with one_blas_thread():
        yield DenseProducts(design.rows.toarray(), threads)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights (features × problems) and intercepts of some problems."""

    terms: Floats
    intercepts: Floats

    def stacked(self) -> Floats:
        """Return both in one table, intercepts last."""
        return np.vstack([self.terms, self.intercepts])

    def scores(self, products: Products) -> Singles:
        """Return the scores, documents × problems."""
        scores = products.scores(self.terms)
        scores += self.intercepts.astype(scores.dtype)
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The values of a table of scores, by problem.

    ``counts`` are smooth, ``sure`` those of decisions at a margin of 0.
    """

    values: Floats
    counts: SmoothCounts
    sure: SmoothCounts


@dataclass(frozen=True, eq=False)
class Merit:
    """A figure of merit of some problems over shared documents.

    ``cases`` (documents × problems) is 1 for members, -1 for others, and 0 for documents outside
    the problem; ``documents`` is the weight of each document. Without ``sharpness`` a score above 0
    is accepted (gao-wu-lee-chua-2003, eq. 4.8). With it the problems are the categories of one
    classifier, and a score must be above the bar of its rivals (eq. 4.13), ``capped`` at 0;
    ``absent`` is the number of rivals that never compete.

    An evaluation costs documents × problems, and as much memory, in single precision unless scores
    are doubles.
    """

    figure: Figure
    cases: Cases
    documents: Floats
    sharpness: float | None = field(default=None, kw_only=True)
    capped: bool = field(default=False, kw_only=True)
    absent: int = field(default=0, kw_only=True)
    threads: int = field(default=1, kw_only=True)
    members: Floats = field(init=False)
    others: Floats = field(init=False)

    def __post_init__(self) -> None:
        for name, inside in (("members", self.cases > 0), ("others", self.cases < 0)):
            counts = np.asarray(self.documents @ inside, dtype=np.float64)
            object.__setattr__(self, name, counts)

    @property
    def problems(self) -> int:
        """The number of problems."""
        return int(self.cases.shape[1])

    @property
    def joint(self) -> bool:
        """True if the problems can only be maximised together."""
        return self.sharpness is not None or self.figure.pooled

    def alone(self) -> Merit:
        """Return the same without rivals."""
        return replace(self, sharpness=None, capped=False, absent=0)

    def of(self, problems: NDArray[Any]) -> Merit:
        """Return the same for some of the problems, without rivals."""
        return replace(self.alone(), cases=np.ascontiguousarray(self.cases[:, problems]))

    def margins(self, scores: Table) -> Table:
        """Return the margins, which are above 0 where a document is accepted."""
        if self.sharpness is None:
            return scores
        margins = np.empty_like(scores)
        _native.margins_over_rivals(
            scores, self.sharpness, margins, self.threads, self.capped, self.absent
        )
        return margins

    def evaluate(
        self, scores: Table, steepness: Floats, offsets: Floats, acceptances: Table
    ) -> Evaluation:
        """Return the figure of each problem; write each document's acceptance to a table."""
        true_positives, false_positives, sure_true, sure_false = _native.accept(
            self.margins(scores),
            self.cases,
            self.documents,
            steepness,
            offsets,
            acceptances,
            self.threads,
        )
        counts = SmoothCounts(true_positives, false_positives, self.members, self.others)
        sure = SmoothCounts(sure_true, sure_false, self.members, self.others)
        return Evaluation(self.figure.values(counts), counts, sure)

    def slopes(
        self, scores: Table, evaluation: Evaluation, steepness: Floats, acceptances: Table
    ) -> Floats:
        """Turn acceptances into slopes of the figure by score; return their sums by problem."""
        by_member, by_other = self.figure.gains(evaluation.counts)
        sums = _native.slopes_of(
            acceptances,
            self.cases,
            self.documents,
            steepness,
            np.ascontiguousarray(by_member),
            np.ascontiguousarray(by_other),
            self.threads,
        )
        if self.sharpness is None:
            return sums
        _native.slopes_through_rivals(
            scores, self.sharpness, acceptances, self.threads, self.capped, self.absent
        )
        totals: Floats = acceptances.sum(axis=0, dtype=np.float64)
        return totals


def means(scores: Table, merit: Merit) -> tuple[Floats, Floats]:
    """Return the mean score of the members of each problem, and that of the others, or 0.

    Sums are taken problem by problem, so that rounding does not depend on the other problems.
    """
    none = np.finfo(np.float64).tiny
    inside, outside = np.empty(merit.problems), np.empty(merit.problems)
    for problem in range(merit.problems):
        cases = merit.cases[:, problem]
        weighed = merit.documents * scores[:, problem]
        inside[problem] = weighed[cases > 0].sum() / max(merit.members[problem], none)
        outside[problem] = weighed[cases < 0].sum() / max(merit.others[problem], none)
    return inside, outside


def distance(scores: Table, merit: Merit) -> Floats:
    """Return the distance between the mean scores of members and of others, by problem.

    A distance that is only rounding, as with weights of 0, becomes 1. Other problems make no
    difference.
    """
    inside, outside = means(scores, merit)
    gap = np.abs(inside - outside)
    apart = gap > ROUNDING * np.abs(scores).max(axis=0, initial=0.0)
    return np.where(apart, gap, 1.0).astype(np.float64)
