"""The projection of a model: in memory, and in a file of format version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postil.errors import UsageError
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors, prefixed
from postil.vectors.projection import Projection

if TYPE_CHECKING:
    from postil.model.model import Model

VECTORS, VALUES = "projection.term_vectors", "projection.singular_values"
_SCHEMA = {"length": float}


def check_projection(model: Model) -> None:
    """Refuse a projection of other terms, and what does not go with any."""
    projection = model.projection
    if projection is None:
        return
    if projection.terms != model.vectorizer.columns:
        raise UsageError(
            f"the projection is of {projection.terms} terms, and the vectorizer has "
            f"{model.vectorizer.columns} columns"
        )
    if not projection.scales:
        raise UsageError(
            "a projection without a length changes no score: fold its weights, and leave it out"
        )
    for name in ("variances", "units", "selection"):
        if getattr(model, name) is not None:
            raise UsageError(
                f"{name} are of weights learned term by term, and these come from a projection"
            )


def projection_to_parts(projection: Projection) -> Parts:
    """Take a projection apart; nothing is copied."""
    return Parts({"length": projection.length}, prefixed("projection", projection.to_arrays()))


def projection_from_parts(settings: object, tensors: Tensors, columns: int) -> Projection:
    """Restore a projection of so many columns; its directions stay where they are."""
    length = checked(settings, _SCHEMA, "projection")["length"]
    values = tensors.take(VALUES, "f8", None)
    vectors = tensors.take(VECTORS, "f4", columns, len(values))
    return Projection.from_arrays({"term_vectors": vectors, "singular_values": values}, length)
