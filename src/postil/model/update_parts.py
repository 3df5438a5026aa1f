"""What a model keeps beyond scoring so that new documents can be learned on top of it.

``units`` turn weights that were learned by factors back into the exponents θ that learning moves
(zhang-2000, section 2.2): w = unit (exp θ - exp -θ), or unit exp θ where weights are positive.
Weights that were learned by sums need none. ``selection`` holds the terms that each category may
use, where the recipe chose some: a term whose weight is 0 may be one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.model.integers import check_below, check_starts, narrowed, smallest_type
from postil.model.tensors import Arrays, Tensors

if TYPE_CHECKING:
    from postil.model.model import Model

Floats = NDArray[np.float64]

UNITS = "units"
STARTS, TERMS = "selection.starts", "selection.terms"


def checked_units(values: ArrayLike, categories: int) -> Floats:
    """One number above 0 for each category."""
    units = np.array(values, dtype=np.float64)
    if units.shape != (categories,) or not (np.isfinite(units) & (units > 0)).all():
        raise UsageError("units of weights are one finite number above 0 for each category")
    units.flags.writeable = False
    return units


def check_selection(selection: Selection, categories: int, columns: int) -> None:
    """Refuse terms of other categories, or of other columns, than the model has."""
    if (len(selection), selection.terms) != (categories, columns):
        raise UsageError(
            f"the terms chosen are for {len(selection)} categories of {selection.terms} columns, "
            f"and the model has {categories} and {columns}"
        )


def update_arrays(model: Model) -> Arrays:
    """What a file holds of it; nothing where a model keeps nothing."""
    arrays: Arrays = {}
    if model.units is not None:
        arrays[UNITS] = model.units
    if model.selection is not None:
        arrays[STARTS] = narrowed(model.selection.offsets)
        arrays[TERMS] = model.selection.ids.astype(smallest_type(model.selection.terms))
    return arrays


def units_from(tensors: Tensors, categories: int) -> Floats | None:
    """The units of a file, if it has any; the model looks at them."""
    return tensors.take(UNITS, "f8", categories) if tensors.has(UNITS) else None


def selection_from(tensors: Tensors, categories: int, columns: int) -> Selection | None:
    """The chosen terms of a file, if it has any: rising within each category."""
    if not tensors.has_group("selection"):
        return None
    terms = tensors.take(TERMS, "u", None)
    starts = tensors.take(STARTS, "u", categories + 1)
    check_starts(starts, len(terms), STARTS)
    check_below(terms, columns, TERMS)
    rising = terms[1:] > terms[:-1]
    borders = starts[(starts > 0) & (starts < len(terms))]
    rising[borders.astype(np.int64) - 1] = True  # from one category to the next it may fall
    if not rising.all():
        raise InputError(f"{TERMS!r} does not rise within every category")
    return Selection(terms.astype(np.int32), starts.astype(np.int64), columns)
