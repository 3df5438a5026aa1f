"""What a search sees: fits of its folds, measured on the documents they have not seen.

Which fold holds out which document.

What a limit of terms came to: how many terms each category keeps, and what that costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.types import Floats, Ints
from postil.corpus.split import stratify
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Labels, SampleWeights
from postil.learn.search.problems import Measure, SearchedProblems, Unseen
from postil.learn.strength import Way
from postil.learn.term_priors.priors import TermPriors

Cut = Literal["stratified", "random"]


def make_parts(labels: Labels, count: int, seed: int, cut: Cut = "stratified") -> Ints:
    """The fold of each document, from 0 to ``count`` - 1; all are of one size, or one apart.

    ``stratified``: every category keeps its share in every fold. ``random``: whatever the
    categories, so that a fold may have no member of one. The same labels, count, seed and cut give
    the same folds; those by chance are NumPy's, and may change with its version. Time is linear in
    documents, or, stratified, in memberships times folds.
    """
    if labels.documents < count:
        raise UsageError(
            f"{labels.documents} documents cannot be cut in {count} folds: each fold holds out "
            "one document or more"
        )
    return CUTS[cut](labels, count, seed)


def _stratified(labels: Labels, count: int, seed: int) -> Ints:
    names, columns = labels.names, labels.members.indices.tolist()
    bounds = pairwise(labels.members.indptr.tolist())
    sets = ([names[column] for column in columns[start:end]] for start, end in bounds)
    return stratify(sets, [1 / count] * count, seed)


def _random(labels: Labels, count: int, seed: int) -> Ints:
    if seed < 0:
        raise UsageError(f"a random cut wants a seed of 0 or more, not {seed}")
    return np.random.default_rng(seed).permutation(labels.documents) % count


CUTS: dict[Cut, Callable[[Labels, int, int], Ints]] = {
    "stratified": _stratified,
    "random": _random,
}


SelectionOf = Callable[[Ints], Selection | None]
PriorsOf = Callable[[SampleWeights], TermPriors | None]

ALL = -1  # the round that holds out nothing


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """What the measure counts: rounds × points × categories × its numbers.

    ``unfinished`` counts the fits that ran out of iterations, points × categories.
    """

    counts: Floats
    unfinished: NDArray[np.int64]


class HeldOutFits:
    """The folds of a search: one cut of the documents for all strengths and categories.

    A held-out document has weight 0 in its fold's fits, so that all share one matrix. Only the
    first ``rounds`` folds are learned from the others and measured (all of them, unless told).
    """

    def __init__(
        self,
        problems: SearchedProblems,
        measure: Measure,
        *,
        folds: int,
        rounds: int,
        cut: Cut,
        seed: int,
        selection_of: SelectionOf | None,
        priors_of: PriorsOf | None,
    ) -> None:
        self.problems = problems
        self.measure = measure
        self.documents = problems.sample_weights.of_documents(problems.design.documents)
        self.present = np.flatnonzero(self.documents)
        part = make_parts(problems.labels.of_documents(self.present), folds, seed, cut)
        self.held_out = [self.present[part == number] for number in range(rounds)]
        self._selection_of = selection_of
        self._priors_of = priors_of
        self._learned: dict[int, SearchedProblems] = {}

    @property
    def rounds(self) -> Ints:
        """The numbers of the folds that are run."""
        return np.arange(len(self.held_out))

    def tallies(
        self,
        way: Way,
        values: Floats,
        chosen: Ints,
        progress: Progress | None = None,
        rounds: Ints | None = None,
    ) -> Tallies:
        """Measure points × categories strengths, for the ``chosen`` categories.

        ``rounds`` are all of them, or some. ``progress`` is told how many fits of how many are
        done. Cost: for each round a path of the strengths for all categories. Memory: the scores
        of the documents held out, and the weights that the problems hold at a time.
        """
        wanted = (self.rounds if rounds is None else rounds).tolist()
        size = values.size
        left = np.zeros(values.shape, dtype=np.int64)
        found = []
        for at, number in enumerate(wanted):

            def tell(done: int, of: int, before: int = at) -> None:
                assert progress is not None
                progress(before * size + size * done // max(1, of), len(wanted) * size)

            problems = self._of_round(number).of(chosen)
            unseen = self._unseen(problems, self.held_out[number])
            counts, ran_out = problems.tallies(
                self.measure.name, unseen, way, values, tell if progress else None
            )
            found.append(counts)
            left += ran_out
        return Tallies(np.stack(found), left)

    def _unseen(self, problems: SearchedProblems, held_out: Ints) -> Unseen:
        members = problems.labels.members[held_out].toarray().astype(bool)
        return Unseen(problems.design.rows[held_out], members, self.documents[held_out])

    def of_all(self) -> SearchedProblems:
        """What all documents learn from; their terms are selected once."""
        if ALL not in self._learned:
            self._learned[ALL] = self._prepared(self.problems.sample_weights, self.present)
        return self._learned[ALL]

    def _of_round(self, number: int) -> SearchedProblems:
        """What a fold learns from; its terms are selected once."""
        if number not in self._learned:
            weights = self.documents.copy()
            weights[self.held_out[number]] = 0.0
            sample_weights = replace(self.problems.sample_weights, documents=weights)
            self._learned[number] = self._prepared(sample_weights, np.flatnonzero(weights))
        return self._learned[number]

    def _prepared(self, sample_weights: SampleWeights, rows: Ints) -> SearchedProblems:
        return replace(
            self.problems,
            sample_weights=sample_weights,
            selection=None if self._selection_of is None else self._selection_of(rows),
            priors=None if self._priors_of is None else self._priors_of(sample_weights),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Squeezed:
    """At most, or exactly, so many terms for each category.

    ``terms`` are those that each category's model keeps, without the constant. ``held_out`` is the
    measure of its strength, ``free_held_out`` that of the strength it would have without a limit,
    ``free``, by which it would keep ``free_terms``. ``given_up`` is how much worse the limit makes
    it: below 0 where it is better.
    """

    most_terms: int
    exactly: bool
    terms: Ints
    held_out: Floats
    free: Floats
    free_terms: Ints
    free_held_out: Floats
    higher_is_better: bool

    @property
    def given_up(self) -> Floats:
        """The measure given up against the free choice, by category."""
        lost = self.free_held_out - self.held_out
        return lost if self.higher_is_better else -lost

    def row(self, category: int) -> dict[str, Any]:
        """What there is to say of a category."""
        return {
            "terms": int(self.terms[category]),
            "held_out": _plain(self.held_out[category]),
            "free": float(self.free[category]),
            "free_terms": int(self.free_terms[category]),
            "free_held_out": _plain(self.free_held_out[category]),
            "given_up": _plain(self.given_up[category]),
        }

    def to_dict(self) -> dict[str, Any]:
        """The limit, and how it went for all categories."""
        return {
            "most_terms": self.most_terms,
            "exactly": self.exactly,
            "most_reached": int(self.terms.max(initial=0)),
            "mean_terms": float(self.terms.mean()) if len(self.terms) else 0.0,
            "mean_given_up": _mean(self.given_up),
        }

    def notes(self, names: Sequence[str], measure: str) -> list[str]:
        """The limit in words; with ``exactly``, which categories have fewer."""
        limit = f"{'exactly' if self.exactly else 'at most'} {self.most_terms}"
        word = "term" if self.most_terms == 1 else "terms"
        lost = _mean(self.given_up)
        cost = "" if lost is None else f"; {measure} given up: {lost:.4f} on average"
        told = [f"{limit} {word}: {self._reached()} kept{cost}"]
        fewer = np.flatnonzero(self.terms < self.most_terms)
        if self.exactly and len(fewer):
            shown = ", ".join(f"{names[c]} ({self.terms[c]})" for c in fewer[:5])
            told.append(
                f"no strength was found that keeps exactly {self.most_terms}, so that fewer are "
                f"kept: {shown}{', …' if len(fewer) > 5 else ''}"
            )
        return told

    def _reached(self) -> str:
        most = int(self.terms.max(initial=0))
        least = int(self.terms.min(initial=most))
        return f"{most}" if least == most else f"{least} to {most}"


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None
