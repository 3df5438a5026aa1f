"""From a corpus to the regularization path of a category, as a recipe has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from postil.cli.console import say
from postil.cli.progress import Steps

if TYPE_CHECKING:
    from postil.cli.passing import PassingCorpus
    from postil.learn.path import RegularizationPath
    from postil.recipes.recipe import Recipe
    from postil.vectors.vectorizer import Vectorizer

CHUNK = 4096


def method_of(recipe: Recipe) -> Any:  # noqa: ANN401 - a Method
    """The recipe's method without a strength of its own."""
    from postil.errors import UsageError
    from postil.learn.learners import LinearLearner

    if not isinstance(recipe.learner(), LinearLearner):
        raise UsageError(
            f"recipe {recipe.name}: has no path: it learns without a strength, or all categories "
            "at once; take one of a linear method"
        )
    return recipe.searching(most_terms=None, exactly=False).learner().searched()


def learned_path(
    opened: PassingCorpus,
    recipe: Recipe,
    method: Any,  # noqa: ANN401
    category: str,
    watch: Steps,
    **wanted: Any,  # noqa: ANN401 - what regularization_path takes
) -> tuple[RegularizationPath, Vectorizer]:
    """Read the documents that are not marked test, and learn the path of one category.

    Cost: one pass over the documents, then a native path.
    """
    from postil.learn.design import Design
    from postil.learn.labels import Labels
    from postil.learn.path import regularization_path
    from postil.recipes.fields import fitted
    from postil.vectors.gathering import RowFacts, chunks_of

    recipe, documents, note = fitted(recipe, (d for d in opened if d.split != "test"), opened.name)
    if note:
        say(note)
    vectorizer = recipe.representation.vectorizer(wanted["threads"])
    facts = RowFacts()

    def chunks() -> Iterator[Any]:
        for chunk in chunks_of(documents, vectorizer.fields, CHUNK, facts):
            yield chunk
            watch.reach("reading", len(facts.ids), None)

    matrix = vectorizer.fit_transform_chunks(chunks())
    at = _place(category, facts.categories, opened.name)
    labels = Labels((category,), facts.indicator().astype(bool)[:, [at]])
    found = regularization_path(
        Design(matrix),
        labels,
        method,
        selection=_selection(recipe, matrix, labels),
        progress=lambda done, total: watch.reach("path", done, total),
        **wanted,
    )
    return found, vectorizer


def _place(category: str, names: Sequence[str], source: str) -> int:
    from postil.errors import InputError
    from postil.text.suggest import advice

    if category in names:
        return list(names).index(category)
    if not names:
        raise InputError(
            f"{source}: none of its documents to learn from has a label: name the column that "
            "holds them with --label-column, or use a corpus with labels"
        )
    raise InputError(f"{source} has no category {category!r}{advice(category, sorted(names))}")


def _selection(recipe: Recipe, matrix: Any, labels: Any) -> Any:  # noqa: ANN401
    import numpy as np
    import scipy.sparse as sp

    from postil.features.select import select_terms

    wanted = recipe.selection
    if wanted.measure is None:
        return None
    members = sp.csr_matrix(labels.members, dtype=np.float32)
    return select_terms(
        matrix, members, measure=wanted.measure, k=wanted.terms, threshold=wanted.threshold
    )
