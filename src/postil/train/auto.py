"""Choose representation, learner and strength on folds of the training documents.

``[auto]`` in a recipe asks for a search by successive halving. All representations are tried on
some of the documents, the best of them on more, and the last two on as many as the budget allows,
with several strengths; then other learners are tried on the best of these. Candidates of a round
have the same documents and folds, so that differences are paired, and near copies of a document are
in its fold. The cheapest candidate within one standard error of the best is taken.

The plan depends on the documents and the budget alone, by estimates of work, so that the same
documents give the same model on any machine. The clock only ends a search that takes twice its
budget. Where progress is shown, Ctrl-C ends it too, and training goes on with the best candidate
so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from postil.common.progress import Notify, StepProgress, no_progress
from postil.common.threads import one_blas_thread
from postil.corpus.document import Document
from postil.learn.merit.figures import FBeta
from postil.learn.merit.naming import figure_named
from postil.recipes.parts import ONE_LABEL
from postil.recipes.recipe import WITHOUT_SEARCH, Recipe
from postil.text.detection import stemmer_for
from postil.train.candidates import (
    Candidate,
    Trial,
    promoted,
    representations,
    short_fields,
    simplest_of_best,
    with_characters,
)
from postil.train.reading import labels_of
from postil.train.search_cache import SearchCache
from postil.train.trial_round import ACCURACY, FOLDS, MACRO_F1, MICRO_F1, Path, Round
from postil.vectors.vectorizer import TextChunk

# Shares of the budget for the rounds, and the number of candidates that enter each.
ROUNDS = ((0.3, None), (0.2, 3), (0.5, 2))
# The work of the last round for one candidate, in units of a fit with one strength.
LAST_ROUND = 3.3
FEWEST_DOCUMENTS = 60
SAMPLE = 400
MOST_SCORES = 5_000_000
# Seconds on two cores for a non-zero of one category in one fold, and for a byte of text.
FIT_SECONDS, TEXT_SECONDS = 6.5e-9, 6e-8
OVERRUN = 2.0
INTERRUPTED = "it was interrupted"


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
        self.labels = labels_of(documents)
        decide = recipe.for_documents(self.labels.is_single_label).decide
        self.single = decide.rule == ONE_LABEL
        self.measure = ACCURACY if self.single else MICRO_F1
        aim = None if recipe.aim is None else figure_named(recipe.aim.measure)
        if isinstance(aim, FBeta) and not aim.pooled:
            self.measure = MACRO_F1
        self._deadline = time.monotonic() + OVERRUN * self.budget
        self.trials: list[Trial] = []
        self.ended = ""
        self.copies = 0

    def run(self) -> list[Trial]:
        """Return the trials of the last round; none if documents are few.

        If a round was ended early, it counts only if it is the first.
        """
        latest: list[Trial] = []
        if len(self._documents) < FEWEST_DOCUMENTS or len(self.labels) == 0:
            return latest
        stemmer = self._stemmer()
        entered = list(representations(stemmer))
        titles = short_fields(self._documents[:SAMPLE])
        entered[1:1] = [replace(entered[0], title=title) for title in titles]
        spared = 0.0
        for number, (share, most) in enumerate(ROUNDS):
            final = number == len(ROUNDS) - 1
            if most is not None:
                largest = with_characters(stemmer) if most == ROUNDS[1][1] else None
                entered = promoted(latest, most, largest)
            seconds = sum(map(self._size, entered)) * (LAST_ROUND if final else 1.0)
            spared += share * self.budget
            rows = int(min(len(self._documents), spared / seconds))
            rows = min(rows, MOST_SCORES // max(1, len(self.labels)))
            if rows < FEWEST_DOCUMENTS:
                self.ended = "the budget allows too few documents"
                break
            kept: list[Trial] = []
            if latest and not final and rows <= latest[0].documents:
                # Known candidates would show nothing new; what is not spent goes to the last round.
                kept, known = latest, {trial.candidate for trial in latest}
                entered = [each for each in entered if each not in known]
                if rows < latest[0].documents or not entered:
                    continue
            spared -= sum(map(self._size, entered)) * rows * (LAST_ROUND if final else 1.0)
            before = len(self.trials)
            finished = self._round(entered, rows, final)
            if finished or not latest:
                latest = kept + self.trials[before:]
            if not finished:
                break
        return latest

    def _round(self, entered: Sequence[Candidate], rows: int, final: bool) -> bool:
        """Try candidates on so many documents; return False if some were not tried."""
        chosen = np.sort(self._order[:rows])
        documents = [self._documents[row] for row in chosen.tolist()]
        labels = self.labels.of_documents(chosen)
        settings = (self.single, self.measure, self.threads, self.seed, self.cache)
        round_ = Round(self.recipe, documents, labels, *settings)
        paths: list[Path] = []
        finished = False
        try:
            for number, candidate in enumerate(entered):
                if self._is_late(str(candidate), number, len(entered)):
                    return False
                matrix = round_.matrix(candidate)
                self.copies = round_.copies
                if matrix is not None:
                    paths.append(round_.path(candidate, matrix, final=final))
                    self.trials += paths[-1].trials.values()
            finished = True
            if final and paths:
                self._other_learners(paths, round_)
        except KeyboardInterrupt:
            if self.progress is no_progress:
                raise  # in a program, where nobody would learn that the search was cut short
            self.ended = INTERRUPTED
        return finished

    def _other_learners(self, paths: Sequence[Path], round_: Round) -> None:
        """Try other learners on the leader; sums on all candidates if they take little time."""
        leader = max(paths, key=lambda path: path.trials[path.best].value)
        summed = paths if self.single else [leader]
        for number, path in enumerate(summed):
            if self._is_late(f"sums on {path.candidate}", number, len(summed) + 1):
                return
            self.trials += round_.sums(path)
        if not self._is_late("logistic loss", len(summed), len(summed) + 1):
            self.trials.append(round_.logistic(leader))

    def _is_late(self, name: str, number: int, count: int) -> bool:
        """Show what is tried next, and return True if the time is over."""
        leader = max(self.trials, key=lambda trial: trial.value, default=None)
        best = f"; best {leader}, {leader.value:.3f}" if leader else ""
        self.progress(f"trying {name}{best}", number, count)
        if time.monotonic() > self._deadline:
            self.ended = "it took twice its budget"
        return bool(self.ended)

    def _sample(self) -> list[Document]:
        return [self._documents[row] for row in self._order[:SAMPLE].tolist()]

    def _stemmer(self) -> str | None:
        """Return the stemmer for the language of the documents."""
        fields = self.recipe.representation.vectorizer(self.threads).fields
        return stemmer_for(chain.from_iterable(fields.columns_of(self._sample())))

    def _size(self, candidate: Candidate) -> float:
        """Return the estimated seconds of one document in all folds."""
        documents = self._sample()
        vectorizer = candidate.applied(self.recipe).representation.vectorizer(self.threads)
        vectorizer.bounds = replace(vectorizer.bounds, min_df=1)
        columns = vectorizer.fields.columns_of(documents)
        non_zeros = vectorizer.fit_transform_chunks([TextChunk(columns)]).nnz / len(documents)
        length = sum(len(text) for column in columns for text in column) / len(documents)
        learning = non_zeros * len(self.labels) * FOLDS * FIT_SECONDS
        return float(learning + length * TEXT_SECONDS * (1 + non_zeros / max(length / 8, 1.0)))


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
    with one_blas_thread():
        latest = search.run()
    if not latest:
        if search.ended and notify is not None:
            notify(f"chose the recipe {WITHOUT_SEARCH} before the first trial: {_early(search)}")
        elif not search.ended and notify is not None and len(search.labels):
            notify(f"chose the recipe {WITHOUT_SEARCH}: the documents are too few for a search")
        return Choice(replace(recipe, auto=None), training, {})
    taken = simplest_of_best(latest)
    # If the last round has no more documents than the first, it repeats some of its trials.
    trials = {(str(each), each.learn.get("C"), each.documents): each for each in search.trials}
    board = sorted(trials.values(), key=lambda trial: (-trial.documents, -trial.value))
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
        notify(_sentence(taken, len(board), search))
    chosen = replace(taken.candidate.applied(recipe), learn=taken.learn)
    if taken.strengths is None:
        return Choice(chosen, training, facts)
    names = search.labels.names
    return Choice(chosen, training, facts, dict(zip(names, taken.strengths.tolist(), strict=True)))


def _early(search: AutoSearch) -> str:
    again = ", and training goes on; Ctrl-C again stops it" if search.ended == INTERRUPTED else ""
    return f"the search ended early: {search.ended}{again}"


def _sentence(taken: Trial, trials: int, search: AutoSearch) -> str:
    ended = f"; {_early(search)}" if search.ended else ""
    strength = f", C = {taken.learn['C']:g}" if "C" in taken.learn and not taken.learner else ""
    return (
        f"chose {taken}{strength}, of {trials} trials: "
        f"{search.measure} {100 * taken.value:.1f} ± {196 * taken.error():.1f} % on "
        f"{taken.documents:,} held-out documents{ended}"
    )
