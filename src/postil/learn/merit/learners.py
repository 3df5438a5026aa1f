"""Training for a figure of merit as a recipe asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.learner_kinds import WithoutTermPriors
from postil.learn.linear_fit import LinearFit
from postil.learn.merit.fit import fit_mfom
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.tree_fit import fit_trees
from postil.learn.merit.tree_method import TreeMethod
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors


class ForAFigure(WithoutTermPriors):
    """What learners that climb a figure of merit answer alike."""

    __slots__ = ()

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: scores are as high as the figure wants them, not log odds."""
        return ()

    @property
    def compares_scores(self) -> bool:
        """Scores are margins: above 0 is a yes for every category."""
        return False

    @property
    def tolerance(self) -> float:
        """None is asked for: a climb that stops before the top holds weights back."""
        return 0.0

    def searched(self) -> NoReturn:
        """There is none: what is climbed is the measure itself."""
        raise UsageError(
            "a search chooses the λ of a convex method, and this learner climbs a figure of merit: "
            "leave [search] out, and give lam in [learn] if weights are to be held back"
        )

    def check_takes_priors(self) -> None:
        """Refuse them."""
        raise UsageError(
            "training for a figure of merit takes no priors of single terms: use the learner linear"
        )

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        emphasis: Emphasis | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,  # noqa: ARG002 - there is nothing to warn of
    ) -> LinearFit:
        """Learn every category; strengths that a search has chosen are refused."""
        if strengths is not None:
            self.searched()
        self.priors(design, emphasis, priors)
        fit = self.fitting()
        return fit(
            design,
            labels,
            selection=selection,
            emphasis=emphasis,
            threads=threads,
            progress=progress,
        )

    def fitting(self) -> Callable[..., LinearFit]:
        """What learns: a fit that knows its method."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class MfomLearner(ForAFigure):
    """Maximal figure-of-merit learning (gao-wu-lee-chua-2003)."""

    method: MfomMethod = field(default_factory=MfomMethod)

    def fitting(self) -> Callable[..., LinearFit]:
        """Training all categories for the figure."""
        return partial(fit_mfom, method=self.method)


@dataclass(frozen=True, slots=True)
class TreeLearner(ForAFigure):
    """A binary tree of linear decisions for each category (gao-wu-lee-chua-2003)."""

    method: TreeMethod = field(default_factory=TreeMethod)

    def fitting(self) -> Callable[..., LinearFit]:
        """Growing the trees of all categories."""
        return partial(fit_trees, method=self.method)
