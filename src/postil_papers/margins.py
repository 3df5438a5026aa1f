"""Margins of a linear model on labelled documents, and the mistake bounds of zhang-2000.

Additive updates (Perceptron, SVM) are bounded by 2-norms (section 2.1, theorem 3.1). Multiplicative
updates (Winnow) are bounded by the largest entry of a document, and by the 1-norm and the entropy
of the weights (section 2.2, theorem 3.2). Arrays have an entry for each category.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.progress import StepProgress
from postil.common.types import Floats, Ints
from postil.corpus.document import Document
from postil.errors import InputError, UsageError
from postil.learn.job import Labels
from postil.model.model import DocumentDigest, Model
from postil.model.numbered import NumberedDocuments, check_takes_texts, columns_of
from postil.train.assess import with_fields

STEP = "measuring margins"
MOST_DOCUMENTS, MOST_SCORES = 4096, 1 << 22  # at a time
SHOWN = 5
ADDITIVE, MULTIPLICATIVE, NEITHER = "additive", "multiplicative", "neither"


class WeightSizes(NamedTuple):
    """The sizes of the weights of each category: ‖w‖₁, ‖w‖₂ and their entropy."""

    one: Floats
    two: Floats
    entropy: Floats


def weight_sizes(weights: sp.csr_matrix[Any]) -> WeightSizes:
    """Return the sizes of weights, categories × columns, with the column of the constant.

    The entropy Σⱼ wⱼ ln(wⱼ ‖μ‖₁ / (μⱼ ‖w‖₁)) is that of section 2.2 for a balanced Winnow: its
    documents are x̃ = [x, -x], and its weights are max(w, 0) and max(-w, 0), with a uniform prior
    μ over all 2d of them. So it is Σ |wⱼ| ln(2d |wⱼ| / ‖w‖₁), with 0 ln 0 = 0. A balanced Winnow
    holds the same amount more on both sides of each term. That cancels in every score, and
    without it the 1-norm is as small as it can be: two models with the same w have the same sizes,
    whichever way they were learned.
    """
    categories, columns = weights.shape
    rows = np.repeat(np.arange(categories), np.diff(weights.indptr))
    sizes = np.abs(weights.data).astype(np.float64)
    rows, sizes = rows[sizes > 0], sizes[sizes > 0]
    one: Floats = np.bincount(rows, sizes, categories).astype(np.float64)
    two = np.sqrt(np.bincount(rows, sizes**2, categories))
    shares = sizes / one[rows]
    entropy = np.bincount(rows, sizes * np.log(2.0 * columns * shares), categories)
    return WeightSizes(one, two, np.maximum(entropy, 0.0))  # under 0 it is a rounding error


def _squared_over(size: float, margin: Floats) -> Floats:
    """Return size² / margin², NaN for margins not above 0."""
    over = np.full(len(margin), np.nan)
    with np.errstate(over="ignore"):  # infinite for a margin of nearly 0
        np.divide(size, margin, out=over, where=margin > 0)
        return over**2


class Norm(NamedTuple):
    """The largest norm of a document, and the mean over all."""

    largest: float
    mean: float


class Norms(NamedTuple):
    """The norms of documents: ‖x‖₂, ‖x‖∞ and ‖x‖₁."""

    two: Norm
    infinity: Norm
    one: Norm


@dataclass(frozen=True, eq=False)
class Margins:
    """Margins of some categories of a model on labelled documents, and the bounds they give.

    The margin of a document x for a category is y (w·x + b), with y = 1 for a member and -1 for
    all others; thresholds of the decision have no part. ``least`` is the smallest of them, and
    ``under`` counts those below ``gamma``. Where the model has intercepts, ``constant`` is true:
    documents have a 1 appended and weights the intercept, in all norms and sizes.
    """

    names: tuple[str, ...]
    documents: int
    gamma: float
    constant: bool
    norms: Norms
    sizes: WeightSizes
    members: Ints
    least: Floats
    under: Ints

    @cached_property
    def perceptron_mistakes(self) -> Floats:
        """The bound ‖w‖₂² max‖x‖₂² / δ² on mistakes, with the least margin δ (section 2.1).

        It holds for every learning rate and every order of the documents, however often they come.
        It is NaN where δ is not above 0: the weights do not separate the documents.
        """
        return self.sizes.two**2 * _squared_over(self.norms.two.largest, self.least)

    @cached_property
    def winnow_mistakes(self) -> Floats:
        """The bound 2 ‖w‖₁ (Σⱼ wⱼ ln(wⱼ ‖μ‖₁ / (μⱼ ‖w‖₁))) max‖x‖∞² / δ² (section 2.2).

        It holds for a balanced Winnow with the learning rate δ / (‖w‖₁ max‖x‖∞²) and weights that
        begin at a uniform μ. It is NaN where δ is not above 0.
        """
        over = _squared_over(self.norms.infinity.largest, self.least)
        return 2.0 * self.sizes.one * self.sizes.entropy * over

    @cached_property
    def additive(self) -> Floats:
        """The term a² b² / γ² of theorem 3.1, with ‖w‖₂ = a and max‖x‖₂ = b."""
        return (self.sizes.two * self.norms.two.largest / self.gamma) ** 2

    @cached_property
    def multiplicative(self) -> Floats:
        """The term b² (a² + a c) / γ² of theorem 3.2: ‖w‖₁ = a, the entropy c, max‖x‖∞ = b."""
        one, _, entropy = self.sizes
        return one * (one + entropy) * (self.norms.infinity.largest / self.gamma) ** 2

    @cached_property
    def ratio(self) -> Floats:
        """The multiplicative term over the additive one; NaN for weights that are all 0."""
        ratio = np.full(len(self.names), np.nan)
        np.divide(self.multiplicative, self.additive, out=ratio, where=self.additive > 0)
        return ratio

    @cached_property
    def favoured(self) -> tuple[str, ...]:
        """The family with the smaller term, for each category."""
        families = {-1.0: MULTIPLICATIVE, 1.0: ADDITIVE}
        return tuple(families.get(sign, NEITHER) for sign in np.sign(self.ratio - 1).tolist())

    @property
    def memberless(self) -> tuple[str, ...]:
        """Categories without a document."""
        return tuple(self.names[c] for c in np.flatnonzero(self.members == 0))


class MarginTally:
    """Collect margins block by block; only a few numbers for each category are kept.

    ``weights`` is categories × columns. Cost of a block of documents: the weights that their terms
    meet, and documents × categories, in time and in memory; the weights are held twice.
    """

    def __init__(
        self,
        names: Sequence[str],
        weights: sp.csr_matrix[Any],
        intercepts: Floats,
        constant: bool,
        gamma: float,
    ) -> None:
        if not 0 < gamma < np.inf:
            raise UsageError(f"gamma (--margin-at) must be above 0, such as 1, not {gamma:g}")
        self.names = tuple(names)
        self.gamma = gamma
        self.constant = constant
        self.documents = 0
        self.block = max(1, min(MOST_DOCUMENTS, MOST_SCORES // max(1, len(self.names))))
        self._intercepts = intercepts
        self._weights = sp.csr_matrix(weights, dtype=np.float64)
        self._by_term = sp.csr_matrix(self._weights.T)
        self._largest, self._sums = np.zeros(3), np.zeros(3)
        self._least = np.full(len(self.names), np.inf)
        self._under = np.zeros(len(self.names), dtype=np.int64)
        self._members = np.zeros(len(self.names), dtype=np.int64)

    def add(self, vectors: sp.csr_matrix[Any], labels: Sequence[Sequence[str]]) -> None:
        """Add documents, one or more, with their labels; unknown names do not count."""
        exact = sp.csr_matrix(vectors, dtype=np.float64)
        norms = np.vstack(list(_norms(exact, float(self.constant))))
        self._largest = np.maximum(self._largest, norms.max(axis=1))
        self._sums += norms.sum(axis=1)
        self.documents += len(labels)
        known = Labels.of(labels, self.names)
        scores = (exact @ self._by_term).toarray() + self._intercepts
        signed = np.where(known.members.toarray(), scores, -scores)
        self._least = np.minimum(self._least, signed.min(axis=0))
        self._under += (signed < self.gamma).sum(axis=0)
        self._members += known.sizes()

    def margins(self) -> Margins:
        """Return the margins of all documents added, at least one."""
        weights = self._weights
        if self.constant:
            weights = sp.hstack([weights, sp.csr_matrix(self._intercepts[:, np.newaxis])], "csr")
        means = self._sums / self.documents
        pairs = zip(self._largest.tolist(), means.tolist(), strict=True)
        return Margins(
            names=self.names,
            documents=self.documents,
            gamma=self.gamma,
            constant=self.constant,
            norms=Norms(*(Norm(largest, mean) for largest, mean in pairs)),
            sizes=weight_sizes(weights),
            members=self._members,
            least=self._least,
            under=self._under,
        )


def _norms(vectors: sp.csr_matrix[Any], constant: float) -> Iterator[Any]:
    """Yield ‖x‖₂, ‖x‖∞ and ‖x‖₁ of each document with a constant of 1 appended, or 0 for none."""
    documents = vectors.shape[0]
    rows = np.repeat(np.arange(documents), np.diff(vectors.indptr))
    sizes = np.abs(vectors.data)
    largest = np.full(documents, constant)
    np.maximum.at(largest, rows, sizes)
    yield np.sqrt(np.bincount(rows, sizes**2, documents) + constant)
    yield largest
    yield np.bincount(rows, sizes, documents) + constant


class MeasuredMargins(NamedTuple):
    """Margins of a model, with facts about the documents they were measured on.

    ``learned_from`` is true if the documents are, one by one, those the model was trained on;
    ``unknown`` are labels of theirs that it does not have.
    """

    margins: Margins
    learned_from: bool
    unknown: tuple[str, ...]


def measure_margins(
    model: Model,
    documents: Iterable[Document],
    *,
    columns: Sequence[int] | None = None,
    gamma: float = 1.0,
    source: str = "the corpus",
    progress: StepProgress | None = None,
) -> MeasuredMargins:
    """Return the margins of a model of texts on documents.

    The bounds are about the documents that a model learns from: give those. Costs one pass over the
    texts; memory is a block of documents with their scores, never those of all.

    Parameters
    ----------
    model:
        A linear model of texts.
    documents:
        Labelled documents; one without labels is in no category.
    columns:
        The wanted categories by number; ``None`` means all.
    gamma:
        The margin γ of theorems 3.1 and 3.2.
    source:
        Name of the documents for messages.
    progress:
        Called with the number of documents after each block.
    """
    check_takes_texts(model)
    tally = _tally(model, columns, gamma)
    digest = DocumentDigest()
    seen: set[str] = set()
    vectorizer = model.vectorizer
    passing = with_fields(documents, vectorizer.fields.names, source)
    while held := list(islice(passing, tally.block)):
        for document in held:
            digest.add(document.fields, document.labels)
            seen.update(document.labels)
        vectors = vectorizer.transform_columns(vectorizer.fields.columns_of(held))
        tally.add(vectors, [document.labels for document in held])
        if progress is not None:
            progress(STEP, tally.documents, None)
    return _measured(model, tally, digest, seen, source)


def measure_vector_margins(
    model: Model,
    documents: NumberedDocuments,
    *,
    columns: Sequence[int] | None = None,
    gamma: float = 1.0,
    progress: StepProgress | None = None,
) -> MeasuredMargins:
    """Return the margins of a model of numbered features; unknown features are ignored."""
    tally = _tally(model, columns, gamma)
    vectors = columns_of(model, documents)
    labels = documents.labels_for(model.names)
    for start in range(0, len(labels), tally.block):
        rows = slice(start, start + tally.block)
        tally.add(vectors[rows], labels[rows])
        if progress is not None:
            progress(STEP, tally.documents, None)
    seen = {name for own in labels for name in own}
    return _measured(model, tally, documents.digest(labels), seen, documents.source)


def few(names: Sequence[str]) -> str:
    """Return the first names, and an ellipsis if there are more."""
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")


def _tally(model: Model, columns: Sequence[int] | None, gamma: float) -> MarginTally:
    """Return a tally of some categories, with a constant if any category has an intercept.

    Raise UsageError if scores are not linear in the document: the bounds need that.
    """
    made = []
    if model.projection is not None:
        made.append("documents are scaled to a length in the directions of LSI")
    if model.combination is not None:
        made.append(f"scores of rows are combined ({model.combination.kind})")
    if made:
        raise UsageError(
            f"margins need a linear model, and in this one {' and '.join(made)}: use a model of a "
            "recipe without that"
        )
    chosen = list(range(model.categories) if columns is None else columns)
    return MarginTally(
        [model.names[c] for c in chosen],
        sp.csr_matrix(model.weights)[chosen],
        model.intercepts[chosen],
        constant=bool(model.intercepts.any()),
        gamma=gamma,
    )


def _measured(
    model: Model, tally: MarginTally, digest: DocumentDigest, seen: set[str], source: str
) -> MeasuredMargins:
    if not tally.documents:
        raise InputError(f"{source} has no document; margins need labelled documents")
    if not seen:
        raise InputError(
            f"{source}: no document has a label, and margins need labelled documents; name the "
            "column that holds the labels with --label-column"
        )
    if seen.isdisjoint(model.names):
        raise InputError(
            f"{source} shares no category with the model: it has {few(sorted(seen))}, the model "
            f"{few(model.names)}; check --label-column and --label-separator"
        )
    unknown = tuple(sorted(seen.difference(model.names)))
    return MeasuredMargins(tally.margins(), digest.hexdigest() in model.learned_digests(), unknown)
