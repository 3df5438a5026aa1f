"""The binary problems of one-vs-rest: which can be learned, by what weights, and their reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.fit import CertificateKind, FitReport, StopReason
from postil.learn.job import Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Strengths

# Scores of a category in which there was nothing to learn.
NEVER, ALWAYS = -1.0, 1.0

STOPS: Mapping[_native.Stop, StopReason] = {
    _native.Stop.certified: "certified",
    _native.Stop.movement: "movement",
    _native.Stop.iterations: "iterations",
    _native.Stop.precision: "precision",
}
KINDS: Mapping[_native.Certificate, CertificateKind] = {
    _native.Certificate.duality_gap: "duality gap",
    _native.Certificate.kkt_residual: "KKT residual",
    _native.Certificate.mistakes: "share of mistakes",
}


class CategoryTasks:
    """Every category against the rest, for documents of given weights.

    ``learnable`` holds the categories with members and others that count; the rest get a constant
    score. Making one costs the number of memberships.
    """

    def __init__(self, labels: Labels, documents: Floats, sample_weights: SampleWeights) -> None:
        self.labels = labels
        self.documents = documents
        self.total = float(documents.sum())
        present = (documents > 0).astype(np.int64)
        self.sizes = np.asarray(present @ labels.members.astype(np.int64)).ravel()
        inside = np.asarray(documents @ labels.members.astype(np.float64)).ravel()
        self.member_weights, self.other_weights = sample_weights.of_classes(inside, self.total)
        others = int(present.sum()) - self.sizes
        self.learnable = np.flatnonzero(
            (self.sizes > 0) & (others > 0) & (self.member_weights > 0) & (self.other_weights > 0)
        )

    def go_on(self, started: Sequence[bool]) -> None:
        """Let categories that start from somewhere learn, even from members or others alone."""
        if started and self.total > 0:
            chosen = np.zeros(len(self.labels), dtype=bool)
            chosen[self.learnable] = True
            self.learnable = np.flatnonzero(chosen | np.asarray(started, dtype=bool))

    def checked(self, given: Strengths, method: Method) -> Floats:
        """The strengths of each category's points: categories × points × 2."""
        values = np.atleast_2d(given.values)
        if values.ndim != 2 or values.shape[1] != len(self.labels):
            raise UsageError(
                f"{given.way} is one number for each of {len(self.labels)} categories, not "
                f"{values.shape[-1] if values.ndim else 1}"
            )
        pairs = Strengths(given.way, values).pairs(self.total, method.share)
        if not method.has_strength:
            pairs = np.zeros_like(pairs)
        return np.ascontiguousarray(pairs.transpose(1, 0, 2))

    def assignment(
        self,
        strengths: Floats,
        starts: list[Floats],
        beliefs: _native.Beliefs | None = None,
        beginnings: list[Floats] | None = None,
    ) -> _native.Assignment:
        """What the native core needs to know of the categories that can be learned."""
        members = self.labels.by_category()[:, self.learnable]
        return _native.Assignment(
            lists(members.indptr, members.indices),
            self.documents,
            self.member_weights[self.learnable],
            self.other_weights[self.learnable],
            np.ascontiguousarray(strengths[self.learnable]),
            beliefs,
            starts,
            beginnings or [],
        )

    def told(self, progress: Progress | None) -> Callable[[int], None] | None:
        """What the native core calls with the number of categories done."""
        if progress is None:
            return None
        return lambda done: progress(done, len(self.learnable))

    def constant(self, category: int) -> float:
        """The score of a category in which there is nothing to learn."""
        return ALWAYS if self._has_members(category) else NEVER

    def report(
        self, category: int, lam: float, fits: _native.Fits, at: int, nonzeros: int
    ) -> FitReport:
        """How a category was learned: the fit at a place among those of the core."""
        return FitReport(
            category=self.labels.names[category],
            members=int(self.sizes[category]),
            lam=float(lam),
            iterations=fits.iterations(at),
            objective=fits.objective(at),
            certificate=fits.certificate(at),
            kind=KINDS[fits.kind(at)],
            stopped=STOPS[fits.stop(at)],
            seconds=fits.seconds(at),
            nonzeros=nonzeros,
            smoothing=fits.smoothing(at),
        )

    def constant_report(self, category: int, lam: float) -> FitReport:
        """That there was nothing to learn, and why."""
        has_members = self._has_members(category)
        what = "nothing but members: always chosen" if has_members else "no member: never chosen"
        return FitReport(
            category=self.labels.names[category],
            members=int(self.sizes[category]),
            lam=float(lam),
            iterations=0,
            objective=0.0,
            certificate=0.0,
            kind="exact",
            stopped="constant",
            seconds=0.0,
            nonzeros=0,
            note=f"the category has {what}",
        )

    def _has_members(self, category: int) -> bool:
        """Whether any member counts."""
        return bool(self.sizes[category] > 0 and self.member_weights[category] > 0)


@contextmanager
def within_range() -> Iterator[None]:
    """The core's word that weights left the range of numbers, as an error of the user's λ."""
    try:
        yield
    except OverflowError as overflow:
        raise UsageError(str(overflow)) from None


def lists(starts: NDArray[Any], places: NDArray[Any]) -> _native.Lists:
    """Lists of places, one after the other, as the native core takes them."""
    return _native.Lists(starts.astype(np.int64, copy=False), places.astype(np.int32, copy=False))
