"""Choose representation, learner and strength on folds of the training documents.

``[auto]`` in a recipe asks for a search by successive halving. All candidates are tried on some of
the documents, the best of them on more, and the last ones on as many as the budget allows, with
several strengths. Candidates of a round have the same documents and folds, so that differences are
paired, and near copies of a document are in its fold. The simplest candidate within one standard
error of the best is taken.

The plan depends on the documents and the budget alone, by estimates of work, so that the same
documents give the same model on any machine. The clock only ends a search that takes more than
twice its budget. Ctrl-C ends it too, and training goes on with the best candidate so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.progress import Notify, StepProgress, no_progress
from postil.common.types import Floats
from postil.corpus.document import Document
from postil.decide import OutOfFoldScores, fit_rule
from postil.decide.folds import Folds, make_folds
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.merit.figures import FBeta
from postil.learn.merit.naming import figure_named
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.strength import Strengths
from postil.recipes.parts import ONE_LABEL
from postil.recipes.recipe import Recipe
from postil.vectors.copies import groups_of_copies
from postil.vectors.vectorizer import TextChunk

FOLDS = 3
STRENGTHS = (0.3, 1.0, 3.0, 10.0)  # C of the last round
# Shares of the budget for the rounds, and the number of candidates that enter each.
ROUNDS = ((0.3, None), (0.3, 3), (0.4, 2))
FEWEST_DOCUMENTS = 60
SAMPLE = 400
MOST_SCORES = 50_000_000
# Seconds on two cores for a non-zero of one category in one fold, and for a byte of text.
FIT_SECONDS, TEXT_SECONDS = 5e-9, 1e-7
OVERRUN = 2.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change of a recipe's ``[representation]`` and ``[learn]`` tables, by name."""

    name: str
    representation: Mapping[str, Any] = field(default_factory=dict)
    learn: Mapping[str, Any] = field(default_factory=dict)

    def applied(self, recipe: Recipe, strength: float | None = None) -> Recipe:
        """Return the recipe with the change and the strength."""
        learn = {**recipe.learn, **self.learn}
        if strength is not None:
            learn["C"] = strength
        representation = replace(recipe.representation, **self.representation)
        return replace(recipe, representation=representation, learn=learn, auto=None)


def candidates(documents: Sequence[Document]) -> list[Candidate]:
    """Return the search space for some documents."""
    pairs = {"analyzer": "words lower min(2) ngrams(1,2)", "min_df": 2}
    space = [
        Candidate("words"),
        Candidate("stems", {"analyzer": "words lower min(2) stem(porter)"}),
        Candidate("words and pairs of words", pairs),
        Candidate("characters in words", {"analyzer": "chars-in-words(2,5) lower", "min_df": 2}),
        Candidate("words, logistic loss", {}, {"loss": "logistic", "C": 10.0}),
    ]
    title = short_field(documents)
    if title:
        apart = {"also": (title,)}
        space += [
            Candidate(f"words and {title} apart", apart),
            Candidate(f"words, pairs of words, {title} apart", pairs | apart),
        ]
    return space


def short_field(documents: Sequence[Document]) -> str | None:
    """Return the first field, if there are others and it holds under a third of the text."""
    lengths: dict[str, int] = {}
    for document in documents:
        for name, text in document.fields.items():
            lengths[name] = lengths.get(name, 0) + len(text)
    first = next(iter(lengths), None)
    if len(lengths) < 2 or first is None or 3 * lengths[first] > sum(lengths.values()):
        return None
    return first


class Trial(NamedTuple):
    """The result of a candidate in a round.

    ``value`` is the measure on held-out documents, and ``influences`` what each document adds to
    it, which gives standard errors of values and of differences.
    """

    candidate: Candidate
    strength: float | None
    value: float
    influences: Floats
    terms: int
    non_zeros: float
    documents: int

    def error(self, other: Trial | None = None) -> float:
        """Return the standard error of the value, or of its difference to another's."""
        influences = self.influences if other is None else self.influences - other.influences
        return float(np.sqrt((influences**2).mean() / len(influences)))

    def to_dict(self, chosen: bool) -> dict[str, Any]:
        """Return a row of the leaderboard."""
        reach = 1.96 * self.error()
        return {
            "name": self.candidate.name,
            "C": self.strength,
            "value": round(self.value, 6),
            "low": round(max(0.0, self.value - reach), 6),
            "high": round(min(1.0, self.value + reach), 6),
            "terms": self.terms,
            "terms_of_a_document": round(self.non_zeros, 1),
            "documents": self.documents,
            "chosen": chosen,
        }


def simplest_of_best(trials: Sequence[Trial]) -> Trial:
    """Return the cheapest trial to predict with, within one standard error of the best."""
    best = max(trials, key=lambda trial: trial.value)
    near = [t for t in trials if t.value >= best.value - t.error(best)]
    cheapest = min(trial.non_zeros for trial in near)
    # Strengths of one representation cost the same: the best of them is taken.
    return max((t for t in near if t.non_zeros <= cheapest), key=lambda trial: trial.value)


class AutoSearch:
    """The search for one set of training documents.

    Parameters
    ----------
    documents : sequence of Document
        The training documents.
    recipe : Recipe
        The recipe, whose ``[auto]`` has the budget.
    threads, seed, progress
        As for :func:`postil.train.train.train`.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        recipe: Recipe,
        threads: int | None,
        seed: int,
        progress: StepProgress | None,
    ) -> None:
        assert recipe.auto is not None
        self.recipe = recipe
        self.budget = recipe.auto.budget
        self.threads = threads
        self.seed = seed
        self.progress = progress or no_progress
        self._order = np.random.default_rng(seed).permutation(len(documents))
        self._documents = documents
        self._labels = Labels.of([document.labels for document in documents])
        decide = recipe.for_documents(self._labels.is_single_label).decide
        self._single = decide.rule == ONE_LABEL
        aim = None if recipe.aim is None else figure_named(recipe.aim.measure)
        self._macro = isinstance(aim, FBeta) and not aim.pooled
        self._deadline = time.monotonic() + OVERRUN * self.budget
        self.ended = ""
        self.copies = 0

    @property
    def measure(self) -> str:
        """The name of the measure that candidates are compared by."""
        if self._macro:
            return "macro-f1"
        return "accuracy" if self._single else "micro-f1"

    def run(self) -> tuple[list[Trial], list[Trial]]:
        """Return all trials, and those of the last round; none if documents are few.

        If a round was ended early, it counts only if it is the first.
        """
        trials: list[Trial] = []
        latest: list[Trial] = []
        entered = candidates(self._documents[:SAMPLE])
        if len(self._documents) < FEWEST_DOCUMENTS or len(self._labels) == 0:
            return trials, latest
        sizes = {each.name: self._size(each) for each in entered}
        spared = 0.0
        for number, (share, most) in enumerate(ROUNDS):
            final = number == len(ROUNDS) - 1
            if most is not None:
                kept = sorted(latest, key=lambda trial: -trial.value)[:most]
                entered = [trial.candidate for trial in kept]
            repeats = 2.2 if final else 1.0
            seconds = sum(sizes[each.name] for each in entered) * repeats
            spared += share * self.budget
            rows = int(min(len(self._documents), spared / seconds))
            rows = min(rows, MOST_SCORES // max(1, len(self._labels)))
            if rows < FEWEST_DOCUMENTS:
                self.ended = "the budget allows too few documents"
                break
            if latest and not final and rows <= latest[0].documents:
                continue  # this round would tell nothing new: the last one gets its share
            spared -= seconds * rows
            before = len(trials)
            finished = self._round(trials, entered, rows, STRENGTHS if final else (None,))
            if finished or not latest:
                latest = trials[before:]
            if not finished:
                break
        return trials, latest

    def _round(
        self,
        trials: list[Trial],
        entered: Sequence[Candidate],
        rows: int,
        strengths: Sequence[float | None],
    ) -> bool:
        """Try candidates on so many documents; return False if the search was ended."""
        chosen = np.sort(self._order[:rows])
        documents = [self._documents[row] for row in chosen.tolist()]
        labels = self._labels.of_documents(chosen)
        folds: Folds | None = None
        for number, candidate in enumerate(entered):
            leader = max(trials, key=lambda trial: trial.value, default=None)
            best = f"; best {leader.candidate.name}, {leader.value:.3f}" if leader else ""
            self.progress(f"trying {candidate.name}{best}", number, len(entered))
            if time.monotonic() > self._deadline:
                self.ended = "it took more than twice its budget"
                return False
            try:
                recipe = candidate.applied(self.recipe)
                vectorizer = recipe.representation.vectorizer(self.threads)
                columns = vectorizer.fields.columns_of(documents)
                matrix = vectorizer.fit_transform_chunks([TextChunk(columns)])
                if folds is None:
                    groups = groups_of_copies(matrix)
                    self.copies = len(groups) - int(groups.max()) - 1
                    count = min(FOLDS, len(documents))
                    folds = make_folds(labels.members, count, self.seed, groups)
                trials += self._trials(candidate, recipe, matrix, labels, folds, strengths)
            except KeyboardInterrupt:
                self.ended = "it was interrupted"
                return False
        return True

    def _trials(
        self,
        candidate: Candidate,
        recipe: Recipe,
        matrix: sp.csr_matrix[Any],
        labels: Labels,
        folds: Folds,
        strengths: Sequence[float | None],
    ) -> list[Trial]:
        own = float(recipe.learn.get("C", 1.0))
        values = [own if each is None else own * each for each in strengths]
        found = []
        for strength, scores in zip(
            values, self._scores(recipe, matrix, labels, folds, values), strict=True
        ):
            value, influences = self._measured(scores, labels, folds)
            per_document = matrix.nnz / max(1, matrix.shape[0])
            found.append(
                Trial(
                    candidate,
                    strength,
                    value,
                    influences,
                    matrix.shape[1],
                    per_document,
                    matrix.shape[0],
                )
            )
        return found

    def _scores(
        self,
        recipe: Recipe,
        matrix: sp.csr_matrix[Any],
        labels: Labels,
        folds: Folds,
        strengths: Sequence[float],
    ) -> list[Floats]:
        """Return held-out scores for each strength; the weaker start from the stronger."""
        from postil.learn.one_vs_rest import fit_path

        method = method_from({**recipe.learn, "C": strengths[0]})
        assert isinstance(method, Method)
        design = Design(matrix)
        scores = [np.empty((labels.documents, len(labels))) for _ in strengths]
        path = Strengths("C", np.repeat(np.array(strengths)[:, np.newaxis], len(labels), axis=1))
        for learned, held_out in folds:
            weights = np.zeros(labels.documents)
            weights[learned] = 1.0
            job = Job(
                design,
                labels,
                sample_weights=SampleWeights(weights),
                strengths=path,
                threads=self.threads,
                quiet=True,
            )
            for values, fit in zip(scores, fit_path(job, method), strict=True):
                values[held_out] = fit.scores(matrix[held_out])
        return scores

    def _measured(self, scores: Floats, labels: Labels, folds: Folds) -> tuple[float, Floats]:
        """Return the measure of held-out decisions, and the influence of each document on it."""
        if self._single:
            accepted = np.zeros(scores.shape, dtype=np.bool_)
            accepted[np.arange(len(scores)), scores.argmax(axis=1)] = True
        else:
            rule = "f1" if self._macro else "probability"
            decided = fit_rule(rule, OutOfFoldScores(scores, folds), labels.members)
            accepted = decided.accept(scores)
        given = sp.csr_matrix(accepted, dtype=np.float64)
        members = labels.members.astype(np.float64)
        right = given.multiply(members).tocsr()
        size = given + members
        if not self._macro:
            found, total = _sums(right), _sums(size)
            value = 2 * found.sum() / max(total.sum(), 1.0)
            return float(value), (2 * found - value * total) * len(found) / max(total.sum(), 1.0)
        by_category = np.maximum(_sums(sp.csr_matrix(size.T)), 1.0)
        values = 2 * _sums(sp.csr_matrix(right.T)) / by_category
        share: Floats = len(scores) / by_category / len(by_category)
        influences = 2 * (right @ share) - size @ (values * share)
        return float(values.mean()), np.asarray(influences, dtype=np.float64)

    def _size(self, candidate: Candidate) -> float:
        """Return the estimated seconds of one document in all folds."""
        documents = [self._documents[row] for row in self._order[:SAMPLE].tolist()]
        vectorizer = candidate.applied(self.recipe).representation.vectorizer(self.threads)
        vectorizer.bounds = replace(vectorizer.bounds, min_df=1)
        columns = vectorizer.fields.columns_of(documents)
        non_zeros = vectorizer.fit_transform_chunks([TextChunk(columns)]).nnz / len(documents)
        length = sum(len(text) for column in columns for text in column) / len(documents)
        learning = non_zeros * len(self._labels) * FOLDS * FIT_SECONDS
        return float(learning + length * TEXT_SECONDS * (1 + non_zeros / max(length / 8, 1.0)))


def _sums(matrix: sp.csr_matrix[Any]) -> Floats:
    sums: Floats = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return sums


def choose_recipe(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> tuple[Recipe, list[Document], dict[str, Any]]:
    """Search for the best recipe for documents.

    Parameters
    ----------
    documents : iterable of Document
        The documents; those marked test are left out. The others are held in memory.
    recipe : Recipe
        A recipe with ``[auto]``.
    threads, seed, progress, notify
        As for :func:`postil.train.train.train`.

    Returns
    -------
    recipe : Recipe
        The chosen recipe, without ``[auto]``.
    documents : list of Document
        The training documents.
    facts : dict
        The leaderboard and how it was made, for the model.
    """
    training = [document for document in documents if document.split != "test"]
    search = AutoSearch(training, recipe, threads, seed, progress)
    trials, latest = search.run()
    if not latest:
        return replace(recipe, auto=None), training, {}
    taken = simplest_of_best(latest)
    board = sorted(trials, key=lambda trial: (-trial.documents, -trial.value))
    facts = {
        "measure": search.measure,
        "folds": FOLDS,
        "documents": taken.documents,
        "copies": search.copies,
        "budget": search.budget,
        "ended": search.ended,
        "leaderboard": [trial.to_dict(trial is taken) for trial in board],
    }
    if notify is not None:
        notify(_sentence(taken, search, len(trials)))
    return taken.candidate.applied(recipe, taken.strength), training, facts


def _sentence(taken: Trial, search: AutoSearch, count: int) -> str:
    ended = f"; the search ended early: {search.ended}" if search.ended else ""
    return (
        f"chose {taken.candidate.name}, C = {taken.strength:g}, of {count} trials: "
        f"{search.measure} {100 * taken.value:.1f} ± {196 * taken.error():.1f} % on "
        f"{taken.documents:,} held-out documents{ended}"
    )
