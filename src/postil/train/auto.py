"""Choose representation, learner and strength on folds of the training documents.

``[auto]`` in a recipe asks for a search by successive halving. All representations are tried on
some of the documents, the best of them on more, and the last two on as many as the budget allows,
with several strengths; then other learners are tried on the best of these. Candidates of a round
have the same documents and folds, so that differences are paired, and near copies of a document are
in its fold. The cheapest candidate within one standard error of the best is taken.

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
from postil.decide.scores import Needs, TrainingSet
from postil.decide.shared_calibration import Hierarchical
from postil.errors import PostilError
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.merit.figures import FBeta
from postil.learn.merit.naming import figure_named
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.strength import Strengths
from postil.learn.sum_method import LASSO
from postil.recipes.parts import ONE_LABEL
from postil.recipes.recipe import Recipe
from postil.train.search_cache import SearchCache
from postil.vectors.copies import groups_of_copies
from postil.vectors.vectorizer import TextChunk

FOLDS = 3
# Shares of the budget for the rounds, and the number of candidates that enter each.
ROUNDS = ((0.3, None), (0.2, 3), (0.5, 2))
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
# The work of the last round for one candidate, in units of a fit with one strength.
LAST_ROUND = 3.3
# A strength of one category must be better than that of all on so many memberships.
MEMBERSHIPS = 20.0
FEWEST_DOCUMENTS = 60
SAMPLE = 400
MOST_SCORES = 5_000_000
# Seconds on two cores for a non-zero of one category in one fold, and for a byte of text.
FIT_SECONDS, TEXT_SECONDS = 6.5e-9, 6e-8
OVERRUN = 2.0

WORDS = "words lower min(2)"
STEMS = f"{WORDS} stem(porter)"
CHARACTERS = "chars-in-words(2,5) lower"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A representation by name, perhaps with a short field counted once more, apart."""

    name: str
    analyzer: str
    min_df: int = 1
    title: str | None = None

    def __str__(self) -> str:
        return self.name if self.title is None else f"{self.name}, {self.title} apart"

    def applied(self, recipe: Recipe) -> Recipe:
        """Return the recipe with this representation."""
        changes: dict[str, Any] = {"analyzer": self.analyzer, "min_df": self.min_df}
        if self.title is not None:
            changes["also"] = (self.title,)
        return replace(recipe, representation=replace(recipe.representation, **changes), auto=None)


REPRESENTATIONS = (
    Candidate("words", WORDS),
    Candidate("stems", STEMS),
    Candidate("words and stems", f"{WORDS} + {STEMS}"),
    Candidate("words, pairs of words and stems", f"{WORDS} ngrams(1,2) + {STEMS}", 2),
    Candidate("characters in words", CHARACTERS, 2),
)
# Tried only if characters alone are among the best: it takes the longest.
WITH_CHARACTERS = Candidate(
    "stems, pairs of stems and characters in words", f"{STEMS} ngrams(1,2) + {CHARACTERS}", 2
)


def short_fields(documents: Sequence[Document]) -> list[str]:
    """Return the first and the shortest field of those that hold under a third of the text.

    Fields that most documents lack do not count.
    """
    lengths: dict[str, int] = {}
    filled: dict[str, int] = {}
    for document in documents:
        for name, text in document.fields.items():
            lengths[name] = lengths.get(name, 0) + len(text)
            filled[name] = filled.get(name, 0) + bool(text)
    total = sum(lengths.values())
    usual = [name for name in lengths if 2 * filled[name] > len(documents)]
    short = [name for name in usual if 3 * lengths[name] <= total]
    if len(lengths) < 2 or not short:
        return []
    return list(dict.fromkeys([short[0], min(short, key=lambda name: lengths[name])]))


class Trial(NamedTuple):
    """The result of a candidate in a round.

    ``learn`` is the ``[learn]`` table, and ``strengths`` the C of each category if they differ.
    ``value`` is the measure on held-out documents, and ``influences`` what each document adds to
    it, which gives standard errors of values and of differences.
    """

    candidate: Candidate
    learner: str
    learn: Mapping[str, Any]
    strengths: Floats | None
    value: float
    influences: Floats
    terms: int
    non_zeros: float
    documents: int

    def __str__(self) -> str:
        added = self.learner.startswith("+")
        return f"{self.candidate}{' ' if added else ', '}{self.learner}".removesuffix(", ")

    def error(self, other: Trial | None = None) -> float:
        """Return the standard error of the value, or of its difference to another's."""
        influences = self.influences if other is None else self.influences - other.influences
        return float(np.sqrt((influences**2).mean() / len(influences)))

    def to_dict(self, chosen: bool) -> dict[str, Any]:
        """Return a row of the leaderboard."""
        reach = 1.96 * self.error()
        return {
            "name": str(self),
            "C": self.learn.get("C") if self.strengths is None else None,
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
    # Learners and strengths of one representation cost the same: the best of them is taken.
    return max((t for t in near if t.non_zeros <= cheapest), key=lambda trial: trial.value)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The documents of a round, with their labels and folds.

    ``folds`` are made of the first matrix, in which near copies are looked for.
    """

    rows: int
    documents: Sequence[Document]
    labels: Labels
    folds: list[Folds] = field(default_factory=list)


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


class AutoSearch:
    """The search for one set of training documents.

    Parameters
    ----------
    documents : sequence of Document
        The training documents.
    recipe : Recipe
        The recipe, whose ``[auto]`` has the budget.
    threads, seed, progress, cache
        As for :func:`choose_recipe`.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        recipe: Recipe,
        threads: int | None,
        seed: int,
        progress: StepProgress | None,
        cache: SearchCache,
    ) -> None:
        assert recipe.auto is not None
        self.recipe = recipe
        self.budget = recipe.auto.budget
        self.threads = threads
        self.seed = seed
        self.progress = progress or no_progress
        self.cache = cache
        self._order = np.random.default_rng(seed).permutation(len(documents))
        self._documents = documents
        self.labels = Labels.of([document.labels for document in documents])
        decide = recipe.for_documents(self.labels.is_single_label).decide
        self._single = decide.rule == ONE_LABEL
        aim = None if recipe.aim is None else figure_named(recipe.aim.measure)
        self._macro = isinstance(aim, FBeta) and not aim.pooled
        self._deadline = time.monotonic() + OVERRUN * self.budget
        self.trials: list[Trial] = []
        self.ended = ""
        self.copies = 0

    @property
    def measure(self) -> str:
        """The name of the measure that candidates are compared by."""
        if self._macro:
            return "macro-f1"
        return "accuracy" if self._single else "micro-f1"

    def run(self) -> list[Trial]:
        """Return the trials of the last round; none if documents are few.

        If a round was ended early, it counts only if it is the first.
        """
        latest: list[Trial] = []
        if len(self._documents) < FEWEST_DOCUMENTS or len(self.labels) == 0:
            return latest
        entered = list(REPRESENTATIONS)
        titles = short_fields(self._documents[:SAMPLE])
        entered[1:1] = [replace(entered[0], title=title) for title in titles]
        spared = 0.0
        for number, (share, most) in enumerate(ROUNDS):
            final = number == len(ROUNDS) - 1
            if most is not None:
                entered = _promoted(latest, most)
            seconds = sum(map(self._size, entered)) * (LAST_ROUND if final else 1.0)
            spared += share * self.budget
            rows = int(min(len(self._documents), spared / seconds))
            rows = min(rows, MOST_SCORES // max(1, len(self.labels)))
            if rows < FEWEST_DOCUMENTS:
                self.ended = "the budget allows too few documents"
                break
            if latest and not final and rows <= latest[0].documents:
                continue  # this round would tell nothing new: the last one gets its share
            spared -= seconds * rows
            before = len(self.trials)
            finished = self._round(entered, rows, final)
            if finished or not latest:
                latest = self.trials[before:]
            if not finished:
                break
        return latest

    def _round(self, entered: Sequence[Candidate], rows: int, final: bool) -> bool:
        """Try candidates on so many documents; return False if some were not tried."""
        chosen = np.sort(self._order[:rows])
        documents = [self._documents[row] for row in chosen.tolist()]
        round_ = Round(rows, documents, self.labels.of_documents(chosen))
        paths: list[Path] = []
        finished = False
        try:
            for number, candidate in enumerate(entered):
                if self._is_late(str(candidate), number, len(entered)):
                    return False
                matrix = self._matrix(candidate, round_)
                if matrix is None:
                    continue
                paths.append(self._path(candidate, matrix, round_, final))
                self.trials += paths[-1].trials.values()
            finished = True
            if final and paths:
                leader = max(paths, key=lambda path: path.trials[path.best].value)
                for path in paths if self._single else [leader]:
                    self._sums(path, round_)
                self._logistic(leader, round_)
        except KeyboardInterrupt:
            self.ended = "it was interrupted"
        return finished

    def _is_late(self, name: str, number: int, count: int) -> bool:
        """Show what is tried next, and return True if the time is over."""
        leader = max(self.trials, key=lambda trial: trial.value, default=None)
        best = f"; best {leader}, {leader.value:.3f}" if leader else ""
        self.progress(f"trying {name}{best}", number, count)
        if time.monotonic() > self._deadline:
            self.ended = "it took more than twice its budget"
        return bool(self.ended)

    def _matrix(self, candidate: Candidate, round_: Round) -> sp.csr_matrix[Any] | None:
        """Return the vectors of a round, and make its folds; None if there are no terms."""
        vectorizer = candidate.applied(self.recipe).representation.vectorizer(self.threads)
        columns = vectorizer.fields.columns_of(round_.documents)
        try:
            matrix = vectorizer.fit_transform_chunks([TextChunk(columns)])
        except PostilError:
            return None  # the recipe's own representation raises the error later
        if not round_.folds:
            groups = groups_of_copies(matrix)
            self.copies = len(groups) - int(groups.max()) - 1
            count = min(FOLDS, len(round_.documents))
            round_.folds.append(make_folds(round_.labels.members, count, self.seed, groups))
        return matrix

    def _path(
        self, candidate: Candidate, matrix: sp.csr_matrix[Any], round_: Round, final: bool
    ) -> Path:
        """Try the recipe's own learner, in the last round with several strengths."""
        own = float(self.recipe.learn.get("C", 1.0))
        strengths = [own * each for each in STRENGTHS] if final else [own]
        scores = self._scores(candidate, self.recipe.learn, strengths, matrix, round_)
        path = Path(candidate, matrix, dict(zip(strengths, scores, strict=True)), {})
        while True:
            for each, values in path.scores.items():
                if each not in path.trials:
                    learn = {**self.recipe.learn, "C": each}
                    path.trials[each] = self._trial(path, "", learn, values, round_)
            best, least, most = path.best, min(path.scores), max(path.scores)
            if not final or least < best < most or len(path.scores) == MOST_STRENGTHS:
                return path
            further = best * STEP if best == most else best / STEP
            (found,) = self._scores(candidate, self.recipe.learn, [further], matrix, round_)
            path.scores[further] = found

    def _sums(self, path: Path, round_: Round) -> None:
        """Try the sum of the best learner so far with others, on the vectors of a candidate."""
        if self._is_late(f"sums on {path.candidate}", 0, 2):
            return
        best, values = path.trials[path.best], path.scores[path.best]
        if not self._single:
            best, values = self._by_category(path, round_)
            (lasso,) = self._scores(path.candidate, LASSO, [LASSO["C"]], path.matrix, round_)
            added = self._sum(path, best, values, LASSO, FACTOR * lasso, FACTOR, round_)
            self.trials.append(added)
            if added.value > best.value:
                best, values = added, values + FACTOR * lasso
        (naive,) = self._scores(path.candidate, NAIVE_BAYES, [], path.matrix, round_)
        unit = _spread(values) / max(_spread(naive), np.finfo(float).tiny)
        factors = [round(unit * factor, 6) for factor in FACTORS]
        tried = [
            self._sum(path, best, values, NAIVE_BAYES, factor * naive, factor, round_)
            for factor in factors
            if factor > 0
        ]
        self.trials += [max(tried, key=lambda trial: trial.value)] if tried else []

    def _sum(
        self,
        path: Path,
        first: Trial,
        values: Floats,
        second: Mapping[str, Any],
        added: Floats,
        factor: float,
        round_: Round,
    ) -> Trial:
        """Return the trial of the sum of two learners, from the scores of each."""
        learn = {"learner": "sum", "first": first.learn, "second": second, "factor": factor}
        name = f"{first.learner} + {'lasso' if second is LASSO else 'Naive Bayes'}".strip()
        return self._trial(path, name, learn, values + added, round_, first.strengths)

    def _logistic(self, path: Path, round_: Round) -> None:
        """Try logistic loss on the vectors of the leader."""
        if self._is_late("logistic loss", 1, 2):
            return
        (values,) = self._scores(path.candidate, LOGISTIC, [LOGISTIC["C"]], path.matrix, round_)
        self.trials.append(self._trial(path, "logistic loss", LOGISTIC, values, round_))

    def _by_category(self, path: Path, round_: Round) -> tuple[Trial, Floats]:
        """Try a strength for each category; return the better trial, with its scores.

        It is the one of the highest likelihood of calibrated scores, to which that of all
        categories adds as if on ``MEMBERSHIPS`` memberships of this one.
        """
        members = round_.labels.members
        truth = members.toarray().astype(bool)
        losses = []
        for values in path.scores.values():
            held_out = OutOfFoldScores(values, round_.folds[0])
            training = TrainingSet.of("hierarchical", Needs.OUT_OF_FOLD, held_out, members, None)
            p = np.clip(Hierarchical.fit(training).probabilities(values), 1e-6, 1 - 1e-6)
            losses.append(-np.log(np.where(truth, p, 1 - p)).sum(axis=0))
        by_category = np.array(losses)
        shared = by_category.sum(axis=1, keepdims=True) / max(members.nnz, 1)
        best = (by_category + MEMBERSHIPS * shared).argmin(axis=0)
        scores = np.stack(list(path.scores.values()))[best, :, np.arange(len(best))].T
        strengths = np.array(list(path.scores))[best]
        leader = path.trials[path.best]
        name = "a strength for each category"
        own = self._trial(path, name, leader.learn, scores, round_, strengths)
        self.trials.append(own)
        return (own, scores) if own.value > leader.value else (leader, path.scores[path.best])

    def _scores(
        self,
        candidate: Candidate,
        learn: Mapping[str, Any],
        strengths: Sequence[float],
        matrix: sp.csr_matrix[Any],
        round_: Round,
    ) -> list[Floats]:
        """Return held-out scores for each strength, or of a learner that has none.

        The weaker strengths start from the stronger.
        """
        from postil.learn.one_vs_rest import fit_path

        name = f"{candidate} {sorted(learn.items())} {list(strengths)} {round_.rows} {self.seed}"
        kept = self.cache.load(name)
        if kept is not None:
            return kept
        labels = round_.labels
        method = method_from({**learn, "C": strengths[0]} if strengths else learn)
        design = Design(matrix)
        shape = (max(1, len(strengths)), labels.documents, len(labels))
        scores = list(np.empty(shape))
        path = Strengths("C", np.repeat(np.array(strengths)[:, np.newaxis], len(labels), axis=1))
        for learned, held_out in round_.folds[0]:
            weights = np.zeros(labels.documents)
            weights[learned] = 1.0
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
            for values, fit in zip(scores, fits, strict=True):
                values[held_out] = fit.scores(matrix[held_out])
        self.cache.save(name, scores)
        return scores

    def _trial(
        self,
        path: Path,
        learner: str,
        learn: Mapping[str, Any],
        scores: Floats,
        round_: Round,
        strengths: Floats | None = None,
    ) -> Trial:
        value, influences = self._measured(scores, round_.labels, round_.folds[0])
        documents, terms = path.matrix.shape
        size = (terms, path.matrix.nnz / max(1, documents), documents)
        return Trial(path.candidate, learner, learn, strengths, value, influences, *size)

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
        learning = non_zeros * len(self.labels) * FOLDS * FIT_SECONDS
        return float(learning + length * TEXT_SECONDS * (1 + non_zeros / max(length / 8, 1.0)))


def _spread(scores: Floats) -> float:
    """Return the standard deviation of scores less the means of their document and category."""
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    return float(centred.std())


def _promoted(latest: Sequence[Trial], most: int) -> list[Candidate]:
    """Return the best candidates of a round, all with the title apart if that is better."""
    ranked = sorted(latest, key=lambda trial: -trial.value)
    titled = next((t for t in ranked if t.candidate.title is not None), None)
    plain = next((t for t in ranked if titled and t.candidate == _untitled(titled)), None)
    wins = titled is not None and (plain is None or titled.value > plain.value)
    title = titled.candidate.title if titled is not None and wins else None
    best = list(dict.fromkeys(replace(trial.candidate, title=title) for trial in ranked))[:most]
    largest = replace(WITH_CHARACTERS, title=title)
    added = any(each.analyzer == CHARACTERS for each in best) and largest not in best
    return [*best, largest] if added and most == ROUNDS[1][1] else best


def _untitled(trial: Trial) -> Candidate:
    return replace(trial.candidate, title=None)


def _sums(matrix: sp.csr_matrix[Any]) -> Floats:
    sums: Floats = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return sums


class Choice(NamedTuple):
    """The recipe that a search chose.

    Parameters
    ----------
    recipe : Recipe
        The chosen recipe, without ``[auto]``.
    documents : list of Document
        The training documents.
    facts : dict
        The leaderboard and how it was made, for the model.
    strengths : dict, optional
        The C of each category by name, if they differ.
    """

    recipe: Recipe
    documents: list[Document]
    facts: dict[str, Any]
    strengths: dict[str, float] | None = None


def choose_recipe(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
    cache: SearchCache | None = None,
) -> Choice:
    """Search for the best recipe for documents.

    Parameters
    ----------
    documents : iterable of Document
        The documents; those marked test are left out. The others are held in memory.
    recipe : Recipe
        A recipe with ``[auto]``.
    threads, seed, progress, notify
        As for :func:`postil.train.train.train`.
    cache : SearchCache, optional
        Where the scores of finished trials are kept until the search has ended.
    """
    training = [document for document in documents if document.split != "test"]
    cache = cache or SearchCache()
    cache.begin(training, recipe)
    search = AutoSearch(training, recipe, threads, seed, progress, cache)
    latest = search.run()
    if not latest:
        return Choice(replace(recipe, auto=None), training, {})
    taken = simplest_of_best(latest)
    board = sorted(search.trials, key=lambda trial: (-trial.documents, -trial.value))
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
        notify(_sentence(taken, search))
    chosen = replace(taken.candidate.applied(recipe), learn=taken.learn)
    if taken.strengths is None:
        return Choice(chosen, training, facts)
    names = search.labels.names
    return Choice(chosen, training, facts, dict(zip(names, taken.strengths.tolist(), strict=True)))


def _sentence(taken: Trial, search: AutoSearch) -> str:
    ended = f"; the search ended early: {search.ended}" if search.ended else ""
    strength = f", C = {taken.learn['C']:g}" if "C" in taken.learn and not taken.learner else ""
    return (
        f"chose {taken}{strength}, of {len(search.trials)} trials: "
        f"{search.measure} {100 * taken.value:.1f} ± {196 * taken.error():.1f} % on "
        f"{taken.documents:,} held-out documents{ended}"
    )
