"""The strength of regularization by cross-validation.

zhang-oles-2001, section 4.1; genkin-lewis-madigan-2004, section 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from postil.common.progress import Progress
from postil.errors import UsageError
from postil.learn.search.folds import CUTS, Cut
from postil.learn.search.grids import (
    AUTO,
    PAPER_GRID,
    WAYS,
    check_spacing,
    check_whole,
    checked_grid,
)
from postil.learn.search.measures import measure_for
from postil.learn.search.methods import SearchedMethod
from postil.learn.search.result import SearchResult
from postil.learn.search.run import Searcher, SearchRun, problems_of
from postil.learn.strength import Way

__all__ = ["PAPER_GRID", "LambdaSearch"]


@dataclass(frozen=True, slots=True)
class LambdaSearch(Searcher):
    """K-fold cross-validation over a grid of strengths, one set of folds for all of them.

    The defaults are zhang-oles-2001's: 5 folds, λ = 10^-k for k = 0..6, one λ for all categories
    (``shared``; otherwise each gets its own). Equal values go to the stronger regularization,
    but a category whose values are all equal takes the one that is best for all together;
    ``one_standard_error`` takes the strongest within one standard error of the best.

    ``over`` says what the numbers of the grid are: ``lam``, ``C`` or ``prior_variance``. λ goes
    with the average loss, the other two with its sum: the C that is best for the documents of a
    fold is kept for all documents, and means a λ as much smaller as there are more of them.
    Without a grid it is the way's own (``usual_grid``). Only the first ``rounds`` folds are run:
    2 of 10 is genkin-lewis-madigan-2004's. By default every category keeps its share in every
    fold, and one with too few members for that takes what is best for all together; with ``cut =
    "random"``, as in that paper, documents go to folds whatever their categories, and every
    category chooses by what its folds happen to hold.

    Without a ``measure`` it is F1. A polychotomous method has one model and so one strength for all
    classes; its measure, if none is given, is the log-likelihood under softmax.

    The grid ``"auto"`` needs to know nothing: ``points`` strengths evenly spaced by their
    logarithms, from the strongest useful one (see ``strongest``) down to ``ratio`` times its λ
    (10^-4, or 10^-5 with a Gaussian prior), given up where it clearly becomes worse, and then
    four more around the best. Each category has a path of its own, or, if ``shared``, all have
    that of the strongest.
    """

    grid: Sequence[float] | str | None = None
    folds: int = 5
    shared: bool = True
    measure: str | None = None
    seed: int = 0
    one_standard_error: bool = False
    over: Way = "lam"
    rounds: int | None = None
    points: int = 20
    ratio: float | None = None
    cut: Cut = "stratified"

    def __post_init__(self) -> None:
        if self.over not in WAYS:
            raise UsageError(f"over is one of {', '.join(WAYS)}, not {self.over!r}")
        if self.grid is not None and self.grid != AUTO:
            object.__setattr__(self, "grid", checked_grid(self.grid))
        if not isinstance(self.cut, str) or self.cut not in CUTS:
            raise UsageError(f"cut is one of {', '.join(CUTS)}, not {self.cut!r}")
        check_whole("folds", self.folds, 2)
        check_spacing(self.points, self.ratio)
        if self.rounds is not None:
            check_whole("rounds", self.rounds, 1)
            if self.rounds > self.folds:
                raise UsageError(
                    f"rounds are the folds that are run: at most {self.folds}, not {self.rounds}"
                )
        if self.measure is not None:
            measure_for(self.measure)

    def check(self, method: SearchedMethod) -> None:
        """Refuse a method that the measure cannot be taken of, or that has one strength for all."""
        kind = problems_of(method)
        kind.measure(self.measure, method)
        kind.check_way(self.over, method)
        if self.cut == "random" and getattr(method, "reference", None) is not None:
            raise UsageError(
                'cut = "random" may leave a fold without the reference class: take a stratified '
                "cut, or no reference"
            )
        if not self.shared:
            kind.check_apart("shared = false")

    @property
    def _search(self) -> LambdaSearch:
        return self

    def _found(self, run: SearchRun, progress: Progress | None) -> SearchResult:
        return run.result(progress)
