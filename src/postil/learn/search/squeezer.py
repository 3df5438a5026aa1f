"""Squeezer: a categorizer of few terms (genkin-lewis-madigan-2004, section 7).

The strength is chosen by cross-validation among those by which a category keeps at most, or
exactly, so many terms.

The steps of a search under a limit of terms, after the search itself; see ``Squeezer``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.learn.fit import LinearFit
from postil.learn.search.folds import Squeezed
from postil.learn.search.grids import check_whole, weaker
from postil.learn.search.measures import Measured, choose
from postil.learn.search.methods import SearchedMethod
from postil.learn.search.one_vs_rest import Problems
from postil.learn.search.result import SearchResult
from postil.learn.search.run import Searcher, SearchRun, problems_of
from postil.learn.search.search import LambdaSearch

# Halvings between a strength that keeps few enough terms and one that keeps too many; they end
# sooner where the two are this near each other.
HALVINGS = 24
NEAR = 1e-4
# How much stronger, where the last fit keeps a term too many after all.
TIGHTER, MOST_TIGHTER = 1.02, 1e12
# Weaker strengths beyond the grid, for a category that has not reached exactly so many terms.
BEYOND = 0.1
MOST_BEYOND = 3


class Squeeze:
    """One search under a limit, after the search is over."""

    def __init__(self, most: int, run: SearchRun, free: SearchResult, *, exactly: bool) -> None:
        self.most = most
        self.exactly = exactly
        self.run = run
        self.way = run.search.over
        self.share = run.problems.method.share
        self.free = free
        problems = run.fits.of_all()
        assert isinstance(problems, Problems)  # Squeezer has refused others
        self.problems = problems
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
        """Choose under the limit, and say what it cost."""
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
        """How many terms all documents keep: points × categories."""
        counts = np.zeros(values.shape, dtype=np.int64)
        for block, fits in self.problems.paths(self.way, values):
            for point, fit in enumerate(fits):
                counts[point, block] = terms_kept(fit)
        return counts

    def _at_free_choice(self) -> tuple[Floats, Ints]:
        """The measure and the terms of the strengths chosen without a limit."""
        places = np.argmin(np.abs(np.log(self.tried) - np.log(self.free.chosen)), axis=0)
        columns = np.arange(self.categories)
        return self.values[places, columns], self.terms[places, columns]

    def _take_allowed(self, category: int) -> bool:
        """Take the best strength of the grid that is allowed; whether to look between them."""
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
        """The place of the best allowed strength, by what the free choice went by."""
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
        """Look between the grid's strengths, for those categories that may gain by it."""
        low, kept, high = self._brackets(wanting)
        low, kept = self._halved(wanting, low, kept, high)
        values = self._measured(low, wanting)
        for at, c in enumerate(wanting.tolist()):
            if self._is_preferred(c, int(kept[at]), float(values[at])):
                self._take(c, low[at], values[at])

    def _is_preferred(self, category: int, kept: int, value: float) -> bool:
        """Whether a strength between those of the grid is better than what was taken."""
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
        """A strength that keeps few enough terms, how many, and one that keeps too many, or nan."""
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
            further = weaker(low[open_ended], BEYOND, self.way, self.share)
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
        return self.problems.of(categories).cold(self.way, strengths)

    def _measured(self, strengths: Floats, categories: Ints) -> Floats:
        """What the held-out documents say of one strength for each of these categories."""
        tried = strengths[None, :]
        found = self.run.fits.tallies(self.way, tried, categories)
        known = np.ones(tried.shape, dtype=np.bool_)
        measured = Measured(self.measure, tried, found.counts, known, found.unfinished)
        values: Floats = measured.by_category()[0][0]
        return values

    def _verify(self) -> None:
        """Learn as the last fit will; raise the strength where a term is too many."""
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
            self.chosen[checked] = weaker(self.chosen[checked], factor, self.way, self.share)
            factor *= factor
        changed = np.array(sorted(tightened), dtype=np.int64)
        if len(changed):
            self.held_out[changed] = self._measured(self.chosen[changed], changed)

    def _refuse(self, category: int) -> None:
        raise UsageError(
            f"the category {self.free.names[category]} keeps {self.kept[category]} terms at any "
            f"strength, and most_terms is {self.most}: their priors hold them (a mean other than "
            "0, or an infinite variance); change those, or allow more terms"
        )


def terms_kept(fit: LinearFit) -> Ints:
    """How many terms each category's weights keep; the constant is none of them."""
    return np.array([report.nonzeros for report in fit.reports], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Squeezer(Searcher):
    """At most ``most_terms`` terms for each category, or ``exactly`` so many, by a search.

    1. The search measures its strengths on documents held out.
    2. All documents say how many terms each strength keeps: allowed are those within the limit.
    3. The best allowed strength is taken. Where it is the weakest allowed one, or the best of all
       is not allowed, the limit binds: by halving the interval between the weakest allowed and the
       next, a strength is found that keeps as many terms as it may, and taken if it is better on
       the documents held out. If no strength of the grid is allowed, or exactly so many terms are
       wanted, it is taken in any case.
    4. The model of all documents is learned as the last one will be, and counted. Should it have
       a term too many, the strength is raised until it has not.

    Where no strength keeps exactly so many terms (two may come in at once), the most below it are
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

    def check(self, method: SearchedMethod) -> None:
        """Refuse a prior that lets no term go, and what the search cannot measure."""
        problems_of(method).check_apart("most_terms")
        if method.share == 0:
            raise UsageError(
                f"most_terms needs a prior that leaves terms out, and "
                f"{_prior_of(method)} keeps all: "
                'take the prior "laplace" or "elastic-net" with the solver "newton-coordinate", '
                "or choose terms beforehand with [selection]"
            )
        self.search.check(method)

    @property
    def _search(self) -> LambdaSearch:
        return self.search

    def _found(self, run: SearchRun, progress: Progress | None) -> SearchResult:
        free = run.result(progress)
        return Squeeze(self.most_terms, run, free, exactly=self.exactly).result()


def _prior_of(method: SearchedMethod) -> str:
    """Its name; what has no choice has a Gaussian one."""
    return str(getattr(method, "prior", "gaussian"))
