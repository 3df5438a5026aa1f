"""What `postil explain` says of documents that are vectors, and of those that are texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from postil.errors import CorpusError

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.reasons import DocumentReasons

Explain: TypeAlias = "Callable[[Document, Sequence[int] | None], DocumentReasons]"


def reasons_of(model: Model, vectors: NumberedDocuments | None) -> Explain:
    """What explains a document: by its texts, or by its number where documents are vectors."""
    from postil.prediction import Predictor, VectorPredictor
    from postil.reasons import Reasons, VectorReasons

    if vectors is None:
        reasons = Reasons(Predictor(model))
        return lambda document, columns: reasons.explain(document.fields, document.id, columns)
    numbered = VectorReasons(VectorPredictor(model))
    return lambda document, columns: numbered.explain(vectors, int(document.id) - 1, columns)


def numbered_documents(
    vectors: NumberedDocuments, ids: Sequence[str], names: tuple[str, ...]
) -> list[Document]:
    """The documents of these numbers, in that order, or the first; they have labels and no text."""
    from postil.corpus.document import Document

    known, labels = vectors.ids, vectors.labels_for(names)
    if not known:
        raise CorpusError(f"{vectors.source} holds no document to explain")
    wanted = list(dict.fromkeys(ids)) or known[:1]
    row_of = {number: row for row, number in enumerate(known)}
    missing = [name for name in wanted if name not in row_of]
    if missing:
        raise CorpusError(
            f"{vectors.source} has no document {', '.join(map(repr, missing))}: its documents are "
            f"numbered from 1 to {len(known)}"
        )
    return [Document(name, {}, labels[row_of[name]]) for name in wanted]
