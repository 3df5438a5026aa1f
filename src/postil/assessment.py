"""How good a trained categorizer is on documents it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.errors import InputError
from postil.evaluate import Options, Provenance, Report, measure_run
from postil.learn.category_tasks import NEVER
from postil.learn.labels import Labels
from postil.model.model import Model
from postil.model.training import DocumentDigest
from postil.prediction import Predictor
from postil.training import CHUNK, Watch
from postil.vectors.gathering import RowFacts, chunks_of

Floats = NDArray[np.float64]
CategorySet = Literal["all", "trained", "shared"]


class Assessment(NamedTuple):
    """A report, and memberships, decisions and scores it is of: documents × its categories.

    ``learned_from`` says that the documents are, one by one, those the model was trained on.
    """

    report: Report
    truth: sp.csr_matrix[Any]
    decisions: sp.csr_matrix[Any]
    scores: Floats
    learned_from: bool = False


def assess(
    model: Model,
    documents: Iterable[Document],
    *,
    corpus: str = "",
    categories: CategorySet = "all",
    options: Options | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Report:
    """Measure a categorizer; :func:`assessment` says how."""
    return assessment(
        model,
        documents,
        corpus=corpus,
        categories=categories,
        options=options,
        threads=threads,
        watch=watch,
    ).report


def assessment(
    model: Model,
    documents: Iterable[Document],
    *,
    corpus: str = "",
    categories: CategorySet = "all",
    options: Options | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Assessment:
    """Measure a categorizer on the documents marked as test, or on all if none is marked.

    ``categories`` says which count: ``all`` that the training or the test documents have (one
    that only the test documents have is missed by necessity), those ``trained``, or those
    ``shared`` by both. Cost: one pass over the documents; memory is the scores.
    """
    facts = RowFacts()
    digests = _Digests()
    blocks = []
    predictor = Predictor(model, threads)
    for chunk in chunks_of(digests.of(documents), model.vectorizer.fields, CHUNK, facts):
        blocks.append(predictor.scores(chunk.columns))
        if watch is not None:
            watch("testing", len(facts.ids), None)
    source = corpus or "the corpus"
    if not blocks:
        raise InputError(
            f"{source} has no document to test with: name the column that says train or test with "
            "--split-column, mark some with postil corpus split, or leave --split out"
        )
    rows = _tested(facts)
    seen = Labels(tuple(facts.categories), facts.indicator().astype(bool)).of_documents(rows)
    _refuse_unlabelled(source, seen)
    scores = np.vstack(blocks)[rows]
    names = _names(model.names, seen, categories)
    if not names:
        raise InputError(
            f"{source} shares no category with the model: it has "
            f"{_few(facts.categories)}, the model {_few(model.names)}; check --label-column and "
            "--label-separator"
        )
    truth = Labels.of(_label_sets(seen), names).members
    wide = _widened(scores, model.names, names, NEVER)
    decisions = sp.csr_matrix(
        _widened(model.decision.accept(scores), model.names, names, False), dtype=bool
    )
    probabilities = None
    calibrated = predictor.probabilities(scores)
    if calibrated is not None:
        probabilities = _widened(calibrated, model.names, names, 0.0)
    report = measure_run(
        truth,
        decisions,
        categories=names,
        scores=wide,
        probabilities=probabilities,
        training_sizes=_training_sizes(model, names),
        provenance=Provenance(
            corpus=corpus,
            split=_split(digests, model),
            method=str(model.recipe.get("name", "")),
            decision_rule=model.decision.spec,
        ),
        options=options,
    )
    return Assessment(report, truth, decisions, wide, digests.learned_from(model))


class _Digests:
    """What passes, in a few bytes: documents marked test, and all others."""

    def __init__(self) -> None:
        self.marked = DocumentDigest()
        self.others = DocumentDigest()

    def of(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            digest = self.marked if document.split == "test" else self.others
            digest.add(document.fields, document.labels)
            yield document

    @property
    def tested(self) -> DocumentDigest:
        """Of the documents that are measured."""
        return self.marked if self.marked.documents else self.others

    def learned_from(self, model: Model) -> bool:
        return self.tested.hexdigest() == model.training.sha256


def _split(digests: _Digests, model: Model) -> str:
    count, learned = digests.tested.documents, model.training.documents
    if digests.learned_from(model):
        return f"the {count} document{'' if count == 1 else 's'} it learned from"
    what = "test " if digests.marked.documents else ""
    return f"{count} {what}document{'' if count == 1 else 's'}, {learned} to learn from"


def _refuse_unlabelled(source: str, seen: Labels) -> None:
    if seen.members.nnz:
        return
    count = seen.documents
    none = "the only document has no" if count == 1 else f"none of the {count} documents has a"
    raise InputError(
        f"{source}: {none} label, so that there is nothing to measure against; name the column "
        "that holds them with --label-column, or ask for decisions with postil predict"
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def _tested(facts: RowFacts) -> NDArray[np.intp]:
    marked = np.flatnonzero([split == "test" for split in facts.splits])
    return marked if len(marked) else np.arange(len(facts.ids))


def _label_sets(labels: Labels) -> list[list[str]]:
    matrix = labels.members
    return [
        [labels.names[c] for c in matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]]
        for i in range(labels.documents)
    ]


def _names(trained: tuple[str, ...], seen: Labels, wanted: CategorySet) -> tuple[str, ...]:
    here = {seen.names[c] for c in np.flatnonzero(seen.sizes())}
    there = set(trained)
    chosen = {"all": there | here, "trained": there, "shared": there & here}[wanted]
    return tuple(sorted(chosen))


def _widened(values: NDArray[Any], have: tuple[str, ...], want: tuple[str, ...], fill: Any) -> Any:  # noqa: ANN401
    """Columns in another order; ``fill`` where there is none."""
    place = {name: column for column, name in enumerate(have)}
    wide = np.full((len(values), len(want)), fill, dtype=values.dtype)
    for column, name in enumerate(want):
        if name in place:
            wide[:, column] = values[:, place[name]]
    return wide


def _training_sizes(model: Model, names: tuple[str, ...]) -> NDArray[np.int64]:
    members = dict(zip(model.names, model.training.members.tolist(), strict=True))
    return np.array([members.get(name, 0) for name in names], dtype=np.int64)
