"""Priors (penalties): what a weight costs, added to the average loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from postil.learn.parts import Part, registry


@dataclass(frozen=True, slots=True)
class Prior(Part):
    """A prior: its formula for people, and what solvers may ask of it.

    ``step``: the best change of one weight under a quadratic bound of the loss is known.
    ``ridge``: it is λ‖w‖², so that weights are a sum of documents and the dual is simple.
    """

    formula: str


PRIORS: Mapping[str, Prior] = MappingProxyType(
    registry(
        Prior("gaussian", "ridge (zhang-oles-2001, eq. 4)", frozenset({"step", "ridge"}), "λ w²")
    )
)
