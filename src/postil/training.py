"""From labelled documents to a trained categorizer: the steps of a recipe, one after the other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.corpus.document import Document
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
from postil.decide.evidence import Needs
from postil.errors import InputError
from postil.features.select import select_terms
from postil.features.selection import Selection
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.prior_files import PriorFile
from postil.learn.prior_matching import PriorsWarning
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors
from postil.learn.unfinished import Unfinished
from postil.model.model import Model
from postil.model.training import DocumentDigest, TrainingFingerprint
from postil.model.training_vectors import TrainingVectors
from postil.recipes.entries import at
from postil.recipes.fields import FieldsWarning, fitted
from postil.recipes.label_notes import LabelsWarning, label_notes, rare_note
from postil.recipes.recipe import Recipe
from postil.vectors.gathering import RowFacts, chunks_of
from postil.vectors.vectorizer import Vectorizer

Watch = Callable[[str, int, int | None], None]
Tell = Callable[[str], None]
Floats = NDArray[np.float64]

CHUNK = 4096


def train(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    corpus: str = "",
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    tell: Tell | None = None,
) -> Model:
    """Learn a categorizer from all documents that are not marked as test.

    ``priors`` are of single terms, by the names the vocabulary gives them; what they say of
    others is told like the rest below.

    ``seed`` is of the folds, and of the solver's random order unless the recipe gives that one.
    Where documents lack fields that the recipe wants, :func:`postil.recipes.fields.fitted`
    chooses; the model keeps those that were read, and ``tell`` (without it a warning) says it.
    It is told of labels that are perhaps not what was meant, too, and (no warning otherwise) how
    many categories have too few documents to tune for.

    Cost: one pass over the documents, then the learner's; a decision rule or a calibration that
    is tuned out of fold learns once more for each fold, and a search for λ, which comes first,
    once for each fold and λ. ``watch`` is told the step, how much of it is done, and of how much.
    """
    watch = watch or _unwatched
    source = corpus or "the corpus"
    recipe, chosen, note = fitted(recipe, (d for d in documents if d.split != "test"), source)
    if note:
        _told(note, tell, FieldsWarning)
    vectorizer = recipe.representation.vectorizer(threads)
    facts = RowFacts()
    digest = DocumentDigest()
    learned = _checked(_digested(chosen, digest), digest, vectorizer, recipe, source)
    matrix = vectorizer.fit_transform_chunks(_watched(learned, vectorizer, facts, watch))
    if not facts.categories:
        raise InputError(
            f"{source}: none of the training documents ({len(facts.ids)}) has a "
            "label: name the column that holds them with --label-column, or use a corpus with "
            "labels"
        )
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    training = TrainingFingerprint(corpus, digest.documents, digest.hexdigest(), labels.sizes())
    vectors = TrainingVectors(matrix, labels, vectorizer, training)
    return learn_from(
        vectors, recipe, priors=priors, threads=threads, seed=seed, watch=watch, tell=tell
    )


def learn_from(
    vectors: TrainingVectors,
    recipe: Recipe,
    *,
    priors: PriorFile | None = None,
    threads: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    tell: Tell | None = None,
) -> Model:
    """Learn a categorizer from vectors: all that :func:`train` does after it has made them."""
    labels = vectors.labels
    for note in label_notes(labels.names):
        _told(note, tell, LabelsWarning)
    task = _Task(recipe, Design(vectors.matrix), labels, threads, seed, watch or _unwatched)
    method = dict(vectors.method)
    if priors is not None:
        matched = vectors.priors(priors)
        task.priors = matched.priors
        method["priors"] = matched.to_dict(priors)
        if tell is not None or matched.unmatched:
            _told(matched.note(priors.source), tell, PriorsWarning)
    method |= task.search()
    fit = task.learn("learning", None)
    rule, calibration = task.decisions(fit)
    task.unfinished.warn()
    note = rare_note(rule, labels.sizes(), recipe.decide.folds)
    if note and tell is not None:
        tell(note)
    return Model(
        vectorizer=vectors.vectorizer,
        names=fit.names,
        weights=fit.weights,
        intercepts=fit.intercepts,
        variances=fit.variances,
        intercept_variances=fit.intercept_variances,
        decision=rule,
        calibration=calibration,
        training=vectors.training,
        recipe=recipe.to_dict(),
        method=method,
        reports=[_timeless(report.to_dict()) for report in fit.reports],
    )


def _timeless(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without its time, so that the same documents give the same file."""
    return {name: value for name, value in report.items() if name != "seconds"}


def _digested(documents: Iterable[Document], digest: DocumentDigest) -> Iterator[Document]:
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
    if digest.documents == 0:
        raise InputError(
            f"{source} has no document to learn from (those marked test never are): check "
            "--split-column and --split, or cut it anew with postil corpus split"
        )
    if vectorizer.buckets is None:
        with at(f"recipe {recipe.name}: [representation]"):
            vectorizer.bounds.limits(digest.documents)


def _told(note: str, tell: Tell | None, kind: type[Warning]) -> None:
    if tell is None:
        warnings.warn(note, kind, stacklevel=3)
    else:
        tell(note)


def _unwatched(step: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def _watched(
    documents: Iterable[Document], vectorizer: Vectorizer, facts: RowFacts, watch: Watch
) -> Any:  # noqa: ANN401 - an iterator of chunks
    for chunk in chunks_of(documents, vectorizer.fields, CHUNK, facts):
        yield chunk
        watch("reading", len(facts.ids), None)


class _Task:
    """One training run after its documents have become vectors."""

    def __init__(
        self,
        recipe: Recipe,
        design: Design,
        labels: Labels,
        threads: int | None,
        seed: int,
        watch: Watch,
    ) -> None:
        self.recipe = recipe
        self.design = design
        self.labels = labels
        self.threads = threads
        self.seed = seed
        self.watch = watch
        self.learner = recipe.learner(seed)
        self.unfinished = Unfinished(self.learner.tolerance)
        self.strengths: Strengths | None = None
        self.priors: TermPriors | None = None

    def search(self) -> dict[str, Any]:
        """Choose strengths if the recipe asks for it; categories learn with them from here on."""
        wanted = self.recipe.search
        if wanted is None:
            return {}
        self._check_folds("the search looks for λ")
        result = wanted.over_lambda(self.design.documents, self.seed).run(
            self.design,
            self.labels,
            self.learner.searched(),
            selection_of=self._selection,
            priors_of=lambda emphasis: self.learner.priors(self.design, emphasis, self.priors),
            threads=self.threads,
            progress=lambda done, total: self.watch("searching λ", done, total),
            quiet=True,
        )
        self.unfinished.add_search(result)
        self.strengths = result.strengths()
        return {"search": _timeless(result.to_dict())}

    def learn(self, step: str, rows: NDArray[Any] | None) -> LinearFit:
        """Learn from all documents, or from some rows: the others weigh nothing."""
        emphasis = Emphasis()
        if rows is not None:
            weights = np.zeros(self.design.documents)
            weights[rows] = 1.0
            emphasis = Emphasis(weights)
        fit = self.learner.learn(
            self.design,
            self.labels,
            selection=self._selection(rows),
            emphasis=emphasis,
            strengths=self.strengths,
            priors=self.priors,
            threads=self.threads,
            progress=lambda done, total: self.watch(step, done, total),
            quiet=True,
        )
        self.unfinished.add("on all documents" if rows is None else "out of fold", fit.reports)
        return fit

    def _selection(self, rows: NDArray[Any] | None) -> Selection | None:
        wanted = self.recipe.selection
        if wanted.measure is None:
            return None
        matrix, members = self.design.rows, self.labels.members
        if rows is not None:
            matrix, members = matrix[rows], members[rows]
        return select_terms(
            matrix,
            sp.csr_matrix(members, dtype=np.float32),
            measure=wanted.measure,
            k=wanted.terms,
            threshold=wanted.threshold,
        )

    def decisions(self, fit: LinearFit) -> tuple[DecisionRule, Calibration | None]:
        """The decision rule and the calibration, from training documents alone."""
        spec = parse_rule(self.recipe.decide.rule)
        kind = self.recipe.decide.calibration
        if kind is None:
            kind = next(iter(self.learner.calibrations), None)
        needed = {spec.needs} | ({calibration_needs(kind)} if kind is not None else set())
        scores: dict[Needs, TrainingScores | OutOfFoldScores | None] = {Needs.NOTHING: None}
        if Needs.TRAINING in needed:
            scores[Needs.TRAINING] = TrainingScores(fit.scores(self.design.rows))
        if Needs.OUT_OF_FOLD in needed:
            scores[Needs.OUT_OF_FOLD] = self._out_of_fold()
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

    def _out_of_fold(self) -> OutOfFoldScores:
        self._check_folds("[decide] tunes its rule or its calibration")
        count = min(self.recipe.decide.folds, self.design.documents)  # few texts, few folds
        folds = make_folds(self.labels.members, count, self.seed)
        number = 0

        def fit_and_score(train: NDArray[Any], held_out: NDArray[Any]) -> Floats:
            nonlocal number
            number += 1
            fit = self.learn(f"fold {number} of {len(folds)}", train)
            return fit.scores(self.design.rows[held_out])

        return out_of_fold_scores(fit_and_score, folds, self.design.documents, len(self.labels))
