"""A round of a search: candidates are learned and measured on the same documents and folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.corpus.document import Document
from postil.decide import OutOfFoldScores, fit_rule
from postil.decide.folds import Folds, make_folds
from postil.decide.scores import Needs, TrainingSet
from postil.decide.shared_calibration import Hierarchical
from postil.errors import PostilError
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.strength import Strengths
from postil.learn.sum_method import LASSO
from postil.recipes.recipe import Recipe
from postil.train.candidates import Candidate, Trial
from postil.train.search_cache import SearchCache
from postil.vectors.copies import groups_of_copies, merged_groups
from postil.vectors.vectorizer import TextChunk

FOLDS = 3
ACCURACY, MICRO_F1, MACRO_F1 = "accuracy", "micro-f1", "macro-f1"
# The first values of C in the last round; while the best is at an end, one more is tried there.
STRENGTHS = (0.3, 1.0, 3.0)
STEP, MOST_STRENGTHS = 3.0, 6
LOGISTIC: Mapping[str, Any] = {"loss": "logistic", "solver": "dual-coordinate", "C": 10.0}
FACTOR = 0.05  # of the lasso's scores, beside those of the squared hinge
NAIVE_BAYES: Mapping[str, Any] = {
    "learner": "naive-bayes",
    "form": "background",
    "smoothing": 0.75,
}
# Of the scores of Naive Bayes, if they were spread as widely as those they are added to.
FACTORS = (0.1, 0.2, 0.4, 0.8, 1.6)
# A strength of one category must be better than that of all on so many memberships.
MEMBERSHIPS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A candidate with several strengths: the held-out scores and the trial of each."""

    candidate: Candidate
    matrix: sp.csr_matrix[Any]
    scores: dict[float, Floats]
    trials: dict[float, Trial]

    @property
    def best(self) -> float:
        """The strength of the highest value."""
        return max(self.trials, key=lambda strength: self.trials[strength].value)


@dataclass(slots=True, eq=False)
class Round:
    """The documents of a round, how candidates learn from them, and how they are measured.

    Parameters
    ----------
    recipe : Recipe
        The recipe that candidates change.
    documents : sequence of Document
        The documents of the round.
    labels : Labels
        Their categories.
    single : bool
        Give each document its best category and no other.
    measure : str
        ``ACCURACY``, ``MICRO_F1`` or ``MACRO_F1``.
    threads, seed, cache
        As for :func:`postil.train.auto.choose_recipe`.
    """

    recipe: Recipe
    documents: Sequence[Document]
    labels: Labels
    single: bool
    measure: str
    threads: int | None
    seed: int
    cache: SearchCache
    copies: int = field(default=0, init=False)
    _folds: Folds | None = field(default=None, init=False)

    @property
    def folds(self) -> Folds:
        """The folds, which the first matrix shows: near copies are in one."""
        assert self._folds is not None
        return self._folds

    def matrix(self, candidate: Candidate) -> sp.csr_matrix[Any] | None:
        """Return the vectors of a candidate, and make the folds; None if there are no terms."""
        vectorizer = candidate.applied(self.recipe).representation.vectorizer(self.threads)
        columns = vectorizer.fields.columns_of(self.documents)
        try:
            matrix = vectorizer.fit_transform_chunks([TextChunk(columns)])
        except PostilError:
            return None  # the recipe's own representation raises the error later
        if self._folds is None:
            copies = groups_of_copies(matrix)
            self.copies = len(copies) - int(copies.max()) - 1
            groups = merged_groups(copies, self.labels.groups)
            count = min(FOLDS, len(self.documents))
            self._folds = make_folds(self.labels.members, count, self.seed, groups)
        return matrix

    def path(self, candidate: Candidate, matrix: sp.csr_matrix[Any], *, final: bool) -> Path:
        """Try the recipe's own learner, in the last round with several strengths."""
        own = float(self.recipe.learn.get("C", 1.0))
        strengths = [own * each for each in STRENGTHS] if final else [own]
        scores = self._scores(candidate, self.recipe.learn, strengths, matrix)
        path = Path(candidate, matrix, dict(zip(strengths, scores, strict=True)), {})
        while True:
            for each, values in path.scores.items():
                if each not in path.trials:
                    learn = {**self.recipe.learn, "C": each}
                    path.trials[each] = self._trial(path, "", learn, values)
            best, least, most = path.best, min(path.scores), max(path.scores)
            if not final or least < best < most or len(path.scores) == MOST_STRENGTHS:
                return path
            further = best * STEP if best == most else best / STEP
            (found,) = self._scores(candidate, self.recipe.learn, [further], matrix)
            path.scores[further] = found

    def sums(self, path: Path) -> list[Trial]:
        """Try a strength for each category and sums with other learners, on a candidate."""
        best, values = path.trials[path.best], path.scores[path.best]
        trials = []
        if not self.single:
            own, chosen = self._by_category(path)
            trials.append(own)
            if own.value > best.value:
                best, values = own, chosen
            (lasso,) = self._scores(path.candidate, LASSO, [LASSO["C"]], path.matrix)
            added = self._sum(path, best, values, LASSO, FACTOR * lasso, FACTOR)
            trials.append(added)
            if added.value > best.value:
                best, values = added, values + FACTOR * lasso
        (naive,) = self._scores(path.candidate, NAIVE_BAYES, [], path.matrix)
        unit = _spread(values) / max(_spread(naive), np.finfo(float).tiny)
        factors = [round(unit * factor, 6) for factor in FACTORS]
        tried = [
            self._sum(path, best, values, NAIVE_BAYES, factor * naive, factor)
            for factor in factors
            if factor > 0
        ]
        return trials + ([max(tried, key=lambda trial: trial.value)] if tried else [])

    def _sum(
        self,
        path: Path,
        first: Trial,
        values: Floats,
        second: Mapping[str, Any],
        added: Floats,
        factor: float,
    ) -> Trial:
        """Return the trial of the sum of two learners, from the scores of each."""
        learn = {"learner": "sum", "first": first.learn, "second": second, "factor": factor}
        name = f"{first.learner} + {'lasso' if second is LASSO else 'Naive Bayes'}".strip()
        return self._trial(path, name, learn, values + added, first.strengths)

    def logistic(self, path: Path) -> Trial:
        """Try logistic loss on the vectors of a candidate."""
        (values,) = self._scores(path.candidate, LOGISTIC, [LOGISTIC["C"]], path.matrix)
        return self._trial(path, "logistic loss", LOGISTIC, values)

    def _by_category(self, path: Path) -> tuple[Trial, Floats]:
        """Return the trial with a strength for each category, and its scores.

        It is the one of the highest likelihood of calibrated scores, to which that of all
        categories adds as if on ``MEMBERSHIPS`` memberships of this one.
        """
        members = self.labels.members
        truth, known = members.toarray().astype(bool), self.labels.known()
        losses = []
        for values in path.scores.values():
            held_out = OutOfFoldScores(values, self.folds, known)
            training = TrainingSet.of("hierarchical", Needs.OUT_OF_FOLD, held_out, members, None)
            p = np.clip(Hierarchical.fit(training).probabilities(values), 1e-6, 1 - 1e-6)
            lost = -np.log(np.where(truth, p, 1 - p))
            losses.append((lost if known is None else lost * known).sum(axis=0))
        by_category = np.array(losses)
        shared = by_category.sum(axis=1, keepdims=True) / max(members.nnz, 1)
        best = (by_category + MEMBERSHIPS * shared).argmin(axis=0)
        scores = np.stack(list(path.scores.values()))[best, :, np.arange(len(best))].T
        strengths = np.array(list(path.scores))[best]
        learn, name = path.trials[path.best].learn, "a strength for each category"
        return self._trial(path, name, learn, scores, strengths), scores

    def _scores(
        self,
        candidate: Candidate,
        learn: Mapping[str, Any],
        strengths: Sequence[float],
        matrix: sp.csr_matrix[Any],
    ) -> list[Floats]:
        """Return held-out scores for each strength, or of a learner that has none.

        The weaker strengths start from the stronger.
        """
        from postil.learn.one_vs_rest import fit_path

        rows = len(self.documents)
        name = f"{candidate} {sorted(learn.items())} {list(strengths)} {rows} {self.seed}"
        kept = self.cache.load(name)
        if kept is not None:
            return kept
        labels = self.labels
        method = method_from({**learn, "C": strengths[0]} if strengths else learn)
        design = Design(matrix)
        shape = (max(1, len(strengths)), labels.documents, len(labels))
        scores = list(np.empty(shape))
        path = Strengths("C", np.repeat(np.array(strengths)[:, np.newaxis], len(labels), axis=1))
        for learned, held_out in self.folds:
            weights = np.zeros(labels.documents)
            weights[learned] = 1.0 if labels.weights is None else labels.weights[learned]
            job = Job(
                design,
                labels,
                sample_weights=SampleWeights(weights),
                threads=self.threads,
                quiet=True,
            )
            fits = (
                fit_path(replace(job, strengths=path), method)
                if isinstance(method, Method)
                else (method.fit(job),)
            )
            representation = candidate.applied(self.recipe).representation
            tested = representation.as_new(matrix[held_out], matrix)
            for values, fit in zip(scores, fits, strict=True):
                values[held_out] = fit.scores(tested)
        self.cache.save(name, scores)
        return scores

    def _trial(
        self,
        path: Path,
        learner: str,
        learn: Mapping[str, Any],
        scores: Floats,
        strengths: Floats | None = None,
    ) -> Trial:
        value, influences = self.measured(scores)
        documents, terms = path.matrix.shape
        size = (terms, path.matrix.nnz / max(1, documents), documents)
        return Trial(path.candidate, learner, learn, strengths, value, influences, *size)

    def measured(self, scores: Floats) -> tuple[float, Floats]:
        """Return the measure of held-out decisions, and the influence of each document on it."""
        if self.single:
            accepted = np.zeros(scores.shape, dtype=np.bool_)
            accepted[np.arange(len(scores)), scores.argmax(axis=1)] = True
        else:
            rule = "f1" if self.measure == MACRO_F1 else "probability"
            known = self.labels.known()
            held_out = OutOfFoldScores(scores, self.folds, known)
            accepted = fit_rule(rule, held_out, self.labels.members).accept(scores)
            accepted &= True if known is None else known
        given = sp.csr_matrix(accepted, dtype=np.float64)
        members = self.labels.members.astype(np.float64)
        right = given.multiply(members).tocsr()
        size = given + members
        if self.measure != MACRO_F1:
            found, total = _row_sums(right), _row_sums(size)
            value = 2 * found.sum() / max(total.sum(), 1.0)
            return float(value), (2 * found - value * total) * len(found) / max(total.sum(), 1.0)
        by_category = np.maximum(_row_sums(sp.csr_matrix(size.T)), 1.0)
        values = 2 * _row_sums(sp.csr_matrix(right.T)) / by_category
        share: Floats = len(scores) / by_category / len(by_category)
        influences = 2 * (right @ share) - size @ (values * share)
        return float(values.mean()), np.asarray(influences, dtype=np.float64)


def _spread(scores: Floats) -> float:
    """Return the standard deviation of scores less the means of their document and category."""
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    return float(centred.std())


def _row_sums(matrix: sp.csr_matrix[Any]) -> Floats:
    sums: Floats = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return sums
