"""What a search learns, whatever the method: the problems of some documents, along strengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from postil.common.progress import Progress
from postil.common.types import Flags, Floats, Ints
from postil.errors import UsageError
from postil.features.inputs import Csr
from postil.features.selection import Selection
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.search.methods import SearchedMethod
from postil.learn.strength import Way
from postil.learn.term_priors.priors import TermPriors


class Measure(Protocol):
    """What numbers of held-out documents, added up over folds and categories, come to."""

    @property
    def name(self) -> str:
        """As a recipe has it."""

    @property
    def value(self) -> Callable[[Floats], Floats]:
        """The measure of such numbers, which are on the last axis."""

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better."""


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """Documents that fits have not learned from: rows, memberships and weights."""

    rows: Csr
    members: Flags
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SearchedProblems:
    """What some documents teach by some method: one problem a category, or one for all.

    ``usual_measure`` is what a search goes by if it is not told.
    """

    design: Design
    labels: Labels
    method: SearchedMethod
    sample_weights: SampleWeights
    selection: Selection | None = None
    priors: TermPriors | None = None
    threads: int | None = None

    usual_measure: ClassVar[str]

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:
        """The measure of that name, or the usual one; refused where it cannot be taken."""
        raise NotImplementedError

    @classmethod
    def check_way(cls, way: Way, method: SearchedMethod) -> None:
        """Refuse strengths said in a way that the method's prior does not have."""

    @classmethod
    def check_apart(cls, wanted: str) -> None:
        """Refuse what is wanted where categories cannot have a strength each."""

    def check(self) -> None:
        """Refuse documents that cannot be learned from."""
        if self.labels.documents != self.design.documents:
            raise UsageError(
                f"there are {self.design.documents} documents and labels of {self.labels.documents}"
            )

    def of(self, chosen: Ints) -> SearchedProblems:
        """The problems of some categories."""
        raise NotImplementedError

    def tallies(
        self,
        measure: str,
        unseen: Unseen,
        way: Way,
        values: Floats,
        progress: Progress | None = None,
    ) -> tuple[Floats, Ints]:
        """Learn with points × categories strengths, and measure on documents not seen.

        What the measure counts is points × categories × its numbers; the other array counts the
        fits that ran out of iterations, points × categories. ``progress`` is told how much of how
        much is done.
        """
        raise NotImplementedError

    def cold(self, way: Way, values: Floats) -> LinearFit:
        """The fit that has no other before it, as the last of a training is."""
        raise NotImplementedError

    def strongest(self, way: Way) -> Floats:
        """The strongest useful strength of each category: where a path begins."""
        raise NotImplementedError
