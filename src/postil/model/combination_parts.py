"""The combination of a model: in memory, and in a file of format version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postil.decide.softmax import Softmax
from postil.errors import InputError, UsageError
from postil.learn.combining import COMBINATIONS, Combination
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors, prefixed

if TYPE_CHECKING:
    from postil.model.model import Model

GROUP = "combination"
_SCHEMA = {"kind": str, "settings": dict}


def check_combination(model: Model) -> None:
    """Refuse a combination for other categories, and what does not go with any."""
    combination = model.combination
    if combination is None:
        return
    check_categories(combination, model.categories)
    if isinstance(model.calibration, Softmax):
        raise UsageError(
            "the calibration softmax takes scores as they are learned together, and these are "
            f"combined ({combination.kind}): take platt or isotonic"
        )
    for name in ("variances", "units", "selection"):
        if getattr(model, name) is not None:
            raise UsageError(
                f"{name} are of categories that have one row of weights each, and these are "
                f"combined ({combination.kind})"
            )


def check_categories(combination: Combination, names: int) -> None:
    """Refuse a combination for another number of categories than there are names."""
    if combination.categories != names:
        raise UsageError(
            f"the combination is for {combination.categories} categories, the names for {names}"
        )


def combination_to_parts(combination: Combination) -> Parts:
    """Take a combination apart."""
    settings, arrays = combination.to_parts()
    return Parts({"kind": combination.kind, "settings": settings}, prefixed(GROUP, arrays))


def combination_from_parts(settings: object, tensors: Tensors) -> Combination:
    """Restore a combination; one of an unknown kind, or that holds more, is refused."""
    found = checked(settings, _SCHEMA, GROUP)
    if found["kind"] not in COMBINATIONS:
        raise InputError(f"scores are combined in an unknown way, {found['kind']!r}")
    arrays = tensors.group(GROUP)
    combination = COMBINATIONS[found["kind"]](found["settings"], arrays)
    kept, kept_arrays = combination.to_parts()
    if kept != found["settings"] or kept_arrays.keys() != arrays.keys():
        raise InputError("combination holds more, or other things, than is known")
    return combination
