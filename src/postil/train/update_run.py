"""Learning on top of a model: new documents go on where its training ended.

Whether a model can be updated, and how.
"""

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
from postil.features.inputs import Ids
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, Unfinished
from postil.learn.job import Design, Job, Labels
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

UPDATES = "updates"  # what a model's method says of those before


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How a model goes on: by its own recipe's method."""

    recipe: Recipe
    method: Method

    @property
    def needs_lambdas(self) -> bool:
        """Say whether learning goes on by the λ that each category had, not by one of documents."""
        return self.recipe.search is not None or depends_on_number(self.method)

    @classmethod
    def of(cls, model: Model, passes: int | None = None, seed: int = 0) -> UpdatePlan:
        """Refuse a model that cannot go on, before any work, with the way out."""
        if not model.recipe:
            raise UsageError(
                "the model was not trained by a recipe, and cannot be updated: train one by "
                f"{' or '.join(updatable_recipes())}"
            )
        recipe = Recipe.from_dict(model.recipe, "the model's recipe")
        _refuse_learned_apart(model, recipe)
        method = resumable(recipe.method(seed))
        if method is None and recipe.aim is not None and recipe.trains_for_figures:
            raise UsageError(
                f"the model was learned for {recipe.aim.measure}, from all documents at once, and "
                "cannot be updated: train it anew on the old and the new ones, or, by a recipe "
                "that can be updated, with thresholds for the measure alone (--for with "
                "--no-compare)"
            )
        if method is None:
            raise UsageError(
                f"a model of the recipe {recipe.name} cannot be updated: its method learns from "
                "all documents at once; train it anew on the old and the new ones, or train by a "
                f"recipe that can be: {', '.join(updatable_recipes())}"
            )
        plan = cls(recipe, method)
        _check_kept(model, plan)
        if passes is None:
            return plan
        if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
            raise UsageError(f"passes is a whole number of at least 1, not {passes!r}")
        return cls(recipe, replace(method, options={**method.options, "iterations": passes}))


def _refuse_learned_apart(model: Model, recipe: Recipe) -> None:
    """Refuse weights that updates do not move: of directions, or of what is combined."""
    apart = ""
    if model.projection is not None or recipe.representation.lsi is not None:
        apart = "it was learned in the directions of LSI, which are those of the documents then"
    elif model.combination is not None:
        apart = f"its scores are combined ({model.combination.kind}), which no update learns"
    if apart:
        raise UsageError(
            f"a model of the recipe {recipe.name} cannot be updated: {apart}; train it anew on the "
            "old and the new documents"
        )


def updatable_recipes() -> list[str]:
    """The recipes of postil's own whose models can be updated."""
    return [name for name in recipe_names() if resumable(load_recipe(name).method())]


def _check_kept(model: Model, plan: UpdatePlan) -> None:
    missing = ""
    if has_units(plan.method) and model.units is None:
        missing = "the units of its weights, which have left the range of numbers"
    if plan.recipe.selection.measure is not None and model.selection is None:
        missing = "the terms that each category may use"
    if not _is_told(model, plan):
        missing = "how each category was learned"
    if missing:
        raise UsageError(
            f"the model cannot be updated: it does not keep {missing}; train it anew on the old "
            "and the new documents"
        )


def _is_told(model: Model, plan: UpdatePlan) -> bool:
    """Say whether a model tells what going on needs: anybody may write a file."""
    reports, updates = model.reports, model.method.get(UPDATES, ())
    if not isinstance(updates, list | tuple) or not all(map(_is_update, updates)):
        return False
    if not reports:  # a file may have had no room for them: the recipe's λ serves as well
        given = plan.method.regularization.lam is not None
        return not plan.needs_lambdas or (given and plan.recipe.search is None)
    return len(reports) == model.categories and all(
        isinstance(report.get("lam"), int | float) for report in reports
    )


def _is_update(done: object) -> bool:
    documents = done.get("documents") if isinstance(done, Mapping) else None
    return isinstance(documents, int) and documents > 0


CONSTANT = "constant"
# Exponents of so many weights are held at a time: 8 bytes each.
BLOCK = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class NewVectors:
    """New documents in the columns of an extended vectorizer.

    The categories of ``labels`` are those of the model and, after them, the new ones; ``training``
    tells of the new documents alone. ``left_out`` counts the terms that bounds kept out.
    """

    matrix: sp.csr_matrix[Any]
    labels: Labels
    vectorizer: Vectorizer
    training: TrainingFingerprint
    new_terms: int
    left_out: int = 0


class UpdateRun:
    """One update after its documents have become vectors."""

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
        check_told_apart(self.others_of_new, self.new_names)
        self.design = Design(vectors.matrix)
        self.unfinished = Unfinished(plan.method.tolerance)
        self._weights = model.weights.tocsr()
        self.selection = self._selection()

    def model(self) -> Model:
        """Learn every category, and put the model together anew.

        Cost: the solver's passes over the new documents, for each category; memory besides is 8
        bytes for each weight of a block of categories.
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

    @property
    def others_of_new(self) -> NDArray[np.int64]:
        """How many of the new documents each new category is told apart from."""
        sizes: NDArray[np.int64] = self.vectors.labels.sizes()[self.old.categories :]
        return self.vectors.training.documents - sizes

    @property
    def new_names(self) -> tuple[str, ...]:
        """The categories that the model did not have."""
        return self.vectors.labels.names[self.old.categories :]

    def _learn(self) -> LinearFit:
        whole = Job(
            self.design,
            self.vectors.labels,
            self.selection,
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
                whole.of_categories(np.arange(total)[block]),
                resume_from=[self._exponents(category) for category in _range(block)],
                progress=progress,
            )
            fits.append(self.plan.method.fit(job))
        return _joined(fits)

    def _exponents(self, category: int) -> Floats:
        """The exponents of a category's terms; 0 where nothing was learned yet."""
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
        """Whether the category was there, with members and others to tell apart."""
        if category >= self.old.categories:
            return False
        if not self.old.reports:
            members = int(self.old.training.members[category])
            return 0 < members < self.old.training.documents
        return self.old.reports[category].get("stopped") != CONSTANT

    @property
    def _columns(self) -> NDArray[np.int64]:
        """Where each column of the model is now: terms as they were, the constant last."""
        old, new = self.old.vectorizer, self.vectors.vectorizer
        columns = np.arange(old.columns)
        columns[old.terms :] += new.terms - old.terms
        return columns

    def _selection(self) -> Selection | None:
        """The terms of each category: those it had and all new ones.

        A new category has those that the recipe chooses by the new documents.
        """
        if self.old.selection is None:
            return None
        new = np.arange(self.old.vectorizer.terms, self.vectors.vectorizer.terms)
        chosen = [_ids(np.union1d(self._columns[ids], new)) for ids in self.old.selection]
        members = self.vectors.labels.members[:, self.old.categories :]
        if members.shape[1]:
            own = self.plan.recipe.selection.chosen(self.design.rows, members)
            assert own is not None
            chosen += list(own)
        return Selection.of(chosen, self.design.terms)

    def _strengths(self) -> Strengths | None:
        """What each document may weigh against the prior: as much as the old ones might.

        A λ is of so many documents, and a search has found it for them; C is of each. A new
        category has the median C of the others.
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
        """That of all documents: numbers added up, the digest that of both digests."""
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


def check_told_apart(others: NDArray[np.int64], names: tuple[str, ...]) -> None:
    """Refuse a new category that all new documents are in: it would be given to any document."""
    alone = [name for name, count in zip(names, others.tolist(), strict=True) if count == 0]
    if alone:
        raise InputError(
            f"all new documents are in the new category {alone[0]}, and none tells what is not in "
            "it: add documents without it, some of the old ones say"
        )


def _blocks(categories: int, terms: int) -> Iterator[slice]:
    """Categories in turn, as many at a time as ``BLOCK`` weights allow."""
    size = max(1, BLOCK // max(terms, 1))
    for first in range(0, categories, size):
        yield slice(first, min(first + size, categories))


def _ids(columns: NDArray[np.int64]) -> Ids:
    return columns.astype(np.int32)


def _range(block: slice) -> range:
    return range(block.start, block.stop)


def _joined(fits: list[LinearFit]) -> LinearFit:
    """The fits of some categories after each other as one."""
    if len(fits) == 1:
        return fits[0]
    units = [each.units for each in fits if each.units is not None]
    return LinearFit(
        tuple(name for each in fits for name in each.names),
        sp.vstack([each.weights for each in fits], format="csr"),
        np.concatenate([each.intercepts for each in fits]),
        tuple(report for each in fits for report in each.reports),
        units=np.concatenate(units) if units else None,
    )
