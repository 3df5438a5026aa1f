"""By how much a model is right on labelled documents, and which family of methods that suits.

The numbers of zhang-2000's mistake bounds (section 2) and of its theorems 3.1 and 3.2.

By how much linear weights are right on labelled documents, and the bounds that this gives.
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
from postil_papers import margin_bounds as bounds


class Norm(NamedTuple):
    """The largest norm of a document, and the mean over all."""

    largest: float
    mean: float


class Norms(NamedTuple):
    """How large documents are: ‖x‖₂, ‖x‖∞ and ‖x‖₁."""

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
    sizes: bounds.WeightSizes
    members: Ints
    least: Floats
    under: Ints

    @cached_property
    def perceptron_mistakes(self) -> Floats:
        """A Perceptron makes no more on these documents; NaN where they are not separated."""
        return bounds.perceptron_mistakes(self.sizes.two, self.norms.two.largest, self.least)

    @cached_property
    def winnow_mistakes(self) -> Floats:
        """A balanced Winnow makes no more on these documents; NaN where not separated."""
        sizes = self.sizes
        return bounds.winnow_mistakes(
            sizes.one, sizes.entropy, self.norms.infinity.largest, self.least
        )

    @cached_property
    def additive(self) -> Floats:
        """The term of theorem 3.1, for Perceptron and SVM."""
        return bounds.additive_term(self.sizes.two, self.norms.two.largest, self.gamma)

    @cached_property
    def multiplicative(self) -> Floats:
        """The term of theorem 3.2, for Winnows."""
        sizes = self.sizes
        return bounds.multiplicative_term(
            sizes.one, sizes.entropy, self.norms.infinity.largest, self.gamma
        )

    @cached_property
    def ratio(self) -> Floats:
        """The multiplicative term over the additive one; NaN for weights that are all 0."""
        return bounds.term_ratio(self.additive, self.multiplicative)

    @cached_property
    def favoured(self) -> tuple[str, ...]:
        """The family with the smaller term, for each category."""
        return tuple(map(bounds.favoured, self.ratio.tolist()))

    @property
    def memberless(self) -> tuple[str, ...]:
        """Categories that none of the documents has."""
        return tuple(self.names[c] for c in np.flatnonzero(self.members == 0))


class MarginTally:
    """Margins of documents as they pass: of all of them, a few numbers for each category are kept.

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
            raise UsageError(f"gamma (--margin-at) is a margin above 0, such as 1, not {gamma:g}")
        self.names = tuple(names)
        self.gamma = gamma
        self.constant = constant
        self.documents = 0
        self._intercepts = intercepts
        self._weights = sp.csr_matrix(weights, dtype=np.float64)
        self._by_term = sp.csr_matrix(self._weights.T)
        self._largest, self._sums = np.zeros(3), np.zeros(3)
        self._least = np.full(len(self.names), np.inf)
        self._under = np.zeros(len(self.names), dtype=np.int64)
        self._members = np.zeros(len(self.names), dtype=np.int64)

    def add(self, vectors: sp.csr_matrix[Any], labels: Sequence[Sequence[str]]) -> None:
        """Take in documents, one or more, and their labels; other names than ours do not count."""
        exact = sp.csr_matrix(vectors, dtype=np.float64)
        norms = np.vstack(list(_norms(exact, float(self.constant))))
        self._largest = np.maximum(self._largest, norms.max(axis=1))
        self._sums += norms.sum(axis=1)
        self.documents += len(labels)
        known = Labels.of(labels, self.names)
        signed = _signed((exact @ self._by_term).toarray() + self._intercepts, known)
        self._least = np.minimum(self._least, signed.min(axis=0))
        self._under += (signed < self.gamma).sum(axis=0)
        self._members += known.sizes()

    def margins(self) -> Margins:
        """What came out of it; there must have been a document."""
        means = self._sums / self.documents
        pairs = zip(self._largest.tolist(), means.tolist(), strict=True)
        return Margins(
            names=self.names,
            documents=self.documents,
            gamma=self.gamma,
            constant=self.constant,
            norms=Norms(*(Norm(largest, mean) for largest, mean in pairs)),
            sizes=bounds.weight_sizes(self._with_constant()),
            members=self._members,
            least=self._least,
            under=self._under,
        )

    def _with_constant(self) -> sp.csr_matrix[Any]:
        if not self.constant:
            return self._weights
        intercepts = sp.csr_matrix(self._intercepts[:, np.newaxis])
        return sp.csr_matrix(sp.hstack([self._weights, intercepts]))


def _norms(vectors: sp.csr_matrix[Any], constant: float) -> Iterator[Any]:
    """‖x‖₂, ‖x‖∞ and ‖x‖₁ of each document, with a constant appended that is 1, or none at 0."""
    documents = vectors.shape[0]
    rows = np.repeat(np.arange(documents), np.diff(vectors.indptr))
    sizes = np.abs(vectors.data)
    largest = np.full(documents, constant)
    np.maximum.at(largest, rows, sizes)
    yield np.sqrt(np.bincount(rows, sizes**2, documents) + constant)
    yield largest
    yield np.bincount(rows, sizes, documents) + constant


def _signed(scores: Floats, labels: Labels) -> Floats:
    """The margins y (w·x + b) of all pairs."""
    margins = -scores
    members = labels.members.tocoo()
    margins[members.row, members.col] *= -1.0
    return margins


STEP = "measuring margins"
MOST_DOCUMENTS = 4096
MOST_SCORES = 1 << 22
SHOWN = 5


class MeasuredMargins(NamedTuple):
    """Margins of a model, and what there is to say of the documents they were measured on.

    ``learned_from`` says that the documents are, one by one, those the model was trained on;
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
    """The margins of a model of texts on all documents given; without labels one is no member.

    The bounds speak of the documents that a model learns from: give those. ``columns`` are the
    categories wanted. Cost: time of one pass over the texts plus, for each document, the weights
    that its terms meet; memory a block of documents with their scores, never those of all.
    """
    check_takes_texts(model)
    tally = _tally(model, columns, gamma)
    block = _block(tally)
    digest = DocumentDigest()
    seen: set[str] = set()
    vectorizer = model.vectorizer
    passing = with_fields(documents, vectorizer.fields.names, source)
    while held := list(islice(passing, block)):
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
    """The same for a model of numbered features; features it does not know have no part."""
    tally = _tally(model, columns, gamma)
    block = _block(tally)
    vectors = columns_of(model, documents)
    labels = documents.labels_for(model.names)
    for start in range(0, len(labels), block):
        rows = slice(start, start + block)
        tally.add(vectors[rows], labels[rows])
        if progress is not None:
            progress(STEP, tally.documents, None)
    seen = {name for own in labels for name in own}
    return _measured(model, tally, documents.digest(labels), seen, documents.source)


def few(names: Sequence[str]) -> str:
    """Some names, and a sign that there are more."""
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")


def _refuse_not_linear(model: Model) -> None:
    """Refuse scores that are not linear in the document: the bounds know no others."""
    made = []
    if model.projection is not None:
        made.append("documents are scaled to a length in the directions of LSI")
    if model.combination is not None:
        made.append(f"scores of rows are combined ({model.combination.kind})")
    if made:
        raise UsageError(
            f"margins are of linear models, and in this one {' and '.join(made)}: take a model of "
            "a recipe without that"
        )


def _tally(model: Model, columns: Sequence[int] | None, gamma: float) -> MarginTally:
    """A tally of some categories; documents have a constant if any category has an intercept."""
    _refuse_not_linear(model)
    chosen = list(range(model.categories) if columns is None else columns)
    return MarginTally(
        [model.names[c] for c in chosen],
        sp.csr_matrix(model.weights)[chosen],
        model.intercepts[chosen],
        constant=bool(model.intercepts.any()),
        gamma=gamma,
    )


def _block(tally: MarginTally) -> int:
    """How many documents are scored at a time."""
    return max(1, min(MOST_DOCUMENTS, MOST_SCORES // max(1, len(tally.names))))


def _measured(
    model: Model, tally: MarginTally, digest: DocumentDigest, seen: set[str], source: str
) -> MeasuredMargins:
    if not tally.documents:
        raise InputError(f"{source} has no document, and margins are those of labelled documents")
    if not seen:
        raise InputError(
            f"{source}: no document has a label, so that nothing says which way a margin points; "
            "name the column that holds them with --label-column"
        )
    if seen.isdisjoint(model.names):
        raise InputError(
            f"{source} shares no category with the model: it has {few(sorted(seen))}, the model "
            f"{few(model.names)}; check --label-column and --label-separator"
        )
    unknown = tuple(sorted(seen.difference(model.names)))
    return MeasuredMargins(tally.margins(), digest.hexdigest() in model.learned_digests(), unknown)
