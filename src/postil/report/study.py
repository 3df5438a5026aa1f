"""Study a model on a corpus: measure it, and find its worst mistakes and doubtful labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.progress import StepProgress, no_progress
from postil.common.types import Floats
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.decide.held_out import HeldOut
from postil.errors import InputError, PostilError, UsageError
from postil.evaluate import Options, Plan, Report
from postil.evaluate.counts import difference
from postil.evaluate.measures import decided_rightly
from postil.explain.explanation import Explanation
from postil.model.model import DocumentDigest, Model
from postil.recipes.recipe import Recipe
from postil.report.training import LearningCurve, learning_curve, suspects
from postil.train.assess import assessment
from postil.train.out_of_fold import report_out_of_fold
from postil.train.predict import Predictor
from postil.train.reading import read_training
from postil.train.reasons import Reasons
from postil.train.run import LearningSpace, TrainingRun

MISTAKES = 10
SUSPECTS = 20
RESAMPLES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A report with the memberships, decisions, rankings and probabilities behind it.

    ``folds`` is the number of folds if the numbers are out of fold, else 0.
    """

    report: Report
    truth: sp.csr_matrix[Any]
    decisions: sp.csr_matrix[Any]
    rankings: Floats
    probabilities: Floats | None
    folds: int = 0


@dataclass(frozen=True, slots=True)
class Mistake:
    """A document decided wrongly, with the worst of its wrong decisions.

    ``missed`` is True if the category was not given; ``learned`` is the number of its training
    documents. The probability and the explanation are None if there is none.
    """

    document: Document
    given: tuple[str, ...]
    category: str
    missed: bool
    learned: int
    probability: float | None
    explanation: Explanation | None


class Doubt(NamedTuple):
    """A training document with doubtful labels, each with its probability out of fold."""

    document: Document
    lacks: tuple[tuple[str, float], ...]
    has: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything that a report shows of a model on a corpus.

    ``mistaken`` and ``doubted`` count the documents that ``mistakes`` and ``doubts`` begin with.
    ``doubted`` is None if there are no probabilities out of fold. ``absent`` says why there is
    nothing on training documents; it is empty if there is.
    """

    model: Model
    corpus: str
    measured: Measured
    notes: tuple[str, ...]
    mistakes: list[Mistake]
    mistaken: int
    absent: str
    curve: LearningCurve | None
    doubts: list[Doubt]
    doubted: int | None


def study(
    model: Model,
    corpus: Corpus,
    *,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
) -> Study:
    """Measure a model on the documents marked test, and its recipe out of fold on the others.

    If no document is marked test, the numbers are out of fold if the model learned from these
    documents, and else they are those of all documents. Cost: four passes over the corpus, the
    search of the recipe, a fit for each fold, and six more for the learning curve.

    Parameters
    ----------
    model : Model
        The model, which reads texts.
    corpus : Corpus
        The labelled documents, which are read several times.
    threads : int, optional
        The number of threads.
    seed : int
        The seed of the folds and of the bootstrap.
    progress : callable, optional
        Called with the step, the work done, and the work in all.
    """
    progress = progress or no_progress
    predictor = Predictor(model, threads)
    sides = _Sides(corpus)
    learned_from = sides.digests[False].hexdigest() in model.learned_digests()
    has_tests = sides.digests[True].documents > 0
    found, curve, absent = None, None, _no_training(model, sides, learned_from)
    if not absent:
        try:
            run = _run(model, sides, threads, seed, progress)
            found = run.held_out(model.decision, model.calibration)
            curve = learning_curve(run, model)
        except PostilError as error:
            absent = f"the recipe cannot be learned anew from them: {error}"
    options = Options(plan=Plan(RESAMPLES, seed))
    notes: list[str] = []
    if has_tests or not learned_from:
        tests = sides.documents(test=has_tests)
        done = assessment(
            model, tests, corpus=corpus.name, options=options, threads=threads, progress=progress
        )
        measured = Measured(*done[:4], done.probabilities)
        notes += [done.unknown_note()] if done.unknown else []
    elif found is not None:
        measured = _measured_out_of_fold(model, found, corpus.name, options)
    else:
        raise InputError(
            f"{corpus.name}: no document is marked test, so the numbers would be out of fold, and "
            f"{absent}; mark test documents with postil corpus split and train again, or give "
            "documents that the model has not learned from"
        )
    worst = worst_pairs(measured, model)
    if found is not None and not learned_from:
        notes.append(
            "The training documents of the corpus are not exactly those that the model learned "
            "from; the sections on training documents are about its recipe on these."
        )
    doubtful = [] if found is None else suspects(found)
    rows = {(has_tests, row): None for row in list(worst)[:MISTAKES]} | {
        (False, each.row): None for each in doubtful[:SUSPECTS]
    }
    texts = sides.picked(rows)
    return Study(
        model=model,
        corpus=corpus.name,
        measured=measured,
        notes=tuple(notes),
        mistakes=_mistakes(measured, predictor, has_tests, worst, texts),
        mistaken=int((~decided_rightly(measured.truth, measured.decisions)).sum()),
        absent=absent,
        curve=curve,
        doubts=[
            Doubt(texts[False, each.row], _named(model, each.lacks), _named(model, each.has))
            for each in doubtful[:SUSPECTS]
        ],
        doubted=None if found is None or found.probabilities is None else len(doubtful),
    )


class _Sides:
    """The two sides of a corpus: the documents marked test (True), and all others (False)."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.name = corpus.name
        self.digests = {True: DocumentDigest(), False: DocumentDigest()}
        for document in corpus:
            self.digests[document.split == "test"].add_document(document)

    def documents(self, *, test: bool) -> Iterator[Document]:
        return (document for document in self._corpus if (document.split == "test") == test)

    def picked(self, wanted: Iterable[tuple[bool, int]]) -> dict[tuple[bool, int], Document]:
        """Return the documents of some rows of the sides."""
        kept = set(wanted)
        rows = {True: 0, False: 0}
        found: dict[tuple[bool, int], Document] = {}
        for document in self._corpus if kept else ():
            side = document.split == "test"
            if (side, rows[side]) in kept:
                found[side, rows[side]] = document
            rows[side] += 1
        return found


def _no_training(model: Model, sides: _Sides, learned_from: bool) -> str:
    """Return the reason why training documents cannot be studied, or nothing."""
    if not sides.digests[False].documents:
        return "the corpus has none"
    if not sides.digests[True].documents and not learned_from:
        return (
            "no document is marked test and the model did not learn from these documents, so that "
            "all of them are measured"
        )
    if not model.recipe:
        return "the model has no recipe to learn them anew with"
    if "priors" in model.method:
        return "the model was trained with per-term priors of a file, which it does not keep"
    return ""


def _run(
    model: Model, sides: _Sides, threads: int | None, seed: int, progress: StepProgress
) -> TrainingRun:
    """Return a run of the model's recipe on the training documents, after its search."""
    recipe, vectors = read_training(
        sides.documents(test=False),
        Recipe.from_dict(model.recipe, "the recipe of the model"),
        corpus=sides.name,
        threads=threads,
        progress=progress,
        notify=lambda _: None,
    )
    if vectors.labels.names != model.names:
        differing = set(vectors.labels.names).symmetric_difference(model.names)
        raise InputError(
            f"their categories are not those of the model; they differ in {min(differing)!r}"
        )
    space = LearningSpace.of(vectors, recipe, progress)
    run = TrainingRun(recipe, space, vectors.labels, threads, seed, progress)
    run.search()
    return run


def _measured_out_of_fold(model: Model, found: HeldOut, corpus: str, options: Options) -> Measured:
    report = report_out_of_fold(model, found, corpus=corpus, options=options)
    return Measured(
        report, found.truth, found.decisions, found.rankings, found.probabilities, found.folds
    )


class _Pair(NamedTuple):
    """A wrong decision: a column of the report, and how wrong it is."""

    column: int
    badness: float


def worst_pairs(measured: Measured, model: Model) -> Mapping[int, _Pair]:
    """Return the worst wrong decision of each document that has any, the worst document first.

    A wrong decision is the worse, the more probable what is wrong was; without probabilities, the
    farther the score is from the threshold. Where one label took the place of another, the
    document is as bad as the label given, and the label missed stands for it: the reasons tell
    why it lost. Categories that the model does not know are left out.
    """
    wrong = sp.coo_matrix(difference(measured.truth, measured.decisions))
    names = measured.report.categories
    own = {name: column for column, name in enumerate(model.names)}
    known = np.array([name in own for name in names])[wrong.col]
    rows, columns = wrong.row[known], wrong.col[known]
    if not len(rows):
        return {}
    given = np.asarray(measured.decisions[rows, columns], dtype=np.bool_).ravel()
    if measured.probabilities is not None:
        found = measured.probabilities[rows, columns]
        badness = np.where(given, found, 1 - found)
        indicators = (measured.truth, measured.decisions)
        single = np.all([np.diff(each.indptr) == 1 for each in indicators], axis=0)[rows]
        first = measured.decisions.indptr[rows[single]]
        winners = measured.decisions.indices[first]
        badness[single] = measured.probabilities[rows[single], winners]
    else:
        thresholds = np.zeros(len(names))
        if model.decision.thresholds is not None:
            thresholds[:] = [model.decision.thresholds[own.get(name, 0)] for name in names]
        badness = np.abs(measured.rankings[rows, columns] - thresholds[columns])
    worst: dict[int, _Pair] = {}
    for each in np.lexsort((columns, given, rows, -badness)).tolist():
        worst.setdefault(int(rows[each]), _Pair(int(columns[each]), float(badness[each])))
    return worst


def _mistakes(
    measured: Measured,
    predictor: Predictor,
    test: bool,
    worst: Mapping[int, _Pair],
    texts: Mapping[tuple[bool, int], Document],
) -> list[Mistake]:
    """Explain the worst decision of each document; not out of fold, where other models decided."""
    model, names = predictor.model, measured.report.categories
    reasons = None
    # Shares of a batch have no threshold to explain.
    with suppress(UsageError):
        reasons = None if measured.folds else Reasons(predictor)
    values = measured.rankings if measured.probabilities is None else measured.probabilities
    mistakes = []
    for row, (column, _) in list(worst.items())[:MISTAKES]:
        document = texts[test, row]
        given = measured.decisions[[row]].indices
        given = given[np.argsort(-values[row, given], kind="stable")].tolist()
        explanation = None
        own = model.names.index(names[column])
        if reasons is not None:
            found = reasons.explain(document.fields, document.id, [own])
            explanation = found.reasons[0]
        probability = None
        if measured.probabilities is not None:
            probability = float(measured.probabilities[row, column])
        mistakes.append(
            Mistake(
                document,
                tuple(names[each] for each in given),
                names[column],
                column not in given,
                int(model.training.members[own]),
                probability,
                explanation,
            )
        )
    return mistakes


def _named(model: Model, columns: Iterable[tuple[int, float]]) -> tuple[tuple[str, float], ...]:
    return tuple((model.names[column], probability) for column, probability in columns)
