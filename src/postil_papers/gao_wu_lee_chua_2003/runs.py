"""The collection of section 6.1, its vectors and directions, and one run of a recipe on it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Flags, Floats
from postil.errors import UsageError
from postil.evaluate.counts import Counts, count
from postil.evaluate.measures import f1, f1_of_means, micro
from postil.recipes.parts import Decide, Representation
from postil.recipes.recipe import Recipe
from postil.train.run import LearningSpace, TrainingRun
from postil.vectors.lsi import Lsi
from postil.vectors.projection import Projection
from postil_papers.experiment import Measured
from postil_papers.harness import Problem, Vectors, quiet_fits, report, reporting, vectors_of
from postil_papers.results import remember
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import REUTERS, Collection

# Section 6.1: labelled documents, and categories that training and test documents share. The texts
# are read as the recipes say.
COLLECTION = replace(REUTERS, categories=(), reading={})

F1, MCE = "mfom-f1", "mfom-mce"  # the recipes
MFOM_TREE, BPA_TREE, MULTI = "mfom-tree", "bpa-tree", "mfom-multi"

# Names of the averages, where a table of ours has several.
AVERAGES = ("micro F1", "macro F1 (eq. 6.1)", "mean of F1s")

SEED = 0
AT_ZERO = "default"  # the rule that tunes nothing

# Section 6.2.2: linear, C = 1. The constant of its dual is part of what is regularized.
SVM_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "dual-coordinate",
    "intercept": "penalised",
    "C": 1.0,
    "options": {"tolerance": 1e-3, "iterations": 1000},
}


def learning(recipe: Recipe, **changed: Any) -> Recipe:  # noqa: ANN401 - entries of [learn]
    """Return the recipe with other entries of ``[learn]``; one of None is left out."""
    entries = {**recipe.learn, **changed}
    return replace(recipe, learn={name: v for name, v in entries.items() if v is not None})


def linear_svm(recipe: Recipe) -> Recipe:
    """Return a linear SVM on the recipe's texts: all terms, no directions."""
    return replace(
        recipe,
        name="linear SVM",
        representation=replace(recipe.representation, lsi=None, length=None),
        learn=SVM_LEARN,
        decide=Decide(rule="default"),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The counts of each category by its name; a precision, recall or F1 of 0/0 is 0."""

    categories: list[str]
    counts: Counts

    def of(self, names: Sequence[str]) -> Tally:
        """Return the tally of some categories."""
        places = np.array([self.categories.index(name) for name in names], dtype=np.intp)
        return Tally(list(names), self.counts.of(places))

    def without(self, names: Sequence[str]) -> Tally:
        """Return the tally of all other categories."""
        return self.of([name for name in self.categories if name not in names])

    def micro(self) -> float:
        """Return ``2ΣTP / (ΣFP + ΣFN + 2ΣTP)`` (eq. 6.2)."""
        return float(np.nan_to_num(micro(self.counts, "f1")))

    def macro(self) -> float:
        """Return ``2 ΣR ΣP / (N (ΣP + ΣR))`` (eq. 6.1), the F1 of mean precision and recall."""
        return float(np.nan_to_num(f1_of_means(self.counts)))

    def mean(self) -> float:
        """Return ``ΣF1 / N``, which others call macro-averaged F1."""
        return float(self.f1s().mean())

    def f1s(self) -> Floats:
        """Return F1 of each category (eq. 4.3)."""
        return np.nan_to_num(f1(self.counts))


def tally_of(names: Sequence[str], accepted: Flags, truth: Flags) -> Tally:
    """Count decisions, documents × categories."""
    return Tally(list(names), count(sp.csr_matrix(truth), sp.csr_matrix(accepted)))


def average_cells(
    table: str, row: str, tally: Tally, remark: str, **others: float
) -> dict[tuple[str, str, str], Measured]:
    """Return a row with all three averages and other columns, with one remark."""
    averages = (tally.micro(), tally.macro(), tally.mean())
    values = dict(zip(AVERAGES, averages, strict=True)) | others
    return {
        (table, row, column): Measured(value, remark=remark) for column, value in values.items()
    }


class Spaces:
    """Vectors of a collection, and points of them in any number of directions of LSI.

    Directions are found once, as many as the representation has; fewer are the first of them.
    """

    def __init__(self, vectors: Vectors, representation: Representation) -> None:
        self.vectors = vectors
        self.representation = representation

    @cached_property
    def projection(self) -> Projection:
        """All wanted directions, found on the training documents."""
        wanted = self.representation.lsi
        if wanted is None:
            raise UsageError("the representation has no directions; give lsi")
        matrix = self.vectors.matrix[self.vectors.learned]
        return Projection.learned(matrix, wanted, self.representation.length, progress=report)

    def of_directions(self, dimensions: int, *, scaled: bool = True) -> Problem:
        """Return points in the first directions, scaled to the representation's length there.

        If they are not ``scaled``, they are shorter: they have that length in all directions.
        """
        kept = narrowed(self.projection, dimensions) if scaled else self.projection
        points = kept.points(self.vectors.matrix)[:, :dimensions]
        return self.vectors.problem(sp.csr_matrix(points))

    def whole(self) -> Problem:
        """Return points in all directions of the representation, or vectors if it has none."""
        if self.representation.lsi is None:
            return self.vectors.problem()
        return self.of_directions(self.projection.directions)


def narrowed(projection: Projection, dimensions: int) -> Projection:
    """Return the first directions of a projection, or all if it has no more."""
    count = min(dimensions, projection.directions)
    lsi = Lsi(count, scaled=True)
    known = projection.lsi
    lsi.set_directions(known.singular_values[:count], known.term_vectors[:, :count])
    return Projection(lsi, projection.length)


def spaces_of(collection: Collection, representation: Representation) -> Spaces:
    """Return the vectors of a collection; those used last are kept."""
    return _spaces(collection.corpus, collection.reader, representation)


@lru_cache(maxsize=2)
def _spaces(corpus: str, reader: str, representation: Representation) -> Spaces:
    report("reading", 0, None)
    documents = replace(COLLECTION, corpus=corpus, reader=reader).documents()
    return Spaces(vectors_of(documents, representation), representation)


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    """The numbers kept of a run.

    ``at_zero`` are decisions at a score of 0, ``by_rule`` those of the recipe's rule. ``rows`` of
    weights are categories, or nodes of trees; ``sizes`` are members to learn from. ``smooth`` is
    the mean of the objectives that categories report; ``seconds`` are of learning alone.
    """

    at_zero: Tally
    by_rule: Tally
    sizes: list[int]
    rows: int
    terms: int
    smooth: float
    seconds: float

    def rare(self, below: int) -> list[str]:
        """Return the categories with fewer training documents than that."""
        pairs = zip(self.at_zero.categories, self.sizes, strict=True)
        return [name for name, size in pairs if size < below]


def run_of(collection: Collection, recipe: Recipe) -> RunFacts:
    """Return the run of a recipe, computed once."""
    return remember("gao-wu-lee-chua-2003: a run", _run, collection=collection, recipe=recipe)


def _run(collection: Collection, recipe: Recipe) -> RunFacts:
    return learned(spaces_of(collection, recipe.representation).whole(), recipe)


def learned(problem: Problem, recipe: Recipe) -> RunFacts:
    """Learn and decide; a rule that is tuned learns once more for each fold."""
    space, labels = LearningSpace(problem.design), problem.labels
    run = TrainingRun(recipe, space, labels, None, SEED, reporting(recipe.name))
    truth = problem.truth.toarray()
    started = time.perf_counter()
    with quiet_fits():
        fit = run.learn()
        seconds = time.perf_counter() - started
        scores = fit.scores(problem.unseen)
        at_zero = tally_of(labels.names, scores > 0, truth)
        by_rule = at_zero
        if recipe.decide.rule != AT_ZERO:
            rule, _ = run.decisions(fit)
            by_rule = tally_of(labels.names, rule.accept(scores), truth)
    return RunFacts(
        at_zero,
        by_rule,
        labels.sizes().astype(int).tolist(),
        int(fit.weights.shape[0]),
        problem.design.terms,
        float(np.mean([report.objective for report in fit.reports])),
        seconds,
    )
