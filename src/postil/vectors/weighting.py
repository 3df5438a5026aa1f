"""Weights of terms: term frequency, idf and norm.

With n(i,j) the count of term j in document i, n(j) the number of training documents that hold
it, and D the number of training documents, a weight is tf(n(i,j)) · idf(n(j), D), divided by the
row's norm:

=============================  ==========================================================
tf ``binary``                  1
tf ``counts``                  n
tf ``log``                     1 + ln n
idf ``none``                   1
idf ``smooth``                 ln((D + 1) / (n(j) + 1)) + 1, scikit-learn's default
idf ``plain``                  ln(D / n(j)) + 1, scikit-learn with ``smooth_idf=False``
idf ``glm2004``                ln((D + 1) / (n(j) + 1)), genkin-lewis-madigan-2004 section 5.1
norm ``none``, ``l1``, ``l2``  1, Σ|x|, √Σx² (cosine)
=============================  ==========================================================

genkin-lewis-madigan-2004 sums the norm over all terms, including those that only a test document
holds (their n(j) is 0); ``glm2004`` does so too. The paper has no bounds on terms. Where a
vocabulary is bounded or given, every term outside it counts as unseen, in training as in testing,
so that a document has one vector in both.

In a union of analyzers, the idf of every term of a further part p is multiplied by

    α(p) = √(Σ n(j) idf(j)² over the terms of part 0 / Σ n(j) idf(j)² over those of part p)

so that the parts weigh the same: over the training documents, the squares of the weights of each
part have about the same sum before the norm of the row. α is at most 10, and 1 where a sum is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Floats
from postil.errors import SpecError

TermFrequency = Literal["binary", "counts", "log"]
Idf = Literal["none", "smooth", "plain", "glm2004"]
Norm = Literal["none", "l1", "l2"]

Frequencies = NDArray[np.uint64]

LARGEST_SCALE = 10.0


def _smooth(documents: Floats, total: int) -> Floats:
    return np.log((total + 1.0) / (documents + 1.0)) + 1.0


def _plain(documents: Floats, total: int) -> Floats:
    # A term of a given vocabulary that no training document holds counts as held by one.
    return np.log(max(total, 1) / np.maximum(documents, 1.0)) + 1.0


def _glm2004(documents: Floats, total: int) -> Floats:
    return np.log((total + 1.0) / (documents + 1.0))


_IDF: dict[Idf, Callable[[Floats, int], Floats]] = {
    "smooth": _smooth,
    "plain": _plain,
    "glm2004": _glm2004,
}


@dataclass(frozen=True, slots=True)
class Weighting:
    """A choice of term frequency, idf and norm, with or without a constant feature.

    The constant is a last column of ones, outside the norm.
    """

    tf: TermFrequency = "counts"
    idf: Idf = "smooth"
    norm: Norm = "l2"
    constant: bool = False

    def __post_init__(self) -> None:
        for part, known in (("tf", TFS), ("idf", IDFS), ("norm", NORMS)):
            value = getattr(self, part)
            if value not in known:
                raise SpecError(f"{part} must be one of {', '.join(known)}, got {value!r}")

    @classmethod
    def named(cls, name: str, *, norm: Norm = "l2", constant: bool = False) -> Weighting:
        """Return the weighting of a name in ``NAMED``."""
        if name not in NAMED:
            raise SpecError(f"weights must be one of {', '.join(NAMED)}, got {name!r}")
        tf, idf = NAMED[name]
        return cls(tf, idf, norm, constant)

    def idf_of(self, documents: Frequencies, total: int) -> Floats | None:
        """Return the idf of terms that ``documents`` of ``total`` hold; None without an idf."""
        if self.idf == "none":
            return None
        idf = _IDF[self.idf]
        if total >= len(documents):
            return idf(documents.astype(np.float64), total)
        # Fewer documents than terms: a logarithm for each number that a frequency can be.
        return idf(np.arange(total + 1.0), total)[documents.astype(np.intp)]

    def unseen_idf(self, total: int) -> float:
        """Return the idf of terms outside the vocabulary; at 0 they do not count in the norm."""
        return float(np.log(total + 1.0)) if self.idf == "glm2004" else 0.0

    def to_native(self, idf: Floats | None, total: int) -> _native.Weighting:
        """Return the weighting for the native core."""
        return _native.Weighting(
            frequency=getattr(_native.TermFrequency, self.tf),
            norm=getattr(_native.Norm, self.norm),
            idf=idf,
            unseen_idf=self.unseen_idf(total),
            constant=self.constant,
        )


def part_scales(parts: NDArray[np.intp], count: int, documents: Frequencies, idf: Floats) -> Floats:
    """Return α of each of ``count`` parts of a union, from the part and numbers of each term."""
    sums = np.bincount(parts, weights=documents * idf**2, minlength=count)
    scales = np.ones(count)
    if sums[0] > 0:
        held = sums > 0
        scales[held] = np.minimum(np.sqrt(sums[0] / sums[held]), LARGEST_SCALE)
    return scales


TFS: tuple[TermFrequency, ...] = ("binary", "counts", "log")
IDFS: tuple[Idf, ...] = ("none", "smooth", "plain", "glm2004")
NORMS: tuple[Norm, ...] = ("none", "l1", "l2")

NAMED: dict[str, tuple[TermFrequency, Idf]] = {
    "binary": ("binary", "none"),
    "counts": ("counts", "none"),
    "log": ("log", "none"),
    "tfidf": ("counts", "smooth"),
    "log-tfidf": ("log", "smooth"),
    "plain-tfidf": ("counts", "plain"),
    "glm2004": ("log", "glm2004"),
}
