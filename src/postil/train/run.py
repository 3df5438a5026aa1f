"""One training run on vectors: search for a strength, learn, tune decisions, make the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import StepProgress
from postil.common.types import Floats, Ints
from postil.decide import OutOfFoldScores, TrainingScores, fit_rule, parse_rule
from postil.decide.calibration import Calibration, calibration_needs, fit_calibration
from postil.decide.decision import DecisionRule
from postil.decide.folds import make_folds, out_of_fold_scores
from postil.decide.held_out import HeldOut, held_out
from postil.decide.scores import Needs
from postil.errors import InputError
from postil.features.inputs import Csr
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, Unfinished
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.resume import resumable, usable_units
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors
from postil.model.model import Model
from postil.model.numbered import VECTORS, TrainingVectors
from postil.recipes.recipe import Recipe
from postil.train.route import found_route
from postil.vectors.copies import groups_of_copies, merged_groups
from postil.vectors.projection import Projection


def timeless(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report without its seconds, so that equal documents give equal files."""
    return {name: value for name, value in report.items() if name != "seconds"}


@dataclass(frozen=True, slots=True, eq=False)
class LearningSpace:
    """The documents as learning sees them: by their terms, or as points in directions of LSI.

    The directions of the training documents suit these better than others. A fit that holds
    documents out therefore finds its own directions (:meth:`of_some`). The folds of a search and
    of a tree, which only compare methods, share the directions of all documents.

    Parameters
    ----------
    design : Design
        The matrix to learn from.
    projection : Projection, optional
        The directions of LSI.
    matrix : sparse matrix, optional
        The documents by their terms, if there are directions.
    """

    design: Design
    projection: Projection | None = None
    matrix: Csr | None = None

    @classmethod
    def of(cls, vectors: TrainingVectors, recipe: Recipe, progress: StepProgress) -> LearningSpace:
        """Return the space that a recipe asks for."""
        wanted = recipe.representation
        if wanted.lsi is None:
            return cls(Design(vectors.matrix, vectors.ids))
        return cls._projected(
            vectors.matrix,
            Projection.learned(vectors.matrix, wanted.lsi, wanted.length, progress=progress),
        )

    @classmethod
    def _projected(cls, matrix: Csr, projection: Projection) -> LearningSpace:
        return cls(Design(sp.csr_matrix(projection.points(matrix))), projection, matrix)

    def of_some(self, learned: NDArray[Any], progress: StepProgress) -> LearningSpace:
        """Return the space of all documents with directions of those that are learned from."""
        if self.projection is None or self.matrix is None:
            return self
        count, length = self.projection.directions, self.projection.length
        found = Projection.learned(self.matrix[learned], count, length, progress=progress)
        return self._projected(self.matrix, found)

    def term_weights(self, weights: sp.csr_matrix[Any]) -> sp.csr_matrix[Any]:
        """Return learned weights as weights of terms."""
        return weights if self.projection is None else self.projection.fold(weights)

    def facts(self) -> dict[str, Any]:
        """Return the facts about the directions that a model keeps."""
        if self.projection is None:
            return {}
        length = self.projection.length
        scaled = {} if length is None else {"length": length}
        return {"lsi": {"directions": self.projection.directions, **scaled}}


MOST_DUAL_BYTES = 2**30


class TrainingRun:
    """The steps of training after documents have become vectors.

    The steps are ``search``, ``learn``, ``decisions`` and ``model``, in this order.

    Parameters
    ----------
    recipe : Recipe
        The method.
    space : LearningSpace
        The documents.
    labels : Labels
        Their categories.
    threads, seed, progress
        As for :func:`postil.train.train.train`.
    """

    def __init__(
        self,
        recipe: Recipe,
        space: LearningSpace,
        labels: Labels,
        threads: int | None,
        seed: int,
        progress: StepProgress,
    ) -> None:
        self.recipe = recipe = recipe.for_documents(labels.is_single_label)
        self.space = space
        self.design = space.design
        self.labels = labels
        self.threads = threads
        self.seed = seed
        self.progress = progress
        self.method = recipe.method(seed)
        self.method.check_documents(space.design.documents)
        self.unfinished = Unfinished(self.method.tolerance)
        self.facts: dict[str, Any] = {}  # about the training, for the model
        self.priors: TermPriors | None = None
        self.strengths: Strengths | None = None
        self._selection: Selection | None = None  # of the fit to all documents
        self._held_out: OutOfFoldScores | None = None
        self._decided: HeldOut | None = None
        self._duals: Sequence[Floats] = ()  # of the fit to all documents, if folds start from them

    def with_recipe(self, recipe: Recipe, suffix: str) -> TrainingRun:
        """Return a run of the same documents by another recipe, whose steps have a suffix."""

        def progress(step: str, done: int, total: int | None) -> None:
            self.progress(f"{step}, {suffix}", done, total)

        run = TrainingRun(recipe, self.space, self.labels, self.threads, self.seed, progress)
        run.facts = {name: fact for name, fact in self.facts.items() if name != "search"}
        return run

    def search(self) -> None:
        """Search for the strengths to learn with, if the recipe has a ``[search]``."""
        wanted = self.recipe.search
        if wanted is None:
            return
        self._check_folds("the search looks for λ")
        result = wanted.over_lambda(self.design.documents, self.seed).run(
            self._job("searching λ", self.design), self.method, selection_of=self._select
        )
        self.unfinished.add_note(result.unfinished_note())
        self.strengths = result.strengths()
        self.facts["search"] = timeless(result.to_dict())

    def learn(self) -> LinearFit:
        """Learn from all documents."""
        self._selection = self._select(None)
        job = replace(
            self._job("learning", self.design),
            selection=self._selection,
            keep_starts=self._held_out is None and self._keeps_duals(),
        )
        fit = self.method.fit(job)
        self._duals = fit.starts
        self.unfinished.add("on all documents", fit.reports)
        return fit

    def decisions(self, fit: LinearFit) -> tuple[DecisionRule, Calibration | None]:
        """Tune the decision rule and the calibration on the training documents."""
        spec = parse_rule(self.recipe.decide.rule)
        kind = self.recipe.decide.calibration
        if kind is None:
            kind = next(iter(self.method.calibrations), None)
        needed = {spec.needs} | ({calibration_needs(kind)} if kind is not None else set())
        scores: dict[Needs, TrainingScores | OutOfFoldScores | None] = {Needs.NOTHING: None}
        if Needs.TRAINING in needed:
            known = fit.scores(self.design.rows)
            scores[Needs.TRAINING] = TrainingScores(known, self.labels.known())
        if Needs.OUT_OF_FOLD in needed:
            scores[Needs.OUT_OF_FOLD] = self.out_of_fold()
        truth = self.labels.members
        rule = fit_rule(spec, scores[spec.needs], truth)
        if kind is None:
            return rule, None
        calibration = fit_calibration(kind, scores[calibration_needs(kind)], truth)
        if self.recipe.decide.route is not None:
            found = self.held_out(rule, calibration)
            self.facts["route"] = found_route(self.recipe.decide.route, found)
        return rule, calibration

    def held_out(self, rule: DecisionRule, calibration: Calibration | None) -> HeldOut:
        """Return decisions and probabilities of all documents out of fold; made once, then kept.

        Parameters
        ----------
        rule, calibration
            Those of the model, fitted to the same documents.
        """
        if self._decided is None:
            scores, truth = self.out_of_fold(), self.labels.members
            self._decided = held_out(scores, truth, rule, calibration)
        return self._decided

    @property
    def has_out_of_fold(self) -> bool:
        """True if something was tuned out of fold, so that :meth:`held_out` needs no fit."""
        return self._held_out is not None

    def model(
        self,
        vectors: TrainingVectors,
        fit: LinearFit,
        rule: DecisionRule,
        calibration: Calibration | None,
    ) -> Model:
        """Return the model of a fit and its decisions."""
        projection = self.space.projection
        can_update = projection is None and fit.combination is None
        if projection is not None and projection.length is None:
            projection = None  # such points are linear in the terms
        return Model(
            vectorizer=vectors.vectorizer,
            names=fit.names,
            weights=self.space.term_weights(fit.weights),
            intercepts=fit.intercepts,
            projection=projection,
            combination=fit.combination,
            variances=fit.variances,
            intercept_variances=fit.intercept_variances,
            units=usable_units(fit.units) if can_update else None,
            selection=self._selection if can_update and resumable(self.method) else None,
            decision=rule,
            calibration=calibration,
            training=vectors.training,
            recipe=self.recipe.to_dict(),
            method=self.facts,
            reports=[timeless(report.to_dict()) for report in fit.reports],
        )

    def out_of_fold(self) -> OutOfFoldScores:
        """Return the scores of all documents by fits without them; learned once, then kept."""
        if self._held_out is None:
            self._check_folds("[decide] tunes its rule or its calibration")
            count = min(self.recipe.decide.folds, self.design.documents)
            # A published method deals its folds as it did.
            groups = None if self.recipe.paper else groups_of_copies(self.design.rows)
            groups = merged_groups(groups, self.labels.groups)
            folds = make_folds(self.labels.members, count, self.seed, groups)
            steps = (f"fold {number} of {len(folds)}" for number in range(1, len(folds) + 1))
            scores = out_of_fold_scores(
                lambda learned, held_out: self.score(next(steps), learned, held_out),
                folds,
                self.design.documents,
                len(self.labels),
            )
            self._held_out = replace(scores, known=self.labels.known())
        return self._held_out

    def score(self, step: str, learned: NDArray[Any], held_out: NDArray[Any]) -> Floats:
        """Learn from some documents, and return the scores of others; ``step`` is for progress."""
        design = self.space.of_some(learned, self.progress).design
        weights = np.zeros(design.documents)
        weights[learned] = 1.0 if self.labels.weights is None else self.labels.weights[learned]
        job = replace(
            self._job(step, design),
            selection=self._select(learned),
            sample_weights=SampleWeights(weights),
        )
        if self._duals:
            # Without the shares of the held-out documents nothing of them is left in the weights.
            left = np.sign(weights)
            job = replace(job, warm_starts=[each * left[: len(each)] for each in self._duals])
        fit = self.method.fit(job)
        self.unfinished.add("out of fold", fit.reports)
        rows = design.rows[held_out]
        # A published method measures its folds as it did; given vectors have a length of their own.
        if not self.recipe.paper and VECTORS not in self.facts:
            rows = self.recipe.representation.as_new(rows, design.rows)
        return fit.scores(rows)

    def _keeps_duals(self) -> bool:
        """Return True if the folds can start from the dual variables of the fit to all documents.

        Weights would do no harm either if a solver went on to the end, but one that stops early
        would keep something of the held-out documents. Terms that each fold selects for itself
        change the problem too much.
        """
        size = 8 * self.design.documents * len(self.labels)
        return (
            isinstance(self.method, Method)
            and "duals" in self.method.parts[2].provides
            and self.recipe.selection.measure is None
            and self.space.projection is None
            and self.labels.judged is None
            and self.labels.uncertain is None
            and size <= MOST_DUAL_BYTES
        )

    def _job(self, step: str, design: Design) -> Job:
        return Job(
            design,
            self.labels,
            sample_weights=SampleWeights(self.labels.weights),
            strengths=self.strengths,
            term_priors=self.priors,
            threads=self.threads,
            progress=lambda done, total: self.progress(step, done, total),
            quiet=True,
        )

    def _select(
        self, rows: NDArray[Any] | None, categories: Ints | None = None
    ) -> Selection | None:
        """Select terms by some documents, of some categories; None stands for all."""
        select = self.recipe.selection
        if select.measure is None:
            return None
        matrix, labels = self.design.rows, self.labels
        if rows is not None:
            matrix, labels = matrix[rows], labels.of_documents(rows)
        if labels.judged is None or select.scope != "category":
            return select.chosen(matrix, labels.members, categories)
        chosen = []
        for category in range(len(labels)) if categories is None else categories.tolist():
            known = labels.judged.of(category)
            found = select.chosen(matrix[known], labels.members[known][:, [category]])
            assert found is not None
            chosen.append(found[0])
        return Selection.of(chosen, self.design.terms)

    def _check_folds(self, purpose: str) -> None:
        if self.design.documents < 2:
            raise InputError(
                f"recipe {self.recipe.name}: {purpose} on held-out documents, and there is only "
                "one document: give 2 or more, or use a recipe that tunes nothing"
            )
