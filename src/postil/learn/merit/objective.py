"""What is climbed: a figure of merit of smooth counts, less a ridge.

Products of documents with tables that have a column for each problem.

Scores of all problems, and gradients of all, are one matrix product each. Sparse documents are
multiplied by the native core, dense ones (as LSI makes them) by BLAS, in pieces of a fixed size
with one thread each, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

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


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What a table of scores is worth: by problem, smooth and as decided at a score of 0."""

    values: Floats
    counts: SmoothCounts
    sure: SmoothCounts


class Merit:
    """A figure of merit of some problems over shared documents.

    ``cases`` (documents × problems) says 1 of members, -1 of others, and 0 of documents that are
    no part of a problem; ``documents`` is how much each counts. Without ``sharpness`` a score above
    0 is accepted (gao-wu-lee-chua-2003, eq. 4.8). With it the problems are the categories of one
    classifier, and a score has to be above the bar of its rivals (eq. 4.13), ``capped`` at 0;
    ``absent`` categories are among them that never compete.

    Cost: documents × problems for each evaluation, and as much memory, in single precision unless
    scores are doubles.
    """

    def __init__(
        self,
        figure: Figure,
        cases: Cases,
        documents: Floats,
        *,
        sharpness: float | None = None,
        capped: bool = False,
        absent: int = 0,
        threads: int = 1,
    ) -> None:
        self.figure = figure
        self.cases = cases
        self.documents = documents
        self.sharpness = sharpness
        self.capped = capped
        self.absent = absent
        self.threads = threads
        self.members = np.asarray(documents @ (cases > 0), dtype=np.float64)
        self.others = np.asarray(documents @ (cases < 0), dtype=np.float64)

    @property
    def problems(self) -> int:
        """How many there are."""
        return int(self.cases.shape[1])

    @property
    def joint(self) -> bool:
        """Whether no problem can be climbed without the others."""
        return self.sharpness is not None or self.figure.pooled

    def alone(self) -> Merit:
        """The same without rivals."""
        return Merit(self.figure, self.cases, self.documents, threads=self.threads)

    def sharpened(self, sharpness: float) -> Merit:
        """The same with rivals of another sharpness."""
        return Merit(
            self.figure,
            self.cases,
            self.documents,
            sharpness=sharpness,
            capped=self.capped,
            absent=self.absent,
            threads=self.threads,
        )

    def of(self, problems: NDArray[Any]) -> Merit:
        """The same for some of the problems, where they stand alone."""
        return Merit(
            self.figure,
            np.ascontiguousarray(self.cases[:, problems]),
            self.documents,
            threads=self.threads,
        )

    def margins(self, scores: Table) -> Table:
        """What has to be above 0 for a document to be accepted."""
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
        """The figure of each problem; how far each document is accepted is written down."""
        found = _native.accept(
            self.margins(scores),
            self.cases,
            self.documents,
            steepness,
            offsets,
            acceptances,
            self.threads,
        )
        true_positives, false_positives, sure_true, sure_false = found
        counts = SmoothCounts(true_positives, false_positives, self.members, self.others)
        sure = SmoothCounts(sure_true, sure_false, self.members, self.others)
        return Evaluation(self.figure.values(counts), counts, sure)

    def slopes(
        self, scores: Table, evaluation: Evaluation, steepness: Floats, acceptances: Table
    ) -> Floats:
        """Turn acceptances into slopes of the figure in the scores; their sums by problem."""
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
    """The mean score of the members of each problem, and that of the others; 0 of none.

    Sums are taken problem by problem, so that rounding does not depend on those beside it.
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
    """How far the mean score of members is from that of others, of each problem; never 0.

    Where it is nothing but rounding, as where weights are 0, it is 1. It is of each problem by
    itself: those beside it make no difference.
    """
    inside, outside = means(scores, merit)
    gap = np.abs(inside - outside)
    apart = gap > ROUNDING * np.abs(scores).max(axis=0, initial=0.0)
    return np.where(apart, gap, 1.0).astype(np.float64)


# Where more than this share of the entries is not 0, a dense product is faster.
DENSE_SHARE = 0.25
PIECE = 1024  # documents of a piece of a dense product
SLICE = 128  # features of one


class Products(Protocol):
    """Documents × features, for products with tables."""

    documents: int
    features: int

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""


class SparseProducts:
    """Products of a sparse matrix. Cost: non-zeros × problems."""

    def __init__(self, design: Design, threads: int) -> None:
        self.documents, self.features = design.documents, design.terms
        self._design = design.native
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""
        return _native.document_products(self._design, _singles(weights), self._threads)

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""
        return _native.term_products(self._design, _singles(slopes), self._threads)


class DenseProducts:
    """Products of a dense matrix. Cost: documents × features × problems, memory of the matrix."""

    def __init__(self, points: Singles, threads: int) -> None:
        self.documents, self.features = points.shape
        self._points = np.ascontiguousarray(points, dtype=np.float32)
        self._threads = threads

    def scores(self, weights: Table) -> Singles:
        """Documents × features times features × problems."""
        table = _singles(weights)
        found = np.empty((self.documents, table.shape[1]), dtype=np.float32)

        def multiply(rows: slice) -> None:
            np.matmul(self._points[rows], table, out=found[rows])

        self._each(multiply, self.documents, PIECE)
        return found

    def gradient(self, slopes: Table) -> Singles:
        """Features × documents times documents × problems."""
        table = _singles(slopes)
        found = np.empty((self.features, table.shape[1]), dtype=np.float32)

        def multiply(columns: slice) -> None:
            np.matmul(self._points[:, columns].T, table, out=found[columns])

        self._each(multiply, self.features, SLICE)
        return found

    def _each(self, work: Callable[[slice], None], count: int, size: int) -> None:
        pieces = [slice(*ends) for ends in pairwise([*range(0, count, size), count])]
        if self._threads == 1 or len(pieces) == 1:
            for piece in pieces:
                work(piece)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            for _ in pool.map(work, pieces):
                pass


@contextmanager
def products_of(design: Design, threads: int) -> Iterator[Products]:
    """Products of a shared matrix; while they are used, BLAS keeps to one thread a piece."""
    entries = design.documents * design.terms
    if design.rows.nnz <= DENSE_SHARE * entries:
        yield SparseProducts(design, threads)
        return
    with one_blas_thread():
        yield DenseProducts(design.rows.toarray(), threads)


def _singles(table: Table) -> Singles:
    return np.ascontiguousarray(table, dtype=np.float32)
