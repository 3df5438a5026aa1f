"""Methods whose strength a search may choose."""

from __future__ import annotations

from typing import TypeAlias

from postil.errors import UsageError
from postil.learn.method import Method
from postil.learn.multiclass_svm import MulticlassSvmMethod
from postil.learn.polychotomous import PolychotomousMethod
from postil.learn.strength import Regularization

SearchedMethod: TypeAlias = Method | PolychotomousMethod | MulticlassSvmMethod


def check_unset(regularization: Regularization) -> None:
    """Refuse to look for a strength that is given."""
    given = regularization.given()
    if given:
        raise UsageError(
            f"[learn] gives {' and '.join(given)} and [search] looks for λ: leave one out"
        )
