"""From a model and new labelled documents to a model that knows both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from postil.common.progress import Notify, StepProgress, no_progress, notify_or_warn
from postil.corpus.document import Document
from postil.decide.decision import State
from postil.learn.job import Labels
from postil.model.model import DocumentDigest, Model, TrainingFingerprint
from postil.model.numbered import NumberedDocuments, check_takes_texts, with_new_numbers
from postil.model.save import check_names_fit
from postil.train.notes import LabelsWarning, label_notes
from postil.train.train import check_any, check_labelled, digested, watched
from postil.train.update_run import NewVectors, UpdatePlan, UpdateRun
from postil.vectors.extending import extend
from postil.vectors.rows import RowFacts

SHOWN = 5
# Documents without a new category that teach it what it is not.
ENOUGH = 50


def update(
    model: Model,
    documents: Iterable[Document],
    *,
    corpus: str = "",
    passes: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> Model:
    """Learn all documents that are not marked test on top of a model, which stays as it is.

    Learning goes on from the model's weights by its own recipe's method, ``passes`` times over the
    new documents (by default as often as the recipe says); the old ones are not needed. A method
    that learns from all documents at once is refused before any is read.

    New terms come after the known ones (:func:`postil.vectors.extending.extend`), new categories
    after the known ones, in the order of their names. A document is an example of the categories it
    is labelled with, and of no other: that of a known category it lacks counts against it. Tuned
    thresholds and calibrations stay as they are; a new category has a threshold of 0, and its share
    of the documents as probability.

    Cost: one pass over the documents, then the learner's passes over their vectors.
    """
    model.check_file_unchanged()
    plan = UpdatePlan.of(model, passes, seed)
    check_takes_texts(model)
    progress = progress or no_progress
    vectors = _read(model, documents, corpus, progress)
    return _learned(
        UpdateRun(model, plan, vectors, threads, progress), notify, hurried=bool(passes)
    )


def update_vectors(
    model: Model,
    documents: NumberedDocuments,
    *,
    passes: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> Model:
    """Do what :func:`update` does with all documents of an svmlight file.

    Numbers that the model has not met are new terms.
    """
    model.check_file_unchanged()
    plan = UpdatePlan.of(model, passes, seed)
    vectors = _numbered(model, documents)
    run = UpdateRun(model, plan, vectors, threads, progress or no_progress)
    return _learned(run, notify, hurried=bool(passes))


def _learned(run: UpdateRun, notify: Notify | None, *, hurried: bool) -> Model:
    if run.new_names:
        check_names_fit(run.vectors.labels.names)
        for note in label_notes(run.vectors.labels.names):
            notify_or_warn(note, notify, LabelsWarning, depth=4)
    updated = run.model()
    if not hurried:  # who says how many passes has said how far
        run.unfinished.warn()
    if notify is not None:
        for note in _notes(run, updated):
            notify(note)
    return updated


def _read(
    model: Model, documents: Iterable[Document], corpus: str, progress: StepProgress
) -> NewVectors:
    source = corpus or "the corpus"
    facts, digest = RowFacts(), DocumentDigest()
    chosen = digested((document for document in documents if document.split != "test"), digest)
    chunks = watched(
        _any(chosen, digest, source), model.vectorizer.fields, facts, progress, any_field=True
    )
    extended = extend(model.vectorizer, chunks)
    check_labelled(bool(facts.categories), digest.documents, source)
    labels = _labels(model.names, facts)
    training = TrainingFingerprint(corpus, digest.documents, digest.hexdigest(), labels.sizes())
    return NewVectors(
        extended.matrix,
        labels,
        extended.vectorizer,
        training,
        extended.new_terms,
        extended.left_out,
    )


def _any(documents: Iterable[Document], digest: DocumentDigest, source: str) -> Iterator[Document]:
    """All documents, and then, before anything is made of them, whether there were any."""
    yield from documents
    check_any(digest, source)


def _labels(known: Sequence[str], facts: RowFacts) -> Labels:
    """Known categories in their order, then the new ones in that of their names."""
    place = {name: column for column, name in enumerate(known)}
    for name in facts.categories:
        place.setdefault(name, len(place))
    met = facts.indicator()
    columns = np.array([place[name] for name in facts.categories], dtype=np.int64)
    members = sp.csr_matrix(
        (np.ones(met.nnz, dtype=bool), columns[met.indices], met.indptr),
        shape=(met.shape[0], len(place)),
    )
    members.sum_duplicates()
    return Labels(tuple(place), members)


def _numbered(model: Model, documents: NumberedDocuments) -> NewVectors:
    grown = with_new_numbers(model, documents)
    sets = documents.labels_for(model.names)
    digest = documents.digest(sets)
    check_any(digest, documents.source)
    check_labelled(any(documents.labels), digest.documents, documents.source)
    new = sorted({name for names in sets for name in names} - set(model.names))
    labels = Labels.of(sets, [*model.names, *new])
    training = TrainingFingerprint(
        documents.source, digest.documents, digest.hexdigest(), labels.sizes()
    )
    return NewVectors(grown.matrix, labels, grown.vectorizer, training, grown.new_terms)


def _notes(run: UpdateRun, updated: Model) -> Iterator[str]:
    """What was not as for the others, a line each."""
    if run.vectors.left_out:
        terms = _counted(run.vectors.left_out, "unknown term is", "unknown terms are")
        yield f"{terms} left out by the recipe's bounds on terms (max_df, max_terms)"
    few = [
        f"{name} from {count}"
        for name, count in zip(run.new_names, run.others_of_new.tolist(), strict=True)
        if count < ENOUGH
    ]
    if few:
        yield (
            f"new categories are told apart from the new documents alone, and those are few: "
            f"{_listed(few)}; mix documents without them into the new ones, or they will be given "
            "to many that are not theirs"
        )
    untuned = [
        updated.names[column]
        for column in updated.decision.in_state(State.UNTUNED)
        if updated.names[column] in run.new_names
    ]
    if untuned:
        has = _counted(len(untuned), "new category has", "new categories have")
        yield (
            f"{has} a threshold of 0, since there was nothing to tune it on: {_listed(untuned)}; "
            "train anew on all documents for tuned ones"
        )


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
