"""A search without a grid: down each category's path, then once more around the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.types import Floats, Ints
from postil.learn.search.folds import HeldOutFits, Tallies
from postil.learn.search.grids import exponent, spaced, weaker
from postil.learn.search.result import Measured
from postil.learn.strength import Strengths, Way

# The weakest strength of a path as a share of the strongest, with and without absolute values.
SPARSE_RATIO, DENSE_RATIO = 1e-4, 1e-5
# Points that are tried in between, once, around the best.
REFINED = 4
# A path ends after this many points that are worse than the best by more than a share of what the
# best gained over the first.
PATIENCE = 3
CLEARLY = 0.1
QUARTERS = 4
FIRST = np.zeros(1, dtype=np.int64)  # the first fold


def usual_ratio(share: float) -> float:
    """Return the weakest λ of a path as a share of the strongest."""
    return SPARSE_RATIO if share > 0 else DENSE_RATIO


class Stages:
    """The progress of work that is done in parts, and may be less than planned."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._before = 0

    def part(self, size: int) -> Progress | None:
        """Return the progress of the next part."""
        progress, before = self._progress, self._before
        self._before += size
        if progress is None:
            return None
        return lambda done, of: progress(before + size * done // max(1, of), self._total)

    def end(self) -> None:
        """Report that all is done, whatever was left out."""
        if self._progress is not None:
            self._progress(self._total, self._total)


@dataclass(frozen=True, slots=True)
class AutomaticSearch:
    """An automatic search: its folds, its number of points, and the ratio of its ends.

    If ``shared``, there is one path for all categories.
    """

    fits: HeldOutFits
    way: Way
    points: int
    ratio: float
    shared: bool

    def stages(self, progress: Progress | None) -> Stages:
        """Return the progress of all that there may be to do."""
        fits = len(self.fits.rounds) * len(self.fits.job.labels)
        return Stages(progress, fits * (self.points + REFINED))

    def factors(self) -> Floats:
        """Return λ along the path, as shares of the strongest."""
        return spaced(self.points, self.ratio)

    def walk(self, strongest: Floats, stages: Stages) -> Measured:
        """Measure the path from strong to weak, as long as it may still get better.

        The first fold walks it to its end. Where it has clearly become worse there, the other
        folds go no further, unless all together then find their best at that very end. All folds
        measure the same points. Memory: a few numbers for each fold, point and category.
        """
        top = np.full_like(strongest, _extreme(strongest, self.way)) if self.shared else strongest
        tried = weaker(top[None, :], self.factors()[:, None], self.way, self._share)
        every = np.arange(len(top))
        first = self._tallies(tried, every, 0, self.points, FIRST, stages)
        walk = _Walk(self, tried, first)
        ends = walk.ends()
        for end in np.unique(ends):
            going = np.flatnonzero(ends == end)
            walk.add(going, 0, int(end), stages)
        for end in np.unique(ends):
            at_its_end = walk.best_at_end(np.flatnonzero(ends == end), int(end))
            walk.add(at_its_end, int(end), self.points, stages)
        return walk.measured()

    def _tallies(
        self,
        tried: Floats,
        going: Ints,
        begin: int,
        end: int,
        rounds: Ints,
        stages: Stages,
    ) -> Tallies:
        progress = stages.part(len(rounds) * (end - begin) * len(going))
        strengths = Strengths(self.way, tried[begin:end, going])
        return self.fits.tallies(strengths, going, progress, rounds)

    def refined(self, measured: Measured, picks: Ints, which: Ints, stages: Stages) -> Measured:
        """Measure four more points around the pick of each of these categories."""
        last = measured.known.cumsum(axis=0).max(axis=0) - 1
        which = which[last[which] > 0]
        if not len(which):
            return measured
        categories = measured.tried.shape[1]
        between = np.repeat(measured.at(picks)[None, :], REFINED, axis=0)
        for c in which.tolist():
            between[:, c] = _around(measured.tried[: last[c] + 1, c], int(picks[c]))
        progress = stages.part(len(self.fits.rounds) * REFINED * len(which))
        found = self.fits.tallies(Strengths(self.way, between[:, which]), which, progress)
        at_picks = np.take_along_axis(measured.counts, picks[None, None, :, None], axis=1)
        counts = np.repeat(at_picks, REFINED, axis=1)
        counts[:, :, which] = found.counts
        known = np.zeros((REFINED, categories), dtype=np.bool_)
        known[:, which] = True
        left = np.zeros((REFINED, categories), dtype=np.int64)
        left[:, which] = found.unfinished
        joined = Measured(
            measured.measure,
            np.concatenate([measured.tried, between]),
            np.concatenate([measured.counts, counts], axis=1),
            np.concatenate([measured.known, known]),
            np.concatenate([measured.unfinished, left]),
        )
        strength = exponent(self.way, self._share) * np.log(joined.tried)
        return joined.sorted(np.argsort(-strength, axis=0, kind="stable"))

    @property
    def _share(self) -> float:
        return self.fits.method.share


def has_worsened(worth: Floats) -> bool:
    """Return whether the last points are clearly worse than the best before them.

    Undefined points count as the worst.
    """
    known = worth[~np.isnan(worth)]
    if not len(known):
        return False
    filled = np.where(np.isnan(worth), known.min(), worth)
    best = filled.max()
    margin = CLEARLY * (best - filled[0])
    return len(filled) > PATIENCE and bool((filled[-PATIENCE:] < best - margin).all())


class _Walk:
    """The measurements of the folds so far."""

    def __init__(self, search: AutomaticSearch, tried: Floats, first: Tallies) -> None:
        self.search = search
        self.tried = tried
        rounds = len(search.fits.rounds)
        self.counts = np.zeros((rounds, *first.counts.shape[1:]))
        self.counts[0] = first.counts[0]
        self.left = first.unfinished.copy()
        self.known = np.ones(tried.shape, dtype=np.bool_)
        if rounds > 1:
            self.known[:] = False

    def ends(self) -> Ints:
        """Return how many points of each category the other folds should measure.

        Rounded up, so that few different ones are left.
        """
        points = self.search.points
        first = self._of(self.counts[:1], np.ones_like(self.known))
        if self.search.shared:
            worth = first.worth(first.together()[0])
            return np.full(self.tried.shape[1], end_of(worth, points))
        worth = first.worth(first.by_category()[0])
        return np.array([end_of(column, points) for column in worth.T], dtype=np.int64)

    def add(self, going: Ints, begin: int, end: int, stages: Stages) -> None:
        """Measure some points of some categories in the folds after the first."""
        others = self.search.fits.rounds[1:]
        if not len(going) or begin >= end:
            return
        if len(others):
            found = self.search._tallies(self.tried, going, begin, end, others, stages)
            self.counts[1:, begin:end, going] = found.counts
            self.left[begin:end, going] += found.unfinished
        self.known[begin:end, going] = True

    def best_at_end(self, going: Ints, end: int) -> Ints:
        """Return the categories whose best is the last of that many points."""
        measured = self.measured().head(end)
        if self.search.shared:
            values = measured.worth(measured.together()[0])[:, None]
            return going if _is_last(values).all() else going[:0]
        return going[_is_last(measured.worth(measured.by_category()[0][:, going]))]

    def measured(self) -> Measured:
        """Return the measurements of all points that some category has."""
        last = int(self.known.any(axis=1).sum())
        counts = self.counts.copy()
        for point in range(1, last):
            counts[:, point] = np.where(
                self.known[point][None, :, None], counts[:, point], counts[:, point - 1]
            )
        return self._of(counts, self.known).head(last)

    def _of(self, counts: Floats, known: NDArray[np.bool_]) -> Measured:
        return Measured(self.search.fits.measure, self.tried, counts, known, self.left)


def end_of(worth: Floats, points: int) -> int:
    """Return how many points of a path are worth measuring, in quarters of the path."""
    over = [end for end in range(1, points + 1) if has_worsened(worth[:end])]
    if not over:
        return points
    quarter = max(1, points // QUARTERS)
    return min(points, -(-over[0] // quarter) * quarter)


def _is_last(worth: Floats) -> NDArray[np.bool_]:
    """Return which columns have their highest value last; undefined values are the lowest."""
    known = np.where(np.isnan(worth), -np.inf, worth)
    last: NDArray[np.bool_] = known.argmax(axis=0) == len(known) - 1
    return last


def _around(tried: Floats, pick: int) -> Floats:
    """Return strengths between a point and its neighbours, evenly spaced by their logarithms."""
    before, after = max(pick - 1, 0), min(pick + 1, len(tried) - 1)
    logs = np.log(tried)
    ends = [(before, after, REFINED)]
    if before < pick < after:
        ends = [(before, pick, REFINED // 2), (pick, after, REFINED - REFINED // 2)]
    inner = [np.linspace(logs[a], logs[b], count + 2)[1:-1] for a, b, count in ends]
    result: Floats = np.exp(np.concatenate(inner))
    return result


def _extreme(strongest: Floats, way: Way) -> float:
    return float(strongest.max() if way == "lam" else strongest.min())
