"""A quick model of a corpus: probabilities of labels by models that had not seen the document.

Training documents are judged out of fold, with near copies in one fold; documents marked test are
judged by the model of all training documents. The recipe is ``default``, which tunes no strength,
and a large corpus is represented by some of its documents, so that a check ends in minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.check.finding import percent
from postil.check.reading import Facts, pick, spread
from postil.common.progress import StepProgress
from postil.common.types import Floats, Ints
from postil.corpus.corpus import Corpus
from postil.errors import PostilError
from postil.evaluate.counts import intersection
from postil.recipes.recipe import load_recipe
from postil.train.predict import Predictor
from postil.train.reading import CHUNK, read_training
from postil.train.run import LearningSpace, TrainingRun
from postil.vectors.rows import RowFacts, chunks_of

MOST_DOCUMENTS = 50_000
MOST_PAIRS = 5_000_000  # documents × labels
LEAST_DOCUMENTS = 20
FOLDS = 5


class NoModelError(Exception):
    """A quick model cannot be learned; the message says why."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents with their labels and the probabilities of all labels.

    Parameters
    ----------
    rows : array
        Their positions in the corpus: the training documents, then those marked test.
    names : tuple of str
        The labels that the model learned: the columns.
    truth, decisions : sparse matrix
        Documents × labels.
    probabilities : array
        The same, by a model that had not seen the document.
    learned : int
        The number of training documents.
    unknown : array
        How many other labels each document has.
    """

    rows: Ints
    names: tuple[str, ...]
    truth: sp.csr_matrix[Any]
    decisions: sp.csr_matrix[Any]
    probabilities: Floats
    learned: int
    unknown: Ints


class Measured(NamedTuple):
    """The score of a quick model on documents marked test: all, and those without a copy."""

    measure: str
    score: float
    without_copies: float
    tests: int

    def sentence(self) -> str:
        """Return the two scores in a sentence."""
        return (
            f"A quick model scores {self.measure} {100 * self.score:.1f} % on all of them marked "
            f"test, and {100 * self.without_copies:.1f} % without those."
        )

    def to_dict(self) -> dict[str, float]:
        """Return the two scores for JSON."""
        return {
            "score": self.score,
            "score_without_copies": self.without_copies,
            "documents_measured": self.tests,
        }


def judge(
    facts: Facts, corpus: Corpus, threads: int | None, seed: int, progress: StepProgress
) -> Judged:
    """Learn from some of the labelled training documents, and judge them and some marked test.

    Cost: six fits of the recipe ``default``, two or three passes over the corpus, and memory of the
    probabilities. Raises NoModelError if there is too little to learn from.
    """
    learning, testing = _chosen(facts)
    try:
        recipe, vectors = read_training(
            (document for _, document in pick(corpus, learning)),
            load_recipe("default"),
            corpus=corpus.name,
            threads=threads,
            progress=progress,
            notify=lambda _: None,
        )
        space = LearningSpace.of(vectors, recipe, progress)
        run = TrainingRun(recipe, space, vectors.labels, threads, seed, progress)
        fit = run.learn()
        rule, calibration = run.decisions(fit)
        found = run.held_out(rule, calibration)
    except PostilError as error:
        raise NoModelError(str(error)) from error
    if found.probabilities is None:
        raise NoModelError("the model has no probabilities")
    model = run.model(vectors, fit, rule, calibration)
    truths, decisions, probabilities = [found.truth], [found.decisions], [found.probabilities]
    predictor = Predictor(model, threads)
    done = 0
    tests = (document for _, document in pick(corpus, testing))
    for chunk in chunks_of(tests, model.vectorizer.fields, CHUNK, RowFacts(), any_field=True):
        scores = predictor.scores(chunk.columns)
        own = predictor.probabilities(scores)
        assert own is not None
        decisions.append(sp.csr_matrix(np.asarray(model.decision.accept(scores))))
        probabilities.append(own)
        done += len(scores)
        progress("testing", done, len(testing))
    column = {name: place for place, name in enumerate(facts.labels.names)}
    members = facts.labels.members[testing]
    truths.append(members[:, [column[name] for name in model.names]])
    truth = sp.csr_matrix(sp.vstack(truths)).astype(np.bool_)
    rows = np.concatenate([learning, testing])
    return Judged(
        rows,
        model.names,
        truth,
        sp.csr_matrix(sp.vstack(decisions)).astype(np.bool_),
        np.vstack(probabilities),
        len(learning),
        facts.label_counts[rows] - np.diff(truth.indptr),
    )


def _chosen(facts: Facts) -> tuple[Ints, Ints]:
    """Return the rows to learn from and those to test on; raise NoModelError if too few."""
    if len(facts.labels) < 2:
        raise NoModelError("there are fewer than two labels")
    labelled = facts.label_counts > 0
    most = min(MOST_DOCUMENTS, max(1000, MOST_PAIRS // len(facts.labels)))
    test = facts.tested if facts.has_splits else np.zeros(facts.documents, dtype=np.bool_)
    learning = spread(np.flatnonzero(labelled & ~test), most)
    if len(learning) < LEAST_DOCUMENTS:
        raise NoModelError(f"there are fewer than {LEAST_DOCUMENTS} labelled training documents")
    return learning, spread(np.flatnonzero(labelled & test), most)


def measure(judged: Judged, facts: Facts, contaminated: NDArray[np.bool_]) -> Measured | None:
    """Measure the decisions on documents marked test, with and without those that have a copy.

    The measure is accuracy if every document has one label, else micro-averaged F1. It is None if
    no document or none without a copy is marked test.
    """
    tested = np.arange(judged.learned, len(judged.rows))
    clean = tested[~contaminated[judged.rows[tested]]]
    if not len(clean):
        return None
    # One decision and one label a document: micro-averaged F1 is accuracy.
    name = "accuracy" if facts.single else "micro-F1"
    return Measured(name, _micro_f1(judged, tested), _micro_f1(judged, clean), len(tested))


def _micro_f1(judged: Judged, rows: Ints) -> float:
    truth, given = judged.truth[rows], judged.decisions[rows]
    total = truth.nnz + given.nnz + int(judged.unknown[rows].sum())
    return 2 * intersection(truth, given).nnz / total if total else 0.0


def looked_at(judged: Judged, facts: Facts) -> str:
    """Return how many documents were judged, as part of a sentence."""
    labelled = int((facts.label_counts > 0).sum())
    if len(judged.rows) == labelled:
        return ""
    share = percent(len(judged.rows), labelled)
    return f"{len(judged.rows):,} of {labelled:,} labelled documents ({share}) were looked at"
