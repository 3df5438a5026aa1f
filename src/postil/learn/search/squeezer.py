"""Squeezer: a categorizer of few terms (genkin-lewis-madigan-2004, section 7)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.learn import one_vs_rest
from postil.learn.fit import LinearFit
from postil.learn.job import Job
from postil.learn.method import BaseMethod, Method
from postil.learn.search.folds import SelectionOf
from postil.learn.search.grids import check_whole, weaker
from postil.learn.search.result import Measured, SearchResult, choose, plain
from postil.learn.search.search import LambdaSearch, SearchRun, finished
from postil.learn.strength import Strengths

# Halvings between a strength that keeps few enough terms and one that keeps too many; they end
# sooner where the two are this near each other.
HALVINGS = 24
NEAR = 1e-4
# How much stronger, where the last fit keeps a term too many after all.
TIGHTER, MOST_TIGHTER = 1.02, 1e12
# Weaker strengths beyond the grid, for a category that has not reached exactly so many terms.
BEYOND = 0.1
MOST_BEYOND = 3


@dataclass(frozen=True, slots=True, eq=False)
class Squeezed:
    """The result of a limit of terms for each category.

    ``terms`` counts the terms that each category's model keeps, without the constant. ``held_out``
    is the measure of its strength. Without a limit, the strength would be ``free``, the measure
    ``free_held_out`` and the number of terms ``free_terms``. ``given_up`` is how much worse the
    limit makes the measure: below 0 where it is better.
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
        """Return the values of a category."""
        return {
            "terms": int(self.terms[category]),
            "held_out": plain(self.held_out[category]),
            "free": float(self.free[category]),
            "free_terms": int(self.free_terms[category]),
            "free_held_out": plain(self.free_held_out[category]),
            "given_up": plain(self.given_up[category]),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the limit and what it costs all categories."""
        return {
            "most_terms": self.most_terms,
            "exactly": self.exactly,
            "most_reached": int(self.terms.max(initial=0)),
            "mean_terms": float(self.terms.mean()) if len(self.terms) else 0.0,
            "mean_given_up": _mean(self.given_up),
        }

    def notes(self, names: Sequence[str], measure: str) -> list[str]:
        """Return the limit in words; with ``exactly``, also which categories have fewer."""
        limit = f"{'exactly' if self.exactly else 'at most'} {self.most_terms}"
        word = "term" if self.most_terms == 1 else "terms"
        lost = _mean(self.given_up)
        cost = "" if lost is None else f"; {measure} given up: {lost:.4f} on average"
        notes = [f"{limit} {word}: {self._reached()} kept{cost}"]
        fewer = np.flatnonzero(self.terms < self.most_terms)
        if self.exactly and len(fewer):
            shown = ", ".join(f"{names[c]} ({self.terms[c]})" for c in fewer[:5])
            notes.append(
                f"no strength was found that keeps exactly {self.most_terms}, so that fewer are "
                f"kept: {shown}{', …' if len(fewer) > 5 else ''}"
            )
        return notes

    def _reached(self) -> str:
        most = int(self.terms.max(initial=0))
        least = int(self.terms.min(initial=most))
        return f"{most}" if least == most else f"{least} to {most}"


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None


class Squeeze:
    """A choice of strengths under a limit, after a search."""

    def __init__(self, most: int, run: SearchRun, free: SearchResult, *, exactly: bool) -> None:
        self.most = most
        self.exactly = exactly
        self.run = run
        self.way = run.search.over
        assert isinstance(run.method, Method)  # Squeezer.check refuses others
        self.method = run.method
        self.free = free
        self.job = replace(run.fits.of_all(), progress=None)
        self.measure = run.fits.measure
        self.categories = len(free.names)
        self.tried = free.tried
        self.terms = self._terms_of_paths(self.tried)
        self.values = free.values_by_category
        self.free_values, self.free_terms = self._at_free_choice()
        # What is chosen, how many terms it keeps, and what the held-out documents say of it.
        self.chosen = free.chosen.copy()
        self.kept = np.zeros(self.categories, dtype=np.int64)
        self.held_out = np.full(self.categories, np.nan)

    def result(self) -> SearchResult:
        """Choose under the limit, and return what it costs."""
        wanting = np.array([c for c in range(self.categories) if self._take_allowed(c)], dtype=int)
        if len(wanting):
            self._squeeze(wanting)
        self._verify()
        limit = Squeezed(
            most_terms=self.most,
            exactly=self.exactly,
            terms=self.kept,
            held_out=self.held_out,
            free=self.free.chosen,
            free_terms=self.free_terms,
            free_held_out=self.free_values,
            higher_is_better=self.measure.higher_is_better,
        )
        return replace(self.free, chosen=self.chosen, squeezed=limit)

    def _terms_of_paths(self, values: Floats) -> Ints:
        """Return how many terms each strength keeps for all documents: points × categories."""
        counts = np.zeros(values.shape, dtype=np.int64)
        job = replace(self.job, strengths=Strengths(self.way, values))
        for block, fits in one_vs_rest.paths(job, self.method):
            for point, fit in enumerate(fits):
                counts[point, block] = terms_kept(fit)
        return counts

    def _at_free_choice(self) -> tuple[Floats, Ints]:
        """Return the measure and the terms of the strengths chosen without a limit."""
        places = np.argmin(np.abs(np.log(self.tried) - np.log(self.free.chosen)), axis=0)
        columns = np.arange(self.categories)
        return self.values[places, columns], self.terms[places, columns]

    def _take_allowed(self, category: int) -> bool:
        """Take the best allowed strength of the grid; return whether to look between them."""
        terms = self.terms[:, category]
        allowed = terms <= self.most
        exact = terms == self.most
        if self.exactly and exact.any():
            allowed = exact
        if allowed.any():
            pick = self._best_of(category, allowed)
            self._take(category, self.tried[pick, category], self.values[pick, category])
        if self.exactly:
            return not exact.any()
        if not allowed.any():
            return True
        weakest = int(np.flatnonzero(allowed)[-1])
        if weakest == len(allowed) - 1 or terms[weakest] == self.most:
            return False
        return pick == weakest or bool(self.free_terms[category] > self.most)

    def _best_of(self, category: int, allowed: NDArray[np.bool_]) -> int:
        """Return the place of the best allowed strength, by the criterion of the free choice."""
        free = self.free
        errors = None
        if free.fell_back[category] or free.tied[category]:
            # It went by others: the nearest to what they have chosen.
            worth = -np.abs(np.log(self.tried[:, category]) - np.log(free.chosen[category]))
        else:
            values, spread = self.values[:, category], free.standard_errors_by_category[:, category]
            if free.shared:
                values, spread = free.values, free.standard_errors
            worth = values if self.measure.higher_is_better else -values
            errors = spread if free.one_standard_error else None
        masked = np.where(allowed & ~np.isnan(worth), worth, -np.inf)
        # Of allowed ones that say nothing the strongest.
        return choose(masked, errors) if np.isfinite(masked).any() else int(np.argmax(allowed))

    def _take(self, category: int, strength: float, value: float) -> None:
        self.chosen[category] = strength
        self.held_out[category] = value

    def _squeeze(self, wanting: Ints) -> None:
        """Look between the grid's strengths for the categories that may gain by it."""
        low, kept, high = self._brackets(wanting)
        low, kept = self._halved(wanting, low, kept, high)
        values = self._measured(low, wanting)
        for at, c in enumerate(wanting.tolist()):
            if self._is_preferred(c, int(kept[at]), float(values[at])):
                self._take(c, low[at], values[at])

    def _is_preferred(self, category: int, kept: int, value: float) -> bool:
        """Return whether a strength between those of the grid is better than the one taken."""
        terms = self.terms[:, category]
        allowed = terms <= self.most
        if not allowed.any():
            return True
        if self.exactly:
            most = int(terms[allowed].max())
            if kept <= most:
                pick = self._best_of(category, terms == most)
                self._take(category, self.tried[pick, category], self.values[pick, category])
            return kept > most
        gain = value - float(self.held_out[category])
        return gain > 0 if self.measure.higher_is_better else gain < 0

    def _brackets(self, wanting: Ints) -> tuple[Floats, Ints, Floats]:
        """Return a strength that keeps few enough terms, their number, and one that keeps too many.

        The last is nan if there is none.
        """
        low = self.run.strongest()[wanting]  # keeps none
        kept = np.zeros(len(wanting), dtype=np.int64)
        high = np.full(len(wanting), np.nan)
        for at, c in enumerate(wanting.tolist()):
            allowed = np.flatnonzero(self.terms[:, c] <= self.most)
            following = int(allowed[-1]) + 1 if len(allowed) else 0
            if len(allowed):
                low[at], kept[at] = self.tried[allowed[-1], c], self.terms[allowed[-1], c]
            if following < len(self.tried):
                high[at] = self.tried[following, c]
        for _ in range(MOST_BEYOND):
            open_ended = np.flatnonzero(np.isnan(high) & (kept < self.most))
            if not len(open_ended):
                break
            further = weaker(low[open_ended], BEYOND, self.way, self.method.share)
            terms = terms_kept(self._cold(further, wanting[open_ended]))
            inside = terms <= self.most
            low[open_ended[inside]] = further[inside]
            kept[open_ended[inside]] = terms[inside]
            high[open_ended[~inside]] = further[~inside]
        return low, kept, high

    def _halved(self, wanting: Ints, low: Floats, kept: Ints, high: Floats) -> tuple[Floats, Ints]:
        """Halve until the limit is reached exactly, or two strengths are next to each other."""
        for _ in range(HALVINGS):
            apart = np.abs(np.log(low / high)) > NEAR  # not where high is nan
            going = np.flatnonzero(apart & (kept < self.most))
            if not len(going):
                break
            middle = np.sqrt(low[going] * high[going])
            terms = terms_kept(self._cold(middle, wanting[going]))
            inside = terms <= self.most
            low[going[inside]], kept[going[inside]] = middle[inside], terms[inside]
            high[going[~inside]] = middle[~inside]
        return low, kept

    def _cold(self, strengths: Floats, categories: Ints) -> LinearFit:
        """Learn without a warm start, as the last fit of a training."""
        given = Strengths(self.way, strengths)
        return one_vs_rest.fit(
            replace(self.job.of_categories(categories), strengths=given), self.method
        )

    def _measured(self, strengths: Floats, categories: Ints) -> Floats:
        """Return the measure of one strength for each of these categories."""
        tried = strengths[None, :]
        found = self.run.fits.tallies(Strengths(self.way, tried), categories)
        known = np.ones(tried.shape, dtype=np.bool_)
        measured = Measured(self.measure, tried, found.counts, known, found.unfinished)
        values: Floats = measured.by_category()[0][0]
        return values

    def _verify(self) -> None:
        """Learn as the last fit will; raise the strength of categories with too many terms."""
        checked = np.arange(self.categories)
        tightened: set[int] = set()
        factor = TIGHTER
        while len(checked):
            terms = terms_kept(self._cold(self.chosen[checked], checked))
            self.kept[checked] = terms
            checked = checked[terms > self.most]
            tightened.update(checked.tolist())
            if len(checked) and factor > MOST_TIGHTER:
                self._refuse(int(checked[0]))
            self.chosen[checked] = weaker(self.chosen[checked], factor, self.way, self.method.share)
            factor *= factor
        changed = np.array(sorted(tightened), dtype=np.int64)
        if len(changed):
            self.held_out[changed] = self._measured(self.chosen[changed], changed)

    def _refuse(self, category: int) -> None:
        raise UsageError(
            f"the category {self.free.names[category]} keeps {self.kept[category]} terms at any "
            f"strength, and most_terms is {self.most}: per-term priors keep them (a mean other "
            "than 0, or an infinite variance); change those priors, or allow more terms"
        )


def terms_kept(fit: LinearFit) -> Ints:
    """Return how many terms each category's weights keep, without the constant."""
    return np.array([report.nonzeros for report in fit.reports], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Squeezer:
    """A search that keeps at most, or exactly, ``most_terms`` terms for each category.

    1. The search measures its strengths on documents held out.
    2. Fits to all documents count the terms that each strength keeps; strengths within the limit
       are allowed.
    3. The best allowed strength is taken. Where it is the weakest allowed one, or the best of all
       is not allowed, the limit binds: halving the interval between the weakest allowed and the
       next finds a strength that keeps as many terms as allowed, which is taken if it is better on
       the documents held out. If no strength of the grid is allowed, or ``exactly`` is set, it is
       taken in any case.
    4. The model of all documents is learned as the last one will be, and its terms are counted. If
       there are too many, the strength is raised.

    Where no strength keeps exactly that many terms (two may come in at once), the most below are
    kept, and the result says so. The constant is no term. The decision rule's out-of-fold fits
    have the same strength, not the same terms.

    Cost besides the search: a path of all documents, and where the limit binds up to 24 fits of a
    category and one more path of a point.
    """

    most_terms: int
    exactly: bool = False
    search: LambdaSearch = field(default_factory=lambda: LambdaSearch("auto", shared=False))

    def __post_init__(self) -> None:
        check_whole("most_terms", self.most_terms, 1)

    def check(self, method: BaseMethod) -> None:
        """Raise UsageError if the prior keeps every term, or the search cannot measure it."""
        method.check_own_strengths("most_terms")
        if method.share == 0:
            prior = getattr(method, "prior", "gaussian")
            raise UsageError(
                f"most_terms needs a prior that leaves terms out, and {prior} keeps all: take the "
                'prior "laplace" or "elastic-net" with the solver "newton-coordinate", or choose '
                "terms beforehand with [selection]"
            )
        self.search.check(method)

    def run(
        self, job: Job, method: BaseMethod, *, selection_of: SelectionOf | None = None
    ) -> SearchResult:
        """Search as :meth:`LambdaSearch.run` does, and choose under the limit."""
        began = time.perf_counter()
        self.check(method)
        run = SearchRun(self.search, job, method, selection_of)
        squeeze = Squeeze(self.most_terms, run, run.result(), exactly=self.exactly)
        return finished(squeeze.result(), began, quiet=job.quiet)
