"""One category against the rest: paths of many, some at a time, which bounds their memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from postil.common.progress import Progress
from postil.common.types import Floats, Ints
from postil.features.selection import Selection
from postil.learn.fit import LinearFit, unfinished
from postil.learn.job import Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit, fit_path
from postil.learn.search.measures import HeldOut, SearchMeasure, measure_for
from postil.learn.search.methods import SearchedMethod
from postil.learn.search.problems import Measure, SearchedProblems, Unseen
from postil.learn.search.strongest import strongest
from postil.learn.strength import Strengths, Way
from postil.learn.term_priors.priors import TermPriors

# So many weights are held at a time if none of them is 0: some 200 MB of them.
MOST_WEIGHTS = 1 << 23
LEAST_CATEGORIES = 8
# So many columns of scores are held at a time, if categories are fewer.
TOGETHER = 32


@dataclass(frozen=True, slots=True, eq=False)
class Problems(SearchedProblems):
    """The binary problems of some documents: what is learned from, by what method."""

    method: Method

    usual_measure: ClassVar[str] = "f1"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:
        """The measure of that name, refused where the loss does not give what it needs."""
        assert isinstance(method, Method)
        return measure_for(cls.usual_measure if name is None else name, method)

    @classmethod
    def check_way(cls, way: Way, method: SearchedMethod) -> None:
        """Refuse the variance of a prior that has none."""
        assert isinstance(method, Method)
        method.check_takes_strengths(way)

    def of(self, chosen: Ints) -> Problems:
        """The problems of some categories; costs the number of memberships."""
        if len(chosen) == len(self.labels):
            return self
        names = tuple(self.labels.names[c] for c in chosen)
        kept = None
        if self.selection is not None:
            kept = Selection.of([self.selection[int(c)] for c in chosen], self.design.terms)
        return replace(
            self,
            labels=Labels(names, self.labels.members[:, chosen]),
            sample_weights=replace(
                self.sample_weights, classes=_classes_of(self.sample_weights, chosen)
            ),
            selection=kept,
            priors=_priors_of(self.priors, chosen),
        )

    def tallies(
        self,
        measure: str,
        unseen: Unseen,
        way: Way,
        values: Floats,
        progress: Progress | None = None,
    ) -> tuple[Floats, Ints]:
        """A path of all categories; the scores of a point are held, or more if categories are few.

        All but the scores is native.
        """
        counted = measure_for(measure, self.method)
        tolerance = self.method.solver_options().tolerance
        left = np.zeros(values.shape, dtype=np.int64)
        blocks = []
        for block, fits in self.paths(way, values, progress):
            part = Unseen(unseen.rows, unseen.members[:, block], unseen.weights)
            step = max(1, TOGETHER // max(1, part.members.shape[1]))
            groups = [fits[first : first + step] for first in range(0, len(fits), step)]
            blocks.append(np.concatenate([self._tally(counted, group, part) for group in groups]))
            for point, learned in enumerate(fits):
                ran_out = {id(report) for report in unfinished(learned.reports, tolerance)}
                left[point, block] += [id(report) in ran_out for report in learned.reports]
        return np.concatenate(blocks, axis=1), left

    def _tally(self, measure: SearchMeasure, fits: Sequence[LinearFit], unseen: Unseen) -> Floats:
        """What the measure counts of some points, all of whose columns are scored at once."""
        weights = sp.vstack([fit.weights for fit in fits], format="csr")
        scores = np.asarray((unseen.rows @ weights.T).todense())
        scores = scores + np.concatenate([fit.intercepts for fit in fits])
        truth = np.tile(unseen.members, (1, len(fits)))
        counted = measure.tally(HeldOut(scores, truth, unseen.weights, self.method))
        return counted.reshape(len(fits), unseen.members.shape[1], -1)

    def strongest(self, way: Way) -> Floats:
        """Where each category's path begins."""
        return strongest(self, way)

    def paths(
        self, way: Way, values: Floats, progress: Progress | None = None
    ) -> Iterator[tuple[slice, tuple[LinearFit, ...]]]:
        """The fits of points × categories strengths, block by block of the categories.

        ``progress`` is told how many categories of how many are done. A block is one native call;
        only one block's weights are held at a time. The blocks depend on the data alone.
        """
        points, categories = values.shape
        size = max(LEAST_CATEGORIES, MOST_WEIGHTS // max(1, points * self._terms()))
        for first in range(0, categories, size):
            block = slice(first, min(first + size, categories))
            part = self.of(np.arange(categories)[block])
            fits = fit_path(
                part.design,
                part.labels,
                part.method,
                Strengths(way, values[:, block]),
                selection=part.selection,
                sample_weights=part.sample_weights,
                priors=part.priors,
                threads=part.threads,
                progress=_offset(progress, first, block.stop, categories),
            )
            yield block, fits

    def cold(self, way: Way, values: Floats) -> LinearFit:
        """The fit that has no other before it, as the last of a training is."""
        return fit(
            self.design,
            self.labels,
            self.method,
            selection=self.selection,
            sample_weights=self.sample_weights,
            priors=self.priors,
            strengths=Strengths(way, values),
            threads=self.threads,
            quiet=True,
        )

    def _terms(self) -> int:
        if self.selection is None:
            return self.design.terms
        return self.selection.ids.size // max(1, len(self.selection))


def _classes_of(sample_weights: SampleWeights, chosen: Ints) -> Any:  # noqa: ANN401 - as SampleWeights has it
    """The class weights of some categories, where each has its own pair."""
    classes = sample_weights.classes
    if classes is None or isinstance(classes, str) or np.ndim(classes) < 2:
        return classes
    return [tuple(classes[int(c)]) for c in chosen]  # type: ignore[arg-type]


def _priors_of(priors: TermPriors | None, chosen: Ints) -> TermPriors | None:
    """What is believed of terms, the categories numbered anew."""
    if priors is None or not priors.own:
        return priors
    known = priors.own
    own = {at: known[int(c)] for at, c in enumerate(chosen) if int(c) in known}
    return replace(priors, own=own)


def _offset(progress: Progress | None, first: int, last: int, total: int) -> Progress | None:
    if progress is None:
        return None

    def tell(done: int, of: int) -> None:
        # Categories without anything to learn are not counted below, and pass with the others.
        progress(first + (last - first) * done // max(1, of), total)

    return tell
