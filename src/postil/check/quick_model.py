"""A quick model of a corpus: decisions and probabilities by models that had not seen the document.

The model learns from the labelled training documents, or some of them if they are many, and these
are judged out of fold, with near copies in one fold. It judges all other labelled documents
itself. The recipe is ``default``, which tunes no strength, so that a check ends in minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

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

Csr: TypeAlias = sp.csr_matrix[Any]

MOST_DOCUMENTS = 20_000  # to learn from
MOST_PAIRS = 2_000_000  # documents × labels
LEAST_DOCUMENTS = 20


class NoModelError(Exception):
    """A quick model cannot be learned; the message says why."""


class Judged(NamedTuple):
    """Some documents with their labels, and decisions on them.

    Parameters
    ----------
    rows : array
        Their positions in the corpus.
    truth, decisions : sparse matrix
        Documents × labels of the model.
    probabilities : array
        The same, by a model that had not seen the document.
    partly : array
        True for documents that were judged for some labels only, so that nothing is known of those
        that they lack.
    """

    rows: Ints
    truth: Csr
    decisions: Csr
    probabilities: Floats
    partly: NDArray[np.bool_]

    def of_documents(self, places: Ints) -> Judged:
        """Return some of the documents."""
        return Judged(
            self.rows[places],
            self.truth[places],
            self.decisions[places],
            self.probabilities[places],
            self.partly[places],
        )


class QuickModel:
    """A model of some of the documents, and decisions on all labelled ones.

    Cost: six fits of the recipe ``default``, and a pass over the corpus. Raises NoModelError if
    there is too little to learn from.

    Parameters
    ----------
    facts : Facts
        The documents.
    corpus : Corpus
        The same, to be read again.
    threads, seed, progress
        As for :func:`postil.check.check.check_corpus`.
    """

    def __init__(
        self,
        facts: Facts,
        corpus: Corpus,
        threads: int | None,
        seed: int,
        progress: StepProgress,
    ) -> None:
        self._facts, self._corpus, self._progress = facts, corpus, progress
        self._predictor: Predictor
        self.learned = _chosen(facts)
        try:
            recipe, vectors = read_training(
                # Marks of splits play no part: without tests, all documents may be marked so.
                (replace(document, split=None) for _, document in pick(corpus, self.learned)),
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
            self._held_out = run.held_out(rule, calibration)
        except PostilError as error:
            raise NoModelError(str(error)) from error
        if self._held_out.probabilities is None:
            raise NoModelError("the model has no probabilities")
        self._model = run.model(vectors, fit, rule, calibration)
        self._predictor = Predictor(self._model, threads)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels that the model learned."""
        return self._model.names

    def judged(self) -> Iterator[Judged]:
        """Yield the documents that were learned from, then the other labelled ones by the chunk."""
        found = self._held_out
        assert found.probabilities is not None
        partly = self._facts.partly
        yield Judged(
            self.learned, found.truth, found.decisions, found.probabilities, partly[self.learned]
        )
        model, members = self._model, self._facts.labels.members
        column = {name: place for place, name in enumerate(self._facts.labels.names)}
        columns = [column[name] for name in model.names]
        others = np.setdiff1d(np.flatnonzero(self._facts.label_counts > 0), self.learned)
        documents = (document for _, document in pick(self._corpus, others))
        done = 0
        fields = model.vectorizer.fields
        for chunk in chunks_of(documents, fields, CHUNK, RowFacts(), any_field=True):
            scores = self._predictor.scores(chunk.columns)
            probabilities = self._predictor.probabilities(scores)
            assert probabilities is not None
            rows = others[done : done + len(scores)]
            truth = sp.csr_matrix(members[rows][:, columns]).astype(np.bool_)
            truth.sort_indices()
            decisions = sp.csr_matrix(np.asarray(model.decision.accept(scores)))
            yield Judged(rows, truth, decisions, probabilities, partly[rows])
            done += len(scores)
            self._progress("judging labels", done, None)


def _chosen(facts: Facts) -> Ints:
    """Return the documents to learn from; raise NoModelError if there are too few."""
    if len(facts.labels) < 2:
        raise NoModelError("there is only one label")
    most = min(MOST_DOCUMENTS, max(1000, MOST_PAIRS // len(facts.labels)))
    training = (facts.label_counts > 0) & ~(facts.tested & facts.has_splits)
    rows = spread(np.flatnonzero(training), most)
    if len(rows) < LEAST_DOCUMENTS:
        raise NoModelError(f"there are fewer than {LEAST_DOCUMENTS} labelled training documents")
    return rows


class Measured(NamedTuple):
    """The score of a quick model on documents marked test: all, and those without a copy."""

    measure: str
    score: float
    without_copies: float

    def sentence(self) -> str:
        """Return the two scores in a sentence."""
        return (
            f"A quick model scores {self.measure} {100 * self.score:.1f} % on all test documents, "
            f"and {100 * self.without_copies:.1f} % on those without a copy."
        )

    def to_dict(self) -> dict[str, float]:
        """Return the two scores for JSON."""
        return {"score": self.score, "score_without_copies": self.without_copies}


class Measuring:
    """Measures decisions on documents marked test, with and without those that have a copy.

    The measure is accuracy if every document has one label, else micro-averaged F1.
    """

    def __init__(self, facts: Facts, contaminated: NDArray[np.bool_]) -> None:
        self._facts, self._contaminated = facts, contaminated
        self._sums = np.zeros((2, 2), dtype=np.int64)  # by copy: twice the hits, all labels

    def add(self, judged: Judged) -> None:
        """Count the decisions on some documents."""
        facts, rows = self._facts, judged.rows
        hits = np.diff(sp.csr_matrix(intersection(judged.truth, judged.decisions)).indptr)
        # Labels that the model has not learned are missed.
        given = np.diff(judged.decisions.indptr) + facts.label_counts[rows]
        tested = facts.tested[rows] & ~facts.partly[rows]
        for copied in (0, 1):
            some = tested & (self._contaminated[rows] == bool(copied))
            self._sums[copied] += int(2 * hits[some].sum()), int(given[some].sum())

    def measured(self) -> Measured | None:
        """Return the scores; None if no document without a copy is marked test."""
        clean, all_tests = self._sums[0], self._sums.sum(axis=0)
        if not self._facts.has_splits or not clean[1]:
            return None
        # With one decision and one label a document, micro-averaged F1 is accuracy.
        name = "accuracy" if self._facts.single else "micro-F1"
        return Measured(name, float(all_tests[0] / all_tests[1]), float(clean[0] / clean[1]))
