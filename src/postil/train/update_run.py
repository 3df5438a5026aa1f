"""Learn new documents on top of a model: check that it can resume, fit, and join the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import StepProgress
from postil.common.types import Floats
from postil.decide.calibration import updated_calibration
from postil.decide.rules import updated_rule
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, Unfinished, joined
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.resume import (
    depends_on_number,
    document_strengths,
    exponents,
    has_units,
    resumable,
    usable_units,
)
from postil.learn.strength import Strengths
from postil.model.model import Model, TrainingFingerprint
from postil.recipes.recipe import Recipe, load_recipe, recipe_names
from postil.train.run import timeless
from postil.vectors.vectorizer import Vectorizer

UPDATES = "updates"  # the entry of a model's method that lists earlier updates


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """The recipe of a model and the method that resumes from its weights."""

    recipe: Recipe
    method: Method

    @property
    def needs_lambdas(self) -> bool:
        """True if the strength depends on the λ that each category was learned with."""
        return self.recipe.search is not None or depends_on_number(self.method)

    @classmethod
    def of(cls, model: Model, passes: int | None = None, seed: int = 0) -> UpdatePlan:
        """Return the plan of an update; raise UsageError if the model cannot be updated."""
        if not model.recipe:
            raise UsageError(
                "the model was not trained by a recipe, and cannot be updated: train one with "
                f"{' or '.join(updatable_recipes())}"
            )
        recipe = Recipe.from_dict(model.recipe, "the model's recipe")
        _check_linear(model, recipe)
        method = resumable(recipe.method(seed))
        if method is None and recipe.aim is not None and recipe.trains_for_figures:
            raise UsageError(
                f"the model was learned for {recipe.aim.measure}, from all documents at once, and "
                "cannot be updated: train a new model on the old and the new documents, or train "
                "one that can be updated with thresholds for the measure (--for, --no-compare)"
            )
        if method is None:
            raise UsageError(
                f"a model of the recipe {recipe.name} cannot be updated: its method learns from "
                "all documents at once; train a new model on the old and the new documents, or use "
                f"a recipe that can be updated: {', '.join(updatable_recipes())}"
            )
        plan = cls(recipe, method)
        _check_complete(model, plan)
        if passes is None:
            return plan
        if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
            raise UsageError(f"passes must be a whole number of at least 1, not {passes!r}")
        return cls(recipe, replace(method, options={**method.options, "iterations": passes}))


def _check_linear(model: Model, recipe: Recipe) -> None:
    """Raise UsageError if scores are not linear in terms alone."""
    reason = ""
    if model.projection is not None or recipe.representation.lsi is not None:
        reason = "it was learned in the directions of LSI, which belong to its training documents"
    elif model.combination is not None:
        reason = f"it combines scores ({model.combination.kind}), which no update learns"
    if reason:
        raise UsageError(
            f"a model of the recipe {recipe.name} cannot be updated: {reason}; train a new model "
            "on the old and the new documents"
        )


def updatable_recipes() -> list[str]:
    """Return postil's own recipes whose models can be updated."""
    return [name for name in recipe_names() if resumable(load_recipe(name).method())]


def _check_complete(model: Model, plan: UpdatePlan) -> None:
    """Raise UsageError if the model lacks something that an update needs."""
    missing = ""
    if has_units(plan.method) and model.units is None:
        missing = "the units of its weights, which are out of range"
    if plan.recipe.selection.measure is not None and model.selection is None:
        missing = "the terms that each category may use"
    if not _has_reports(model, plan):
        missing = "how each category was learned"
    if missing:
        raise UsageError(
            f"the model cannot be updated: it does not keep {missing}; train a new model on the "
            "old and the new documents"
        )


def _has_reports(model: Model, plan: UpdatePlan) -> bool:
    """Return True if a model, whoever wrote its file, has the reports that an update needs."""
    reports, updates = model.reports, model.method.get(UPDATES, ())
    if not isinstance(updates, list | tuple) or not all(map(_is_update, updates)):
        return False
    if not reports:  # a large model leaves them out: the recipe's λ serves as well
        given = plan.method.regularization.lam is not None
        return not plan.needs_lambdas or (given and plan.recipe.search is None)
    return len(reports) == model.categories and all(
        isinstance(report.get("lam"), int | float) for report in reports
    )


def _is_update(done: object) -> bool:
    documents = done.get("documents") if isinstance(done, Mapping) else None
    return isinstance(documents, int) and documents > 0


CONSTANT = "constant"
# The number of weights whose exponents are held at a time, 8 bytes each.
BLOCK = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class NewVectors:
    """New documents in the columns of an extended vectorizer.

    Parameters
    ----------
    matrix : sparse matrix
        The vectors.
    labels : Labels
        The categories of the model, followed by the new ones.
    vectorizer : Vectorizer
        The extended vectorizer.
    training : TrainingFingerprint
        The fingerprint of the new documents alone.
    new_terms, left_out : int
        The number of terms that were added, and of those that bounds kept out.
    """

    matrix: sp.csr_matrix[Any]
    labels: Labels
    vectorizer: Vectorizer
    training: TrainingFingerprint
    new_terms: int
    left_out: int = 0


class UpdateRun:
    """The steps of an update after its documents have become vectors."""

    def __init__(
        self,
        model: Model,
        plan: UpdatePlan,
        vectors: NewVectors,
        threads: int | None,
        progress: StepProgress,
    ) -> None:
        self.old = model
        self.plan = plan
        self.vectors = vectors
        self.threads = threads
        self.progress = progress
        self._check_new()
        self.design = Design(vectors.matrix)
        self.unfinished = Unfinished(plan.method.tolerance)
        self._weights = model.weights.tocsr()
        self.selection = self._selection()

    def model(self) -> Model:
        """Learn every category, and return the updated model.

        Cost: the passes over the new documents for each category; memory is 8 bytes for each
        weight of a block of categories.
        """
        found = self._learn()
        self.old.check_file_unchanged()
        self.unfinished.add("on the new documents", found.reports)
        training = self._training()
        old, members = self.old, training.members
        calibration = old.calibration
        if calibration is not None:
            calibration = updated_calibration(
                calibration, old.decision, members, training.documents
            )
        return Model(
            vectorizer=self.vectors.vectorizer,
            names=found.names,
            weights=found.weights,
            intercepts=found.intercepts,
            units=usable_units(found.units),
            selection=self.selection,
            decision=updated_rule(old.decision, members, training.documents),
            calibration=calibration,
            training=training,
            recipe=old.recipe,
            method={**old.method, UPDATES: [*old.method.get(UPDATES, ()), self._record()]},
            reports=[timeless(report.to_dict()) for report in found.reports],
        )

    def _check_new(self) -> None:
        """Raise InputError if all new documents are in a new category."""
        for name, others in zip(self.new_names, self.others_of_new.tolist(), strict=True):
            if others == 0:
                raise InputError(
                    f"all new documents are in the new category {name}, so the model would give it "
                    "to every document: add documents without it, such as some of the old ones"
                )

    @property
    def others_of_new(self) -> NDArray[np.int64]:
        """The number of new documents without each new category."""
        sizes: NDArray[np.int64] = self.vectors.labels.sizes()[self.old.categories :]
        return self.vectors.training.documents - sizes

    @property
    def new_names(self) -> tuple[str, ...]:
        """The categories that the model lacks."""
        return self.vectors.labels.names[self.old.categories :]

    def _learn(self) -> LinearFit:
        whole = Job(
            self.design,
            self.vectors.labels,
            self.selection,
            sample_weights=SampleWeights(self.vectors.labels.weights),
            strengths=self._strengths(),
            threads=self.threads,
            quiet=True,
        )
        total = len(self.vectors.labels)
        fits = []
        for block in _blocks(total, self.design.terms):

            def progress(done: int, _: int, before: int = block.start) -> None:
                self.progress("learning", before + done, total)

            job = replace(
                whole.of_categories(np.array(block)),
                resume_from=[self._exponents(category) for category in block],
                progress=progress,
            )
            fits.append(self.plan.method.fit(job))
        return joined(fits)

    def _exponents(self, category: int) -> Floats:
        """Return the exponents of a category's terms; 0 if nothing was learned yet."""
        chosen = slice(None) if self.selection is None else self.selection[category]
        if not self._is_learned(category):
            return np.zeros(len(np.arange(self.design.terms)[chosen]) + 1)
        row = self._weights[[category]]
        weights = np.zeros(self.design.terms)
        weights[self._columns[row.indices]] = row.data
        unit = None if self.old.units is None else float(self.old.units[category])
        intercept = float(self.old.intercepts[category])
        return exponents(self.plan.method, weights[chosen], intercept, unit)

    def _is_learned(self, category: int) -> bool:
        """Return True if the model has learned the category from members and others."""
        if category >= self.old.categories:
            return False
        if not self.old.reports:
            members = int(self.old.training.members[category])
            return 0 < members < self.old.training.documents
        return self.old.reports[category].get("stopped") != CONSTANT

    @property
    def _columns(self) -> NDArray[np.int64]:
        """The new place of each column of the model: the constant stays last."""
        old, new = self.old.vectorizer, self.vectors.vectorizer
        columns = np.arange(old.columns)
        columns[old.terms :] += new.terms - old.terms
        return columns

    def _selection(self) -> Selection | None:
        """Return the terms of each category: the known ones and all new ones.

        The recipe selects the terms of a new category by the new documents.
        """
        if self.old.selection is None:
            return None
        new = np.arange(self.old.vectorizer.terms, self.vectors.vectorizer.terms)
        chosen = [
            np.union1d(self._columns[ids], new).astype(np.int32) for ids in self.old.selection
        ]
        members = self.vectors.labels.members[:, self.old.categories :]
        if members.shape[1]:
            own = self.plan.recipe.selection.chosen(self.design.rows, members)
            assert own is not None
            chosen += list(own)
        return Selection.of(chosen, self.design.terms)

    def _strengths(self) -> Strengths | None:
        """Return the strengths that give a new document the weight of an old one.

        A λ belongs to a number of documents, C to each document. A new category has the median C
        of the others.
        """
        if not self.plan.needs_lambdas:
            return None  # the method's own are of each document already
        done = [each["documents"] for each in self.old.method.get(UPDATES, ())]
        trained = self.old.training.documents - sum(done)
        if self.old.reports:  # of the last documents that were learned
            lambdas = [report["lam"] for report in self.old.reports]
            known = document_strengths(self.plan.method, lambdas, [trained, *done][-1])
        else:
            lambdas = [self.plan.method.regularization.lam] * self.old.categories
            known = document_strengths(self.plan.method, lambdas, trained)
        if known is None:
            return None
        new = np.full(len(self.new_names), np.median(known.values))
        return Strengths("C", np.concatenate([known.values, new]))

    def _training(self) -> TrainingFingerprint:
        """Return the fingerprint of all documents; its digest is that of both digests."""
        old, new = self.old.training, self.vectors.training
        members = new.members.copy()
        members[: self.old.categories] += old.members
        return TrainingFingerprint(
            old.corpus,
            old.documents + new.documents,
            sha256(f"{old.sha256} {new.sha256}".encode("ascii")).hexdigest(),
            members,
        )

    def _record(self) -> dict[str, Any]:
        new = self.vectors.training
        return {
            "corpus": new.corpus,
            "documents": new.documents,
            "sha256": new.sha256,
            "before": self.old.training.sha256,
            "passes": self.plan.method.solver_options.iterations,
            "new_terms": self.vectors.new_terms,
            "new_categories": list(self.new_names),
        }


def _blocks(categories: int, terms: int) -> Iterator[range]:
    """Yield blocks of categories, as large as ``BLOCK`` weights allow."""
    size = max(1, BLOCK // max(terms, 1))
    for first in range(0, categories, size):
        yield range(first, min(first + size, categories))
