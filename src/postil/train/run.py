"""What a training run does once its documents are vectors: search, learn, tune decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import StepProgress
from postil.common.types import Floats
from postil.decide import (
    DecisionRule,
    OutOfFoldScores,
    TrainingScores,
    calibration_needs,
    fit_calibration,
    fit_rule,
    make_folds,
    out_of_fold_scores,
    parse_rule,
)
from postil.decide.calibration import Calibration
from postil.decide.scores import Needs
from postil.errors import InputError
from postil.features.inputs import Csr
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, Unfinished
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors
from postil.model.numbered import TrainingVectors
from postil.recipes.recipe import Recipe
from postil.vectors.projection import Projection


def timeless(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without its time, so that the same documents give the same file."""
    return {name: value for name, value in report.items() if name != "seconds"}


@dataclass(frozen=True, slots=True, eq=False)
class LearningSpace:
    """What learning sees of documents: their terms, or points in the directions of LSI.

    Directions are those of vectors, and never saw a label; but they are the training documents',
    and lie better for these than for others. So what is held out of a fit is held out of its
    directions, too (:meth:`without`). The folds of a search, and those by which a tree is cut,
    compare methods with each other, and share the directions of all.
    """

    design: Design
    projection: Projection | None = None
    matrix: Csr | None = None  # of terms, where there are directions

    @classmethod
    def of(cls, vectors: TrainingVectors, recipe: Recipe, progress: StepProgress) -> LearningSpace:
        """The space a recipe asks for; cost of directions: see :class:`postil.vectors.lsi.Lsi`."""
        wanted = recipe.representation
        if wanted.lsi is None:
            return cls(Design(vectors.matrix))
        projection = Projection.learned(
            vectors.matrix, wanted.lsi, wanted.length, progress=progress
        )
        return cls._projected(vectors.matrix, projection)

    @classmethod
    def _projected(cls, matrix: Csr, projection: Projection) -> LearningSpace:
        return cls(Design(sp.csr_matrix(projection.points(matrix))), projection, matrix)

    def without(self, learned: NDArray[Any], progress: StepProgress) -> LearningSpace:
        """The space of the same documents where only some are learned from.

        Directions are found anew on these, as many as there are of them here, or fewer if these
        have no more; the others are points in them, as new documents would be.
        """
        if self.projection is None or self.matrix is None:
            return self
        count, length = self.projection.directions, self.projection.length
        found = Projection.learned(self.matrix[learned], count, length, progress=progress)
        return self._projected(self.matrix, found)

    @property
    def kept(self) -> Projection | None:
        """What a model needs of it: points of no set length are linear in terms, and need none."""
        if self.projection is None or self.projection.length is None:
            return None
        return self.projection

    def of_terms(self, weights: sp.csr_matrix[Any]) -> sp.csr_matrix[Any]:
        """Weights as a model has them: those of terms."""
        return weights if self.projection is None else self.projection.fold(weights)

    def goes_on(self, fit: LinearFit) -> bool:
        """Whether new documents could be learned on top of a fit."""
        return self.projection is None and fit.combination is None

    def method(self) -> dict[str, Any]:
        """What a model tells of it."""
        if self.projection is None:
            return {}
        length = self.projection.length
        told = {} if length is None else {"length": length}
        return {"lsi": {"directions": self.projection.directions, **told}}


class TrainingRun:
    """One training run after its documents have become vectors, or points in directions."""

    def __init__(
        self,
        recipe: Recipe,
        space: LearningSpace,
        labels: Labels,
        threads: int | None,
        seed: int,
        progress: StepProgress,
    ) -> None:
        self.recipe = recipe
        self.space = space
        self.design = space.design
        self.labels = labels
        self.threads = threads
        self.seed = seed
        self.progress = progress
        self.method = recipe.method(seed)
        self.unfinished = Unfinished(self.method.tolerance)
        self.strengths: Strengths | None = None
        self.priors: TermPriors | None = None
        self.selection: Selection | None = None  # of the fit to all documents
        self._held_out: OutOfFoldScores | None = None

    def search(self) -> dict[str, Any]:
        """Choose strengths if the recipe asks for it; categories learn with them from here on."""
        wanted = self.recipe.search
        if wanted is None:
            return {}
        self._check_folds("the search looks for λ")
        self.method.check_searchable()
        search = wanted.over_lambda(self.design.documents, self.seed)
        result = search.run(
            self._job("searching λ", self.design), self.method, selection_of=self._selection
        )
        self.unfinished.add_note(result.unfinished_note())
        self.strengths = result.strengths()
        return {"search": timeless(result.to_dict())}

    def learn(self) -> LinearFit:
        """Learn from all documents."""
        self.selection = self._selection(None)
        fit = self.method.fit(replace(self._job("learning", self.design), selection=self.selection))
        self.unfinished.add("on all documents", fit.reports)
        return fit

    def _learn_and_score(self, step: str, learned: NDArray[Any], held_out: NDArray[Any]) -> Floats:
        """Scores of documents by a fit to others; all but those weigh nothing."""
        design = self.space.without(learned, self.progress).design
        weights = np.zeros(design.documents)
        weights[learned] = 1.0
        job = replace(
            self._job(step, design),
            selection=self._selection(learned),
            sample_weights=SampleWeights(weights),
        )
        fit = self.method.fit(job)
        self.unfinished.add("out of fold", fit.reports)
        return fit.scores(design.rows[held_out])

    def _job(self, step: str, design: Design) -> Job:
        """Return the job of all documents; ``step`` is the name of its progress."""
        return Job(
            design,
            self.labels,
            strengths=self.strengths,
            term_priors=self.priors,
            threads=self.threads,
            progress=lambda done, total: self.progress(step, done, total),
            quiet=True,
        )

    def _selection(self, rows: NDArray[Any] | None) -> Selection | None:
        matrix, members = self.design.rows, self.labels.members
        if rows is not None and self.recipe.selection.measure is not None:
            matrix, members = matrix[rows], members[rows]
        return self.recipe.selection.chosen(matrix, members)

    def decisions(self, fit: LinearFit) -> tuple[DecisionRule, Calibration | None]:
        """The decision rule and the calibration, from training documents alone."""
        spec = parse_rule(self.recipe.decide.rule)
        kind = self.recipe.decide.calibration
        if kind is None:
            kind = next(iter(self.method.calibrations), None)
        needed = {spec.needs} | ({calibration_needs(kind)} if kind is not None else set())
        scores: dict[Needs, TrainingScores | OutOfFoldScores | None] = {Needs.NOTHING: None}
        if Needs.TRAINING in needed:
            scores[Needs.TRAINING] = TrainingScores(fit.scores(self.design.rows))
        if Needs.OUT_OF_FOLD in needed:
            scores[Needs.OUT_OF_FOLD] = self.out_of_fold()
        truth = self.labels.members
        rule = fit_rule(spec, scores[spec.needs], truth)
        if kind is None:
            return rule, None
        return rule, fit_calibration(kind, scores[calibration_needs(kind)], truth)

    def _check_folds(self, purpose: str) -> None:
        if self.design.documents < 2:
            raise InputError(
                f"recipe {self.recipe.name}: {purpose} on documents held out, and there is one "
                "document to learn from: give 2 or more, or take a recipe that tunes nothing"
            )

    def out_of_fold(self) -> OutOfFoldScores:
        """The scores of all documents by fits that had not seen them; learned once, then kept."""
        if self._held_out is None:
            self._held_out = self._learned_out_of_fold()
        return self._held_out

    def _learned_out_of_fold(self) -> OutOfFoldScores:
        self._check_folds("[decide] tunes its rule or its calibration")
        count = min(self.recipe.decide.folds, self.design.documents)  # few texts, few folds
        folds = make_folds(self.labels.members, count, self.seed)
        number = 0

        def fit_and_score(learned: NDArray[Any], held_out: NDArray[Any]) -> Floats:
            nonlocal number
            number += 1
            return self._learn_and_score(f"fold {number} of {len(folds)}", learned, held_out)

        return out_of_fold_scores(fit_and_score, folds, self.design.documents, len(self.labels))
