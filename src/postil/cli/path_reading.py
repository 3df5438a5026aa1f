"""The documents that a path is learned from: texts as a recipe reads them, or given vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from postil.cli.console import say
from postil.cli.progress import Steps

if TYPE_CHECKING:
    import scipy.sparse as sp

    from postil.cli.passing import PassingCorpus
    from postil.model.numbered import NumberedDocuments
    from postil.recipes.recipe import Recipe
    from postil.vectors.vectorizer import Vectorizer

CHUNK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """Vectors, documents × terms, and who is in which category, documents × categories."""

    matrix: sp.csr_matrix[Any]
    categories: Sequence[str]
    members: sp.csr_matrix[Any]
    vectorizer: Vectorizer
    source: str


def read_texts(
    opened: PassingCorpus, recipe: Recipe, watch: Steps, threads: int | None
) -> Training:
    """The documents that are not marked test; one pass over them."""
    from postil.recipes.fields import fitted
    from postil.vectors.gathering import RowFacts, chunks_of

    recipe, documents, note = fitted(recipe, (d for d in opened if d.split != "test"), opened.name)
    if note:
        say(note)
    vectorizer = recipe.representation.vectorizer(threads)
    facts = RowFacts()

    def chunks() -> Iterator[Any]:
        for chunk in chunks_of(documents, vectorizer.fields, CHUNK, facts):
            yield chunk
            watch.reach("reading", len(facts.ids), None)

    matrix = vectorizer.fit_transform_chunks(chunks())
    members = facts.indicator().astype(bool)
    return Training(matrix, list(facts.categories), members, vectorizer, opened.name)


def read_numbered_training(
    vectors: NumberedDocuments, recipe: Recipe, threads: int | None
) -> Training:
    """All documents of an svmlight file; its features are called by their numbers."""
    import numpy as np

    from postil.errors import InputError
    from postil.learn.labels import Labels
    from postil.model.numbered import MEMBER, number_vectorizer

    say(f"{vectors.source}: vectors as they are; [representation] of {recipe.name} has no part")
    used = np.unique(vectors.matrix.indices)
    if not len(used):
        raise InputError(f"{vectors.source}: no document has a feature to learn from")
    names = (MEMBER,) if vectors.binary else None
    labels = Labels.of(vectors.labels_for(names) if names else vectors.labels, names)
    matrix = vectors.matrix[:, used]
    vectorizer = number_vectorizer([str(number) for number in used.tolist()], threads, matrix)
    return Training(matrix, list(labels.names), labels.members, vectorizer, vectors.source)
