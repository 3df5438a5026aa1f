"""From labelled documents to a trained categorizer: the steps of a recipe, one after the other.

From an svmlight file to a trained categorizer: a recipe without its way from text to vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import numpy as np

from postil.common.progress import Notify, StepProgress, no_progress, notify_or_warn
from postil.corpus.document import Document
from postil.errors import InputError, UsageError
from postil.learn.job import Labels
from postil.learn.resume import resumable, usable_units
from postil.learn.term_priors.files import PriorFile
from postil.learn.term_priors.matching import PriorsWarning
from postil.model.model import DocumentDigest, Model, TrainingFingerprint
from postil.model.numbered import (
    IDS,
    MEMBER,
    VECTORS,
    NumberedDocuments,
    TrainingVectors,
    columns_numbered,
    number_vectorizer,
)
from postil.model.save import check_names_fit
from postil.recipes.entries import prefix_errors
from postil.recipes.recipe import Recipe, load_recipe, recipe_names
from postil.train.choice import chosen_run
from postil.train.fields import FieldsWarning, fitted
from postil.train.notes import LabelsWarning, label_notes, rare_note
from postil.train.run import LearningSpace, TrainingRun, timeless
from postil.vectors.fields import Fields
from postil.vectors.rows import RowFacts, chunks_of
from postil.vectors.vectorizer import TextChunk, Vectorizer

CHUNK = 4096


def train(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    corpus: str = "",
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> Model:
    """Learn a categorizer from all documents that are not marked as test.

    ``priors`` are of single terms, by the names the vocabulary gives them; what they say of
    others is told like the rest below.

    ``seed`` is of the folds, and of the solver's random order unless the recipe gives that one.
    Where documents lack fields that the recipe wants, :func:`postil.train.fields.fitted`
    chooses; the model keeps those that were read, and ``notify`` (without it a warning) says it.
    It is told of labels that are perhaps not what was meant, too, and (no warning otherwise) how
    many categories have too few documents to tune for.

    Cost: one pass over the documents, then the learner's; a decision rule or a calibration that
    is tuned out of fold learns once more for each fold, and a search for λ, which comes first,
    once for each fold and λ. ``progress`` gets the step, how much is done, and of how much.
    """
    check_priors(recipe, priors)
    recipe, vectors = read_training(
        documents, recipe, corpus=corpus, threads=threads, progress=progress, notify=notify
    )
    return learn_from(
        vectors, recipe, priors=priors, threads=threads, seed=seed, progress=progress, notify=notify
    )


def read_training(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    corpus: str = "",
    threads: int | None = None,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> tuple[Recipe, TrainingVectors]:
    """Make vectors of all documents not marked as test, in one pass.

    The recipe comes back with the fields that were read.
    """
    progress = progress or no_progress
    source = corpus or "the corpus"
    recipe, chosen, note = fitted(recipe, (d for d in documents if d.split != "test"), source)
    if note:
        notify_or_warn(note, notify, FieldsWarning, depth=4)  # who called train is warned
    vectorizer = recipe.representation.vectorizer(threads)
    facts = RowFacts()
    digest = DocumentDigest()
    learned = _checked(digested(chosen, digest), digest, vectorizer, recipe, source)
    matrix = vectorizer.fit_transform_chunks(watched(learned, vectorizer.fields, facts, progress))
    check_labelled(bool(facts.categories), digest.documents, source)
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    training = TrainingFingerprint(corpus, digest.documents, digest.hexdigest(), labels.sizes())
    return recipe, TrainingVectors(matrix, labels, vectorizer, training)


def check_priors(recipe: Recipe, priors: PriorFile | None) -> None:
    """Refuse priors of single terms for a recipe that cannot use them, before any work."""
    if priors is not None:
        with prefix_errors(priors.source):
            if recipe.representation.lsi is not None:
                raise UsageError(
                    f"the recipe {recipe.name} learns in the directions of LSI, of which nothing "
                    "is believed term by term; take a recipe without lsi, or leave the priors out"
                )
            try:
                recipe.method().check_takes_priors()
            except UsageError as error:
                able = ", ".join(_recipes_with_priors())
                raise UsageError(f"{error}; recipes that take them: {able}") from None


def _recipes_with_priors() -> list[str]:
    able = []
    for name in recipe_names():
        known = load_recipe(name)
        with suppress(UsageError):
            known.method().check_takes_priors()
            able += [name] if known.representation.lsi is None else []
    return able


def learn_from(
    vectors: TrainingVectors,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> Model:
    """Learn a categorizer from vectors: all that :func:`train` does after it has made them."""
    labels = vectors.labels
    check_names_fit(labels.names)
    for note in label_notes(labels.names):
        notify_or_warn(note, notify, LabelsWarning)
    progress = progress or no_progress
    space = LearningSpace.of(vectors, recipe, progress)
    run = TrainingRun(recipe, space, labels, threads, seed, progress)
    method = dict(vectors.method) | space.method()
    if priors is not None:
        matched = vectors.priors(priors)
        run.priors = matched.priors
        method["priors"] = matched.to_dict(priors)
        if notify is not None or matched.unmatched:
            notify_or_warn(matched.note(priors.source), notify, PriorsWarning)
    run, chosen = chosen_run(run, run.search())
    method |= chosen
    recipe = run.recipe
    fit = run.learn()
    rule, calibration = run.decisions(fit)
    run.unfinished.warn()
    note = rare_note(rule, labels.sizes(), recipe.decide.folds)
    if note and notify is not None:
        notify(note)
    return Model(
        vectorizer=vectors.vectorizer,
        names=fit.names,
        weights=space.of_terms(fit.weights),
        intercepts=fit.intercepts,
        projection=space.kept,
        combination=fit.combination,
        variances=fit.variances,
        intercept_variances=fit.intercept_variances,
        units=usable_units(fit.units) if space.goes_on(fit) else None,
        selection=run.selection if space.goes_on(fit) and resumable(run.method) else None,
        decision=rule,
        calibration=calibration,
        training=vectors.training,
        recipe=recipe.to_dict(),
        method=method,
        reports=[timeless(report.to_dict()) for report in fit.reports],
    )


def check_labelled(labelled: bool, documents: int, source: str) -> None:
    """Refuse documents of which none has a label: there is nothing to learn."""
    if not labelled:
        raise InputError(
            f"{source}: none of the training documents ({documents}) has a "
            "label: name the column that holds them with --label-column, or use a corpus with "
            "labels"
        )


def digested(documents: Iterable[Document], digest: DocumentDigest) -> Iterator[Document]:
    """The same documents, each taken into the digest as it passes."""
    for document in documents:
        digest.add(document.fields, document.labels)
        yield document


def _checked(
    documents: Iterable[Document],
    digest: DocumentDigest,
    vectorizer: Vectorizer,
    recipe: Recipe,
    source: str,
) -> Iterator[Document]:
    """All documents, and then, before anything is made of them, whether there are enough."""
    yield from documents
    check_any(digest, source)
    if vectorizer.buckets is None:
        with prefix_errors(f"recipe {recipe.name}: [representation]"):
            vectorizer.bounds.limits(digest.documents)


def check_any(digest: DocumentDigest, source: str) -> None:
    """Refuse to learn from nothing."""
    if digest.documents == 0:
        raise InputError(
            f"{source} has no document to learn from (those marked test never are): check "
            "--split-column and --split, or cut it anew with postil corpus split"
        )


def watched(
    documents: Iterable[Document],
    fields: Fields,
    facts: RowFacts,
    progress: StepProgress,
    *,
    any_field: bool = False,
) -> Iterator[TextChunk]:
    """The texts of documents in chunks, counted as they pass; see :func:`chunks_of`."""
    for chunk in chunks_of(documents, fields, CHUNK, facts, any_field=any_field):
        yield chunk
        progress("reading", len(facts.ids), None)


def train_vectors(
    documents: NumberedDocuments,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> Model:
    """Learn from all documents of an svmlight file, their vectors as they are.

    The recipe's ``[representation]`` has no part in it, but for ``lsi`` and ``length``. Where
    labels are 1 and -1 alone there is one category, ``1``. Cost: as of
    :func:`postil.train.train.train` after its pass over the texts.
    """
    check_priors(recipe, priors)
    vectors = numbered_training(documents, threads)
    return learn_from(
        vectors, recipe, priors=priors, threads=threads, seed=seed, progress=progress, notify=notify
    )


def numbered_training(documents: NumberedDocuments, threads: int | None = None) -> TrainingVectors:
    """All documents of the file to learn from; terms are the numbers that some of them has."""
    names = (MEMBER,) if documents.binary else None
    sets = documents.labels_for(names) if names else documents.labels
    if not any(sets):
        raise InputError(f"{documents.source}: none of the documents ({len(sets)}) has a label")
    labels = Labels.of(sets, names)
    used = np.unique(documents.matrix.indices)
    if not len(used):
        raise InputError(f"{documents.source}: no document has a feature to learn from")
    matrix = columns_numbered(documents.matrix, used)
    vectorizer = number_vectorizer([str(number) for number in used.tolist()], threads, matrix)
    digest = documents.digest(sets)
    training = TrainingFingerprint(
        documents.source, digest.documents, digest.hexdigest(), labels.sizes()
    )
    return TrainingVectors(
        matrix, labels, vectorizer, training, numbered=True, method={VECTORS: IDS}
    )
