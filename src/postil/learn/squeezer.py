"""Squeezer: a categorizer of few terms (genkin-lewis-madigan-2004, section 7).

The strength is chosen by cross-validation among those by which a category keeps at most, or
exactly, so many terms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from postil.errors import UsageError
from postil.learn.category_tasks import Progress
from postil.learn.search import LambdaSearch
from postil.learn.search_grids import check_whole
from postil.learn.search_kinds import problems_of
from postil.learn.search_methods import SearchedMethod
from postil.learn.search_result import SearchResult
from postil.learn.search_run import Searcher, SearchRun
from postil.learn.squeezing import Squeeze


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
