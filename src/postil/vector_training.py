"""From an svmlight file to a trained categorizer: a recipe without its way from text to vectors."""

from __future__ import annotations

import numpy as np

from postil.errors import InputError
from postil.learn.labels import Labels
from postil.learn.prior_files import PriorFile
from postil.model.model import Model
from postil.model.numbered import (
    IDS,
    MEMBER,
    VECTORS,
    NumberedDocuments,
    columns_numbered,
    number_vectorizer,
)
from postil.model.training import TrainingFingerprint
from postil.model.training_vectors import TrainingVectors
from postil.recipes.recipe import Recipe
from postil.training import Tell, check_priors, learn_from
from postil.training_run import Watch


def train_vectors(
    documents: NumberedDocuments,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    tell: Tell | None = None,
) -> Model:
    """Learn from all documents of an svmlight file, their vectors as they are.

    The recipe's ``[representation]`` has no part in it, but for ``lsi`` and ``length``. Where
    labels are 1 and -1 alone there is one category, ``1``. Cost: as of
    :func:`postil.training.train` after its pass over the texts.
    """
    check_priors(recipe, priors)
    vectors = numbered_training(documents, threads)
    return learn_from(
        vectors, recipe, priors=priors, threads=threads, seed=seed, watch=watch, tell=tell
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
