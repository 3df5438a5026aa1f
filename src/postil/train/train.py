"""Train a categorizer: the steps of a recipe from documents, or vectors, to a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from postil.common.progress import Notify, StepProgress, no_progress, notify_or_warn
from postil.common.threads import one_blas_thread
from postil.corpus.document import Document
from postil.errors import UsageError
from postil.learn.strength import Strengths
from postil.learn.term_priors.files import PriorFile
from postil.learn.term_priors.matching import PriorsWarning
from postil.model.model import Model
from postil.model.numbered import NumberedDocuments, TrainingVectors
from postil.model.save import check_names_fit
from postil.recipes.entries import prefix_errors
from postil.recipes.parts import ONE_LABEL
from postil.recipes.recipe import Recipe, load_recipe, recipe_names
from postil.train.auto import Choice, choose_recipe
from postil.train.choice import choose_run
from postil.train.predict import Predictor
from postil.train.reading import (
    LabelsWarning,
    document_notes,
    label_notes,
    numbered_training,
    rare_note,
    read_training,
)
from postil.train.run import LearningSpace, TrainingRun
from postil.train.search_cache import SearchCache

Finished: TypeAlias = Callable[[TrainingRun], None]

SINGLE_LABEL = "single-label: the model gives every document exactly one category"
SPEED_SAMPLE = 400


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
    finished: Finished | None = None,
    cache: SearchCache | None = None,
) -> Model:
    """Learn a categorizer from all documents that are not marked test.

    Cost: one pass over the documents, then the fit. A decision rule or calibration that is tuned
    out of fold takes a fit for each fold; a search for λ, which comes first, one for each fold
    and λ.

    Parameters
    ----------
    documents : iterable of Document
        The documents, which are read once.
    recipe : Recipe
        The method. If documents lack fields that it wants, the fields to read are chosen by
        :func:`postil.train.reading.look_for_fields`, and the model keeps them.
    corpus : str
        The name of the corpus.
    priors : PriorFile, optional
        Per-term priors, by the names of terms in the vocabulary.
    threads : int, optional
        The number of threads; results do not depend on it.
    seed : int
        The seed of the folds, and of the solver unless the recipe gives one.
    progress : callable, optional
        Called with the step, the work done, and the work in all.
    notify : callable, optional
        Called with notes about fields, labels, priors and rare categories. Without it, all but
        the last are warnings.
    finished : callable, optional
        Called at the end with the training run, which has the out-of-fold scores.
    cache : SearchCache, optional
        Where a search by ``[auto]`` keeps its trials, to go on after the process was killed.
    """
    check_priors(recipe, priors)
    choice: Choice | None = None
    if recipe.auto is not None and priors is None:
        choice = choose_recipe(
            documents,
            recipe,
            threads=threads,
            seed=seed,
            progress=progress,
            notify=notify,
            cache=cache,
        )
        recipe, documents = choice.recipe, choice.documents
    recipe, vectors = read_training(
        documents, recipe, corpus=corpus, threads=threads, progress=progress, notify=notify
    )
    if choice is not None and choice.facts:
        vectors = replace(vectors, method={**vectors.method, "auto": choice.facts})
    model = learn_from(
        vectors,
        recipe,
        priors=priors,
        strengths=None if choice is None else choice.strengths,
        threads=threads,
        seed=seed,
        progress=progress,
        notify=notify,
        finished=finished,
    )
    if choice is not None and choice.facts and notify is not None:
        notify(_speed(model, choice.documents))
    return model


def _speed(model: Model, documents: Sequence[Document]) -> str:
    """Return how long a model takes for a document, measured on some."""
    some = documents[:SPEED_SAMPLE]
    predictor = Predictor(model, threads=1)
    columns = model.vectorizer.fields.columns_of(some)
    begun = time.perf_counter()
    predictor.scores(columns)
    microseconds = (time.perf_counter() - begun) / len(some) * 1e6
    digits = 0 if microseconds >= 1 else 1
    return f"the model scores a document in {microseconds:,.{digits}f} µs on one thread"


def train_vectors(
    documents: NumberedDocuments,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
    finished: Finished | None = None,
) -> Model:
    """Learn a categorizer from all vectors of an svmlight file.

    Of the recipe's ``[representation]`` only ``lsi`` and ``length`` apply. The other parameters
    are those of :func:`train`.
    """
    check_priors(recipe, priors)
    vectors = numbered_training(documents, threads)
    return learn_from(
        vectors,
        recipe,
        priors=priors,
        threads=threads,
        seed=seed,
        progress=progress,
        notify=notify,
        finished=finished,
    )


def learn_from(
    vectors: TrainingVectors,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    strengths: Mapping[str, float] | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
    finished: Finished | None = None,
) -> Model:
    """Learn a categorizer from vectors.

    ``strengths`` is the C of each category by name, if they differ. The other parameters are those
    of :func:`train`.
    """
    labels = vectors.labels
    check_names_fit(labels.names)
    if recipe.fallback_note and notify is not None:
        notify(recipe.fallback_note)
    for note in label_notes(labels.names):
        notify_or_warn(note, notify, LabelsWarning, depth=4)
    progress = progress or no_progress
    space = LearningSpace.of(vectors, recipe, progress)
    run = TrainingRun(recipe, space, labels, threads, seed, progress)
    run.facts = {**vectors.method, **space.facts()}
    if strengths is not None:
        run.strengths = Strengths("C", np.array([strengths[name] for name in labels.names]))
    if priors is not None:
        matched = vectors.priors(priors)
        run.priors = matched.priors
        run.facts["priors"] = matched.to_dict(priors)
        if notify is not None or matched.unmatched:
            notify_or_warn(matched.note(priors.source), notify, PriorsWarning, depth=4)
    if notify is not None:
        for note in document_notes(labels, vectors.matrix, recipe.decide, run.recipe.decide):
            notify(note)
        if run.recipe.decide.rule == ONE_LABEL:
            notify(SINGLE_LABEL)
    with one_blas_thread():
        run.search()
        run = choose_run(run)
        fit = run.learn()
        rule, calibration = run.decisions(fit)
    run.unfinished.warn()
    note = rare_note(rule, labels.sizes(), run.recipe.decide.folds)
    if note and notify is not None:
        notify(note)
    if finished is not None:
        finished(run)
    return run.model(vectors, fit, rule, calibration)


def check_priors(recipe: Recipe, priors: PriorFile | None) -> None:
    """Raise UsageError if a recipe cannot use per-term priors."""
    if priors is None:
        return
    with prefix_errors(priors.source):
        if recipe.representation.lsi is not None:
            raise UsageError(
                f"the recipe {recipe.name} learns in the directions of LSI, which have no per-term "
                "priors; use a recipe without lsi, or leave the priors out"
            )
        try:
            recipe.method().check_takes_priors()
        except UsageError as error:
            able = ", ".join(_recipes_with_priors())
            raise UsageError(f"{error}; recipes that take them: {able}") from None


def _recipes_with_priors() -> list[str]:
    able = []
    for recipe in map(load_recipe, recipe_names()):
        with suppress(UsageError):
            recipe.method().check_takes_priors()
            able += [recipe.name] if recipe.representation.lsi is None else []
    return able
