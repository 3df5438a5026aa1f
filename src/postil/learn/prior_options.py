"""What each prior can be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from postil import _native
from postil.learn.option_rules import Rule, number, one_of
from postil.learn.part_options import PartOptions


@dataclass(frozen=True, slots=True)
class EntropyOptions(PartOptions):
    """Where a Winnow's weights start, and which signs they may have (zhang-2000, section 2.2).

    ``balanced`` weights are differences of two that start at ``mu``, those of x and of -x;
    ``positive`` ones start at ``mu`` themselves, and a score has to reach the ``threshold``, as
    all of them are above 0 where vectors are.
    """

    mu: float = 0.01
    signs: Literal["balanced", "positive"] = "balanced"
    threshold: float = 0.0

    kind: ClassVar[_native.Entropy] = _native.Entropy.unnormalised

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            "mu": number("from 1e-100 to 1e100", lambda value: 1e-100 <= value <= 1e100),
            "signs": one_of("balanced", "positive"),
            "threshold": number("a finite number", lambda value: True),  # noqa: ARG005
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this prior."""
        options.entropy = self.native()

    def native(self) -> _native.EntropyPrior:
        """The prior of the native core."""
        prior = _native.EntropyPrior()
        prior.kind = self.kind
        prior.mu = self.mu
        prior.positive = self.signs == "positive"
        prior.threshold = self.threshold
        return prior


@dataclass(frozen=True, slots=True)
class NormalisedEntropyOptions(EntropyOptions):
    """The same with weights, both of a pair, that add up to ``total``, the paper's W.

    Without it they add up to what they start with: ``mu`` for each.
    """

    total: float | None = None

    kind: ClassVar[_native.Entropy] = _native.Entropy.normalised

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        above = number("above 0, or none", lambda value: value > 0)
        return {
            **EntropyOptions.rules(self),
            "total": Rule(above.words, lambda value: value is None or above.holds(value)),
        }

    def native(self) -> _native.EntropyPrior:
        """The prior of the native core."""
        prior = EntropyOptions.native(self)
        prior.total = self.total or 0.0
        return prior
