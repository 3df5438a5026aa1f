"""Update a model with new labelled documents, without the documents of its training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from postil.common.progress import Notify, StepProgress, no_progress, notify_or_warn
from postil.corpus.document import Document
from postil.decide.decision import State
from postil.learn.job import Labels
from postil.model.model import Model, TrainingFingerprint
from postil.model.numbered import NumberedDocuments, check_takes_texts, with_new_numbers
from postil.model.save import check_names_fit
from postil.train.reading import (
    DocumentReader,
    LabelsWarning,
    check_any,
    check_labelled,
    label_notes,
)
from postil.train.update_run import NewVectors, UpdatePlan, UpdateRun
from postil.vectors.extending import extend

SHOWN = 5
# A new category learned against fewer documents without it gets a note.
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
    """Learn all documents that are not marked test on top of a model; return a new model.

    The method of the model's own recipe resumes from the weights. New terms come after the known
    ones (:func:`postil.vectors.extending.extend`), new categories after the known ones, in the
    order of their names. A document counts as an example of its labels and against all other
    categories. Tuned thresholds and calibrations stay as they are; a new category has a threshold
    of 0, and its share of the documents as probability.

    Cost: one pass over the documents, then the passes over their vectors.

    Parameters
    ----------
    model : Model
        A model whose method can resume; others raise UsageError before any document is read.
    documents : iterable of Document
        The new documents.
    passes : int, optional
        The number of passes over the new documents; by default that of the recipe.
    corpus, threads, seed, progress, notify
        As for :func:`postil.train.train.train`.
    """
    model.check_file_unchanged()
    plan = UpdatePlan.of(model, passes, seed)
    check_takes_texts(model)
    vectors = _read(model, documents, corpus, progress)
    run = UpdateRun(model, plan, vectors, threads, progress or no_progress)
    return _updated(run, notify, passes)


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
    """Learn all vectors of an svmlight file on top of a model, as :func:`update` does.

    Numbers that the model does not know are new terms.
    """
    model.check_file_unchanged()
    plan = UpdatePlan.of(model, passes, seed)
    vectors = _numbered(model, documents)
    run = UpdateRun(model, plan, vectors, threads, progress or no_progress)
    return _updated(run, notify, passes)


def _updated(run: UpdateRun, notify: Notify | None, passes: int | None) -> Model:
    if run.new_names:
        check_names_fit(run.vectors.labels.names)
        for note in label_notes(run.vectors.labels.names):
            notify_or_warn(note, notify, LabelsWarning, depth=4)
    updated = run.model()
    if not passes:  # a user who sets the passes knows that they may be too few
        run.unfinished.warn()
    if notify is not None:
        for note in _notes(run, updated):
            notify(note)
    return updated


def _read(
    model: Model, documents: Iterable[Document], corpus: str, progress: StepProgress | None
) -> NewVectors:
    reader = DocumentReader(corpus, progress)
    extended = extend(model.vectorizer, reader.chunks(documents, model.vectorizer))
    new = [name for name in reader.facts.categories if name not in set(model.names)]
    labels = Labels.of_facts(reader.facts, [*model.names, *new])
    return NewVectors(
        extended.matrix,
        labels,
        extended.vectorizer,
        reader.fingerprint(labels),
        extended.new_terms,
        extended.left_out,
    )


def _numbered(model: Model, documents: NumberedDocuments) -> NewVectors:
    grown = with_new_numbers(model, documents)
    sets = documents.labels_for(model.names)
    digest = documents.digest(sets)
    check_any(digest.documents, documents.source)
    check_labelled(any(documents.labels), digest.documents, documents.source)
    new = sorted({name for names in sets for name in names} - set(model.names))
    labels = Labels.of(sets, [*model.names, *new])
    training = TrainingFingerprint(
        documents.source, digest.documents, digest.hexdigest(), labels.sizes()
    )
    return NewVectors(grown.matrix, labels, grown.vectorizer, training, grown.new_terms)


def _notes(run: UpdateRun, updated: Model) -> Iterator[str]:
    """Yield notes on terms that were left out and on new categories."""
    left_out = run.vectors.left_out
    if left_out:
        terms = "1 unknown term is" if left_out == 1 else f"{left_out} unknown terms are"
        yield f"{terms} left out by the recipe's bounds on terms (max_df, max_terms)"
    few = [
        f"{name} ({count})"
        for name, count in zip(run.new_names, run.others_of_new.tolist(), strict=True)
        if count < ENOUGH
    ]
    if few:
        yield (
            f"new categories learn only from the new documents, and few of these lack them: "
            f"{_listed(few)}; add documents without them, or the model will give them to others"
        )
    untuned = [
        updated.names[column]
        for column in updated.decision.in_state(State.UNTUNED)
        if updated.names[column] in run.new_names
    ]
    if untuned:
        count = len(untuned)
        has = "1 new category has" if count == 1 else f"{count} new categories have"
        yield (
            f"{has} a threshold of 0, which is not tuned: {_listed(untuned)}; train a new model on "
            "all documents to tune it"
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
