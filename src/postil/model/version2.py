"""Format version 2: as version 1, for models with a projection or a combination.

The manifest has two more entries, ``projection`` and ``combination``, each null where there is
none, and these tensors are new:

==============================  ===========  ================================================
``projection.term_vectors``     F32          terms × directions
``projection.singular_values``  F64          of the directions, falling
``combination.*``               I32          what the combination keeps: the nodes of trees
==============================  ===========  ================================================

``weights`` and ``intercepts`` are by row of the combination. A reader of version 1 would take them
for something else, which is why this is another version; models with neither are written as
version 1.
"""

from __future__ import annotations

from typing import Any

from postil.errors import InputError
from postil.model import version1
from postil.model.model import Model
from postil.model.parts import (
    combination_from_parts,
    combination_to_parts,
    projection_from_parts,
    projection_to_parts,
)
from postil.model.settings import NONE, Kinds, checked
from postil.model.tensors import Arrays, Parts, Tensors
from postil.vectors.projection import Projection

PROJECTION, COMBINATION = "projection", "combination"
SCHEMA: dict[str, Kinds] = {
    **version1.SCHEMA,
    PROJECTION: (dict, NONE),
    COMBINATION: (dict, NONE),
}


def to_parts(model: Model) -> Parts:
    """Take a model apart."""
    settings, arrays = version1.to_parts(model)
    more: dict[str, Any] = {PROJECTION: None, COMBINATION: None}
    if model.projection is not None:
        more[PROJECTION], own = projection_to_parts(model.projection)
        arrays |= own
    if model.combination is not None:
        more[COMBINATION], own = combination_to_parts(model.combination)
        arrays |= own
    return Parts(settings | more, arrays)


def from_parts(settings: dict[str, Any], arrays: Arrays, threads: int) -> Model:
    """Put a model together; whatever does not fit is refused with what and why."""
    found = checked(settings, SCHEMA, "the manifest")
    projection, combination = found[PROJECTION], found[COMBINATION]
    if projection is None and combination is None:
        raise InputError("it has neither a projection nor a combination: that is version 1")
    tensors = Tensors(arrays)

    def projection_of(columns: int) -> Projection | None:
        return None if projection is None else projection_from_parts(projection, tensors, columns)

    return version1.put_together(
        found,
        tensors,
        threads,
        combination=None if combination is None else combination_from_parts(combination, tensors),
        projection_of=projection_of,
    )
