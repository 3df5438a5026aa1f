"""By how much a model is right on labelled documents, and which family of methods that suits.

The numbers of zhang-2000's mistake bounds (section 2) and of its theorems 3.1 and 3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import scipy.sparse as sp

from postil.assessment import with_fields
from postil.corpus.document import Document
from postil.errors import InputError, UsageError
from postil.evaluate.margins import Margins, MarginTally
from postil.model.model import Model
from postil.model.numbered import NumberedDocuments, check_takes_texts, columns_of
from postil.model.training import DocumentDigest
from postil.training_run import Watch

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
    watch: Watch | None = None,
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
        if watch is not None:
            watch(STEP, tally.documents, None)
    return _measured(model, tally, digest, seen, source)


def measure_vector_margins(
    model: Model,
    documents: NumberedDocuments,
    *,
    columns: Sequence[int] | None = None,
    gamma: float = 1.0,
    watch: Watch | None = None,
) -> MeasuredMargins:
    """The same for a model of numbered features; features it does not know have no part."""
    tally = _tally(model, columns, gamma)
    block = _block(tally)
    vectors = columns_of(model, documents)
    labels = documents.labels_for(model.names)
    for start in range(0, len(labels), block):
        rows = slice(start, start + block)
        tally.add(vectors[rows], labels[rows])
        if watch is not None:
            watch(STEP, tally.documents, None)
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
