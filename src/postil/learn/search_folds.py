"""What a search sees: fits of its folds, measured on the documents they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.emphasis import Emphasis
from postil.learn.fold_parts import Cut, make_parts
from postil.learn.search_problems import Measure, SearchedProblems, Unseen
from postil.learn.strength import Way
from postil.learn.term_priors import TermPriors

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
SelectionOf = Callable[[Rows], Selection | None]
PriorsOf = Callable[[Emphasis], TermPriors | None]

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
        self.documents = problems.emphasis.of_documents(problems.design.documents)
        self.present = np.flatnonzero(self.documents)
        part = make_parts(problems.labels.of_documents(self.present), folds, seed, cut)
        self.held_out = [self.present[part == number] for number in range(rounds)]
        self._selection_of = selection_of
        self._priors_of = priors_of
        self._learned: dict[int, SearchedProblems] = {}

    @property
    def rounds(self) -> Rows:
        """The numbers of the folds that are run."""
        return np.arange(len(self.held_out))

    def tallies(
        self,
        way: Way,
        values: Floats,
        chosen: Rows,
        progress: Progress | None = None,
        rounds: Rows | None = None,
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

    def _unseen(self, problems: SearchedProblems, held_out: Rows) -> Unseen:
        members = problems.labels.members[held_out].toarray().astype(bool)
        return Unseen(problems.design.rows[held_out], members, self.documents[held_out])

    def of_all(self) -> SearchedProblems:
        """What all documents learn from; their terms are selected once."""
        if ALL not in self._learned:
            self._learned[ALL] = self._prepared(self.problems.emphasis, self.present)
        return self._learned[ALL]

    def _of_round(self, number: int) -> SearchedProblems:
        """What a fold learns from; its terms are selected once."""
        if number not in self._learned:
            weights = self.documents.copy()
            weights[self.held_out[number]] = 0.0
            emphasis = replace(self.problems.emphasis, documents=weights)
            self._learned[number] = self._prepared(emphasis, np.flatnonzero(weights))
        return self._learned[number]

    def _prepared(self, emphasis: Emphasis, rows: Rows) -> SearchedProblems:
        return replace(
            self.problems,
            emphasis=emphasis,
            selection=None if self._selection_of is None else self._selection_of(rows),
            priors=None if self._priors_of is None else self._priors_of(emphasis),
        )
